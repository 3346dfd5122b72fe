"""Features on a common scale, so that one difference compares with another.

Numeric columns are scaled to [0, 1] by their range, so that the ``diff`` of Relief is the absolute
difference of scaled values; a constant column is 0 everywhere and never differs.  Nominal columns
hold codes, and differ by 0 or 1.  (Equations 2 and 3 of Hu, Pan, Song, Yu 2012.)
"""

from __future__ import annotations

import numpy as np


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
