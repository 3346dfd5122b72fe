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

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from echelon.kernels.masses import N_MASSES, rank_masses
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
        counted = _counted(block.rows, block.order, codes, columns.weights)
        part = counted.judged(lambda counts: _of_numbers(counts, ordered, measure))
        _write(found, block.features, part)
    for feature in np.flatnonzero(columns.nominal):
        labels = columns.values[:, feature]
        part = _of_labels(labels, codes, columns.weights, ordered, measure)
        _write(found, np.array([feature]), part)
    return found


def _write(found: Association, features: np.ndarray, part: Association) -> None:
    for whole, values in zip(found, part, strict=True):
        whole[features] = values


def _of_numbers(counts: _Counts, ordered: bool, measure: str) -> Association:
    if not ordered:
        return counts.between_groups(measure)
    return counts.tau() if measure == "kendall" else counts.rho()


def _of_labels(
    labels: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, ordered: bool, measure: str
) -> Association:
    """A nominal column: its labels are groups of samples, whose ranks of the other differ."""
    present = ~np.isnan(labels) & (codes >= 0)
    weights = None if weights is None else weights[present]
    groups = np.unique(labels[present], return_inverse=True)[1]
    values = codes[present].astype(float)[None]
    counted = _counted(values, np.argsort(values, axis=1, kind="stable"), groups, weights)
    if ordered:
        return counted.judged(lambda counts: counts.between_groups(measure))
    table = _chi_squared(np.unique(codes[present], return_inverse=True)[1], groups, weights)
    return counted.judged(lambda counts: counts.between_tables(*table, measure))


class _Counted(NamedTuple):
    """Rank statistics of samples as counted, and of as many as their weights are worth."""

    counts: _Counts
    evidence: _Counts

    def judged(self, judge: Callable[[_Counts], Association]) -> Association:
        """Strengths as counted; p-values by the evidence there is."""
        found = judge(self.counts)
        if self.evidence is self.counts:
            return found
        return found._replace(p_values=judge(self.evidence).p_values)


def _counted(
    values: np.ndarray, order: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> _Counted:
    n_codes = int(codes.max(initial=0)) + 1
    if weights is None:
        fields = np.zeros((len(values), N_FIELDS))
        rank_sums(values, order, codes, n_codes, fields)
        counts = _Counts(fields)
        return _Counted(counts, counts)
    fields = np.zeros((len(values), N_MASSES))
    rank_masses(values, order, codes, weights, n_codes, fields)
    # Kish: so many samples of equal weight vary as little.
    size = fields[:, 0] / np.where(fields[:, 1] > 0, fields[:, 1], 1.0)
    return _Counted(_of_masses(fields, np.ones(len(values))), _of_masses(fields, size))


def _of_masses(fields: np.ndarray, scale: np.ndarray) -> _Counts:
    """Counts of samples whose weights are all so many times as large."""
    n, _, score, x2, x3, c2, c3, product, between, n_groups = fields.T
    n, score, product, between = scale * n, scale**2 * score, scale**3 * product, scale**3 * between
    ties = [*_ties(n, scale**2 * x2, scale**3 * x3), *_ties(n, scale**2 * c2, scale**3 * c3)]
    return _Counts(np.stack([n, score, *ties, product, between, n_groups], axis=1), scale)


def _ties(n: np.ndarray, squares: np.ndarray, cubes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of t (t - 1), t (t - 1) (t - 2), t (t - 1) (2 t + 5) from those of t, t^2 and t^3."""
    return squares - n, cubes - 3 * squares + 2 * n, 2 * cubes + 3 * squares - 5 * n


class _Counts:
    """Rank statistics of features, from the fields of ``kernels.ranks.rank_sums``."""

    def __init__(self, fields: np.ndarray, scale: np.ndarray | float = 1.0):
        self.scale = scale
        self.n, self.score = fields[:, 0], fields[:, 1]
        self.ties, self.code_ties = fields[:, 2:5].T, fields[:, 5:8].T
        self.product, self.between, self.n_groups = fields[:, 8:].T
        self.n_pairs = self.n * (self.n - 1)
        # Two samples always agree or disagree: nothing can be said about chance.
        least = 1e-12 * self.n**2  # but for rounding, where weights are no whole numbers
        self.varies = self.n_pairs - self.ties[0] > least
        self.varies &= (self.n_pairs - self.code_ties[0] > least) & (self.n > 2)

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

    def between_tables(self, statistic: float, shape: tuple[int, int], measure: str) -> Association:
        """Pearson's chi-squared of two variables without an order."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistics = np.atleast_1d(statistic * self.scale)
            freedom = np.array([(shape[0] - 1.0) * (shape[1] - 1.0)])
            shrunk = statistics * (self.n - 1) / self.n
            largest = (self.n - 1) * (min(shape) - 1)
            strength = self._strength(shrunk, freedom, largest, measure)
            return self._checked(None, strength, special.chdtrc(freedom, statistics))

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


def _chi_squared(
    rows: np.ndarray, columns: np.ndarray, weights: np.ndarray | None
) -> tuple[float, tuple[int, int]]:
    """Pearson's statistic of a table of counts, and the shape of the table."""
    shape = int(rows.max(initial=0)) + 1, int(columns.max(initial=0)) + 1
    flat = np.bincount(rows * shape[1] + columns, weights, minlength=shape[0] * shape[1])
    cells = flat.reshape(shape)
    expected = cells.sum(axis=1)[:, None] * cells.sum(axis=0) / (cells.sum() or 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(((cells - expected) ** 2 / expected).sum()), shape
