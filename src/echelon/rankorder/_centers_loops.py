"""Compiled loops: centers of classes after one feature more is removed, for many candidates.

The rank of a feature at the center of a class is that of its sum of margins (see ``_orders``).
Removing a feature moves a sum by at most the size of the class, so of features nearly in the order
of their sums only near ones can change places: each is compared with those within reach of it,
whose number is bounded for blocks of ``BLOCK`` positions, without branches.  The margins of a class
lie in its own order, so that all of this runs along memory.
"""

import numpy as np

from echelon.kernels import kernel

BLOCK = 64


@kernel
def sort_columns(margins, rows, columns):
    """Put columns into a new order, in some rows; a column that is not listed is lost."""
    line = np.empty(columns.shape[0], margins.dtype)
    for row in rows:
        for p in range(columns.shape[0]):
            line[p] = margins[row, columns[p]]
        for p in range(columns.shape[0]):
            margins[row, p] = line[p]


@kernel
def reaches(sums, widest, reach, fits):
    """For every block of positions, how far a position can be from one it trades places with.

    The sums need not be sorted.  Reaches are even, for pairs of steps.  ``fits``: blocks whose
    positions, and those in reach, can be compared by differences of 16 bits, and are so few that
    what they add to ranks, at most 1 each, has 16 bits too.
    """
    n = sums.shape[0]
    least = np.empty(n + 1, np.int64)  # of all sums from a position on
    least[n] = np.iinfo(np.int64).max
    for p in range(n - 1, -1, -1):
        least[p] = min(least[p + 1], sums[p])
    reach[:] = 0
    q, most = 0, np.int64(sums[0])
    for p in range(n):
        q, most = max(q, p), max(most, np.int64(sums[p]))
        while q + 1 < n and least[q + 1] - most <= widest:
            q += 1
        # None after q can come before p.
        for b in range(p // BLOCK, q // BLOCK + 1):
            reach[b] = max(reach[b], q - p)
    for b in range(reach.shape[0]):
        reach[b] += reach[b] % 2
        first, last = b * BLOCK - reach[b], (b + 1) * BLOCK + reach[b]
        low = high = np.int64(sums[b * BLOCK])
        for p in range(max(first, 0), min(last, n)):
            low, high = min(low, np.int64(sums[p])), max(high, np.int64(sums[p]))
        low = low if first >= 0 else least[0] - widest
        high = high if last <= n else most + widest
        fits[b] = high - low + widest < 2**15 and reach[b] < 2**14


@kernel
def _move(margins, sums, starts, shifts, moved):
    """Sums less the margins of a candidate, in runs of neighbouring columns."""
    for run in range(shifts.shape[0]):
        first, last = starts[run], starts[run + 1]
        taken = margins[first + shifts[run] : last + shifts[run]]
        here, out = sums[first:last], moved[first:last]
        for p in range(last - first):
            out[p] = here[p] - taken[p]


@kernel
def _short_changes(moved, start, reach, change):
    """Positions in reach that a block passes less those that pass it, from sums modulo 2**16."""
    here = moved[start : start + BLOCK]
    for p in range(BLOCK):
        change[p] = 0
    for w in range(1, reach + 1, 2):
        a, b = moved[start + w : start + w + BLOCK], moved[start + w + 1 : start + w + 1 + BLOCK]
        c, d = moved[start - w : start - w + BLOCK], moved[start - w - 1 : start - w - 1 + BLOCK]
        for p in range(BLOCK):
            e, f = np.int16(here[p] - a[p]), np.int16(here[p] - b[p])
            g, h = np.int16(here[p] - c[p]), np.int16(here[p] - d[p])
            later = np.int16(e > 0) - np.int16(e < 0) + np.int16(f > 0) - np.int16(f < 0)
            earlier = np.int16(g > 0) - np.int16(g < 0) + np.int16(h > 0) - np.int16(h < 0)
            change[p] += later + earlier


@kernel
def _long_changes(moved, start, reach, change):
    """Changes from the sums themselves."""
    here = moved[start : start + BLOCK]
    for p in range(BLOCK):
        change[p] = 0
    for w in range(1, reach + 1):
        a, b = moved[start + w : start + w + BLOCK], moved[start - w : start - w + BLOCK]
        for p in range(BLOCK):
            later = np.int32(here[p] > a[p]) - np.int32(here[p] < a[p])
            earlier = np.int32(here[p] > b[p]) - np.int32(here[p] < b[p])
            change[p] += later + earlier


@kernel
def _rank(moved, short, pad, reach, fits, few, many, ranks):
    """Doubled ranks of all sums."""
    for b in range(reach.shape[0]):
        start = b * BLOCK
        line = ranks[start : start + BLOCK]
        if fits[b]:
            _short_changes(short, pad + start, reach[b], few)
            for p in range(BLOCK):
                line[p] = 2 * (start + p) + 2 + few[p]
        else:
            _long_changes(moved, pad + start, reach[b], many)
            for p in range(BLOCK):
                line[p] = 2 * (start + p) + 2 + many[p]


@kernel
def _leave_out(moved, pad, place, ranks):
    """Take a candidate, which lies at ``place``, out of the doubled ranks of the others."""
    n = ranks.shape[0]
    value = moved[pad + place]
    for p in range(max(place - pad, 0), min(place + pad + 1, n)):
        other = moved[pad + p]
        ranks[p] -= np.int32(other > value) + np.int32(other >= value)
    for p in range(place + pad + 1, n):
        ranks[p] -= 2
    ranks[place] = 0


@kernel
def _follow(path, ranks, own):
    """Ranks in the order of the first class."""
    for p in range(path.shape[0]):
        own[p] = ranks[path[p]]
    for p in range(path.shape[0]):
        ranks[p] = own[p]


@kernel
def _squared_distance(first, second):
    total = np.int64(0)
    for p in range(first.shape[0]):
        apart = np.int64(first[p] - second[p])
        total += apart * apart
    return total


@kernel
def center_distances(
    candidates, margins, widest, sums, short_sums, starts, shifts, places, reach, fits, paths, out
):
    """Four times Spearman's distance between the centers without each of some candidates.

    Parameters
    ----------
    candidates : rows of the features that may be removed
    margins : class, row, column: C[i, j] - C[j, i], which removing i takes from the sum of j
    widest : class: more than sums can come nearer to each other
    sums, short_sums : class, position: the sums, and these modulo 2**16
    starts, shifts : class, run: first positions of runs of columns, and column less position
    places : class, row: position of every feature
    reach, fits : class, block: see ``reaches``
    paths : class, position in the first class: position of the same feature
    out : candidate, pair of classes (0 1, 0 2, ..., 1 2, ...)
    """
    n_classes, n = sums.shape
    pad, n_blocks = reach.max(), reach.shape[1]
    # Beyond the ends stand sums that none can trade places with.
    moved = np.empty((n_classes, n_blocks * BLOCK + 2 * pad), sums.dtype)
    short = np.empty(moved.shape, np.int16)
    for c in range(n_classes):
        low, high = sums[c].min() - widest[c], sums[c].max() + widest[c]
        for p in range(moved.shape[1]):
            moved[c, p] = low if p < pad else high
            short[c, p] = np.int16(moved[c, p])
    few, many = np.empty(BLOCK, np.int16), np.empty(BLOCK, np.int32)
    ranks, own = np.empty((n_classes, n_blocks * BLOCK), np.int32), np.empty(n, np.int32)
    for q in range(candidates.shape[0]):
        k = candidates[q]
        for c in range(n_classes):
            _move(margins[c, k], sums[c], starts[c], shifts[c], moved[c, pad:])
            _move(margins[c, k], short_sums[c], starts[c], shifts[c], short[c, pad:])
            _rank(moved[c], short[c], pad, reach[c], fits[c], few, many, ranks[c])
            _leave_out(moved[c], pad, places[c, k], ranks[c, :n])
            if c > 0:
                _follow(paths[c], ranks[c], own)
        pair = 0
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                out[q, pair] = _squared_distance(ranks[a, :n], ranks[b, :n])
                pair += 1
