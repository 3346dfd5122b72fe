"""The k nearest references of every query, by leaves that may hold one.

Queries that stand together go through the leaves as a group.  A leaf is passed over by the whole
group if its box lies beyond the limits of all, then by every query whose own limit, the k-th
smallest distance seen so far, it lies beyond.  Leaves near the middle of the group come first, so
that limits are low when the many far ones come up; a look at some of them ahead gives the limits to
begin with.  What a leaf holds is compared in codes, four queries at a time, and measured exactly
where that does not settle it.  Equal rows are looked at once, as queries and as references.

Cost: a few operations per group and leaf, some per query and leaf that the group looks at, and
two per query, row and column in a leaf it cannot pass over.
"""

import numpy as np

from echelon.engines.numba._nearest import (
    MAX_PAIRS,
    drop_beyond,
    grown,
    keep_smallest,
    longer,
)
from echelon.engines.numba._tiles import TILE
from echelon.engines.numba.leaves._bound_loops import (
    bound_queries,
    copy_rows,
    first_sums,
    list_within,
    near_enough,
    pass_unrelated,
    rank_leaves,
    smallest,
    sum_tile,
)
from echelon.kernels import kernel
from echelon.kernels.order import kth_smallest
from echelon.kernels.pairs import ANY, distance, partial_distance, related

TOGETHER = 256
"""Queries that go through the leaves together."""

MOST = 1e300
"""Above every distance; rows that share no column are farther, infinitely."""

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
        for f in range(leaves.lanes.shape[1]):
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
def _limit(cut, per_unit, slack, never):
    """The largest distance in codes, or bound of one, that is not beyond the cut for sure."""
    return min(never, (cut * per_unit + slack) * (1 + 2.0**-22))


