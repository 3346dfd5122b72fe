"""How far a long computation has come: a bar where asked for, steps for whoever watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_WATCHER: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)

_EVERY_JOB: ContextVar[bool] = ContextVar("every job", default=False)


@contextmanager
def watched(watcher: Callable[[int, int], None]) -> Iterator[None]:
    """Within, ``watcher(expected, done)`` is told of steps that are now expected, or done."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


@contextmanager
def every_job_a_step() -> Iterator[None]:
    """Within, all jobs are steps, expected as they come: where nobody knows their number before."""
    token = _EVERY_JOB.set(True)
    try:
        yield
    finally:
        _EVERY_JOB.reset(token)


def counts_jobs() -> bool:
    """Whether all jobs are steps."""
    return _EVERY_JOB.get()


def expect(n_steps: int) -> None:
    """Say how many further steps there will be."""
    _tell(n_steps, 0)


def step(n_steps: int = 1) -> None:
    """Say that steps are done."""
    _tell(0, n_steps)


def _tell(expected: int, done: int) -> None:
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(expected, done)


def track(items: Iterable[T], *, total: int | None, description: str, verbose: int) -> Iterator[T]:
    """Yield the items, with a progress bar on standard error if ``verbose``.

    ``total`` None: it is not known how many there will be.  On a terminal the bar moves, ten times
    per second at most; elsewhere it is written once, at the end.
    """
    if not verbose or sys.stderr is None:
        yield from items
        return
    begun, done, drawn = monotonic(), 0, 0.0
    moves = sys.stderr.isatty()
    try:
        for done, item in enumerate(items, 1):
            yield item
            if moves and monotonic() - drawn > 0.1:
                drawn = monotonic()
                sys.stderr.write(f"\r{_bar(description, done, total, drawn - begun)}")
                sys.stderr.flush()
        total = total or done
    finally:
        line = _bar(description, done, total, monotonic() - begun)
        sys.stderr.write(f"\r{line}\n" if moves else f"{line.rstrip()}\n")


def _bar(description: str, done: int, total: int | None, seconds: float) -> str:
    """How far it has come, and the time that is left, or that it took."""
    if not total:
        return f"{description}: {done:,} done, {seconds:.0f} s"
    share = min(done / total, 1.0)
    left = f"{seconds * (1 / share - 1):.0f} s left" if 0 < share < 1 else f"{seconds:.0f} s"
    return f"{description} [{'=' * round(20 * share):20}] {share:4.0%} {left:12}"


def stepwise(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; each is a step."""
    for item in items:
        yield item
        step()
