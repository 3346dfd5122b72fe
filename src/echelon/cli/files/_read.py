"""A file of any format, compressed or not, as a table; what is wrong with it in one sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from echelon._core.extras import require
from echelon._core.files import expanded
from echelon._core.words import listed
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._clean import cleaned
from echelon.cli.files._text import MISSING, Reading, decoded, is_arff, read_arff, read_text

_FORMATS: dict[bytes, tuple[str, str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", ".gz", gzip.decompress),
    b"BZh": ("bzip2", ".bz2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", ".xz", lzma.decompress),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip file begins, and an empty one."""
_EXCEL = "[Content_Types].xml"
"""What every zip file holds that is an Excel file."""
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_PROGRAMS = {
    "Stata": rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00",
    "SPSS": rb"\$FL[23]@\(#\)",
    "SAS": rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIB",
    "R": rb"RD[ABX]\d\n|[ABX]\n\x00\x00\x00",
}
"""How the files of programs begin that are not read."""
_DAMAGE = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


class Table(NamedTuple):
    """A table, where it is from, and what had to be assumed to read it."""

    frame: pd.DataFrame
    source: str
    notes: list[str]
    lists_labels: bool = False
    """Whether labels are merely listed, as in ARFF: their order alone says nothing."""
    hint: str = ""
    """What to try where a column is not found."""


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
    data, path = _unpacked(_bytes(source), name, source)
    if not data.strip():
        raise InputError(f"{name} is empty.")
    frame, notes = _parsed(data, name, path.lower(), how)
    _check_names(frame, name)
    if len(frame) == 0:
        raise InputError(f"{name} has column names but no rows.")
    lists_labels, hint = frame.attrs.get("format") == "arff", frame.attrs.get("hint", "")
    frame, more = cleaned(frame, {*MISSING, *how.missing})
    return Table(frame, name, [*notes, *more], lists_labels, hint)


def _parsed(data: bytes, name: str, path: str, how: Reading) -> tuple[pd.DataFrame, list[str]]:
    """By content where it tells, by the ending of the name elsewhere; and notes."""
    for program, begin in _PROGRAMS.items():
        if re.match(begin, data):
            raise InputError(
                f"{name} is a file of {program}, which is not read. Save it as CSV, Parquet, "
                "Feather, ARFF or Excel."
            )
    if data[:4] == b"PAR1" or path.endswith((".parquet", ".pq")):
        return _columnar(data, name, "Parquet", "read_parquet"), []
    if data[:6] == b"ARROW1" or data[:4] == b"FEA1" or path.endswith((".feather", ".arrow")):
        return _columnar(data, name, "Feather", "read_feather"), []
    if data[:4] == b"PK\x03\x04" or path.endswith((".xlsx", ".xlsm")):
        return _excel(data, name, how.sheet)
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise InputError(f"{name} is an Excel file of the old format. Save it as .xlsx or CSV.")
    text, notes = decoded(data, name)
    if not text.strip():
        raise InputError(f"{name} is empty.")
    if path.endswith(".arff") or is_arff(text):
        return read_arff(text, name), notes
    tabs = "\t" if path.endswith((".tsv", ".tab")) else None
    return read_text(text, name, tabs, how), notes


def _bytes(source: str) -> bytes:
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("Nothing comes on standard input. Pipe a CSV file in, or name one.")
        return sys.stdin.buffer.read()
    if not source:
        raise InputError(
            "The name of the data file is empty. Name a file, or - for standard input."
        )
    path = expanded(source)
    if path.is_dir():
        raise InputError(f"{source!r} is a folder. Name a file in it.")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {source!r}.{_beside(path)}") from None
    except PermissionError:
        raise InputError(f"{source!r} may not be read: permission denied.") from None
    except OSError as error:
        raise InputError(f"{source!r} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise InputError(f"{source!r} is no file name: {error}.") from error


def _beside(path: Path) -> str:
    """A hint at a file that was perhaps meant."""
    try:
        others = [each.name for each in path.parent.iterdir() if each.is_file()]
    except OSError:
        return ""
    hint = nearest(path.name, others)
    return f" {hint}" if hint.startswith("Did") else ""


def _columnar(data: bytes, name: str, kind: str, reader: str) -> pd.DataFrame:
    require(f"{kind} files need", "io", "pyarrow")
    import pyarrow as pa

    try:
        frame = getattr(pd, reader)(io.BytesIO(data))
        # Damaged letters would show up later, when a text is looked at.
        pa.Table.from_pandas(frame.select_dtypes("string")).validate(full=True)
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


def _as_dates(column: pd.Series) -> pd.Series:
    """Days without a time, which pandas keeps as objects, as dates; all else as it is."""
    if pd.api.types.infer_dtype(column, skipna=True) != "date":
        return column
    days = column.astype(object).where(column.notna(), None)
    return pd.Series(days.to_numpy().astype("datetime64[s]"), column.index, name=column.name)


def _excel(data: bytes, name: str, sheet: str | None) -> tuple[pd.DataFrame, list[str]]:
    require("Excel files need", "io", "openpyxl")
    try:
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


# ------------------------------------------------------------------- compressed files


def _unpacked(data: bytes, name: str, path: str) -> tuple[bytes, str]:
    """What is compressed in a file, and the path by whose ending it is read.

    The content tells the format, not the name; an Excel file, which is a zip too, stays as it is.
    """
    unpacked, inside = _opened(data, name, path)
    if unpacked is not data and _is_packed(unpacked):
        raise InputError(f"{name} holds a file that is compressed again. Unpack it first.")
    return unpacked, inside


def _is_packed(data: bytes) -> bool:
    """Whether something is compressed, other than an Excel file."""
    if data.startswith((*_FORMATS, _ZSTANDARD)):
        return True
    if not data.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _EXCEL not in archive.namelist()
    except _DAMAGE:
        return False


def _opened(data: bytes, name: str, path: str) -> tuple[bytes, str]:
    """One level of compression less, and the path without its ending."""
    for mark, (kind, ending, decompress) in _FORMATS.items():
        if data.startswith(mark):
            try:
                return decompress(data), path[: -len(ending)] if _ends(path, ending) else path
            except _DAMAGE as error:
                raise InputError(f"{name} is a damaged {kind} file: {brief(error)}.") from error
    if data.startswith(_ZSTANDARD):
        raise InputError(f"{name} is compressed by Zstandard, which is not read. Unpack it first.")
    return _from_zip(data, name, path) if data.startswith(_ZIP) else (data, path)


def _ends(path: str, ending: str) -> bool:
    return Path(path).suffix.lower() == ending


def _from_zip(data: bytes, name: str, path: str) -> tuple[bytes, str]:
    """The one file in a zip, and its name; an Excel file unchanged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = archive.namelist()
            if _EXCEL in inside:
                return data, path
            files = [each for each in inside if not each.endswith("/") and "__MACOSX" not in each]
            if len(files) != 1:
                raise InputError(
                    f"{name} must hold one file, got {len(files)}. Unpack it, and name one."
                )
            return archive.read(files[0]), files[0]
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or by an unknown method
        raise InputError(f"{name} cannot be unpacked: {brief(error)}.") from error
    except InputError:
        raise
    except _DAMAGE as error:
        if _ends(path, ".xlsx") or _ends(path, ".xlsm"):
            return data, path
        raise InputError(f"{name} is a damaged zip file: {brief(error)}.") from error
