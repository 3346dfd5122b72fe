"""The Relief-type methods as rules: which pairs count, and with what sign.

A rule is a list of terms.  A term adds, for every query i, ``coef_i`` times the mean difference
to its neighbours: negative for hits (same class, should be near), positive for misses (other class,
should be far).  Dividing by the number of queries is left to ``_weights``.  Neighbours are the k
nearest or, with a *band*, all samples on one side of a limit that follows from the distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from echelon.engines import ABOVE, BELOW, Classes, Samples, Search


@dataclass(frozen=True)
class Band:
    """All samples nearer, or farther, than mean + side * width * deviation of the distances.

    Attributes
    ----------
    side : {-1, 1}
        -1: nearer than the limit, 1: farther.
    width : float
        In standard deviations.
    own : bool
        Mean and deviation are those of the distances of the query, else those of all pairs.
    sigmoid : bool
        Samples weigh 2 / (1 + exp(-4 x)) - 1 at x standard deviations from the limit: 0 at the
        limit, nearly 1 far from it.  Else 1 each.

    Examples
    --------
    >>> from echelon.margin import Band
    >>> Band(-1, 0.5, own=True)  # MultiSURF's: nearer than the mean less half the deviation
    Band(side=-1, width=0.5, own=True, sigmoid=False)
    """

    side: int
    width: float = 0.0
    own: bool = False
    sigmoid: bool = False


@dataclass(frozen=True)
class Term:
    """One signed mean over neighbours.

    In a sigmoid band, the mean over neighbours is that of difference times weight.

    Attributes
    ----------
    coef : ndarray of shape (n_classes,) or (n_classes, n_classes)
        Coefficient by class of the query; queries with 0 are skipped.  As a matrix, by class of
        the query and of the neighbour, all of one sign: the term is then the mean difference of all
        pairs, so weighted, instead of a mean over queries.
    search : Search
        The neighbours.  Terms with the same object search once.
    prefer : bool
        Fill up places that the search's relation leaves empty with the nearest other samples.
    direction : {0, 1, -1}
        1: differences in ordered columns count as positive where the neighbour is larger, -1:
        where it is smaller, 0: always.
    band : Band or None
        Leaves, of the neighbours found, those in the band.
    worth : ndarray of shape (k,), or None
        What the k places are worth, the nearest first; tied samples share theirs.  None: 1 each.
    even : bool
        What a query gives to its neighbours adds up to 1, however many there are.
    extreme : bool
        The places go to the samples whose distances differ most from their mean, nearer or farther,
        not to the nearest.
    apart : {0, 1, -1}
        1: pairs weigh by how far their outcomes lie apart, d, -1: by 1 - d; 0: by the class alone.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.margin import rules
    >>> hit, *misses = rules.relieff(np.array([30, 30]), 10)
    >>> hit.coef.tolist(), hit.search.n_neighbors  # hits count against a feature
    ([-1.0, -1.0], 10)
    """

    coef: np.ndarray
    search: Search
    prefer: bool = False
    direction: int = 0
    band: Band | None = None
    worth: np.ndarray | None = None
    even: bool = False
    extreme: bool = False
    apart: int = 0

    @property
    def pairwise(self) -> bool:
        """Whether pairs, not queries, are weighted."""
        return self.coef.ndim == 2 or self.apart != 0

    def of_pairs(self, samples: Samples, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Coefficients of pairs of rows."""
        if self.coef.ndim == 2:
            return self.coef[samples.classes[rows], samples.classes[others]]
        d = np.abs(samples.outcome[rows] - samples.outcome[others])  # type: ignore[index]
        return self.coef[samples.classes[rows]] * (d if self.apart > 0 else 1.0 - d)


def relief(n_classes: int) -> list[Term]:
    """Algorithm 1: the nearest hit and the nearest miss of any other class."""
    return [
        Term(-np.ones(n_classes), Search(Classes.same(n_classes), 1)),
        Term(np.ones(n_classes), Search(Classes.others(n_classes), 1)),
    ]


def nearest_intervals(class_sizes: np.ndarray) -> list[Term]:
    """DisM1 of Hazarika, Mishra, Mahanta: nearest hit and miss of samples that have a hit."""
    coef = np.where(class_sizes > 1, 1.0, 0.0)
    return [replace(term, coef=term.coef * coef) for term in relief(len(class_sizes))]


