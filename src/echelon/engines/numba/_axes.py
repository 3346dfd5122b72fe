"""Axes along which rows are told apart before they are measured: columns, and sums of columns.

The difference of two sums is no larger than the sum of differences,

    |sum a - sum b| <= sum |a - b|,     (sum a - sum b)^2 / n <= sum (a - b)^2  for n columns,

with any signs.  Columns that go together, as answers to related questions do, spread along their
sum nearly as much as all of them do one by one.  A few sums then tell rows apart nearly as well as
all columns, and boxes along few axes are small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon.engines._samples import Samples

FEWER = (8, 4)
"""Numbers of axes for numeric columns that are tried, beside one each."""

MOST_COLUMNS = 64
"""More are not added up: finding groups takes their cube, and boxes in so many tell little."""

_LOOKED_AT = 1000
"""Rows by which columns are found to go together."""


class Axes(NamedTuple):
    """Sums of columns; nominal columns, and those with gaps, have an axis of their own."""

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
    some = samples.values[:: -(-len(samples.values) // _LOOKED_AT), : samples.n_numeric]
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
