"""Rows in an order in which near ones stand together, and whether a search gains by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from echelon.engines._base import Samples
from echelon.engines._numpy import distances
from echelon.engines.numba.leaves._layout import (
    MOST_CODES,
    Axes,
    Codes,
    choose_codes,
    first_of_equals,
    possible_axes,
)

FEWEST_PAIRS = 1 << 28
"""Queries times rows from which on the order of rows matters (a quarter of a second)."""

MOST_LOOK = 0.01
"""Largest share of the time of a search that is spent on a look at a few rows."""

_LOOKED_AT = 64
"""Rows by which an axis to split is chosen."""

_PROBED = 16
"""Queries, and leaves, from which the share of leaves they have to visit is estimated."""


class Plan(NamedTuple):
    """How rows are compared, and what a search by leaves of them takes."""

    axes: Axes
    codes: Codes
    nanoseconds: float = np.inf
    """Per pair."""


def compact_order(samples: Samples, plan: Plan, *, squared: bool) -> np.ndarray:
    """An order of rows, class by class, whose runs of different rows are small boxes.

    Equal rows follow each other, and count as one.
    """
    order = np.lexsort((_row_keys(samples.values), samples.classes))
    new = first_of_equals(samples.values[order], samples.classes[order])
    first = np.flatnonzero(new)
    values, classes = samples.values[order[first]], samples.classes[order[first]]
    tree = _Tree(plan, values, squared=squared)
    sizes = np.bincount(classes)
    borders = np.cumsum(sizes) - sizes
    leaves = [
        leaf
        for start, size in zip(borders, sizes, strict=True)
        for leaf in tree.leaves(np.arange(start, start + size))
    ]
    runs = np.split(order, first[1:])
    return np.concatenate([runs[place] for leaf in leaves for place in leaf])


def _row_keys(values: np.ndarray) -> np.ndarray:
    """A number per row, the same for equal rows and mostly another for others."""
    bits = np.ascontiguousarray(values).view(f"u{values.itemsize}")
    keys = np.zeros(len(values), np.uint64)
    for column in bits.T:
        keys = (keys ^ (keys >> np.uint64(29)) ^ column) * np.uint64(0x9E3779B97F4A7C15)
    return keys


class _Tree:
    """Rows halved again and again where they spread most, down to leaves."""

    def __init__(self, plan: Plan, values: np.ndarray, *, squared: bool) -> None:
        self.along = plan.axes.along(values)
        self.nominal_from = plan.axes.n_numeric
        self.lanes = plan.codes.lanes
        self.squared = squared

    def leaves(self, rows: np.ndarray, wanted: np.ndarray | None = None) -> Iterator[np.ndarray]:
        """The leaves of some rows, or those wanted of them."""
        if len(rows) <= self.lanes or (wanted is not None and len(wanted) == 0):
            yield from (rows,) if wanted is None else (rows for _ in wanted)
            return
        n_left = -(-len(rows) // self.lanes) // 2  # full leaves
        axis = self._widest(rows[:: -(-len(rows) // _LOOKED_AT)])
        rows = rows[np.argpartition(self.along[rows, axis], n_left * self.lanes)]
        left, right = np.split(rows, [n_left * self.lanes])
        for_left, for_right = None, None
        if wanted is not None:
            for_left, for_right = wanted[wanted < n_left], wanted[wanted >= n_left] - n_left
        yield from self.leaves(left, for_left)
        yield from self.leaves(right, for_right)

    def _widest(self, rows: np.ndarray) -> int:
        """The axis along which differences from the median add up to most; missing ones are 0."""
        places = self.along[rows]
        gaps = np.abs(places - np.sort(places, axis=0)[len(places) // 2])
        gaps[:, self.nominal_from :] = gaps[:, self.nominal_from :] > 0
        return int(np.argmax(np.nansum(gaps**2 if self.squared else gaps, axis=0)))

    def outside(self, queries: np.ndarray, leaf: np.ndarray) -> np.ndarray:
        """How far queries, along the axes, lie outside the box of a leaf; no row is nearer."""
        rows = self.along[leaf]
        gaps = np.maximum(rows.min(axis=0) - queries, queries - rows.max(axis=0)).clip(0)
        gaps[:, self.nominal_from :] = gaps[:, self.nominal_from :] > 0
        return np.nansum(gaps**2 if self.squared else gaps, axis=1)


# ------------------------------------------------------------------------------- whether it pays


def paying_plan(samples: Samples, n_queries: int, metric: str, n_neighbors: int) -> Plan | None:
    """How to search by leaves, if a look at a few rows says that it is faster than all pairs."""
    m, p = samples.values.shape
    if n_queries * m < FEWEST_PAIRS or not can_order(samples, metric):
        return None
    by_pairs = _by_pairs(samples)
    if _PROBED * p > MOST_LOOK * by_pairs * m:
        return None
    plan = best_plan(samples, metric, n_neighbors)
    return plan if plan.nanoseconds < 0.8 * by_pairs else None


def can_order(samples: Samples, metric: str) -> bool:
    """Whether samples can be searched by leaves at all."""
    nominal = samples.values[:, samples.n_numeric :]
    return metric != "paired" and bool(np.nanmax(nominal, initial=0) < MOST_CODES)


def best_plan(samples: Samples, metric: str, n_neighbors: int) -> Plan:
    """The axes by which a search takes least, by the share of leaves that has to be visited."""
    squared = metric == "euclidean"
    codes = choose_codes(samples, squared=squared)
    probe = _Probe(samples, metric, n_neighbors)
    plans = [Plan(axes, codes) for axes in possible_axes(samples, squared=squared)]
    taking = [_by_leaves(samples, plan, probe.share(plan)) for plan in plans]
    best = int(np.argmin(taking))
    return plans[best]._replace(nanoseconds=taking[best])


def _by_pairs(samples: Samples) -> float:
    """Nanoseconds of a pair among all pairs; measured on a few shapes, as what follows."""
    return 0.8 + (0.15 if samples.missing else 0.022) * samples.values.shape[1]


def _by_leaves(samples: Samples, plan: Plan, share: float) -> float:
    """Nanoseconds of a pair where a share of all leaves is visited.

    The last part is what a query costs whatever it visits, by m rows.
    """
    m, p = samples.values.shape
    per_visit = {np.uint8: 0.1 + 0.015 * p, np.uint16: 0.15 + 0.017 * p, np.float32: 0.2 + 0.05 * p}
    by_bounds = len(plan.axes.scale) / plan.codes.lanes
    return share * per_visit[plan.codes.dtype] + by_bounds + 20_000 / m


class _Probe:
    """Some queries, and how far their neighbours are in the largest class."""

    def __init__(self, samples: Samples, metric: str, n_neighbors: int) -> None:
        largest = int(np.argmax(samples.class_sizes))
        end = int(samples.class_sizes[: largest + 1].sum())
        self.rows = np.arange(end - samples.class_sizes[largest], end)
        self.samples, self.squared = samples, metric == "euclidean"
        self.queries = np.arange(0, len(samples.classes), -(-len(samples.classes) // _PROBED))
        asked, there = samples.values[self.queries], samples.values[self.rows]
        k = min(n_neighbors, len(self.rows) - 1)
        self.limits = np.partition(distances(samples, asked, there, metric), k, axis=1)[:, k]
        known = np.count_nonzero(asked == asked, axis=1)
        self.scale = asked.shape[1] / np.maximum(known, 1)

    def share(self, plan: Plan) -> float:
        """Share of leaves that may hold a neighbour of a query, of those of the largest class."""
        samples = self.samples
        tree = _Tree(plan, samples.values, squared=self.squared)
        wanted = np.arange(_PROBED) * -(-len(self.rows) // tree.lanes) // _PROBED
        queries = tree.along[self.queries]
        bounds = [tree.outside(queries, leaf) for leaf in tree.leaves(self.rows, wanted)]
        return float(np.mean(np.stack(bounds) * self.scale <= self.limits))
