"""The k nearest references of every query row, exactly, without a distance matrix.

Every pair gets a cheap interval [lower, upper] around its distance (see ``_tiles``).  The k-th
smallest *upper* bound seen so far limits what can still be a neighbour, so a pair whose *lower*
bound lies beyond it is never looked at again.  The few that remain get their exact distance.
The first limit comes from minima over parts of some blocks, before any pair of them is looked at.

Cost: m^2 p tile operations for m queries and references, plus about k log(m / k) candidates
per query.  Memory: the packed input and, per call, ``GROUP`` rows of candidates and sums.
"""

import numpy as np

from echelon.engines.numba._tiles import (
    CHUNK,
    TILE,
    add_maxima,
    add_mismatches,
    add_norms,
    add_partial,
    add_partial_norms,
    mark_related,
    subtract_products,
)
from echelon.kernels import kernel
from echelon.kernels.accumulate import kth_smallest
from echelon.kernels.pairs import ANY, distance, paired_distance, partial_distance, related

GROUP = 64
"""Queries that share one pass over the references, which therefore come from cache."""

SPAN = 8
"""Blocks summed before candidates are taken from them: a limit from all of them leaves few."""

LINE = 32
"""Lanes are summed in multiples of these, which a vector register may hold."""

FAR = 1 << 29
"""Largest limit, above every distance; as a tile sum, which counts twice, beyond every limit."""

MAX_PAIRS = 1 << 21
"""A call stops early once it has found this many neighbours (tied data), to bound its memory."""


@kernel
def _complete_sums(packed, rows, block, lanes, live, sums, totals):
    """Tile sums of the live query rows against some lanes, ``CHUNK`` columns at a time."""
    n_columns = rows.shape[1]
    scale = np.float32(packed.steps * (0.5 if packed.paired else packed.squared))  # 0: in steps
    totals[:] = 0
    for first in range(0, n_columns, CHUNK):
        last = min(first + CHUNK, n_columns)
        border = min(max(packed.nominal_from, first), last)
        for t in range(0, rows.shape[0], TILE):
            if not (live[t] or live[t + 1] or live[t + 2] or live[t + 3]):
                continue
            tile = rows[t : t + TILE]
            sums[:] = 0
            if packed.paired:
                add_norms(tile, block, first, border, sums)
            elif packed.squared:
                subtract_products(tile, block, first, border, sums)
            else:
                add_maxima(tile, block, first, border, lanes, sums)
            add_mismatches(tile, block, border, last, lanes, packed.mismatch, sums)
            for q in range(TILE):
                line = totals[t + q, lanes[0] : lanes[1]]
                for j in range(line.shape[0]):
                    if scale > 0:
                        line[j] += np.int32(sums[q, j] * scale)
                    else:
                        line[j] += np.int32(sums[q, j])


@kernel
def _partial_sums(packed, rows, block, live, totals):
    """Half the distances over the features two rows share, scaled up to all features."""
    n_features = packed.values.shape[1]
    n_single = 0 if packed.paired else packed.n_numeric
    nominal_to = packed.nominal_from + n_features - packed.n_numeric
    part = np.empty((TILE, block.shape[1]), np.float32)
    whole = np.empty((TILE, block.shape[1]), np.float32)
    shared = np.empty((TILE, block.shape[1]), np.int32)
    for t in range(0, rows.shape[0], TILE):
        if not (live[t] or live[t + 1] or live[t + 2] or live[t + 3]):
            continue
        tile = rows[t : t + TILE]
        whole[:] = 0
        shared[:] = 0
        for first in range(0, rows.shape[1], CHUNK):
            last = min(first + CHUNK, rows.shape[1])
            part[:] = 0
            if packed.paired:
                add_partial_norms(tile, block, first, min(last, packed.n_numeric), part, shared)
            for f in range(first, min(last, n_single)):
                add_partial(tile, block, f, False, packed.squared, part, shared)
            for f in range(max(first, packed.nominal_from), min(last, nominal_to)):
                add_partial(tile, block, f, True, packed.squared, part, shared)
            whole += part
        half = np.float32(0.5 * n_features * packed.steps)
        for q in range(TILE):
            for j in range(block.shape[1]):
                n = shared[q, j]
                totals[t + q, j] = np.int32(whole[q, j] * half / n) if n > 0 else FAR


