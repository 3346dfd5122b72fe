"""Moments of all columns' scores under permutation: of the column, or of the classes.

*Of the column*, the neighbours as they are, for any score (``_moments``).  A feature with missing
values is permuted among the samples that have it.  Its weights are those of the score: a slot
(query i of a term) counts if i has the feature, and its neighbours j that have it take
``coef_i share_ij / sum_j share_ij``; n is the number of samples that have it.

*Of the classes*, for a contrast, which compares, among the nearest samples of any class, pairs
whose classes lie far apart (d near 1) with others.  Its neighbours G depend on the features only.
So the classes may be permuted with everything else as it is, the feature's own part in choosing
neighbours included; a permuted feature would lie further from its neighbours than the feature does.
The contrast is a positive multiple (for continuous outcomes: d = |y_i - y_j|) of

    T = sum_ij M_ij d_ij,   M = G (D - mean of D over G),   D = |x_i - x_j| or 0/1,

which has mean 0, and the variance and third moment of ``_moments`` with M as weights and d in place
of the differences.  A feature with missing values: over the samples, and pairs, that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from echelon._core.jobs import blas_in_one_thread
from echelon.engines import Samples
from echelon.margin._evidence import Moments
from echelon.margin._loops import contrast_sums, cubic_sums
from echelon.margin._moments import (
    NumericDifferences,
    SecondSums,
    ThirdSums,
    class_sums,
    differences,
    is_in_tail,
    mean_and_variance,
    third_moment,
)
from echelon.margin._pairs import PairGraph, Triangles, pair_thirds, weight_sums
from echelon.margin.rules import Term

COLUMNS_PER_TASK = 8
"""Columns read together: a cache line holds eight neighbours in a row."""

VALUES_AT_ONCE = 1 << 14
"""Values of several columns summed in one call: more would not stay in a processor's own cache."""

FEW_ROWS = 10_000
"""Up to here a product of two columns is not worth threads, and none are started."""

MANY_PAIRS = 10_000_000
"""Pairs times columns from which compiled loops are worth their second; below, arrays take 0.1 s.

The data alone decide: both add up in their own order, and a fit is to be the same each time.
"""

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""``Engine.map``."""

WeightedPairs = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Lower and higher rows of pairs, and their weights G."""


def by_column(
    samples: Samples, function: Callable[[np.ndarray, int], tuple[float, ...]], run: Run
) -> np.ndarray:
    """``function(column, number)`` of all columns, as an array with a row for each."""

    def one_by_one(columns: np.ndarray, which: slice) -> list[tuple[float, ...]]:
        return [function(column, which.start + f) for f, column in enumerate(columns)]

    return by_columns(samples, one_by_one, run)


def by_columns(
    samples: Samples, function: Callable[[np.ndarray, slice], Any], run: Run
) -> np.ndarray:
    """``function(columns, numbers)``, a row for each of some columns, for all columns.

    They are of one kind, and complete if they are more than one; rows as in ``samples``.
    """

    def task(group: range) -> list[Any]:
        return [function(columns, which) for columns, which in _of_a_kind(samples, group)]

    n = samples.values.shape[1]
    groups = [range(f, min(f + COLUMNS_PER_TASK, n)) for f in range(0, n, COLUMNS_PER_TASK)]
    with blas_in_one_thread() if len(samples.classes) > FEW_ROWS else nullcontext():
        return np.concatenate([rows for part in run(task, groups) for rows in part])


