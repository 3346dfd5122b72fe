"""The selectors of the paper, ours beside them, and a random order to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from echelon import OReliefF, OSimba, ReliefF, Simba

OURS, RANDOM = "O-ReliefF, ours", "random order"
PAIRS = (("O-ReliefF (1)", "ReliefF (1)"), ("O-ReliefF (2)", "ReliefF (2)"), ("O-Simba", "Simba"))
"""The paper's methods, each with the one it should improve on."""


class RandomOrder(BaseEstimator):
    """Ranks features by chance: what is gained by picking the best number alone."""

    def __init__(self, random_state: int = 0):
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> RandomOrder:
        """Draw the order."""
        self.n_features_in_ = X.shape[1]
        self.order_ = np.random.default_rng(self.random_state).permutation(X.shape[1])
        return self


class FixedOrder(BaseEstimator):
    """Ranks features in an order found before."""

    def __init__(self, order: tuple[int, ...]):
        self.order = order

    def fit(self, X: np.ndarray, y: np.ndarray) -> FixedOrder:
        """Take the order."""
        self.n_features_in_ = X.shape[1]
        self.order_ = np.array(self.order)
        return self


# A number of features to keep spares the fit on shuffled classes; only the order is used.
METHODS: dict[str, Callable[[Any, int], Any]] = {
    "ReliefF (1)": lambda nominal, seed: ReliefF(1, n_neighbors=1, categorical_features=nominal),
    "O-ReliefF (1)": lambda nominal, seed: OReliefF(
        1, n_neighbors=1, rule="paper", monotonic_cst=None, categorical_features=nominal
    ),
    "ReliefF (2)": lambda nominal, seed: ReliefF(
        1, n_neighbors="log", categorical_features=nominal
    ),
    "O-ReliefF (2)": lambda nominal, seed: OReliefF(
        1, n_neighbors="log", rule="paper", monotonic_cst=None, categorical_features=nominal
    ),
    "Simba": lambda nominal, seed: Simba(1, categorical_features=nominal, random_state=seed),
    "O-Simba": lambda nominal, seed: OSimba(
        1, monotonic_cst=None, categorical_features=nominal, random_state=seed
    ),
    OURS: lambda nominal, seed: OReliefF(
        1,
        n_neighbors="log",
        rule="paper",
        contradictions="penalize",
        monotonic_cst="auto",
        categorical_features=nominal,
    ),
    RANDOM: lambda nominal, seed: RandomOrder(seed),
}


def unit(scores: np.ndarray) -> np.ndarray:
    """Weights scaled to [0, 1] over the features, as in the paper."""
    return (scores - scores.min()) / (np.ptp(scores) or 1.0)
