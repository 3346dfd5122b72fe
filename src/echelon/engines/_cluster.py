"""Waiting for a cluster: data that survive their worker, and errors that say what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from threading import Event, Lock
from time import monotonic
from typing import Any

from distributed import Client, Future, KilledWorker

ATTEMPTS = 20
"""How often lost data are sent again for one result."""

LOOK = 1.0
"""Seconds between two looks at a cluster that does not answer."""


class Patience:
    """A client, and how long to wait for workers when there are none."""

    def __init__(self, client: Client, seconds: float) -> None:
        self.client = client
        self.seconds = seconds
        self.address = client.scheduler.address if client.scheduler else "its scheduler"
        self._check()

    def result(
        self, submit: Callable[[], Future], restore: Callable[[], None] = lambda: None
    ) -> Any:
        """The result of a future; submitted again, with its data restored, if these were lost."""
        for _ in range(ATTEMPTS):
            self._check()
            try:
                return self.wait(submit())
            except KilledWorker as error:
                raise RuntimeError(
                    "Several Dask workers died one after the other while they did the same task, "
                    "most likely out of memory. Use smaller blocks (`block_rows`, or the blocks "
                    "of the Dask collection), fewer threads per worker, or more memory."
                ) from error
            except CancelledError as error:
                self._check(error)
                restore()
            except Exception as error:
                self._check(error)
                raise
        raise RuntimeError(
            f"The Dask cluster at {self.address} lost the data {ATTEMPTS} times. Look at the logs "
            "of its workers."
        )

    def wait(self, future: Future) -> Any:
        """Wait for a future as long as there are workers, or new ones may come."""
        done = Event()
        future.add_done_callback(lambda _: done.set())
        alone_since = None
        while not done.wait(LOOK):
            self._check()
            if self.client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
                continue
            alone_since = alone_since or monotonic()
            if monotonic() - alone_since > self.seconds:
                raise RuntimeError(
                    f"The Dask cluster at {self.address} has had no worker for {self.seconds:g} "
                    "seconds. Start workers, or raise `patience` of the DaskEngine."
                )
        return future.result()

    def _check(self, error: BaseException | None = None) -> None:
        """Say so if the client or its scheduler is gone."""
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
            awake = client.submit(int, pure=False)
            self.patience.wait(awake)
            try:
                # In a list, since of a tuple every member would be sent by itself.
                (future,) = client.scatter([thing], broadcast=self.everywhere, hash=False)
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
        if patience.client.status == "running":
            patience.client.cancel(futures)
