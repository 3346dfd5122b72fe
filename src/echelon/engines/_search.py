"""The samples that an engine is given, what it is asked to find, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

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
    """What an engine compared them by, where they do; its own affair."""

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
        """The same, with copies counted."""
        return np.bincount(self.classes, self.weights)

    def reordered(self, order: np.ndarray) -> Samples:
        """The same with the rows of every class in another order."""
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
        """The same for a query of class c, as ranges of classes that are not empty."""
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
        """The same for the first n queries only."""
        end = int(self.counts[:n].sum())
        return Found(self.counts[:n], self.indices[:end], self.distances[:end])

    def in_row_order(self) -> Found:
        """The same, the neighbours of every query by their rows."""
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
        What every row gives to a sample of every class in its bands; see :meth:`Bands.gives`.

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
