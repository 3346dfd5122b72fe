"""The pairs behind a Relief score, kept while it is summed: who with whom, and how much.

Pairs come term by term and task by task; a *slot* is one query of one term.  The weight of pair
(i, j) is its slot's coefficient times its share of the slot's places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MAX_PAIRS = 1 << 27
"""More are not kept (4 GB): samples tied by the thousand, which share every place."""


FEW_BITS = 1 << 16
"""Numbers below this have 16 bits, and are sorted in linear time."""


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
        The two rows of every pair.
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
        """The same for columns without an order, in which every difference is absolute."""
        return self._replace(directions=np.zeros_like(self.directions))


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
    lower, higher, pairs = _numbered(queries[slots], indices, n_samples)
    return PairGraph(
        n_samples,
        lower,
        higher,
        pairs,
        slots,
        indices,
        shares,
        queries,
        coefs / weights[terms],
        directions[terms],
    )


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


def pair_sums(graph: PairGraph, present: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Row sums of the symmetric weights M, the sum of their squares, and signed weights b.

    A neighbour in slot s weighs ``coefs[s]`` times its share among the neighbours that are present.
    A slot with a direction counts ``direction * (x_j - x_i)``, and so adds to b only.
    """
    weights = _weights(graph, present)
    signed = np.zeros(graph.n_samples)
    if graph.directions.any():
        steps = graph.directions[graph.slots] * weights
        signed += np.bincount(graph.indices, steps, minlength=graph.n_samples)
        signed -= np.bincount(graph.queries[graph.slots], steps, minlength=graph.n_samples)
        weights = np.where(graph.directions[graph.slots] == 0, weights, 0.0)
    by_pair = _by_pair(graph, weights)
    rows = np.bincount(graph.lower, by_pair, minlength=graph.n_samples)
    rows += np.bincount(graph.higher, by_pair, minlength=graph.n_samples)
    return 0.5 * rows, 0.5 * float(by_pair @ by_pair), signed


def pair_weights(graph: PairGraph, present: np.ndarray) -> np.ndarray:
    """What every pair weighs, both ways together, where no slot has a direction."""
    return _by_pair(graph, _weights(graph, present))


def _by_pair(graph: PairGraph, weights: np.ndarray) -> np.ndarray:
    """The weights of a pair added up; copies of a row never differ."""
    by_pair = np.bincount(graph.pairs, weights, minlength=len(graph.lower))
    return np.where(graph.lower < graph.higher, by_pair, 0.0)


def _weights(graph: PairGraph, present: np.ndarray) -> np.ndarray:
    """The weight of every neighbour, 0 where it or the query is not present."""
    shares = graph.shares
    if not present.all():
        shares = shares * (present[graph.lower] & present[graph.higher])[graph.pairs]
    places = np.bincount(graph.slots, shares, minlength=len(graph.coefs))
    per_place = np.divide(graph.coefs, places, out=np.zeros(len(places)), where=places > 0)
    return per_place[graph.slots] * shares
