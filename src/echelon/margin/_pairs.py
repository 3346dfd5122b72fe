"""The pairs behind a Relief score, kept while it is summed: who with whom, and how much.

Pairs come term by term and task by task; a *slot* is one query of one term.  The weight of pair
(i, j) is its slot's coefficient times its share of the slot's places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from echelon.kernels.moments import by_lower_row

MAX_PAIRS = 1 << 27
"""More are not kept (4 GB): samples tied by the thousand, which share every place."""


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
    """Weighted pairs of samples, brought together by the lower of their two rows.

    Attributes
    ----------
    starts : ndarray of shape (n_samples + 1,)
        Where the pairs of every lower row start.
    higher, slots, shares : ndarray of shape (n_pairs,)
        The other row of every pair, its slot and its share of the slot's places.
    queries, coefs, directions : ndarray of shape (n_slots,)
        The query of every slot, its coefficient and the direction of its term.
    """

    starts: np.ndarray
    higher: np.ndarray
    slots: np.ndarray
    shares: np.ndarray
    queries: np.ndarray
    coefs: np.ndarray
    directions: np.ndarray

    @property
    def n_samples(self) -> int:
        return len(self.starts) - 1

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
    starts, higher, slots, order = by_lower_row(n_samples, queries, counts, indices)
    return PairGraph(
        starts, higher, slots, shares[order], queries, coefs / weights[terms], directions[terms]
    )
