"""How much memory the data may take: a small file may unpack to a huge one."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, NamedTuple

from echelon.cli._terminal import InputError

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
