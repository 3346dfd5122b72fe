"""What every benchmark needs: growth exponents, the machine in words, the page in docs."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np

from echelon import __version__

PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"


def best_of(repeats: int, function: Callable[[], object]) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def slopes(sizes, times) -> str:
    """Exponent of growth: fitted, and between the two largest sizes."""
    fitted = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    last = np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2])
    return f"{fitted:.2f} (between the two largest {last:.2f})"


def environment(*packages: str) -> str:
    """Python, package versions and processor, for the head of a page."""
    names = (*packages, "numba", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    made = f"echelon {__version__}, {versions}"
    return f"Python {platform.python_version()}, {made} on {processor()}"


def processor() -> str:
    """The processor in words."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{(names or [platform.processor()])[0]} ({os.cpu_count()} cores)"


def note(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


def data_folder() -> Path | None:
    """The folder of the papers' data (``ECHELON_DATA``), if given."""
    folder = os.environ.get("ECHELON_DATA")
    return Path(folder) if folder else None


def publish(name: str, make_page: Callable[[], str], arguments: argparse.Namespace) -> None:
    """Print a page and, with ``--write``, keep it in docs."""
    text = make_page()
    print(text)
    if arguments.write:
        file = PAGES / f"{name}.md"
        file.write_text(text, encoding="utf-8")
        note(f"written to {file}")
