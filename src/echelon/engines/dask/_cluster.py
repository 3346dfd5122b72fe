"""Data on a cluster: waiting for it, data that survive their worker, and rows that stay there.

Errors say what happened: a scheduler that is gone, workers out of memory, data lost too often.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property, partial
from threading import Event, Lock, local
from time import monotonic
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
from distributed import Client, Future, KilledWorker

from echelon._core.jobs import LOOK
from echelon._core.named import nominal_mask
from echelon.data import Data, is_nominal, numbers_of
from echelon.engines.dask._blocks import Block

T = TypeVar("T")

VALUES_AHEAD = 1 << 24
"""Values of columns fetched together.  A pass over all blocks (which may be on the workers' disks)
costs about the same for one column as for eight."""

ATTEMPTS = 20
"""How often lost data are sent again for one result."""

STOPPED: ContextVar[Event | None] = ContextVar("STOPPED", default=None)
"""Set when nobody waits any more for what this thread does."""


class GivenUpError(Exception):
    """Ends a thread whose result nobody waits for."""


class Patience:
    """A client, and how long to wait for workers when there are none."""

    def __init__(self, client: Client, seconds: float) -> None:
        self.client = client
        self.seconds = seconds
        self.address = client.scheduler.address if client.scheduler else "its scheduler"
        if client.asynchronous:
            raise ValueError(
                "`client` belongs to the event loop that runs here, which a fit would block. Call "
                "fit in a thread: `await asyncio.to_thread(selector.fit, X, y)`."
            )
        self._check()

    def result(
        self, submit: Callable[[], Future], restore: Callable[[], None] = lambda: None
    ) -> Any:
        """The result of a future; submitted again, with its data restored, if these were lost."""
        for _ in range(ATTEMPTS):
            self._check()
            try:
                with self.saying_why():
                    return self.wait(submit())
            except KilledWorker as error:
                raise MemoryError(
                    "Several Dask workers died one after the other while they did the same task, "
                    "most likely out of memory. Use smaller blocks (`block_rows`, or the blocks "
                    "of the Dask collection), fewer threads per worker, or more memory."
                ) from error
            except CancelledError:
                restore()
        raise RuntimeError(
            f"The Dask cluster at {self.address} lost the data {ATTEMPTS} times. Look at the logs "
            "of its workers."
        )

    def wait(self, future: Future) -> Any:
        """Wait for a future as long as there are workers, or new ones may come."""
        alone_since = None

        def look() -> None:
            nonlocal alone_since
            if self.ask(self.client.nthreads):
                alone_since = None
                return
            alone_since = alone_since or monotonic()
            if monotonic() - alone_since > self.seconds:
                raise RuntimeError(
                    f"The Dask cluster at {self.address} has had no worker for {self.seconds:g} "
                    "seconds. Start workers, or raise `patience` of the DaskEngine."
                )

        return self.ask(lambda: future, look)

    def ask(self, call: Callable[[], Awaitable[T]], look: Callable[[], None] | None = None) -> T:
        """What ``call`` promises, awaited on the client's loop; a look around once a second.

        The calls of a client without ``await`` never return if it is closed at that moment.
        """

        async def awaited() -> T:
            return await call()  # made there, where the client knows that it must not block

        self._check()
        question = awaited()
        try:
            answer = asyncio.run_coroutine_threadsafe(question, self.client.loop.asyncio_loop)
        except RuntimeError as error:  # the loop has just been closed
            question.close()
            self._check(error)
            raise
        try:
            while not wait([answer], LOOK).done:
                self._check()
                if look is not None:
                    look()
            with self.saying_why():
                return answer.result()
        finally:
            if self.client.status == "running":
                answer.cancel()  # if it has not come

    @contextmanager
    def saying_why(self) -> Iterator[None]:
        """Errors of a client that is closed, or whose scheduler is gone, say so."""
        try:
            yield
        except Exception as error:
            self._check(error)
            raise

    def _check(self, error: BaseException | None = None) -> None:
        """Say so if the client or its scheduler is gone, or nobody waits for a result."""
        stopped = STOPPED.get()
        if stopped is not None and stopped.is_set():
            raise GivenUpError
        if self.client.status != "running":
            raise ConnectionError(
                f"The Dask client of {self.address} is {self.client.status}: it was closed, or its "
                "scheduler is gone. Connect again and repeat the fit."
            ) from error


class Held:
    """Things sent to the workers once, and again when their worker is lost.

    Parameters
    ----------
    patience : Patience
        The cluster.
    make : callable
        Makes the thing of a number; called again when it must be sent again.
    n : int
        How many there are.
    everywhere : bool
        Send a copy to every worker.
    """

    def __init__(
        self, patience: Patience, make: Callable[[int], Any], n: int, *, everywhere: bool = False
    ) -> None:
        self.patience, self.make, self.everywhere = patience, make, everywhere
        self.lock = Lock()
        self.futures: list[Any] = [None] * n
        self._send(list(range(n)))

    def __getitem__(self, number: int) -> Future:
        return self.futures[number]

    def restore(self) -> None:
        """Send again what was lost."""
        with self.lock:
            lost = [n for n, f in enumerate(self.futures) if f.status in ("lost", "cancelled")]
            self._send(lost)

    def _send(self, numbers: list[int]) -> None:
        for number in numbers:
            self.futures[number] = self._sent(self.make(number))

    def _sent(self, thing: Any) -> Future:
        """Send one thing; again if the worker it goes to leaves at that moment."""
        client = self.patience.client
        for _ in range(ATTEMPTS):
            # An adaptive cluster starts workers for a task, and keeps one that holds its result.
            with self.patience.saying_why():
                awake = client.submit(int, pure=False)
            self.patience.wait(awake)
            try:
                # In a list, since of a tuple every member would be sent by itself.
                (future,) = self.patience.ask(
                    lambda: client.scatter([thing], broadcast=self.everywhere, hash=False)
                )
            except (OSError, TimeoutError):
                continue
            return future
        raise RuntimeError(
            f"The Dask cluster at {self.patience.address} took no data {ATTEMPTS} times in a row. "
            "Look at the logs of its workers."
        )


def gathered(
    patience: Patience, held: Held, function: Callable[[Any, Any], Any], items: list[Any]
) -> Iterator[Any]:
    """``function(shared, item)`` of all items on the cluster, results in order."""

    def submit(item: Any) -> Future:
        return patience.client.submit(function, held[0], item, pure=False)

    futures = [submit(item) for item in items]
    try:
        for number, item in enumerate(items):

            def again(number: int = number, item: Any = item) -> Future:
                if futures[number].status in ("lost", "cancelled"):
                    futures[number] = submit(item)
                return futures[number]

            yield patience.result(again, held.restore)
    finally:
        # Not worth another error: of a client that is gone, or in a thread nobody waits for.
        with suppress(ConnectionError, GivenUpError):
            patience.ask(lambda: patience.client.cancel(futures))


# ------------------------------------------------------------------- rows that stay on a cluster


class RowBlocks:
    """A table of numbers whose rows are kept in blocks on the workers.

    It has the shape and dtype of an array.

    Parameters
    ----------
    patience : Patience
        The cluster.
    sources : list of Future
        A block each.
    sizes : ndarray
        Rows per block.
    n_columns : int
        Data.
    dtype : dtype
        Of the values.
    steps : tuple
        Functions, with arguments by block, that make the blocks from their sources when these are
        first asked for: nothing in between is kept.
    """

    ndim = 2

    def __init__(
        self,
        patience: Patience,
        sources: list[Future],
        sizes: np.ndarray,
        n_columns: int,
        dtype: Any,
        steps: tuple[tuple[Callable, Sequence[tuple]], ...] = (),
    ) -> None:
        self.patience, self.sources, self.sizes, self.steps = patience, sources, sizes, steps
        self.shape = int(sizes.sum()), n_columns
        self.dtype = np.dtype(dtype)
        self._ahead = local()  # what a thread fetched last

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, number: Any) -> Any:
        """A block, or (``[:, f]``) the values of one column, fetched."""
        if not isinstance(number, tuple):
            return self.blocks[number]
        group, place = divmod(number[1], self.columns_at_once)
        ahead = self._ahead
        if getattr(ahead, "group", None) != group:
            ahead.columns, ahead.group = self._columns(group), group
        return ahead.columns[:, place]

    @property
    def columns_at_once(self) -> int:
        """Columns fetched together: whoever asks for one asks for the next ones soon."""
        return min(8, max(1, VALUES_AHEAD // max(1, len(self))))

    def _columns(self, group: int) -> np.ndarray:
        which = slice(group * self.columns_at_once, (group + 1) * self.columns_at_once)
        return np.concatenate(self.each(_columns_in, [(which,)] * len(self.sizes)))

    @cached_property
    def blocks(self) -> list[Future]:
        """The blocks on the workers."""
        if not self.steps:
            return self.sources
        # Lists, since Dask before 2025 runs a tuple that begins with a function as a task.
        made = [
            [[function, list(args[b])] for function, args in self.steps]
            for b in range(len(self.sources))
        ]
        with self.patience.saying_why():
            return [
                self.patience.client.submit(_made, source, steps, pure=False)
                for source, steps in zip(self.sources, made, strict=True)
            ]

    def then(self, function: Callable, args: Sequence[tuple] | None = None) -> RowBlocks:
        """``function(block, ...)`` of every block, to be kept on the workers."""
        # Where the blocks exist already, they are what the next step starts from.
        sources, steps = (self.blocks, ()) if "blocks" in vars(self) else (self.sources, self.steps)
        step = function, args or [()] * len(self.sizes)
        return RowBlocks(
            self.patience, sources, self.sizes, self.shape[1], self.dtype, (*steps, step)
        )

    def each(self, function: Callable, args: Sequence[tuple] | None = None) -> list[Any]:
        """``function(block, ...)`` of every block, fetched."""
        futures = self.then(function, args).blocks
        return [self.patience.result(partial(_itself, future)) for future in futures]

    def restore(self) -> None:
        """Nothing to do: the scheduler knows how every block was made, and makes it again."""

    def places(self, order: np.ndarray) -> list[np.ndarray]:
        """Where the rows of every block come in an order of all rows."""
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return np.split(place, np.cumsum(self.sizes)[:-1])

    @cached_property
    def ranges(self) -> tuple[np.ndarray, np.ndarray, bool]:
        """Smallest and largest value of every column, and whether values are missing."""
        lows, highs, missing = zip(*self.each(_ranges), strict=True)
        return np.fmin.reduce(lows), np.fmax.reduce(highs), any(missing)


def _itself(future: Future) -> Future:
    return future


def _made(source: Any, steps: list[list]) -> Any:
    for function, args in steps:
        source = function(source, *args)
    return source


def _columns_in(values: np.ndarray, which: slice) -> np.ndarray:
    return values[:, which]


def _ranges(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    return low, high, bool(np.isnan(values).any())


def to_block(values: np.ndarray, places: np.ndarray, class_starts: np.ndarray) -> Block:
    """Rows sorted by class, given where each comes among all rows and where classes start."""
    order = np.argsort(places)
    rows = places[order]
    return Block(values[order], np.searchsorted(class_starts, rows, side="right") - 1, rows)


# ------------------------------------------------------------------------------- reading


def read_collection(
    X: Any, categorical_features: Any, patience: Patience, *, allow_nan: bool
) -> Data:
    """Features of a Dask array or DataFrame; the rows stay on the workers."""
    parts, names, nominal, dtype = (_of_frame if hasattr(X, "columns") else _of_array)(
        X, categorical_features
    )
    n_columns = len(nominal)
    with patience.saying_why():
        futures = patience.client.compute(parts)
    sizes = np.array(RowBlocks(patience, futures, np.zeros(len(parts)), n_columns, dtype).each(len))
    futures = [block for block, size in zip(futures, sizes, strict=True) if size > 0]
    raw = RowBlocks(patience, futures, sizes[sizes > 0], n_columns, dtype)
    if len(raw) < 2 or n_columns < 1:
        raise ValueError(
            f"Found array with {len(raw)} sample(s) and {n_columns} feature(s) in `X`, while a "
            "minimum of 2 samples and 1 feature is required."
        )
    labels = _labels(raw, np.flatnonzero(nominal))
    values = raw.then(_as_numbers, [(labels, dtype)] * len(futures))
    _ = values.blocks  # made now, so that the sources can go
    low, high, missing = values.ranges
    if np.isinf(low).any() or np.isinf(high).any():
        raise ValueError("Input X contains infinity. Drop those samples, or give finite values.")
    if missing and not allow_nan:
        raise ValueError("Input X contains NaN, and this method takes no missing values.")
    return Data(cast(Any, values), nominal, names)


def _of_array(X: Any, categorical_features: Any) -> tuple[list, None, np.ndarray, Any]:
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got a Dask array of {X.ndim} dimensions instead.")
    wanted = None if isinstance(categorical_features, str) else categorical_features
    nominal = nominal_mask(wanted, X.shape[1], None)
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return list(X.rechunk({1: -1}).to_delayed().ravel()), None, nominal, dtype


def _of_frame(X: Any, categorical_features: Any) -> tuple[list, np.ndarray, np.ndarray, Any]:
    names = np.asarray(X.columns, dtype=object)
    kinds = [X._meta_nonempty.iloc[:, j] for j in range(len(names))]
    for name, column in zip(names, kinds, strict=True):
        if isinstance(column.dtype, pd.CategoricalDtype) and not X[name].cat.known:
            raise ValueError(
                f"The categories of column {name!r} of `X` are not known to Dask. Call "
                "X.categorize() first."
            )
    if isinstance(categorical_features, str):
        nominal = np.array([is_nominal(column) for column in kinds], bool)
    else:
        nominal = nominal_mask(categorical_features, len(names), names)
    numeric = [column.dtype for column, no in zip(kinds, nominal, strict=True) if not no]
    single = bool(numeric) and all(kind == np.float32 for kind in numeric)
    return X.to_delayed(), names, nominal, np.float32 if single else np.float64


def _labels(raw: RowBlocks, nominal: np.ndarray) -> dict[int, pd.Index]:
    """The labels of every nominal column, the same in all blocks."""
    if not len(nominal):
        return {}
    by_block = raw.each(_labels_in, [(nominal,)] * len(raw.sizes))
    return {
        f: pd.Index(pd.unique(np.concatenate([found[j] for found in by_block])))
        for j, f in enumerate(nominal.tolist())
    }


def _series(part: Any, f: int) -> pd.Series:
    return part.iloc[:, f] if hasattr(part, "iloc") else pd.Series(part[:, f])


def _labels_in(part: Any, nominal: np.ndarray) -> list[np.ndarray]:
    return [_series(part, f).dropna().astype(object).unique() for f in nominal.tolist()]


def _as_numbers(part: Any, labels: dict[int, pd.Index], dtype: Any) -> np.ndarray:
    """A block as numbers, with codes in nominal columns and NaN where missing."""
    if not labels and not hasattr(part, "iloc"):
        return np.asarray(part, dtype=dtype)
    values = np.empty(part.shape, dtype)
    for f in range(part.shape[1]):
        column = _series(part, f)
        if f in labels:
            codes = labels[f].get_indexer(pd.Index(column.astype(object)))
            values[:, f] = np.where(codes < 0, np.nan, codes)
        else:
            values[:, f] = numbers_of(column, column.name)
    return values
