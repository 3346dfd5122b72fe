"""How far queries lie from leaves: bounds by their boxes, and sums of codes row by row.

Loops over queries or leaves run over the length of an array, not a constant, which would be
unrolled and not be SIMD; those over axes over a constant, so that sums stay in registers.  Calls
per visit get the arrays they need: a tuple of all would be copied by each.
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
from echelon.engines.numba.leaves._layout import PADDED
from echelon.kernels import kernel
from echelon.kernels.accumulate import kth_smallest
from echelon.kernels.pairs import ABOVE

# ------------------------------------------------------------------------------------- boxes


@kernel
def bound_queries(leaves, along, scale, bounds, b):
    """Lower bounds of the distances of queries to the rows of leaf b, in steps."""
    if leaves.missing and not leaves.whole:
        _bound_partial(leaves, along, scale, bounds, b)
    else:
        _bound_complete(leaves, along, bounds, b)


@kernel
def _bound_complete(leaves, along, bounds, b):
    """How far queries lie outside, added over the axes; nominal code 0, unknown, adds nothing."""
    lowest, highest, squared = leaves.lowest, leaves.highest, leaves.squared
    unit = bounds.dtype.type(leaves.steps)
    for q in range(bounds.shape[0]):
        bounds[q] = 0
    for first in range(0, leaves.nominal_axes_from, PADDED):
        for q in range(bounds.shape[0]):
            total = bounds[q]
            for f in range(PADDED):
                x = along[first + f, q]
                gap = max(lowest[first + f, b], x) - min(highest[first + f, b], x)
                total += gap * gap if squared else gap
            bounds[q] = total
    for f in range(leaves.nominal_axes_from, along.shape[0]):
        low, high = lowest[f, b], highest[f, b]
        for q in range(bounds.shape[0]):
            x = along[f, q]
            bounds[q] += unit * (((x < low) | (x > high)) & (x != 0))


@kernel
def _bound_partial(leaves, along, scale, bounds, b):
    """A lower bound where values are missing.

    An axis that a row of the leaf misses has no range and adds nothing.  The sum over those left
    is scaled up by as much as a row that shares all the query has: others count more.
    """
    for q in range(bounds.shape[0]):
        bounds[q] = 0
    for f in range(along.shape[0]):
        low, high, nominal = (
            leaves.lowest[f, b],
            leaves.highest[f, b],
            f >= leaves.nominal_axes_from,
        )
        for q in range(bounds.shape[0]):
            below, above = low - along[f, q], along[f, q] - high  # NaN compares false
            below = below if below > 0 else np.float32(0)
            gap = above if above > 0 else below
            if nominal:
                gap = np.float32(gap > 0)
            bounds[q] += gap * gap if leaves.squared else gap
    for q in range(bounds.shape[0]):
        bounds[q] *= scale[q]


@kernel
def rank_leaves(leaves, along, first, last):
    """Lower bounds of distances of leaves first to last to all queries, and to one of them."""
    n, n_axes, dtype = along.shape[1], along.shape[0], along.dtype
    low, high, middle = np.empty(n_axes, dtype), np.empty(n_axes, dtype), np.empty(n_axes, dtype)
    for f in range(n_axes):
        low[f], high[f], middle[f] = along[f, 0], along[f, 0], along[f, n // 2]
        complete = True
        for q in range(n):
            low[f], high[f] = min(low[f], along[f, q]), max(high[f], along[f, q])
            complete &= along[f, q] == along[f, q]
        if leaves.whole and f >= leaves.nominal_axes_from:
            complete = low[f] > 0
        if not complete:
            low[f], high[f] = 0 if leaves.whole else -leaves.never, leaves.never
        if not middle[f] == middle[f]:
            middle[f] = 0
    group, order = np.empty(last - first, dtype), np.empty(last - first, dtype)
    _bound_boxes(leaves, low, high, first, group)
    _bound_boxes(leaves, middle, middle, first, order)
    return group, order


@kernel
def _bound_boxes(leaves, low, high, first, bounds):
    """Lower bounds of the distances of a box to leaves from the first on, before scaling."""
    unit, last = bounds.dtype.type(leaves.steps), first + bounds.shape[0]
    for b in range(bounds.shape[0]):
        bounds[b] = 0
    for f in range(low.shape[0]):
        left, right, nominal = low[f], high[f], f >= leaves.nominal_axes_from
        lowest, highest = leaves.lowest[f, first:last], leaves.highest[f, first:last]
        for b in range(bounds.shape[0]):
            # Differences of whole numbers without a sign must not be negative.
            start = min(max(lowest[b], left), right)
            gap = max(lowest[b], left) - start + (left - min(highest[b], left))
            if nominal:
                gap = unit * (gap > 0)
            bounds[b] += gap * gap if leaves.squared else gap


@kernel
def pass_unrelated(leaves, ordered, b, relation, bounds):
    """Queries no row of leaf b is related to are too far from it."""
    never = bounds.dtype.type(leaves.never)
    for f in range(leaves.n_ordered):
        edge = leaves.largest[f, b] if relation == ABOVE else leaves.least[f, b]
        for q in range(bounds.shape[0]):
            outside = ordered[f, q] > edge if relation == ABOVE else ordered[f, q] < edge
            bounds[q] = never if outside else bounds[q]


@kernel
def list_within(bounds, limits, hits, members):
    """The queries whose bounds are within their limits; their number."""
    for q in range(bounds.shape[0]):
        hits[q] = bounds[q] <= limits[q]
    words = hits.view(np.uint64)
    n = 0
    for word in range(words.shape[0]):
        if words[word] != 0:
            for q in range(8 * word, 8 * word + 8):
                members[n] = q
                n += hits[q]
    return n


# ------------------------------------------------------------------------------------- sums


@kernel
def sum_tile(block, halves, form, tile, sums, shared):
    """How far the rows of a tile lie from the lanes of a leaf, in codes.

    Of whole numbers that is half the distance, plus half the sum of the query's codes.
    """
    nominal_from, n_numeric, whole, missing, squared, unit = form
    width, everyone = block.shape[0], (0, block.shape[1])
    if missing and not whole:
        _sum_partial(block, n_numeric, nominal_from, squared, tile, sums, shared)
        return
    for q in range(TILE):
        for j in range(sums.shape[1]):
            sums[q, j] = halves[j]
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
    """Distance over the columns both rows have, scaled up to all; beyond all if there are none."""
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
        block, halves = leaves.lanes[b], leaves.halves[b]
        for t in range(0, n, TILE):
            sum_tile(block, halves, form, rows[t : t + TILE], sums, shared)
            for s in range(min(TILE, n - t)):
                _keep_minima(sums, s, unknown, minima[t + s])
    if any_full:
        for q in range(n):
            near[q] = near_enough(minima, q, n_lanes, k)