def _of_a_kind(samples: Samples, group: range) -> Iterator[tuple[np.ndarray, slice]]:
    """Parts of a group of columns and their numbers; fetched where rows are on a cluster."""
    values, n_rows = samples.values, len(samples.classes)
    local = isinstance(values, np.ndarray)
    block = np.ascontiguousarray(values[:, group.start : group.stop].T) if local else None
    most = max(1, VALUES_AT_ONCE // n_rows) if local and not samples.missing else 1
    start = group.start
    while start < group.stop:
        border = samples.n_ordered if start < samples.n_ordered else samples.n_numeric
        stop = max(start + 1, min(start + most, border, group.stop))
        if block is None:
            columns = values[:, start][samples.rows][None]
        else:
            columns = block[start - group.start : stop - group.start]
        yield columns, slice(start, stop)
        start = stop


# ---------------------------------------------------------------------------- of the column


def column_moments(
    n: int,
    weights: tuple[SecondSums, ThirdSums | None],
    columns: np.ndarray,
    scores: np.ndarray,
    *,
    nominal: bool,
) -> np.ndarray:
    """Mean, variance and ``third_moment`` of some columns, a row for each.

    The last is 0 for scores not in the upper tail.  Of several columns if they are numeric, or of
    one.
    """
    sums, thirds = weights
    found = differences(columns, nominal=nominal)
    moments = np.zeros((len(columns), 4))
    moments[:, 0], moments[:, 1] = mean_and_variance(n, sums, found.seconds())
    in_tail = np.zeros(len(columns), bool)
    in_tail[:] = is_in_tail(scores, moments[:, 0], moments[:, 1])
    if thirds is not None and in_tail.any():
        of_columns = found.some(in_tail).thirds()
        moments[in_tail, 2], moments[in_tail, 3] = third_moment(n, thirds, of_columns)
    return moments


def permutation_moments(
    samples: Samples, graph: PairGraph, scores: np.ndarray, run: Run, seed: int
) -> Moments:
    """Moments of every column's score, in the order of ``samples``; signed ones count as even."""
    everyone = np.ones(graph.n_samples, bool)
    triangles = Triangles.of(graph, seed)
    graphs = [graph, graph.unsigned()] if graph.directions.any() else [graph]
    whole = [weight_sums(each, triangles, everyone) for each in graphs]

    def moments(columns: np.ndarray, which: slice) -> np.ndarray:
        present = ~np.isnan(columns[0]) if samples.missing else everyone
        kind = 0 if which.start < samples.n_ordered else -1
        if present.all():
            weights = whole[kind]
        else:
            weights = weight_sums(graphs[kind], triangles, present)
            columns = columns[:, present]
        nominal = which.start >= samples.n_numeric
        return column_moments(columns.shape[1], weights, columns, scores[which], nominal=nominal)

    return Moments.of(by_columns(samples, moments, run))


# --------------------------------------------------------------------------- of the classes


class Outcomes(Protocol):
    """How far outcomes lie apart."""

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """D of pairs of rows."""

    def sums(self, present: np.ndarray) -> tuple[SecondSums, ThirdSums]:
        """Sums over d of all pairs of the samples in a mask, centred."""


class TermOutcomes(NamedTuple):
    """The outcomes of samples, as a term that weighs pairs by d takes them."""

    samples: Samples
    term: Term

    def of_pairs(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """D of pairs of rows."""
        return self.term.of_pairs(self.samples, rows, others)

    def sums(self, present: np.ndarray) -> tuple[SecondSums, ThirdSums]:
        """Sums over d of all pairs of the samples in a mask, centred."""
        if self.samples.outcome is None or not self.term.apart:
            return class_sums(self.samples.classes[present], self.term.coef)
        outcomes = NumericDifferences(self.samples.outcome[present])
        return outcomes.seconds(), outcomes.thirds()


def contrast_moments(
    samples: Samples, graph: PairGraph, outcomes: Outcomes, run: Run, seed: int
) -> tuple[np.ndarray, Moments]:
    """T of every column and its moments, in the order of ``samples``.

    Shares of the graph add up to the weights G.
    """
    graph, weights, copies = _apart_from_copies(graph)
    pairs = graph.lower, graph.higher, weights
    distances = outcomes.of_pairs(graph.lower, graph.higher)
    triangles = Triangles.of(graph, seed)
    everyone = np.ones(graph.n_samples, bool)
    of_everyone = outcomes.sums(everyone)
    many = len(weights) * len(samples.columns) > MANY_PAIRS
    sums_of = contrast_sums if many else _sums_by_arrays
    cubes_of = cubic_sums if many else _cubes_by_arrays

    def moments(column: np.ndarray, f: int) -> tuple[float, ...]:
        nominal = f >= samples.n_numeric
        present = ~np.isnan(column) if samples.missing else everyone
        of_classes = of_everyone if present.all() else outcomes.sums(present)
        n, own = int(present.sum()), copies[present].sum()
        sums, by_row = sums_of(pairs, distances, column, nominal)
        total, mean, rows, of_pairs = _centred(sums, by_row, n, own)
        expected, variance = mean_and_variance(n, of_pairs, of_classes[0])
        if not is_in_tail(total, expected, variance):
            return total - expected, 0.0, variance, 0.0, 0.0
        (cubes, squares, form), m = cubes_of(pairs, column, nominal, mean, rows)
        if own:
            thirds = pair_thirds(graph, triangles, m, present)
        else:  # M is centred
            corners = 0.125 * triangles.total(m)
            thirds = ThirdSums(cubes, squares, corners, float(rows @ (rows * rows)), form)
        return total - expected, 0.0, variance, *third_moment(n, thirds, of_classes[1])

    found = by_column(samples, moments, run)
    return found[:, 0], Moments.of(found[:, 1:])


def _apart_from_copies(graph: PairGraph) -> tuple[PairGraph, np.ndarray, np.ndarray]:
    """Pairs of different rows, their weights, and by row the weight of its copies."""
    weights, different = graph.total_shares(), graph.lower < graph.higher
    if different.all():
        return graph, weights, np.zeros(graph.n_samples)
    same = ~different
    copies = np.bincount(graph.lower[same], weights[same], minlength=graph.n_samples)
    apart = graph._replace(lower=graph.lower[different], higher=graph.higher[different])
    return apart, weights[different], copies


def _centred(
    sums: np.ndarray, by_row: np.ndarray, n: int, own: float
) -> tuple[float, float, np.ndarray, SecondSums]:
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
    return gdx - mean * gd, mean, rows, SecondSums(a0, a1, float(rows @ rows) - a0**2 / max(n, 1))


# Below MANY_PAIRS, without a compiler: what the compiled loops of the same arguments return.


def _sums_by_arrays(
    pairs: WeightedPairs, d: np.ndarray, column: np.ndarray, nominal: bool
) -> tuple[np.ndarray, np.ndarray]:
    """``_loops.contrast_sums`` by array operations."""
    lower, higher, g = pairs
    gaps = pair_gaps(lower, higher, column, nominal)
    missing = np.isnan(gaps)
    if missing.any():
        g, gaps = np.where(missing, 0.0, g), np.where(missing, 0.0, gaps)
    gx = g * gaps
    n = len(column)
    by_row = [np.bincount(lower, w, n) + np.bincount(higher, w, n) for w in (g, gx)]
    sums = (g.sum(), g @ d, gx.sum(), gx @ d, g @ g, g @ gx, gx @ gx)
    return np.array(sums), np.array(by_row)


def _cubes_by_arrays(
    pairs: WeightedPairs, column: np.ndarray, nominal: bool, mean: float, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``_loops.cubic_sums`` by array operations."""
    lower, higher, g = pairs
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
