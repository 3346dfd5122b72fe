"""Samples in small boxes, for a search that passes over most of them.

*Axes* are what rows are told apart along before they are measured: columns, and sums of columns.
The difference of two sums is no larger than the sum of differences,

    |sum a - sum b| <= sum |a - b|,     (sum a - sum b)^2 / n <= sum (a - b)^2  for n columns,

with any signs.  Columns that go together, as answers to related questions do, spread along their
sum nearly as much as all of them do one by one.  A few sums then tell rows apart nearly as well as
all columns, and boxes along few axes are small.

*Codes* are how values are written down.  For the Manhattan metric, and numeric columns without
missing values, as whole numbers, ``steps`` to the unit: of 8 bits where that is exact, as for
answers from 1 to 5, and else of 16.  All else is float32.  Steps are even, since a nominal mismatch
adds half a unit to sums that count twice.  Nominal codes begin at 1; among whole numbers, 0 is
missing.

*Leaves* are runs of rows of a class that lie near each other (see ``_order``): their codes lane by
lane, and along every axis the lowest and the highest.  How far a row lies outside these ranges
bounds its distance to every row of the leaf from below.  Rows that are there several times have
one lane.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from echelon.engines._base import Samples

FEWER = (8, 4)
"""Numbers of axes for numeric columns that are tried, beside one each."""

MOST_COLUMNS = 64
"""More are not added up: finding groups takes their cube, and boxes in so many tell little."""

_ROWS_FOR_AXES = 1000
"""Rows by which columns are found to go together."""

MOST_CODES = 2**24 - 1
"""Fewer nominal codes than this are the same in float32."""

FEWEST_STEPS = 256
"""To the unit, in 16 bits: with fewer, rounding would let too many candidates through."""

_EXACT = 1e-4
"""Steps that a value may lie off a whole number, as it was rounded before."""

_ROWS_FOR_STEPS = 200
"""Rows that show, mostly, that values are no whole numbers of steps."""

PADDED = 4
"""Numeric columns and axes are padded to multiples of this, which are summed in one turn."""

_AT_ONCE = 1 << 18
"""Rows written down at a time, to bound the memory."""


# -------------------------------------------------------------------------------------- axes


class Axes(NamedTuple):
    """Sums of columns; nominal ones, and those with missing values, have an axis each."""

    of_column: np.ndarray
    """The axis of every column; those of numeric columns come first."""
    signs: np.ndarray
    """1 or -1 by column: how it counts in its sum."""
    n_numeric: int
    """Axes of numeric columns."""
    scale: np.ndarray
    """By axis, what its sum is multiplied by, so that a difference is a bound."""

    def along(self, values: np.ndarray) -> np.ndarray:
        """Rows as they lie along the axes."""
        if len(self.scale) == values.shape[1]:
            return values
        places = np.empty((len(values), len(self.scale)), values.dtype)
        for axis, scale in enumerate(self.scale):
            columns = np.flatnonzero(self.of_column == axis)
            weights = (self.signs[columns] * scale).astype(values.dtype)
            places[:, axis] = values[:, columns] @ weights
        return places


def single_axes(samples: Samples) -> Axes:
    """Every column by itself."""
    p = samples.values.shape[1]
    return Axes(np.arange(p), np.ones(p, np.int8), samples.n_numeric, np.ones(p))


def possible_axes(samples: Samples, *, squared: bool) -> list[Axes]:
    """Every column by itself, and fewer axes where columns can be added."""
    some = samples.values[:: -(-len(samples.values) // _ROWS_FOR_AXES), : samples.n_numeric]
    gaps = np.isnan(samples.values[:, : samples.n_numeric]).any(axis=0) & samples.missing
    found = [single_axes(samples)]
    columns = np.flatnonzero(~gaps)
    if not min(FEWER) < len(columns) <= MOST_COLUMNS or len(some) < 2:
        return found
    covariances = np.cov(some[:, columns].T.astype(np.float64))
    groups = np.eye(len(columns))
    for most in FEWER:
        if len(groups) > most:
            groups, covariances = _merged(groups, covariances, most, squared=squared)
            found.append(_as_axes(samples, columns, groups, squared=squared))
    return found


def _merged(
    groups: np.ndarray, covariances: np.ndarray, most: int, *, squared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Signed groups of columns, two at a time made one where the least is lost."""
    while len(groups) > most:
        variances, sizes = np.diag(covariances), np.abs(groups).sum(axis=1)
        together = variances[:, None] + variances + 2 * np.abs(covariances)
        if squared:
            apart = variances / sizes
            left = together / (sizes[:, None] + sizes)
        else:
            apart, left = np.sqrt(variances), np.sqrt(together)
        lost = apart[:, None] + apart - left
        np.fill_diagonal(lost, np.inf)
        i, j = sorted(divmod(int(np.argmin(lost)), len(groups)))
        step = np.eye(len(groups))
        step[i, j] = 1.0 if covariances[i, j] >= 0 else -1.0
        step = np.delete(step, j, axis=0)
        groups, covariances = step @ groups, step @ covariances @ step.T
    return groups, covariances


