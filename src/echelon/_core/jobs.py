"""Running things in parallel: the one meaning of ``n_jobs``, threads for loops, and jobs.

``n_threads``   how many threads ``n_jobs`` stands for
``in_threads``  a compiled loop over parts of the data, in threads of this process
``Jobs``        many independent jobs, run by joblib: here, in processes or on a cluster
``track``       how far it has come: a bar where asked for; ``step``, for whoever watches

Threads share the data and start at once, so compiled loops take all cores unless told otherwise.
Processes copy the data and take seconds to start, so they must be asked for: by a number, or by a
context of joblib.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from errno import ENOSPC
from fractions import Fraction
from functools import cache
from pickle import PicklingError
from threading import current_thread, main_thread
from time import monotonic
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

_WATCHER: ContextVar[Callable[[int, Fraction], None] | None] = ContextVar("watcher", default=None)

_TOLD: ContextVar[Fraction | None] = ContextVar("told", default=None)
"""How much of the present step was told already; None: jobs are no part of a step."""

_EVERY_JOB: ContextVar[bool] = ContextVar("every job", default=False)


@contextmanager
def watched(watcher: Callable[[int, Fraction], None]) -> Iterator[None]:
    """Within, ``watcher(expected, done)`` is told of steps that are now expected, or done.

    Jobs within a step are equal parts of it.
    """
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
    _tell(n_steps, Fraction(0))


def step(n_steps: int = 1) -> None:
    """Say that steps are done."""
    _tell(0, Fraction(n_steps))


@contextmanager
def one_step() -> Iterator[None]:
    """What happens within is a step; jobs in it tell how far it has come."""
    yield from stepwise((None,))


def _tell(expected: int, done: Fraction) -> None:
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
    before = _TOLD.get()
    _TOLD.set(Fraction(0))
    try:
        for item in items:
            yield item
            _tell(0, 1 - (_TOLD.get() or Fraction(0)))
            _TOLD.set(Fraction(0))
    finally:
        _TOLD.set(before)


def _parts(items: Iterable[T], n_items: int) -> Iterator[T]:
    """Yield the items; each is a part of the present step, if there is one."""
    told = _TOLD.get()
    if told is None:
        yield from items
        return
    _TOLD.set(None)
    try:
        for item in items:
            yield item
            part = min(Fraction(1, n_items), 1 - told)
            told += part
            _tell(0, part)
    finally:
        _TOLD.set(told)


Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK = 1.0
"""Seconds between two looks for Ctrl-C while waiting for a result checks for Ctrl-C."""


def n_threads(n_jobs: int | None) -> int:
    """Threads for compiled loops of this process.

    Parameters
    ----------
    n_jobs : int or None
        So many; -1: one per core, -2: one less, and so on.  None: what the context of joblib says,
        its share of the cores in a process joblib started, 1 in a thread joblib started, else all
        cores, or ``NUMBA_NUM_THREADS``.
    """
    if n_jobs is None:
        backend, n_jobs = get_active_backend()
        started_by_joblib = bool(backend.nesting_level)
        if started_by_joblib and n_jobs in (None, -1):  # Dask says -1, and means the cluster
            in_process = current_thread() is main_thread() and "NUMBA_NUM_THREADS" in os.environ
            return _numba_threads() if in_process else 1
    if n_jobs is None:
        return _numba_threads()
    check_n_jobs(n_jobs)
    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs))


def check_n_jobs(n_jobs: int | None) -> None:
    """Refuse 0, which means nothing, and True, which is no number."""
    if isinstance(n_jobs, bool):
        raise ValueError(f"`n_jobs` must be a number of cores, or None for all, got {n_jobs}.")
    if n_jobs == 0:
        raise ValueError("`n_jobs` must not be 0. Give a number of cores, or None for all.")


def _numba_threads() -> int:
    """As many as Numba would use, whose own answer takes half a second to import."""
    set_to = os.environ.get("NUMBA_NUM_THREADS", "")
    return int(set_to) if set_to.isdigit() and int(set_to) > 0 else _cores_here()


def _cores_here() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    >>> from echelon._core.jobs import in_threads
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


class Jobs:
    """Runs a function over many arguments.

    Parameters
    ----------
    n_jobs : int or None
        Jobs at a time, as in joblib; its active backend (processes, threads, Dask, Ray) runs them.
        None: what the context of joblib says, else threads on all cores if the jobs are
        ``compiled``, else one after the other, each free to use all cores for its own loops.
    verbose : int
        Show a progress bar per stage.
    compiled : bool
        Whether the jobs spend their time in compiled code of ours, which threads can share.
    """

    def __init__(self, n_jobs: int | None, verbose: int = 0, *, compiled: bool = False) -> None:
        check_n_jobs(n_jobs)
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.compiled = compiled

    def __call__(
        self,
        description: str,
        function: Callable[..., Any],
        arguments: Iterable[tuple],
        *,
        steps: bool = False,
    ) -> list[Any]:
        """Results in the order of the arguments; with ``steps`` each is a step of the whole."""
        arguments = list(arguments)
        calls = (delayed(_with_one_thread)(function, *args) for args in arguments)
        # Held here as well: threads that enter and leave by turns would not restore it.
        with self._cores(), blas_in_one_thread(), _lost_processes():
            results = self._parallel(len(arguments))(calls)
            shown = track(
                results, total=len(arguments), description=description, verbose=self.verbose
            )
            if counts_jobs():
                expect(len(arguments))
            if steps or counts_jobs():
                return list(stepwise(shown))
            return list(_parts(shown, len(arguments)))

    def _cores(self) -> AbstractContextManager:
        """One core means one, also for the loops within a job."""
        return parallel_config(n_jobs=1) if self.n_jobs == 1 else nullcontext()

    def _parallel(self, n_arguments: int) -> Parallel:
        backend, in_context = get_active_backend()
        if self.n_jobs is None and in_context is None and self.compiled:
            parallel = {"n_jobs": n_threads(None), "prefer": "threads"}
            backend, _ = get_active_backend(prefer="threads")
        else:
            parallel = {"n_jobs": _useful(self.n_jobs, n_arguments, backend)}
        streams = getattr(backend, "supports_return_generator", False)
        return Parallel(**parallel, return_as="generator" if streams else "list")


@contextmanager
def _lost_processes() -> Iterator[None]:
    """Say so where a process was ended from outside, or could not be given its data."""
    try:
        yield
    except BrokenProcessPool as error:
        raise MemoryError(
            "A process that worked on this was ended, most likely by the system for want of "
            "memory. Use fewer jobs, rows or columns."
        ) from error
    except PicklingError as error:
        if os.strerror(ENOSPC) not in str(error.__cause__):  # the text of what was raised there
            raise
        raise OSError(
            "The folder through which processes share arrays is full. Use `n_jobs=1`, or set "
            "JOBLIB_TEMP_FOLDER to a folder with room."
        ) from error


def _useful(n_jobs: int | None, n_arguments: int, backend: Any) -> int | None:
    """Not more processes than there is work and, on this machine, than cores: each takes seconds.

    A backend that is not joblib's own, as of Dask or Ray, may have cores elsewhere.
    """
    if n_jobs is None or type(backend).__module__ != "joblib._parallel_backends":
        return n_jobs
    wanted = n_jobs if n_jobs > 0 else cpu_count() + 1 + n_jobs
    return max(1, min(wanted, n_arguments, cpu_count()))


@cache
def _libraries() -> ThreadpoolController:
    """The linear algebra libraries of this process; finding them takes a while."""
    return ThreadpoolController()


def blas_in_one_thread() -> AbstractContextManager:
    """Limit BLAS to one thread: where several call it, or matrices are small, more are slower."""
    return _libraries().limit(limits=1, user_api="blas")


def _with_one_thread(function: Callable[..., Any], *args: Any) -> Any:
    with blas_in_one_thread():
        return function(*args)
