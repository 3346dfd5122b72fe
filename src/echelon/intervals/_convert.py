"""From tables to intervals: two columns per feature, or raw rows summed up group by group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from echelon.validation import as_frame, as_table


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
