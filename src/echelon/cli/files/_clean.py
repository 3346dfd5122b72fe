"""Columns that are really numbers or dates: texts as 1.234,5 or 31.12.2024, numbers as 20241231."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

import pandas as pd

from echelon._core.words import counted, listed
from echelon.cli.files._dates import dates_in, hours_in, hours_of
from echelon.cli.files._numbers import (
    Decision,
    Style,
    decide,
    is_code,
    plain_numbers,
    read_number,
    reader,
    style_of,
)
from echelon.cli.files._text import MISSING, Reading, said_of_totals

_LIKE_NUMBER = re.compile(
    r"[(<>~\u2264\u2265$€£+ -]*\d+(?:[.,:/'\u00b1 \u00a0\u202f-]+\d+)+\D{0,5}"
    r"|[<>~\u2264\u2265]+ ?\d+\D{0,5}"
    r"|(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]{0,6}[-. ']{1,2}\d\d",
    re.IGNORECASE,
)
FEW = 8
"""So many different texts may be numbers of a style that is not known."""
SAMPLED = 200
"""Cells from which a column is taken for dates."""

LOW, SPAN = 19_000_101, 2_001_130
"""The first day that a whole number may mean, and how far the last one is from it."""

GAPS = frozenset(
    {"-", "--", "\u2013", "\u2014", ".", "n.a.", "n. a.", "N.A.", "n.v.", "n. v.", "k.A.", "k. A.",
     "k.A", "k/A", "n.b.", "n. b.", "none", "None", "missing", "not available", "keine Angabe",
     "#NV", "#N/V", "#WERT!", "#BEZUG!", "#ZAHL!", "#NAME?", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!",
     "#NULL!"}
)  # fmt: skip
"""Texts that mean missing among numbers; among labels they may be labels."""


class Read(NamedTuple):
    """A column as it was read, and what had to be assumed."""

    column: pd.Series
    note: str | None = None
    dressed: tuple[str, float] | None = None
    """A cell that is not written as a plain number, and the number it was read as."""
    doubt: str | None = None
    day_first: bool | None = None
    """Of dates whose day and month are numbers."""


class Cleaned(NamedTuple):
    """A table of numbers, dates and labels, and what had to be assumed to get there."""

    frame: pd.DataFrame
    notes: list[str]
    doubts: list[str]
    """What may well be wrong, and so is said before the answer."""
    decimal: str
    """The decimal sign of the file."""
    day_first: dict[str, bool]
    """Columns of dates whose day and month are numbers: whether the day is first."""


def cleaned(frame: pd.DataFrame, how: Reading) -> Cleaned:
    """Text stripped, texts for missing values gone, numbers and dates as such."""
    columns = {str(name): column for name, column in frame.items()}
    telling: dict[str, Iterable[str]] = {
        name: [cell] for name, cell in frame.attrs.get("sure", {}).items()
    }
    texts: list[str] = []

    def text_of(name: str) -> pd.Series:
        """One column at a time, since texts take much memory."""
        missing = {*MISSING, *how.missing, *how.missing_in.get(name, ())}
        return _stripped(columns[name], missing)

    for name, column in columns.items():
        if not _is_text(column):
            continue
        plain = plain_numbers(column)
        if plain is not None:
            columns[name], telling[name] = plain[0], [plain[1]] if plain[1] else []
        else:
            texts.append(name)
            telling[name] = _cells_of(text_of, name)
    delimiter = frame.attrs.get("delimiter")
    decision = decide(telling, delimiter, how.decimal, how.thousands)
    notes: list[str] = []
    doubts = _doubts(decision)
    dressed: dict[str, tuple[str, float]] = {}
    day_first: dict[str, bool] = {}
    for name, style in decision.columns.items():
        if name not in texts and style != decision.style:
            cell = next(iter(telling[name]))
            dressed[name] = (cell, float(cell))
    for name in texts:
        found = _read(text_of(name), name, decision.columns.get(name, decision.style))
        columns[name] = found.column
        notes += [found.note] if found.note else []
        doubts += [found.doubt] if found.doubt else []
        if found.day_first is not None:
            day_first[name] = found.day_first
        if found.dressed is not None and name not in decision.guessed:
            dressed[name] = found.dressed
    if texts and not pd.api.types.is_numeric_dtype(columns[texts[0]].dtype):
        doubt = said_of_totals(columns[texts[0]], texts[0])
        doubts += [doubt] if doubt else []
    for name, column in columns.items():
        days = _compact_dates(column) if pd.api.types.is_numeric_dtype(column.dtype) else None
        if days is not None:
            first = column.dropna().iloc[0]
            notes.append(
                f"{name}: {first:.0f} was read as the date {days.dropna().iloc[0]:%Y-%m-%d}."
            )
            columns[name] = days
    columns = {
        name: _without(column, {*how.missing, *how.missing_in.get(name, ())}, decision.style)
        for name, column in columns.items()
    }
    # Numbers in one block are taken as an array without a copy.
    read = pd.DataFrame(columns, index=frame.index)
    return Cleaned(read, [*_said(dressed), *notes], doubts, decision.style.decimal, day_first)


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
    shown = {names[0]: " ".join(dressed[names[0]][0].split()) for names in alike.values()}
    return [
        f"{listed(names)}: {shown[names[0]]!r} was read as {dressed[names[0]][1]:.15g}."
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


def _stripped(column: pd.Series, missing: set[str]) -> pd.Series:
    """The column without spaces around texts, and without texts that mean missing."""
    is_str = column.map(lambda value: isinstance(value, str)).to_numpy(bool)
    text = column.astype(object).where(is_str)
    text = text.map(lambda value: value.strip() if isinstance(value, str) else value)
    column = column.astype(object).where(~is_str, text)
    return column.where(~(is_str & text.isin(missing).to_numpy()), None)


def _cells_of(text_of: Callable[[str], pd.Series], name: str) -> Iterator[str]:
    """The cells of a column of texts, once they are asked for."""
    yield from _strings(text_of(name).dropna())


def _strings(known: pd.Series) -> Iterable[str]:
    """The cells of a column of texts; none of a column with cells of other types as well."""
    return known if known.map(lambda value: isinstance(value, str)).all() else ()


def _compact_dates(column: pd.Series) -> pd.Series | None:
    """Whole numbers that are all days as 20241231 is, as dates; None if they are not."""
    if not len(column) or not (pd.isna(column.iloc[0]) or 0 <= float(column.iloc[0]) - LOW <= SPAN):
        return None  # of thousands of columns most are known at once
    known = column.dropna()
    if len(known) < 3 or not known.between(LOW, LOW + SPAN).all() or (known % 1 != 0).any():
        return None
    days = known.astype("int64").unique()
    if len(days) < 3:
        return None
    try:
        dates = {day: datetime.strptime(str(day), "%Y%m%d") for day in days}
    except ValueError:
        return None
    return pd.to_datetime(known.astype("int64").map(dates)).reindex(column.index)


def _read(column: pd.Series, name: str, style: Style) -> Read:
    """The column as numbers, dates or labels."""
    known = column.dropna()
    if len(known) == 0:
        return Read(pd.Series(float("nan"), column.index))
    if not known.map(lambda value: isinstance(value, str)).all():
        return _mixed(column, name)
    numbers = pd.to_numeric(known, errors="coerce")
    if _are_codes(known.unique()):
        said = f"{name} is read as categories because of zeros at the front, as in {known.min()!r}."
        return Read(column, said)
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
    column = column.map(hours_of)
    inferred = column.infer_objects()
    if not pd.api.types.is_object_dtype(inferred.dtype):
        return Read(inferred)
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().equals(column.notna()):
        return Read(numbers)
    text = column.where(column.isna(), column.map(str)).astype(object)
    text = text.where(column.notna(), None)
    known = text.dropna()
    found = _dates(text, known, name)
    if found is not None:
        return found
    return _with_strays(text, known, pd.to_numeric(known, errors="coerce"), name)


def _dates(column: pd.Series, known: pd.Series, name: str) -> Read | None:
    """The column as dates, or as times in hours; None if it holds neither."""
    cells = known.unique()
    if not any(char.isdigit() for char in "".join(cells[:SAMPLED])):
        return None  # thousands of texts one by one would take seconds
    hours = hours_in(cells)
    if hours:
        note = f"{name}: {cells[0]!r} was read as {hours[cells[0]]:.4g} hours."
        return Read(known.map(hours).astype(float).reindex(column.index), note)
    sample = dates_in(cells[:SAMPLED])
    if not sample.doubt and 2 * len(sample.dates) < len(cells[:SAMPLED]):
        return None
    found = dates_in(cells)
    if found.doubt:
        doubt = (
            f"{name}: {found.doubt}, so its dates are read as categories; write them as 2024-12-31."
        )
        return Read(column, doubt=doubt)
    strays = known[~known.isin(found.dates)]
    if not _are_few(strays[~strays.isin(GAPS)], known):
        return Read(column, _because_of(strays, name))
    iso = pd.to_datetime([date.isoformat() for date in found.dates.values()], format="ISO8601")
    dates = known.map(dict(zip(found.dates, iso, strict=True))).astype(iso.dtype)
    said: str | None = None
    if len(strays):
        said = _as_missing(strays, name)
    elif found.mixed:
        said = f"{name}: its dates are written in several ways, and were all read as dates."
    return Read(dates.reindex(column.index), said, day_first=found.day_first)


def _with_strays(column: pd.Series, known: pd.Series, numbers: pd.Series, name: str) -> Read:
    """Numbers but for a few texts: missing values if few or declared; always mentioned.

    ``numbers`` holds the number in every cell of ``known``, NaN where there is none.
    """
    strays = known[numbers.isna()]
    others = strays[~strays.isin(GAPS)]
    n_numbers = len(known) - len(strays)
    if len(others) >= n_numbers or (len(strays) >= n_numbers and numbers.nunique() < 3):
        return Read(column, _like_numbers(known, name))
    if _are_few(others, known):
        note = _as_missing(strays, name) if len(strays) else None
        return Read(numbers.reindex(column.index), note, _dressed(known, numbers))
    return Read(column, _because_of(others, name))


def _are_few(others: pd.Series, known: pd.Series) -> bool:
    """Whether texts among numbers or dates are so few that they mean missing."""
    return len(others) == 0 or (len(others) < 0.1 * len(known) and others.nunique() <= 3)


def _as_missing(strays: pd.Series, name: str) -> str:
    texts = strays.unique()
    shown, was = ", ".join(map(repr, texts[:3])), "was" if len(texts) == 1 else "were"
    return f"{name}: {shown} ({counted(len(strays), 'row')}) {was} read as missing."


def _because_of(others: pd.Series, name: str) -> str:
    shown = ", ".join(repr(each) for each in others.unique()[:3])
    plain = ",".join(str(each) for each in others.unique()[:3])
    return (
        f"{name} is read as categories because of {shown} ({counted(len(others), 'row')}); if that "
        f"means missing, pass --missing {_quoted(plain)}."
    )


def _like_numbers(known: pd.Series, name: str) -> str | None:
    """A word on a column of many texts that may well be numbers or dates of an unknown style."""
    cells = known.unique()
    alike = [cell for cell in cells[:SAMPLED] if _LIKE_NUMBER.fullmatch(cell)]
    if len(cells) < FEW or 2 * len(alike) < len(cells[:SAMPLED]):
        return None
    return (
        f"{name} is read as categories: {alike[0]!r} is written as no number or date that is "
        "known. If it is one, write it as 1234.5 or 2024-12-31."
    )


def _are_codes(cells: Iterable[str]) -> bool:
    """Whether cells of digits begin with 0, as postal codes: so are no numbers written."""
    cells = list(cells)
    return any(map(is_code, cells)) and all(cell.isdigit() for cell in cells)


def _dressed(known: pd.Series, numbers: pd.Series) -> tuple[str, float] | None:
    """The first cell that no machine reads as it stands, and its number."""
    plain = pd.to_numeric(known, errors="coerce")
    places = known.index[numbers.notna() & (plain.ne(numbers) | ~known.map(str.isascii))]
    return (known[places[0]], float(numbers[places[0]])) if len(places) else None


def _quoted(text: str) -> str:
    """Text as a shell takes it; a full stop at its end is none of the sentence."""
    return text if re.fullmatch(r"[\w.,-]*[\w-]", text) else f'"{text}"'
