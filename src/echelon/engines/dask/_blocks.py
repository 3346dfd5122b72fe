"""What a worker of a cluster does: searches and sums between two blocks of rows.

Everything here takes and returns arrays, and knows nothing of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from echelon.engines._base import Classes, Engine, Found, Samples, Search, Space
from echelon.kernels.accumulate import add_differences, sum_differences, within_kth


class Block(NamedTuple):
    """Some rows of the samples, sorted by class; ``rows`` are their numbers in ``Samples``."""

    values: np.ndarray
    classes: np.ndarray
    rows: np.ndarray


class Layout(NamedTuple):
    """What all blocks have in common."""

    metric: str
    n_ordered: int
    n_numeric: int
    missing: bool

    def samples(self, references: np.ndarray, queries: np.ndarray) -> Samples:
        """References as one class and queries as another."""
        values = np.concatenate([references, queries])
        return Samples(
            values=values,
            classes=np.repeat([0, 1], [len(references), len(queries)]),
            rows=np.arange(len(values)),
            columns=np.arange(values.shape[1]),
            n_ordered=self.n_ordered,
            n_numeric=self.n_numeric,
            missing=self.missing,
        )


# ------------------------------------------------------------------------------- neighbours


def nearest_in(
    references: Block, queries: Block, which: Any, search: Search, layout: Layout, engine: Engine
) -> Found:
    """Neighbours, in one block, of some rows of another (or the same) one, as rows of Samples."""
    classes, rows = queries.classes[which], queries.rows[which]
    n_neighbors = search.n_neighbors
    if n_neighbors is not None and queries.rows[0] in references.rows:
        n_neighbors += 1  # the query itself is among the references
    parts = []
    for (first, last), members in _ranges(search.classes, classes):
        begin, end = np.searchsorted(references.classes, [first, last])
        if begin == end:
            continue
        samples = layout.samples(references.values[begin:end], queries.values[which][members])
        space = engine.prepare(samples, layout.metric)
        wanted = Search(
            Classes(np.zeros(2, int), np.array([0, 1]), True),
            n_neighbors,
            search.radius,
            search.relation,
        )
        found = _all_found(engine, space, np.arange(end - begin, len(samples.values)), wanted)
        owners = members[found.owners]
        neighbours = references.rows[begin:end][found.indices]
        other = neighbours != rows[owners]
        counts = np.bincount(owners[other], minlength=len(rows))
        parts.append(Found(counts, neighbours[other], found.distances[other]))
    return _joined(parts, len(rows))


def _ranges(classes: Classes, own: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """Ranges of classes, and the positions of the queries that look into them."""
    groups: dict[tuple[int, int], list[int]] = {}
    for c in np.unique(own).tolist():
        for wanted in classes.ranges(c):
            groups.setdefault(wanted, []).append(c)
    for wanted, members in groups.items():
        yield wanted, np.flatnonzero(np.isin(own, members))


def _all_found(engine: Engine, space: Space, queries: np.ndarray, search: Search) -> Found:
    pieces = []
    while len(queries):
        pieces.append(engine.nearest(space, queries, search))
        queries = queries[len(pieces[-1].counts) :]
    return Found(*map(np.concatenate, zip(*pieces, strict=True)))


def _joined(parts: Sequence[Found], n: int) -> Found:
    """The neighbours n queries have in all parts together."""
    counts = sum((part.counts for part in parts), np.zeros(n, np.int64))
    rows, distances = np.empty(counts.sum(), np.int64), np.empty(counts.sum())
    next_place = np.cumsum(counts) - counts
    for part in parts:
        first = np.cumsum(part.counts) - part.counts
        places = np.repeat(next_place - first, part.counts) + np.arange(len(part.indices))
        rows[places], distances[places] = part.indices, part.distances
        next_place += part.counts
    return Found(counts, rows, distances)


def merge_found(parts: Sequence[Found], n_neighbors: int | None, tolerance: float) -> Found:
    """Neighbours in several blocks; those beyond the k-th nearest of all are left out."""
    found = _joined(parts, len(parts[0].counts))
    if n_neighbors is None:
        return found
    keep = within_kth(found.counts, found.distances, n_neighbors, tolerance)
    counts = np.bincount(found.owners[keep], minlength=len(found.counts))
    return Found(counts, found.indices[keep], found.distances[keep])


# ------------------------------------------------------------------------------ differences


class Neighbours(NamedTuple):
    """Neighbours of some queries in one block: how many, where in the block, their shares."""

    counts: np.ndarray
    positions: np.ndarray
    shares: np.ndarray


def sum_in(
    references: Block,
    queries: Block,
    which: Any,
    neighbours: Neighbours,
    coefs: np.ndarray,
    direction: int,
    layout: Layout,
) -> np.ndarray:
    """Sum of ``coef_i * mean_j diff_f(x_i, x_j)`` over the queries i, j in the block."""
    values, pairs = _one_table(references, queries, which, neighbours)
    scores = np.zeros(values.shape[1])
    add_differences(values, *layout[1:], layout.metric == "paired", pairs, coefs, direction, scores)
    return scores


def totals_in(
    references: Block,
    queries: Block,
    which: Any,
    neighbours: Neighbours,
    direction: int,
    layout: Layout,
) -> np.ndarray:
    """Differences added up for every query, and the shares they stand for."""
    values, pairs = _one_table(references, queries, which, neighbours)
    totals = np.zeros((2, len(neighbours.counts), values.shape[1]))
    sum_differences(values, *layout[1:], layout.metric == "paired", pairs, direction, *totals)
    return totals


def _one_table(
    references: Block, queries: Block, which: Any, neighbours: Neighbours
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The rows in question, and the pairs among them."""
    needed, indices = np.unique(neighbours.positions, return_inverse=True)
    values = np.concatenate([references.values[needed], queries.values[which]])
    rows = np.arange(len(needed), len(values))
    return values, (rows, neighbours.counts, indices, neighbours.shares)


def mean_sum(totals: np.ndarray, coefs: np.ndarray) -> np.ndarray:
    """``coef_i`` times the mean difference of query i, added over the queries."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(totals[1] > 0, totals[0] / totals[1], 0.0)
    return coefs @ means


def added(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays added in order."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
