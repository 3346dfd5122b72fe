"""Samples in small boxes, for a search that passes over most of them.

Rows of a class that stand together lie near each other (see ``_compact``), so every ``LANES`` of
them make a leaf: their values lane by lane, and per column the lowest and the highest.  How far a
row lies outside these ranges bounds its distance to every row of the leaf from below.

Distances are sums in whole numbers of 16 bits, ``steps`` to the unit, for the Manhattan metric and
complete rows, and else in float32.  ``slack`` is more than such a sum, or a bound, can be off by.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from echelon.engines._base import Samples

LANES = 64
"""Rows per leaf: fewer make tighter boxes, but more of them."""

NUMERIC, NOMINAL = 12, 4
"""Columns are padded to multiples of these, which are summed in one turn of a loop."""

MOST_CODES = 2**24
"""Nominal codes below this are the same in float32."""

_AT_ONCE = 1 << 12
"""Leaves filled at a time, to bound the memory."""


class Leaves(NamedTuple):
    """Samples as the search by leaves reads them; rows are sorted by class.

    ``lanes`` (leaf, column, lane) holds numeric and nominal columns, each padded; the last row of a
    class fills the lanes left.  ``lowest`` and ``highest`` (column, leaf) are infinite where a
    value is missing.  ``scale`` is the number of columns by those a row has.
    """

    values: np.ndarray
    classes: np.ndarray
    n_ordered: int
    n_numeric: int
    squared: bool
    paired: bool
    missing: bool
    lanes: np.ndarray
    nominal_from: int
    lowest: np.ndarray
    highest: np.ndarray
    steps: float
    slack: float
    never: float
    """Above every distance in steps."""
    scale: np.ndarray
    start: np.ndarray
    size: np.ndarray
    class_leaf: np.ndarray
    """First leaf of every class, and the number of leaves."""


def lay_out(samples: Samples, *, squared: bool) -> Leaves:
    """Leaves of consecutive rows of a class."""
    m, p = samples.values.shape
    encode, dtype, steps, slack, never = _encoding(samples, squared=squared)
    starts, ends = leaf_bounds(samples.classes)
    nominal_from = -(-samples.n_numeric // NUMERIC) * NUMERIC
    width = nominal_from + -(-(p - samples.n_numeric) // NOMINAL) * NOMINAL
    columns = np.arange(p) + np.where(np.arange(p) < samples.n_numeric, 0, nominal_from)
    columns[samples.n_numeric :] -= samples.n_numeric
    lanes = np.zeros((len(starts), width, LANES), dtype)
    lowest, highest = np.zeros((2, width, len(starts)), dtype)
    for first in range(0, len(starts), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        rows = np.minimum(starts[some, None] + np.arange(LANES), ends[some, None] - 1)
        part = encode(samples.values[rows])
        lanes[some, columns] = part.transpose(0, 2, 1)
        lowest[columns, some], highest[columns, some] = _boxes(part)
    there = np.count_nonzero(samples.values == samples.values, axis=1) if samples.missing else p
    return Leaves(
        values=samples.values,
        classes=samples.classes,
        n_ordered=samples.n_ordered,
        n_numeric=samples.n_numeric,
        squared=squared,
        paired=False,
        missing=samples.missing,
        lanes=lanes,
        nominal_from=nominal_from,
        lowest=lowest,
        highest=highest,
        steps=steps,
        slack=slack,
        never=never,
        scale=np.broadcast_to(p / np.maximum(there, 1), m).astype(np.float32),
        start=starts,
        size=ends - starts,
        class_leaf=np.searchsorted(samples.classes[starts], np.arange(samples.classes[-1] + 2)),
    )


def leaf_bounds(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where leaves start and end; each holds rows of one class."""
    border = np.flatnonzero(np.diff(classes, prepend=-1, append=-1))
    starts = np.concatenate([np.arange(a, b, LANES) for a, b in pairwise(border)])
    return starts, np.append(starts[1:], len(classes))


def _boxes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest values (column, leaf) of rows (leaf, lane, column)."""
    lowest, highest = rows.min(axis=1).T, rows.max(axis=1).T
    if rows.dtype.kind == "f":
        lowest = np.where(np.isnan(lowest), -np.inf, lowest)
        highest = np.where(np.isnan(highest), np.inf, highest)
    return lowest, highest


def _encoding(
    samples: Samples, *, squared: bool
) -> tuple[Callable[[np.ndarray], np.ndarray], type[np.generic], float, float, float]:
    """How values are stored, steps per unit, slack in steps, and what no distance reaches."""
    p, n_numeric = samples.values.shape[1], samples.n_numeric
    steps = 65_534 // p
    whole = not (squared or samples.missing) and steps >= 1000
    if not whole or samples.values[:, n_numeric:].max(initial=0) > 65_535:
        # Two values and p sums, each off by 2**-24 of at most p, and as much again.
        slack = p * (p + 8) * 2.0**-23
        return lambda values: values.astype(np.float32), np.float32, 1.0, slack, 3e38

    turned = np.fmin.reduce(samples.values[:, :n_numeric], axis=0, initial=0) < 0

    def encode(values: np.ndarray) -> np.ndarray:
        coded = values.astype(np.float64)
        coded[..., :n_numeric] = np.rint((coded[..., :n_numeric] + turned) * steps)
        return coded.astype(np.uint16)

    # Two values off by half a step each.
    return encode, np.uint16, float(steps), n_numeric + 1.0, 65_535.0
