"""The pairs behind a Relief score, kept while it is summed: who with whom, and how much.

Pairs come term by term and task by task; a *slot* is one query of one term.  The weight of pair
(i, j) is its slot's coefficient times its share of the slot's places.

The moments of a score (``_moments``) take sums over these weights.  For those of third order,
triangles are counted from *wedges*, two pairs that meet in a sample.  Where there are many, a
random part of them will do: the skewness that follows is off by about 3 / sqrt(WEDGES), times the
root of the share of pairs that have a weight.  Where no pairs are listed, all weights among some
random samples stand for those of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from echelon.margin._moments import NO_THIRDS, SecondSums, ThirdSums, beside_form, centred

MAX_PAIRS = 1 << 27
"""More are not stored (4 GB): samples tied by the thousand, which share every place."""

FEW_BITS = 1 << 16
"""Numbers below this have 16 bits, and are sorted in linear time."""

WEDGES = 1 << 13
"""Wedges looked at, at most."""

ROWS = 256
"""Samples whose weights stand for all, where pairs are not listed."""


class Piece(NamedTuple):
    """Pairs of one term: queries, their coefficients, numbers of neighbours; neighbours, shares."""

    term: int
    queries: np.ndarray
    coefs: np.ndarray
    counts: np.ndarray
    indices: np.ndarray
    shares: np.ndarray


def piece(
    term: int, pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], coefs: np.ndarray
) -> Piece:
    """The pairs of a term that have a weight, as small as they can be."""
    queries, counts, indices, shares = pairs
    with_place = shares > 0
    if not with_place.all():
        owners = np.repeat(np.arange(len(counts)), counts)[with_place]
        counts = np.bincount(owners, minlength=len(counts))
        indices, shares = indices[with_place], shares[with_place]
    queries, counts, indices = (part.astype(np.int32) for part in (queries, counts, indices))
    return Piece(term, queries, coefs, counts, indices, shares)


class PairGraph(NamedTuple):
    """Weighted pairs of samples: every neighbour of every slot, and which pair of rows it makes.

    A pair may come several times, by several terms and from either side.  A row and its own
    copies (weighted samples) are a pair of equal rows.

    Attributes
    ----------
    n_samples : int
        Rows.
    lower, higher : ndarray of shape (n_pairs,)
        The two rows of every pair, in order.
    pairs, slots, indices, shares : ndarray of shape (n_neighbors,)
        The pair and the slot of every neighbour, its row and its share of the slot's places.
    queries, coefs, directions : ndarray of shape (n_slots,)
        The query of every slot, its coefficient and the direction of its term.
    """

    n_samples: int
    lower: np.ndarray
    higher: np.ndarray
    pairs: np.ndarray
    slots: np.ndarray
    indices: np.ndarray
    shares: np.ndarray
    queries: np.ndarray
    coefs: np.ndarray
    directions: np.ndarray

    def unsigned(self) -> PairGraph:
        """The graph for columns without an order, in which every difference is absolute."""
        return self._replace(directions=np.zeros_like(self.directions))

    def total_shares(self) -> np.ndarray:
        """The shares of every pair added up."""
        return np.bincount(self.pairs, self.shares, minlength=len(self.lower))

    def by_row(self, of_pairs: np.ndarray) -> np.ndarray:
        """Numbers of pairs added up over the pairs of every row."""
        n = self.n_samples
        return np.bincount(self.lower, of_pairs, n) + np.bincount(self.higher, of_pairs, n)


def pair_graph(
    pieces: Sequence[Piece], weights: np.ndarray, directions: np.ndarray, n_samples: int
) -> PairGraph:
    """The graph of some pieces; the coefficients of term t are divided by ``weights[t]``."""
    pieces = pieces or [piece(0, (np.empty(0, int),) * 3 + (np.empty(0),), np.empty(0))]
    terms = np.repeat([p.term for p in pieces], [len(p.queries) for p in pieces])
    queries, coefs, counts, indices, shares = (
        np.concatenate(parts) for parts in list(zip(*pieces, strict=True))[1:]
    )
    slots = np.repeat(np.arange(len(queries), dtype=np.int32), counts)
    ends = _numbered(queries[slots], indices, n_samples)
    by_slot = queries, coefs / weights[terms], directions[terms]
    return PairGraph(n_samples, *ends, slots, indices, shares, *by_slot)


def _numbered(a: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and higher row of every pair of rows below n, and the number of each that came."""
    lower, higher = np.minimum(a, b), np.maximum(a, b)
    if n <= FEW_BITS:
        order = np.lexsort((higher.astype(np.uint16), lower.astype(np.uint16)))
    else:  # one number is sorted in half the time of two
        order = np.argsort(lower.astype(np.int64) * n + higher)
    lower, higher = lower[order], higher[order]
    new = np.ones(len(order), bool)
    new[1:] = (lower[1:] != lower[:-1]) | (higher[1:] != higher[:-1])
    pairs = np.empty(len(order), np.int32)
    pairs[order] = np.cumsum(new, dtype=np.int32) - 1
    return lower[new].astype(np.int32), higher[new].astype(np.int32), pairs


