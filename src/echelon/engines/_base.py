"""What an engine must be able to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from echelon._core.jobs import Item, Result, check_n_jobs, in_threads, n_threads
from echelon.engines._search import Bands, BandSums, Classes, Found, Samples, Search
from echelon.kernels.accumulate import share_places

Shared = TypeVar("Shared")

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Queries, their numbers of neighbours, and the neighbours and their shares, query by query."""


class Space(Protocol):
    """What an engine makes of samples to search in them."""

    @property
    def samples(self) -> Samples:
        """The samples."""

    @property
    def tolerance(self) -> float:
        """The largest ratio of two distances that are equal."""

    @property
    def squared(self) -> bool:
        """Whether distances are squared."""


S = TypeVar("S", bound=Space)


class Engine(ABC, Generic[S]):
    """Where neighbours are searched: the primitives that methods are written in.

    A *space* is what the engine makes of the samples in ``prepare``, for the other primitives.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads of this process; -1: one per core.  None: one per core, or
        ``NUMBA_NUM_THREADS``, unless a context or worker of joblib says otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Classes, Samples, Search, resolve_engine
    >>> values = np.array([[0.0], [0.2], [1.0]])
    >>> samples = Samples(values, np.zeros(3, int), np.arange(3), np.arange(1), 0, 1, False)
    >>> engine = resolve_engine("numpy", n_jobs=1)
    >>> space = engine.prepare(samples, "manhattan")
    >>> engine.nearest(space, np.arange(3), Search(Classes.same(1), n_neighbors=1)).indices.tolist()
    [1, 0, 1]
    """

    shares_memory: ClassVar[bool] = True
    """Whether ``spread`` runs in this process."""

    weighs_pairs: ClassVar[bool] = False
    """Whether ``distance_sums`` and ``band_sums`` of complete rows count them by their weights."""

    queries_per_task: ClassVar[int] = 256
    """Fixed, since partial sums are added task by task: results do not depend on the threads."""

    rows_per_block: ClassVar[int] = 8192
    """Rows that keep it busy, as a part of the samples on one of several machines."""

    def __init__(self, n_jobs: int | None = None) -> None:
        check_n_jobs(n_jobs)
        self.n_jobs = n_jobs

    @property
    def n_threads(self) -> int:
        """Threads ``map`` runs."""
        return n_threads(self.n_jobs)

    def read(self, X: Any, categorical_features: Any, *, allow_nan: bool) -> Any:
        """Features of a Dask collection, as ``Data`` whose rows stay where they are.

        Only for engines with workers to leave them on.
        """
        raise TypeError(
            f"`X` is a Dask collection, which {type(self).__name__} does not take. Use "
            'engine="dask", or pass X.compute() if it fits into memory.'
        )

    def compact(
        self, samples: Samples, queries: np.ndarray, metric: str, n_neighbors: int
    ) -> tuple[Samples, np.ndarray]:
        """Samples and query rows in an order by which searches get faster, if there is one.

        ``n_neighbors`` are sought.  What is found is the same, by other numbers of rows.
        """
        return samples, queries

    @abstractmethod
    def prepare(self, samples: Samples, metric: str) -> S:
        """Lay the samples out for searches under a metric.

        "manhattan", "euclidean", or "paired": columns come in pairs, and the differences of each
        pair are combined by their Euclidean norm, in distances and in ``accumulate`` alike (where
        it stands at the first of the two).
        """

    def tasks(self, space: S, queries: np.ndarray) -> list[np.ndarray]:
        """The query rows in the groups that are worth one call of the other primitives."""
        size = self.queries_per_task
        return np.array_split(np.sort(queries), range(size, len(queries), size))

    @abstractmethod
    def nearest(self, space: S, queries: np.ndarray, search: Search) -> Found:
        """Find the neighbours of the query rows, exactly."""

    def distance_sums(self, space: S, queries: np.ndarray) -> np.ndarray:
        """How many rows lie at a finite distance of a query, the sum and the sum of squares.

        Of shape (3, n_samples); 0 for rows that are no queries.
        """
        everyone = Search(Classes.everyone(len(space.samples.class_sizes)))
        sums = np.zeros((3, len(space.samples.classes)))

        def task(chunk: np.ndarray) -> None:
            while len(chunk):
                found = self.nearest(space, chunk, everyone)
                far = np.sqrt(found.distances) if space.squared else found.distances
                done, chunk = np.split(chunk, [len(found.counts)])
                for power in range(3):
                    sums[power, done] = np.bincount(found.owners, far**power, len(done))

        deque(self.map(task, self.tasks(space, queries)), maxlen=0)
        return sums

    def band_sums(self, space: S, queries: np.ndarray, bands: Bands) -> BandSums | None:
        """Sums over all pairs within bands of distance, if faster here than pair by pair.

        The data are complete.  None: go pair by pair.
        """
        return None

    def share(self, space: S, found: Found, places: np.ndarray, *, by_index: bool) -> np.ndarray:
        """Weight of every neighbour when each query has so many places to give."""
        rows = space.samples.rows[found.indices]
        return share_places(found.counts, found.distances, rows, places, space.tolerance, by_index)

    @abstractmethod
    def accumulate(self, space: S, pairs: Pairs, coefs: np.ndarray, direction: int) -> np.ndarray:
        """Sum of ``coef_i * mean_j diff_f(x_i, x_j)`` over queries i, for every feature f."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Make searches, as ``function(item)``, in threads of this process; results in order."""
        return in_threads(function, items, self.n_threads)

    def spread(
        self, function: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Iterator[Result]:
        """Apply ``function(shared, item)`` to independent items, wherever there is room.

        Function, shared and items are pickled where an engine has other machines.
        """
        return self.map(partial(function, shared), items)
