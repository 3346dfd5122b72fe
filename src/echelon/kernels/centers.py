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
def sort_again(left, sums, orders, sorted_sums, places):
    """Features left by their sums, from an order in which they were sorted before.

    Since then sums have moved little, so each feature is put in its place among the last few.
    ``orders`` (class, position) may list features no longer left; those that are come first.
    """
    for c in range(orders.shape[0]):
        order, values = orders[c], sums[c]
        at = 0
        for p in range(order.shape[0]):
            i = order[p]
            if not left[i]:
                continue
            q = at
            while q > 0 and values[order[q - 1]] > values[i]:
                order[q] = order[q - 1]
                q -= 1
            order[q] = i
            at += 1
        for p in range(at):
            sorted_sums[c, p] = values[order[p]]
            places[c, order[p]] = p


@kernel
def reaches(sorted_sums, widest, reach, fits):
    """For every block of positions, how far a position can be from one it trades places with.

    A removed position moves all later ones up by one, so a block also counts its right neighbour.
    Reaches are even, for pairs of steps.  ``fits``: blocks whose positions, and those in reach, can
    be compared by differences of 16 bits, and are so few that what they add to ranks, at most 2
    each, has 16 bits too.
    """
    n = sorted_sums.shape[0]
    reach[:] = 0
    q = 0
    for p in range(n):
        q = max(q, p)
        while q + 1 < n and sorted_sums[q + 1] - sorted_sums[p] <= widest:
            q += 1
        # Positions p to q are in reach of each other.
        for b in range(max(p - 1, 0) // BLOCK, q // BLOCK + 1):
            reach[b] = max(reach[b], q - p)
    for b in range(reach.shape[0]):
        reach[b] += reach[b] % 2
        first, last = b * BLOCK - reach[b], (b + 1) * BLOCK + reach[b]
        low = sorted_sums[first] if first >= 0 else sorted_sums[0] - widest
        high = sorted_sums[last] if last < n - 1 else sorted_sums[n - 1] + widest
        fits[b] = high - low + widest < 2**15 and reach[b] < 2**14


@kernel
def _short_changes(short, start, reach, change):
    """What trading places adds to the doubled ranks of a block, from sums modulo 2**16."""
    here = short[start : start + BLOCK]
    for p in range(BLOCK):
        change[p] = 0
    for w in range(1, reach + 1, 2):
        a, b = short[start + w : start + w + BLOCK], short[start + w + 1 : start + w + 1 + BLOCK]
        c, d = short[start - w : start - w + BLOCK], short[start - w - 1 : start - w - 1 + BLOCK]
        for p in range(BLOCK):
            e, f = np.int16(a[p] - here[p]), np.int16(b[p] - here[p])
            g, h = np.int16(here[p] - c[p]), np.int16(here[p] - d[p])
            up = np.int16(e < 0) + np.int16(e <= 0) + np.int16(f < 0) + np.int16(f <= 0)
            down = np.int16(g < 0) + np.int16(g <= 0) + np.int16(h < 0) + np.int16(h <= 0)
            change[p] += up - down


@kernel
def _rank_block(margins, order, sums, place, start, reach, ranks):
    """Doubled ranks of a block, from the sums themselves."""
    n = order.shape[0] - 1
    moved = np.empty(BLOCK + 2 * reach, sums.dtype)
    first, last = max(start - reach, 0), min(start + BLOCK + reach, n)
    for p in range(first, last):
        at = p + (p >= place)
        moved[p - first] = sums[at] - margins[order[at]]
    for p in range(start, min(start + BLOCK, n)):
        here, total = moved[p - first], 0
        for q in range(p + 1, min(p + reach + 1, last)):
            total += (here > moved[q - first]) + (here >= moved[q - first])
        for q in range(max(p - reach, first), p):
            total -= (moved[q - first] > here) + (moved[q - first] >= here)
        ranks[order[p + (p >= place)]] = 2 * p + 2 + total


@kernel
def _move(margins, order, short_sums, short):
    """Sums less the margins of a candidate, modulo 2**16."""
    for p in range(order.shape[0]):
        short[p] = short_sums[p] - margins[order[p]]


@kernel
def _put(order, base, change, ranks):
    for p in range(order.shape[0]):
        ranks[order[p]] = base + 2 * p + change[p]


@kernel
def _rank(margins, order, sums, short_sums, place, reach, fits, pad, short, change, ranks):
    """Doubled ranks of the sums less the margins of a candidate, which is at ``place``."""
    n = order.shape[0] - 1
    _move(margins, order[:place], short_sums[:place], short[pad : pad + place])
    _move(margins, order[place + 1 :], short_sums[place + 1 :], short[pad + place : pad + n])
    for b in range((n + BLOCK - 1) // BLOCK):
        start, end = b * BLOCK, min((b + 1) * BLOCK, n)
        if not fits[b]:
            _rank_block(margins, order, sums, place, start, reach[b], ranks)
            continue
        _short_changes(short, pad + start, reach[b], change)
        split = min(max(place, start), end)
        _put(order[start:split], 2 * start + 2, change, ranks)
        _put(order[split + 1 : end + 1], 2 * split + 2, change[split - start :], ranks)


@kernel
def center_distances(
    candidates, margins, widest, orders, sums, short_sums, places, reach, fits, out
):
    """Four times Spearman's distance between the centers without each of some candidates.

    Parameters
    ----------
    candidates : features that may be removed
    margins : class, feature, feature: C[i, j] - C[j, i], which removing i takes from the sum of j
    widest : class: more than sums can come nearer to each other
    orders, sums : class, position: features by their sum, and the sums
    short_sums : the sums modulo 2**16
    places : class, feature: position of every feature
    reach, fits : class, block: see ``reaches``
    out : candidate, pair of classes (0 1, 0 2, ..., 1 2, ...)
    """
    n_classes, n_positions = orders.shape
    width, pad = margins.shape[2], reach.max()
    # Beyond the ends stand sums that none can trade places with.
    short = np.empty((n_classes, n_positions + BLOCK + 2 * pad), np.int16)
    for c in range(n_classes):
        short[c, :pad] = np.int16(sums[c, 0] - widest[c])
        short[c, pad:] = np.int16(sums[c, n_positions - 1] + widest[c])
    change = np.empty(BLOCK, np.int16)
    ranks = np.zeros((n_classes, width), np.int32)
    for q in range(candidates.shape[0]):
        k = candidates[q]
        for c in range(n_classes):
            _rank(margins[c, k], orders[c], sums[c], short_sums[c], places[c, k], reach[c],
                  fits[c], pad, short[c], change, ranks[c])  # fmt: skip
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
