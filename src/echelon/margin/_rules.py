"""The Relief-type methods as rules: which pairs count, and with what sign.

A rule is a list of terms.  A term adds, for every target i, ``coef_i`` times the mean difference
to its neighbours: negative for hits (same class, should be near), positive for misses (other class,
should be far).  Dividing by the number of targets is left to ``_weights``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echelon.engines import Search
from echelon.kernels.pairs import ABOVE, ANY, BELOW


@dataclass(frozen=True)
class Term:
    """One signed mean over neighbours.

    Attributes
    ----------
    coef : ndarray of shape (n_classes,)
        Coefficient by class of the target; targets with 0 are skipped.
    search : Search
        The neighbours.
    prefer : bool
        Fill up places that the search's relation leaves empty with the nearest other samples.
    direction : {0, 1, -1}
        1: differences in ordered columns count as positive where the neighbour is larger, -1:
        where it is smaller, 0: always.
    """

    coef: np.ndarray
    search: Search
    prefer: bool = False
    direction: int = 0


def relief(class_sizes: np.ndarray) -> list[Term]:
    """Algorithm 1: the nearest hit and the nearest miss of any other class."""
    n_classes = len(class_sizes)
    same = np.eye(n_classes, dtype=bool)
    return [
        Term(-np.ones(n_classes), Search(same, 1)),
        Term(np.ones(n_classes), Search(~same, 1)),
    ]


def relieff(class_sizes: np.ndarray, n_neighbors: int) -> list[Term]:
    """Algorithm 2: k hits, and k misses of each class weighted P(C) / (1 - P(class))."""
    n_classes = len(class_sizes)
    prior = class_sizes / class_sizes.sum()
    terms = [Term(-np.ones(n_classes), Search(np.eye(n_classes, dtype=bool), n_neighbors))]
    for c in range(n_classes):
        coef = prior[c] / (1 - prior)
        coef[c] = 0
        only_c = np.zeros((n_classes, n_classes), dtype=bool)
        only_c[:, c] = True
        terms.append(Term(coef, Search(only_c, n_neighbors)))
    return terms


def ordinal_relieff(
    class_sizes: np.ndarray, n_neighbors: int, dominance: str, contradictions: str
) -> list[Term]:
    """Equation (10): hits and misses upward and downward.

    The classes above (below) the target's are searched together.  The top class has no upward
    miss and the bottom class no downward one; such a direction is left out, its hits included.
    """
    n_classes = len(class_sizes)
    same = np.eye(n_classes, dtype=bool)
    above = np.triu(np.ones((n_classes, n_classes), dtype=bool), 1)
    terms = []
    for direction, misses, relation in ((1, above, ABOVE), (-1, above.T, BELOW)):
        coef = misses.any(axis=1).astype(float)
        sign = direction if contradictions == "penalize" else 0
        terms += [
            Term(
                -coef,
                Search(same, n_neighbors, relation=ANY if dominance == "ignore" else relation),
                prefer=dominance == "prefer",
            ),
            Term(coef, Search(misses, n_neighbors), direction=sign),
        ]
    return terms