def _as_axes(samples: Samples, columns: np.ndarray, groups: np.ndarray, *, squared: bool) -> Axes:
    """The groups of these columns, then a single axis for every other column."""
    p, n_numeric = samples.values.shape[1], samples.n_numeric
    signs, of_column = np.ones(p, np.int8), np.empty(p, np.int64)
    signs[columns] = groups.sum(axis=0)
    of_column[columns] = np.abs(groups).argmax(axis=0)
    others = np.setdiff1d(np.arange(p), columns)  # in order: numeric ones with gaps, then nominal
    of_column[others] = len(groups) + np.arange(len(others))
    sizes = np.bincount(of_column).astype(np.float64)
    scale = 1 / np.sqrt(sizes) if squared else np.ones(len(sizes))
    return Axes(of_column, signs, len(groups) + int((others < n_numeric).sum()), scale)


# ------------------------------------------------------------------------------------- codes


class Codes(NamedTuple):
    """A way to write values down."""

    dtype: type[np.generic]
    steps: float
    """Per unit of distance."""
    slack: float
    """Bound of the rounding error of a distance, or of a bound of one, in steps."""
    never: float
    """No distance reaches it."""
    lanes: int
    """Rows per leaf: fewer make tighter boxes, but more of them."""
    n_numeric: int
    falling: np.ndarray
    """Numeric columns with values in [-1, 0]."""

    @property
    def whole(self) -> bool:
        """Whether codes are whole numbers."""
        return self.dtype is not np.float32

    def encode(self, values: np.ndarray) -> np.ndarray:
        """Values, columns last, as codes."""
        coded = values.astype(np.float64)
        numeric, nominal = coded[..., : self.n_numeric], coded[..., self.n_numeric :]
        nominal += 1
        if self.whole:
            numeric[...] = np.rint((numeric + self.falling) * self.steps)
            nominal[np.isnan(nominal)] = 0
        return coded.astype(self.dtype)


def choose_codes(samples: Samples, *, squared: bool) -> Codes:
    """The shortest codes that are good enough."""
    p, n = samples.values.shape[1], samples.n_numeric
    numeric, nominal = samples.values[:, :n], samples.values[:, n:]
    falling = np.fmin.reduce(numeric, axis=0, initial=0) < 0
    most = np.fmax.reduce(nominal, axis=None, initial=0) + 1
    whole = not squared and not (samples.missing and np.isnan(numeric).any())
    steps = _exact_steps(numeric, 254 // p) if whole and most < 256 else None
    if steps is not None:
        return Codes(np.uint8, float(steps), 0.5, 255.0, 256, n, falling)
    steps = 65_534 // p // 2 * 2
    if whole and steps >= FEWEST_STEPS and most < 65_536:
        # Two values off by half a step each, and a sum that counts twice by another half.
        return Codes(np.uint16, float(steps), n + 2.0, 65_535.0, 256, n, falling)
    # Two values and p sums, each off by 2**-24 of at most p, and as much again; axes once more.
    return Codes(np.float32, 1.0, p * (p + 8) * 2.0**-22, 3e38, 64, n, falling)


def _exact_steps(numeric: np.ndarray, most: int) -> int | None:
    """Steps to the unit, even and at most so many, that make all values whole; None if none do.

    Twice as many as needed are better: sums of rows are even then, and halves of them exact.
    """
    some = numeric[:: -(-len(numeric) // _ROWS_FOR_STEPS)]
    for steps in range(1, most + 1):
        if _whole(some, steps) and _whole(numeric, steps):
            return next((s for s in (2 * steps, steps) if s <= most and s % 2 == 0), None)
    return None


def _whole(numeric: np.ndarray, steps: int) -> bool:
    coded = numeric * numeric.dtype.type(steps)
    return bool(np.abs(coded - np.rint(coded)).max(initial=0) < _EXACT)


# ------------------------------------------------------------------------------------- leaves


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
    for some, part in _written(samples, codes, first_row, starts, ends):
        lanes[some, columns] = part.transpose(0, 2, 1)
        least[:, some], largest[:, some] = _ranges(part[..., : samples.n_ordered])
        lowest[:, some], highest[:, some] = sums.ranges(part, columns, codes)
        if codes.whole:
            totals = part[..., : samples.n_numeric].sum(axis=2, dtype=np.int64)
            halves[some] = (-(totals // 2)).astype(codes.dtype)  # may wrap, as sums do later
    there = np.count_nonzero(samples.values == samples.values, axis=1)[first_row[:-1]]
    scale = (samples.values.shape[1] / np.maximum(there, 1)).astype(np.float32)
    class_leaf = np.searchsorted(classes[starts], np.arange(samples.classes[-1] + 2))
    return Leaves(
        samples.values, samples.classes, samples.n_ordered, samples.n_numeric, squared,
        samples.missing, lanes, nominal_from, halves, codes.whole, lowest, highest,
        sums.nominal_from, sums.axis, sums.shift, sums.factor, least, largest, codes.steps,
        codes.slack, codes.never, scale, starts, ends - starts, class_leaf, first_row,
        np.cumsum(new) - 1,
    )  # fmt: skip


def _written(
    samples: Samples, codes: Codes, first_row: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Some leaves at a time, and their codes (leaf, lane, column)."""
    for first in range(0, len(starts), _AT_ONCE // codes.lanes):
        some = slice(first, first + _AT_ONCE // codes.lanes)
        places = np.minimum(starts[some, None] + np.arange(codes.lanes), ends[some, None] - 1)
        yield some, codes.encode(samples.values[first_row[places]])


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
