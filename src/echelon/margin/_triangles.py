"""Sums of third order over the weights of pairs: what a third moment needs beside the differences.

Triangles are counted from *wedges*, two pairs that meet in a sample.  Where there are many, a random
part of them will do: the skewness that follows is then off by 3 / sqrt(WEDGES), about, times the root
of the share of all pairs that have a weight.  Where no pairs are listed, all weights among some
random samples stand for those of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echelon.margin._pairs import PairGraph
from echelon.margin._third_moments import NOTHING, ThirdSums, beside_form, centred

WEDGES = 1 << 14
"""Wedges looked at, at most."""

ROWS = 256
"""Samples whose weights stand for all, where pairs are not listed."""


@dataclass(frozen=True)
class Triangles:
    """Triangles of a graph, as three numbers of pairs each, and how many of them each stands for."""

    pairs: np.ndarray
    worth: float

    @classmethod
    def of(cls, graph: PairGraph, random_state: np.random.RandomState) -> Triangles:
        """Those among all wedges of the graph, or among a random part of them."""
        ends = np.concatenate([graph.lower, graph.higher])
        order = np.argsort(ends, kind="stable")
        others = np.concatenate([graph.higher, graph.lower])[order]
        degrees = np.bincount(ends, minlength=graph.n_samples)
        totals = np.cumsum(degrees * (degrees - 1))
        n = int(totals[-1])
        wedges = np.arange(n) if n <= WEDGES else random_state.randint(0, n, WEDGES)
        middle = np.searchsorted(totals, wedges, side="right")
        place = wedges - (totals - degrees * (degrees - 1))[middle]
        first, second = np.divmod(place, np.maximum(degrees[middle] - 1, 1))
        second += second >= first
        start = (np.cumsum(degrees) - degrees)[middle]
        one, two = order[start + first], order[start + second]
        third, there = _pairs_of(graph, others[start + first], others[start + second])
        sides = np.stack([one % len(graph.lower), two % len(graph.lower), third])
        return cls(sides[:, there], n / max(len(wedges), 1))

    def total(self, weights: np.ndarray) -> float:
        """The products of three weights, added over all ordered triangles."""
        a, b, c = weights[self.pairs]
        return self.worth * float((a * b) @ c)


def _pairs_of(graph: PairGraph, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of some pairs of rows, and which of them the graph has; it lists them in order."""
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
    return centred(n, rows, squares, 2 * float(m @ m**2), form, triangles.total(m))


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
    cubes, squares, form = (
        pairs * float(total)
        for total in (
            (block**3).sum(),
            (block**2).sum(axis=1) @ r[which],
            r[which] @ block @ r[which],
        )
    )
    rest = block - (r[which, None] + r[which]) / (n - 2)
    np.fill_diagonal(rest, 0.0)
    triangles = pairs * (n - 2) / (m - 2) * float((rest @ rest * rest).sum())
    cubed = float(r @ r**2)
    triangles += beside_form(n, squares, cubed, form)
    return ThirdSums(cubes, squares, triangles, cubed, form)
