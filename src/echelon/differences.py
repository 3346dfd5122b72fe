"""Features on a common scale, so that one difference compares with another.

Numeric columns are scaled to [0, 1] by their range, hence ``diff`` of Eq. (3) is the absolute
difference of scaled values; a constant column is 0 everywhere and never differs.  Nominal columns
hold codes, and differ by 0 or 1, Eq. (2).
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils import gen_batches

_BATCH = 4096
"""Rows scaled at a time, to bound temporary memory."""


def unit_scale(values: np.ndarray, numeric: np.ndarray) -> np.ndarray:
    """Numeric columns scaled to [0, 1] by their range, the others as they are.

    NaN stays NaN, a constant column becomes 0.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        low = np.nanmin(values, axis=0).astype(np.float64)
        high = np.nanmax(values, axis=0).astype(np.float64)
    # Halves, since the range of finite numbers may not be finite.
    half_span = 0.5 * high - 0.5 * low
    half_span[~(half_span > 0)] = 1.0
    low[~numeric], half_span[~numeric] = 0.0, 0.5
    scaled = np.empty_like(values)
    for rows in gen_batches(len(values), _BATCH):
        scaled[rows] = (0.5 * values[rows] - 0.5 * low) / half_span
    return scaled
