"""Files that were given to the page, each in a private folder of its own."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Any

from echelon._core.words import visible
from echelon.cli._bundled import BUNDLED
from echelon.cli._terminal import InputError

MOST_BYTES = 100_000_000
"""Of a file; the command takes larger ones."""

LONGEST_NAME = 180
"""Bytes."""


class File:
    """A file of the session, and how its columns were last read."""

    def __init__(self, folder: Path, name: str, size: int, target: str = ""):
        self.id = secrets.token_hex(8)
        self.name = name
        self.size = size
        self.target = target
        """The column that bundled data have as a target."""
        self.path = folder / self.id / name
        self.whole = False
        self.path.parent.mkdir()

    def as_dict(self) -> dict[str, Any]:
        """What the page knows of it."""
        return {"id": self.id, "name": self.name, "size": self.size, "target": self.target}


class Files:
    """The files of the session."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._files: dict[str, File] = {}
        folder.mkdir()

    def announce(self, name: str, size: int) -> File:
        """A file that is about to come; refused before it is sent where it is too large."""
        check_size(name, size)
        file = File(self.folder, safe_name(name), size)
        self._files[file.id] = file
        return file

    async def receive(self, file: File, stream: AsyncIterator[bytes]) -> None:
        """Write what comes, unless it is more than was said."""
        part = file.path.with_name("part")
        size = 0
        try:
            with part.open("xb") as written:
                async for chunk in stream:
                    size += len(chunk)
                    check_size(file.name, size)
                    written.write(chunk)
            part.rename(file.path)
        except BaseException:
            self.remove(file.id)
            raise
        file.size, file.whole = size, True

    def bundled(self, name: str) -> File:
        """A file with data that come with the package."""
        if name not in BUNDLED:
            raise InputError(f"There are no bundled data {name!r}.")
        text = BUNDLED[name].make().to_csv(index=False)
        file = File(self.folder, f"{name}.csv", len(text), BUNDLED[name].target)
        file.path.write_text(text, encoding="utf-8")
        file.whole = True
        self._files[file.id] = file
        return file

    def get(self, name: str) -> File | None:
        """The file of that id."""
        return self._files.get(name)

    def all(self) -> list[File]:
        """Those that arrived, the oldest first."""
        return [file for file in self._files.values() if file.whole]

    def remove(self, name: str) -> None:
        """Forget a file; runs that use it have a link of their own."""
        file = self._files.pop(name, None)
        if file is not None:
            shutil.rmtree(file.path.parent, ignore_errors=True)


def check_size(name: str, size: int) -> None:
    """Refuse what is too large for the page."""
    if size > MOST_BYTES:
        raise InputError(
            f"{safe_name(name)} is larger than {MOST_BYTES / 1e6:.0f} MB, the limit of this page. "
            "The command takes larger files: echelon rank FILE --target COLUMN."
        )


def safe_name(name: str) -> str:
    """A name without a folder, control characters or a beginning that means something else."""
    last = PurePosixPath(visible(name).replace("\\", "/")).name
    last = re.sub(r"[\x00-\x1f\x7f/]", "_", last).strip()
    if not last or last[0] in "-.":
        last = f"_{last}"
    stem, dot, ending = last.rpartition(".")
    if dot and len(ending) < 12:
        return f"{_cut(stem)}.{_cut(ending)}"
    return _cut(last)


def _cut(text: str) -> str:
    """The beginning of a text, as much as a file system takes with what runs add."""
    return text.encode(errors="replace")[:LONGEST_NAME].decode(errors="ignore")
