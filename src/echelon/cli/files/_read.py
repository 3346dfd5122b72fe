"""A file of any format, compressed or not, as a table; what is wrong with it in one sentence."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import pandas as pd

from echelon._core.extras import require
from echelon._core.jobs import expect, step
from echelon._core.words import listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._around import table_in
from echelon.cli.files._bytes import (
    WIDTHS,
    Limit,
    as_file,
    database_at,
    database_in,
    from_file,
    limit_for,
    parquet_at,
    reader_of,
    source_bytes,
    unpacked,
)
from echelon.cli.files._clean import cleaned
from echelon.cli.files._databases import read_database
from echelon.cli.files._folder import Drawing, Folder, folder_of, is_parquet, parquet_of, text_of
from echelon.cli.files._json_lines import ENDINGS, is_json_lines, read_json_lines
from echelon.cli.files._labelled import read_labelled
from echelon.cli.files._text import Reading, decoded, is_arff, read_arff, read_text
from echelon.large import Drawn

_R = rb"RD[ABX]\d\n|[ABX]\n\x00\x00\x00"
"""How the files of R begin, which are not read."""

LOOKED_AT = 10_000
"""Bytes in which something stands unless a file is empty."""

CELLS = 1 << 23
"""Values of Parquet read at a time."""

TEXT_COST = 4
"""Memory that text takes while it is read, in units of its size: itself twice, and numbers."""


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
    found: Mapping[str, Any] = {}
    """How it was read: format, encoding, delimiter, sheet, decimal sign, and dates."""
    drawn: Drawn | None = None
    """What is known of all rows, where the table holds samples of them."""


def read_table(source: str, how: Reading, drawing: Drawing | None = None) -> Table:
    """Read a file, a folder of files, those a pattern names, or standard input for ``-``.

    Parameters
    ----------
    source : str
        Path of the file or folder, or a pattern; of a file that holds several tables,
        ``path::table``.
    how : Reading
        Delimiter, texts for missing values and sheet, where they are not found by themselves.
    drawing : Drawing, default=None
        How to draw rows of files that do not fit into memory; None: refuse them.

    Returns
    -------
    table : Table
        Columns of numbers, dates, labels and categories; notes about assumptions.
    """
    path, part = located(source)
    folder = folder_of(path)
    name = "standard input" if path == "-" else Path(path).name
    limit = limit_for(name, how.max_memory)
    drawn, notes = None, list[str]()
    if part is not None:
        if how.sheet not in (None, part):
            raise InputError(f"{source!r} and --sheet {how.sheet!r} name two tables. Pass one.")
        how = how._replace(sheet=part)
    if folder is not None and is_parquet(folder):
        found_rows = parquet_of(folder, limit, how, drawing)
        drawn = found_rows if isinstance(found_rows, Drawn) else None
        frame = _plain(found_rows.frame if isinstance(found_rows, Drawn) else found_rows, name)
        frame.attrs["format"] = "parquet"
    else:
        frame, notes = _parsed(path, how, limit, folder)
    if part is not None and "sheet" not in frame.attrs:
        raise InputError(f"{name} holds one table, without a name. Leave out '::{part}'.")
    _check_names(frame, name)
    if len(frame) == 0:
        raise InputError(f"{name} has column names but no rows.")
    frame = _without_blanks(frame)
    lists_labels, hint = frame.attrs.get("format") == "arff", frame.attrs.get("hint", "")
    found = {str(key): value for key, value in frame.attrs.items()}
    clean = cleaned(frame, how)
    found |= {"decimal": clean.decimal, "day_first": clean.day_first}
    doubts = [*found.pop("doubts", ()), *clean.doubts]
    source = name if part is None else f"{name}::{part}"
    notes = [*notes, *clean.notes]
    return Table(clean.frame, source, notes, lists_labels, hint, doubts, found, drawn)


def located(source: str) -> tuple[str, str | None]:
    """The path of a file, and the table in it that is meant: ``data.sqlite::visits``."""
    path, found, part = source.partition("::")
    return (path, part) if found and not os.path.exists(source) else (source, None)


def _parsed(
    source: str, how: Reading, limit: Limit, folder: Folder | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """By content where it tells, by the ending of the name elsewhere; and notes."""
    kind = None if folder is not None or source == "-" else database_at(source)
    if kind is not None:
        return _database(source, kind, how, limit)
    if folder is None and source != "-" and parquet_at(source):
        read = partial(_columnar, limit=limit, kind="Parquet", check=_check_parquet)
        return from_file(source, read), []
    if folder is not None:
        data, path = text_of(folder, limit), folder.files[0]
    else:
        data, path = unpacked(source_bytes(source, limit), source, limit)
    name, path = limit.name, path.lower()
    if not data[:LOOKED_AT].strip() and not data.strip():
        raise InputError(f"{name} is empty.")
    if re.match(_R, data):
        raise InputError(
            f"{name} is a file of R, which is not read. Save it as CSV, Parquet, Feather or Excel."
        )
    kind, program = database_in(data), reader_of(data)
    if kind is not None:
        with as_file(data) as place:
            return _database(place, kind, how, limit)
    if program is not None:
        return read_labelled(data, *program, limit, how)
    if data[:4] == b"PAR1" or path.endswith((".parquet", ".pq")):
        return _columnar(io.BytesIO(data), limit, "Parquet", _check_parquet), []
    if data[:6] == b"ARROW1" or data[:4] == b"FEA1" or path.endswith((".feather", ".arrow")):
        return _columnar(io.BytesIO(data), limit, "Feather", _check_feather), []
    if data[:4] == b"PK\x03\x04" or path.endswith((".xlsx", ".xlsm")):
        return _excel(data, limit, how.sheet)
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise InputError(f"{name} is an Excel file of the old format. Save it as .xlsx or CSV.")
    limit.check(TEXT_COST * len(data))
    text, notes, encoding = decoded(data, name)
    del data  # which may be large
    if not text[:LOOKED_AT].strip() and not text.strip():
        raise InputError(f"{name} is empty.")
    if path.endswith(".arff") or is_arff(text):
        frame = read_arff(text, name)
    elif path.endswith(ENDINGS) or (text[:LOOKED_AT].lstrip()[:1] == "{" and is_json_lines(text)):
        frame = read_json_lines(text, limit)
    else:
        tabs = "\t" if path.endswith((".tsv", ".tab")) else None
        frame = read_text(text, name, tabs, how)
        notes = [*notes, *frame.attrs.pop("notes")]
    frame.attrs["encoding"] = encoding
    return frame, notes


def _database(path: str, kind: str, how: Reading, limit: Limit) -> tuple[pd.DataFrame, list[str]]:
    frame, notes = read_database(path, kind, how.sheet, limit)
    return frame.apply(_as_dates), notes


def _columnar(
    file: IO[bytes], limit: Limit, kind: str, check: Callable[[IO[bytes], Limit], None]
) -> pd.DataFrame:
    require(f"{kind} files need", "io", "pyarrow")
    import pyarrow as pa

    name = limit.name
    try:
        check(file, limit)
        file.seek(0)
        frame = _parquet(file) if kind == "Parquet" else pd.read_feather(file)
        # Damaged letters would show up later, when a text is looked at.
        pa.Table.from_pandas(frame.select_dtypes("string")).validate(full=True)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise InputError(f"{name} cannot be read as {kind}: {brief(error)}.") from error
    frame = _plain(frame, name)
    frame.attrs["format"] = kind.lower()
    return frame


def _parquet(file: IO[bytes]) -> pd.DataFrame:
    """Some columns at a time, unless some are an index: Arrow takes three times their memory."""
    from pyarrow import parquet

    facts = parquet.ParquetFile(file)
    names = facts.schema_arrow.names
    index = (facts.schema_arrow.pandas_metadata or {}).get("index_columns", [])
    width = max(1, CELLS // max(facts.metadata.num_rows, 1))
    options: dict[str, Any] = {
        "pre_buffer": False
    }  # the whole file would be in memory beside the table
    if width >= len(names) or any(isinstance(each, str) for each in index):
        return pd.read_parquet(file, **options)
    parts = []
    expect(-(-len(names) // width))
    for start in range(0, len(names), width):
        parts.append(pd.read_parquet(file, columns=names[start : start + width], **options))
        step()
    frame = pd.concat(parts, axis=1)
    # A column "a" brings "a.b" with it.
    return frame if [*frame] == names else pd.read_parquet(file, **options)


def _plain(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """A frame whose index is columns, and whose days are dates."""
    index = frame.index
    twice = [each for each in index.names if each is not None and each in frame.columns]
    if twice:
        raise InputError(
            f"{name} has an index and a column that are both named {twice[0]!r}. Rename or drop "
            "one of them."
        )
    if not isinstance(index, pd.RangeIndex) or index.name is not None:
        frame = frame.reset_index()
    others = [j for j, dtype in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(dtype)]
    frame = frame.copy(deep=False)  # numbers are not copied
    for j in others:
        frame.isetitem(j, _as_dates(frame.iloc[:, j]).array)
    return frame


def _check_parquet(file: IO[bytes], limit: Limit) -> None:
    """By what the file says of itself: its size unpacked, and a value in every cell."""
    from pyarrow import parquet

    facts = parquet.ParquetFile(file).metadata
    unpacked = sum(facts.row_group(j).total_byte_size for j in range(facts.num_row_groups))
    kinds = [facts.schema.column(j).physical_type for j in range(facts.num_columns)]
    limit.check(max(unpacked, facts.num_rows * sum(WIDTHS.get(kind, 8) for kind in kinds)))


def _check_feather(file: IO[bytes], limit: Limit) -> None:
    """Part by part, since the file does not say how large they are."""
    import pyarrow as pa

    if file.read(4) == b"FEA1":
        return  # the first version, which is not compressed
    file.seek(0)
    parts = pa.ipc.open_file(file)
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


def _without_blanks(frame: pd.DataFrame) -> pd.DataFrame:
    """The table without columns that have neither a name nor values, as after a last delimiter."""
    unnamed = [name for name in frame if re.fullmatch(r"column \d+", str(name))]
    empty = [name for name in unnamed if frame[name].isna().all()]
    return frame.drop(columns=empty) if frame.shape[1] - len(empty) > 1 else frame


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
