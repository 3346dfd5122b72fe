"""The bytes of a file: how much memory they may take, unpacked, and what they are.

A small file may unpack to a huge one, so that everything that is read is counted while it comes.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from echelon._core.files import expanded
from echelon.cli._terminal import InputError, brief, nearest

T = TypeVar("T")

SHARE = 0.5
"""Of the free memory that the data may take unless told otherwise: ranking needs some as well."""

UNKNOWN = 8e9
"""Bytes assumed to be free where the system does not tell."""

WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4}
"""Bytes of a value of Parquet; 8 for all others."""

CHUNK = 1 << 20
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Limit(NamedTuple):
    """Bytes that the data of a file may take."""

    n_bytes: float
    name: str
    """Of the file."""

    def check(self, needed: float) -> None:
        """Refuse what needs more."""
        if needed > self.n_bytes:
            raise InputError(
                f"{self.name} takes more than {_shown(self.n_bytes)} of memory, the limit. Use "
                "fewer rows or columns, or raise --max-memory."
            )

    def read(self, stream: IO[bytes]) -> bytes:
        """All that comes, unless it is too much."""
        chunks = []
        total = 0
        while chunk := stream.read(CHUNK):
            chunks.append(chunk)
            total += len(chunk)
            self.check(total)
        return b"".join(chunks)


def limit_for(name: str, size: str | None) -> Limit:
    """What ``--max-memory`` says, a share of the free memory where it says nothing."""
    if size is None:
        return Limit(SHARE * free_memory(), name)
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", size.strip(), re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise InputError(f"--max-memory must be a size such as 500MB or 8GB, got {size!r}.")
    return Limit(float(found[1]) * _UNITS[found[2].upper()], name)


def free_memory() -> float:
    """Bytes of memory that this process may still take, by and large."""
    return min(_available(), _allowed())


def _available() -> float:
    """What the machine has left; all it has where it does not say that."""
    try:
        found = re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())
        if found is not None:
            return float(found[1]) * 1024
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):  # no such file, or name, or function
        return UNKNOWN


def _allowed() -> float:
    """What a container may take."""
    for place in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            return float(Path("/sys/fs/cgroup", place).read_text())
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return float("inf")


def _shown(n_bytes: float) -> str:
    """A size as people write it."""
    for unit in ("T", "G", "M", "K"):
        if n_bytes >= _UNITS[unit]:
            return f"{n_bytes / _UNITS[unit]:.3g} {unit}B"
    return f"{n_bytes:.0f} bytes"


# ------------------------------------------------------------------------------------- unpacked

_FORMATS: dict[bytes, tuple[str, str, Callable[[io.BytesIO], Any]]] = {
    b"\x1f\x8b": ("gzip", ".gz", gzip.open),
    b"BZh": ("bzip2", ".bz2", bz2.open),
    b"\xfd7zXZ\x00": ("xz", ".xz", lzma.open),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip file begins, and an empty one."""
_EXCEL = "[Content_Types].xml"
"""What every zip file holds that is an Excel file."""
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_DAMAGE = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def source_bytes(source: str, limit: Limit) -> bytes:
    """All bytes of a file, or of standard input for ``-``."""
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("Nothing comes on standard input. Pipe a CSV file in, or name one.")
        return limit.read(sys.stdin.buffer)
    if not source:
        raise InputError(
            "The name of the data file is empty. Name a file, or - for standard input."
        )
    return from_file(source, limit.read)


