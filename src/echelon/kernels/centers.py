"""Centers of classes after one feature more is removed, for many candidates.

The rank of a feature at the center of a class is that of its sum of margins (see ``precedence``).
Removing a feature moves a sum by at most the size of the class, so in sorted order only near
features can change places: each is compared with those within reach of it, whose number is bounded
for blocks of ``BLOCK`` positions, without branches.
"""

import numpy as np

from echelon.kernels._jit import kernel

BLOCK = 32


@kernel
def reaches(sorted_sums, widest, ahead, behind):
    """For every block of positions, how far a position can be from one it trades places with.

    A removed position moves all later ones up by one, so a block also counts its right neighbour.
    """
    n = sorted_sums.shape[0]
    ahead[:] = 0
    behind[:] = 0
    q = 0
    for p in range(n):
        q = max(q, p)
        while q + 1 < n and sorted_sums[q + 1] - sorted_sums[p] <= widest:
            q += 1
        # Positions p to q are within reach of each other.
        for at in (p, p - 1):
            if at >= 0:
                ahead[at // BLOCK] = max(ahead[at // BLOCK], q - p)
    q = n - 1
    for p in range(n - 1, -1, -1):
        q = min(q, p)
        while q > 0 and sorted_sums[p] - sorted_sums[q - 1] <= widest:
            q -= 1
        for at in (p, p - 1):
            if at >= 0:
                behind[at // BLOCK] = max(behind[at // BLOCK], p - q)


@kernel
def _rank(margins, order, sums, place, ahead, behind, pad, limit, moved, ranks):
    """Doubled ranks of the sums less the margins of a candidate, which is at ``place``."""
    n = order.shape[0] - 1
    for p in range(place):
        i = order[p]
        moved[pad + p] = sums[p] - margins[i]
    for p in range(place, n):
        i = order[p + 1]
        moved[pad + p] = sums[p + 1] - margins[i]
    for p in range(n, n + BLOCK + pad):
        moved[pad + p] = limit
    doubled = np.empty(BLOCK, np.int32)
    for b in range((n + BLOCK - 1) // BLOCK):
        start = b * BLOCK
        here = moved[pad + start : pad + start + BLOCK]
        for p in range(BLOCK):
            doubled[p] = np.int32(2 * (start + p) + 2)
        for w in range(1, ahead[b] + 1):
            there = moved[pad + start + w : pad + start + w + BLOCK]
            for p in range(BLOCK):
                doubled[p] += np.int32(here[p] > there[p]) + np.int32(here[p] >= there[p])
        for w in range(1, behind[b] + 1):
            there = moved[pad + start - w : pad + start - w + BLOCK]
            for p in range(BLOCK):
                doubled[p] -= np.int32(there[p] > here[p]) + np.int32(there[p] >= here[p])
        end = min(BLOCK, n - start)
        shift = start if start + end <= place else start + 1
        if start < place < start + end:
            for p in range(place - start):
                ranks[order[start + p]] = doubled[p]
            for p in range(place - start, end):
                ranks[order[start + p + 1]] = doubled[p]
        else:
            for p in range(end):
                ranks[order[shift + p]] = doubled[p]


@kernel
def center_distances(candidates, margins, orders, sums, places, ahead, behind, pad, limit, out):
    """Four times Spearman's distance between the centers without each of some candidates.

    Parameters
    ----------
    candidates : features that may be removed
    margins : class, feature, feature: C[i, j] - C[j, i], which removing i takes from the sum of j
    orders, sums : class, position: features by their sum, and the sums
    places : class, feature: position of every feature
    ahead, behind : class, block: see ``reaches``
    pad : largest of these
    limit : larger than any sum
    out : candidate, pair of classes (0 1, 0 2, ..., 1 2, ...)
    """
    n_classes, n_positions = orders.shape
    width = margins.shape[2]
    moved = np.full(n_positions + BLOCK + 2 * pad, -limit, sums.dtype)
    ranks = np.zeros((n_classes, width), np.int32)
    for q in range(candidates.shape[0]):
        k = candidates[q]
        for c in range(n_classes):
            _rank(margins[c, k], orders[c], sums[c], places[c, k], ahead[c], behind[c], pad,
                  limit, moved, ranks[c])  # fmt: skip
            ranks[c, k] = 0
        pair = 0
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                first, second, total = ranks[a], ranks[b], np.int64(0)
                for i in range(width):
                    apart = np.int64(first[i] - second[i])
                    total += apart * apart
                out[q, pair] = total
                pair += 1
