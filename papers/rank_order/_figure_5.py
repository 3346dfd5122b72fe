"""The small data set of Figure 5, whose subsets can all be looked at (Figure 15)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from echelon import RankOrderSelector
from echelon.rankorder import subset_divergence

FEATURES = "abcdef"
ORDERS = ["afecbd", "afbced", "afebdc", "fdcbea", "bfceda", "fdceab", "cbefda", "ecfdba", "ecfdba"]
X = np.array([[order.index(feature) + 1 for feature in FEATURES] for order in ORDERS], float)
Y = np.repeat([1, 2, 3], 3)


def divergence_without(removed: str) -> float:
    """Subset divergence of the features left."""
    kept = [f for f, feature in enumerate(FEATURES) if feature not in removed]
    return float(subset_divergence(X, Y, kept))


def removable(n: int) -> list[str]:
    """Sets of n features that can go at divergence 0."""
    sets = ("".join(removed) for removed in combinations(FEATURES, n))
    return [removed for removed in sets if divergence_without(removed) == 0]


def worst() -> str:
    """The set of one to four features whose removal costs most."""
    sets = ["".join(s) for n in range(1, 5) for s in combinations(FEATURES, n)]
    return max(sets, key=divergence_without)


def first_three(criterion: str) -> str:
    """The first three features that a criterion removes."""
    order = RankOrderSelector(1, criterion=criterion).fit(X, Y).order_
    return "".join(sorted(FEATURES[f] for f in order[-3:]))
