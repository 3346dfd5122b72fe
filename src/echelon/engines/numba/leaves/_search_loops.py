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

from typing import NamedTuple

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
from echelon.kernels.accumulate import kth_smallest
from echelon.kernels.pairs import ANY, distance, partial_distance, related

TOGETHER = 256
"""Queries that go through the leaves together."""

MOST = 1e300
"""Above every distance; rows that share no column are farther, infinitely."""

FIRST_LEAVES = 8
"""Leaves nearest to the middle of a group, visited first; then four times as many, and so on."""


CUT, LARGEST, PER_UNIT, SLOPE, PLUS = range(5)
"""What is known of a query: the largest distance of a neighbour, and the sum of codes it may have;
the steps to a unit of its distances; and the line by which a sum bounds a distance from above."""


class Group(NamedTuple):
    """Queries of one class that go through the leaves together."""

    places: np.ndarray
    rows: np.ndarray
    """Their codes, padded to whole tiles and to words of eight bytes."""
    along: np.ndarray
    """Where they lie along the axes."""
    ordered: np.ndarray
    """Codes of ordered columns, column by column."""
    totals: np.ndarray
    """Sums of numeric codes, where they are whole numbers."""
    scale: np.ndarray
    state: np.ndarray
    limits: np.ndarray
    """The cuts in steps: a leaf farther away holds no neighbour."""


class Buffers(NamedTuple):
    """Room for what a visit of a leaf computes."""

    sums: np.ndarray
    shared: np.ndarray
    tile: np.ndarray
    tile_words: np.ndarray
    """The tile as words of eight bytes."""
    bounds: np.ndarray
    hits: np.ndarray
    members: np.ndarray
    lane_hits: np.ndarray
    hit_words: np.ndarray


