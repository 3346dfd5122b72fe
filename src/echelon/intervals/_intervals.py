"""Interval data: made from tables, read as bounds with their ranges, scaled, and averaged.

The rows are scaled as they are looked at: nothing as large as the data is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_array, gen_batches

from echelon.data import (
    INTERVAL,
    as_frame,
    as_table,
    check_shape,
    holds_intervals,
    kind_of,
    of_interval_objects,
    read_columns,
)
from echelon.intervals._loops import add_bounds, scan

ROWS_PER_TASK = 8192
"""Fixed, since partial sums are added task by task: results do not depend on the threads."""

# ---------------------------------------------------------------------------------- from tables


def as_intervals(
    df: pd.DataFrame, lower: str = "{}_min", upper: str = "{}_max", *, features: Any = None
) -> pd.DataFrame:
    """Pairs of columns as interval columns.

    Parameters
    ----------
    df : DataFrame
        Table with one column of lower and one of upper bounds per feature.
    lower : str, default="{}_min"
        How the columns of lower bounds are named; ``{}`` stands for the feature.
    upper : str, default="{}_max"
        How the columns of upper bounds are named.
    features : list of str, default=None
        Names of the features.  None: every column named like a bound must belong to a pair, and
        columns named otherwise are left out.

    Returns
    -------
    intervals : DataFrame of shape (n_samples, n_features)
        One column of interval dtype per feature, closed on both sides, with the index of ``df``.
        An interval is missing if one of its bounds is.

    See Also
    --------
    intervals_from_groups : Intervals from raw rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon import as_intervals
    >>> df = pd.DataFrame({"day": [1, 2], "temp_min": [3.0, 5.0], "temp_max": [9.0, 8.0]})
    >>> as_intervals(df)
             temp
    0  [3.0, 9.0]
    1  [5.0, 8.0]
    """
    df = _frame(df)
    names = [str(name) for name in df.columns]
    _check_patterns(lower, upper)
    wanted = _paired_names(names, lower, upper) if features is None else list(features)
    pairs = {name: (lower.format(name), upper.format(name)) for name in wanted}
    lacking = [(a, b) for a, b in pairs.values() if not {a, b} <= set(names)]
    if lacking or not pairs:
        shown = ", ".join(f"({a!r}, {b!r})" for a, b in lacking[:5])
        found = f"these pairs were not found: {shown}" if lacking else "no pair was found"
        raise ValueError(
            f"`df` must have a column of lower bounds, {lower!r}, and one of upper bounds, "
            f"{upper!r}, for every feature; {found}. Say how yours are named with `lower` and "
            "`upper`, or name the features with `features`."
        )
    columns = {name: _from_bounds(df[a], df[b], name) for name, (a, b) in pairs.items()}
    return pd.DataFrame(columns, index=getattr(df, "index", None))


def _frame(df: Any) -> Any:
    """A table with column names."""
    df = as_table(df)
    if not hasattr(df, "columns"):
        raise TypeError(
            f"`df` must be a DataFrame with named columns, got {type(df).__name__}. Pass "
            "pandas.DataFrame(df, columns=[...])."
        )
    return df


def _check_patterns(lower: Any, upper: Any) -> None:
    """Refuse patterns that name no feature."""
    for parameter, pattern in (("lower", lower), ("upper", upper)):
        if not isinstance(pattern, str) or pattern.count("{}") != 1 or pattern == "{}":
            raise ValueError(
                f"`{parameter}` must be text around one {{}}, which stands for the feature, got "
                f"{pattern!r}. Write for example '{{}}_min'."
            )


def _paired_names(names: list[str], lower: str, upper: str) -> list[str]:
    """The features for which there is a column named like one of their bounds, in order."""
    found: dict[str, None] = {}
    for name in names:
        for pattern in (lower, upper):
            start, end = pattern.split("{}")
            long_enough = len(name) > len(start) + len(end)
            if long_enough and name.startswith(start) and name.endswith(end):
                found[name[len(start) : len(name) - len(end)]] = None
    return list(found)


def _from_bounds(lower: Any, upper: Any, name: Hashable) -> pd.arrays.IntervalArray:
    """Two columns as one of intervals."""
    a, b = (pd.Series(bound).to_numpy(dtype=float, na_value=np.nan) for bound in (lower, upper))
    wrong = np.flatnonzero(a > b)
    if len(wrong):
        row = lower.index[wrong[0]] if hasattr(lower, "iloc") else wrong[0]
        raise out_of_order(row, name, a[wrong[0]], b[wrong[0]])
    gap = np.isnan(a) | np.isnan(b)
    return pd.arrays.IntervalArray.from_arrays(
        np.where(gap, np.nan, a), np.where(gap, np.nan, b), closed="both"
    )


def out_of_order(row: Any, feature: Any, lower: float, upper: float) -> ValueError:
    """What to say about an interval that ends before it begins."""
    return ValueError(
        f"Lower bounds must not exceed upper bounds, got {lower:g} and {upper:g} in row {row!r} "
        f"of feature {feature!r}. Swap or correct them."
    )


def intervals_from_groups(
    df: pd.DataFrame, by: Any, how: Sequence[str | float] = ("min", "max")
) -> pd.DataFrame:
    """One interval per group of rows and column: hourly values as daily ranges, for example.

    Parameters
    ----------
    df : DataFrame
        Raw rows; all columns but those named in ``by`` must be numeric.
    by : str, list of str, or anything that ``DataFrame.groupby`` takes
        What makes a group, for example ``"day"``, ``df["time"].dt.date`` or
        ``pandas.Grouper(key="time", freq="D")``.
    how : pair of "min", "max" or quantiles from 0 to 1, default=("min", "max")
        Lower and upper bound, for example ``(0.1, 0.9)``, which a single outlier does not move.

    Returns
    -------
    intervals : DataFrame of shape (n_groups, n_features)
        One column of interval dtype per feature, indexed by group.  Missing values are left out;
        where nothing is left, the interval is missing.

    See Also
    --------
    as_intervals : Intervals from two columns each.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon import intervals_from_groups
    >>> hourly = pd.DataFrame({"day": [1, 1, 1, 2, 2], "temp": [4.0, 9.0, 7.0, 3.0, 5.0]})
    >>> intervals_from_groups(hourly, by="day").reset_index()
       day        temp
    0    1  [4.0, 9.0]
    1    2  [3.0, 5.0]
    """
    low, high = _levels(how)
    df = as_frame(_frame(df))
    keys = [getattr(key, "key", key) for key in (by if isinstance(by, list) else [by])]
    names = [name for name in df.columns if not any(_same(name, key) for key in keys)]
    for name in names:
        if not pd.api.types.is_numeric_dtype(df[name]):
            raise TypeError(
                f"Column {name!r} of `df` has dtype {df[name].dtype}, and only numbers have "
                "ranges. Drop the column, or group by it."
            )
    try:
        groups = df.groupby(by, observed=True)[names]
    except KeyError as error:
        raise ValueError(
            f"`by` must name columns of `df`, got {by!r}, of which {error} is none. Name one of "
            f"{df.columns.tolist()[:10]}, or pass the groups themselves."
        ) from error
    ends = groups.quantile(low), groups.quantile(high)
    columns = {name: _from_bounds(ends[0][name], ends[1][name], name) for name in names}
    return pd.DataFrame(columns, index=ends[0].index)


def _same(name: Any, key: Any) -> bool:
    """Whether a key names that column; keys may also be arrays, functions or series."""
    return isinstance(key, Hashable) and not callable(key) and name == key


def _levels(how: Any) -> tuple[float, float]:
    """Both ends as quantiles."""
    named = {"min": 0.0, "max": 1.0}
    ends: list[Any] = [named.get(end) if isinstance(end, str) else end for end in how]
    fine = len(ends) == 2 and all(isinstance(end, Real) for end in ends)
    if not fine or not 0 <= ends[0] <= ends[1] <= 1:
        raise ValueError(
            f'`how` must be two of "min", "max" and quantiles from 0 to 1, the lower one first, '
            f"got {how!r}. Pass for example (0.1, 0.9)."
        )
    return float(ends[0]), float(ends[1])


def to_frame(values: np.ndarray, names: Any) -> pd.DataFrame:
    """Bounds of shape (n_samples, n_features, 2) as a table of intervals."""
    bounds = np.moveaxis(values, 0, 2)
    columns = {
        name: _from_bounds(lower, upper, name)
        for name, (lower, upper) in zip(names, bounds, strict=True)
    }
    return pd.DataFrame(columns, index=range(len(values)))


# -------------------------------------------------------------------- what estimators are given


class Intervals(NamedTuple):
    """Intervals as numbers: bounds of shape (n_samples, n_features, 2), both NaN where missing."""

    values: np.ndarray
    names: np.ndarray | None
    ranges: np.ndarray
    """Smallest lower and largest upper bound of every feature, shape (n_features, 2)."""
    missing: bool


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
    elif hasattr(X, "columns") or of_interval_objects(X):
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
    if kind_of(column) != INTERVAL:
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


# ------------------------------------------------------------------------------ scale and means


class Scale(NamedTuple):
    """Bounds (n, p, 2) and what puts them on one scale: ``(values - low) * inverse``."""

    values: np.ndarray
    low: np.ndarray
    inverse: np.ndarray
    ranges: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, ranges: np.ndarray) -> Scale:
        """From the lower to the upper end of the range of every feature: 0 to 1."""
        low, high = np.nan_to_num(ranges.T)
        with np.errstate(over="ignore", divide="ignore"):
            inverse = np.where(high > low, 1 / (high - low), 0).astype(values.dtype)
        limit = np.sqrt(np.finfo(values.dtype).max)
        awkward = (high > low) & ~((inverse > 1 / limit) & (inverse < limit))
        if awkward.any():
            # Too wide to add up or too narrow to divide by: first brought to size 1.
            _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
            shift = np.where(awkward, -exponent - 1, 0)
            sized = np.ldexp(ranges, shift[:, None])
            return cls.of(np.ldexp(values, shift[:, None]), sized)._replace(ranges=ranges)
        return cls(values, low, inverse, ranges)

    @classmethod
    def none(cls, values: np.ndarray) -> Scale:
        """Values as they are."""
        n_features = values.shape[1]
        low, one = np.zeros(n_features, values.dtype), np.ones(n_features, values.dtype)
        return cls(values, low, one, np.column_stack([low, one]))

    def scaled(self) -> np.ndarray:
        """The bounds on that scale."""
        return (self.values - self.low[:, None]) * self.inverse[:, None]

    def restored(self, bounds: np.ndarray) -> np.ndarray:
        """Scaled bounds in the units of the data."""
        low, high = self.ranges.T[:, :, None]
        return low * (1 - bounds) + high * bounds


def mean_intervals(
    scale: Scale, groups: np.ndarray, n_groups: int, *, missing: bool = False, run: Callable = map
) -> np.ndarray:
    """Mean bounds of every group, scaled, of shape (n_groups, n_features, 2); NaN if unknown.

    Parameters
    ----------
    scale : Scale
        The rows.
    groups : ndarray of shape (n_samples,)
        Group of every row.
    n_groups : int
        Number of groups.
    missing : bool
        Whether intervals may be missing; means are over those that are there.
    run : function
        Applies a function to blocks of rows; the ``map`` of an engine, to do so in threads.
    """
    p = len(scale.low)
    lowest = np.repeat(scale.low, 2)

    def task(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        sums, counts = np.zeros((n_groups, 2 * p)), np.zeros((n_groups, p), np.int64)
        add_bounds(scale.values[rows], groups[rows], lowest, missing, sums, counts)
        return sums, counts

    sums, counts = added(run(task, blocks_of_rows(len(groups))))
    counts = counts if missing else counts[:, :1]
    with np.errstate(invalid="ignore"):
        means = sums.reshape(n_groups, p, 2) / counts[:, :, None]
    return means * scale.inverse[:, None]


def added(parts: Iterable[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Sums of each member, in order, one part at a time."""
    parts = iter(parts)
    total = next(parts)
    for part in parts:
        for whole, piece in zip(total, part, strict=True):
            whole += piece
    return total
