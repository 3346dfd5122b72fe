"""What a column held when it was seen, and how the same column of another table differs from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.words import counted, is_number, listed, percent
from echelon.data import INTERVAL, NOMINAL, NUMBER, ORDERED, kind_of, numbers_of
from echelon.selection._schema import Column, Label

MOST_CATEGORIES = 1000
"""Of a column with more, none are listed."""

DAY = 86_400


class Drift(NamedTuple):
    """A difference between a column and what was seen of it."""

    column: str
    change: str
    rows: int
    share: float


def facts_of(column: pd.Series) -> dict[str, Any]:
    """Kind, missing values, range and categories of a column, as a selection holds them."""
    facts: dict[str, Any] = {"missing": int(column.isna().sum())}
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        known = _naive(column).dropna()
        origin = known.min().normalize() if len(known) else pd.Timestamp(1970, 1, 1)
        facts |= {"kind": "date", "origin": f"{origin:%Y-%m-%d}"}
        return facts | _range(_days_since(column, facts["origin"]))
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return facts | {"kind": "duration"} | _range(column.dt.total_seconds() / DAY)
    kind = kind_of(column)
    if kind in (ORDERED, NOMINAL):
        categories = _categories(column, kind == ORDERED)
        many = len(categories) > MOST_CATEGORIES and kind == NOMINAL
        return facts | {"kind": kind} | ({} if many else {"categories": categories})
    if kind == INTERVAL:
        held = pd.arrays.IntervalArray(column)
        ends = pd.concat([pd.Series(held.left), pd.Series(held.right)])
        return facts | {"kind": kind} | _range(ends)
    return facts | {"kind": NUMBER} | _range(_numbers(column))


def _range(values: pd.Series) -> dict[str, float]:
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return {"minimum": float(known.min()), "maximum": float(known.max())} if len(known) else {}


def _numbers(column: pd.Series) -> pd.Series:
    return pd.Series(numbers_of(column, column.name))


def _naive(column: pd.Series) -> pd.Series:
    """Dates without a time zone: the same instants in UTC."""
    aware = getattr(column.dtype, "tz", None) is not None
    return column.dt.tz_convert("UTC").dt.tz_localize(None) if aware else column


def _days_since(column: pd.Series, origin: str) -> pd.Series:
    return (_naive(column) - pd.Timestamp(origin)).dt.total_seconds() / DAY


def _categories(column: pd.Series, ordered: bool) -> list[Label]:
    held = column.cat.categories if ordered else pd.unique(column.dropna())
    labels = [label_of(each) for each in held]
    return labels if ordered else sorted(labels, key=str)


def label_of(value: Any) -> Label:
    """A category as JSON holds it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | bool | int | float) else str(value)


def as_text(value: Any) -> str:
    """A category as text, whatever type another file gave it: 1 and 1.0 are the same."""
    value = label_of(value)
    whole = isinstance(value, float) and value == value // 1
    return str(int(value)) if whole else str(value)


# ------------------------------------------------------------------------------ another table


def check_kind(column: pd.Series, seen: Column) -> None:
    """Refuse a column that holds something else than what was seen."""
    known = column.dropna()
    if not len(known):
        return
    kind, name = seen["kind"], seen["name"]
    if kind in ("number", "duration", "date") and not _is_of(column, kind):
        stray = _stray(known)
        what = {"number": "numbers", "date": "dates", "duration": "durations"}[kind]
        raise ValueError(
            f"Column {name!r} held {what} where it was selected, and now holds others, as "
            f"{_brief(stray)}."
        )
    categories = seen.get("categories")
    if categories and kind in ("ordered", "nominal"):
        expected = {as_text(each) for each in categories}
        if not any(as_text(each) in expected for each in pd.unique(known)):
            raise ValueError(
                f"Column {name!r} held {listed(map(_brief, categories))} where it was selected, "
                f"and now holds none of them but {listed(map(_brief, pd.unique(known)))}."
            )


def _stray(known: pd.Series) -> Any:
    """The first text that is no number, as an example; any value where all are."""
    texts = (each for each in known if isinstance(each, str) and not is_number(each))
    return next(texts, known.iloc[0])


def _is_of(column: pd.Series, kind: str) -> bool:
    if kind == "date":
        return bool(pd.api.types.is_datetime64_any_dtype(column.dtype))
    if kind == "duration":
        return bool(pd.api.types.is_timedelta64_dtype(column.dtype))
    return kind_of(column) == NUMBER


def _brief(value: Any) -> str:
    text = repr(label_of(value))
    return text if len(text) <= 60 else f"{text[:57]}..."


def drift_of(column: pd.Series, seen: Column) -> list[Drift]:
    """What the column holds that was not seen."""
    name, n_rows = seen["name"], max(len(column), 1)
    found = []
    lacking = int(column.isna().sum())
    if lacking and not seen["missing"]:
        found.append(Drift(name, "missing values, and had none", lacking, lacking / n_rows))
    if "minimum" in seen and "maximum" in seen:
        found += _beyond(column, seen, n_rows)
    if "categories" in seen:
        expected = {as_text(each) for each in seen["categories"]}
        known = column.dropna()
        new = known[[as_text(each) not in expected for each in known]]
        if len(new):
            change = f"not seen before: {listed(map(_brief, pd.unique(new)))}"
            found.append(Drift(name, change, len(new), len(new) / n_rows))
    return found


def _beyond(column: pd.Series, seen: Column, n_rows: int) -> list[Drift]:
    low, high = seen["minimum"], seen["maximum"]
    values = _values(column, seen)
    outside = (values < low) | (values > high)
    count = int(outside.sum())
    if not count:
        return []
    shown = [_shown(each, seen) for each in (low, high, values.min(), values.max())]
    change = f"outside {shown[0]} to {shown[1]}; now {shown[2]} to {shown[3]}"
    return [Drift(seen["name"], change, count, count / n_rows)]


def _values(column: pd.Series, seen: Column) -> pd.Series:
    if seen["kind"] == "date":
        return _days_since(column, seen["origin"])
    if seen["kind"] == "duration":
        return column.dt.total_seconds() / DAY
    if seen["kind"] == "interval":
        return pd.Series(pd.arrays.IntervalArray(column).mid)
    return _numbers(column)


def _shown(value: float, seen: Column) -> str:
    """A number, or the day it stands for."""
    if seen["kind"] == "date":
        return f"{pd.Timestamp(seen['origin']) + pd.Timedelta(days=value):%Y-%m-%d}"
    return f"{value:.4g}"


def drift_in_words(found: list[Drift], most: int = 5) -> str:
    """One sentence about the columns that drifted."""
    said = [
        f"{each.column} ({counted(each.rows, 'row')}, {percent(each.share)}): {each.change}"
        for each in found[:most]
    ]
    more = f"; and {len(found) - most:,} more" if len(found) > most else ""
    return f"Values differ from those seen: {'; '.join(said)}{more}."
