"""Columns of text that are really numbers or dates: 1.234,5 or $1,200 or 31.12.2024."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

_ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_DAY = r"(\d{1,2})[./-](\d{1,2})[./-](?:\d{4}|\d{2})"
_AFFIX = r"^[+-]?\s*[$€£]\s*|\s*[%€£$]$"
_COMMA = r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?"
_POINT = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


Column = tuple[pd.Series, str | None]
"""A column as it was read, and a note if something had to be assumed."""


def cleaned(frame: pd.DataFrame, missing: set[str]) -> tuple[pd.DataFrame, list[str]]:
    """Text stripped, texts for missing values gone, numbers and dates as such; and notes."""
    columns: dict[Any, pd.Series] = {}
    notes = []
    for name, column in frame.items():
        columns[name] = column
        if _is_text(column):
            columns[name], note = _cleaned(column, name, missing)
            notes += [note] if note else []
    return pd.DataFrame(columns, index=frame.index), notes


def _is_text(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype)


def _cleaned(column: pd.Series, name: Any, missing: set[str]) -> Column:
    is_str = column.map(lambda value: isinstance(value, str)).to_numpy(bool)
    text = column.astype(object).where(is_str)
    text = text.map(lambda value: value.strip() if isinstance(value, str) else value)
    column = column.astype(object).where(~is_str, text)
    column = column.where(~(is_str & text.isin(missing).to_numpy()), None)
    known = column.dropna()
    if len(known) == 0:
        return column.astype(float), None
    if not known.map(lambda value: isinstance(value, str)).all():
        return _mixed(column, name)
    for convert in (_plain_numbers, _dressed_numbers, _dates):
        found = convert(column, known, name)
        if found is not None:
            return found
    return _with_strays(column, known, name)


def _mixed(column: pd.Series, name: Any) -> Column:
    """Cells of several types, as spreadsheets have them."""
    inferred = column.infer_objects()
    if not pd.api.types.is_object_dtype(inferred.dtype):
        return inferred, None
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().equals(column.notna()):
        return numbers, None
    text = column.where(column.isna(), column.map(str)).astype(object)
    text = text.where(column.notna(), None)
    return _with_strays(text, text.dropna(), name)


def _plain_numbers(column: pd.Series, known: pd.Series, name: Any) -> Column | None:
    numbers = pd.to_numeric(known, errors="coerce")
    return None if numbers.isna().any() else (numbers.reindex(column.index), None)


def _dressed_numbers(column: pd.Series, known: pd.Series, name: Any) -> Column | None:
    """Decimal commas, thousands, currencies and percent signs, if all values are so."""
    bare = known.str.replace(_AFFIX, "", regex=True)
    for pattern, thousands, decimal in ((_POINT, ",", "."), (_COMMA, ".", ",")):
        if bare.str.fullmatch(pattern).all():
            plain = bare.str.replace(thousands, "", regex=False).str.replace(
                decimal, ".", regex=False
            )
            # What no machine reads as it stands: dressed up, or in digits of another script.
            dressed = known[bare.ne(plain) | bare.ne(known) | ~known.map(str.isascii)]
            example = dressed.index[0] if len(dressed) else known.index[0]
            note = f"{name}: {known[example]!r} was read as {float(plain[example]):g}."
            return plain.astype(float).reindex(column.index), note
    return None


def _dates(column: pd.Series, known: pd.Series, name: Any) -> Column | None:
    if known.str.fullmatch(_ISO).all():
        dates = pd.to_datetime(known, errors="coerce", utc=True, format="ISO8601")
    elif known.str.fullmatch(_DAY).all():
        parts = known.str.extract(f"^{_DAY}$").astype(int)
        if parts[0].max() <= 12 and parts[1].max() <= 12:
            example = known.iloc[0]
            return column, f"{name}: {example!r} may be day or month first; taken as labels."
        first = bool(parts[0].max() > 12)
        dates = pd.to_datetime(known, errors="coerce", utc=True, dayfirst=first, format="mixed")
    else:
        return None
    if dates.isna().any():
        return None
    return dates.dt.tz_localize(None).reindex(column.index), None


def _with_strays(column: pd.Series, known: pd.Series, name: Any) -> Column:
    """Numbers but for a few texts: these are gaps if they are few, and mentioned in any case."""
    numbers = pd.to_numeric(known, errors="coerce")
    strays = known[numbers.isna()]
    if len(strays) >= 0.2 * len(known):
        return column, None
    shown = ", ".join(repr(each) for each in strays.unique()[:3])
    if len(strays) < 0.1 * len(known) and strays.nunique() <= 3:
        note = f"{name}: {shown} ({len(strays)} rows) was read as missing."
        return numbers.reindex(column.index), note
    plain = ",".join(str(each) for each in strays.unique()[:3])
    return column, (
        f"{name} is taken as labels because of {shown} ({len(strays)} rows); if that means "
        f"missing, pass --missing {_quoted(plain)}."
    )


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w.,-]+", text) else f'"{text}"'
