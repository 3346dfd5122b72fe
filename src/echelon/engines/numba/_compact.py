"""Rows in an order in which near ones stand together, and whether a search gains by it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from echelon.engines._base import Samples
from echelon.engines.numba._leaves import LANES, MOST_CODES
from echelon.engines.numba._nearest import nearest
from echelon.engines.numba._visits import nearest_by_leaves
from echelon.engines.numpy._distances import distances

FEWEST_PAIRS = 1 << 28
"""Queries times rows from which on the order of rows matters (a quarter of a second)."""

COMPILING = 10.0
"""Seconds the search by leaves takes to compile, about."""

_LOOKED_AT = 64
"""Rows by which a column to split is chosen."""

_PROBED = 16
"""Queries, and leaves, from which the share of leaves they have to visit is estimated."""


def compact_order(samples: Samples, *, squared: bool) -> np.ndarray:
    """An order of rows, class by class, whose runs of ``LANES`` rows are small boxes."""
    starts = np.cumsum(samples.class_sizes) - samples.class_sizes
    return np.concatenate([
        leaf
        for start, size in zip(starts, samples.class_sizes, strict=True)
        for leaf in _leaves(samples, np.arange(start, start + size), None, squared=squared)
    ])  # fmt: skip


def _leaves(
    samples: Samples, rows: np.ndarray, wanted: np.ndarray | None, *, squared: bool
) -> Iterator[np.ndarray]:
    """The leaves of some rows, or those wanted of them: halves of halves where they spread most."""
    if len(rows) <= LANES or (wanted is not None and len(wanted) == 0):
        yield from (rows,) if wanted is None else (rows for _ in wanted)
        return
    n_left = -(-len(rows) // LANES) // 2  # full leaves
    some = samples.values[rows[:: -(-len(rows) // _LOOKED_AT)]]
    column = int(np.argmax(_spread(some, samples.n_numeric, squared=squared)))
    rows = rows[np.argpartition(samples.values[rows, column], n_left * LANES)]
    left, right = np.split(rows, [n_left * LANES])
    for_left, for_right = None, None
    if wanted is not None:
        for_left, for_right = wanted[wanted < n_left], wanted[wanted >= n_left] - n_left
    yield from _leaves(samples, left, for_left, squared=squared)
    yield from _leaves(samples, right, for_right, squared=squared)


def _spread(values: np.ndarray, n_numeric: int, *, squared: bool) -> np.ndarray:
    """Differences from the median added up, by column; what is missing counts as not far."""
    gaps = np.abs(values - np.sort(values, axis=0)[len(values) // 2])
    gaps[:, n_numeric:] = gaps[:, n_numeric:] > 0
    return np.nansum(gaps**2 if squared else gaps, axis=0)


# ------------------------------------------------------------------------------- whether it pays


def order_pays(samples: Samples, n_queries: int, metric: str, n_neighbors: int) -> bool:
    """Whether a search by leaves is faster than one through all pairs, by a look at a few rows.

    The look takes some thousandth of the time of the search through all pairs.
    """
    pairs = n_queries * len(samples.classes)
    if pairs < FEWEST_PAIRS or not can_order(samples, metric):
        return False
    by_pairs, per_visit, by_bounds = _nanoseconds(*samples.values.shape)
    if by_bounds > 0.8 * by_pairs:
        return False
    by_leaves = visited_share(samples, metric, n_neighbors) * per_visit + by_bounds
    saved = pairs * (by_pairs - by_leaves) * 1e-9
    ready = nearest_by_leaves.at_hand or not nearest.at_hand
    return by_leaves < 0.8 * by_pairs and (ready or saved > COMPILING)


def can_order(samples: Samples, metric: str) -> bool:
    """Whether samples can be searched by leaves at all."""
    nominal = samples.values[:, samples.n_numeric :]
    return metric != "paired" and bool(np.nanmax(nominal, initial=0) < MOST_CODES)


def _nanoseconds(m: int, p: int) -> tuple[float, float, float]:
    """Of a pair among all pairs, of one in a leaf that is visited, of one in any leaf.

    Measured on a few shapes; the last has what a query costs whatever it visits, by m rows.
    """
    return 0.8 + 0.022 * p, 0.2 + 0.05 * p, 0.02 * p + 12_000 / m


def visited_share(samples: Samples, metric: str, n_neighbors: int) -> float:
    """Share of leaves that may hold a neighbour of a query, among those of the largest class."""
    largest = int(np.argmax(samples.class_sizes))
    end = int(samples.class_sizes[: largest + 1].sum())
    rows = np.arange(end - samples.class_sizes[largest], end)
    queries = samples.values[:: -(-len(samples.classes) // _PROBED)]
    far = distances(samples, queries, samples.values[rows], metric)
    k = min(n_neighbors, len(rows) - 1)
    limits = np.partition(far, k, axis=1)[:, k]
    wanted = np.arange(_PROBED) * -(-len(rows) // LANES) // _PROBED
    squared = metric == "euclidean"
    leaves = _leaves(samples, rows, wanted, squared=squared)
    bounds = [_outside(samples, queries, leaf, squared=squared) for leaf in leaves]
    return float(np.mean(np.stack(bounds) <= limits))


def _outside(
    samples: Samples, queries: np.ndarray, leaf: np.ndarray, *, squared: bool
) -> np.ndarray:
    """How far queries lie outside the box of a leaf; no row of it is nearer."""
    rows = samples.values[leaf]
    gaps = np.maximum(rows.min(axis=0) - queries, queries - rows.max(axis=0)).clip(0)
    gaps[:, samples.n_numeric :] = gaps[:, samples.n_numeric :] > 0
    total = np.nansum(gaps**2 if squared else gaps, axis=1)
    return total * queries.shape[1] / np.maximum((queries == queries).sum(axis=1), 1)
