"""Samples in small boxes, for a search that passes over most of them.

Rows of a class that stand together lie near each other (see ``_compact``), and so every few of
them make a leaf: their codes lane by lane, and along every axis the lowest and the highest.  How
far a row lies outside these ranges bounds its distance to every row of the leaf from below.  Rows
that are there several times have one lane.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from echelon.engines._samples import Samples
from echelon.engines.numba._axes import single_axes
from echelon.engines.numba._codes import Codes, choose_codes

PADDED = 4
"""Numeric columns and axes are padded to multiples of this, which are summed in one turn."""

_AT_ONCE = 1 << 18
"""Rows written down at a time, to bound the memory."""


class Leaves(NamedTuple):
    """Samples as the search by leaves reads them; rows are sorted by class.

    A *place* is a row, or several that are equal.  ``lanes`` (leaf, column, lane) holds numeric
    columns, padded, and nominal ones; the last place of a class fills the lanes left.
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
    halves: np.ndarray
    """By leaf and lane, minus half the sum of numeric codes, where they are whole numbers."""
    whole: bool
    lowest: np.ndarray
    """Along axes, by leaf; infinite, as the highest, where a value is missing."""
    highest: np.ndarray
    nominal_axes_from: int
    axis: np.ndarray
    """The axis of every column in ``lanes``."""
    shift: np.ndarray
    """What the code of a column counts for along its axis: this, plus the code times ``factor``."""
    factor: np.ndarray
    least: np.ndarray
    """Lowest and highest of ordered columns, by leaf."""
    largest: np.ndarray
    steps: float
    slack: float
    never: float
    scale: np.ndarray
    """By place, the number of columns by those it has."""

    start: np.ndarray
    """First place of every leaf."""
    size: np.ndarray
    class_leaf: np.ndarray
    """First leaf of every class, and the number of leaves."""
    first_row: np.ndarray
    """First row of every place, and the number of rows."""
    place_of: np.ndarray


def lay_out(samples: Samples, *, squared: bool) -> Leaves:
    """Leaves of consecutive places of a class."""
    codes = choose_codes(samples, squared=squared)
    new = first_of_equals(samples.values, samples.classes)
    first_row = np.append(np.flatnonzero(new), len(new))
    classes = samples.classes[first_row[:-1]]
    starts, ends = leaf_bounds(classes, codes.lanes)
    columns, nominal_from, width = _columns(samples)
    sums = _sums(samples, codes, columns, width)
    lanes = np.zeros((len(starts), width, codes.lanes), codes.dtype)
    halves = np.zeros((len(starts), codes.lanes), codes.dtype)
    lowest, highest = np.zeros((2, sums.n_axes, len(starts)), codes.dtype)
    least, largest = np.zeros((2, samples.n_ordered, len(starts)), codes.dtype)
    for first in range(0, len(starts), _AT_ONCE // codes.lanes):
        some = slice(first, first + _AT_ONCE // codes.lanes)
        places = np.minimum(starts[some, None] + np.arange(codes.lanes), ends[some, None] - 1)
        part = codes.encode(samples.values[first_row[places]])
        lanes[some, columns] = part.transpose(0, 2, 1)
        least[:, some], largest[:, some] = _ranges(part[..., : samples.n_ordered])
        lowest[:, some], highest[:, some] = sums.ranges(part, columns, codes)
        if codes.whole:
            totals = part[..., : samples.n_numeric].sum(axis=2, dtype=np.int64)
            halves[some] = (-(totals // 2)).astype(codes.dtype)  # may wrap, as sums do later
    there = np.count_nonzero(samples.values == samples.values, axis=1)[first_row[:-1]]
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
        halves=halves,
        whole=codes.whole,
        lowest=lowest,
        highest=highest,
        nominal_axes_from=sums.nominal_from,
        axis=sums.axis,
        shift=sums.shift,
        factor=sums.factor,
        least=least,
        largest=largest,
        steps=codes.steps,
        slack=codes.slack,
        never=codes.never,
        scale=(samples.values.shape[1] / np.maximum(there, 1)).astype(np.float32),
        start=starts,
        size=ends - starts,
        class_leaf=np.searchsorted(classes[starts], np.arange(samples.classes[-1] + 2)),
        first_row=first_row,
        place_of=np.cumsum(new) - 1,
    )


def first_of_equals(values: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Which rows differ from the one before, bit by bit, so that a gap equals a gap."""
    bits = np.ascontiguousarray(values).view(f"u{values.itemsize}")
    new = np.ones(len(values), bool)
    new[1:] = (bits[1:] != bits[:-1]).any(axis=1) | (classes[1:] != classes[:-1])
    return new


def leaf_bounds(classes: np.ndarray, n_lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Where leaves start and end; each holds places of one class."""
    border = np.flatnonzero(np.diff(classes, prepend=-1, append=-1))
    starts = np.concatenate([np.arange(a, b, n_lanes) for a, b in pairwise(border)])
    return starts, np.append(starts[1:], len(classes))


def _columns(samples: Samples) -> tuple[np.ndarray, int, int]:
    """Where the columns of samples stand, where nominal ones start, and how many there are."""
    p, n_numeric = samples.values.shape[1], samples.n_numeric
    nominal_from = -(-n_numeric // PADDED) * PADDED
    columns = np.arange(p)
    columns[n_numeric:] += nominal_from - n_numeric
    return columns, nominal_from, nominal_from + p - n_numeric


class _Sums(NamedTuple):
    """What codes add up to along the axes, which are padded as columns are."""

    axis: np.ndarray
    shift: np.ndarray
    factor: np.ndarray
    nominal_from: int
    n_axes: int

    def ranges(
        self, part: np.ndarray, columns: np.ndarray, codes: Codes
    ) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest along every axis, by leaf, of codes (leaf, lane, column)."""
        along = np.zeros((*part.shape[:2], self.n_axes))
        for f, column in enumerate(columns):
            along[..., self.axis[column]] += self.shift[column] + self.factor[column] * part[..., f]
        low, high = _ranges(along)
        if codes.whole:  # 0 is missing among nominal codes, and may be anything
            unknown = low[self.nominal_from :] == 0
            high[self.nominal_from :][unknown] = codes.never
        return low, high


def _sums(samples: Samples, codes: Codes, columns: np.ndarray, width: int) -> _Sums:
    """The axes of samples for their columns, which count the other way round where the sign is -1.

    Whole numbers have no sign, so a column that is subtracted counts as what it lacks of a unit.
    """
    axes = single_axes(samples) if samples.axes is None else samples.axes
    padded = -(-axes.n_numeric // PADDED) * PADDED
    axis, shift, factor = np.zeros(width, np.int64), np.zeros(width), np.zeros(width)
    axis[columns] = axes.of_column + np.where(
        axes.of_column < axes.n_numeric, 0, padded - axes.n_numeric
    )
    scale = axes.scale[axes.of_column]
    shift[columns] = (axes.signs < 0) * codes.steps * scale
    factor[columns] = axes.signs * scale
    return _Sums(axis, shift, factor, padded, padded + len(axes.scale) - axes.n_numeric)


def _ranges(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest values (column, leaf) of rows (leaf, lane, column)."""
    lowest, highest = rows.min(axis=1).T, rows.max(axis=1).T
    if rows.dtype.kind == "f":
        lowest = np.where(np.isnan(lowest), -np.inf, lowest)
        highest = np.where(np.isnan(highest), np.inf, highest)
    return lowest, highest
