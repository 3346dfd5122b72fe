"""z-scores of neighbours that do not depend on the classes: permute the classes, not the feature.

The contrast compares, among the nearest samples of any class, pairs whose classes lie far apart
(d near 1) with others.  Its neighbours G depend on the features only.  So the classes may be
permuted with everything else as it is, the feature's own part in choosing neighbours included; a
permuted feature would lie further from its neighbours than the feature does.  The contrast is a
positive multiple (for numbers as outcomes: d = |y_i - y_j|) of

    T = sum_ij M_ij d_ij,   M = G (D - mean of D over G),   D = |x_i - x_j| or 0/1,

which has mean 0, and the variance and third moment of ``_moments`` with M as weights and d in place
of the differences.  A feature with gaps: the same over the samples, and pairs, that have it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from echelon.engines import Samples
from echelon.kernels.moments import contrast_sums, cubic_sums
from echelon.margin._differences import NO_SUMS, ColumnSums, NumericDifferences
from echelon.margin._evidence import Moments
from echelon.margin._moments import Run, WeightSums, by_column, mean_and_variance
from echelon.margin._pairs import PairGraph
from echelon.margin._third_moments import ThirdSums, class_thirds, is_in_tail, third_moment
from echelon.margin._triangles import Triangles, pair_thirds
from echelon.margin.rules import Term

MANY_PAIRS = 10_000_000
"""Pairs times columns from which compiled loops are worth their second; below, arrays take 0.1 s.

