"""What rows of queries and the lanes of a leaf add up to, and a first limit for every query.

Calls per visit get the arrays they need: a tuple of all would be copied by each.
"""

import numpy as np

from echelon.engines.numba._tiles import (
    TILE,
    add_gaps,
    add_known_mismatches,
    add_maxima,
    add_mismatches,
    add_partial,
    add_squares,
)
from echelon.kernels import kernel
from echelon.kernels.order import kth_smallest


@kernel
def sum_tile(lanes, halves, b, form, tile, sums, shared):
    """How far the rows of a tile lie from the lanes of leaf b, in codes.

    Of whole numbers that is half the distance, plus half the sum of the query's codes.
    """
    nominal_from, n_numeric, whole, missing, squared, unit = form
    block, width, everyone = lanes[b], lanes.shape[1], (0, lanes.shape[2])
    if missing and not whole:
        _sum_partial(block, n_numeric, nominal_from, squared, tile, sums, shared)
        return
    for q in range(TILE):
        for j in range(sums.shape[1]):
            sums[q, j] = halves[b, j]
    if whole:
        add_maxima(tile, block, 0, nominal_from, everyone, sums)
    elif squared:
        add_squares(tile, block, 0, nominal_from, everyone, sums)
    else:
        add_gaps(tile, block, 0, nominal_from, everyone, sums)
    if missing:
        add_known_mismatches(tile, block, nominal_from, width, unit, sums)
    else:
        add_mismatches(tile, block, nominal_from, width, everyone, unit, sums)


@kernel
def _sum_partial(block, n_numeric, nominal_from, squared, tile, sums, shared):
    """The same over the columns both rows have, scaled up to all; beyond all if there are none."""
    sums[:] = 0
    shared[:] = 0
    for f in range(n_numeric):
        add_partial(tile, block, f, False, squared, sums, shared)
    for f in range(nominal_from, block.shape[0]):
        add_partial(tile, block, f, True, squared, sums, shared)
    n_features = np.float32(n_numeric + block.shape[0] - nominal_from)
    for q in range(TILE):
        for j in range(sums.shape[1]):
            n = shared[q, j]
            sums[q, j] = sums[q, j] * (n_features / n) if n > 0 else np.float32(np.inf)


@kernel
def copy_rows(rows, members, first, n, tile):
    for s in range(n):
        q = members[first + s]
        for f in range(rows.shape[1]):
            tile[s, f] = rows[q, f]


@kernel
def smallest(sums, s):
    least = sums[s, 0]
    for j in range(sums.shape[1]):
        least = min(least, sums[s, j])
    return least


@kernel
def near_enough(sums, s, n, k):
    """A sum that at least k of the first n do not exceed, from minima over some of them."""
    folded = sums[s, :n].copy()
    while n % 2 == 0 and n >= 4 * k:
        n //= 2
        for j in range(n):
            folded[j] = min(folded[j], folded[n + j])
    return np.float64(kth_smallest(folded[:n], min(k, n)))


@kernel
def _keep_minima(sums, s, unknown, minima):
    for j in range(minima.shape[0]):
        minima[j] = min(minima[j], max(sums[s, j], unknown[j]))


@kernel
def _mark_unknown(scale, places, top, unknown):
    """Lanes whose rows miss values: where codes are whole their distances are scaled up later."""
    for j in range(unknown.shape[0]):
        unknown[j] = top if scale[places + j] > 1 else 0


@kernel
def first_sums(leaves, rows, chosen, form, k, buffers, near):
    """For every query a sum that at least k places in the chosen leaves, full ones, do not exceed.

    From minima over lanes that stand at the same place in their leaves.  ``near`` is left as it is
    where there are no such leaves.  All queries go through these leaves twice; but few candidates
    are left the second time, and each takes as long as a leaf.
    """
    sums, shared = buffers
    n, n_lanes, top = near.shape[0], leaves.lanes.shape[2], near[0]
    minima, unknown = np.full((n, n_lanes), top), np.zeros(n_lanes, near.dtype)
    any_full = False
    for b in chosen:
        if leaves.size[b] < n_lanes:  # the lanes left repeat a place
            continue
        any_full = True
        if leaves.missing and leaves.whole:
            _mark_unknown(leaves.scale, leaves.start[b], top, unknown)
        for t in range(0, n, TILE):
            sum_tile(leaves.lanes, leaves.halves, b, form, rows[t : t + TILE], sums, shared)
            for s in range(min(TILE, n - t)):
                _keep_minima(sums, s, unknown, minima[t + s])
    if any_full:
        for q in range(n):
            near[q] = near_enough(minima, q, n_lanes, k)
