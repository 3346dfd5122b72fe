"""Dominance among samples: what contradicts what, by all features or along a growing set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from echelon._core.jobs import in_threads
from echelon._core.samples import row_counts
from echelon.monotone._dominance_loops import (
    class_masses,
    count_after,
    narrow,
    still_contradicted,
)

BLOCK = 256
"""Rows compared with all others at a time."""

DIGITS = 12
"""Shares of mass that agree to so many digits are equal."""

ROUNDING = 1e-12
"""Shares that fall short of a level by less than this part of it reach it."""


class Bounds(NamedTuple):
    """The lowest and the highest class that every sample may have, as codes."""

    low: np.ndarray
    high: np.ndarray


class Masses(NamedTuple):
    """What dominates every sample, and what it dominates, by class; and who do both."""

    above: np.ndarray
    below: np.ndarray
    both: np.ndarray
    """Of other classes only."""


class Counts(NamedTuple):
    """Mass of the samples in a boundary, and of the pairs that contradict each other."""

    boundary: float
    conflicts: float


class Dominance:
    """Samples sorted by class, and the features by which they dominate each other.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Features, larger is better; NaN is missing.
    nominal : ndarray of shape (n_features,)
        Mask of the features that compare by equality.
    codes : ndarray of shape (n_samples,)
        Classes.
    weights : ndarray of shape (n_samples,) or None
        What samples count.
    consistency : float
        Share of a cone that must agree.
    n_jobs : int or None
        Threads.
    """

    def __init__(
        self,
        values: np.ndarray,
        nominal: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray | None,
        consistency: float,
        n_jobs: int | None,
    ) -> None:
        self.rows = np.argsort(codes, kind="stable")
        self.values = np.ascontiguousarray(values[self.rows], dtype=np.float64)
        self.nominal, self.classes = nominal, codes[self.rows]
        self.weights = row_counts(weights, len(codes))[self.rows]
        self.weighted = weights is not None
        self.level = consistency if consistency == 1 else consistency * (1 - ROUNDING)
        self.n_jobs = n_jobs
        self.starts = np.searchsorted(self.classes, self.classes, side="left")
        self.ends = np.searchsorted(self.classes, self.classes, side="right")

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def total(self) -> float:
        """Mass of all samples."""
        return float(self.weights.sum())

    def blocks(self) -> Iterable[tuple[int, int]]:
        """First and last row of the parts that threads take."""
        return ((first, min(first + BLOCK, len(self))) for first in range(0, len(self), BLOCK))

    def in_rows(self, found: np.ndarray) -> np.ndarray:
        """What was found of the sorted samples, in the order they were given."""
        given = np.empty_like(found)
        given[self.rows] = found
        return given

    def masses(self, features: Iterable[int]) -> Masses:
        """Mass by class of what dominates each sample, and of what it dominates."""
        relation = self.relation()
        for feature in features:
            relation.narrow(feature)
        return relation.masses()

    def bounds(self, masses: Masses) -> Bounds:
        """The classes every sample may have, by the masses of its cones.

        The lowest is the highest class, up to its own, that enough of those above it reach.
        """
        above, below, _ = masses
        places, own = np.arange(above.shape[1]), self.classes[:, None]
        lower = np.cumsum(above, axis=1) - above
        higher = (np.cumsum(below[:, ::-1], axis=1) - below[:, ::-1])[:, ::-1]
        low = self._enough(lower, above) & (places <= own)
        high = self._enough(higher, below) & (places >= own)
        return Bounds(places[-1] - np.argmax(low[:, ::-1], axis=1), np.argmax(high, axis=1))

    def _enough(self, wrong: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Whether so little of every cone is on the wrong side of a class."""
        whole = masses.sum(axis=1, keepdims=True)
        if self.level == 1:
            return wrong <= ROUNDING * whole
        return whole - wrong >= self.level * whole

    def in_boundary(self, bounds: Bounds) -> np.ndarray:
        """Mask of the samples whose class is not certain, sorted as here."""
        return bounds.low < bounds.high

    def conflicts(self, masses: Masses) -> float:
        """Mass of the pairs in which the lower class dominates the higher one."""
        lower = np.arange(masses.above.shape[1]) < self.classes[:, None]
        return float(self.weights @ np.where(lower, masses.above, 0).sum(axis=1))

    def comparable(self, masses: Masses) -> float:
        """Share of the pairs of different classes in which one sample dominates the other."""
        apart = np.arange(masses.above.shape[1]) != self.classes[:, None]
        sizes = np.bincount(self.classes, self.weights)
        pairs = float(sizes.sum() ** 2 - (sizes**2).sum()) / 2
        dominating = np.where(apart, masses.above, 0).sum(axis=1)
        return float(self.weights @ (dominating - masses.both / 2)) / pairs

    def against(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of lower classes that dominate a row, and of higher ones that it dominates."""
        first, last = self.starts[row], self.ends[row]
        with np.errstate(invalid="ignore"):
            less, more = self.values < self.values[row], self.values > self.values[row]
        apart = (less | more) & self.nominal
        over, under = ~(less | apart).any(axis=1), ~(more | apart).any(axis=1)
        return np.flatnonzero(over[:first]), last + np.flatnonzero(under[last:])

    def relation(self) -> Relation:
        """The relation by no feature yet: every sample dominates every other."""
        return Relation(self)


class Relation:
    """Who dominates whom by the features added so far, as bits; see ``_dominance_loops``."""

    def __init__(self, dominance: Dominance) -> None:
        self.dominance = dominance
        n = len(dominance)
        full = np.zeros(64 * -(-n // 64), dtype=np.uint8)
        full[:n] = 1
        row = np.packbits(full, bitorder="little").view("<u8").astype(np.uint64)
        self.above = np.tile(row, (n, 1))
        self.below = self.above.copy()
        self.sums = _byte_sums(dominance.weights) if dominance.weighted else np.empty((0, 256))
        starts, ends = dominance.starts, dominance.ends
        self.rows = np.column_stack([starts, ends, np.ones(n, np.int64)])

    def copy(self) -> Relation:
        """The relation, to be narrowed in another way."""
        made = object.__new__(Relation)
        made.__dict__ |= self.__dict__
        made.above, made.below = self.above.copy(), self.below.copy()
        made.rows = self.rows.copy()
        return made

    def narrow(self, feature: int) -> None:
        """Take one more feature into account."""
        narrow(self.above, self.below, *self._sorted(feature))

    def add(self, feature: int) -> None:
        """Narrow, and look no more at rows that nothing contradicts: no feature changes that."""
        self.narrow(feature)
        if self.dominance.level == 1:
            still_contradicted(self.above, self.below, self.rows, self.sums)

    def masses(self) -> Masses:
        """What dominates every sample, and what it dominates."""
        data = self.dominance
        ends = np.unique(data.ends)
        shape = len(data), len(ends)
        found = Masses(np.zeros(shape), np.zeros(shape), np.zeros(len(data)))
        class_masses(self.above, self.below, data.classes, ends, self.sums, *found)
        return found

    def after(self, feature: int) -> Counts:
        """What one more feature would leave."""
        data, out = self.dominance, np.zeros(2)
        ways = self.rows, data.weights, self.sums, data.level, out
        count_after(self.above, self.below, *self._sorted(feature), *ways)
        return Counts(*out.tolist())

    def best(self, candidates: Sequence[int]) -> tuple[Counts, int]:
        """The feature that leaves the smallest boundary, then the fewest contradictions."""
        found = list(in_threads(self.after, candidates, self.dominance.n_jobs))
        # Sums of the same weights in another order are equal.
        total = self.dominance.total
        ranks = [
            (round(each.boundary / total, DIGITS), round(each.conflicts / total**2, DIGITS), f)
            for each, f in zip(found, candidates, strict=True)
        ]
        best = ranks.index(min(ranks))
        return found[best], candidates[best]

    def _sorted(self, feature: int) -> tuple[np.ndarray, np.ndarray, bool]:
        """The order of a feature, the places where its values begin, and whether it is nominal."""
        column = self.dominance.values[:, feature]
        order = np.argsort(column, kind="stable")
        column = column[order]
        n_present = len(column) - int(np.isnan(column).sum())
        begins = np.flatnonzero(np.diff(column[:n_present]) != 0) + 1
        edges = np.concatenate([[0], begins, [n_present]]) if n_present else np.zeros(1, int)
        return order, edges.astype(np.int64), bool(self.dominance.nominal[feature])


def _byte_sums(weights: np.ndarray) -> np.ndarray:
    """Mass of the samples that every byte of a row of bits stands for, by its place."""
    padded = np.zeros(64 * -(-len(weights) // 64))
    padded[: len(weights)] = weights
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return padded.reshape(-1, 8) @ bits.T.astype(float)
