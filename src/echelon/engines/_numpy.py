"""The engine of small work: array operations only, nothing to compile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from echelon.engines._base import Engine, Found, Pairs, Samples, Search, tie_factor
from echelon.kernels.pairs import ABOVE, ANY

ROOM = 1 << 20
"""Distances, or differences, held at a time (8 MB)."""

_CACHED = 1 << 16
"""Differences summed at a time: they stay in cache."""

_METRICS = {"manhattan": "cityblock", "euclidean": "sqeuclidean"}


class _Space(NamedTuple):
    samples: Samples
    values: np.ndarray
    metric: str
    starts: np.ndarray
    """Where the rows of every class start, and where the last ones end."""
    tolerance: float

    @property
    def squared(self) -> bool:
        """Whether distances are squared."""
        return self.metric == "euclidean"


class NumpyEngine(Engine[_Space]):
    """NumPy and SciPy in the threads of this process: the first fit is as fast as any other.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads; -1: one per core.  None: one per core, or ``NUMBA_NUM_THREADS``, unless a context
        or worker of joblib says otherwise.  Results do not depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import ReliefF
    >>> from echelon.engines import NumpyEngine
    >>> ReliefF(2, engine=NumpyEngine()).fit(*load_iris(return_X_y=True)).ranking_.tolist()
    [3, 4, 2, 1]
    """

    def prepare(self, samples: Samples, metric: str) -> _Space:
        values = np.ascontiguousarray(samples.values, dtype=np.float64)
        starts = np.searchsorted(samples.classes, np.arange(samples.classes[-1] + 2))
        tolerance = tie_factor(samples.values.dtype, metric)
        return _Space(samples, values, metric, starts, tolerance)

    def nearest(self, space: _Space, queries: np.ndarray, search: Search) -> Found:
        queries = queries[: max(1, ROOM // len(space.values))]
        classes = space.samples.classes[queries]
        parts = [
            _found(space, queries, np.flatnonzero(classes == c), search.classes.ranges(c), search)
            for c in np.unique(classes).tolist()
        ]
        owners, indices, far = (np.concatenate(part) for part in zip(*parts, strict=True))
        if (np.diff(owners) < 0).any():
            order = np.argsort(owners, kind="stable")
            owners, indices, far = owners[order], indices[order], far[order]
        return Found(np.bincount(owners, minlength=len(queries)), indices, far)

    def share(
        self, space: _Space, found: Found, places: np.ndarray, *, by_index: bool
    ) -> np.ndarray:
        rows = space.samples.rows[found.indices]
        return share_places(found, rows, places, space.tolerance, by_index=by_index)

    def accumulate(
        self, space: _Space, pairs: Pairs, coefs: np.ndarray, direction: int
    ) -> np.ndarray:
        scores = np.zeros(space.values.shape[1])
        queries, counts, indices, shares = pairs
        for some, theirs in _pieces(counts, max(1, _CACHED // len(scores))):
            part = queries[some], counts[some], indices[theirs], shares[theirs]
            sums = _weighted_sum(space, part, coefs[some], direction)
            scores[:: 2 if space.metric == "paired" else 1] += sums
        return scores


# ---------------------------------------------------------------------------- neighbours


def _found(
    space: _Space,
    queries: np.ndarray,
    members: np.ndarray,
    ranges: list[tuple[int, int]],
    search: Search,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbours of some members of the queries: their positions, the neighbours, distances."""
    bounds = [(int(space.starts[a]), int(space.starts[b])) for a, b in ranges]
    rows = np.concatenate([np.arange(a, b) for a, b in bounds] or [np.empty(0, int)])
    mine = queries[members]
    a = space.values[mine]
    far = np.empty((len(members), len(rows)))
    done = 0
    for start, end in bounds:
        b = space.values[start:end]
        part = far[:, done : done + end - start]
        part[:] = distances(space.samples, a, b, space.metric)
        if search.relation != ANY:
            part[unrelated(a, b, space.samples.n_ordered, search.relation)] = np.inf
        own = np.flatnonzero((mine >= start) & (mine < end))
        part[own, mine[own] - start] = np.inf
        done += end - start
    owners, columns = np.nonzero((far <= _limits(space, far, search)[:, None]) & (far < np.inf))
    return members[owners], rows[columns].astype(np.int32), far[owners, columns]


def _limits(space: _Space, far: np.ndarray, search: Search) -> np.ndarray:
    """The largest distance of a neighbour, by query."""
    radius = search.radius**2 if space.metric == "euclidean" else search.radius
    limits = np.full(len(far), float(radius))
    k = search.n_neighbors
    if k is not None and k <= far.shape[1]:
        limits = np.minimum(limits, np.partition(far, k - 1, axis=1)[:, k - 1] * space.tolerance)
    return limits


def distances(samples: Samples, a: np.ndarray, b: np.ndarray, metric: str) -> np.ndarray:
    """Distances of rows a to rows b, squared if Euclidean; inf if they share no column.

    The definitions are those of ``kernels.pairs``.
    """
    if metric == "paired" or samples.missing:
        return _partial(samples, a, b, metric)
    n = samples.n_numeric
    total = np.zeros((len(a), len(b)))
    if n > 0:
        total = cdist(a[:, :n], b[:, :n], _METRICS[metric])
    if n < a.shape[1]:
        share = cdist(a[:, n:], b[:, n:], "hamming")
        total += np.rint(share * (a.shape[1] - n))
    return total


