"""The four criteria of backward elimination: what is lost by removing a feature.

Each looks at all features left and is told which one was removed; what it keeps is updated by that
feature alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from echelon.engines import Engine
from echelon.kernels.centers import BLOCK, center_distances, reaches, sort_columns
from echelon.rankorder._blankets import Blankets
from echelon.rankorder._counts import all_margins, all_spoiler_terms
from echelon.rankorder._orders import Orders
from echelon.rankorder._projection import Projection, on_grid

DISTANCE_GRID = 2.0**40
"""Distances between vectors of centers that agree on multiples of 1 / DISTANCE_GRID are equal."""

_MOST_TASKS, _STEPS_PER_TASK = 16, 1_000_000

_UNSORTED = 16
"""So many removals later the columns are sorted again: it costs, but shortens the reach."""


class Candidates(NamedTuple):
    """For every feature left: keys by which they go (smallest first), and the criterion."""

    keys: tuple[np.ndarray, ...]
    values: np.ndarray

    def first(self, count: int) -> np.ndarray:
        """Positions of the features that go first; of equal ones the lowest."""
        if count > 1:
            return np.lexsort(self.keys[::-1])[:count]
        among = np.arange(len(self.values))
        for key in self.keys:
            among = among[key[among] == key[among].min()]
        return among[:1]


class Criterion(ABC):
    """What decides which feature goes next."""

    @abstractmethod
    def candidates(self, left: np.ndarray) -> Candidates:
        """Judge the removal of each feature left (ascending indices)."""

    @abstractmethod
    def remove(self, feature: int) -> None:
        """Take note of a removal."""


class Spoilers(Criterion):
    """The feature with the highest spoiler count goes."""

    def __init__(self, orders: Orders, engine: Engine):
        self._terms = all_spoiler_terms(orders, engine)
        self.counts = self._terms.sum(axis=1, dtype=np.int64)

    def candidates(self, left: np.ndarray) -> Candidates:
        counts = self.counts[left]
        return Candidates((-counts,), counts.astype(float))

    def remove(self, feature: int) -> None:
        self.counts -= self._terms[feature]


class GreedyKL(Criterion):
    """The feature without which the divergence is smallest goes; at ties the greatest spoiler."""

    def __init__(self, orders: Orders, projection: Projection, engine: Engine):
        self._spoilers = Spoilers(orders, engine)
        self._projection, self._engine = projection, engine

    def candidates(self, left: np.ndarray) -> Candidates:
        values = self._projection.divergences_without(left, self._engine)
        return Candidates((on_grid(values), -self._spoilers.counts[left]), values)

    def remove(self, feature: int) -> None:
        self._spoilers.remove(feature)


class KollerSahami(Criterion):
    """The feature that adds least to its Markov blanket goes."""

    def __init__(self, orders: Orders, blanket_size: int, engine: Engine):
        self._blankets = Blankets(orders, blanket_size, engine)

    def candidates(self, left: np.ndarray) -> Candidates:
        values = self._blankets.losses[left]
        return Candidates((on_grid(values),), values)

    def remove(self, feature: int) -> None:
        self._blankets.remove(feature)


class CenterDistances(Criterion):
    """The feature without which the distances between centers change least goes (CDV).

    A feature is known by its row of the counts, and by its position in every class: the columns of
    the counts of a class lie in the order that the sums had when they were last sorted.
    """

    def __init__(self, orders: Orders, engine: Engine):
        self._engine = engine
        self._margins = all_margins(orders, engine)
        # Sums of two features come nearer to each other by less than this.
        self._widest = 2 * orders.class_sizes + 1
        largest = int(orders.class_sizes.max()) * (orders.n_features + 4)
        small = largest < np.iinfo(np.int32).max
        self._sums = self._margins.sum(axis=1, dtype=np.int32 if small else np.int64)
        self._features = np.arange(orders.n_features)
        self._rows = np.tile(self._features, (len(self._sums), 1))
        self._columns = self._rows.copy()
        self._sort()
        self._original = self._rho(self._between_centers(), orders.n_features)

    def candidates(self, left: np.ndarray) -> Candidates:
        self._shrink(left)
        if self._n_sorted - len(left) >= _UNSORTED:
            self._sort()
        rows = np.searchsorted(self._features, left)
        rho = self._rho(self._distances(rows), len(left) - 1)
        values = np.sqrt(((rho - self._original) ** 2).sum(axis=1))
        return Candidates((np.floor(values * DISTANCE_GRID + 0.5),), values)

    def remove(self, feature: int) -> None:
        row = np.searchsorted(self._features, feature)
        n_classes = len(self._rows)
        others = self._rows != row
        self._sums, self._rows, self._columns = (
            each[others].reshape(n_classes, -1) for each in (self._sums, self._rows, self._columns)
        )
        for c in range(n_classes):
            self._sums[c] -= self._margins[c, row, self._columns[c]]

    def _sort(self) -> None:
        """Put the columns of every class in the order of its sums."""
        order = np.argsort(self._sums, axis=1, kind="stable")
        self._sums, self._rows, columns = (
            np.take_along_axis(each, order, axis=1)
            for each in (self._sums, self._rows, self._columns)
        )
        for c, margins in enumerate(self._margins):

            def move(rows: np.ndarray, margins: Any = margins, of_class: int = c) -> None:
                sort_columns(margins, rows, columns[of_class])

            self._in_threads(move, self._rows[c])
        self._n_sorted = self._sums.shape[1]
        self._columns = np.tile(np.arange(self._n_sorted), (len(columns), 1))

    def _shrink(self, left: np.ndarray) -> None:
        """Drop the removed features from the counts when they are many."""
        if len(left) > 0.75 * len(self._features):
            return
        at = np.searchsorted(self._features, left)
        self._margins = np.stack(
            [each[np.ix_(at, own)] for each, own in zip(self._margins, self._columns, strict=True)]
        )
        self._rows = np.searchsorted(at, self._rows)
        self._columns = np.tile(np.arange(len(left)), (len(self._rows), 1))
        self._features = left.copy()

    def _between_centers(self) -> np.ndarray:
        ranks = np.empty(self._sums.shape, np.int64)
        np.put_along_axis(ranks, self._rows, np.rint(2 * rankdata(self._sums, axis=1)), axis=1)
        first, second = np.triu_indices(len(ranks), 1)
        return ((ranks[first] - ranks[second]) ** 2).sum(axis=1)[None]

    @staticmethod
    def _rho(distances: np.ndarray, n: int) -> np.ndarray:
        """Spearman's rho from four times the distance; 1 if one feature is left."""
        return 1 - 1.5 * distances / max(n * (n**2 - 1), 1)

    def _distances(self, rows: np.ndarray) -> np.ndarray:
        """Four times the distances between centers, without each of the features left."""
        lines = self._lines()
        n_classes = len(self._sums)
        out = np.empty((len(self._features), n_classes * (n_classes - 1) // 2), np.int64)

        def fill(some: np.ndarray) -> None:
            found = np.empty((len(some), out.shape[1]), np.int64)
            center_distances(some, self._margins, self._widest, self._sums, *lines, found)
            out[some] = found

        self._in_threads(fill, rows)
        return out[rows]

    def _lines(self) -> tuple[np.ndarray, ...]:
        """Where the features lie, and how far each can move: arguments of the kernel."""
        n_classes, n_left = self._sums.shape
        places = np.zeros((n_classes, len(self._features)), np.int64)
        np.put_along_axis(places, self._rows, np.arange(n_left)[None], axis=1)
        starts, shifts = _runs(self._columns)
        reach = np.empty((n_classes, (n_left - 1) // BLOCK + 1), np.int64)
        fits = np.empty(reach.shape, bool)
        for c in range(n_classes):
            reaches(self._sums[c], self._widest[c], reach[c], fits[c])
        paths = places[:, self._rows[0]].astype(np.uint32)
        return self._sums.astype(np.int16), starts, shifts, places, reach, fits, paths

    def _in_threads(self, work: Callable[[np.ndarray], None], rows: np.ndarray) -> None:
        n_tasks = min(len(rows) * self._sums.size // _STEPS_PER_TASK, _MOST_TASKS)
        if n_tasks < 2:
            work(rows)  # less than starting threads
            return
        for _ in self._engine.map(work, np.array_split(rows, n_tasks)):
            pass


def _runs(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs of neighbouring columns: positions where they start, then the end; column - position.

    Classes with fewer runs than others have empty ones at the end.
    """
    n = columns.shape[1]
    shifts = columns - np.arange(n)
    begins = [np.flatnonzero(np.diff(line, prepend=-1)) for line in shifts]
    most = max(len(each) for each in begins)
    starts = np.full((len(columns), most + 1), n)
    for line, each in zip(starts, begins, strict=True):
        line[: len(each)] = each
    return starts, np.take_along_axis(shifts, np.minimum(starts[:, :-1], n - 1), axis=1)