@kernel
def _mark_within(totals, low, limit, hits):
    for j in range(low.shape[0]):
        hits[j] = np.int32(2 * totals[j] + low[j]) <= limit


@kernel
def _smallest_of_many(values, k):
    """The k-th smallest of whole numbers up to FAR, by halving: counts are quick, moves are not."""
    low, high = np.int32(-FAR), np.int32(FAR)
    while low < high:
        middle, n = np.int32(low + (high - low) // 2), np.int32(0)
        for j in range(values.shape[0]):
            n += np.int32(values[j] <= middle)
        if n < k:
            low = np.int32(middle + 1)
        else:
            high = middle
    return high


@kernel
def _first_limit(high, starts, sizes, live, totals, q, k, folded):
    """An upper bound of the k-th smallest distance of a query in some blocks, but for its part.

    The k smallest of n minima over parts of the references belong to k different ones.  FAR, above
    every distance even with the query's own part added, if there are too few parts to tell.
    """
    n = folded.shape[0]
    folded[:] = FAR
    for b in range(starts.shape[0] if 2 * k <= n else 0):
        for first in range(0, sizes[b] - n + 1 if live[b, q] else 0, n):
            part, place = totals[b, q, first : first + n], starts[b] + first
            part_high = high[place : place + n]
            for j in range(n):
                folded[j] = min(folded[j], np.int32(2 * part[j] + part_high[j]))
    return _smallest_of_many(folded, k)


@kernel
def keep_smallest(heap, size, value):
    """Offer a value to the ``len(heap)`` smallest, kept as a max-heap; the new size."""
    # In small functions: in one, references to the heap would be counted, which takes longer.
    if size < heap.shape[0]:
        _put(heap, size, value)
    elif value < heap[0]:
        _put_first(heap, value)
    return min(size + 1, heap.shape[0])


@kernel
def _put(heap, at, value):
    """Put a value at the end of a heap, and move it up."""
    while at > 0:
        parent = (at - 1) // 2
        if heap[parent] >= value:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = value


@kernel
def _put_first(heap, value):
    """Put a value in the place of the largest, and move it down."""
    at, n = 0, heap.shape[0]
    child = 1
    while child < n:
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = value


@kernel
def drop_beyond(limit, found, count):
    """Forget the candidates whose lower bound lies beyond the limit; the new count."""
    kept = 0
    for c in range(count):
        if found[c, 1] <= limit:
            found[kept, 0], found[kept, 1] = found[c, 0], found[c, 1]
            kept += 1
    return kept


@kernel
def grown(array):
    """A copy with room for twice as many candidates per query."""
    larger = np.empty((array.shape[0], 2 * array.shape[1], 2), array.dtype)
    for q in range(array.shape[0]):
        for c in range(array.shape[1]):
            larger[q, c, 0], larger[q, c, 1] = array[q, c, 0], array[q, c, 1]
    return larger


@kernel
def sum_block(packed, queries, rows, b, first_lane, wanted, relation, live, alive, sums, totals):
    """Tile sums of the queries against block b; those that may not be paired are FAR.

    Lanes before the first are left out, those of a line before it perhaps not.
    """
    start, size = packed.block_start[b], packed.block_size[b]
    block = packed.blocks[b]
    first, last, own = wanted
    reference_class = packed.classes[start]
    some = False
    for q in range(queries.shape[0]):
        c = packed.classes[queries[q]]
        live[q] = first[c] <= reference_class < last[c] and (own or reference_class != c)
        if live[q] and relation != ANY:
            live[q] = mark_related(rows[q], block, packed.n_ordered, relation, alive[q])
        some |= live[q]
    if some and packed.missing:
        _partial_sums(packed, rows, block, live, totals)
    elif some:
        whole = packed.squared or packed.paired
        end = block.shape[1] if whole else min((size + LINE - 1) // LINE * LINE, block.shape[1])
        lanes = (0 if whole else first_lane // LINE * LINE, end)
        _complete_sums(packed, rows, block, lanes, live, sums, totals)
    for q in range(queries.shape[0]):
        if live[q] and start <= queries[q] < start + size:
            totals[q, queries[q] - start] = FAR
        if live[q] and relation != ANY:
            for j in range(size):
                totals[q, j] = totals[q, j] if alive[q, j] else FAR


@kernel
def _collect(packed, i, blocks, totals, q, search, live, state, hits, found, heap):
    """Add the lanes of some blocks within the limit to query i's candidates; the new state.

    The state of a query is its limit, its number of candidates and the size of its heap, which
    holds the k smallest upper bounds; and the next block, if there is no room for its candidates.
    """
    k, relation, tolerance = search
    first, b, end = blocks
    limit, count, size = state
    own, own_high = packed.low[i], packed.high[i]
    words = hits.view(np.uint64)
    while b < end and count + hits.shape[0] <= found.shape[0]:
        line, start, block_size = totals[b - first, q], packed.block_start[b], packed.block_size[b]
        b += 1
        low = packed.low[start : start + block_size]
        if not live[b - 1 - first, q]:
            continue
        _mark_within(line, low, limit - own, hits)
        for word in range((block_size + 7) // 8):
            if words[word] == 0:
                continue
            for j in range(8 * word, min(8 * word + 8, block_size)):
                r = start + j
                bound = 2 * line[j] + low[j] + own
                if bound > limit or not (
                    relation == ANY
                    or related(packed.values[i], packed.values[r], packed.n_ordered, relation)
                ):
                    continue
                found[count, 0], found[count, 1] = r, bound
                count += 1
                if k > 0:
                    size = keep_smallest(heap, size, 2 * line[j] + packed.high[r] + own_high)
                    if size == k:
                        limit = min(limit, np.int64(heap[0] * tolerance) + 1)
    return b, limit, count, size


@kernel
def rows_of(packed, blocks, queries, multiple):
    """The lanes of some queries as rows, padded to a multiple of a number of rows."""
    padded = (queries.shape[0] + multiple - 1) // multiple * multiple
    rows = np.zeros((padded, blocks.shape[1]), blocks.dtype)
    for q in range(queries.shape[0]):
        b = packed.block_of[queries[q]]
        lane = queries[q] - packed.block_start[b]
        for f in range(rows.shape[1]):
            rows[q, f] = blocks[b, f, lane]
    return rows


@kernel
def _blocks_for(packed, queries, wanted):
    """The first and the last block in which a query looks for neighbours."""
    first, last = packed.class_block.shape[0] - 1, 0
    for q in range(queries.shape[0]):
        c = packed.classes[queries[q]]
        first, last = min(first, wanted[0][c]), max(last, wanted[1][c])
    return packed.class_block[first], packed.class_block[last]


@kernel
def _candidates(packed, queries, wanted, k, radius, relation, tolerance):
    """For up to ``GROUP`` queries: the references that can be among the k nearest.

    Returns their rows and lower bounds (query, candidate, 2) and how many each query has.
    """
    n, n_lanes = queries.shape[0], packed.blocks.shape[2]
    rows = rows_of(packed, packed.blocks, queries, TILE)
    live = np.zeros((SPAN, rows.shape[0]), np.bool_)
    alive = np.empty((n, n_lanes), np.uint8)
    sums = np.empty((TILE, n_lanes), packed.blocks.dtype)
    totals = np.empty((SPAN, rows.shape[0], n_lanes), np.int32)
    hits, folded = np.zeros(n_lanes, np.uint8), np.empty(n_lanes // 4, np.int32)
    heap, found = np.empty((n, k), np.int64), np.empty((n, n_lanes + 2 * k + 32, 2), np.int32)
    state = np.zeros((n, 3), np.int64)
    state[:, 0] = radius
    first, last = _blocks_for(packed, queries, wanted)
    for b in range(first, last, SPAN):
        end = min(b + SPAN, last)
        for s in range(end - b):
            sum_block(
                packed, queries, rows, b + s, 0, wanted, relation, live[s], alive, sums, totals[s]
            )
        for q in range(n):
            limit, count, size = state[q, 0], state[q, 1], state[q, 2]
            if size == 0 and k > 0 and relation == ANY:
                starts, sizes = packed.block_start[b:end], packed.block_size[b:end]
                upper = _first_limit(packed.high, starts, sizes, live, totals, q, k, folded)
                upper = np.int64(upper) + packed.high[queries[q]]
                limit = min(limit, np.int64(upper * tolerance) + 1)
            search, at = (k, relation, tolerance), b
            while at < end:
                blocks, so_far = (b, at, end), (limit, count, size)
                at, limit, count, size = _collect(
                    packed, queries[q], blocks, totals, q, search, live, so_far, hits, found[q],
                    heap[q],
                )  # fmt: skip
                if at < end:
                    count = drop_beyond(limit, found[q], count)
                    # The next block may bring a candidate in every lane.
                    while count + n_lanes > found.shape[1]:
                        found = grown(found)
            state[q, 0], state[q, 1], state[q, 2] = limit, count, size
    for q in range(n):
        state[q, 1] = drop_beyond(state[q, 0], found[q], state[q, 1])
    return found, state[:, 1]


@kernel
def longer(array, size):
    larger = np.empty(max(size, 2 * array.shape[0]), array.dtype)
    for c in range(array.shape[0]):
        larger[c] = array[c]
    return larger


@kernel
def _measure(packed, i, found, exact):
    """Exact distances of query i to its candidates."""
    for c in range(exact.shape[0]):
        a, b = packed.values[i], packed.values[np.int64(found[c, 0])]
        if packed.paired:
            exact[c] = paired_distance(a, b)
        elif packed.missing:
            exact[c] = partial_distance(a, b, packed.n_numeric, packed.squared)
        else:
            exact[c] = distance(a, b, packed.n_numeric, packed.squared)


@kernel
def _kth_or(exact, k, radius, tolerance):
    """The largest distance of a neighbour: the k-th, ties included, or the radius."""
    if 0 < k <= exact.shape[0]:
        return min(radius, kth_smallest(exact.copy(), k) * tolerance)
    return radius


@kernel
def nearest(packed, queries, wanted, k, radius, relation, tolerance):
    """Neighbours of the queries among the classes wanted (see ``engines.Classes``).

    Kept are all references in the given relation within ``radius`` and, if k > 0, not
    farther than ``tolerance`` times the k-th nearest.  For squared distances, radius and
    tolerance are squared too.

    Returns
    -------
    counts, indices, distances
        Neighbours per query, and their rows and distances one query after the other, in
        row order.  ``len(counts) < len(queries)`` when ``MAX_PAIRS`` was reached; call
        again with the remaining queries.
    """
    counts = np.zeros(queries.shape[0], np.int64)
    indices = np.empty(queries.shape[0] * (k + 1), np.int32)
    distances = np.empty(queries.shape[0] * (k + 1), np.float64)
    total = 0
    done = 0
    whole_radius = np.int64(min(radius * packed.steps + 1, FAR))
    while done < queries.shape[0] and total < MAX_PAIRS:
        group = queries[done : done + GROUP]
        found, count = _candidates(packed, group, wanted, k, whole_radius, relation, tolerance)
        for q in range(group.shape[0]):
            n = count[q]
            exact = np.empty(n, np.float64)
            _measure(packed, group[q], found[q], exact)
            cut = _kth_or(exact, k, radius, tolerance)
            if total + n > indices.shape[0]:
                indices, distances = longer(indices, total + n), longer(distances, total + n)
            for c in range(n):
                if exact[c] <= cut:
                    indices[total] = found[q, c, 0]
                    distances[total] = exact[c]
                    total += 1
                    counts[done + q] += 1
        done += group.shape[0]
    return counts[:done], indices[:total], distances[:total]
