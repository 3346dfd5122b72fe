"""The k nearest references of every query, by leaves that may hold one.

Queries that stand together go through the leaves as a group.  A leaf is passed over by the whole
group if its box lies beyond the limits of all, then by every query whose own limit, the k-th
smallest distance seen so far, it lies beyond.  Leaves near the middle of the group come first, so
that limits are low when the many far ones come up.  Whatever could be a neighbour within rounding
is measured exactly in the end.

Cost: a few operations per group and leaf, some per query and leaf that the group looks at, and
``LANES * p`` terms per query and leaf it cannot pass over.
"""

import numpy as np

from echelon.engines.numba._leaves import LANES, NOMINAL, NUMERIC
from echelon.engines.numba._nearest import (
    MAX_PAIRS,
    drop_beyond,
    grown,
    keep_smallest,
    kth_or,
    longer,
    measure,
)
from echelon.kernels import kernel
from echelon.kernels.order import kth_smallest
from echelon.kernels.pairs import ABOVE, ANY, related

TOGETHER = 256
"""Queries that go through the leaves together."""

FIRST_LEAVES = 8
"""Leaves nearest to the middle of a group, visited first; then four times as many, and so on."""


# Loops over lanes run over the length of an array, not a constant, which would be unrolled and
# not be SIMD; those over columns over a constant, so that sums stay in registers.


@kernel
def _bound_complete(columns, lowest, highest, nominal_from, unit, bounds, b, squared):
    """Lower bounds of the distances of queries to the rows of leaf b: how far they lie outside."""
    for q in range(bounds.shape[0]):
        bounds[q] = 0
    for first in range(0, nominal_from, NUMERIC):
        for q in range(bounds.shape[0]):
            total = bounds[q]
            for f in range(NUMERIC):
                x = columns[first + f, q]
                gap = max(lowest[first + f, b], x) - min(highest[first + f, b], x)
                total += gap * gap if squared else gap
            bounds[q] = total
    for f in range(nominal_from, columns.shape[0]):
        low, high = lowest[f, b], highest[f, b]
        for q in range(bounds.shape[0]):
            bounds[q] += unit * ((columns[f, q] < low) | (columns[f, q] > high))


@kernel
def _bound_partial(columns, lowest, highest, nominal_from, scale, bounds, b, squared):
    """The same where values are missing.

    A column that a row of the leaf misses has no range and adds nothing.  The sum over those left
    is scaled up by as much as a row that shares all the query has: others count more.
    """
    for q in range(bounds.shape[0]):
        bounds[q] = 0
    for f in range(columns.shape[0]):
        low, high, nominal = lowest[f, b], highest[f, b], f >= nominal_from
        for q in range(bounds.shape[0]):
            below, above = low - columns[f, q], columns[f, q] - high  # NaN compares false
            below = below if below > 0 else np.float32(0)
            gap = above if above > 0 else below
            if nominal:
                gap = np.float32(gap > 0)
            bounds[q] += gap * gap if squared else gap
    for q in range(bounds.shape[0]):
        bounds[q] *= scale[q]


@kernel
def _bound_boxes(low, high, lowest, highest, nominal_from, unit, squared, bounds):
    """Lower bounds of the distances of a box to all leaves, before they are scaled up."""
    for b in range(bounds.shape[0]):
        bounds[b] = 0
    for f in range(low.shape[0]):
        left, right, nominal = low[f], high[f], f >= nominal_from
        for b in range(bounds.shape[0]):
            # Differences of whole numbers without a sign must not be negative.
            start = min(max(lowest[f, b], left), right)
            gap = max(lowest[f, b], left) - start + (left - min(highest[f, b], left))
            if nominal:
                gap = unit * (gap > 0)
            bounds[b] += gap * gap if squared else gap


@kernel
def _pass_unrelated(columns, edges, b, relation, bounds, never):
    """Queries no row of leaf b is related to are too far from it."""
    for f in range(edges.shape[0]):
        edge = edges[f, b]
        for q in range(bounds.shape[0]):
            outside = columns[f, q] > edge if relation == ABOVE else columns[f, q] < edge
            bounds[q] = never if outside else bounds[q]


@kernel
def _list_within(bounds, limits, hits, members):
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


@kernel
def _measure_complete(rows, members, lanes, b, form, far, nearest):
    """Distances of some queries to all lanes of leaf b, and the smallest of each."""
    nominal_from, _, unit, squared = form
    for t in range(members.shape[0]):
        q = members[t]
        for j in range(far.shape[1]):
            far[t, j] = 0
        for first in range(0, nominal_from, NUMERIC):
            for j in range(far.shape[1]):
                total = far[t, j]
                for f in range(NUMERIC):
                    a, v = rows[q, first + f], lanes[b, first + f, j]
                    gap = max(a, v) - min(a, v)
                    total += gap * gap if squared else gap
                far[t, j] = total
        for first in range(nominal_from, rows.shape[1], NOMINAL):
            for j in range(far.shape[1]):
                total = far[t, j]
                for f in range(NOMINAL):
                    total += unit * (rows[q, first + f] != lanes[b, first + f, j])
                far[t, j] = total
        smallest = far[t, 0]
        for j in range(far.shape[1]):
            smallest = min(smallest, far[t, j])
        nearest[t] = smallest


