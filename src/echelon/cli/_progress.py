"""A sign of life on a terminal, with an estimate, where a command takes more than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from echelon._core.progress import watched
from echelon.cli._options import Common

DELAY = 1.0
"""Seconds before anything is shown."""


@contextmanager
def working(doing: str, common: Common) -> Iterator[Callable[[str], None]]:
    """A bar on standard error, if that is a terminal; yields what changes its words."""
    if common.quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(), console=Console(stderr=True), transient=True,
    )  # fmt: skip
    task = bar.add_task(doing, total=None)
    timer = Timer(DELAY, bar.start)
    timer.daemon = True
    timer.start()

    def tell(expected: int, done: int) -> None:
        if expected:
            bar.update(task, total=(bar.tasks[0].total or 0) + expected)
        bar.advance(task, done)

    try:
        with watched(tell):
            yield lambda doing: bar.update(task, description=doing)
    finally:
        timer.cancel()
        bar.stop()
