"""The k nearest references of every query, by leaves that may hold one.

Queries that stand together go through the leaves as a group.  A leaf is passed over by the whole
group if its box lies beyond the limits of all, then by every query whose own limit, the k-th
smallest distance seen so far, it lies beyond.  Leaves near the middle of the group come first, so
that limits are low when the many far ones come up.  What a leaf holds is compared in codes, four
queries at a time, and measured exactly where that does not settle it.  Equal rows are looked at
once, as queries and as references.

Cost: a few operations per group and leaf, some per query and leaf that the group looks at, and
two per query, row and column in a leaf it cannot pass over.
"""

import numpy as np

from echelon.engines.numba._boxes import bound_queries, list_within, pass_unrelated, rank_leaves
from echelon.engines.numba._nearest import (
    MAX_PAIRS,
    drop_beyond,
    exact_distance,
    grown,
    keep_smallest,
    longer,
)
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
from echelon.kernels.pairs import ANY, related

TOGETHER = 256
"""Queries that go through the leaves together."""

FIRST_LEAVES = 8
"""Leaves nearest to the middle of a group, visited first; then four times as many, and so on."""


@kernel
def _read_queries(leaves, places, rows, along, ordered, totals):
    """Codes of the queries, where they lie along the axes, and sums of their numeric codes."""
    first = leaves.class_leaf[leaves.classes[leaves.first_row[places[0]]]]
    n_lanes = leaves.lanes.shape[2]
    exact = np.empty(along.shape[0], np.float64)
    for q in range(places.shape[0]):
        place = places[q] - leaves.start[first]
        exact[:] = 0
        totals[q] = 0
        for f in range(rows.shape[1]):
            code = leaves.lanes[first + place // n_lanes, f, place % n_lanes]
            rows[q, f] = code
            exact[leaves.axis[f]] += leaves.shift[f] + leaves.factor[f] * code
            if f < leaves.n_ordered:
                ordered[f, q] = code
            if f < leaves.n_numeric and leaves.whole:
                totals[q] += np.int64(code)
        for a in range(along.shape[0]):
            along[a, q] = exact[a]


@kernel
def _sum_tile(leaves, tile, b, sums, shared):
    """How far the rows of a tile lie from the lanes of leaf b, in codes.

    Of whole numbers that is half the distance, plus half the sum of the query's codes.
    """
    block, squared = leaves.lanes[b], leaves.squared
    nominal_from, width = leaves.nominal_from, block.shape[0]
    if leaves.missing and not leaves.whole:
        _sum_partial(leaves, tile, block, sums, shared)
        return
    for q in range(TILE):
        for j in range(sums.shape[1]):
            sums[q, j] = leaves.halves[b, j]
    if leaves.whole:
        half = sums.dtype.type(leaves.steps / 2)
        add_maxima(tile, block, 0, nominal_from, sums)
        if leaves.missing:
            add_known_mismatches(tile, block, nominal_from, width, half, sums)
        else:
            add_mismatches(tile, block, nominal_from, width, half, sums)
    else:
        if squared:
            add_squares(tile, block, 0, nominal_from, sums)
        else:
            add_gaps(tile, block, 0, nominal_from, sums)
        add_mismatches(tile, block, nominal_from, width, sums.dtype.type(1), sums)


@kernel
def _sum_partial(leaves, tile, block, sums, shared):
    """The same over the columns both rows have, scaled up to all; beyond all if there are none."""
    sums[:] = 0
    shared[:] = 0
    for f in range(leaves.n_numeric):
        add_partial(tile, block, f, False, leaves.squared, sums, shared)
    for f in range(leaves.nominal_from, block.shape[0]):
        add_partial(tile, block, f, True, leaves.squared, sums, shared)
    n_features = np.float32(leaves.values.shape[1])
    for q in range(TILE):
        for j in range(sums.shape[1]):
            n = shared[q, j]
            sums[q, j] = sums[q, j] * (n_features / n) if n > 0 else np.float32(np.inf)


@kernel
def _smallest(values):
    smallest = values[0]
    for j in range(values.shape[0]):
        smallest = min(smallest, values[j])
    return smallest


@kernel
def _limit(leaves, cut, per_unit):
    """The largest distance in codes, or bound of one, that is not beyond the cut for sure."""
    return min(leaves.never, (cut * per_unit + leaves.slack) * (1 + 2.0**-22))


@kernel
def _largest_sum(leaves, limit, total):
    """The same for what ``_sum_tile`` gives, where the query's codes add up to a total."""
    if not leaves.whole or limit >= leaves.never:
        return limit
    return min(leaves.never, np.float64((np.int64(limit) + total + 1) // 2))


@kernel
def _collect(leaves, own, b, sums, between, search, state, hits, found, heap):
    """Add the rows of leaf b with sums within a range, and the limit, to the query's candidates.

    The state of a query is how far a neighbour may be, the largest sum for that, the number of
    candidates, and of distances in the heap, which holds the k smallest.
    """
    k, relation, tolerance, per_unit, total = search
    cut, largest, count, size = state
    above, up_to = between
    top = sums.dtype.type(min(largest, up_to))
    for j in range(sums.shape[0]):
        hits[j] = sums[j] <= top
    words, n = hits.view(np.uint64), leaves.size[b]
    for word in range((n + 7) // 8):
        if words[word] == 0:
            continue
        for j in range(8 * word, min(8 * word + 8, n)):
            place = leaves.start[b] + j
            row, i = leaves.first_row[place], leaves.first_row[own]
            copies = leaves.first_row[place + 1] - row - (place == own)
            if not above < sums[j] <= min(largest, up_to) or copies == 0:
                continue
            if relation != ANY and not related(
                leaves.values[i], leaves.values[row], leaves.n_ordered, relation
            ):
                continue
            far = exact_distance(leaves, i, row)
            if far > cut or far == np.inf:
                continue
            found[count, 0], found[count, 1] = place, far
            count += 1
            for _ in range(min(copies, k)):
                size = keep_smallest(heap, size, far)
            if size == k and heap[0] * tolerance < cut:
                cut = heap[0] * tolerance
                largest = _largest_sum(leaves, _limit(leaves, cut, per_unit), total)
    return cut, largest, count, size


@kernel
def _collect_leaf(leaves, own, b, sums, search, state, hits, found, heap):
    """Add what a leaf holds to the query's candidates; the k smallest first, if it has none yet."""
    k, size = search[0], state[3]
    near = -1.0
    if size < k:
        n = leaves.size[b]
        near = np.float64(kth_smallest(sums[:n].copy(), min(k + 1, n)))
        between = (-1.0, near)
        state = _collect(leaves, own, b, sums, between, search, state, hits, found, heap)
    between = (near, leaves.never)
    return _collect(leaves, own, b, sums, between, search, state, hits, found, heap)


@kernel
def _search_leaves(leaves, places, wanted, k, radius, relation, tolerance):
    """For up to ``TOGETHER`` places of one class: the places that can be among the k nearest.

    Returns them and their distances (query, candidate, 2), how many each query has, and how often
    a query visited a leaf.
    """
    n, width, dtype = places.shape[0], leaves.lanes.shape[1], leaves.lanes.dtype
    n_lanes = leaves.lanes.shape[2]
    rows, along = np.empty((n, width), dtype), np.empty((leaves.lowest.shape[0], n), dtype)
    ordered, totals = np.empty((leaves.n_ordered, n), dtype), np.zeros(n, np.int64)
    _read_queries(leaves, places, rows, along, ordered, totals)
    c = leaves.classes[leaves.first_row[places[0]]]
    first, last = leaves.class_leaf[wanted[0][c]], leaves.class_leaf[wanted[1][c]]
    passed, passed_to = leaves.class_leaf[c], leaves.class_leaf[c if wanted[2] else c + 1]
    n_leaves = max(last - first, 0)
    group, order = np.empty(n_leaves, dtype), np.empty(n_leaves, dtype)
    rank_leaves(leaves, along, first, last, group, order)
    scale, never = leaves.scale[places], dtype.type(leaves.never)
    per_unit = np.empty(n, np.float64)
    least_scale = np.float32(1) if leaves.whole else scale.min()
    bounds, limits = np.empty(n, dtype), np.empty(n, dtype)
    cuts, largest = np.full(n, radius), np.empty(n, np.float64)
    for q in range(n):
        # Whole numbers are not scaled up where values are missing: limits are scaled down.
        per_unit[q] = leaves.steps / scale[q] if leaves.whole else leaves.steps
        limits[q] = _limit(leaves, radius, per_unit[q])
        largest[q] = _largest_sum(leaves, _limit(leaves, radius, per_unit[q]), totals[q])
    hits, members = np.zeros(-(-n // 8) * 8, np.uint8), np.empty(n + 8, np.int64)
    lane_hits, tile = np.zeros(n_lanes, np.uint8), np.zeros((TILE, width), dtype)
    sums, shared = np.empty((TILE, n_lanes), dtype), np.empty((TILE, n_lanes), np.int32)
    found, heap = np.empty((n, 4 * k + n_lanes, 2)), np.empty((n, k))
    count, size = np.zeros(n, np.int64), np.zeros(n, np.int64)
    nearer, n_before, n_next, visits, widest = never, 0, FIRST_LEAVES, 0, limits.max()
    while n_before < n_leaves:
        beyond = kth_smallest(order.copy(), n_next) if n_next < n_leaves else never
        for b in range(first, last):
            rank = order[b - first]
            if rank > beyond or (n_before > 0 and rank <= nearer) or passed <= b < passed_to:
                continue
            if group[b - first] * least_scale > widest:
                continue
            bound_queries(leaves, along, scale, bounds, b)
            if relation != ANY:
                pass_unrelated(leaves, ordered, b, relation, bounds)
            n_members = list_within(bounds, limits, hits, members)
            visits += n_members
            nearer_found = False
            for t in range(0, n_members, TILE):
                n_rows = min(TILE, n_members - t)
                for s in range(n_rows):
                    tile[s] = rows[members[t + s]]
                _sum_tile(leaves, tile, b, sums, shared)
                for s in range(n_rows):
                    q = members[t + s]
                    if _smallest(sums[s]) > largest[q]:
                        continue
                    nearer_found = True
                    search = (k, relation, tolerance, per_unit[q], totals[q])
                    state = (cuts[q], largest[q], count[q], size[q])
                    cuts[q], largest[q], count[q], size[q] = _collect_leaf(
                        leaves, places[q], b, sums[s], search, state, lane_hits, found[q], heap[q]
                    )
                    limits[q] = _limit(leaves, cuts[q], per_unit[q])
                    if count[q] + n_lanes > found.shape[1]:
                        count[q] = drop_beyond(cuts[q], found[q], count[q])
                        while count[q] + n_lanes > found.shape[1]:
                            found = grown(found)
            if nearer_found:
                widest = limits.max()
        nearer, n_before, n_next = beyond, n_next, 4 * n_next
    for q in range(n):
        count[q] = drop_beyond(cuts[q], found[q], count[q])
    return found, count, visits


@kernel
def _list_places(leaves, queries, places, slots):
    """The places of the first queries, as many as are of one class: numbers of queries, of places.

    ``slots`` says which of the places is a query's.
    """
    n_queries, n_places = 0, 0
    for q in range(queries.shape[0]):
        if leaves.classes[queries[q]] != leaves.classes[queries[0]]:
            break
        place = leaves.place_of[queries[q]]
        if n_places == 0 or places[n_places - 1] != place:
            places[n_places] = place
            n_places += 1
        slots[q] = n_places - 1
        n_queries += 1
    return n_queries, n_places


@kernel
def nearest_by_leaves(leaves, queries, wanted, k, radius, relation, tolerance):
    """Neighbours of the queries; arguments and results as those of ``nearest``.

    The rows of a query come in any order; the fourth result is how often one visited a leaf.
    """
    counts = np.zeros(queries.shape[0], np.int64)
    indices = np.empty(queries.shape[0] * (k + 1), np.int32)
    distances = np.empty(queries.shape[0] * (k + 1), np.float64)
    places, slots = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    total, done, visits = 0, 0, 0
    while done < queries.shape[0] and total < MAX_PAIRS:
        group = queries[done : done + TOGETHER]
        n, n_places = _list_places(leaves, group, places, slots)
        found, count, here = _search_leaves(
            leaves, places[:n_places], wanted, k, radius, relation, tolerance
        )
        visits += here
        for q in range(n):
            slot = slots[q]
            for c in range(count[slot]):
                place = np.int64(found[slot, c, 0])
                start, end = leaves.first_row[place], leaves.first_row[place + 1]
                if total + end - start > indices.shape[0]:
                    indices = longer(indices, total + end - start)
                    distances = longer(distances, total + end - start)
                for row in range(start, end):
                    if row != group[q]:
                        indices[total], distances[total] = row, found[slot, c, 1]
                        total += 1
                        counts[done + q] += 1
        done += n
    return counts[:done], indices[:total], distances[:total], visits
