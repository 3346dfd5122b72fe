"""The four criteria of backward elimination: what is lost by removing a feature.

Each looks at all features left and is told which one was removed; what it keeps is updated by that
feature alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from echelon.engines import Engine
from echelon.kernels.centers import BLOCK, center_distances, reaches
from echelon.rankorder._blankets import Blankets
from echelon.rankorder._counts import all_margins, all_spoiler_terms
from echelon.rankorder._orders import Orders
from echelon.rankorder._projection import Projection, on_grid

DISTANCE_GRID = 2.0**40
"""Distances between vectors of centers that agree on multiples of 1 / DISTANCE_GRID are equal."""

_CANDIDATES, _DIRECT = 32, 200


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
        sums = self._margins.sum(axis=1, dtype=np.int64)
        # A sum moves by the size of its class, at most, in either direction.
        self._widest = 2 * orders.class_sizes
        largest = int(orders.class_sizes.max()) * (orders.n_features + 2)
        self._sums = sums.astype(np.int32 if largest < 2**31 - 1 else np.int64)
        self._columns = np.arange(orders.n_features)
        self._original = self._rho(self._between_centers(sums), orders.n_features)

    def candidates(self, left: np.ndarray) -> Candidates:
        self._shrink(left)
        at = np.searchsorted(self._columns, left)
        rho = self._rho(self._distances(at), len(left) - 1)
        values = np.sqrt(((rho - self._original) ** 2).sum(axis=1))
        return Candidates((np.floor(values * DISTANCE_GRID + 0.5),), values)

    def remove(self, feature: int) -> None:
        self._sums -= self._margins[:, np.searchsorted(self._columns, feature)]

    def _shrink(self, left: np.ndarray) -> None:
        """Drop the removed features from the counts when they are many."""
        if len(left) > 0.75 * len(self._columns):
            return
        at = np.searchsorted(self._columns, left)
        self._margins = np.stack([margins[np.ix_(at, at)] for margins in self._margins])
        self._sums, self._columns = np.ascontiguousarray(self._sums[:, at]), left.copy()

    def _between_centers(self, sums: np.ndarray) -> np.ndarray:
        ranks = np.rint(2 * rankdata(sums, axis=1)).astype(np.int64)
        first, second = np.triu_indices(len(sums), 1)
        return ((ranks[first] - ranks[second]) ** 2).sum(axis=1)[None]

    @staticmethod
    def _rho(distances: np.ndarray, n: int) -> np.ndarray:
        """Spearman's rho from four times the distance; 1 if one feature is left."""
        return 1 - 1.5 * distances / max(n * (n**2 - 1), 1)

    def _distances(self, at: np.ndarray) -> np.ndarray:
        """Four times the distances between centers, without each of some features."""
        n_classes, width = self._sums.shape
        by_sum = np.argsort(self._sums[:, at], axis=1, kind="stable")
        orders = at[by_sum].astype(np.int32)
        sums = np.take_along_axis(self._sums, orders, axis=1)
        places = np.empty((n_classes, width), np.int32)
        np.put_along_axis(places, orders, np.arange(len(at), dtype=np.int32)[None], axis=1)
        ahead, behind = np.empty((2, n_classes, len(at) // BLOCK + 1), np.int64)
        for c in range(n_classes):
            reaches(sums[c], self._widest[c], ahead[c], behind[c])
        pad, limit = int(max(ahead.max(), behind.max())), np.iinfo(sums.dtype).max
        out = np.empty((len(at), n_classes * (n_classes - 1) // 2), np.int64)

        def fill(here: slice) -> None:
            center_distances(
                at[here], self._margins, orders, sums, places, ahead, behind, pad, limit, out[here]
            )

        if len(at) <= _DIRECT:
            fill(slice(None))  # less work than starting threads
        else:
            starts = range(0, len(at), _CANDIDATES)
            for _ in self._engine.map(fill, [slice(s, s + _CANDIDATES) for s in starts]):
                pass
        return out
