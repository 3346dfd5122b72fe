"""Delimited text: its delimiter, its names, titles above and notes below it, and long files.

Cells of Python take some 60 bytes each, numbers 8.  So a long text is read part by part: columns
that are plain numbers in every part are kept as numbers; those that are not are kept as texts as
Arrow has them, and what turned out not to be plain only later is read again.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import pandas as pd

from echelon._core.jobs import expect, step
from echelon._core.words import counted, is_number
from echelon.cli._terminal import InputError
from echelon.cli.files._numbers import numbers_of, plain_numbers

DELIMITERS = ",;\t|"

MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>")
"""Texts that mean that a value is missing; "None" may be a class."""

_TRUTHS = {text: text.lower() == "true" for each in ("true", "false")
           for text in (each, each.upper(), each.title())}  # fmt: skip

MOST_TITLES = 30
"""Lines above the names of columns."""

LOOKED_AT, LONGEST = 60, 100_000
"""Rows, and characters, from which the width of a table is known."""

_TOTALS = frozenset(
    {"summe", "gesamt", "gesamtsumme", "insgesamt", "total", "totals", "grand total", "sum",
     "overall", "totale", "ensemble", "total général"}
)  # fmt: skip

_WITHIN = _TOTALS | {"subtotal", "sub-total", "zwischensumme", "teilsumme", "sous-total"}

CELLS = 400_000
"""Cells that are held as Python holds them, at a time."""

FEWEST_ROWS = 500
"""Rows of a part, even if they are long."""


class Reading(NamedTuple):
    """How to read: what was said on the command line."""

    delimiter: str | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    max_memory: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing_in: Mapping[str, Sequence[str]] = {}
    """Texts that mean missing in single columns."""


def read_text(text: str, name: str, delimiter: str | None, how: Reading) -> pd.DataFrame:
    """A table with one line of column names; ``delimiter`` as the ending of the file says."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    hint = re.match(r"sep=(.)\n", text)  # Excel's first line
    if hint:
        text, delimiter = text[hint.end() :], hint[1]
    delimiter = _one_character(how.delimiter) or delimiter or _sniffed(text)
    text, n_cut, above = without_titles(text, delimiter)
    rows = Slices(text)
    header = _header(rows, delimiter, name)
    text, below = without_notes(text, delimiter, len(header))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = read_parts(  # what a point or a comma means is decided for the whole file
                text,
                rows.place,
                len(header),
                sep=delimiter,
                header=None,
                names=range(len(header)),
                index_col=False,
                skipinitialspace=True,
                keep_default_na=False,
                na_values=[*MISSING, *how.missing],
            )
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=range(len(header)))
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        _check_rows(text, delimiter, len(header), name, n_cut, short=False)
        reason = str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")
        raise InputError(
            f"{name} cannot be read: {reason}. Is a quotation mark left open?"
        ) from error
    sure = {header[j]: cell for j, cell in frame.attrs.get("sure", {}).items()}
    truths = {j: _truths(column) for j, column in frame.items()}
    frame = pd.DataFrame(truths, index=frame.index, copy=False)
    frame.columns = header
    if len(frame) and frame.iloc[:, -1].isna().any():
        _check_rows(text, delimiter, len(header), name, n_cut, short=True)
    said = said_of(name, above, below)
    frame.attrs |= {"format": "csv", "delimiter": delimiter, "sure": sure, "notes": said}
    return frame


