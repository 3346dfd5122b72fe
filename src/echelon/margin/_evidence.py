"""What scores are worth: z-scores, p-values, and the larger of two kinds of evidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from echelon._core.differences import ROUNDING


class Evidence(NamedTuple):
    """Scores of all columns and how far they stand out.

    Attributes
    ----------
    scores, z : ndarray of shape (n_columns,)
        Scores, and the same in units of their deviation from what permuted columns score.
    varying : ndarray of shape (n_columns,)
        Whether permutation changes the score at all; where it does not, z is 0.
    ways : ndarray of shape (n_columns,)
        Number of z-scores of which z is the largest.
    """

    scores: np.ndarray
    z: np.ndarray
    varying: np.ndarray
    ways: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> Evidence:
        """From scores, and their mean and deviation over permutations."""
        varying = deviation > ROUNDING
        z = np.where(varying, scores - mean, 0.0) / np.where(varying, deviation, 1.0)
        return cls(scores, z, varying, np.ones(len(z), int))

    @classmethod
    def unknown(cls, scores: np.ndarray) -> Evidence:
        """Scores whose pairs were too many to keep."""
        n = len(scores)
        return cls(scores, np.full(n, np.nan), np.ones(n, bool), np.ones(n, int))

    @property
    def p_values(self) -> np.ndarray:
        """Upper tail of the normal, times the ways in which z could have come so far."""
        return np.where(self.varying, np.minimum(1.0, self.ways * norm.sf(self.z)), 1.0)

    def only(self, columns: np.ndarray) -> Evidence:
        """The same for some columns; it says nothing about the others."""
        return self._replace(z=np.where(columns, self.z, 0.0), varying=self.varying & columns)

    def by_z(self) -> Evidence:
        """The same with z-scores as scores."""
        return self._replace(scores=self.z)


def larger(a: Evidence, b: Evidence) -> Evidence:
    """Column by column the larger z-score of those that vary."""
    z = np.maximum(np.where(a.varying, a.z, -np.inf), np.where(b.varying, b.z, -np.inf))
    varying = a.varying | b.varying
    z = np.where(varying, z, 0.0)
    return Evidence(z, z, varying, a.ways * a.varying + b.ways * b.varying)