def relieff(class_sizes: np.ndarray, n_neighbors: int | None) -> list[Term]:
    """Algorithm 2: k hits, and k misses of each class weighted P(C) / (1 - P(class))."""
    n = len(class_sizes)
    hits = Term(-np.ones(n), Search(Classes.same(n), n_neighbors))
    misses = [
        Term(
            np.where(np.arange(n) == c, 0, size / (class_sizes.sum() - class_sizes)),
            Search(Classes.only(c, n), n_neighbors),
        )
        for c, size in enumerate(class_sizes)
    ]
    return [hits, *misses]


def mu_relief(class_sizes: np.ndarray, n_neighbors: int) -> list[Term]:
    """ReliefF with the k samples of a class whose distances differ most from their mean."""
    return [replace(term, extreme=True) for term in relieff(class_sizes, n_neighbors)]


def class_distances(n_classes: int, *, ordered: bool) -> np.ndarray:
    """How far classes lie apart, from 0 to 1: by their places if ordered, else 0 or 1."""
    codes = np.arange(n_classes)
    apart = np.abs(codes[:, None] - codes)
    return apart / max(n_classes - 1, 1) if ordered else (apart > 0).astype(float)


def contrast(apart: np.ndarray, n_neighbors: int | None) -> list[Term]:
    """RReliefF for classes: among the k nearest of any class, far classes against near ones.

    With d the distance of its classes, a pair weighs d / sum d - (1 - d) / sum (1 - d), the sums
    over all pairs: hits and misses lie within the same radius, so that noise scores 0 on average
    whatever the sizes of the classes.
    """
    anyone = Search(Classes.everyone(len(apart)), n_neighbors)
    return [Term(apart, anyone), Term(apart - 1.0, anyone)]


def rrelieff(samples: Samples, n_neighbors: int | None, worth: np.ndarray | None) -> list[Term]:
    """RReliefF: among the k nearest, those with a far outcome against those with a near one.

    With d the distance of the outcomes (0 or 1 for classes without an order) and w what a query
    gives to its neighbours, N_CA / N_C - (N_A - N_CA) / (m - N_C) is a contrast whose pairs weigh
    w d / sum w d - w (1 - d) / sum w (1 - d).
    """
    n = len(samples.class_sizes)
    if samples.outcome is None:
        terms = contrast(class_distances(n, ordered=False), n_neighbors)
    else:
        search = Search(Classes.everyone(n), n_neighbors)
        terms = [Term(np.ones(n), search, apart=1), Term(-np.ones(n), search, apart=-1)]
    return [replace(term, worth=worth, even=True) for term in terms]


def radius(samples: Samples, bands: Sequence[Band]) -> list[Term]:
    """ReliefF (RReliefF, if y is a number) with bands in place of k; far ones count the other way.

    SURF: nearer than the mean of all pairs, SURF*: and farther.  MultiSURF: nearer than the query's
    mean by half its deviation, MultiSURF*: and farther.  SWRF and its kin: bands that are sigmoid.
    """
    if samples.outcome is None:
        terms = relieff(samples.class_masses, None)
    else:
        terms = rrelieff(samples, None, None)
    return [
        replace(term, coef=-band.side * term.coef, band=band) for band in bands for term in terms
    ]


def trend(n_classes: int, n_neighbors: int) -> list[Term]:
    """The misses of O-ReliefF alone, counted with their sign: do better classes have more?"""
    above, below = Classes.above(n_classes), Classes.below(n_classes)
    return [
        Term(
            np.where(classes.sizes > 0, 1.0, 0.0), Search(classes, n_neighbors), direction=direction
        )
        for classes, direction in ((above, 1), (below, -1))
    ]


def ordinal_relieff(
    n_classes: int, n_neighbors: int, dominance: str, contradictions: str
) -> list[Term]:
    """Equation (10): hits and misses upward and downward.

    The classes above (below) the query's are searched together.  The top class has no upward
    miss and the bottom class no downward one; such a direction is left out, its hits included.
    """
    same = Classes.same(n_classes)
    nearest_hits = Search(same, n_neighbors)
    terms = []
    for direction, misses, relation in (
        (1, Classes.above(n_classes), ABOVE),
        (-1, Classes.below(n_classes), BELOW),
    ):
        coef = np.where(misses.sizes > 0, 1.0, 0.0)
        dominating = replace(nearest_hits, relation=relation)
        hits = nearest_hits if dominance == "ignore" else dominating
        sign = direction if contradictions == "penalize" else 0
        terms += [
            Term(-coef, hits, prefer=dominance == "prefer"),
            Term(coef, Search(misses, n_neighbors), direction=sign),
        ]
    return terms