def _truths(column: pd.Series) -> pd.Series:
    """A column of true and false as booleans; any other as it is."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    first = next((cell for cell in column if isinstance(cell, str)), None)
    if first not in _TRUTHS or not column.dropna().isin(_TRUTHS).all():
        return column
    return column.map(_TRUTHS).infer_objects()


def _one_character(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError(
            f"--delimiter must be one character, got {delimiter!r}. Write tab for tabs."
        )
    return delimiter


def _sniffed(text: str) -> str:
    """The delimiter that gives the first lines the same number of fields, as many as possible."""
    best, most = ",", (0.0, False, 1)
    for delimiter in DELIMITERS:
        rows = first_rows(text, delimiter)
        above = n_titles(rows)
        counts = Counter(len(row) for row in rows[above:] if row)
        if not counts:
            continue
        n_fields, n_rows = max(counts.items(), key=lambda item: (item[0] > 1, item[1]))
        share = n_rows / sum(counts.values()) if n_fields > 1 else 0.0
        quality = (share, above == 0, n_fields)
        if quality > most:
            best, most = delimiter, quality
    return best


def _header(rows: Slices, delimiter: str, name: str) -> list[str]:
    """Column names; ``rows`` is left behind them."""
    try:
        fields = next(csv.reader(rows, delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: {error}.") from error
    header = [field.strip() or f"column {j + 1}" for j, field in enumerate(fields)]
    if len(header) > 1 and all(is_number(field) for field in fields):
        raise InputError(
            f"The first line of {name} holds numbers, not column names. Add a line of names."
        )
    return header


def _check_rows(
    text: str, delimiter: str, n_fields: int, name: str, n_cut: int, *, short: bool
) -> None:
    """Refuse the first row that ends early, or late: its values may belong to other columns.

    ``n_cut`` lines of the file stand before the text.
    """
    reader = csv.reader(Slices(text), delimiter=delimiter)
    hint = "" if short else ", or say what separates columns with --delimiter"
    longest = csv.field_size_limit(max(len(text), 1))  # pandas reads cells of any length
    try:
        for row in reader:
            found = len(row)
            if found and (found < n_fields if short else found > n_fields):
                line, fields = n_cut + reader.line_num, f"field{'s' * (found > 1)}"
                raise InputError(
                    f"Line {line} of {name} has {found} {fields}, but "
                    f"there are {n_fields} column names. Correct the line{hint}."
                )
    except csv.Error as error:
        line = n_cut + reader.line_num
        raise InputError(f"Line {line} of {name} cannot be read: {error}.") from error
    finally:
        csv.field_size_limit(longest)


# ------------------------------------------------------------------------------- long files


class Slices:
    """A text as a file from some place on, without the copy of 4 bytes a character of StringIO."""

    def __init__(self, text: str, place: int = 0):
        self.text = text
        self.place = place

    def read(self, size: int = -1) -> str:
        """The next so many characters; all that are left for -1."""
        begin = self.place
        end = len(self.text) if size < 0 else min(begin + size, len(self.text))
        self.place = end
        return self.text[begin:end]

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        end = self.text.find("\n", self.place) + 1 or len(self.text)
        if self.place >= end:
            raise StopIteration
        begin, self.place = self.place, end
        return self.text[begin:end]


def read_parts(text: str, place: int, n_columns: int, **options: Any) -> pd.DataFrame:
    """The table that begins at some place of a text.

    Parameters
    ----------
    text : str
        Rows, after a line of names.
    place : int
        Where the first row begins.
    n_columns : int
        How many columns there are.
    **options
        For ``pandas.read_csv``.

    Returns
    -------
    frame : DataFrame
        Columns of numbers, and of texts; ``attrs["sure"]`` holds a cell of every column of numbers
        that shows how they are written.
    """
    n_rows = max(FEWEST_ROWS, CELLS // n_columns)
    n_lines = text.count("\n", place) + 1
    if n_lines <= 2 * n_rows:
        return _read(text, place, dtype=object, **options)
    expect(-(-n_lines // n_rows))
    parts: list[list[pd.Series]] = [[] for _ in range(n_columns)]
    sure: dict[int, str] = {}
    texts: set[int] = set()
    again: set[int] = set()
    with _read(text, place, dtype=object, chunksize=n_rows, **options) as reader:
        for chunk in reader:
            for j, column in chunk.items():
                found = None if j in texts else plain_numbers(column)
                if found is None and j not in texts:
                    again |= {j} if parts[j] else set()
                    texts.add(j)
                elif found is not None:
                    column = found[0]
                    sure |= dict.fromkeys([j], found[1]) if found[1] else {}
                parts[j].append(column if found is not None else column.astype("str"))
            step()
    whole: dict[int, pd.Series] = {}
    for j in range(n_columns):  # what is joined is let go
        known, parts[j] = parts[j], []
        whole[j] = known[0] if j in again else pd.concat(known, ignore_index=True)
    if again:
        more = _read(text, place, dtype="str", usecols=sorted(again), **options)
        whole |= dict(more.items())
    frame = pd.DataFrame(whole, copy=False)
    frame.attrs["sure"] = {j: cell for j, cell in sure.items() if j not in texts}
    return frame


def _read(text: str, place: int, **options: Any) -> Any:
    return pd.read_csv(Slices(text, place), **options)  # type: ignore[call-overload]


# ------------------------------------------------------------- around a table


def first_rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows of a delimited text, as far as they can be parsed."""
    reader = csv.reader(io.StringIO(text[:LONGEST]), delimiter=delimiter)
    rows: list[list[str]] = []
    with suppress(csv.Error, StopIteration):
        while len(rows) < LOOKED_AT:
            rows.append(next(reader))
    if len(text) > LONGEST and 1 < len(rows) < LOOKED_AT:
        del rows[-1]  # which may be cut off
    return rows