The data alone decide: both add up in their own order, and a fit is to be the same each time.
"""


class Outcomes(Protocol):
    """How far outcomes lie apart."""

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """D of pairs of rows."""

    def sums(self, which: Any) -> tuple[ColumnSums, ThirdSums]:
        """Sums over d of all pairs of some samples, centred."""


def contrast_moments(
    samples: Samples,
    graph: PairGraph,
    outcomes: Outcomes,
    run: Run,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, Moments]:
    """T of every column and its moments, in the order of ``samples``.

    Shares of the graph add up to the weights G.
    """
    weights = np.bincount(graph.pairs, graph.shares, minlength=len(graph.lower))
    apart, weights, copies = _apart_from_copies(graph, weights)
    lower, higher = apart.lower, apart.higher
    distances = outcomes.of_pairs(lower, higher)
    triangles = Triangles.of(apart, random_state)
    everyone = outcomes.sums(slice(None))
    many = len(weights) * len(samples.columns) > MANY_PAIRS
    sums_of = contrast_sums if many else _sums_by_arrays
    cubes_of = cubic_sums if many else _cubes_by_arrays

    def moments(column: np.ndarray, f: int) -> tuple[float, ...]:
        nominal = f >= samples.n_numeric
        sums, by_row = sums_of(lower, higher, weights, distances, column, nominal)
        present = ~np.isnan(column) if samples.missing else None
        if present is None or present.all():
            n, classes, own = len(column), everyone, copies.sum()
        else:
            n, classes = int(present.sum()), outcomes.sums(present)
            own = copies[present].sum()
        total, mean, rows, of_pairs = _centred(sums, by_row, n, own)
        expected, variance = mean_and_variance(of_pairs, classes[0])
        if not is_in_tail(total, expected, variance):
            return total - expected, 0.0, variance, 0.0, 0.0
        cubes = cubes_of(lower, higher, weights, column, nominal, mean, rows)
        if own:
            everywhere = np.ones(len(column), bool) if present is None else present
            thirds = pair_thirds(apart, triangles, cubes[1], everywhere)
        else:
            thirds = _third_sums(cubes, rows, triangles)
        return total - expected, 0.0, variance, *third_moment(n, thirds, classes[1])

    found = by_column(samples, moments, run)
    return found[:, 0], Moments.of(found[:, 1:])


def _sums_by_arrays(
    lower: np.ndarray,
    higher: np.ndarray,
    g: np.ndarray,
    d: np.ndarray,
    column: np.ndarray,
    nominal: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """``kernels.moments.contrast_sums`` without a compiler."""
    gaps = pair_gaps(lower, higher, column, nominal)
    missing = np.isnan(gaps)
    if missing.any():
        g, gaps = np.where(missing, 0.0, g), np.where(missing, 0.0, gaps)
    gx = g * gaps
    n = len(column)
    by_row = [np.bincount(lower, w, n) + np.bincount(higher, w, n) for w in (g, gx)]
    sums = (g.sum(), g @ d, gx.sum(), gx @ d, g @ g, g @ gx, gx @ gx)
    return np.array(sums), np.array(by_row)


def _apart_from_copies(
    graph: PairGraph, weights: np.ndarray
) -> tuple[PairGraph, np.ndarray, np.ndarray]:
    """Pairs of different rows, their weights, and by row the weight of its copies."""
    different = graph.lower < graph.higher
    if different.all():
        return graph, weights, np.zeros(graph.n_samples)
    same = ~different
    copies = np.bincount(graph.lower[same], weights[same], minlength=graph.n_samples)
    apart = graph._replace(lower=graph.lower[different], higher=graph.higher[different])
    return apart, weights[different], copies


def _cubes_by_arrays(
    lower: np.ndarray,
    higher: np.ndarray,
    g: np.ndarray,
    column: np.ndarray,
    nominal: bool,
    mean: float,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """``kernels.moments.cubic_sums`` without a compiler."""
    v = np.nan_to_num(g * (pair_gaps(lower, higher, column, nominal) - mean), copy=False)
    squares = 0.25 * v * v
    one, two = rows[lower], rows[higher]
    return np.array((squares @ v, squares @ (one + two), v @ (one * two))), v


def pair_gaps(
    lower: np.ndarray, higher: np.ndarray, column: np.ndarray, nominal: bool
) -> np.ndarray:
    """Differences of pairs in a column."""
    gaps = np.abs(column[higher].astype(np.float64) - column[lower])
    return np.minimum(gaps, 1.0, out=gaps) if nominal else gaps  # codes are whole numbers


def _third_sums(
    found: tuple[np.ndarray, np.ndarray], rows: np.ndarray, triangles: Triangles
) -> ThirdSums:
    """The sums of third order over the weights M, which are centred."""
    (cubes, squares, form), weights = found
    return ThirdSums(
        cubes, squares, 0.125 * triangles.total(weights), float(rows @ (rows * rows)), form
    )


def _centred(
    sums: np.ndarray, by_row: np.ndarray, n: int, own: float
) -> tuple[float, float, np.ndarray, WeightSums]:
    """T, the mean of D over G, and the sums over the weights M: by row, and all of them.

    Copies of a row, of weight ``own`` together, differ in nothing, however classes are permuted:
    they add to the mean over G, and the other weights M then add up to ``own`` times it, not 0.
    """
    g, gd, gx, gdx, gg, ggx, ggxx = sums
    mean = gx / (g + own) if g > 0 else 0.0
    squares = ggxx - 2 * mean * ggx + mean**2 * gg
    rows = 0.5 * (by_row[1] - mean * by_row[0])
    a0 = float(own * mean)
    a1 = 0.5 * squares - a0**2 / max(n * (n - 1), 1)
    weights = WeightSums(n, a0, a1, float(rows @ rows) - a0**2 / max(n, 1), 0.0, 0.0)
    return gdx - mean * gd, mean, rows, weights


class TermOutcomes(NamedTuple):
    """The outcomes of samples, as a term that weighs pairs by d takes them."""

    samples: Samples
    term: Term

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """D of pairs of rows."""
        return self.term.of_pairs(self.samples, rows, others)

    def sums(self, which: Any) -> tuple[ColumnSums, ThirdSums]:
        """Sums over the distances of the outcomes of all pairs of some samples, centred."""
        if self.term.apart:
            outcomes = NumericDifferences(self.samples.outcome[which])  # type: ignore[index]
            return outcomes.sums(), outcomes.thirds()
        classes, apart = self.samples.classes[which], self.term.coef
        return class_sums(classes, apart), class_thirds(classes, apart)


def class_sums(classes: np.ndarray, apart: np.ndarray) -> ColumnSums:
    """Sums over the distances of the classes of all pairs of samples, centred."""
    n = len(classes)
    if n < 2:
        return NO_SUMS
    sizes = np.bincount(classes, minlength=len(apart)).astype(float)
    rows = apart @ sizes
    d0 = float(sizes @ rows)
    d1 = float(sizes @ apart**2 @ sizes) - d0**2 / (n * (n - 1))
    return ColumnSums(d0, d1, float(sizes @ (rows - d0 / n) ** 2), 0.0, 0.0)
