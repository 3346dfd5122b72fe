"""What scores are worth: z-scores and p-values, from the moments of a score over permutations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from echelon._core.samples import ROUNDING
from echelon.engines import Samples

ByFeature = tuple[np.ndarray, np.ndarray]
"""z-scores and p-values, in the order of the features."""

ROOT_2_PI = np.sqrt(2 * np.pi)

NO_SKEWNESS = 1e-3
"""From here on the gamma distribution is the normal one, to all digits that matter."""

NEAR_ZERO = 1e-3
"""z-scores around which the saddlepoint is taken at 0."""


class Moments(NamedTuple):
    """Mean, deviation, skewness and excess kurtosis of every column's score over permutations.

    The kurtosis is an upper estimate, that of a quadratic form with one eigenvalue x beside which
    nothing is skewed (third moment 8 x^3, fourth cumulant 48 x^4), and at least that of a gamma
    distribution.
    """

    mean: np.ndarray
    deviation: np.ndarray
    skewness: np.ndarray
    kurtosis: np.ndarray

    @classmethod
    def of(cls, central: np.ndarray) -> Moments:
        """From mean, variance, third moment, and the form's part of it: a row for every column."""
        mean, variance, *third = central.T
        deviation = np.sqrt(variance)
        varying = deviation > ROUNDING
        cube = np.where(varying, deviation, 1.0) ** 3
        skewness, of_form = (np.where(varying, part, 0.0) / cube for part in third)
        one_value = np.cbrt(np.maximum(of_form, 0.0) / 8)
        right = np.maximum(skewness, 0.0)
        return cls(mean, deviation, skewness, np.maximum(48 * one_value**4, 1.5 * right**2))


class Evidence(NamedTuple):
    """Scores of all columns and how far they stand out.

    Attributes
    ----------
    scores, z : ndarray of shape (n_columns,)
        Scores, and how many deviations they lie above the mean of permuted columns.
    varying : ndarray of shape (n_columns,)
        Whether permutation changes the score at all; where it does not, z is 0.
    ways : ndarray of shape (n_columns,)
        Number of z-scores of which z is the largest.
    skewness, kurtosis : ndarray of shape (n_columns,)
        Of the score over permutations; see :class:`Moments`.
    """

    scores: np.ndarray
    z: np.ndarray
    varying: np.ndarray
    ways: np.ndarray
    skewness: np.ndarray
    kurtosis: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, moments: Moments) -> Evidence:
        """From scores and their moments over permutations."""
        varying = moments.deviation > ROUNDING
        z = np.where(varying, scores - moments.mean, 0.0)
        z /= np.where(varying, moments.deviation, 1.0)
        return cls(scores, z, varying, np.ones(len(z), int), *moments[2:])

    @classmethod
    def unknown(cls, scores: np.ndarray) -> Evidence:
        """Scores whose pairs were too many to keep."""
        n = len(scores)
        nothing = np.zeros(n)
        return cls(scores, nothing + np.nan, np.ones(n, bool), np.ones(n, int), nothing, nothing)

    @property
    def p_values(self) -> np.ndarray:
        """Upper tail at z, times the ways in which z could have come so far."""
        tail = self.ways * upper_tail(self.z, self.skewness, self.kurtosis)
        return np.where(self.varying, np.minimum(1.0, tail), 1.0)

    def only(self, columns: np.ndarray) -> Evidence:
        """Evidence on some columns; it says nothing about the others."""
        return self._replace(z=np.where(columns, self.z, 0.0), varying=self.varying & columns)

    def by_feature(self, samples: Samples) -> ByFeature:
        """z-scores and p-values in the original order of columns."""
        return samples.per_feature(self.z), samples.per_feature(self.p_values)


def larger(a: Evidence, b: Evidence) -> Evidence:
    """Column by column the larger z-score of those that vary."""
    z_a, z_b = (np.where(kind.varying, kind.z, -np.inf) for kind in (a, b))
    varying = a.varying | b.varying
    z = np.where(varying, np.maximum(z_a, z_b), 0.0)
    ways = a.ways * a.varying + b.ways * b.varying
    shapes = (np.where(z_a >= z_b, *both) for both in zip(a[4:], b[4:], strict=True))
    return Evidence(z, z, varying, ways, *shapes)


def upper_tail(z: np.ndarray, skewness: np.ndarray, kurtosis: np.ndarray) -> np.ndarray:
    """Probability of more than z, if that is a gamma variable plus a normal one.

    They have shares s and 1 - s of the variance, s = 1.5 skewness^2 / kurtosis; with all of it in
    the gamma, this is the Pearson type III law.  By saddlepoint (Lugannani and Rice 1980), some
    percent off.  The gamma is no longer-tailed than the square of one normal variable: where other
    parts of a score are skewed to the left, they are taken as even, and the whole, where all are.
    """
    skewness = np.maximum(skewness, 8 * (kurtosis / 48) ** 0.75)
    skewed = skewness > NO_SKEWNESS
    skewness, kurtosis = np.where(skewed, skewness, 1.0), np.where(skewed, kurtosis, 1.5)
    share = np.minimum(1.5 * skewness**2 / kurtosis, 1.0)
    scale = 0.5 * skewness / share
    below = (share >= 1) & (z * scale < -0.9)  # nothing lies below -1
    even, z = ndtr(-z), np.where(below, 0.0, z)
    # With K(t) = (1 - s) t^2 / 2 - s log(1 - scale t) / scale^2 - s t / scale, K'(t) = z.
    linear = 1.0 + scale * z
    t = 2 * z / (linear + np.sqrt(linear**2 - 4 * (1.0 - share) * scale * z))
    left = 1.0 - scale * t
    k = 0.5 * (1.0 - share) * t**2 - share * (np.log(left) / scale + t) / scale
    w = np.sign(t) * np.sqrt(2 * np.maximum(t * z - k, 0.0))
    u = t * np.sqrt(1.0 - share + share / left**2)
    near = np.abs(z) < NEAR_ZERO  # where 1 / u - 1 / w loses its digits, and is -skewness / 6
    step = 1.0 / np.where(near, 1.0, u) - 1.0 / np.where(near, 1.0, w)
    tail = ndtr(-w) + np.exp(-0.5 * w**2) / ROOT_2_PI * np.where(near, -skewness / 6, step)
    return np.where(skewed, np.where(below, 1.0, np.clip(tail, 0.0, 1.0)), even)
