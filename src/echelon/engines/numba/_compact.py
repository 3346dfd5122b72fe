"""Rows in an order in which near ones stand together, and whether a search gains by it."""

from __future__ import annotations

import numpy as np

from echelon.engines._base import Samples
from echelon.engines.numba._leaves import LANES

_LOOKED_AT = 64
"""Rows by which a column to split is chosen."""


def compact_order(samples: Samples, *, squared: bool) -> np.ndarray:
    """An order of rows, class by class, halved again and again where a column spreads most."""
    order = np.arange(len(samples.classes))
    ends = np.cumsum(samples.class_sizes)
    parts = [(end - size, end) for size, end in zip(samples.class_sizes, ends, strict=True)]
    while parts:
        first, last = parts.pop()
        if last - first > LANES:
            middle = first + half(last - first)
            rows = order[first:last]
            order[first:last] = rows[halves(samples, rows, squared=squared)]
            parts += [(first, middle), (middle, last)]
    return order


def half(n: int) -> int:
    """About half of n, so that all leaves but one are full."""
    return -(-n // LANES) // 2 * LANES


def halves(samples: Samples, rows: np.ndarray, *, squared: bool) -> np.ndarray:
    """The rows reordered, the first half below the second in the column that spreads most."""
    some = samples.values[rows[:: -(-len(rows) // _LOOKED_AT)]]
    column = int(np.argmax(_spread(some, samples.n_numeric, squared=squared)))
    return np.argpartition(samples.values[rows, column], half(len(rows)))


def _spread(values: np.ndarray, n_numeric: int, *, squared: bool) -> np.ndarray:
    """Mean distance from the median, by column; what is missing counts as not far."""
    middle = np.sort(values, axis=0)[len(values) // 2]
    gaps = np.abs(values - middle)
    gaps[:, n_numeric:] = gaps[:, n_numeric:] > 0
    return np.nansum(gaps**2 if squared else gaps, axis=0)