# --------------------------------------------------------------------------- sums over the weights


def weight_sums(
    graph: PairGraph, triangles: Triangles, present: np.ndarray
) -> tuple[SecondSums, ThirdSums | None]:
    """Sums over the weights M of the pairs whose two samples have a feature.

    A neighbour in slot s weighs ``coefs[s]`` times its share among the neighbours that are present.
    A slot with a direction counts ``direction * (x_j - x_i)``, and so adds to b only; where there
    are such, nothing is said of the third order.
    """
    weights, signed = _neighbour_weights(graph, present), None
    if graph.directions.any():
        steps = graph.directions[graph.slots]
        signed = np.bincount(graph.indices, steps * weights, graph.n_samples)
        signed -= np.bincount(graph.queries[graph.slots], steps * weights, graph.n_samples)
        signed = signed[present]
        weights = np.where(steps == 0, weights, 0.0)
    by_pair = np.bincount(graph.pairs, weights, minlength=len(graph.lower))
    by_pair = np.where(graph.lower < graph.higher, by_pair, 0.0)  # copies of a row never differ
    rows = 0.5 * graph.by_row(by_pair)[present]
    sums = SecondSums.of(rows, 0.5 * float(by_pair @ by_pair), signed)
    return sums, pair_thirds(graph, triangles, by_pair, present) if signed is None else None


def _neighbour_weights(graph: PairGraph, present: np.ndarray) -> np.ndarray:
    """The weight of every neighbour, 0 where it or the query is not present."""
    shares = graph.shares
    if not present.all():
        shares = shares * (present[graph.lower] & present[graph.higher])[graph.pairs]
    places = np.bincount(graph.slots, shares, minlength=len(graph.coefs))
    per_place = np.divide(graph.coefs, places, out=np.zeros(len(places)), where=places > 0)
    return per_place[graph.slots] * shares


class Triangles(NamedTuple):
    """Triangles of a graph: the numbers of their three pairs, and how many each stands for."""

    pairs: np.ndarray
    worth: float

    @classmethod
    def of(cls, graph: PairGraph, seed: int) -> Triangles:
        """Those among all wedges of the graph, or among a random part of them."""
        ends, others = (
            np.concatenate(sides)
            for sides in ((graph.lower, graph.higher), (graph.higher, graph.lower))
        )
        degrees = np.bincount(ends, minlength=graph.n_samples)
        middle, places, worth = _wedges(degrees, seed)
        one, two = _ends_at(middle, places, ends, degrees)
        third, there = _pairs_of(graph, others[one], others[two])
        n_pairs = max(len(graph.lower), 1)
        return cls(np.stack([one % n_pairs, two % n_pairs, third])[:, there], worth)

    def total(self, weights: np.ndarray) -> float:
        """The products of three weights, added over all ordered triangles."""
        a, b, c = weights[self.pairs]
        return self.worth * float((a * b) @ c)


def _wedges(degrees: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Samples, two different ones of the pairs that end there, and how many each stands for."""
    couples = degrees * (degrees - 1)
    totals = np.cumsum(couples)
    n = int(totals[-1])
    drawn = np.random.RandomState(seed)
    wedges = np.arange(n) if n <= WEDGES else np.sort(drawn.randint(0, n, WEDGES))
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
        return NO_THIRDS
    m = 0.5 * weights
    rows, squares = (graph.by_row(w)[present] for w in (m, m * m))
    r = np.zeros(len(present))
    r[present] = rows - rows.sum() / n
    form = 2 * float((m * r[graph.lower]) @ r[graph.higher])
    return centred(n, rows, squares, 2 * float(m @ (m * m)), form, triangles.total(m))


def some_rows(n: int, seed: int) -> np.ndarray:
    """All rows, or a random part of them."""
    if n <= ROWS:
        return np.arange(n)
    return np.sort(np.random.RandomState(seed).choice(n, ROWS, replace=False))


def block_thirds(block: np.ndarray, which: np.ndarray, rows: np.ndarray) -> ThirdSums:
    """The sums over M, from its entries among some samples and the row sums of all.

    Of the triangles, only those of the quadratic form are left to the sample.
    """
    n, m = len(rows), len(which)
    if m < 3:
        return NO_THIRDS
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
