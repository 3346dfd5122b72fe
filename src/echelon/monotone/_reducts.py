"""Reducts: smallest sets of features that leave the boundary no larger than all features do.

With full consistency, a set keeps the quality if it separates every pair of samples that contradict
each other without it, one of which lies in no boundary.  So the sets that keep it are those that
meet each of a family of sets, and a table of all sets tells which of these are minimal.  With less
consistency a further feature may enlarge the boundary, and every set is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from echelon._core.jobs import in_threads
from echelon.monotone._dominance import Dominance, Relation
from echelon.monotone._dominance_loops import (
    lone_separators,
    minimal_only,
    separating_sets,
    with_subset,
)

MOST_IN_TABLE = 25
"""Features beside the core up to which all reducts are found; the table has 2**25 bytes."""

MOST_TRIED = 12
"""Features up to which all sets are tried, where a consistency below 1 is enough."""


@dataclass(frozen=True)
class Reducts:
    """Reducts, the smallest first.

    Attributes
    ----------
    sets : list of tuple of int
        Feature indices.
    n_found : int
        How many there are within the largest size asked for; ``sets`` may hold fewer.
    exact : bool
        Whether these are all.  If not, they come from greedy searches: each is a reduct, but
        there may be others, and smaller ones.

    Examples
    --------
    >>> from echelon import DominanceRoughSet
    >>> X = [[1, 1, 5], [2, 2, 5], [3, 3, 4]]
    >>> found = DominanceRoughSet(monotonic_cst=[1, 1, 0]).fit(X, [0, 1, 2]).reducts()
    >>> found.sets, found.exact
    ([(0,), (1,)], True)
    """

    sets: list[tuple[int, ...]]
    n_found: int
    exact: bool


def core_of(data: Dominance, able: np.ndarray, boundary: np.ndarray) -> np.ndarray:
    """The features, of those able to separate, that every reduct has; with full consistency."""
    values = np.ascontiguousarray(data.values[:, able])
    nominal, found = data.nominal[able], np.zeros(len(able), bool)

    def look(block: tuple[int, int]) -> None:
        lone_separators(values, nominal, data.starts, boundary, *block, found)

    list(in_threads(look, data.blocks(), data.n_jobs))
    return able[found]


def indispensable(data: Dominance, able: np.ndarray, most: float) -> np.ndarray:
    """The features without which the boundary is larger."""
    kept = [[g for g in able.tolist() if g != f] for f in able.tolist()]
    larger = [_boundary(data, features) > most for features in kept]
    return able[np.array(larger, dtype=bool)]


def reducts_of(
    data: Dominance,
    able: np.ndarray,
    core: np.ndarray,
    boundary: np.ndarray,
    most: float,
    max_size: int,
    limit: int,
) -> Reducts:
    """Reducts of at most some size, not more than ``limit``.

    ``able`` are the features that can separate samples, ``boundary`` the mask of samples in one,
    and ``most`` is the mass of the boundary that a reduct may leave.
    """
    rest = np.setdiff1d(able, core)
    if data.level < 1:
        if len(able) <= MOST_TRIED:
            return _listed(_good_sets(data, able, most), able, (), max_size, limit)
    elif len(rest) <= MOST_IN_TABLE:
        table = _hitting_sets(data, core, rest, boundary)
        return _listed(table, rest, core.tolist(), max_size, limit)
    found: set[tuple[int, ...]] = set()
    for each in _greedy(data, able, core, most):
        if len(each) <= max_size:
            found.add(each)
        if len(found) == limit:
            break
    return Reducts(sorted(found, key=_by_size), len(found), exact=False)


def _by_size(features: tuple[int, ...]) -> tuple:
    return len(features), features


def _listed(
    good: np.ndarray, features: np.ndarray, core: Sequence[int], max_size: int, limit: int
) -> Reducts:
    """The minimal sets of a family, given as a table over all sets, with the core."""
    n_bits = len(features)
    containing = good.copy()
    with_subset(containing, n_bits)
    minimal_only(good, containing, n_bits)
    sets = np.flatnonzero(good)
    sizes = np.bitwise_count(sets) + len(core)
    sets = sets[np.argsort(sizes, kind="stable")][: np.count_nonzero(sizes <= max_size)]
    members = (np.flatnonzero(each >> np.arange(n_bits) & 1) for each in sets[:limit])
    found = [tuple(sorted([*core, *features[bits].tolist()])) for bits in members]
    return Reducts(sorted(found, key=_by_size), len(sets), exact=True)


def _hitting_sets(
    data: Dominance, core: np.ndarray, rest: np.ndarray, boundary: np.ndarray
) -> np.ndarray:
    """A table of all sets of the rest of the features: those that keep the quality with the core.

    A set meets every separating set unless what it leaves out contains one.
    """
    features = np.concatenate([core, rest])
    values, nominal = np.ascontiguousarray(data.values[:, features]), data.nominal[features]
    seen = np.zeros(1 << len(rest), np.uint8)

    def look(block: tuple[int, int]) -> None:
        separating_sets(values, nominal, data.starts, boundary, len(core), *block, seen)

    list(in_threads(look, data.blocks(), data.n_jobs))
    with_subset(seen, len(rest))
    return np.ascontiguousarray(1 - seen[::-1])


def _good_sets(data: Dominance, able: np.ndarray, most: float) -> np.ndarray:
    """A table of all sets: those whose boundary is small enough."""
    good = np.zeros(1 << len(able), np.uint8)
    good[0] = _boundary(data, []) <= most

    def visit(relation: Relation, chosen: int, first: int) -> None:
        for bit in range(first, len(able)):
            with_bit, feature = chosen | 1 << bit, int(able[bit])
            good[with_bit] = relation.after(feature).boundary <= most
            if bit + 1 < len(able):
                narrower = relation.copy()
                narrower.add(feature)
                visit(narrower, with_bit, bit + 1)

    visit(data.relation(), 0, 0)
    return good


def _boundary(data: Dominance, features: Sequence[int]) -> float:
    """Mass of the boundary that some features leave."""
    masses = data.masses(np.array(features, dtype=int))
    return float(data.weights[data.in_boundary(data.bounds(masses))].sum())


# -------------------------------------------------------------------------------------- greedy


def _greedy(
    data: Dominance, able: np.ndarray, core: np.ndarray, most: float
) -> Iterator[tuple[int, ...]]:
    """One reduct per feature that the search begins with; the same one may come again."""
    for first in np.setdiff1d(able, core).tolist():
        yield _without_needless(data, _grown(data, able, [*core.tolist(), first], most), most)


def _grown(data: Dominance, able: np.ndarray, first: Sequence[int], most: float) -> list[int]:
    """Features added one by one, the best first, until the boundary is small enough."""
    chosen, relation = list(first), data.relation()
    for feature in chosen[:-1]:
        relation.add(feature)
    left = relation.after(chosen[-1])
    while left.boundary > most and len(chosen) < len(able):
        relation.add(chosen[-1])
        left, best = relation.best([f for f in able.tolist() if f not in chosen])
        chosen.append(best)
    return chosen


def _without_needless(data: Dominance, chosen: list[int], most: float) -> tuple[int, ...]:
    """Features left out, the last added first, while the boundary stays small enough."""
    needless = True
    while needless:  # with consistency below 1, what was needed before may not be any more
        needless = False
        for feature in chosen[::-1]:
            fewer = [f for f in chosen if f != feature]
            if _boundary(data, fewer) <= most:
                chosen, needless = fewer, True
    return tuple(sorted(chosen))
