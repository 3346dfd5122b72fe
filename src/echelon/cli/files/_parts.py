"""Delimited text read part by part, so that a long table takes little more memory than its numbers.

Cells of Python take some 60 bytes each, numbers 8.  So columns that are plain numbers in every part
are kept as numbers, part by part; those that are not are kept as texts as Arrow has them, and what
turned out not to be plain only later is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from echelon._core.jobs import expect, step

CELLS = 400_000
"""Cells that are held as Python holds them, at a time."""
FEWEST_ROWS = 500
"""Rows of a part, even if they are long."""

DOUBTFUL = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""1.244 may be a number above 1000."""

LEAST_CODE = 4
"""Digits of a code that begins with 0; 01 is a month."""


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


def plain_numbers(column: pd.Series) -> tuple[pd.Series, str] | None:
    """Numbers beyond doubt, and a cell that shows it; None if they are not plain, or may be others.

    Where one cell, as 12.5, has a decimal point, 1.244 has one as well.
    """
    cells = column.to_numpy(dtype=object)
    known = cells[~pd.isna(cells)]
    numbers = pd.to_numeric(cells, errors="coerce")
    if not len(known) or np.isnan(numbers).sum() != len(cells) - len(known):
        return None
    if not isinstance(known[0], str):
        return None
    marked = (cell for cell in known if "." in cell)
    sure = next((cell for cell in marked if not DOUBTFUL.fullmatch(cell.strip())), "")
    if not sure and any("." in cell or is_code(cell) for cell in known):
        return None
    return pd.Series(numbers, column.index), sure


def is_code(cell: str) -> bool:
    """Whether a cell of digits begins with 0, as a postal code: so are no numbers written."""
    return cell[0] == "0" and len(cell) >= LEAST_CODE and cell.isdigit()
