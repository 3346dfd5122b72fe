"""Approximate Markov blankets in rank-order space, after Koller and Sahami.

The blanket of feature k holds the features j with the smallest divergence of {j} with respect to
{j, k}, that is, those whose order with k says least about the classes.  That number does not depend
on the other features, so only blankets that lose a member change.
"""

from __future__ import annotations

import numpy as np

from echelon.engines import Engine
from echelon.kernels.precedence import pair_surprises
from echelon.kernels.projection import small_surprise
from echelon.rankorder._orders import Orders
from echelon.rankorder._projection import log_table, on_grid

_SPARE = 4
"""Blankets' worth of neighbours kept for every feature, to be looked for again when used up."""


class Blankets:
    """The blanket of every feature left, and what is lost by removing the feature."""

    def __init__(self, orders: Orders, size: int, engine: Engine):
        self._orders, self._codes = orders, np.ascontiguousarray(orders.low.T)
        self._classes, self._n_classes = orders.classes, len(orders.class_sizes)
        self._logs = log_table(len(orders.classes))
        self._alone = self._logs[-1] - self._logs[orders.class_sizes].sum()
        self._size = size
        self._left, self._n_left = np.ones(orders.n_features, bool), orders.n_features
        self._members: list[set[int]] = [set() for _ in self._left]
        """Features whose blanket a feature is in."""
        self._near = list(engine.map(self._nearest, range(orders.n_features)))
        self.losses = np.empty(orders.n_features)
        for k in range(orders.n_features):
            self._renew(k)

    def remove(self, feature: int) -> None:
        """Take a feature away, and renew the blankets it was in."""
        self._left[feature] = False
        self._n_left -= 1
        for k in sorted(self._members[feature]):
            if self._left[k]:
                self._renew(k)

    def _nearest(self, k: int) -> np.ndarray:
        """The features left that come first into question for the blanket of k, nearest first."""
        surprises = np.empty(len(self._left))
        low, high, _, starts = self._orders
        pair_surprises(low, high, starts, k, self._logs, surprises)
        left = np.flatnonzero(self._left)
        left = left[left != k]
        # {j} alone has no order, so its divergence is all that the order of {j, k} says.
        keys = on_grid((self._alone - surprises[left]) / len(self._classes))
        count = min(len(left), (1 + _SPARE) * self._size)
        if count == 0:
            return left
        near = np.flatnonzero(keys <= np.partition(keys, count - 1)[count - 1])
        return left[near[np.argsort(keys[near], kind="stable")[:count]]]

    def _renew(self, k: int) -> None:
        """Choose the blanket of k among the features left, and what k adds to it."""
        near = self._near[k][self._left[self._near[k]]]
        if len(near) < min(self._size, self._n_left - 1):
            near = self._near[k] = self._nearest(k)
        blanket = near[: self._size]
        for j in blanket:
            self._members[j].add(k)
        loss = self._surprise(blanket) - self._surprise(np.append(blanket, k))
        self.losses[k] = max(loss / len(self._classes), 0.0)

    def _surprise(self, features: np.ndarray) -> float:
        return small_surprise(self._codes, features, self._classes, self._n_classes, self._logs)
