"""How strongly every feature goes with another variable, by ranks, and how likely by chance.

The other is the target, or one more feature.  Both with an order: Kendall's tau-b or Spearman's
rho.  Where one of the two has no order: the Kruskal-Wallis statistic of the ranks of the other over
its groups.  Where neither has: Pearson's chi-squared.

The last two grow with the number of groups, also by chance.  To compare with a correlation, a
statistic T with d degrees of freedom and largest value M becomes (T - (d - 1)) / (M - (d - 1)):
noise is then as large as noise in a column with two labels.  Its square root is on the scale of
rho; times the ratio of the standard deviations of tau and rho by chance, on the scale of tau.
Both equal the correlation itself, without its sign, if there are two groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from echelon.kernels.ranks import N_FIELDS, rank_sums
from echelon.validation import Columns

_CELLS = 1 << 21
"""Values sorted at a time."""


class Association(NamedTuple):
    """Signed correlation (NaN where there is no sign), strength and p-value of features."""

    correlations: np.ndarray
    strengths: np.ndarray
    p_values: np.ndarray


class Block(NamedTuple):
    """Some columns: their numbers, their values as rows, and what sorts every row."""

    features: np.ndarray
    rows: np.ndarray
    order: np.ndarray


def blocks_of(columns: Columns) -> list[np.ndarray]:
    """The numbers of the numeric columns, as many at a time as memory bears."""
    size = max(1, _CELLS // len(columns.values))
    numeric = np.flatnonzero(~columns.nominal)
    return [numeric[start : start + size] for start in range(0, len(numeric), size)]


def sorted_block(columns: Columns, features: np.ndarray) -> Block:
    """These columns, sorted."""
    rows = np.ascontiguousarray(columns.values[:, features].T)
    return Block(features, rows, np.argsort(rows, axis=1, kind="stable"))


def codes_of(values: np.ndarray) -> np.ndarray:
    """Values as codes 0, 1, ... in their order; -1 where missing."""
    codes = np.full(len(values), -1)
    present = ~np.isnan(values)
    codes[present] = np.unique(values[present], return_inverse=True)[1]
    return codes


def associations(
    columns: Columns,
    codes: np.ndarray,
    ordered: bool,
    measure: str,
    blocks: Iterable[Block],
) -> Association:
    """Association of every column with another variable.

    Parameters
    ----------
    columns : Columns
        Features, as read.  Samples in which one is missing do not count for it.
    codes : ndarray of int, shape (n_samples,)
        The other variable as 0, 1, ..., negative where missing.
    ordered : bool
        Whether its codes have an order.
    measure : {"kendall", "spearman"}
        Scale of the strengths.
    blocks : iterable of Block
        All numeric columns, sorted.
    """
    n_features = columns.values.shape[1]
    found = Association(np.full(n_features, np.nan), np.zeros(n_features), np.ones(n_features))
    for block in blocks:
        counts = _Counts(block.rows, block.order, codes)
        _write(found, block.features, _of_numbers(counts, ordered, measure))
    for feature in np.flatnonzero(columns.nominal):
        labels = columns.values[:, feature]
        _write(found, np.array([feature]), _of_labels(labels, codes, ordered, measure))
    return found


def _write(found: Association, features: np.ndarray, part: Association) -> None:
    for whole, values in zip(found, part, strict=True):
        whole[features] = values


def _of_numbers(counts: _Counts, ordered: bool, measure: str) -> Association:
    if not ordered:
        return counts.between_groups(measure)
    return counts.tau() if measure == "kendall" else counts.rho()


def _of_labels(labels: np.ndarray, codes: np.ndarray, ordered: bool, measure: str) -> Association:
    """A nominal column: its labels are groups of samples, whose ranks of the other differ."""
    present = ~np.isnan(labels) & (codes >= 0)
    groups = np.unique(labels[present], return_inverse=True)[1]
    counts = _Counts.sorting(codes[present].astype(float)[None], groups)
    if ordered:
        return counts.between_groups(measure)
    return counts.between_tables(np.unique(codes[present], return_inverse=True)[1], groups, measure)


class _Counts:
    """Rank statistics of features (rows of ``values``) with codes of the samples."""

    def __init__(self, values: np.ndarray, order: np.ndarray, codes: np.ndarray):
        n_codes = int(codes.max(initial=0)) + 1
        fields = np.zeros((len(values), N_FIELDS))
        rank_sums(values, order, codes, n_codes, fields)
        self.n, self.score = fields[:, 0], fields[:, 1]
        self.ties, self.code_ties = fields[:, 2:5].T, fields[:, 5:8].T
        self.product, self.between, self.n_groups = fields[:, 8:].T
        self.n_pairs = self.n * (self.n - 1)
        # Two samples always agree or disagree: nothing can be said about chance.
        self.varies = (self.ties[0] < self.n_pairs) & (self.code_ties[0] < self.n_pairs)
        self.varies &= self.n > 2

    @classmethod
    def sorting(cls, values: np.ndarray, codes: np.ndarray) -> _Counts:
        """The same for rows that are not sorted yet."""
        return cls(values, np.argsort(values, axis=1, kind="stable"), codes)

    def tau(self) -> Association:
        """Kendall's tau-b, and its normal approximation with ties in both variables."""
        with np.errstate(invalid="ignore", divide="ignore"):
            tau = self.score / self._largest_score()
            z = np.abs(self.score) / np.sqrt(self._score_variance())
            return self._checked(tau, np.abs(tau), 2 * special.ndtr(-z))

    def rho(self) -> Association:
        """Spearman's rho, and the t distribution with n - 2 degrees of freedom."""
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = self._rank_spread(self.ties) * self._rank_spread(self.code_ties)
            rho = np.clip(self.product / np.sqrt(spread), -1, 1)
            t = np.abs(rho) * np.sqrt((self.n - 2) / (1 - rho**2))
            return self._checked(rho, np.abs(rho), 2 * stats.t.sf(t, np.maximum(self.n - 2, 1)))

    def between_groups(self, measure: str) -> Association:
        """Kruskal-Wallis: ranks over the groups that the codes are."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = (self.n - 1) * self.between / self._rank_spread(self.ties)
            freedom = self.n_groups - 1
            strength = self._strength(statistic, freedom, self.n - 1, measure)
            return self._checked(None, strength, special.chdtrc(freedom, statistic))

    def between_tables(self, rows: np.ndarray, groups: np.ndarray, measure: str) -> Association:
        """Pearson's chi-squared of two variables without an order."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic, shape = _chi_squared(rows, groups)
            freedom = np.array([(shape[0] - 1.0) * (shape[1] - 1.0)])
            shrunk = statistic * (self.n - 1) / self.n
            largest = (self.n - 1) * (min(shape) - 1)
            strength = self._strength(shrunk, freedom, largest, measure)
            return self._checked(None, strength, special.chdtrc(freedom, [statistic]))

    def _strength(
        self, statistic: np.ndarray, freedom: np.ndarray, largest: np.ndarray, measure: str
    ) -> np.ndarray:
        """A statistic with some degrees of freedom on the scale of a correlation."""
        by_chance = freedom - 1
        squared = np.maximum(statistic - by_chance, 0) / (largest - by_chance)
        if measure == "kendall":
            squared *= (self.n - 1) * self._score_variance() / self._largest_score() ** 2
        # The root would make much of what only rounding left.
        return np.sqrt(np.where(squared < 1e-12, 0, np.minimum(squared, 1)))

    def _largest_score(self) -> np.ndarray:
        """The denominator of tau-b, as twice the pairs that count."""
        return np.sqrt((self.n_pairs - self.ties[0]) * (self.n_pairs - self.code_ties[0])) / 2

    def _score_variance(self) -> np.ndarray:
        """Variance of pairs in order minus pairs against it, by chance (Kendall 1970, ch. 5)."""
        n, x, y = self.n, self.ties, self.code_ties
        plain = (self.n_pairs * (2 * n + 5) - x[2] - y[2]) / 18
        pairs = x[0] * y[0] / (2 * self.n_pairs)
        return plain + pairs + x[1] * y[1] / (9 * self.n_pairs * np.maximum(n - 2, 1))

    def _rank_spread(self, ties: np.ndarray) -> np.ndarray:
        """Sum of squares of mid-ranks around their mean: (n^3 - n - sum of (t^3 - t)) / 12."""
        return (self.n_pairs * (self.n + 1) - ties[1] - 3 * ties[0]) / 12

    def _checked(
        self, signed: np.ndarray | None, strength: np.ndarray, p: np.ndarray
    ) -> Association:
        """A feature that is constant where it is present says nothing."""
        correlation = np.where(self.varies, np.nan if signed is None else signed, 0.0)
        return Association(
            correlation, np.where(self.varies, strength, 0.0), np.where(self.varies, p, 1.0)
        )


def _chi_squared(rows: np.ndarray, columns: np.ndarray) -> tuple[float, tuple[int, int]]:
    """Pearson's statistic of a table of counts, and the shape of the table."""
    shape = int(rows.max(initial=0)) + 1, int(columns.max(initial=0)) + 1
    cells = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
    expected = cells.sum(axis=1)[:, None] * cells.sum(axis=0) / max(len(rows), 1)
    return float(((cells - expected) ** 2 / expected).sum()), shape
