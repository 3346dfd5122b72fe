"""How far queries lie outside the boxes of leaves: lower bounds of their distances.

Loops over queries or leaves run over the length of an array, not a constant, which would be
unrolled and not be SIMD; those over axes over a constant, so that sums stay in registers.
"""

import numpy as np

from echelon.engines.numba._leaves import PADDED
from echelon.kernels import kernel
from echelon.kernels.pairs import ABOVE


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
    """The same where values are missing.

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
def rank_leaves(leaves, along, first, last, group, order):
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
    _bound_boxes(leaves, low, high, first, group)
    _bound_boxes(leaves, middle, middle, first, order)


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
