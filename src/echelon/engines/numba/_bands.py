"""Sums over all pairs of samples within bands of distance, block by block, without listing pairs.

Every pair is visited once, for both of its samples.  Which bands it is in follows from the interval
around its distance (see ``_nearest``); the few pairs whose interval holds a limit get their exact
distance.  Sums of distances, and of differences, are taken from exact values, with the same lanes:
m^2 p / 2 operations each.  Memory: one exact copy of the input and, per task, a few rows of
results.
"""

import numpy as np

from echelon.engines.numba._nearest import GROUP, _sum_block
from echelon.engines.numba._tiles import CHUNK, TILE, add_gaps, add_mismatches, add_squares
from echelon.kernels import kernel
from echelon.kernels.pairs import ANY, distance

STRIP = 8
"""Queries whose weights stay in the first-level cache while all features pass by."""

NEAR, NEAR_BACK, FAR_OFF, FAR_BACK, DOUBT = 1, 2, 4, 8, 16
"""Bits of a pair: the reference is in the query's near (far) band, and the other way round."""


@kernel
def _rows_of(packed, blocks, queries):
    """The lanes of some queries as rows, padded to whole tiles."""
    padded = (queries.shape[0] + STRIP - 1) // STRIP * STRIP
    rows = np.zeros((padded, blocks.shape[1]), blocks.dtype)
    for q in range(queries.shape[0]):
        b = packed.block_of[queries[q]]
        lane = queries[q] - packed.block_start[b]
        for f in range(rows.shape[1]):
            rows[q, f] = blocks[b, f, lane]
    return rows


@kernel
def _first_lane(packed, whole, b, i):
    """The first lane of block b that query i visits: a pair of queries is visited by the lower."""
    start, size = packed.block_start[b], packed.block_size[b]
    return max(0, min(i + 1 - start, size)) if whole[b] else 0


# ------------------------------------------------------------------------------ sums of distances


@kernel
def _exact_distances(packed, blocks, rows, b, sums, totals):
    """Distances of all rows to block b, squared ones if the metric is."""
    totals[:] = 0.0
    block = blocks[b]
    for first in range(0, rows.shape[1], CHUNK):
        last = min(first + CHUNK, rows.shape[1])
        border = min(max(packed.nominal_from, first), last)
        for t in range(0, rows.shape[0], TILE):
            tile = rows[t : t + TILE]
            sums[:] = 0
            if packed.squared:
                add_squares(tile, block, first, border, sums)
            else:
                add_gaps(tile, block, first, border, sums)
            add_mismatches(tile, block, border, last, blocks.dtype.type(1), sums)
            for q in range(TILE):
                for j in range(sums.shape[1]):
                    totals[t + q, j] += sums[q, j]


@kernel
def _add_distances(distances, sums, squares):
    """Add distances and their squares to those of every row; the sum of either."""
    total = 0.0
    square = 0.0
    for j in range(distances.shape[0]):
        d = distances[j]
        sums[j] += d
        squares[j] += d * d
        total += d
        square += d * d
    return total, square