@kernel
def _measure_partial(rows, members, lanes, b, form, far, nearest):
    """The same over the columns both rows have, scaled up to all; beyond all if there are none.

    Padded columns, of zeros, are shared by all rows and do not count.
    """
    nominal_from, n_features, _, squared = form
    padded = rows.shape[1] - n_features
    shared = np.empty(far.shape[1], np.float32)
    for t in range(members.shape[0]):
        q = members[t]
        for j in range(far.shape[1]):
            far[t, j], shared[j] = 0, -padded
        for f in range(rows.shape[1]):
            value, nominal = rows[q, f], f >= nominal_from
            for j in range(far.shape[1]):
                gap = abs(value - lanes[b, f, j])
                there = gap == gap
                if nominal:
                    gap = np.float32(gap > 0)
                far[t, j] += (gap * gap if squared else gap) if there else np.float32(0)
                shared[j] += np.float32(there)
        smallest = np.float32(np.inf)
        for j in range(far.shape[1]):
            up = np.float32(n_features) / shared[j]
            far[t, j] = far[t, j] * up if shared[j] > 0 else np.float32(np.inf)
            smallest = min(smallest, far[t, j])
        nearest[t] = smallest


@kernel
def _collect_lanes(values, i, start, far, search, state, found, heap):
    """Add the lanes within the limit, rows from ``start`` on, to query i's candidates."""
    k, relation, n_ordered, tolerance, slack, never = search
    limit, count, size = state
    for j in range(far.shape[0]):
        r = start + j
        if far[j] > limit or r == i:
            continue
        if relation != ANY and not related(values[i], values[r], n_ordered, relation):
            continue
        found[count, 0], found[count, 1] = r, far[j]
        count += 1
        size = keep_smallest(heap, size, np.float64(far[j]))
        if size == k:
            limit = min(limit, _limit(heap[0], tolerance, slack, never))
    return limit, count, size


@kernel
def _limit(distance, tolerance, slack, never):
    """Largest distance, in steps, of what may be as near as something, ties included."""
    return min(never, ((distance + slack) * tolerance + slack) * (1 + 2.0**-22))


