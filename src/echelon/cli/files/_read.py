"""A file of any format, compressed or not, as a table; what is wrong with it in one sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from echelon._core.extras import require
from echelon._core.files import expanded
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._clean import cleaned
from echelon.cli.files._text import Reading, decoded, is_arff, read_arff, read_text

_FORMATS: dict[bytes, tuple[str, str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", ".gz", gzip.decompress),
    b"BZh": ("bzip2", ".bz2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", ".xz", lzma.decompress),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip file begins, and an empty one."""
_DAMAGE = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


class Table(NamedTuple):
    """A table, where it is from, and what had to be assumed to read it."""

    frame: pd.DataFrame
    source: str
    notes: list[str]
    lists_labels: bool = False
    """Whether labels of features are merely listed, as in ARFF: their order says nothing."""
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
    data, path = _unpacked(_bytes(source), name, source)
    if not data.strip():
        raise InputError(f"{name} is empty.")
    frame, notes = _parsed(data, name, path.lower(), how)
    _check_names(frame, name)
    if len(frame) == 0:
        raise InputError(f"{name} has column names but no rows.")
    lists_labels = frame.attrs.get("format") == "arff"
    frame, more, doubts = cleaned(frame, how)
    return Table(frame, name, [*notes, *more], lists_labels, doubts)


def _parsed(data: bytes, name: str, path: str, how: Reading) -> tuple[pd.DataFrame, list[str]]:
    """By content where it tells, by the ending of the name elsewhere; and notes."""
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
    return frame if isinstance(index, pd.RangeIndex) and index.name is None else frame.reset_index()


def _excel(data: bytes, name: str, sheet: str | None) -> tuple[pd.DataFrame, list[str]]:
    require("Excel files need", "io", "openpyxl")
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # zip, XML and key errors: whatever the damage leads to
        raise InputError(f"{name} cannot be read as Excel: {brief(error)}.") from error
    titles = book.sheetnames
    if sheet is not None and sheet not in titles:
        raise InputError(f"{name} has no sheet {sheet!r}. {nearest(sheet, titles)}")
    notes = []
    if sheet is None and len(titles) > 1:
        notes.append(f"{name} has {len(titles)} sheets; the first one, {titles[0]!r}, was read.")
    rows = [row for row in book[sheet or titles[0]].values if any(v is not None for v in row)]
    if not rows:
        raise InputError(f"The sheet of {name} is empty.")
    header = [f"column {j + 1}" if v is None else str(v).strip() for j, v in enumerate(rows[0])]
    return pd.DataFrame(rows[1:], columns=header).infer_objects(), notes


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
    for mark, (kind, ending, decompress) in _FORMATS.items():
        if data.startswith(mark):
            try:
                return decompress(data), path[: -len(ending)] if _ends(path, ending) else path
            except _DAMAGE as error:
                raise InputError(f"{name} is a damaged {kind} file: {brief(error)}.") from error
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        raise InputError(f"{name} is compressed by Zstandard, which is not read. Unpack it first.")
    return _from_zip(data, name, path) if data.startswith(_ZIP) else (data, path)


def _ends(path: str, ending: str) -> bool:
    return Path(path).suffix.lower() == ending


def _from_zip(data: bytes, name: str, path: str) -> tuple[bytes, str]:
    """The one file in a zip, and its name; an Excel file unchanged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = archive.namelist()
            if "[Content_Types].xml" in inside:
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
