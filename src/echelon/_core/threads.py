"""Compiled loops over independent items, in threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from echelon._core.jobs import n_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK = 1.0
"""Seconds after which whoever waits for a result looks around."""


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None = None
) -> list[Result]:
    """Results in the order of the items.

    Parameters
    ----------
    function : callable
        Spends its time in loops that release the GIL.
    items : iterable
        Its arguments.
    n_jobs : int, default=None
        Threads, as :func:`echelon._core.jobs.n_threads` counts them.
    """
    # Also for one thread: the main one stays free to be interrupted.
    pool = ThreadPoolExecutor(n_threads(n_jobs))
    results = []
    try:
        tasks = deque(pool.submit(function, item) for item in items)
        while tasks:
            task = tasks.popleft()
            # In pieces: a wait without end is deaf to Ctrl-C once pyarrow has read a file.
            while not wait([task], LOOK).done:
                pass
            results.append(task.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return results