@kernel
def _read_queries(leaves, queries, rows, columns):
    """Values of the queries as they are in their leaves, row by row and column by column."""
    c = leaves.classes[queries[0]]
    first = leaves.class_leaf[c]
    for q in range(queries.shape[0]):
        place = queries[q] - leaves.start[first]
        for f in range(rows.shape[1]):
            rows[q, f] = columns[f, q] = leaves.lanes[first + place // LANES, f, place % LANES]


@kernel
def _collect_members(values, queries, members, start, end, search, far, nearest, state):
    """Add what a leaf, rows start to end, holds to the candidates of its visitors.

    ``state`` holds limits, numbers of candidates and of distances in the heap, candidates and
    heaps, by query.  Returns the candidates, which may have moved, and whether a limit may have.
    """
    limits, count, size, found, heap = state
    some = False
    for t in range(members.shape[0]):
        q = members[t]
        if nearest[t] > limits[q]:
            continue
        some = True
        so_far = (np.float64(limits[q]), count[q], size[q])
        limit, count[q], size[q] = _collect_lanes(
            values, queries[q], start, far[t, : end - start], search, so_far, found[q], heap[q]
        )
        limits[q] = limit
        if count[q] + LANES > found.shape[1]:
            count[q] = drop_beyond(limit, found[q], count[q])
            while count[q] + LANES > found.shape[1]:
                found = grown(found)
    return found, some


@kernel
def _rank_leaves(leaves, columns, first, last, group, order):
    """Lower bounds of distances of leaves first to last to all queries, and to one of them."""
    n, width, dtype = columns.shape[1], columns.shape[0], columns.dtype
    low, high, middle = np.empty(width, dtype), np.empty(width, dtype), np.empty(width, dtype)
    for f in range(width):
        low[f], high[f], middle[f] = columns[f, 0], columns[f, 0], columns[f, n // 2]
        complete = True
        for q in range(n):
            low[f], high[f] = min(low[f], columns[f, q]), max(high[f], columns[f, q])
            complete &= columns[f, q] == columns[f, q]
        if not complete:
            low[f], high[f] = -leaves.never, leaves.never
        if not middle[f] == middle[f]:
            middle[f] = 0
    lowest, highest = leaves.lowest[:, first:last], leaves.highest[:, first:last]
    unit, squared = dtype.type(leaves.steps), leaves.squared
    _bound_boxes(low, high, lowest, highest, leaves.nominal_from, unit, squared, group)
    _bound_boxes(middle, middle, lowest, highest, leaves.nominal_from, unit, squared, order)


@kernel
def _search_leaves(leaves, queries, wanted, k, radius, relation, tolerance):
    """For up to ``TOGETHER`` queries of one class: the references that can be among the k nearest.

    Returns their rows and distances (query, candidate, 2), how many each query has, and how often
    a query visited a leaf.
    """
    n, width, dtype = queries.shape[0], leaves.lanes.shape[1], leaves.lanes.dtype
    rows, columns = np.empty((n, width), dtype), np.empty((width, n), dtype)
    _read_queries(leaves, queries, rows, columns)
    c = leaves.classes[queries[0]]
    first, last = leaves.class_leaf[wanted[0][c]], leaves.class_leaf[wanted[1][c]]
    passed, passed_to = leaves.class_leaf[c], leaves.class_leaf[c if wanted[2] else c + 1]
    n_leaves = max(last - first, 0)
    group, order = np.empty(n_leaves, dtype), np.empty(n_leaves, dtype)
    _rank_leaves(leaves, columns, first, last, group, order)
    nominal_from, squared, unit = leaves.nominal_from, leaves.squared, dtype.type(leaves.steps)
    lowest, highest, lanes, missing = leaves.lowest, leaves.highest, leaves.lanes, leaves.missing
    scale, never = leaves.scale[queries], dtype.type(leaves.never)
    edges = (highest if relation == ABOVE else lowest)[: leaves.n_ordered]
    bounds, limits = np.empty(n, dtype), np.empty(n, dtype)
    limits[:] = _limit(radius * leaves.steps, 1.0, leaves.slack, leaves.never)
    hits, members = np.zeros(-(-n // 8) * 8, np.uint8), np.empty(n + 8, np.int64)
    far, nearest = np.empty((n, LANES), dtype), np.empty(n, dtype)
    found, heap = np.empty((n, 4 * (k + LANES), 2)), np.empty((n, k))
    count, size = np.zeros(n, np.int64), np.zeros(n, np.int64)
    search = (k, relation, leaves.n_ordered, tolerance, leaves.slack, leaves.never)
    nearer, n_before, n_next, visits = never, 0, FIRST_LEAVES, 0
    least_scale, widest = scale.min(), limits[0]
    while n_before < n_leaves:
        beyond = kth_smallest(order.copy(), n_next) if n_next < n_leaves else never
        for b in range(first, last):
            rank = order[b - first]
            if rank > beyond or (n_before > 0 and rank <= nearer) or passed <= b < passed_to:
                continue
            if group[b - first] * least_scale > widest:
                continue
            if missing:
                _bound_partial(columns, lowest, highest, nominal_from, scale, bounds, b, squared)
            else:
                _bound_complete(columns, lowest, highest, nominal_from, unit, bounds, b, squared)
            if relation != ANY:
                _pass_unrelated(columns, edges, b, relation, bounds, never)
            n_members = _list_within(bounds, limits, hits, members)
            visits += n_members
            visitors = members[:n_members]
            form = (nominal_from, leaves.values.shape[1], unit, squared)
            if missing:
                _measure_partial(rows, visitors, lanes, b, form, far, nearest)
            else:
                _measure_complete(rows, visitors, lanes, b, form, far, nearest)
            state = (limits, count, size, found, heap)
            start, end = leaves.start[b], leaves.start[b] + leaves.size[b]
            found, some = _collect_members(
                leaves.values, queries, visitors, start, end, search, far, nearest, state
            )
            if some:
                widest = limits[0]
                for q in range(n):
                    widest = max(widest, limits[q])
        nearer, n_before, n_next = beyond, n_next, 4 * n_next
    for q in range(n):
        count[q] = drop_beyond(limits[q], found[q], count[q])
    return found, count, visits


@kernel
def nearest_by_leaves(leaves, queries, wanted, k, radius, relation, tolerance):
    """Neighbours of the queries; arguments and results as those of ``nearest``.

    The rows of a query come in any order; the fourth result is how often one visited a leaf.
    """
    counts = np.zeros(queries.shape[0], np.int64)
    indices = np.empty(queries.shape[0] * (k + 1), np.int32)
    distances = np.empty(queries.shape[0] * (k + 1), np.float64)
    total, done, visits = 0, 0, 0
    while done < queries.shape[0] and total < MAX_PAIRS:
        group = queries[done : done + TOGETHER]
        n = 1
        while n < group.shape[0] and leaves.classes[group[n]] == leaves.classes[group[0]]:
            n += 1
        found, count, here = _search_leaves(
            leaves, group[:n], wanted, k, radius, relation, tolerance
        )
        visits += here
        for q in range(n):
            exact = np.empty(count[q], np.float64)
            measure(leaves, group[q], found[q], exact)
            cut = kth_or(exact, k, radius, tolerance)
            if total + count[q] > indices.shape[0]:
                indices = longer(indices, total + count[q])
                distances = longer(distances, total + count[q])
            for c in range(count[q]):
                if exact[c] <= cut:
                    indices[total], distances[total] = np.int32(found[q, c, 0]), exact[c]
                    total += 1
                    counts[done + q] += 1
        done += n
    return counts[:done], indices[:total], distances[:total], visits
