"""The samples that an engine is given, and groups of their classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


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
