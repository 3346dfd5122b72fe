"""Files that are written whole or not at all, and never over another one by accident."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """The path with the home folder for ``~``, or a sentence where nobody has that home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise FileNotFoundError(
            f"There is no home folder for {str(path)!r}. Write the folder out."
        ) from None


def resolved(path: str | Path) -> Path:
    """The path with links followed, or a sentence where they lead in a circle."""
    found = expanded(path)
    try:
        found = found.resolve()
        circle = found.is_symlink()
    except RuntimeError:  # before Python 3.13
        circle = True
    if circle:
        raise OSError(f"{str(path)!r} is a link that leads back to itself. Name another file.")
    return found


def check_writable(path: str | Path, *, overwrite: bool = False) -> Path:
    """Refuse a path that could not be written later, before any work is done.

    Parameters
    ----------
    path : str or Path
        Where something is to be written.
    overwrite : bool, default=False
        Whether an existing file may be replaced.

    Returns
    -------
    path : Path
        The path, links resolved.
    """
    found = resolved(path)
    if found.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder. Name a file in it.")
    if not found.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(Path(path).parent)!r} to write {found.name!r} to. "
            "Make it first."
        )
    if not _is_special(found):
        if found.exists() and not overwrite:
            raise _exists(path)
        if not os.access(found.parent, os.W_OK):
            raise PermissionError(f"The folder {str(Path(path).parent)!r} cannot be written to.")
    return found


def write_whole(path: str | Path, content: str | bytes, *, overwrite: bool = False) -> Path:
    """Write to a temporary file beside the target and rename it.

    Whoever looks at the path sees the old file or the new one, never a part of it, also if the
    process is interrupted.

    Parameters
    ----------
    path : str or Path
        File to write.
    content : str or bytes
        All of it; text is written as UTF-8.
    overwrite : bool, default=False
        Replace an existing file instead of refusing to.

    Returns
    -------
    path : Path
        The file written, links resolved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from echelon._core.files import write_whole
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_whole(folder / "ranking.csv", "rank,feature").name
    'ranking.csv'
    >>> write_whole(folder / "ranking.csv", "again")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileExistsError: '...ranking.csv' exists already. ...
    """
    found = check_writable(path, overwrite=overwrite)
    data = content.encode() if isinstance(content, str) else content
    with _naming(path):
        if _is_special(found):
            found.write_bytes(data)
            return found
        handle, name = tempfile.mkstemp(
            prefix=f".{found.name[:40]}.", suffix=".part", dir=found.parent
        )
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.chmod(_usual_mode())
            _put_in_place(part, found, overwrite)
        finally:
            part.unlink(missing_ok=True)
    return found


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Name the file that could not be written, not the temporary one: the disk is full, say."""
    try:
        yield
    except OSError as error:
        if error.strerror:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _put_in_place(part: Path, path: Path, overwrite: bool) -> None:
    """Rename; without ``overwrite`` also a file that appeared meanwhile is left alone."""
    if overwrite:
        part.replace(path)
        return
    try:
        os.link(part, path)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError:  # a file system without hard links
        if path.exists():
            raise _exists(path) from None
        part.replace(path)


def _exists(path: str | Path) -> FileExistsError:
    return FileExistsError(
        f"{str(path)!r} exists already. Choose another name, or overwrite it on purpose "
        "(`overwrite=True`, --force)."
    )


def _is_special(path: Path) -> bool:
    """Whether the path is a device or a pipe, which cannot be replaced."""
    return path.exists() and not path.is_file()


def _usual_mode() -> int:
    """The permissions a new file gets; temporary files are made for their owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