def _partial(samples: Samples, a: np.ndarray, b: np.ndarray, metric: str) -> np.ndarray:
    """Distances over the columns both rows have, scaled up to all."""
    width = 2 if metric == "paired" else 1
    total = np.zeros((len(a), len(b)))
    shared = np.zeros_like(total)
    for f in range(0, a.shape[1], width):
        gap = a[:, f, None] - b[:, f]
        if metric == "paired":
            other = a[:, f + 1, None] - b[:, f + 1]
            gap = np.sqrt(gap * gap + other * other)
        there = gap == gap
        if f >= samples.n_numeric:
            gap = gap != 0
        np.add(total, gap * gap if metric == "euclidean" else np.abs(gap), out=total, where=there)
        shared += there
    with np.errstate(divide="ignore", invalid="ignore"):
        total *= a.shape[1] / width / shared
    return np.where(shared > 0, total, np.inf)


def unrelated(a: np.ndarray, b: np.ndarray, n_ordered: int, relation: int) -> np.ndarray:
    """Where a row of b does not dominate one of a (ABOVE), or is not dominated by it (BELOW)."""
    fails = np.zeros((len(a), len(b)), bool)
    compare = np.less if relation == ABOVE else np.greater
    for f in range(n_ordered):
        fails |= compare(b[:, f], a[:, f, None])
    return fails


# -------------------------------------------------------------------------------- places


def share_places(
    found: Found, rows: np.ndarray, places: np.ndarray, tolerance: float, *, by_index: bool
) -> np.ndarray:
    """Weight of every neighbour, as ``kernels.accumulate.share_places`` gives it.

    Neighbours nearer than the last place get a whole one.  Those tied with it (within the
    tolerance) share the places left, or, ``by_index``, the lowest rows take them.
    """
    shares = np.ones(len(found.distances))
    crowded = places < found.counts
    if crowded.any():
        here = np.repeat(crowded, found.counts)
        counts, places = found.counts[crowded], places[crowded]
        shares[here] = _shared(
            counts, found.distances[here], rows[here], places, tolerance, by_index
        )
    return shares


def _shared(
    counts: np.ndarray,
    distances: np.ndarray,
    rows: np.ndarray,
    places: np.ndarray,
    tolerance: float,
    by_index: bool,
) -> np.ndarray:
    """Shares of the neighbours of queries with more of them than places."""
    owners = np.repeat(np.arange(len(counts)), counts)
    ascending = distances[np.lexsort((distances, owners))]
    starts = np.cumsum(counts) - counts
    last = np.where(places > 0, ascending[starts + np.maximum(places, 1) - 1], -np.inf)[owners]
    nearer = distances * tolerance < last
    tied = np.flatnonzero(~nearer & (distances <= last * tolerance))
    left = places - np.bincount(owners[nearer], minlength=len(counts))
    n_tied = np.bincount(owners[tied], minlength=len(counts))
    shares = nearer.astype(float)
    if by_index:
        tied = tied[np.lexsort((rows[tied], owners[tied]))]
        place = np.arange(len(tied)) - (np.cumsum(n_tied) - n_tied)[owners[tied]]
        shares[tied] = place < left[owners[tied]]
    else:
        shares[tied] = left[owners[tied]] / n_tied[owners[tied]]
    return shares


# --------------------------------------------------------------------------- differences


def _pieces(counts: np.ndarray, most: int) -> Iterator[tuple[slice, slice]]:
    """Whole queries, as many as have that many pairs, and their pairs."""
    ends = np.cumsum(counts)
    start, before = 0, 0
    while start < len(counts):
        end = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, end), slice(before, int(ends[end - 1]))
        start, before = end, int(ends[end - 1])


def _weighted_sum(space: _Space, pairs: Pairs, coefs: np.ndarray, direction: int) -> np.ndarray:
    """``coef_i * mean_j diff_f`` added over queries, the means weighted by the shares.

    Row after row, not by a matrix product: equal columns have equal sums, to the last digit.
    """
    queries, counts, indices, shares = pairs
    owners = np.repeat(np.arange(len(queries)), counts)
    gaps = _differences(space, queries[owners], indices, direction)
    if not space.samples.missing:
        whole = np.bincount(owners, shares, minlength=len(queries))
        per_place = np.divide(coefs, whole, out=np.zeros(len(queries)), where=whole > 0)
        gaps *= (per_place[owners] * shares)[:, None]
        return gaps.sum(axis=0)
    starts = (np.cumsum(counts) - counts)[counts > 0]
    there = ~np.isnan(gaps)
    weights = np.add.reduceat(there * shares[:, None], starts, axis=0)
    totals = np.add.reduceat(np.where(there, gaps, 0.0) * shares[:, None], starts, axis=0)
    means = np.divide(totals, weights, out=np.zeros_like(totals), where=weights > 0)
    return (means * coefs[counts > 0, None]).sum(axis=0)


def _differences(space: _Space, a: np.ndarray, b: np.ndarray, direction: int) -> np.ndarray:
    """Differences of pairs of rows by feature: signed, absolute, 0/1 or norms; NaN if missing."""
    gaps = space.values[b]
    gaps -= space.values[a]
    if space.metric == "paired":
        return np.hypot(gaps[:, ::2], gaps[:, 1::2])
    signed = space.samples.n_ordered if direction != 0 else 0
    gaps[:, :signed] *= direction
    np.abs(gaps[:, signed:], out=gaps[:, signed:])
    nominal = gaps[:, space.samples.n_numeric :]
    np.minimum(nominal, 1.0, out=nominal)  # codes are whole numbers
    return gaps