@kernel
def distance_sums(packed, blocks, asking, whole, queries):
    """Sums of the distances of every row, and of their squares, over the pairs these visit."""
    found = np.zeros((2, packed.values.shape[0]), np.float64)
    sums = np.empty((TILE, blocks.shape[2]), blocks.dtype)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = _rows_of(packed, blocks, group)
        totals = np.empty((rows.shape[0], blocks.shape[2]), np.float64)
        for b in range(blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            if _first_lane(packed, whole, b, group[0]) == size:
                continue
            _exact_distances(packed, blocks, rows, b, sums, totals)
            for q in range(group.shape[0]):
                i = group[q]
                first = _first_lane(packed, whole, b, i)
                line = totals[q, :size]
                if packed.squared:
                    line[:] = np.sqrt(line)
                if not whole[b]:  # some of its rows visit the query, as others do not
                    for j in range(size):
                        line[j] *= not (asking[start + j] and start + j <= i)
                back = found[:, start + first : start + size]
                total, square = _add_distances(line[first:], back[0], back[1])
                found[0, i] += total
                found[1, i] += square
    return found


# ------------------------------------------------------------------------------------------ bands


@kernel
def _mark(packed, i, start, totals, bounds, codes):
    """Bits of the pairs of query i with a block, some of them in doubt; whether any is."""
    own_low, own_high = packed.low[i], packed.high[i]
    near_in, near_out, far_out, far_in = bounds[0, i], bounds[1, i], bounds[2, i], bounds[3, i]
    size = codes.shape[0]
    low, high = packed.low[start : start + size], packed.high[start : start + size]
    near_in_back, near_out_back = bounds[0, start : start + size], bounds[1, start : start + size]
    far_out_back, far_in_back = bounds[2, start : start + size], bounds[3, start : start + size]
    some = np.int32(0)
    for j in range(size):  # 32 bits throughout, for SIMD
        lower = np.int32(2 * totals[j] + low[j] + own_low)
        upper = np.int32(2 * totals[j] + high[j] + own_high)
        near, near_back = np.int32(upper <= near_in), np.int32(upper <= near_in_back[j])
        far, far_back = np.int32(lower >= far_in), np.int32(lower >= far_in_back[j])
        doubt = np.int32(lower < near_out) - near | np.int32(lower < near_out_back[j]) - near_back
        doubt |= np.int32(upper > far_out) - far | np.int32(upper > far_out_back[j]) - far_back
        some |= doubt
        codes[j] = near | near_back << 1 | far << 2 | far_back << 3 | doubt << 4
    return some != 0


@kernel
def _settle(packed, i, start, first, limits, tolerance, codes):
    """The bits in doubt, from exact distances."""
    near, far = limits[0, i], limits[1, i]
    for j in range(first, codes.shape[0]):
        if codes[j] >= DOUBT:
            r = start + j
            d = distance(packed.values[i], packed.values[r], packed.n_numeric, packed.squared)
            code = NEAR if d * tolerance < near else 0
            code |= NEAR_BACK if d * tolerance < limits[0, r] else 0
            code |= FAR_OFF if d > far * tolerance else 0
            code |= FAR_BACK if d > limits[1, r] * tolerance else 0
            codes[j] = code


@kernel
def _codes(packed, i, b, first, totals, bands, codes):
    """Bits of all pairs of query i with block b that it visits; 0 for the others."""
    limits, bounds, asking, whole, tolerance = bands
    start = packed.block_start[b]
    if _mark(packed, i, start, totals, bounds, codes):
        _settle(packed, i, start, first, limits, tolerance, codes)
    codes[:first] = 0
    if not whole[b]:
        for j in range(codes.shape[0]):
            if start + j == i or (asking[start + j] and start + j < i):
                codes[j] = 0


@kernel
def _copy(source, target):
    for j in range(source.shape[0]):
        target[j] = source[j]


@kernel
def _count(codes, bit, counts):
    """Add a bit of every code; the sum."""
    total = np.int32(0)
    for j in range(codes.shape[0]):
        one = np.int32((codes[j] & bit) != 0)
        counts[j] += one
        total += one
    return total


@kernel
def band_counts(packed, bands, wanted, groups, n_groups, queries, kept):
    """Samples in the bands of every row: by side, group and row, from the pairs these visit.

    ``kept`` (queries x rows, or empty) gets the bits of all pairs.
    """
    counts = np.zeros((2, n_groups, packed.values.shape[0]), np.int32)
    unused = np.zeros(packed.blocks.shape[2], np.int32)
    n_lanes = packed.blocks.shape[2]
    sums = np.empty((TILE, n_lanes), packed.blocks.dtype)
    codes = np.zeros(n_lanes, np.int32)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = _rows_of(packed, packed.blocks, group)
        live = np.zeros(rows.shape[0], np.bool_)
        alive = np.empty((1, 1), np.uint8)
        totals = np.empty((rows.shape[0], n_lanes), np.int32)
        for b in range(packed.blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            if _first_lane(packed, bands[3], b, group[0]) == size:
                continue
            _sum_block(packed, group, rows, b, wanted, ANY, live, alive, sums, totals)
            other = packed.classes[start]
            for q in range(group.shape[0]):
                i = group[q]
                own = packed.classes[i]
                first = _first_lane(packed, bands[3], b, i)
                _codes(packed, i, b, first, totals[q], bands, codes[:size])
                if kept.shape[0] > 0:
                    _copy(codes[:size], kept[done + q, start : start + size])
                for side in range(2):
                    there, back = groups[side, own, other], groups[side, other, own]
                    there_bit, back_bit = (
                        np.int32(NEAR << 2 * side),
                        np.int32(NEAR_BACK << 2 * side),
                    )
                    if there >= 0:
                        counts[side, there, i] += _count(codes[:size], there_bit, unused[:size])
                    if back >= 0:
                        line = counts[side, back, start : start + size]
                        _count(codes[:size], back_bit, line)
    return counts


@kernel
def _weigh(codes, there, near_back, far_back, weights, rows):
    """What the two samples of every pair give to each other; half of it by row, and squared.

    ``there`` holds what the query gives to a near and to a far reference, ``near_back`` and
    ``far_back`` what the references give to the query.
    """
    total = 0.0
    squares = 0.0
    for j in range(codes.shape[0]):
        code = codes[j]
        w = np.int32(code & 1) * there[0] + np.int32(code >> 1 & 1) * near_back[j]
        w += np.int32(code >> 2 & 1) * there[1] + np.int32(code >> 3 & 1) * far_back[j]
        weights[j] = w
        rows[j] += 0.5 * w
        total += w
        squares += w * w
    return 0.5 * total, 0.5 * squares


@kernel
def _add_weighted(strip, block, weights, nominal_from, totals):
    """Add the differences of a strip of queries to a block, times their weights, by feature."""
    w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
    w4, w5, w6, w7 = weights[4], weights[5], weights[6], weights[7]
    for f in range(totals.shape[0]):
        lanes = block[f]
        a0, a1, a2, a3 = strip[0, f], strip[1, f], strip[2, f], strip[3, f]
        a4, a5, a6, a7 = strip[4, f], strip[5, f], strip[6, f], strip[7, f]
        total = block.dtype.type(0)
        if f < nominal_from:
            for j in range(lanes.shape[0]):
                v = lanes[j]
                total += w0[j] * abs(a0 - v) + w1[j] * abs(a1 - v)
                total += w2[j] * abs(a2 - v) + w3[j] * abs(a3 - v)
                total += w4[j] * abs(a4 - v) + w5[j] * abs(a5 - v)
                total += w6[j] * abs(a6 - v) + w7[j] * abs(a7 - v)
        else:
            for j in range(lanes.shape[0]):
                v = lanes[j]
                total += w0[j] * (a0 != v) + w1[j] * (a1 != v)
                total += w2[j] * (a2 != v) + w3[j] * (a3 != v)
                total += w4[j] * (a4 != v) + w5[j] * (a5 != v)
                total += w6[j] * (a6 != v) + w7[j] * (a7 != v)
        totals[f] += total


@kernel
def band_sums(packed, blocks, bands, wanted, gives, queries, kept):
    """Differences times weights, by column; row sums and squares of the weights.

    ``gives[side, c, i]`` is what row i gives to every sample of class c in its band; ``kept`` holds
    the bits of all pairs, or nothing.
    """
    n_lanes = blocks.shape[2]
    found = np.zeros(blocks.shape[1], np.float64)
    by_row = np.zeros(packed.values.shape[0], np.float64)
    squares = 0.0
    sums = np.empty((TILE, n_lanes), packed.blocks.dtype)
    codes = np.zeros(n_lanes, np.int32)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = _rows_of(packed, packed.blocks, group)
        exact = _rows_of(packed, blocks, group)
        live = np.zeros(rows.shape[0], np.bool_)
        alive = np.empty((1, 1), np.uint8)
        totals = np.empty((rows.shape[0], n_lanes), np.int32)
        weights = np.zeros((rows.shape[0], n_lanes), blocks.dtype)
        for b in range(blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            if _first_lane(packed, bands[3], b, group[0]) == size:
                continue
            if kept.shape[0] == 0:
                _sum_block(packed, group, rows, b, wanted, ANY, live, alive, sums, totals)
            other = packed.classes[start]
            weights[:, size:] = 0
            for q in range(group.shape[0]):
                i = group[q]
                own = packed.classes[i]
                first = _first_lane(packed, bands[3], b, i)
                if kept.shape[0] == 0:
                    _codes(packed, i, b, first, totals[q], bands, codes[:size])
                else:
                    _copy(kept[done + q, start : start + size], codes[:size])
                half, square = _weigh(
                    codes[:size],
                    (gives[0, other, i], gives[1, other, i]),
                    gives[0, own, start : start + size],
                    gives[1, own, start : start + size],
                    weights[q, :size],
                    by_row[start : start + size],
                )
                by_row[i] += half
                squares += square
            for q in range(0, rows.shape[0], STRIP):
                strip, lanes = exact[q : q + STRIP], weights[q : q + STRIP]
                _add_weighted(strip, blocks[b], lanes, packed.nominal_from, found)
    return found, by_row, squares
