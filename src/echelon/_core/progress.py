"""A progress bar, shown only when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(items: Iterable[T], *, total: int | None, description: str, verbose: int) -> Iterator[T]:
    """Yield the items, with a progress bar on standard error if ``verbose``.

    ``total`` None: it is not known how many there will be.
    """
    if not verbose:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(items, description, total=total, console=Console(stderr=True))
