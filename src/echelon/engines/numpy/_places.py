"""Places shared at ties, for all queries at once: ``kernels.accumulate.share_places`` in arrays."""

from __future__ import annotations

import numpy as np

from echelon.engines._search import Found


def share_places(
    found: Found, rows: np.ndarray, places: np.ndarray, tolerance: float, *, by_index: bool
) -> np.ndarray:
    """Weight of every neighbour when each query has so many places to give.

    Neighbours nearer than the last place get a whole one.  Those tied with it (within the
    tolerance) share the places left, or, ``by_index``, the lowest rows take them.
    """
    shares = np.ones(len(found.distances))
    crowded = places < found.counts
    if crowded.any():
        here = np.repeat(crowded, found.counts)
        counts, places = found.counts[crowded], places[crowded]
        shares[here] = _shared(
            counts, found.distances[here], rows[here], places, tolerance, by_index
        )
    return shares


def _shared(
    counts: np.ndarray,
    distances: np.ndarray,
    rows: np.ndarray,
    places: np.ndarray,
    tolerance: float,
    by_index: bool,
) -> np.ndarray:
    """The same for queries with more neighbours than places."""
    owners = np.repeat(np.arange(len(counts)), counts)
    ascending = distances[np.lexsort((distances, owners))]
    starts = np.cumsum(counts) - counts
    last = np.where(places > 0, ascending[starts + np.maximum(places, 1) - 1], -np.inf)[owners]
    nearer = distances * tolerance < last
    tied = np.flatnonzero(~nearer & (distances <= last * tolerance))
    left = places - np.bincount(owners[nearer], minlength=len(counts))
    n_tied = np.bincount(owners[tied], minlength=len(counts))
    shares = nearer.astype(float)
    if by_index:
        tied = tied[np.lexsort((rows[tied], owners[tied]))]
        place = np.arange(len(tied)) - (np.cumsum(n_tied) - n_tied)[owners[tied]]
        shares[tied] = place < left[owners[tied]]
    else:
        shares[tied] = left[owners[tied]] / n_tied[owners[tied]]
    return shares