@kernel
def _largest_sum(limit, total, whole, never):
    """The same for what ``sum_tile`` gives, where the query's codes add up to a total."""
    if not whole or limit >= never:
        return limit
    return min(never, np.float64((np.int64(limit) + total + 1) // 2))


@kernel
def _mark(sums, s, largest, hits):
    """Mark the lanes with sums that are not too large; their number."""
    top, n = sums.dtype.type(largest), 0
    for j in range(sums.shape[1]):
        hits[j] = sums[s, j] <= top
    for j in range(sums.shape[1]):
        n += hits[j]
    return n


@kernel
def _collect(
    values, first_row, scale, own, leaf, sums, s, above, kind, query, hits, found, heap, state
):
    """Add the lanes marked, with sums above one, to the query's candidates: places and sums.

    The heap holds the k smallest upper bounds of their distances, copies counted.  Where rows miss
    values, distances are scaled up by the columns that two have in common for sure.  Returns the
    numbers of candidates and of bounds in the heap.
    """
    start, n = leaf
    n_features, whole, missing, relation, n_ordered = kind
    slope, plus, known = query
    count, size = state
    words, k = hits.view(np.uint64), heap.shape[0]
    for word in range((n + 7) // 8):
        if words[word] == 0:
            continue
        for j in range(8 * word, min(8 * word + 8, n)):
            if hits[j] == 0 or sums[s, j] <= above:
                continue
            place = start + j
            copies = first_row[place + 1] - first_row[place] - (place == own)
            if copies == 0:
                continue
            if relation != ANY:
                a, b = values[first_row[own]], values[first_row[place]]
                if not related(a, b, n_ordered, relation):
                    continue
            found[count, 0], found[count, 1] = place, sums[s, j]
            count += 1
            high = sums[s, j] * slope + plus
            if whole and missing:
                both = known + np.rint(n_features / scale[place]) - n_features
                high = high * known / both if both > 0.5 else MOST
            if size < k or high < heap[0]:
                for _ in range(min(copies, k)):
                    size = keep_smallest(heap, size, high)
    return count, size


@kernel
def _settle(values, first_row, own, form, found, count, heap, cut, tolerance):
    """Measure the candidates exactly, and keep those among the k nearest; their number."""
    _, n_numeric, _, missing, squared, _ = form
    size, k, a = 0, heap.shape[0], values[first_row[own]]
    for c in range(count):
        place = np.int64(found[c, 0])
        b = values[first_row[place]]
        if missing:
            far = partial_distance(a, b, n_numeric, squared)
        else:
            far = distance(a, b, n_numeric, squared)
        found[c, 1] = far
        if size < k or far < heap[0]:
            for _ in range(min(k, first_row[place + 1] - first_row[place] - (place == own))):
                size = keep_smallest(heap, size, far)
    if size == k:
        cut = min(cut, heap[0] * tolerance)
    return drop_beyond(min(cut, MOST), found, count)


@kernel
def _nearest_leaves(order, first, passed, passed_to):
    """The leaves to visit first, and a few more where they are as near."""
    chosen, n = np.empty(2 * FIRST_LEAVES, np.int64), 0
    beyond = kth_smallest(order.copy(), FIRST_LEAVES)
    for b in range(order.shape[0]):
        there = first + b < passed or first + b >= passed_to
        if order[b] <= beyond and there and n < chosen.shape[0]:
            chosen[n] = first + b
            n += 1
    return chosen[:n]


@kernel
def _search_leaves(leaves, places, wanted, k, radius, relation, tolerance):
    """For up to ``TOGETHER`` places of one class: the places that are among the k nearest.

    Returns them and their distances (query, candidate, 2), how many each query has, and how often
    a query visited a leaf.
    """
    n, width, dtype = places.shape[0], leaves.lanes.shape[1], leaves.lanes.dtype
    values, first_row, lanes, halves = leaves.values, leaves.first_row, leaves.lanes, leaves.halves
    n_lanes, whole, slack, never = lanes.shape[2], leaves.whole, leaves.slack, leaves.never
    n_numeric, missing, squared = leaves.n_numeric, leaves.missing, leaves.squared
    width = -(-width // 8) * 8  # copied by words of eight bytes, and read by whole tiles
    rows, tile = np.zeros((-(-n // TILE) * TILE, width), dtype), np.zeros((TILE, width), dtype)
    along = np.empty((leaves.lowest.shape[0], n), dtype)
    words, tile_words = rows.view(np.uint64), tile.view(np.uint64)
    ordered, totals = np.empty((leaves.n_ordered, n), dtype), np.zeros(n, np.int64)
    _read_queries(leaves, places, rows, along, ordered, totals)
    c = leaves.classes[first_row[places[0]]]
    first, last = leaves.class_leaf[wanted[0][c]], leaves.class_leaf[wanted[1][c]]
    passed, passed_to = leaves.class_leaf[c], leaves.class_leaf[c if wanted[2] else c + 1]
    n_leaves = max(last - first, 0)
    group, order = np.empty(n_leaves, dtype), np.empty(n_leaves, dtype)
    rank_leaves(leaves, along, first, last, group, order)
    unit, top = dtype.type(leaves.steps / 2 if whole else 1), dtype.type(never)
    form = (leaves.nominal_from, n_numeric, whole, missing, squared, unit)
    n_features, scales = np.float64(values.shape[1]), leaves.scale
    kind = (n_features, whole, missing, relation, leaves.n_ordered)
    scale, per_unit = leaves.scale[places], np.empty(n, np.float64)
    slope, plus = np.ones(n, np.float64), np.full(n, slack)
    least_scale = np.float32(1) if whole else scale.min()
    bounds, limits = np.empty(n, dtype), np.empty(n, dtype)
    cuts, largest = np.full(n, radius), np.empty(n, np.float64)
    for q in range(n):
        # Whole numbers are not scaled up where values are missing: limits are scaled down.
        per_unit[q] = leaves.steps / scale[q] if whole else leaves.steps
        if whole:
            slope[q], plus[q] = 2 / per_unit[q], (slack - totals[q]) / per_unit[q]
        limit = _limit(radius, per_unit[q], slack, never)
        limits[q], largest[q] = limit, _largest_sum(limit, totals[q], whole, never)
    hits, members = np.zeros(-(-n // 8) * 8, np.uint8), np.empty(n + 8, np.int64)
    lane_hits = np.zeros(n_lanes, np.uint8)
    sums, shared = np.empty((TILE, n_lanes), dtype), np.empty((TILE, n_lanes), np.int32)
    found, count = np.empty((n, 4 * k + n_lanes, 2)), np.zeros(n, np.int64)
    heap, size = np.empty((n, k)), np.zeros(n, np.int64)
    if relation == ANY and 2 * (k + 1) <= n_lanes and n_leaves > 2 * FIRST_LEAVES:
        chosen = _nearest_leaves(order, first, passed, passed_to)
        nearest = np.full(n, top)
        first_sums(leaves, rows, chosen, form, k + 1, (sums, shared), nearest)  # and itself
        for q in range(n):
            if nearest[q] < top:
                cuts[q] = min(radius, (np.float64(nearest[q]) * slope[q] + plus[q]) * tolerance)
                limit = _limit(cuts[q], per_unit[q], slack, never)
                limits[q], largest[q] = limit, _largest_sum(limit, totals[q], whole, never)
    nearer, n_before, n_next, visits, widest = top, 0, FIRST_LEAVES, 0, limits.max()
    while n_before < n_leaves:
        beyond = kth_smallest(order.copy(), n_next) if n_next < n_leaves else top
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
            leaf, some = (leaves.start[b], leaves.size[b]), False
            for t in range(0, n_members, TILE):
                n_rows = min(TILE, n_members - t)
                q = members[t]
                if n_rows == TILE and members[t + TILE - 1] == q + TILE - 1:
                    sum_tile(lanes, halves, b, form, rows[q : q + TILE], sums, shared)
                else:
                    copy_rows(words, members, t, n_rows, tile_words)
                    sum_tile(lanes, halves, b, form, tile, sums, shared)
                for s in range(n_rows):
                    q = members[t + s]
                    if smallest(sums, s) > largest[q]:
                        continue
                    some, near, up_to = True, -1.0, largest[q]
                    query = (slope[q], plus[q], values.shape[1] / scale[q])
                    own, own_found, own_heap = places[q], found[q], heap[q]
                    while near < largest[q]:
                        up_to = largest[q]
                        n_hits = _mark(sums, s, up_to, lane_hits)
                        if near < 0 and n_hits > 2 * (k + 1):  # the nearest first, to have a limit
                            up_to = min(up_to, near_enough(sums, s, leaf[1], k + 1))
                            _mark(sums, s, up_to, lane_hits)
                        count[q], size[q] = _collect(
                            values, first_row, scales, own, leaf, sums, s, near, kind,
                            query, lane_hits, own_found, own_heap, (count[q], size[q]),
                        )  # fmt: skip
                        if size[q] == k:
                            cuts[q] = min(cuts[q], own_heap[0] * tolerance)
                        limit = _limit(cuts[q], per_unit[q], slack, never)
                        limits[q], largest[q] = limit, _largest_sum(limit, totals[q], whole, never)
                        near = up_to
                    if count[q] + n_lanes > found.shape[1]:
                        count[q] = drop_beyond(largest[q], own_found, count[q])
                    while count[q] + n_lanes > found.shape[1]:
                        found = grown(found)
            if some:
                widest = limits.max()
        nearer, n_before, n_next = beyond, n_next, 4 * n_next
    for q in range(n):
        count[q] = drop_beyond(largest[q], found[q], count[q])
        count[q] = _settle(
            values, first_row, places[q], form, found[q], count[q], heap[q], radius, tolerance
        )
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
