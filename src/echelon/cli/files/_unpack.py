"""Compressed files: gzip, bzip2, xz, and zip with one file in it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from echelon.cli._errors import InputError, brief

_FORMATS: dict[bytes, tuple[str, str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", ".gz", gzip.decompress),
    b"BZh": ("bzip2", ".bz2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", ".xz", lzma.decompress),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip file begins, and an empty one."""
_DAMAGE = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def unpacked(data: bytes, name: str, path: str) -> tuple[bytes, str]:
    """What is compressed in a file, and the path by whose ending it is read.

    The content tells the format, not the name; an Excel file, which is a zip too, stays as it is.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        What to call it in errors.
    path : str
        Its path.
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
