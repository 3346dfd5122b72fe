"""What stands around a table in exports: titles above it, totals and notes below it."""

from __future__ import annotations

import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from echelon._core.words import counted, is_number
from echelon.cli.files._numbers import numbers_of
from echelon.cli.files._parts import Slices

MOST_TITLES = 30
"""Lines above the names of columns."""
LOOKED_AT, LONGEST = 60, 100_000
"""Rows, and characters, from which the width of a table is known."""

_TOTALS = frozenset(
    {"summe", "gesamt", "gesamtsumme", "insgesamt", "total", "totals", "grand total", "sum",
     "overall", "totale", "ensemble", "total général"}
)  # fmt: skip
_WITHIN = _TOTALS | {"subtotal", "sub-total", "zwischensumme", "teilsumme", "sous-total"}


def n_titles(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows stand above the names of the columns.

    A title has one or two cells with a value, and they are at most half as many as the columns
    of most rows.  The first row that has more holds the names if all of them differ and none is a
    number; otherwise no row is a title, and the first one is what it always is, the names.
    """
    rows = list(rows[:LOOKED_AT])
    widths = Counter(len(row) for row in rows if _filled(row))
    if not widths:
        return 0
    width = max(widths, key=lambda each: (widths[each], each))
    for j, row in enumerate(rows[: MOST_TITLES + 1]):
        n_filled = len(_filled(row))
        if len(row) == width and 2 * n_filled > width:
            return j if _are_names(row) else 0
        if n_filled > 2 or 2 * n_filled > width or (width == 2 and len(row) == 2 and n_filled):
            return 0
    return 0


def _filled(row: Sequence[Any]) -> list[str]:
    return [text for cell in row if cell is not None and (text := str(cell).strip())]


def _are_names(row: Sequence[Any]) -> bool:
    names = _filled(row)
    return len(set(names)) == len(names) and not any(map(numbers_of, names))


def n_below(rows: Sequence[Sequence[Any]], width: int) -> int:
    """How many of the last rows are notes, with text in one cell only, or totals, or empty."""
    kept = len(rows)
    for n_below_, row in enumerate(reversed(rows), 1):
        if not _is_below(row, width):
            break
        if _filled(row):
            kept = len(rows) - n_below_
    return len(rows) - kept


def _is_below(row: Sequence[Any], width: int) -> bool:
    filled = _filled(row)
    if not filled:
        return True
    if filled[0].lower().rstrip(": ") in _TOTALS:
        return True
    first = str(row[0] or "").strip()
    if len(filled) > 1 or not first or is_number(first):
        return False
    return len(row) == 1 < width or (width > 2 and any(mark in first for mark in " :*"))


def said_of_totals(labels: Iterable[Any], name: str) -> str | None:
    """A word on lines of totals within a table, which only the user can tell from its rows."""
    found = [text for each in labels if (text := str(each)).lower().rstrip(": ") in _WITHIN]
    if not found:
        return None
    return (
        f"{name}: {found[0]!r} ({counted(len(found), 'row')}) looks like a line of totals; if it "
        "is no row of the table, remove it from the file."
    )


def said_of(name: str, above: int, below: int) -> list[str]:
    """What was left out, in sentences."""
    said = []
    if above:
        said.append(f"{name}: {counted(above, 'line')} above the names of the columns left out.")
    if below:
        said.append(f"{name}: {counted(below, 'line')} of notes or totals at the end left out.")
    return said


# ----------------------------------------------------------------------------- spreadsheets


def table_in(
    rows: Sequence[Sequence[Any]], name: str
) -> tuple[list[str], Sequence[Sequence[Any]], list[str]]:
    """Names of columns, rows below them, and what was left out or joined.

    Names that repeat are joined with those above them, which count for all columns up to the next
    one, as in merged cells.
    """
    above = n_titles(rows)
    joined = _joined(rows)
    if joined is not None:
        above, names = joined
    else:
        names = [str(cell).strip() if cell is not None else "" for cell in rows[above]]
    names = [each or f"column {j + 1}" for j, each in enumerate(names)]
    below = n_below(rows[above + 1 :], len(names))
    body = rows[above + 1 : len(rows) - below]
    n_said = sum(bool(_filled(row)) for row in rows[:above]) - (joined is not None)
    n_notes = sum(bool(_filled(row)) for row in rows[len(rows) - below :])
    notes = said_of(name, n_said, n_notes)
    if joined is not None:
        notes.append(f"{name}: two lines of names were joined, as in {names[0]!r}.")
    return names, body, notes


def _joined(rows: Sequence[Sequence[Any]]) -> tuple[int, list[str]] | None:
    """The second of two lines of names, and the names; None if there is one line only."""
    for j, (upper, lower) in enumerate(itertools.pairwise(rows)):
        over, names = _filled(upper), _filled(lower)
        are_names = len(set(names)) < len(names) and not any(map(numbers_of, names))
        if not are_names or len(over) < 2 or not _spans(upper, lower, rows[j + 2 : LOOKED_AT]):
            if len(over) > 2:
                return None
            continue
        full, last = [], ""
        for group, name in zip(upper, lower, strict=True):
            last = str(group).strip() if group is not None else last
            own = "" if name is None else str(name).strip()
            full.append(own if own == last else f"{last} {own}".strip())
        return (j + 1, full) if len(set(full)) == len(full) else None
    return None


def _spans(upper: Sequence[Any], lower: Sequence[Any], below: Sequence[Sequence[Any]]) -> bool:
    """Whether names count for several columns; answers to questions, as yes and yes, do not.

    Such a name repeats, or has no other beside it, and what it spans does not occur again below.
    """
    filled = [bool(_filled([cell])) for cell in upper]
    first = filled.index(True)
    spanned = zip(filled[first:], lower[first:], strict=True)
    unnamed = any(not named and _filled([cell]) for named, cell in spanned)
    names = _filled(upper)
    if not unnamed and len(set(names)) == len(names):
        return False
    return not any(
        cell is not None and cell == name
        for row in below
        for name, cell in zip(lower, row, strict=False)
    )


# ------------------------------------------------------------------------------------- text


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
    n_filled = sum(bool(_filled(next(reader))) for _ in range(n))
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
        if _filled(row):
            end, n_cut = begin, n_cut + 1
    return text[:end], n_cut
