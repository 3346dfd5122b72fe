"""Sums of third order over the weights of pairs: what a third moment needs beside the differences.

Triangles are counted from *wedges*, two pairs that meet in a sample.  Where there are many, a
random part of them will do: the skewness that follows is off by about 3 / sqrt(WEDGES), times the
root of the share of pairs that have a weight.  Where no pairs are listed, all weights among some
random samples stand for those of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from echelon.margin._pairs import FEW_BITS, PairGraph
from echelon.margin._third_moments import NOTHING, ThirdSums, beside_form, centred

WEDGES = 1 << 13
"""Wedges looked at, at most."""

ROWS = 256
"""Samples whose weights stand for all, where pairs are not listed."""


def fixed_seed(random_state: Any) -> int:
    """Of what chooses such parts; unless told otherwise the same ones always, for equal p-values.

    Drawn in the fit: the parts may be chosen later.
    """
    if random_state is None or isinstance(random_state, Integral):
        return int(random_state or 0)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@dataclass(frozen=True)
class Triangles:
    """Triangles of a graph: the numbers of their three pairs, and how many each stands for."""

    pairs: np.ndarray
    worth: float

    @classmethod
    def of(cls, graph: PairGraph, random_state: np.random.RandomState) -> Triangles:
        """Those among all wedges of the graph, or among a random part of them."""
        ends, others = (
            np.concatenate(sides)
            for sides in ((graph.lower, graph.higher), (graph.higher, graph.lower))
        )
        degrees = np.bincount(ends, minlength=graph.n_samples)
        middle, places, worth = _wedges(degrees, random_state)
        one, two = _ends_at(middle, places, ends, degrees)
        third, there = _pairs_of(graph, others[one], others[two])
        n_pairs = max(len(graph.lower), 1)
        return cls(np.stack([one % n_pairs, two % n_pairs, third])[:, there], worth)

    def total(self, weights: np.ndarray) -> float:
        """The products of three weights, added over all ordered triangles."""
        a, b, c = weights[self.pairs]
        return self.worth * float((a * b) @ c)


def _wedges(
    degrees: np.ndarray, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """Samples, two different ones of the pairs that end there, and how many each stands for."""
    couples = degrees * (degrees - 1)
    totals = np.cumsum(couples)
    n = int(totals[-1])
    wedges = np.arange(n) if n <= WEDGES else np.sort(random_state.randint(0, n, WEDGES))
    middle = np.searchsorted(totals, wedges, side="right")
    place = wedges - (totals - couples)[middle]
    first, second = np.divmod(place, np.maximum(degrees[middle] - 1, 1))
    return middle, np.stack([first, second + (second >= first)]), n / max(len(wedges), 1)


def _ends_at(
    middle: np.ndarray, places: np.ndarray, ends: np.ndarray, degrees: np.ndarray
) -> np.ndarray:
    """Which of all ends these are; only those at the samples asked for are put in order."""
    asked = np.zeros(len(degrees), bool)
    asked[middle] = True
    there = np.flatnonzero(asked[ends])
    found = ends[there]
    few = found.astype(np.uint16) if len(degrees) <= FEW_BITS else found
    there = there[np.argsort(few, kind="stable")]
    counts = np.where(asked, degrees, 0)
    return there[(np.cumsum(counts) - counts)[middle] + places]


def _pairs_of(graph: PairGraph, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of some pairs of rows, and which the graph has; it lists them in order."""
    n = np.int64(graph.n_samples)
    listed = graph.lower * n + graph.higher
    wanted = np.minimum(a, b) * n + np.maximum(a, b)
    found = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    return found, listed[found] == wanted


def pair_thirds(
    graph: PairGraph, triangles: Triangles, weights: np.ndarray, present: np.ndarray
) -> ThirdSums:
    """The sums over M, from the weights of all pairs (2 M) whose two samples are present."""
    n = int(present.sum())
    if n < 2:
        return NOTHING
    lower, higher, m = graph.lower, graph.higher, 0.5 * weights
    rows, squares = (
        (np.bincount(lower, w, len(present)) + np.bincount(higher, w, len(present)))[present]
        for w in (m, m * m)
    )
    r = np.zeros(len(present))
    r[present] = rows - rows.sum() / n
    form = 2 * float((m * r[lower]) @ r[higher])
    return centred(n, rows, squares, 2 * float(m @ (m * m)), form, triangles.total(m))


def some_rows(n: int, random_state: np.random.RandomState) -> np.ndarray:
    """All rows, or a random part of them."""
    return np.sort(random_state.choice(n, ROWS, replace=False)) if n > ROWS else np.arange(n)


def block_thirds(block: np.ndarray, which: np.ndarray, rows: np.ndarray) -> ThirdSums:
    """The sums over M, from its entries among some samples and the row sums of all.

    Of the triangles, only those of the quadratic form are left to the sample.
    """
    n, m = len(rows), len(which)
    if m < 3:
        return NOTHING
    block = block - rows.sum() / (n * (n - 1))
    np.fill_diagonal(block, 0.0)
    r = rows - rows.sum() / n
    pairs = n * (n - 1) / (m * (m - 1))
    squared, own = block * block, r[which]
    cubes = pairs * float(np.vdot(squared, block))
    squares = pairs * float(squared.sum(axis=1) @ own)
    form = pairs * float(own @ block @ own)
    rest = block - (own[:, None] + own) / (n - 2)
    np.fill_diagonal(rest, 0.0)
    triangles = pairs * (n - 2) / (m - 2) * float(np.vdot(rest @ rest, rest))
    cubed = float(r @ (r * r))
    triangles += beside_form(n, squares, cubed, form)
    return ThirdSums(cubes, squares, triangles, cubed, form)
