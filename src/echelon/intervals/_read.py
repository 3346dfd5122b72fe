"""What an estimator is given, as bounds with their ranges: arrays, interval columns, points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_array, gen_batches

from echelon.intervals._convert import out_of_order
from echelon.kernels.prototypes import scan
from echelon.validation import check_shape, is_interval_column, of_plain_numbers, read_columns

ROWS_PER_TASK = 8192
"""Fixed, since partial sums are added task by task: results do not depend on the threads."""


class Intervals(NamedTuple):
    """Intervals as numbers: bounds of shape (n_samples, n_features, 2), both NaN where missing."""

    values: np.ndarray
    names: np.ndarray | None
    ranges: np.ndarray
    """Smallest lower and largest upper bound of every feature, shape (n_features, 2)."""
    missing: bool


def holds_intervals(X: Any) -> bool:
    """Whether X is an array of bounds or has interval columns; otherwise it holds points.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.intervals import holds_intervals
    >>> holds_intervals(np.zeros((5, 3, 2))), holds_intervals(np.zeros((5, 3)))
    (True, False)
    """
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return (
            not of_plain_numbers(X)
            and hasattr(X, "iloc")
            and any(is_interval_column(X.iloc[:, j]) for j in range(X.shape[1]))
        )
    return _n_dimensions(X) >= 3 or _of_interval_objects(X)


def _n_dimensions(X: Any) -> int:
    try:
        return int(np.asarray(X).ndim)
    except ValueError:  # rows of several lengths
        return 0


def _of_interval_objects(X: Any) -> bool:
    """Whether X is an array of interval objects, as ``DataFrame.to_numpy`` makes."""
    return (
        getattr(X, "ndim", 0) == 2
        and np.asarray(X).dtype.kind == "O"
        and any(isinstance(value, pd.Interval) for value in np.asarray(X)[:, :1].flat)
    )


def read_intervals(
    X: Any, *, allow_nan: bool, min_samples: int = 2, run: Callable = map
) -> Intervals:
    """Read X: bounds (n, p, 2), a DataFrame with interval columns, or points (n, p).

    Parameters
    ----------
    X : array-like or DataFrame
        Samples; a point, or a column of numbers, is an interval of width 0.
    allow_nan : bool
        Whether intervals may be missing.
    min_samples : int, default=2
        How many samples there must be.
    run : function, default=map
        Applies a function to blocks of rows; the ``map`` of an engine, to do so in threads.

    Examples
    --------
    >>> from echelon.intervals import read_intervals
    >>> intervals = read_intervals([[[1.0, 3.0]], [[2.0, 5.0]]], allow_nan=False)
    >>> intervals.values.shape, intervals.ranges.tolist()
    ((2, 1, 2), [[1.0, 5.0]])
    """
    names = None
    if not holds_intervals(X):
        columns = read_columns(X, None, allow_nan=allow_nan, min_samples=min_samples)
        values, names = np.stack([columns.values] * 2, axis=2), columns.names
    elif hasattr(X, "columns") or _of_interval_objects(X):
        frame = pd.DataFrame(X)
        values = np.stack([_bounds(frame.iloc[:, j]) for j in range(frame.shape[1])], axis=1)
        names = np.asarray(X.columns, dtype=object) if hasattr(X, "columns") else None
    else:
        values = _read_bounds(X)
    check_shape(values)
    values = check_array(values, dtype=[np.float64, np.float32], order="C", allow_nd=True,
                         ensure_all_finite=False, ensure_min_samples=min_samples)  # fmt: skip
    return _checked(values, names, allow_nan, run)


def _read_bounds(X: Any) -> np.ndarray:
    """An array of lower and upper bounds."""
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)
    X = np.asarray(X)
    if X.ndim > 3 or X.shape[2] != 2:
        raise ValueError(
            f"`X` has {X.ndim} dimensions, so it must hold lower and upper bounds: shape "
            f"(n_samples, n_features, 2), got {X.shape}. Pass points as a table of 2 dimensions."
        )
    return X


def _bounds(column: pd.Series) -> np.ndarray:
    """Lower and upper bounds of an interval column, or of a numeric one, shape (n_samples, 2)."""
    if not is_interval_column(column):
        points = read_columns(column.to_frame(), None, allow_nan=True, min_samples=0)
        return np.repeat(points.values, 2, axis=1)
    intervals = pd.arrays.IntervalArray(column)
    if intervals.left.dtype.kind not in "iuf":
        raise TypeError(
            f"Column {column.name!r} of `X` has dtype {intervals.dtype}; convert dates and times "
            "to numbers first."
        )
    return np.column_stack([intervals.left, intervals.right]).astype(float)


def _checked(values: np.ndarray, names: Any, allow_nan: bool, run: Callable) -> Intervals:
    """The intervals with their ranges; errors where a bound is infinite or out of order."""
    low, high, odd = _scanned(values, run)
    if np.isneginf(low).any() or np.isposinf(high).any():
        raise ValueError("Input X contains infinity. Give finite bounds, or drop those samples.")
    if odd:
        values = _without_halves(values, names, allow_nan)
        low, high, _ = _scanned(values, run)
    absent = low > high  # features that are always missing
    low[absent], high[absent] = np.nan, np.nan
    return Intervals(values, names, np.column_stack([low, high]), bool(odd))


def _scanned(values: np.ndarray, run: Callable) -> tuple[np.ndarray, np.ndarray, int]:
    """Ranges of the features, and how many intervals are missing or out of order."""

    def ranges(rows: slice) -> tuple[np.ndarray, np.ndarray, int]:
        low = np.full(values.shape[1], np.inf, values.dtype)
        high = -low
        return low, high, scan(values[rows], low, high)

    lows, highs, odd = zip(*run(ranges, blocks_of_rows(len(values))), strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0), sum(odd)


def _without_halves(values: np.ndarray, names: Any, allow_nan: bool) -> np.ndarray:
    """Intervals with one missing bound made missing; an error where bounds are out of order."""
    wrong = np.argwhere(values[:, :, 0] > values[:, :, 1])
    if len(wrong):
        row, feature = wrong[0].tolist()
        name = feature if names is None else names[feature]
        raise out_of_order(row, name, *values[row, feature])
    if not allow_nan:
        raise ValueError(
            "Input X contains NaN, and this method takes no missing intervals. Impute them, or "
            "drop those samples."
        )
    gaps = np.isnan(values).any(axis=2, keepdims=True)
    return np.where(gaps, values.dtype.type(np.nan), values)


def blocks_of_rows(n_rows: int) -> list[slice]:
    """The tasks of one pass over the rows."""
    return list(gen_batches(n_rows, ROWS_PER_TASK))
