"""What the terminal shows: results, the methods, how far it has come, what is wrong; light."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from fractions import Fraction
from threading import Timer
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from echelon.methods import METHODS, PEERS

UNCUT = 10_000
"""Columns assumed where nobody looks: a pipe or a file cuts nothing off."""

NARROW = 90
"""Columns below which the table of methods becomes a list."""

DELAY = 1.0
"""Seconds before a bar is shown."""

Follower = Callable[[str, float, int], None]
"""Is told what is being done, how many steps are done, and how many are expected."""

_FOLLOWER: ContextVar[Follower | None] = ContextVar("follower", default=None)


class InputError(ValueError):
    """Wrong input: the command ends with exit code 2 and this line."""


def nearest(name: str, known: Iterable[object]) -> str:
    """A hint at the name that was perhaps meant, or at the first few there are."""
    names = [str(each) for each in known]
    lower = {each.lower(): each for each in reversed(names)}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    if close:
        return f"Did you mean {lower[close[0]]!r}?"
    shown = ", ".join(names[:8])
    return f"There are: {shown}{', ...' if len(names) > 8 else '.'}"


def brief(error: object) -> str:
    """The first line of an error of another package, without a full stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200].rstrip(". ")


class _Output(Console):
    """A console that leaves a closed pipe to the one who called it."""

    def on_broken_pipe(self) -> None:
        """Say nothing, and end as any other reader that has seen enough."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output, without colours unless it is a terminal."""
    return _Output(highlight=False, width=None if sys.stdout.isatty() else UNCUT)


def plain_table(**settings: Any) -> Table:
    """A table with one line, below its headings."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1), title_justify="left", title_style="", **settings)


def show_json(value: Any) -> None:
    """Plain JSON."""
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def show_methods(as_json: bool) -> None:
    """The table of methods."""
    known = {**METHODS, **PEERS}
    if as_json:
        show_json({name: method._asdict() for name, method in known.items()})
        return
    out = console()
    if out.width < NARROW:
        for name, method in known.items():
            out.print(Text.assemble((name, "bold"), f"  {method.cost}"))
            out.print(Text(f"    {method.data}"))
            out.print(Text(f"    {method.paper}", style="dim"))
        return
    table = plain_table()
    for title in ("method", "for", "time grows with", "paper"):
        table.add_column(title)
    for name, method in known.items():
        table.add_row(name, method.data, method.cost, method.paper)
    out.print(table)
    out.print("n rows, p features.  auto: what 'echelon profile' finds to fit.", soft_wrap=True)


def time_left(elapsed: float | None, done: float, total: float | None) -> str:
    """The time left in words, where something is done and something is left.

    Examples
    --------
    >>> from echelon.cli._terminal import time_left
    >>> time_left(90, 1, 3), time_left(90, 0, 3)
    ('0:03:00 left', '')
    """
    if not elapsed or not total or not 0 < done < total:
        return ""
    return f"{timedelta(seconds=round(elapsed * (total - done) / done))} left"


@contextmanager
def followed(follower: Follower) -> Iterator[None]:
    """Within, ``follower`` is told how far a command has come, in the place of a bar."""
    token = _FOLLOWER.set(follower)
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


@contextmanager
def working(doing: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A bar on standard error, if that is a terminal; yields what changes its words."""
    follower = _FOLLOWER.get()
    if follower is not None:
        with _following(follower, doing) as told:
            yield told
        return
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich import progress

    from echelon._core.jobs import watched  # imports joblib, which other commands do without

    class Left(progress.ProgressColumn):
        """The time left, by all that was done so far: a step may take minutes."""

        def render(self, task: progress.Task) -> Text:
            return Text(time_left(task.elapsed, task.completed, task.total))

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TimeElapsedColumn(),
        Left(),
    )
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None)
    timer = Timer(DELAY, bar.start)
    timer.daemon = True
    timer.start()

    def tell(expected: int, done: Fraction) -> None:
        if expected:
            bar.update(task, total=(bar.tasks[0].total or 0) + expected)
        bar.advance(task, float(done))

    def begin(doing: str) -> None:
        bar.tasks[0].total = None  # which reset would keep: the steps of what was done before
        bar.reset(task, description=doing)

    try:
        with watched(tell):
            yield begin
    finally:
        timer.cancel()
        bar.stop()


@contextmanager
def _following(follower: Follower, doing: str) -> Iterator[Callable[[str], None]]:
    """Tell a follower of every step; yields what changes the words."""
    from echelon._core.jobs import watched

    words, steps = [doing], [Fraction(0), Fraction(0)]

    def tell(expected: int = 0, done: Fraction = Fraction(0)) -> None:
        steps[:] = steps[0] + done, steps[1] + expected
        follower(words[0], float(steps[0]), int(steps[1]))

    def say(doing: str) -> None:
        words[0] = doing
        steps[:] = Fraction(0), Fraction(0)
        tell()

    tell()
    with watched(tell):
        yield say
