"""The engine of small work: array operations only, nothing to compile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from echelon.engines._base import Engine
from echelon.engines._samples import Samples
from echelon.engines._search import Found, Search, tie_factor
from echelon.engines.numpy._distances import distances, unrelated
from echelon.engines.numpy._places import share_places
from echelon.kernels.pairs import ANY

ROOM = 1 << 20
"""Distances, or differences, held at a time (8 MB)."""

_CACHED = 1 << 16
"""Differences summed at a time: they stay in cache."""


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


class NumpyEngine(Engine):
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
        self,
        space: _Space,
        pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        coefs: np.ndarray,
        direction: int,
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


# --------------------------------------------------------------------------- differences


def _pieces(counts: np.ndarray, most: int) -> Iterator[tuple[slice, slice]]:
    """Whole queries, as many as have that many pairs, and their pairs."""
    ends = np.cumsum(counts)
    start, before = 0, 0
    while start < len(counts):
        end = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, end), slice(before, int(ends[end - 1]))
        start, before = end, int(ends[end - 1])


def _weighted_sum(
    space: _Space, pairs: tuple[np.ndarray, ...], coefs: np.ndarray, direction: int
) -> np.ndarray:
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
