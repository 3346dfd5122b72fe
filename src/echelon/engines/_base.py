"""What an engine must be able to do: the samples it is given, what it is asked for and finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from echelon._core.jobs import Item, Result, check_n_jobs, in_threads, n_threads
from echelon.kernels.accumulate import share_places
from echelon.kernels.pairs import ANY


class Samples(NamedTuple):
    """What an engine works on: scaled samples, rows sorted by class and columns by kind.

    Columns come in three runs: ordered numeric (larger is better, values in [0, 1] or, turned
    round, in [-1, 0]), other numeric (values in [0, 1]), nominal codes.  NaN is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Samples
    >>> values = np.array([[0.0, 0.2], [0.1, 0.9], [1.0, 0.1]])
    >>> samples = Samples(values, np.array([0, 0, 1]), np.arange(3), np.array([1, 0]), 0, 2, False)
    >>> samples.class_sizes.tolist(), samples.per_feature(np.array([5.0, 6.0])).tolist()
    ([2, 1], [6.0, 5.0])
    """

    values: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    """Original index of every row; increasing within a class, unless ``compact``."""
    columns: np.ndarray
    """Original index of every column."""
    n_ordered: int
    n_numeric: int
    missing: bool
    outcome: np.ndarray | None = None
    """Number of every row, from 0 to 1, where the target is one; there is one class then."""
    weights: np.ndarray | None = None
    """How many rows every row stands for; None: each for itself.  Engines do not look at it, but
    for those that weigh pairs (see :class:`Engine`)."""
    compact: bool = False
    """Whether rows of a class that lie near each other stand together."""
    axes: Any = None
    """What an engine compared them by, where they do; private to the engine."""

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of samples per class."""
        return np.bincount(self.classes)

    @property
    def mass(self) -> np.ndarray:
        """How many rows every row stands for, as numbers."""
        return np.ones(len(self.classes)) if self.weights is None else self.weights

    @property
    def class_masses(self) -> np.ndarray:
        """Weight of every class, with copies counted."""
        return np.bincount(self.classes, self.weights)

    def reordered(self, order: np.ndarray) -> Samples:
        """The data with the rows of every class in another order."""
        by_row = {
            name: part[order]
            for name, part in self._asdict().items()
            if isinstance(part, np.ndarray) and name != "columns"
        }
        return self._replace(**by_row)

    def per_feature(self, scores: np.ndarray) -> np.ndarray:
        """Scores in the original order of columns."""
        restored = np.empty_like(scores)
        restored[self.columns] = scores
        return restored


class Classes(NamedTuple):
    """The classes in which a query's neighbours are sought, by the class of the query.

    A query of class a looks into classes ``first[a]`` up to but not including ``last[a]``, and
    passes over its own unless ``own``.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Classes
    >>> above = Classes(np.array([1, 2, 3]), np.array([3, 3, 3]), own=False)  # of three classes
    >>> above.first.tolist()
    [1, 2, 3]
    """

    first: np.ndarray
    last: np.ndarray
    own: bool

    @classmethod
    def same(cls, n: int) -> Classes:
        """The query's own class, out of n."""
        return cls(np.arange(n), np.arange(1, n + 1), True)

    @classmethod
    def everyone(cls, n: int) -> Classes:
        """All classes."""
        return cls(np.zeros(n, int), np.full(n, n), True)

    @classmethod
    def others(cls, n: int) -> Classes:
        """All but the query's own."""
        return cls(np.zeros(n, int), np.full(n, n), False)

    @classmethod
    def above(cls, n: int) -> Classes:
        """All above the query's own."""
        return cls(np.arange(1, n + 1), np.full(n, n), True)

    @classmethod
    def below(cls, n: int) -> Classes:
        """All below the query's own."""
        return cls(np.zeros(n, int), np.arange(n), True)

    @classmethod
    def only(cls, c: int, n: int) -> Classes:
        """Class c, for queries of the other classes."""
        return cls(np.full(n, c), np.full(n, c + 1), False)

    @property
    def sizes(self) -> np.ndarray:
        """Number of classes a query looks into."""
        codes = np.arange(len(self.first))
        passed = (self.first <= codes) & (codes < self.last) & (not self.own)
        return self.last - self.first - passed

    def ranges(self, c: int) -> list[tuple[int, int]]:
        """Classes for a query of class c, as ranges that are not empty."""
        first, last = int(self.first[c]), int(self.last[c])
        passed = not self.own and first <= c < last
        ranges = [(first, c), (c + 1, last)] if passed else [(first, last)]
        return [(start, end) for start, end in ranges if start < end]


@dataclass(frozen=True)
class Search:
    """Which references count as neighbours of a query.

    Attributes
    ----------
    classes : Classes
        Where to look, by the class of the query.
    n_neighbors : int or None
        How many; those tied with the last one are found too.  None: all within the radius.
    radius : float
        Largest distance.
    relation : {ANY, ABOVE, BELOW}
        ABOVE: the reference weakly dominates the query on all ordered columns.  BELOW: the
        reverse.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Classes, Search
    >>> anywhere = Classes(np.zeros(2, dtype=int), np.full(2, 2), own=True)
    >>> Search(anywhere, n_neighbors=10).radius
    inf
    """

    classes: Classes
    n_neighbors: int | None = None
    radius: float = np.inf
    relation: int = ANY

    def __post_init__(self) -> None:
        if not self.radius >= 0:
            raise ValueError(f"`radius` must be a number of at least 0, got {self.radius}.")


