"""The four criteria of backward elimination: what is lost by removing a feature.

Each looks at all features left and is told which one was removed; what it keeps is updated by that
feature alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import gen_batches

from echelon.engines import Engine
from echelon.kernels.centers import BLOCK, center_distances, reaches, sort_again
from echelon.rankorder._blankets import Blankets
from echelon.rankorder._counts import all_margins, all_spoiler_terms
from echelon.rankorder._orders import Orders
from echelon.rankorder._projection import Projection, on_grid

DISTANCE_GRID = 2.0**40
"""Distances between vectors of centers that agree on multiples of 1 / DISTANCE_GRID are equal."""

_CANDIDATES, _DIRECT = 32, 400_000


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
    """The feature without which the distances between centers change least goes (CDV)."""

    def __init__(self, orders: Orders, engine: Engine):
        self._engine = engine
        self._margins = all_margins(orders, engine)
        # Sums of two features come nearer to each other by less than this.
        self._widest = 2 * orders.class_sizes + 1
        largest = int(orders.class_sizes.max()) * (orders.n_features + 2)
        small = largest < np.iinfo(np.int32).max
        self._sums = self._margins.sum(axis=1, dtype=np.int32 if small else np.int64)
        self._columns = np.arange(orders.n_features)
        self._begin()
        self._original = self._rho(self._between_centers(), orders.n_features)

    def candidates(self, left: np.ndarray) -> Candidates:
        self._shrink(left)
        at = np.searchsorted(self._columns, left)
        rho = self._rho(self._distances(at), len(left) - 1)
        values = np.sqrt(((rho - self._original) ** 2).sum(axis=1))
        return Candidates((np.floor(values * DISTANCE_GRID + 0.5),), values)

    def remove(self, feature: int) -> None:
        at = np.searchsorted(self._columns, feature)
        self._sums -= self._margins[:, at]
        self._left[at] = False

    def _begin(self) -> None:
        """Sort all columns by their sums."""
        self._left = np.ones(len(self._columns), bool)
        self._orders = np.argsort(self._sums, axis=1).astype(np.uint32)
        self._places = np.empty(self._sums.shape, np.int32)

    def _shrink(self, left: np.ndarray) -> None:
        """Drop the removed features from the counts when they are many."""
        if len(left) > 0.75 * len(self._columns):
            return
        at = np.searchsorted(self._columns, left)
        self._margins = np.stack([margins[np.ix_(at, at)] for margins in self._margins])
        self._sums, self._columns = np.ascontiguousarray(self._sums[:, at]), left.copy()
        self._begin()

    def _between_centers(self) -> np.ndarray:
        ranks = np.rint(2 * rankdata(self._sums, axis=1)).astype(np.int64)
        first, second = np.triu_indices(len(ranks), 1)
        return ((ranks[first] - ranks[second]) ** 2).sum(axis=1)[None]

    @staticmethod
    def _rho(distances: np.ndarray, n: int) -> np.ndarray:
        """Spearman's rho from four times the distance; 1 if one feature is left."""
        return 1 - 1.5 * distances / max(n * (n**2 - 1), 1)

    def _distances(self, at: np.ndarray) -> np.ndarray:
        """Four times the distances between centers, without each of the features left."""
        lines = self._sorted(len(at))
        n_classes = len(self._sums)
        out = np.empty((len(at), n_classes * (n_classes - 1) // 2), np.int64)

        def fill(here: slice) -> None:
            center_distances(at[here], self._margins, self._widest, *lines, out[here])

        if len(at) * self._orders.size < _DIRECT:
            fill(slice(None))  # less work than starting threads
        else:
            for _ in self._engine.map(fill, gen_batches(len(at), _CANDIDATES)):
                pass
        return out

    def _sorted(self, n_left: int) -> tuple[np.ndarray, ...]:
        """Features by their sums, and how far each can move: arguments of the kernel."""
        sums = np.empty((len(self._sums), n_left), self._sums.dtype)
        sort_again(self._left, self._sums, self._orders, sums, self._places)
        self._orders = np.ascontiguousarray(self._orders[:, :n_left])
        reach = np.empty((len(sums), (n_left - 1) // BLOCK + 1), np.int64)
        fits = np.empty(reach.shape, bool)
        for c in range(len(sums)):
            reaches(sums[c], self._widest[c], reach[c], fits[c])
        return self._orders, sums, sums.astype(np.int16), self._places, reach, fits
