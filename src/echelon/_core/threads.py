"""Compiled loops over independent items, in threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from echelon._core.jobs import n_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK = 1.0
"""Seconds after which whoever waits for a result looks around."""


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None = None
) -> Iterator[Result]:
    """Apply a function to independent items in threads of this process, results in order.

    Parameters
    ----------
    function : callable
        Spends its time in compiled loops, which release the GIL.
    items : iterable
        Its arguments, one each.
    n_jobs : int, default=None
        Threads, as ``n_threads`` counts them.

    Examples
    --------
    >>> from echelon._core.threads import in_threads
    >>> list(in_threads(abs, [-1, 2], n_jobs=2))
    [1, 2]
    """
    # Also for one thread: the main one stays free to be interrupted.
    pool = ThreadPoolExecutor(n_threads(n_jobs))
    try:
        tasks = deque(pool.submit(function, item) for item in items)
        while tasks:
            task = tasks.popleft()
            # In pieces: a wait without end is deaf to Ctrl-C once pyarrow has read a file.
            while not wait([task], LOOK).done:
                pass
            yield task.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
