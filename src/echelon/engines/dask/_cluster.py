"""Waiting for a cluster: data that survive their worker, and errors that say what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Lock
from time import monotonic
from typing import Any, TypeVar

from distributed import Client, Future, KilledWorker

from echelon.engines._base import LOOK

T = TypeVar("T")

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
