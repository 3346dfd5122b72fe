"""Features on a common scale, and the samples an engine works on.

Numeric columns are scaled to [0, 1] by their range, so that the ``diff`` of Relief is the absolute
difference of scaled values; a constant column is 0 everywhere and never differs.  Nominal columns
hold codes, and differ by 0 or 1.  (Equations 2 and 3 of Hu, Pan, Song, Yu 2012.)
"""

from __future__ import annotations

import numpy as np

from echelon.data import Data
from echelon.engines import Samples


def unit_scale(
    values: np.ndarray,
    numeric: np.ndarray,
    ranges: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Numeric columns scaled to [0, 1] by their range, the others as they are.

    NaN stays NaN, a constant column becomes 0.  ``ranges`` holds the smallest and largest values
    where these are but some of the rows.
    """
    low, high = ranges or (np.fmin.reduce(values), np.fmax.reduce(values))
    with np.errstate(over="ignore", invalid="ignore"):
        huge = np.isinf(high - low) & numeric
    if huge.any():  # the range of finite numbers; that of their halves is finite
        halves = [np.where(huge, 0.5 * part, part) for part in (values, low, high)]
        return unit_scale(halves[0], numeric, (halves[1], halves[2]))
    span = high - low
    span[~(span > 0) | ~numeric] = 1
    scaled = values - np.where(numeric, low, 0).astype(values.dtype)
    scaled /= span
    return scaled


def columns_that_vary(values: np.ndarray) -> np.ndarray:
    """Mask of the columns with at least two values; missing ones are none."""
    with np.errstate(invalid="ignore"):
        return np.fmin.reduce(values) < np.fmax.reduce(values)


ROUNDING = 1e-13
"""Scores below this are 0: a nominal feature that never repeats is not better than nothing."""


def without_rounding(scores: np.ndarray) -> np.ndarray:
    """Scores with 0 in place of what only rounding left."""
    return np.where(np.abs(scores) < ROUNDING, 0.0, scores)


def arrange(
    columns: Data,
    classes: np.ndarray,
    directions: np.ndarray | None = None,
    outcome: np.ndarray | None = None,
) -> Samples:
    """Scale, turn falling columns round, sort rows by class and columns by kind.

    Parameters
    ----------
    columns : Data
        Features as read.
    classes : ndarray of shape (n_samples,)
        Class codes 0, 1, ...
    directions : ndarray of shape (n_features,), default=None
        1 rising, -1 falling, 0 without order; None for all 0.
    outcome : ndarray of shape (n_samples,), default=None
        A number of every sample, from 0 to 1, where there are no classes.
    """
    if directions is None:
        directions = np.zeros(len(columns.nominal), dtype=int)
    kind = np.where(columns.nominal, 2, np.where(directions == 0, 1, 0))
    order = np.argsort(kind, kind="stable")
    rows = np.argsort(classes, kind="stable")
    how = ~columns.nominal, directions < 0, order
    if isinstance(columns.values, np.ndarray):
        values = _laid_out(columns.values, *how)[rows]
        missing = bool(np.isnan(values.sum()))  # scaled values are finite or missing
    else:  # blocks of rows on a cluster, where an engine sorts them
        *ranges, missing = columns.values.ranges
        values = columns.values.then(_laid_out, [(*how, tuple(ranges))] * len(columns.values.sizes))
    return Samples(
        values=values,
        classes=classes[rows],
        rows=rows,
        columns=order,
        n_ordered=int((kind == 0).sum()),
        n_numeric=int((kind < 2).sum()),
        missing=missing,
        outcome=None if outcome is None else outcome[rows],
        weights=None if columns.weights is None else columns.weights[rows],
    )


def _laid_out(
    values: np.ndarray,
    numeric: np.ndarray,
    falling: np.ndarray,
    order: np.ndarray,
    ranges: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Columns scaled, turned round where they fall, and sorted by kind."""
    scaled = unit_scale(values, numeric, ranges)
    scaled[:, falling] *= -1  # not 1 - x, which would round small values away
    return scaled[:, order] if (np.diff(order) < 0).any() else scaled
