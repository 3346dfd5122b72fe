"""Features on a common scale, so that one difference compares with another.

Numeric columns are scaled to [0, 1] by their range, hence ``diff`` of Eq. (3) is the absolute
difference of scaled values; a constant column is 0 everywhere and never differs.  Nominal columns
hold codes, and differ by 0 or 1, Eq. (2).
"""

from __future__ import annotations

import numpy as np


def unit_scale(values: np.ndarray, numeric: np.ndarray) -> np.ndarray:
    """Numeric columns scaled to [0, 1] by their range, the others as they are.

    NaN stays NaN, a constant column becomes 0.
    """
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    with np.errstate(over="ignore", invalid="ignore"):
        span = high - low
        if np.isinf(span).any():  # of finite numbers: halves fit
            return unit_scale(np.where(numeric, 0.5 * values, values), numeric)
    span[~(span > 0) | ~numeric] = 1
    low[~numeric] = 0
    scaled = values - low
    scaled /= span
    return scaled
