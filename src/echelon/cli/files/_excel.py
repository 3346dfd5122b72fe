"""A sheet of an Excel file as a table, with names of columns over several rows and cells."""

from __future__ import annotations

import io
import itertools
import zipfile
from collections.abc import Sequence
from typing import Any

import pandas as pd

from echelon._core.extras import require
from echelon._core.words import listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._bytes import Limit
from echelon.cli.files._numbers import numbers_of
from echelon.cli.files._text import LOOKED_AT, filled_cells, n_below, n_titles, said_of


def read_excel(data: bytes, limit: Limit, sheet: str | None) -> tuple[pd.DataFrame, list[str]]:
    require("Excel files need", "io", "openpyxl")
    name = limit.name
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            limit.check(sum(part.file_size for part in parts.infolist()))
            merged = any(
                b"<mergeCell " in parts.read(part)
                for part in parts.namelist()
                if part.startswith("xl/worksheets/")
            )
        titles, rows = _sheet(data, name, sheet, merged)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # zip, XML and key errors: whatever the damage leads to
        raise InputError(f"{name} cannot be read as Excel: {brief(error)}.") from error
    chosen = sheet or titles[0]
    others = [title for title in titles if title != chosen]
    choose = f"choose another sheet with --sheet: {listed(map(repr, others))}."
    if others and (len(rows) < 2 or len(rows[0]) < 2):
        raise InputError(f"The sheet {chosen!r} of {name} holds no table; {choose}")
    if not rows:
        raise InputError(f"The sheet of {name} is empty.")
    names, body, notes = table_in(rows, name)
    frame = pd.DataFrame(body, columns=names).infer_objects()
    frame.attrs |= {"format": "excel", "sheet": chosen}
    if others:
        frame.attrs["hint"] = f" The sheet {chosen!r} was read; {choose}"
    if others and sheet is None:
        notes = [f"{name} has {len(titles)} sheets; the first one, {chosen!r}, was read.", *notes]
    return frame, notes


def _sheet(
    data: bytes, name: str, sheet: str | None, merged: bool
) -> tuple[list[str], list[list[Any]]]:
    """The names of all sheets, and the rows of one, as long as the longest; none of a chart."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=not merged, data_only=True)
    titles = book.sheetnames
    if sheet is not None and sheet not in titles:
        raise InputError(f"{name} has no sheet {sheet!r}. {nearest(sheet, titles)}")
    cells = book[sheet or titles[0]]
    if not hasattr(cells, "values"):
        return titles, []
    if merged:
        _fill_merged(cells)
    else:
        cells.reset_dimensions()  # what a file says of its own size may be wrong
    rows = [_filled_part(row) for row in cells.values]
    width = max(map(len, rows), default=0)
    return titles, [[*row, *[None] * (width - len(row))] for row in rows if row]


def _fill_merged(cells: Any) -> None:
    """Cells below one that they are merged with get its value: a name over several rows."""
    for area in list(cells.merged_cells.ranges):
        cells.unmerge_cells(str(area))
        value = cells.cell(area.min_row, area.min_col).value
        for row in range(area.min_row + 1, area.max_row + 1):
            cells.cell(row, area.min_col).value = value


def _filled_part(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row up to its last cell with a value."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row[:end]


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
    n_said = sum(bool(filled_cells(row)) for row in rows[:above]) - (joined is not None)
    n_notes = sum(bool(filled_cells(row)) for row in rows[len(rows) - below :])
    notes = said_of(name, n_said, n_notes)
    if joined is not None:
        notes.append(f"{name}: two lines of names were joined, as in {names[0]!r}.")
    return names, body, notes


def _joined(rows: Sequence[Sequence[Any]]) -> tuple[int, list[str]] | None:
    """The second of two lines of names, and the names; None if there is one line only."""
    for j, (upper, lower) in enumerate(itertools.pairwise(rows)):
        over, names = filled_cells(upper), filled_cells(lower)
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
    filled = [bool(filled_cells([cell])) for cell in upper]
    first = filled.index(True)
    spanned = zip(filled[first:], lower[first:], strict=True)
    unnamed = any(not named and filled_cells([cell]) for named, cell in spanned)
    names = filled_cells(upper)
    if not unnamed and len(set(names)) == len(names):
        return False
    return not any(
        cell is not None and cell == name
        for row in below
        for name, cell in zip(lower, row, strict=False)
    )