def without_titles(text: str, delimiter: str) -> tuple[str, int, int]:
    """The text from its column names on; the lines that were cut, and those that say something."""
    n = n_titles(first_rows(text, delimiter))
    if not n:
        return text, 0, 0
    lines = Slices(text)
    reader = csv.reader(lines, delimiter=delimiter)
    n_filled = sum(bool(filled_cells(next(reader))) for _ in range(n))
    return text[lines.place :], reader.line_num, n_filled


def without_notes(text: str, delimiter: str, width: int) -> tuple[str, int]:
    """The text up to the last row of the table, and how many lines with something were cut."""
    end, n_cut = len(text), 0
    here = end
    while here > 0:
        begin = text.rfind("\n", 0, here - 1) + 1
        line = text[begin:here].rstrip("\n")
        if line.count('"') % 2 or begin == 0:
            break
        row = next(csv.reader([line], delimiter=delimiter), [])
        if not _is_below(row, width):
            break
        here = begin
        if filled_cells(row):
            end, n_cut = begin, n_cut + 1
    return text[:end], n_cut


def n_titles(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows stand above the names of the columns.

    A title has one or two cells with a value, and they are at most half as many as the columns
    of most rows.  The first row that has more holds the names if all of them differ and none is a
    number; otherwise no row is a title, and the first one is what it always is, the names.
    """
    rows = list(rows[:LOOKED_AT])
    widths = Counter(len(row) for row in rows if filled_cells(row))
    if not widths:
        return 0
    width = max(widths, key=lambda each: (widths[each], each))
    for j, row in enumerate(rows[: MOST_TITLES + 1]):
        n_filled = len(filled_cells(row))
        if len(row) == width and 2 * n_filled > width:
            return j if _are_names(row) else 0
        if n_filled > 2 or 2 * n_filled > width or (width == 2 and len(row) == 2 and n_filled):
            return 0
    return 0


def filled_cells(row: Sequence[Any]) -> list[str]:
    return [text for cell in row if cell is not None and (text := str(cell).strip())]


def _are_names(row: Sequence[Any]) -> bool:
    names = filled_cells(row)
    return len(set(names)) == len(names) and not any(map(numbers_of, names))


def n_below(rows: Sequence[Sequence[Any]], width: int) -> int:
    """How many of the last rows are notes, with text in one cell only, or totals, or empty."""
    kept = len(rows)
    for n_below_, row in enumerate(reversed(rows), 1):
        if not _is_below(row, width):
            break
        if filled_cells(row):
            kept = len(rows) - n_below_
    return len(rows) - kept


def _is_below(row: Sequence[Any], width: int) -> bool:
    filled = filled_cells(row)
    if not filled:
        return True
    if filled[0].lower().rstrip(": ") in _TOTALS:
        return True
    first = str(row[0] or "").strip()
    if len(filled) > 1 or not first or is_number(first):
        return False
    return len(row) == 1 < width or (width > 2 and any(mark in first for mark in " :*"))


def said_of(name: str, above: int, below: int) -> list[str]:
    """What was left out, in sentences."""
    said = []
    if above:
        said.append(f"{name}: {counted(above, 'line')} above the names of the columns left out.")
    if below:
        said.append(f"{name}: {counted(below, 'line')} of notes or totals at the end left out.")
    return said


def said_of_totals(labels: Iterable[Any], name: str) -> str | None:
    """A word on lines of totals within a table, which only the user can tell from its rows."""
    found = [text for each in labels if (text := str(each)).lower().rstrip(": ") in _WITHIN]
    if not found:
        return None
    return (
        f"{name}: {found[0]!r} ({counted(len(found), 'row')}) looks like a line of totals; if it "
        "is no row of the table, remove it from the file."
    )
