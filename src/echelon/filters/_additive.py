"""Bins of every feature, and models that are boosted on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from echelon._core.sample_weights import row_counts
from echelon.filters._discretize import label_columns
from echelon.kernels.boosting import TIE, boost
from echelon.validation import Columns


class Bins(NamedTuple):
    """Bins of every feature, shape (n_features, n_samples); how many, and how many in order."""

    codes: np.ndarray
    n_bins: np.ndarray
    n_ordered: np.ndarray


def bin_columns(columns: Columns, n_bins: int) -> Bins:
    """Bins of equal frequency, or all values of features that have no more than ``n_bins``."""
    values = columns.values
    labels = label_columns(columns, np.zeros(len(values), int), "quantile", n_bins)
    few = np.flatnonzero(~columns.nominal & (_n_different(values) <= n_bins))
    if len(few):
        whole = columns.some(few)._replace(weights=None)
        # So many bins separate all values.
        each = label_columns(whole, np.zeros(len(values), int), "quantile", 2 * len(values))
        labels.codes[few], labels.n_labels[few] = each
    gaps = np.isnan(values).any(axis=0)
    n_ordered = np.where(columns.nominal, 0, labels.n_labels - gaps)
    return Bins(labels.codes, labels.n_labels, n_ordered)


def _n_different(values: np.ndarray) -> np.ndarray:
    """Number of different values of every column, missing ones not counted."""
    ascending = np.sort(values, axis=0)  # missing values last
    steps = (ascending[1:] > ascending[:-1]).sum(axis=0)
    return steps + 1


class Boosted(NamedTuple):
    """Features by round, R squared after each, and the credit of every feature outside."""

    features: np.ndarray
    r_squared: np.ndarray
    credit: np.ndarray

    def first_taken(self) -> tuple[np.ndarray, np.ndarray]:
        """Features in the order they were first taken, and the rounds that took them."""
        features, rounds = np.unique(self.features, return_index=True)
        order = np.argsort(rounds)
        return features[order], rounds[order]

    def gains(self, n_features: int) -> np.ndarray:
        """What every feature adds to R squared, in all its rounds."""
        added = np.diff(self.r_squared, prepend=0.0)
        return np.bincount(self.features, added, minlength=n_features)


class Additive:
    """Additive models of the same bins and outputs, boosted one feature at a time.

    Parameters
    ----------
    bins : Bins
        Bins of every feature.
    directions : ndarray of shape (n_features,)
        1, -1 or 0 for features whose values must rise, fall or do neither.
    outputs : ndarray of shape (n_samples, n_outputs)
        What the model predicts; errors are summed over the outputs.
    n_rounds, rate, shrinkage
        As in :class:`ForwardAdditive`.
    counts : ndarray of shape (n_samples,), default=None
        How many samples every row stands for; None: each for itself.
    first : sequence of int, default=()
        Features that are boosted by themselves, before all are.
    """

    def __init__(
        self,
        bins: Bins,
        directions: np.ndarray,
        outputs: np.ndarray,
        *,
        n_rounds: int,
        rate: float,
        shrinkage: float,
        counts: np.ndarray | None = None,
        first: Sequence[int] = (),
    ):
        self.bins, self.directions = bins, directions
        self.counts = row_counts(counts, len(outputs))
        self.first = np.array(first, dtype=np.int64)
        self.outputs = np.ascontiguousarray(outputs.T)
        self.n_rounds, self.rate, self.shrinkage = n_rounds, rate, shrinkage
        # Once for all bags, so that threads do not decide which of them runs which.
        self._boost = boost if directions.any() or boost.pays(self._steps()) else boost_by_arrays

    def _steps(self) -> float:
        """Microseconds of array operations, for the usual ten bags."""
        return 10 * self.n_rounds * (30 + 1e-3 * self.bins.codes.size * len(self.outputs))

    def run(self, drawn: np.ndarray, n_steps: int | None = None) -> Boosted:
        """Boost a model of the samples drawn; ``n_steps`` is not used: all rounds count."""
        weights = self.counts * drawn
        mean = (weights * self.outputs).sum(axis=1, keepdims=True) / weights.sum()
        residual = self.outputs - mean
        before = self._rounds(self.first, residual, weights) if len(self.first) else []
        left = residual - sum((self._step(*each) for each in before), np.zeros_like(residual))
        others = np.setdiff1d(np.arange(len(self.bins.codes)), self.first)
        everything = np.concatenate([self.first, others])  # of copies, the first one is taken
        return self._judged([*before, *self._rounds(everything, left, weights)], residual, weights)

    def _rounds(
        self, some: np.ndarray, residual: np.ndarray, weights: np.ndarray
    ) -> list[tuple[int, np.ndarray]]:
        """The feature of every round on some features, and its curve."""
        inside = np.flatnonzero(weights)
        features = np.empty(self.n_rounds, np.int64)
        curves = np.empty((self.n_rounds, len(residual), self.bins.n_bins.max()))
        codes, n_bins, n_ordered = (part[some] for part in self.bins)
        done = self._boost(
            codes[:, inside], n_bins, n_ordered, self.directions[some],
            residual[:, inside], weights[inside], self.rate, self.shrinkage, features, curves,
        )  # fmt: skip
        return list(zip(some[features[:done]].tolist(), curves[:done], strict=True))

    def _step(self, feature: int, curve: np.ndarray) -> np.ndarray:
        """What a round takes from the residual."""
        return self.rate * curve[:, self.bins.codes[feature]]

    def _judged(
        self, rounds: list[tuple[int, np.ndarray]], residual: np.ndarray, weights: np.ndarray
    ) -> Boosted:
        """What the rounds lower the squared error of the samples inside and outside by."""
        outside = np.where(weights == 0, self.counts, 0.0)
        before, unseen = (weights * residual**2).sum(), (outside * residual**2).sum()
        errors, credit = np.empty(len(rounds)), np.zeros(len(self.bins.codes))
        for t, (feature, curve) in enumerate(rounds):
            new = residual - self._step(feature, curve)
            credit[feature] += (outside * (residual**2 - new**2)).sum()
            residual = new
            errors[t] = (weights * residual**2).sum()
        features = np.array([feature for feature, _ in rounds], np.int64)
        return Boosted(
            features, 1 - errors / before if before > 0 else errors, credit / (unseen or 1)
        )

    def single_worth(self) -> np.ndarray:
        """Gain of every feature's bin means by itself, less what bins gain by chance."""
        counts, total = self.counts, self.counts.sum()
        outputs = self.outputs - (counts * self.outputs).sum(axis=1, keepdims=True) / total
        chance = (counts * outputs**2).sum() / total
        worth = np.empty(len(self.bins.codes))
        for f, (codes, n_bins) in enumerate(zip(self.bins.codes, self.bins.n_bins, strict=True)):
            sizes = np.bincount(codes, counts, n_bins)
            sums = np.array([np.bincount(codes, counts * y, n_bins) for y in outputs])
            worth[f] = (sums**2 / np.where(sizes > 0, sizes, 1.0)).sum() - (n_bins - 1) * chance
        return worth


def boost_by_arrays(
    bins: np.ndarray,
    n_bins: np.ndarray,
    ordered: np.ndarray,
    directions: np.ndarray,
    residual: np.ndarray,
    weights: np.ndarray,
    rate: float,
    shrinkage: float,
    features: np.ndarray,
    curves: np.ndarray,
) -> int:
    """``kernels.boosting.boost`` for features without direction: all features in every round."""
    (p, n), (k, most) = bins.shape, curves.shape[1:]
    cells = (bins + most * np.arange(p)[:, None]).ravel()
    where = cells, np.tile(np.arange(n), p)
    membership = csr_array((np.ones(p * n), where), shape=(p * most, n))
    sizes = (membership @ weights)[:, None]
    least = 1e-12 * float((weights * residual**2).sum())
    for t in range(len(features)):
        sums = membership @ (weights * residual).T
        means = sums / (sizes + shrinkage)
        gains = (means * (2 * sums - sizes * means)).reshape(p, -1).sum(axis=1)
        best = int(np.argmax(gains >= gains.max() * (1 - TIE)))
        if not gains[best] > least:
            return t
        features[t] = best
        curves[t] = means.reshape(p, most, k)[best].T
        residual -= rate * curves[t][:, bins[best]]
    return len(features)