@kernel
def _read_group(leaves, places, radius):
    """The queries at some places, none of which has a neighbour yet."""
    n, width, dtype = places.shape[0], leaves.lanes.shape[1], leaves.lanes.dtype
    rows = np.zeros((-(-n // TILE) * TILE, -(-width // 8) * 8), dtype)
    along = np.empty((leaves.lowest.shape[0], n), dtype)
    ordered, totals = np.empty((leaves.n_ordered, n), dtype), np.zeros(n, np.int64)
    _read_queries(leaves, places, rows, along, ordered, totals)
    scale, state, limits = leaves.scale[places], np.empty((n, 5)), np.empty(n, dtype)
    rounding = (leaves.slack, leaves.never, leaves.whole)
    for q in range(n):
        state[q, PER_UNIT], state[q, SLOPE], state[q, PLUS] = leaves.steps, 1.0, leaves.slack
        if leaves.whole:
            # Whole numbers are not scaled up where values are missing: limits are scaled down.
            per_unit = leaves.steps / scale[q]
            state[q, PER_UNIT], state[q, SLOPE] = per_unit, 2 / per_unit
            state[q, PLUS] = (leaves.slack - totals[q]) / per_unit
        state[q, CUT] = radius
        limits[q] = _set_limit(state, q, totals[q], rounding)
    return Group(places, rows, along, ordered, totals, scale, state, limits)


@kernel
def _read_queries(leaves, places, rows, along, ordered, totals):
    """Codes of the queries, where they lie along the axes, and sums of their numeric codes."""
    first = leaves.class_leaf[leaves.classes[leaves.first_row[places[0]]]]
    n_lanes = leaves.lanes.shape[2]
    exact = np.empty(along.shape[0], np.float64)
    for q in range(places.shape[0]):
        place = places[q] - leaves.start[first]
        exact[:] = 0
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
def _set_limit(state, q, total, rounding):
    """The largest distance in codes, or bound of one, that is not beyond the cut for sure.

    Sums of codes have a limit as well.  Where codes are whole numbers, those of the query add up to
    a total, which is part of every sum.
    """
    slack, never, whole = rounding
    limit = min(never, (state[q, CUT] * state[q, PER_UNIT] + slack) * (1 + 2.0**-22))
    state[q, LARGEST] = limit
    if whole and limit < never:
        state[q, LARGEST] = min(never, np.float64((np.int64(limit) + total + 1) // 2))
    return limit


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
def _pass_unrelated_rows(values, first_row, own, leaf, kind, largest, sums, s):
    """Rows that are not related to the query are too far away."""
    _, _, never, n_ordered, relation = kind
    a = values[first_row[own]]
    for j in range(leaf[1]):
        if sums[s, j] <= largest:
            if not related(a, values[first_row[leaf[0] + j]], n_ordered, relation):
                sums[s, j] = never


@kernel
def _add_marked(first_row, scales, own, leaf, sums, s, above, kind, query, hits, words, found, heap,
                q, count, size):  # fmt: skip
    """Add the lanes marked, with sums above one, to the query's candidates: places and sums.

    The heap holds the k smallest upper bounds of their distances, copies counted.  Where rows miss
    values, distances are scaled up by the columns that two have in common for sure.  Returns the
    numbers of candidates and of bounds in the heap.
    """
    start, n = leaf
    n_features, scaled, never, _, _ = kind
    slope, plus, known = query
    k, own_heap = heap.shape[1], heap[q]
    for word in range((n + 7) // 8):
        if words[word] == 0:
            continue
        for j in range(8 * word, min(8 * word + 8, n)):
            place = start + j
            copies = first_row[place + 1] - first_row[place] - (place == own)
            if hits[j] == 0 or not above < sums[s, j] < never or copies == 0:
                continue
            found[q, count, 0], found[q, count, 1] = place, sums[s, j]
            count += 1
            high = sums[s, j] * slope + plus
            if scaled:
                both = known + np.rint(n_features / scales[place]) - n_features
                high = high * known / both if both > 0.5 else MOST
            if size < k or high < own_heap[0]:
                for _ in range(min(copies, k)):
                    size = keep_smallest(own_heap, size, high)
    return count, size


@kernel
def _collect(
    first_row, scales, own, leaf, sums, s, kind, own_scale, total, rounding, hits, words,
    found, heap, state, counts, q, tolerance,
):  # fmt: skip
    """Add the lanes of a leaf that are near query q to its candidates; its new limit.

    Sums are in row s.  Where many are small, the smallest come first, to have a limit.
    """
    k, above, limit = heap.shape[1], -1.0, 0.0
    count, size = counts[q, 0], counts[q, 1]
    query = (state[q, SLOPE], state[q, PLUS], kind[0] / own_scale)
    while above < state[q, LARGEST]:
        up_to = state[q, LARGEST]
        if _mark(sums, s, up_to, hits) > 2 * (k + 1) and above < 0:
            up_to = min(up_to, near_enough(sums, s, leaf[1], k + 1))
            _mark(sums, s, up_to, hits)
        count, size = _add_marked(
            first_row, scales, own, leaf, sums, s, above, kind, query, hits, words, found,
            heap, q, count, size,
        )  # fmt: skip
        if size == k:
            state[q, CUT] = min(state[q, CUT], heap[q, 0] * tolerance)
        limit, above = _set_limit(state, q, total, rounding), up_to
    counts[q, 0], counts[q, 1] = count, size
    return limit


@kernel
def _measure(values, i, j, n_numeric, missing, squared):
    """The exact distance of two rows."""
    if missing:
        return partial_distance(values[i], values[j], n_numeric, squared)
    return distance(values[i], values[j], n_numeric, squared)


@kernel
def _settle(values, first_row, own, form, found, count, heap, cut, tolerance):
    """Measure the candidates exactly, and keep those among the k nearest; their number."""
    _, n_numeric, _, missing, squared, _ = form
    size, k, row = 0, heap.shape[0], first_row[own]
    for c in range(count):
        place = np.int64(found[c, 0])
        far = _measure(values, row, first_row[place], n_numeric, missing, squared)
        found[c, 1] = far
        if size < k or far < heap[0]:
            for _ in range(min(k, first_row[place + 1] - first_row[place] - (place == own))):
                size = keep_smallest(heap, size, far)
    if size == k:
        cut = min(cut, heap[0] * tolerance)
    return drop_beyond(min(cut, MOST), found, count)


@kernel
def _leaves_between(order, span, nearer, beyond):
    """The leaves whose ranks lie in a range."""
    first, _, passed, passed_to = span
    chosen, n = np.empty(order.shape[0], np.int64), 0
    for b in range(order.shape[0]):
        there = first + b < passed or first + b >= passed_to
        if there and nearer < order[b] <= beyond:
            chosen[n] = first + b
            n += 1
    return chosen[:n]


@kernel
def _look_ahead(leaves, group, chosen, form, k, tolerance, buffers):
    """Limits to begin with, from the leaves chosen."""
    top, totals, state = group.limits.dtype.type(leaves.never), group.totals, group.state
    rounding = (leaves.slack, leaves.never, leaves.whole)
    nearest, both = np.full(group.places.shape[0], top), (buffers.sums, buffers.shared)
    first_sums(leaves, group.rows, chosen, form, k + 1, both, nearest)  # a query finds itself, too
    for q in range(nearest.shape[0]):
        if nearest[q] < top:
            above = np.float64(nearest[q]) * state[q, SLOPE] + state[q, PLUS]
            state[q, CUT] = min(state[q, CUT], above * tolerance)
            group.limits[q] = _set_limit(state, q, totals[q], rounding)


@kernel
def _visit_leaves(
    leaves, group, chosen, nearest_of, first, form, kind, tolerance, buffers, found, counts, heap
):
    """Let the queries visit the leaves chosen, unless they are too far away.

    Returns their candidates, in an array that may be larger now, and the number of visits.
    """
    # Unpacked here: a call in these loops that gets a tuple of arrays counts references to all.
    places, rows, along, ordered, totals, scale, state, limits = group
    sums, shared, tile, tile_words, bounds, hits, members, lane_hits, hit_words = buffers
    values, first_row, n_lanes = leaves.values, leaves.first_row, leaves.lanes.shape[2]
    relation, rounding = kind[4], (leaves.slack, leaves.never, leaves.whole)
    words, visits, widest = rows.view(np.uint64), 0, limits.max()
    least_scale = np.float32(1) if leaves.whole else scale.min()
    for b in chosen:
        if nearest_of[b - first] * least_scale > widest:
            continue
        bound_queries(leaves, along, scale, bounds, b)
        if relation != ANY:
            pass_unrelated(leaves, ordered, b, relation, bounds)
        n_members, some = list_within(bounds, limits, hits, members), False
        visits += n_members
        block, halves, leaf = leaves.lanes[b], leaves.halves[b], (leaves.start[b], leaves.size[b])
        for t in range(0, n_members, TILE):
            n_rows = min(TILE, n_members - t)
            if n_rows == TILE and members[t + TILE - 1] == members[t] + TILE - 1:
                sum_tile(block, halves, form, rows[members[t] : members[t] + TILE], sums, shared)
            else:
                copy_rows(words, members, t, n_rows, tile_words)
                sum_tile(block, halves, form, tile, sums, shared)
            for s in range(n_rows):
                q = members[t + s]
                if smallest(sums, s) > state[q, LARGEST]:
                    continue
                some, own = True, places[q]
                if relation != ANY:
                    largest = state[q, LARGEST]
                    _pass_unrelated_rows(values, first_row, own, leaf, kind, largest, sums, s)
                limits[q] = _collect(
                    first_row, leaves.scale, own, leaf, sums, s, kind, scale[q], totals[q],
                    rounding, lane_hits, hit_words, found, heap, state, counts, q, tolerance,
                )  # fmt: skip
                if counts[q, 0] + n_lanes > found.shape[1]:
                    found = _with_room(found, counts, q, state[q, LARGEST], n_lanes)
        widest = limits.max() if some else widest
    return found, visits


@kernel
def _with_room(found, counts, q, limit, n_lanes):
    """The candidates, with room for as many more of query q as a leaf has lanes."""
    counts[q, 0] = drop_beyond(limit, found[q], counts[q, 0])
    while counts[q, 0] + n_lanes > found.shape[1]:
        found = grown(found)
    return found


@kernel
def _search_leaves(leaves, places, wanted, k, radius, relation, tolerance):
    """For up to ``TOGETHER`` places of one class: the places that are among the k nearest.

    Returns them and their distances (query, candidate, 2), how many each query has, and how often
    a query visited a leaf.
    """
    n, n_lanes = places.shape[0], leaves.lanes.shape[2]
    group, buffers = _read_group(leaves, places, radius), _make_buffers(leaves, n)
    form, kind = _forms(leaves, relation)
    span = _leaves_for(leaves, places[0], wanted)
    nearest_of, order = rank_leaves(leaves, group.along, span[0], span[1])
    found, counts = np.empty((n, 4 * k + n_lanes, 2)), np.zeros((n, 2), np.int64)
    heap, n_leaves, visits = np.empty((n, k)), order.shape[0], 0
    if relation == ANY and 2 * (k + 1) <= n_lanes and n_leaves > 2 * FIRST_LEAVES:
        beyond = np.float64(kth_smallest(order.copy(), FIRST_LEAVES))
        chosen = _leaves_between(order, span, -1.0, beyond)[: 2 * FIRST_LEAVES]
        _look_ahead(leaves, group, chosen, form, k, tolerance, buffers)
    nearer, n_next = -1.0, FIRST_LEAVES
    while nearer < leaves.never and n_leaves > 0:
        beyond = leaves.never
        if n_next < n_leaves:
            beyond = np.float64(kth_smallest(order.copy(), n_next))
        chosen = _leaves_between(order, span, nearer, beyond)
        found, more = _visit_leaves(
            leaves, group, chosen, nearest_of, span[0], form, kind, tolerance, buffers, found,
            counts, heap,
        )  # fmt: skip
        visits, nearer, n_next = visits + more, beyond, 4 * n_next
    for q in range(n):
        near = drop_beyond(group.state[q, LARGEST], found[q], counts[q, 0])
        counts[q, 0] = _settle(
            leaves.values, leaves.first_row, places[q], form, found[q], near, heap[q], radius,
            tolerance,
        )  # fmt: skip
    return found, counts[:, 0], visits


@kernel
def _make_buffers(leaves, n):
    """Room for visits of n queries."""
    n_lanes, dtype = leaves.lanes.shape[2], leaves.lanes.dtype
    sums, shared = np.empty((TILE, n_lanes), dtype), np.empty((TILE, n_lanes), np.int32)
    tile = np.zeros((TILE, -(-leaves.lanes.shape[1] // 8) * 8), dtype)
    bounds, hits = np.empty(n, dtype), np.zeros(-(-n // 8) * 8, np.uint8)
    members, lane_hits = np.empty(n + 8, np.int64), np.zeros(n_lanes, np.uint8)
    tile_words, hit_words = tile.view(np.uint64), lane_hits.view(np.uint64)
    return Buffers(sums, shared, tile, tile_words, bounds, hits, members, lane_hits, hit_words)


@kernel
def _forms(leaves, relation):
    """What ``sum_tile`` and what ``_collect`` have to know of the samples."""
    whole, missing, n_features = leaves.whole, leaves.missing, leaves.values.shape[1]
    unit = leaves.lanes.dtype.type(leaves.steps / 2 if whole else 1)
    form = (leaves.nominal_from, leaves.n_numeric, whole, missing, leaves.squared, unit)
    never = leaves.lanes.dtype.type(leaves.never)
    return form, (np.float64(n_features), whole and missing, never, leaves.n_ordered, relation)


@kernel
def _leaves_for(leaves, place, wanted):
    """The first and the last leaf for queries of the class of a place, and those in between."""
    c = leaves.classes[leaves.first_row[place]]
    first, last, of_class = wanted[0][c], wanted[1][c], leaves.class_leaf
    start, end = of_class[first], of_class[last]
    return start, max(start, end), of_class[c], of_class[c if wanted[2] else c + 1]


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
