"""Mean and variance of Relief scores if a feature had nothing to do with its neighbours.

A score is S = sum_ij a_ij diff(x_i, x_j).  Given the neighbours, the weights a_ij do not depend on
the feature; so the mean and variance of S over all n! permutations of the feature's values are
sums over the weights times sums over the differences (Mantel 1967), and no permutation has to be
run.  Notation: M = (a_ij + a_ji) / 2 has row sums r, D = |x_i - x_j| (0/1 for nominal features) row
sums R; b_i is the weight of x_i in signed differences; n(m) = n (n - 1) ... (n - m + 1).

Everything is centred first (M and D by the mean of their n(2) entries), which leaves the variance
as it is and costs no digits: with a1 = sum M^2, a2 = sum r^2, d1 = sum D^2, d2 = sum R^2,

    E S   = sum M sum D / n(2)
    Var U = 2 a1 d1 / n(2) + 4 (a2 - a1)(d2 - d1) / n(3) + 4 (a1 - 2 a2)(d1 - 2 d2) / n(4)
    Var V = sum b^2 sum x^2 / (n - 1)
    Cov   = 2 sum(r b) sum(R x) / ((n - 1)(n - 2))

for the unsigned part U, the signed part V and S = U + V; E V = 0.

A feature with gaps is permuted among the samples that have it.  Its weights are those of the score:
a slot (query i of a term) counts if i has the feature, and its neighbours j that have it take
``coef_i share_ij / sum_j share_ij``; n is the number of samples that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import blas_in_one_thread
from echelon.engines import Samples
from echelon.margin._differences import ColumnSums, differences
from echelon.margin._evidence import Moments
from echelon.margin._pairs import PairGraph, pair_sums, pair_weights
from echelon.margin._third_moments import ThirdSums, is_in_tail, third_moment
from echelon.margin._triangles import Triangles, pair_thirds

COLUMNS_PER_TASK = 8
"""Columns read together: a cache line holds eight neighbours in a row."""

VALUES_AT_ONCE = 1 << 14
"""Values of several columns summed in one call: more would not stay in a processor's own cache."""

FEW_ROWS = 10_000
"""Up to here a product of two columns is not worth threads, and none are started."""

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""``Engine.map``."""


class WeightSums(NamedTuple):
    """Sums over the weights of n samples: n, sum M, and centred a1, a2, sum b^2, sum r b."""

    n: int
    a0: float
    a1: float
    a2: float
    bb: float
    rb: float

    @classmethod
    def of(cls, rows: np.ndarray, squares: float) -> WeightSums:
        """From the row sums of M and the sum of its squares, nothing signed or missing."""
        n, total = len(rows), float(rows.sum())
        centred = rows - total / n
        a1 = squares - total**2 / max(n * (n - 1), 1)
        return cls(n, total, a1, float(centred @ centred), 0.0, 0.0)


def weight_sums(graph: PairGraph, present: np.ndarray) -> WeightSums:
    """The same of the pairs whose two samples have a feature."""
    rows, squares, signed = pair_sums(graph, present)
    n, total = int(present.sum()), float(rows.sum())
    if n < 2:
        return WeightSums(n, 0.0, 0.0, 0.0, 0.0, 0.0)
    centred = np.where(present, rows - total / n, 0.0)
    return WeightSums(
        n=n,
        a0=total,
        a1=squares - total**2 / (n * (n - 1)),
        a2=float(centred @ centred),
        bb=float(signed @ signed),
        rb=float(centred @ signed),
    )


def mean_and_variance(weights: WeightSums, column: ColumnSums) -> tuple[Any, Any]:
    """Mean and variance of the score over all permutations of the column, or columns."""
    n, a0, a1, a2, bb, rb = weights
    d0, d1, d2, xx, rx = column
    if n < 2:
        return 0.0, 0.0
    pairs = n * (n - 1)
    variance = 2 * a1 * d1 / pairs + bb * xx / (n - 1)
    if n > 2:
        variance += 4 * (a2 - a1) * (d2 - d1) / (pairs * (n - 2))
        variance += 2 * 2 * rb * rx / ((n - 1) * (n - 2))
    if n > 3:
        variance += 4 * (a1 - 2 * a2) * (d1 - 2 * d2) / (pairs * (n - 2) * (n - 3))
    return a0 * d0 / pairs, np.maximum(variance, 0.0)


def all_moments(
    weights: tuple[WeightSums, ThirdSums | None],
    columns: np.ndarray,
    scores: np.ndarray,
    *,
    nominal: bool,
) -> np.ndarray:
    """The same of every column, and ``third_moment``, which is 0 for scores not in the upper tail.

    Of several columns if they are numeric, or of one.
    """
    sums, thirds = weights
    found = differences(columns, nominal=nominal)
    moments = np.zeros((len(columns), 4))
    moments[:, 0], moments[:, 1] = mean_and_variance(sums, found.sums())
    in_tail = np.zeros(len(columns), bool)
    in_tail[:] = is_in_tail(scores, moments[:, 0], moments[:, 1])
    if thirds is not None and in_tail.any():
        of_columns = found.some(in_tail).thirds()
        moments[in_tail, 2], moments[in_tail, 3] = third_moment(sums.n, thirds, of_columns)
    return moments


def permutation_moments(
    samples: Samples,
    graph: PairGraph,
    scores: np.ndarray,
    run: Run,
    random_state: np.random.RandomState,
) -> Moments:
    """Moments of every column's score, in the order of ``samples``; signed ones count as even."""
    everyone = np.ones(graph.n_samples, bool)
    signed, unsigned = graph, graph.unsigned()
    triangles = Triangles.of(graph, random_state)

    def weights_of(graph: PairGraph, present: np.ndarray) -> tuple[WeightSums, ThirdSums | None]:
        sums = weight_sums(graph, present)
        if graph.directions.any():
            return sums, None
        return sums, pair_thirds(graph, triangles, pair_weights(graph, present), present)

    whole = [weights_of(signed, everyone)] * 2
    if graph.directions.any():
        whole[1] = weights_of(unsigned, everyone)

    def moments(columns: np.ndarray, which: slice) -> np.ndarray:
        present = ~np.isnan(columns[0]) if samples.missing else everyone
        ordered = which.start < samples.n_ordered
        if present.all():
            weights = whole[0 if ordered else 1]
        else:
            weights = weights_of(signed if ordered else unsigned, present)
            columns = columns[:, present]
        nominal = which.start >= samples.n_numeric
        return all_moments(weights, columns, scores[which], nominal=nominal)

    return Moments.of(by_columns(samples, moments, run))


def by_column(
    samples: Samples, function: Callable[[np.ndarray, int], tuple[float, ...]], run: Run
) -> np.ndarray:
    """``function(column, number)`` of all columns, as an array with a row for each."""

    def one_by_one(columns: np.ndarray, which: slice) -> list[tuple[float, ...]]:
        return [function(column, which.start + f) for f, column in enumerate(columns)]

    return by_columns(samples, one_by_one, run)


def by_columns(samples: Samples, function: Callable[[np.ndarray, slice], Any], run: Run) -> Any:
    """The same of ``function(columns, numbers)``, which gives a row for each of some columns.

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