class Found(NamedTuple):
    """Neighbours of some queries, one query after the other; rows as in ``Samples``.

    An engine may return fewer queries than it was asked for, to bound its memory.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Found
    >>> found = Found(np.array([2, 1]), np.array([4, 7, 0]), np.array([0.1, 0.3, 0.2]))
    >>> np.split(found.indices, found.counts.cumsum()[:-1])[0].tolist()  # of the first query
    [4, 7]
    """

    counts: np.ndarray
    indices: np.ndarray
    distances: np.ndarray

    def first(self, n: int) -> Found:
        """Neighbours of the first n queries only."""
        end = int(self.counts[:n].sum())
        return Found(self.counts[:n], self.indices[:end], self.distances[:end])

    def in_row_order(self) -> Found:
        """Neighbours of every query, ordered by their rows."""
        order = np.lexsort((self.indices, self.owners))
        return Found(self.counts, self.indices[order], self.distances[order])

    @property
    def owners(self) -> np.ndarray:
        """Position of the query every neighbour belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


class Bands(NamedTuple):
    """Pairs that count by their distance, and what a query gives to them.

    A query of class a gives ``coefs[s, a, c]``, in equal parts, to all samples of the classes c
    with the same ``groups[s, a, c]`` that lie nearer than its limit (s = 0) or farther (s = 1).

    Attributes
    ----------
    limits : ndarray of shape (2, n_samples)
        The limits, by row; -inf (inf): nothing is nearer (farther).
    groups, coefs : ndarray of shape (2, n_classes, n_classes)
        By side, class of the query and of the other sample; group -1: does not count.
    copies : ndarray of shape (n_samples,), or None
        Mass of the other copies of every row, at distance 0; None: there are none.
    deviations : ndarray of shape (2, n_samples), or None
        By row: a part weighs tanh(2 abs(distance - limit) / deviation) of what it would, distances
        not squared.  None: all of it.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import Bands
    >>> limits = np.array([[0.4] * 3, [np.inf] * 3])  # nearer than 0.4; nothing is far
    >>> groups = np.array([[[0, 1], [1, 0]], [[-1, -1], [-1, -1]]])
    >>> bands = Bands(limits, groups, np.where(groups == 0, -1.0, 1.0) * (groups >= 0))
    >>> bands.coefs[0].tolist()  # hits count against a feature
    [[-1.0, 1.0], [1.0, -1.0]]
    """

    limits: np.ndarray
    groups: np.ndarray
    coefs: np.ndarray
    copies: np.ndarray | None = None
    deviations: np.ndarray | None = None

    def own_masses(self, classes: np.ndarray) -> np.ndarray:
        """The mass of its own copies in the bands of every row: (side, group, row).

        They are near if anything is.
        """
        masses = np.zeros((2, int(self.groups.max()) + 1, len(classes)))
        groups = self.groups[0, classes, classes]
        near = np.flatnonzero((groups >= 0) & (self.limits[0] > 0))
        if self.copies is not None:
            masses[0, groups[near], near] = self.copies[near]
        return masses

    def gives(self, classes: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """What every row gives to a sample of every class in its bands: (side, class, row).

        ``masses`` holds how many samples of a group its bands hold: (side, group, row).
        """
        groups, coefs = self.groups[:, classes], self.coefs[:, classes]
        rows = np.arange(len(classes))[:, None]
        sizes = np.stack([masses[side][groups[side], rows] for side in range(2)])
        some = (groups >= 0) & (sizes > 0)
        gives = np.where(some, coefs / np.where(some, sizes, 1.0), 0.0)
        return np.ascontiguousarray(gives.transpose(0, 2, 1))


class BandSums(NamedTuple):
    """Sums over such pairs; M is the mean of what two samples give to each other.

    Attributes
    ----------
    totals : ndarray of shape (n_columns,)
        Differences times what is given, added up.
    rows : ndarray of shape (n_samples,)
        Row sums of M.
    squares : float
        Sum of the squares of M.
    gives : ndarray of shape (2, n_classes, n_samples)
        What every row gives to a sample of every class in its bands, before it is weighed; see
        :meth:`Bands.gives`.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.engines import BandSums
    >>> BandSums(np.array([0.5, 0.1]), np.zeros(3), 2.0, np.zeros((2, 1, 3))).totals.tolist()
    [0.5, 0.1]
    """

    totals: np.ndarray
    rows: np.ndarray
    squares: float
    gives: np.ndarray


TIE_TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}
"""Relative difference up to which two distances are equal."""


def tie_factor(dtype: np.dtype, metric: str) -> float:
    """The largest ratio of two equal distances, which are squared if the metric is Euclidean."""
    factor = 1.0 + TIE_TOLERANCE[np.dtype(dtype)]
    return factor**2 if metric == "euclidean" else factor


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
