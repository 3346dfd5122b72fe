"""The k nearest references of every query row, exactly, without a distance matrix.

Every pair gets a cheap interval [lower, upper] around its distance (see ``tiles``).  The k-th
smallest *upper* bound seen so far limits what can still be a neighbour, so a pair whose *lower*
bound lies beyond it is never looked at again.  The few that remain get their exact distance.

Cost: m^2 p tile operations for m queries and references, plus about k log(m / k) candidates
per query.  Memory: the packed input and, per call, ``GROUP`` rows of candidates and sums.
"""

from typing import NamedTuple

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
from echelon.kernels.order import kth_smallest
from echelon.kernels.pairs import ANY, distance, paired_distance, partial_distance, related

GROUP = 64
"""Queries that share one pass over the references, which therefore come from cache."""

FAR = 1 << 29
"""Largest limit, above every distance; as a tile sum, which counts twice, beyond every limit."""

MAX_PAIRS = 1 << 21
"""A call stops early once it has found this many neighbours (tied data), to bound its memory."""


class Packed(NamedTuple):
    """Samples as the search reads them; rows are sorted by class.

    ``blocks`` (block, column, lane) holds rounded values, the rows of one class per block;
    numeric and nominal columns are each padded to a multiple of four.
    In whole ``steps`` per unit of distance, the distance of rows i and j lies between
    ``2 * tile sum + low[i] + low[j]`` and ``2 * tile sum + high[i] + high[j]``.
    """

    values: np.ndarray
    classes: np.ndarray
    n_ordered: int
    n_numeric: int
    squared: bool
    paired: bool
    missing: bool
    blocks: np.ndarray
    nominal_from: int
    mismatch: np.generic
    steps: float
    low: np.ndarray
    high: np.ndarray
    block_of: np.ndarray
    class_block: np.ndarray
    block_start: np.ndarray
    block_size: np.ndarray


@kernel
def _complete_sums(packed, rows, block, live, sums, totals):
    """Tile sums of the live query rows against one block, ``CHUNK`` columns at a time."""
    n_columns = rows.shape[1]
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
                add_maxima(tile, block, first, border, sums)
            lanes = (0, block.shape[1])
            add_mismatches(tile, block, border, last, lanes, packed.mismatch, sums)
            for q in range(TILE):
                for j in range(sums.shape[1]):
                    if packed.paired:
                        totals[t + q, j] += np.int32(sums[q, j] * np.float32(0.5 * packed.steps))
                    elif packed.squared:
                        totals[t + q, j] += np.int32(sums[q, j] * np.float32(packed.steps))
                    else:
                        totals[t + q, j] += np.int32(sums[q, j])


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
def _smallest(totals, low):
    """The smallest lower bound in a block, but for the query's own part."""
    smallest = np.int32(2 * FAR)
    for j in range(low.shape[0]):
        smallest = min(smallest, np.int32(2 * totals[j] + low[j]))
    return smallest


@kernel
def _mark_within(totals, low, limit, hits):
    for j in range(low.shape[0]):
        hits[j] = np.int32(2 * totals[j] + low[j]) <= limit


@kernel
def _first_limit(totals, high, k, folded):
    """An upper bound of the k-th smallest distance in a block, from minima over its parts.

    The k smallest of n minima belong to k different references.  FAR, above every distance even
    with the query's own part added, if the block has too few parts to tell.
    """
    n = folded.shape[0]
    if 2 * k > n or high.shape[0] < n:
        return FAR
    for j in range(n):
        folded[j] = np.int32(2 * totals[j] + high[j])
    for first in range(n, high.shape[0] - n + 1, n):
        part, part_high = totals[first : first + n], high[first : first + n]
        for j in range(n):
            folded[j] = min(folded[j], np.int32(2 * part[j] + part_high[j]))
    return kth_smallest(folded, k)