def from_file(source: str, read: Callable[[IO[bytes]], T]) -> T:
    """What is read of an open file, which must not change meanwhile."""
    path = expanded(source)
    try:
        with path.open("rb") as file:
            before = _state(file)
            found = read(file)
            if _state(file) != before:
                raise InputError(f"{source!r} changed while it was read. Wait until it is written.")
            return found
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no file {source!r}.{_beside(path)}") from None
    except PermissionError:
        raise InputError(f"{source!r} may not be read: permission denied.") from None
    except OSError as error:
        raise InputError(f"{source!r} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise InputError(f"{source!r} is no file name: {error}.") from error


def _state(file: IO[bytes]) -> tuple[int, int]:
    """How large a file is, and when it was written last."""
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns


def _beside(path: Path) -> str:
    """A hint at a file that was perhaps meant."""
    try:
        others = [each.name for each in path.parent.iterdir() if each.is_file()]
    except OSError:
        return ""
    hint = nearest(path.name, others)
    return f" {hint}" if hint.startswith("Did") else ""


def unpacked(data: bytes, path: str, limit: Limit) -> tuple[bytes, str]:
    """What is compressed in a file, and the path by whose ending it is read.

    The content tells the format, not the name; an Excel file, which is a zip too, stays as it is.
    """
    content, inside = _opened(data, path, limit)
    if content is not data and _is_packed(content):
        raise InputError(f"{limit.name} holds a file that is compressed again. Unpack it first.")
    return content, inside


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


def _opened(data: bytes, path: str, limit: Limit) -> tuple[bytes, str]:
    """One level of compression less, and the path without its ending."""
    name = limit.name
    for mark, (kind, ending, opened) in _FORMATS.items():
        if data.startswith(mark):
            try:
                with opened(io.BytesIO(data)) as stream:
                    content = limit.read(stream)
                return content, path[: -len(ending)] if _ends(path, ending) else path
            except InputError:
                raise
            except _DAMAGE as error:
                raise InputError(f"{name} is a damaged {kind} file: {brief(error)}.") from error
    if data.startswith(_ZSTANDARD):
        raise InputError(f"{name} is compressed by Zstandard, which is not read. Unpack it first.")
    return _from_zip(data, path, limit) if data.startswith(_ZIP) else (data, path)


def _ends(path: str, ending: str) -> bool:
    return Path(path).suffix.lower() == ending


def _from_zip(data: bytes, path: str, limit: Limit) -> tuple[bytes, str]:
    """The one file in a zip, and its name; an Excel file unchanged."""
    name = limit.name
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
            with archive.open(files[0]) as stream:
                return limit.read(stream), files[0]
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or by an unknown method
        raise InputError(f"{name} cannot be unpacked: {brief(error)}.") from error
    except InputError:
        raise
    except _DAMAGE as error:
        if _ends(path, ".xlsx") or _ends(path, ".xlsm"):
            return data, path
        raise InputError(f"{name} is a damaged zip file: {brief(error)}.") from error


# ---------------------------------------------------------------------------------- what they are

READERS = {
    rb"\$FL[23]@\(#\)": ("SPSS", "read_sav"),
    rb".{0,200}SPSS PORT FILE": ("SPSS", "read_por"),
    rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00": ("Stata", "read_dta"),
    rb"\x00{12}\xc2\xea\x81\x60": ("SAS", "read_sas7bdat"),
    rb"HEADER RECORD\*{7}LIB": ("SAS", "read_xport"),
}
"""How the files of these programs begin, and what reads them."""


def reader_of(data: bytes) -> tuple[str, str] | None:
    """The program that made a file, and what reads it; None for other files."""
    found = (who for begin, who in READERS.items() if re.match(begin, data[:600], re.DOTALL))
    return next(found, None)


def database_in(data: bytes) -> str | None:
    """The database that a file is, by how it begins."""
    if data.startswith(b"SQLite format 3\x00"):
        return "SQLite"
    # A number of 8 bytes, the version, follows; texts have no zeros.
    return "DuckDB" if data[8:12] == b"DUCK" and data[14:20] == bytes(6) else None


def database_at(path: str) -> str | None:
    """The database at a path; None for other files, and where nothing can be read."""
    return database_in(_begin_of(path))


def parquet_at(path: str) -> bool:
    """Whether a path is that of a Parquet file, which need not be read as a whole."""
    return _begin_of(path)[:4] == b"PAR1"


def _begin_of(path: str) -> bytes:
    """The first bytes of a file; none where nothing can be read."""
    try:
        place = expanded(path)
        if not place.is_file():
            return b""
        with place.open("rb") as file:
            return file.read(20)
    except (OSError, ValueError):
        return b""


@contextmanager
def as_file(data: bytes) -> Iterator[str]:
    """A database that was compressed, or came on standard input, as a file."""
    with tempfile.TemporaryDirectory(prefix="echelon-") as folder:
        path = Path(folder) / "data"
        path.write_bytes(data)
        yield str(path)


_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(data: bytes, name: str) -> tuple[str, list[str], str]:
    """Text of whatever encoding, UTF-8 unless a mark or the bytes say otherwise; notes; which."""
    encoding = _encoding(data)
    if encoding is not None:
        try:
            return data.decode(encoding), [], encoding
        except UnicodeDecodeError as error:
            raise InputError(f"{name} cannot be decoded as {encoding}: {error.reason}.") from error
    if b"\x00" in data:
        raise InputError(f"{name} holds NUL bytes, so it is no text file, or a damaged one.")
    control = sum(data[:4096].count(bytes([c])) for c in (*range(1, 9), *range(14, 27), 28, 29))
    if control > 0.01 * len(data[:4096]):
        raise InputError(f"{name} is no text file, and none of the other formats that are read.")
    try:
        return data.decode("utf-8"), [], "utf-8"
    except UnicodeDecodeError:
        note = f"{name} is not UTF-8 and was read as Windows-1252."
        return data.decode("cp1252", errors="replace"), [note], "cp1252"


def _encoding(data: bytes) -> str | None:
    """What a mark says, or every other byte, which is 0 in texts of two bytes per letter."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding
    for encoding, offset in (("utf-16-le", 1), ("utf-16-be", 0)) if b"\x00" in data else ():
        if len(data) % 2 == 0 and data[offset::2].count(0) > 0.8 * (len(data) // 2):
            return encoding
    return None
