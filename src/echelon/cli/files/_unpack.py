"""The bytes of a file or of standard input, unpacked where they are compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from echelon._core.files import expanded
from echelon.cli._terminal import InputError, brief, nearest
from echelon.cli.files._limit import Limit

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
    path = expanded(source)
    try:
        with path.open("rb") as file:
            before = _state(file)
            data = limit.read(file)
            if _state(file) != before:
                raise InputError(f"{source!r} changed while it was read. Wait until it is written.")
            return data
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
