"""Columns of text that are really numbers or dates: 1.234,5 or $1,200 or 31.12.2024."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from echelon._core.words import listed
from echelon.cli.files._numbers import Decision, Style, decide, read_number, reader, style_of
from echelon.cli.files._text import MISSING, Reading

_ISO = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_CLOCK = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?)?"
_DAY = rf"(\d{{1,2}})[./-](\d{{1,2}})[./-](?:\d{{4}}|\d{{2}}){_CLOCK}"
_MONTH = rf"\d{{1,2}}[-. ]{{1,2}}[A-Za-z]{{3,9}}[-., ]{{1,2}}(?:\d{{4}}|\d{{2}}){_CLOCK}"
_DOUBTFUL = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")

GAPS = frozenset(
    {"-", "--", "\u2013", "\u2014", ".", "n.a.", "n. a.", "N.A.", "n.v.", "n. v.", "k.A.", "k. A.",
     "k.A", "k/A", "none", "None", "missing", "not available", "keine Angabe", "#NV", "#N/V",
     "#WERT!", "#BEZUG!", "#ZAHL!", "#NAME?", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NULL!"}
)  # fmt: skip
"""Texts that mean missing among numbers; among labels they may be labels."""


class Read(NamedTuple):
    """A column as it was read, and what had to be assumed."""

    column: pd.Series
    note: str | None = None
    dressed: tuple[str, float] | None = None
    """A cell that is not written as a plain number, and the number it was read as."""
    doubt: str | None = None


class Cleaned(NamedTuple):
    """A table of numbers, dates and labels, and what had to be assumed to get there."""

    frame: pd.DataFrame
    notes: list[str]
    doubts: list[str]
    """What may well be wrong, and so is said before the answer."""


def cleaned(frame: pd.DataFrame, how: Reading) -> Cleaned:
    """Text stripped, texts for missing values gone, numbers and dates as such."""
    columns = {str(name): column for name, column in frame.items()}
    telling: dict[str, Iterable[str]] = {}
    texts: dict[str, pd.Series] = {}
    for name, column in columns.items():
        if not _is_text(column):
            continue
        plain = _plain_numbers(column)
        if plain is not None:
            columns[name], telling[name] = plain
        else:
            missing = {*MISSING, *how.missing, *how.missing_in.get(name, ())}
            texts[name] = _stripped(column, missing)
            telling[name] = _strings(texts[name].dropna())
    delimiter = frame.attrs.get("delimiter")
    decision = decide(telling, delimiter, how.decimal, how.thousands)
    notes: list[str] = []
    doubts = _doubts(decision)
    dressed: dict[str, tuple[str, float]] = {}
    for name, style in decision.columns.items():
        if name not in texts and style != decision.style:
            cell = next(iter(telling[name]))
            dressed[name] = (cell, float(cell))
    for name, text in texts.items():
        found = _read(text, name, decision.columns.get(name, decision.style))
        columns[name] = found.column
        notes += [found.note] if found.note else []
        doubts += [found.doubt] if found.doubt else []
        if found.dressed is not None and name not in decision.guessed:
            dressed[name] = found.dressed
    columns = {
        name: _without(column, {*how.missing, *how.missing_in.get(name, ())}, decision.style)
        for name, column in columns.items()
    }
    read = pd.DataFrame(columns, index=frame.index)
    return Cleaned(read, [*_said(dressed), *notes], doubts)


def _without(column: pd.Series, missing: set[str], style: Style) -> pd.Series:
    """A column of numbers or categories without those that mean missing."""
    if not missing or pd.api.types.is_bool_dtype(column.dtype):
        return column
    if isinstance(column.dtype, pd.CategoricalDtype):
        gone = column.astype(str).isin(missing)
        return column.where(~gone).cat.remove_unused_categories() if gone.any() else column
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return column
    numbers = [read_number(text, style) or read_number(text, Style()) for text in missing]
    gone = column.isin([number.value for number in numbers if number is not None])
    return column.mask(gone) if gone.any() else column


def _said(dressed: dict[str, tuple[str, float]]) -> list[str]:
    """How numbers that are not plain were read; columns written alike together."""
    alike: dict[str, list[str]] = {}
    for name, (cell, _) in dressed.items():
        alike.setdefault(re.sub(r"[\d\s+-]+", "", cell), []).append(name)
    return [
        f"{listed(names)}: {dressed[names[0]][0]!r} was read as {dressed[names[0]][1]:.15g}."
        for names in alike.values()
    ]


def _doubts(decision: Decision) -> list[str]:
    """Columns that may be written in the other style, and the option that settles it."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name, cell in decision.guessed.items():
        sign = "," if "," in cell else "."
        alike.setdefault((decision.columns[name].decimal, sign), []).append(name)
    said = []
    for (decimal, _), names in alike.items():
        other = "," if decimal == "." else "."
        cell = decision.guessed[names[0]]
        this, that = (read_number(cell, style_of(sign)) for sign in (decimal, other))
        if this is not None and that is not None:
            said.append(
                f"{listed(names)}: {cell!r} was read as {this.value:.15g}; pass --decimal {other} "
                f"if it means {that.value:.15g}, or --decimal {decimal} if not."
            )
    return said


def _is_text(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype)


