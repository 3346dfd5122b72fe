"""The engine for a cluster: blocks of rows on Dask workers, each searched by a local engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral
from threading import Event
from typing import Any, ClassVar

import numpy as np
from distributed import Client, Future, Security, default_client
from distributed.core import rpc

from echelon.engines import resolve_engine
from echelon.engines._base import Engine, Found, Pairs, Samples, Search, tie_factor
from echelon.engines.dask._blocks import (
    Block,
    Layout,
    Neighbours,
    added,
    mean_sum,
    merge_found,
    nearest_in,
    sum_in,
    totals_in,
)
from echelon.engines.dask._cluster import (
    STOPPED,
    Held,
    Patience,
    RowBlocks,
    gathered,
    read_collection,
    to_block,
)

TIMEOUT = 5.0
"""Seconds to reach a scheduler."""

IN_FLIGHT = 8
"""Groups of queries whose tasks are on the cluster at a time."""


class DaskEngine(Engine["Space"]):
    """A Dask cluster: blocks of rows, each searched by a local engine inside a worker.

    Results are those of the local engine.  Work of a lost worker is done again by another, with
    data sent again from here where they are lost; workers may come and go.

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The client, or the address of a scheduler ("tcp://host:8786").  None: the current client.
    local : {"numba", "torch"} or Engine, default="numba"
        What a worker searches with.
    block_rows : int, default=None
        Rows per block of an array that is sent to the workers.  A task compares two blocks; see
        ``docs/scale.md`` for the memory it takes.  None: 8,192, or 131,072 if workers search with
        torch.  Dask collections keep their own blocks.
    patience : float, default=300
        Seconds to wait for a worker when there is none.
    n_jobs : int, default=None
        Threads here, which mostly wait for the cluster: groups of queries (blocks) in flight at a
        time.  None: 8.

    Examples
    --------
    >>> from distributed import Client
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.engines import DaskEngine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     selector = ReliefF(3, engine=DaskEngine(client)).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    """

    shares_memory = False

    fan_in: ClassVar[int] = 8
    """Results merged at a time."""

    def __init__(
        self,
        client: Client | str | None = None,
        *,
        local: str | Engine = "numba",
        block_rows: int | None = None,
        patience: float = 300,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_jobs)
        whole = isinstance(block_rows, Integral) and not isinstance(block_rows, bool)
        if block_rows is not None and not (whole and block_rows >= 1):
            raise ValueError(f"`block_rows` must be a whole number above 0, got {block_rows}.")
        self.client = client
        self.local = local
        self.block_rows = block_rows
        self.patience = patience

    def __repr__(self) -> str:
        address = getattr(getattr(self.client, "scheduler", None), "address", self.client)
        return f"DaskEngine({'' if address is None else repr(address)})"

    def __deepcopy__(self, memo: dict) -> DaskEngine:
        return self  # scikit-learn copies the parameters of an estimator; a client is shared

    def connect(self) -> Client:
        """The client given, or the current one, or one for the address given."""
        if isinstance(self.client, str):
            self.client = _connected(self.client)
        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError as error:
            raise ValueError(
                "The Dask engine needs a client, and there is none. Create one, for example "
                'distributed.Client("tcp://scheduler:8786"), or pass engine=DaskEngine("tcp://'
                'scheduler:8786").'
            ) from error

    @property
    def n_threads(self) -> int:
        """Groups of queries in flight."""
        return IN_FLIGHT if self.n_jobs is None else super().n_threads

    def read(self, X: Any, categorical_features: Any, *, allow_nan: bool) -> Any:
        return read_collection(X, categorical_features, self._patience(), allow_nan=allow_nan)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        stopped = Event()

        def unless_stopped(item: Any) -> Any:
            STOPPED.set(stopped)
            return function(item)

        try:
            yield from super().map(unless_stopped, items)
        finally:
            stopped.set()  # an error or Ctrl-C: what waits for the cluster in threads ends too

    def _patience(self) -> Patience:
        return Patience(self.connect(), self.patience)

    # ------------------------------------------------------------------------- Relief

    def prepare(self, samples: Samples, metric: str) -> Space:
        patience, local = self._patience(), resolve_engine(self.local, 1)
        values, n_classes = samples.values, len(samples.class_sizes)
        if isinstance(values, RowBlocks):
            places = values.places(samples.rows)
            starts = np.searchsorted(samples.classes, np.arange(n_classes))
            blocks: Any = values.then(to_block, [(part, starts) for part in places])
            _ = blocks.blocks  # made once, before threads ask for them
            rows = [np.sort(part) for part in places]
        else:
            size = self.block_rows or local.rows_per_block
            rows = np.array_split(np.arange(len(values)), range(size, len(values), size))
            blocks = Held(patience, lambda b: Block(values[rows[b]], samples.classes[rows[b]],
                                                    rows[b]), len(rows))  # fmt: skip
        layout = Layout(metric, samples.n_ordered, samples.n_numeric, samples.missing)
        block_of = np.empty(len(values), np.int32)
        position = np.empty(len(values), np.int32)
        holds = np.zeros((len(rows), n_classes), bool)
        for b, members in enumerate(rows):
            block_of[members], position[members] = b, np.arange(len(members))
            holds[b, samples.classes[members]] = True
        tolerance = tie_factor(values.dtype, metric)
        return Space(samples, tolerance, layout, patience, local, blocks, block_of, position, holds)

    def tasks(self, space: Space, queries: np.ndarray) -> list[np.ndarray]:
        """The queries of every block."""
        queries = np.sort(queries)
        blocks = space.block_of[queries]
        order = np.argsort(blocks, kind="stable")
        return np.split(queries[order], np.flatnonzero(np.diff(blocks[order])) + 1)

    def nearest(self, space: Space, queries: np.ndarray, search: Search) -> Found:
        queries = space.of_one_block(queries)
        a, which = space.where(queries)
        classes = np.unique(space.samples.classes[queries]).tolist()
        wanted = [c for own in classes for r in search.classes.ranges(own) for c in range(*r)]
        blocks = np.flatnonzero(space.holds[:, sorted(set(wanted))].any(axis=1)).tolist()
        if not blocks:
            none = np.zeros(len(queries), np.int64)
            return Found(none, np.empty(0, np.int64), np.empty(0))

        def submit() -> Future:
            found = [
                space.submit(nearest_in, b, a, which, search, space.layout, space.local)
                for b in blocks
            ]
            return space.tree(merge_found, found, search.n_neighbors, space.tolerance)

        return space.result(submit)

    def accumulate(
        self, space: Space, pairs: Pairs, coefs: np.ndarray, direction: int
    ) -> np.ndarray:
        queries, counts, indices, shares = pairs
        if not len(indices):
            return np.zeros(space.samples.values.shape[1])
        a, which = space.where(queries)
        owners = np.repeat(np.arange(len(queries)), counts)
        parts = list(space.by_block(owners, indices, shares, len(queries)))
        whole = np.bincount(owners, weights=shares, minlength=len(queries))

        def submit() -> Future:
            if space.layout.missing:
                totals = [
                    space.submit(totals_in, b, a, which, part, direction, space.layout)
                    for b, part, _ in parts
                ]
                total = space.tree(added, totals)
                return space.patience.client.submit(mean_sum, total, coefs, pure=False)
            sums = [
                # The mean over a block counts by the places the block holds.
                space.submit(sum_in, b, a, which, part, coefs * _ratio(places, whole), direction,
                             space.layout)
                for b, part, places in parts
            ]  # fmt: skip
            return space.tree(added, sums)

        return space.result(submit)

    # ------------------------------------------------------------------------- anything

    def spread(
        self, function: Callable[[Any, Any], Any], shared: Any, items: Iterable[Any]
    ) -> Iterator[Any]:
        patience = self._patience()
        held = Held(patience, lambda _: shared, 1, everywhere=True)
        yield from gathered(patience, held, function, list(items))


def _connected(address: str) -> Client:
    """A client for a scheduler that answers.

    It is asked who it is before: a client for an address where nobody is, or something else
    listens, waits for a minute or forever, and complains when it is collected.
    """
    try:
        with ThreadPoolExecutor(1) as pool:  # this thread may run an event loop, as notebooks do
            kind = pool.submit(asyncio.run, _kind_at(address)).result()
        if kind != "Scheduler":
            raise ValueError(f"it is a {kind}")
        return Client(address, timeout=TIMEOUT, set_as_default=False)
    except Exception as error:  # something else that listens there may answer anything
        why = error if str(error) else f"no answer within {TIMEOUT:g} seconds"
        raise ConnectionError(
            f"No Dask scheduler answers at {address!r} ({why}). Start one with `dask scheduler`, "
            "or correct the address."
        ) from error


async def _kind_at(address: str) -> str:
    """What listens at an address, as it says itself."""

    async def ask() -> str:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=TIMEOUT, connection_args=arguments) as there:
            return (await there.identity())["type"]

    return await asyncio.wait_for(ask(), TIMEOUT)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


@dataclass
class Space:
    """Samples as blocks on the workers."""

    samples: Samples
    tolerance: float
    layout: Layout
    patience: Patience
    local: Engine
    blocks: Any
    block_of: np.ndarray
    """Block of every row."""
    position: np.ndarray
    """Where it stands in that block."""
    holds: np.ndarray
    """Which classes a block holds, of shape (n_blocks, n_classes)."""

    @property
    def squared(self) -> bool:
        """Whether distances are squared."""
        return self.layout.metric == "euclidean"

    def of_one_block(self, queries: np.ndarray) -> np.ndarray:
        """The first queries, as far as they lie in one block."""
        elsewhere = np.flatnonzero(self.block_of[queries] != self.block_of[queries[0]])
        return queries[: elsewhere[0]] if len(elsewhere) else queries

    def where(self, queries: np.ndarray) -> tuple[int, Any]:
        """The block of some queries, and their positions in it."""
        positions = self.position[queries]
        first, n = int(positions[0]), len(positions)
        in_a_row = n == positions[-1] - first + 1 and bool((np.diff(positions) == 1).all())
        which = slice(first, first + n) if in_a_row else positions
        return int(self.block_of[queries[0]]), which

    def by_block(
        self, owners: np.ndarray, indices: np.ndarray, shares: np.ndarray, n: int
    ) -> Iterator[tuple[int, Neighbours, np.ndarray]]:
        """Neighbours block by block, with the places they take of every query."""
        blocks = self.block_of[indices]
        order = np.argsort(blocks, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            mine, share = owners[part], shares[part]
            counts = np.bincount(mine, minlength=n)
            places = np.bincount(mine, weights=share, minlength=n)
            yield (
                int(blocks[part[0]]),
                Neighbours(counts, self.position[indices[part]], share),
                places,
            )

    def submit(self, function: Callable, b: int, a: int, *args: Any) -> Future:
        """A task on two blocks."""
        client = self.patience.client
        return client.submit(function, self.blocks[b], self.blocks[a], *args, pure=False)

    def tree(self, combine: Callable, parts: Sequence[Future], *args: Any) -> Future:
        """Results combined on the workers, a few at a time."""
        client = self.patience.client
        parts = list(parts)
        while True:
            size = DaskEngine.fan_in
            groups = [parts[start : start + size] for start in range(0, len(parts), size)]
            parts = [client.submit(combine, group, *args, pure=False) for group in groups]
            if len(parts) == 1:
                return parts[0]

    def result(self, submit: Callable[[], Future]) -> Any:
        """The result of what was submitted; again if the data of a lost worker are."""
        return self.patience.result(submit, self.blocks.restore)