@kernel
def keep_smallest(heap, size, value):
    """Offer a value to the ``len(heap)`` smallest, kept as a max-heap; the new size."""
    # One way out: references to the heap are counted at each, which takes longer than the rest.
    at, n = size, heap.shape[0]
    if size < n:
        while at > 0 and heap[(at - 1) // 2] < value:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = value
    elif value < heap[0]:
        at, child = 0, 1
        if n > 2 and heap[2] > heap[1]:
            child = 2
        while child < n and heap[child] > value:
            heap[at] = heap[child]
            at, child = child, 2 * child + 1
            if child + 1 < n and heap[child + 1] > heap[child]:
                child += 1
        heap[at] = value
    return min(size + 1, n)


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
def _sum_block(packed, queries, rows, b, wanted, relation, live, alive, sums, totals):
    """Tile sums of the queries against block b; those that may not be paired are FAR."""
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
        _complete_sums(packed, rows, block, live, sums, totals)
    for q in range(queries.shape[0]):
        if live[q] and start <= queries[q] < start + size:
            totals[q, queries[q] - start] = FAR
        if live[q] and relation != ANY:
            for j in range(size):
                totals[q, j] = totals[q, j] if alive[q, j] else FAR


@kernel
def _collect(packed, i, b, totals, search, state, hits, found, heap):
    """Add the lanes of block b within the limit to query i's candidates; the new state.

    The state of a query is its limit, its number of candidates and the size of its heap, which
    holds the k smallest upper bounds.
    """
    k, relation, tolerance = search
    limit, count, size = state
    start, block_size = packed.block_start[b], packed.block_size[b]
    low = packed.low[start : start + block_size]
    own, own_high = packed.low[i], packed.high[i]
    if _smallest(totals, low) > limit - own:
        return limit, count, size
    _mark_within(totals, low, limit - own, hits)
    words = hits.view(np.uint64)
    for word in range((block_size + 7) // 8):
        if words[word] == 0:
            continue
        for j in range(8 * word, min(8 * word + 8, block_size)):
            r = start + j
            bound = 2 * totals[j] + low[j] + own
            if bound > limit or not (
                relation == ANY
                or related(packed.values[i], packed.values[r], packed.n_ordered, relation)
            ):
                continue
            found[count, 0], found[count, 1] = r, bound
            count += 1
            if k > 0:
                size = keep_smallest(heap, size, 2 * totals[j] + packed.high[r] + own_high)
                if size == k:
                    limit = min(limit, np.int64(heap[0] * tolerance) + 1)
    return limit, count, size


@kernel
def _candidates(packed, queries, wanted, k, radius, relation, tolerance):
    """For up to ``GROUP`` queries: the references that can be among the k nearest.

    Returns their rows and lower bounds (query, candidate, 2) and how many each query has.
    """
    n = queries.shape[0]
    n_lanes = packed.blocks.shape[2]
    padded = (n + TILE - 1) // TILE * TILE
    rows = np.zeros((padded, packed.blocks.shape[1]), packed.blocks.dtype)
    for q in range(n):
        b = packed.block_of[queries[q]]
        lane = queries[q] - packed.block_start[b]
        for f in range(rows.shape[1]):
            rows[q, f] = packed.blocks[b, f, lane]
    live = np.zeros(padded, np.bool_)
    alive = np.empty((n, n_lanes), np.uint8)
    sums = np.empty((TILE, n_lanes), packed.blocks.dtype)
    totals = np.empty((padded, n_lanes), np.int32)
    hits = np.zeros(n_lanes, np.uint8)
    folded = np.empty(n_lanes // 8, np.int32)
    heap = np.empty((n, k), np.int64)
    found = np.empty((n, n_lanes + 2 * k + 32, 2), np.int32)
    state = np.zeros((n, 3), np.int64)
    state[:, 0] = radius
    first_class, last_class = packed.class_block.shape[0] - 1, 0
    for q in range(n):
        c = packed.classes[queries[q]]
        first_class = min(first_class, wanted[0][c])
        last_class = max(last_class, wanted[1][c])
    for b in range(packed.class_block[first_class], packed.class_block[last_class]):
        _sum_block(packed, queries, rows, b, wanted, relation, live, alive, sums, totals)
        start = packed.block_start[b]
        for q in range(n):
            if not live[q]:
                continue
            limit, count, size = state[q, 0], state[q, 1], state[q, 2]
            if size == 0 and k > 0 and relation == ANY:
                high = packed.high[start : start + packed.block_size[b]]
                upper = _first_limit(totals[q], high, k, folded) + packed.high[queries[q]]
                limit = min(limit, np.int64(upper * tolerance) + 1)
            search, so_far = (k, relation, tolerance), (limit, count, size)
            state[q, 0], state[q, 1], state[q, 2] = _collect(
                packed, queries[q], b, totals[q], search, so_far, hits, found[q], heap[q]
            )
            if state[q, 1] + n_lanes > found.shape[1]:
                state[q, 1] = drop_beyond(state[q, 0], found[q], state[q, 1])
                # The next block may bring a candidate in every lane.
                while state[q, 1] + n_lanes > found.shape[1]:
                    found = grown(found)
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
