"""A file of any format, compressed or not, as a table; what is wrong with it in one sentence."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from echelon._core.extras import require
from echelon._core.words import listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._clean import cleaned
from echelon.cli.files._limit import Limit, limit_for
from echelon.cli.files._text import Reading, decoded, is_arff, read_arff, read_text
from echelon.cli.files._unpack import source_bytes, unpacked

_PROGRAMS = {
    "Stata": rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00",
    "SPSS": rb"\$FL[23]@\(#\)",
    "SAS": rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIB",
    "R": rb"RD[ABX]\d\n|[ABX]\n\x00\x00\x00",
}
"""How the files of programs begin that are not read."""

TEXT_COST = 5
"""Memory that text takes at least while it is read, in units of its size."""

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4}
"""Bytes of a value of Parquet; 8 for all others."""


class Table(NamedTuple):
    """A table, where it is from, and what had to be assumed to read it."""

    frame: pd.DataFrame
    source: str
    notes: list[str]
    lists_labels: bool = False
    """Whether labels are merely listed, as in ARFF: their order alone says nothing."""
    hint: str = ""
    """What to try where a column is not found."""
    doubts: Sequence[str] = ()
    """What may well have been read wrong, and so is said before the answer."""


def read_table(source: str, how: Reading) -> Table:
    """Read a file, or standard input for ``-``.

    Parameters
    ----------
    source : str
        Path of the file.
    how : Reading
        Delimiter, texts for missing values and sheet, where they are not found by themselves.

    Returns
    -------
    table : Table
        Columns of numbers, dates, labels and categories; notes about assumptions.
    """
    name = "standard input" if source == "-" else Path(source).name
    limit = limit_for(name, how.max_memory)
    data, path = unpacked(source_bytes(source, limit), source, limit)
    if not data.strip():
        raise InputError(f"{name} is empty.")
    frame, notes = _parsed(data, path.lower(), how, limit)
    _check_names(frame, name)
    if len(frame) == 0:
        raise InputError(f"{name} has column names but no rows.")
    lists_labels, hint = frame.attrs.get("format") == "arff", frame.attrs.get("hint", "")
    frame, more, doubts = cleaned(frame, how)
    return Table(frame, name, [*notes, *more], lists_labels, hint, doubts)


def _parsed(data: bytes, path: str, how: Reading, limit: Limit) -> tuple[pd.DataFrame, list[str]]:
    """By content where it tells, by the ending of the name elsewhere; and notes."""
    name = limit.name
    for program, begin in _PROGRAMS.items():
        if re.match(begin, data):
            raise InputError(
                f"{name} is a file of {program}, which is not read. Save it as CSV, Parquet, "
                "Feather, ARFF or Excel."
            )
    if data[:4] == b"PAR1" or path.endswith((".parquet", ".pq")):
        return _columnar(data, limit, "Parquet", _check_parquet), []
    if data[:6] == b"ARROW1" or data[:4] == b"FEA1" or path.endswith((".feather", ".arrow")):
        return _columnar(data, limit, "Feather", _check_feather), []
    if data[:4] == b"PK\x03\x04" or path.endswith((".xlsx", ".xlsm")):
        return _excel(data, limit, how.sheet)
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise InputError(f"{name} is an Excel file of the old format. Save it as .xlsx or CSV.")
    limit.check(TEXT_COST * len(data))
    text, notes = decoded(data, name)
    if not text.strip():
        raise InputError(f"{name} is empty.")
    if path.endswith(".arff") or is_arff(text):
        return read_arff(text, name), notes
    tabs = "\t" if path.endswith((".tsv", ".tab")) else None
    return read_text(text, name, tabs, how), notes


def _columnar(
    data: bytes, limit: Limit, kind: str, check: Callable[[bytes, Limit], None]
) -> pd.DataFrame:
    require(f"{kind} files need", "io", "pyarrow")
    import pyarrow as pa

    name = limit.name
    try:
        check(data, limit)
        frame = getattr(pd, f"read_{kind.lower()}")(io.BytesIO(data))
        # Damaged letters would show up later, when a text is looked at.
        pa.Table.from_pandas(frame.select_dtypes("string")).validate(full=True)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise InputError(f"{name} cannot be read as {kind}: {brief(error)}.") from error
    index = frame.index
    twice = [each for each in index.names if each is not None and each in frame.columns]
    if twice:
        raise InputError(
            f"{name} has an index and a column that are both named {twice[0]!r}. Rename or drop "
            "one of them."
        )
    if not isinstance(index, pd.RangeIndex) or index.name is not None:
        frame = frame.reset_index()
    return frame.apply(_as_dates)


def _check_parquet(data: bytes, limit: Limit) -> None:
    """By what the file says of itself: its size unpacked, and a value in every cell."""
    from pyarrow import parquet

    facts = parquet.ParquetFile(io.BytesIO(data)).metadata
    unpacked = sum(facts.row_group(j).total_byte_size for j in range(facts.num_row_groups))
    kinds = [facts.schema.column(j).physical_type for j in range(facts.num_columns)]
    limit.check(max(unpacked, facts.num_rows * sum(_WIDTHS.get(kind, 8) for kind in kinds)))


def _check_feather(data: bytes, limit: Limit) -> None:
    """Part by part, since the file does not say how large they are."""
    import pyarrow as pa

    if data[:4] == b"FEA1":
        return  # the first version, which is not compressed
    parts = pa.ipc.open_file(io.BytesIO(data))
    total = 0
    for j in range(parts.num_record_batches):
        total += parts.get_batch(j).nbytes
        limit.check(total)


def _as_dates(column: pd.Series) -> pd.Series:
    """Days without a time, which pandas keeps as objects, as dates; all else as it is."""
    if pd.api.types.infer_dtype(column, skipna=True) != "date":
        return column
    days = column.astype(object).where(column.notna(), None)
    return pd.Series(days.to_numpy().astype("datetime64[s]"), column.index, name=column.name)


def _excel(data: bytes, limit: Limit, sheet: str | None) -> tuple[pd.DataFrame, list[str]]:
    require("Excel files need", "io", "openpyxl")
    name = limit.name
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            limit.check(sum(part.file_size for part in parts.infolist()))
        titles, rows = _sheet(data, name, sheet)
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
    header = [f"column {j + 1}" if v is None else str(v).strip() for j, v in enumerate(rows[0])]
    frame = pd.DataFrame(rows[1:], columns=header).infer_objects()
    if not others:
        return frame, []
    frame.attrs["hint"] = f" The sheet {chosen!r} was read; {choose}"
    if sheet is not None:
        return frame, []
    return frame, [f"{name} has {len(titles)} sheets; the first one, {chosen!r}, was read."]


def _sheet(data: bytes, name: str, sheet: str | None) -> tuple[list[str], list[list[Any]]]:
    """The names of all sheets, and the rows of one, as long as the longest; none of a chart."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    titles = book.sheetnames
    if sheet is not None and sheet not in titles:
        raise InputError(f"{name} has no sheet {sheet!r}. {nearest(sheet, titles)}")
    cells = book[sheet or titles[0]]
    if not hasattr(cells, "values"):
        return titles, []
    cells.reset_dimensions()  # what a file says of its own size may be wrong
    rows = [_filled_part(row) for row in cells.values]
    width = max(map(len, rows), default=0)
    return titles, [[*row, *[None] * (width - len(row))] for row in rows if row]


def _filled_part(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row up to its last cell with a value."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row[:end]


def _check_names(frame: pd.DataFrame, name: str) -> None:
    if isinstance(frame.columns, pd.MultiIndex):
        raise InputError(f"{name} has column names of several levels. Join them to one.")
    frame.columns = [str(each) for each in frame.columns]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        places = [j + 1 for j, each in enumerate(frame.columns) if each == twice[0]]
        raise InputError(
            f"{name} has {len(places)} columns named {twice[0]!r} (columns "
            f"{', '.join(map(str, places[:5]))}). Rename or drop all but one."
        )
    if frame.shape[1] == 1:
        shown = frame.columns[0] if len(frame.columns[0]) < 60 else f"{frame.columns[0][:57]}..."
        raise InputError(
            f"{name} has one column only, {shown!r}. Is the delimiter right? Say it with "
            "--delimiter."
        )