def _plain_numbers(column: pd.Series) -> tuple[pd.Series, list[str]] | None:
    """Numbers beyond doubt, and a cell that shows it; None if they are not plain, or may be others.

    Where one cell, as 12.5, has a decimal point, 1.244 has one as well.
    """
    cells = column.to_numpy(dtype=object)
    known = cells[~pd.isna(cells)]
    numbers = pd.to_numeric(cells, errors="coerce")
    if not len(known) or np.isnan(numbers).sum() != len(cells) - len(known):
        return None
    marked = [cell for cell in known if isinstance(cell, str) and "." in cell]
    sure = next((cell for cell in marked if not _DOUBTFUL.fullmatch(cell.strip())), None)
    if (marked and sure is None) or not isinstance(known[0], str):
        return None
    return pd.Series(numbers, column.index), [sure] if sure else []


def _stripped(column: pd.Series, missing: set[str]) -> pd.Series:
    """The column without spaces around texts, and without texts that mean missing."""
    is_str = column.map(lambda value: isinstance(value, str)).to_numpy(bool)
    text = column.astype(object).where(is_str)
    text = text.map(lambda value: value.strip() if isinstance(value, str) else value)
    column = column.astype(object).where(~is_str, text)
    return column.where(~(is_str & text.isin(missing).to_numpy()), None)


def _strings(known: pd.Series) -> Iterable[str]:
    """The cells of a column of texts; none of a column with cells of other types as well."""
    return known if known.map(lambda value: isinstance(value, str)).all() else ()


def _read(column: pd.Series, name: str, style: Style) -> Read:
    """The column as numbers, dates or labels."""
    known = column.dropna()
    if len(known) == 0:
        return Read(column.astype(float))
    if not known.map(lambda value: isinstance(value, str)).all():
        return _mixed(column, name)
    numbers = pd.to_numeric(known, errors="coerce")
    plain = style.decimal == "." or not known.str.contains(".", regex=False).any()
    if plain and numbers.notna().all():
        return Read(numbers.reindex(column.index))
    found = _dates(column, known, name)
    if found is not None:
        return found
    read = reader(known, style)
    return _with_strays(column, known, known.map(read).astype(float), name)


def _mixed(column: pd.Series, name: str) -> Read:
    """Cells of several types, as spreadsheets have them."""
    inferred = column.infer_objects()
    if not pd.api.types.is_object_dtype(inferred.dtype):
        return Read(inferred)
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().equals(column.notna()):
        return Read(numbers)
    text = column.where(column.isna(), column.map(str)).astype(object)
    text = text.where(column.notna(), None)
    known = text.dropna()
    return _with_strays(text, known, pd.to_numeric(known, errors="coerce"), name)


def _dates(column: pd.Series, known: pd.Series, name: str) -> Read | None:
    if known.str.fullmatch(_ISO).all():
        dates = pd.to_datetime(known, errors="coerce", utc=True, format="ISO8601")
    elif known.str.fullmatch(_MONTH).all():
        dates = pd.to_datetime(known, errors="coerce", utc=True, dayfirst=True, format="mixed")
    elif known.str.fullmatch(_DAY).all():
        parts = known.str.extract(f"^{_DAY}$").astype(int)
        day_first, month_first = parts[0] > 12, parts[1] > 12
        if day_first.any() == month_first.any():
            return Read(column, doubt=_doubt_about_dates(known, name, day_first, month_first))
        dates = pd.to_datetime(
            known, errors="coerce", utc=True, dayfirst=bool(day_first.any()), format="mixed"
        )
    else:
        return None
    if dates.isna().any():
        return None
    return Read(dates.dt.tz_localize(None).reindex(column.index))


def _doubt_about_dates(
    known: pd.Series, name: str, day_first: pd.Series, month_first: pd.Series
) -> str:
    """Why dates are labels: all may be day or month first, or some are the one, some the other."""
    if not day_first.any():
        why = f"{known.iloc[0]!r} may be day or month first"
    else:
        one, other = known[day_first].iloc[0], known[month_first].iloc[0]
        why = f"{one!r} has the day first and {other!r} the month"
    return f"{name}: {why}, so its dates are taken as labels; write them as 2024-12-31."


def _with_strays(column: pd.Series, known: pd.Series, numbers: pd.Series, name: str) -> Read:
    """Numbers but for a few texts: gaps if they are few or say so, and mentioned in any case.

    ``numbers`` holds the number in every cell of ``known``, NaN where there is none.
    """
    strays = known[numbers.isna()]
    others = strays[~strays.isin(GAPS)]
    n_numbers = len(known) - len(strays)
    if len(others) >= n_numbers or (len(strays) >= n_numbers and numbers.nunique() < 3):
        return Read(column)
    shown = ", ".join(repr(each) for each in strays.unique()[:3])
    if len(others) == 0 or (len(others) < 0.1 * len(known) and others.nunique() <= 3):
        note = f"{name}: {shown} ({len(strays)} rows) was read as missing." if len(strays) else None
        return Read(numbers.reindex(column.index), note, _dressed(known, numbers))
    shown = ", ".join(repr(each) for each in others.unique()[:3])
    plain = ",".join(str(each) for each in others.unique()[:3])
    return Read(
        column,
        f"{name} is taken as labels because of {shown} ({len(others)} rows); if that means "
        f"missing, pass --missing {_quoted(plain)}.",
    )


def _dressed(known: pd.Series, numbers: pd.Series) -> tuple[str, float] | None:
    """The first cell that no machine reads as it stands, and its number."""
    plain = pd.to_numeric(known, errors="coerce")
    places = known.index[numbers.notna() & (plain.ne(numbers) | ~known.map(str.isascii))]
    return (known[places[0]], float(numbers[places[0]])) if len(places) else None


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w.,-]+", text) else f'"{text}"'
