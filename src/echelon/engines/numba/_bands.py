"""Sums over all pairs of samples, block by block, without listing pairs.

``distance_sums`` adds up the distances of every sample to all others, from exact values;
``band_masses`` and ``band_sums`` count the pairs within bands of distance, and add up their
differences.  Every pair is visited once, for both of its samples: m^2 p / 2 operations each.
Samples may count by mass.

Which bands a pair is in follows from the interval around its distance: from distances kept by
``distance_sums``, or else from tile sums (see ``_nearest``).  The few pairs whose interval holds a
limit get their exact distance.  Differences are summed from exact values, with the same lanes.
Memory: one exact copy of the input and, per task, a few rows of results, unless distances are to be
kept.
"""

import numpy as np

from echelon.engines.numba._nearest import GROUP, rows_of, sum_block
from echelon.engines.numba._tiles import CHUNK, TILE, add_gaps, add_mismatches, add_squares
from echelon.kernels import kernel
from echelon.kernels.pairs import ANY, distance

STRIP = 8
"""Queries whose weights stay in the first-level cache while all features pass by."""

LINE = 16
"""Lanes are taken in multiples of these, which a vector register may hold."""

NEAR, NEAR_BACK, FAR_OFF, FAR_BACK, DOUBT = 1, 2, 4, 8, 16
"""Bits of a pair: the reference is in the query's near (far) band, and the other way round."""

DOUBTS = np.uint64(0x1010101010101010)
"""The bit of doubt of eight pairs."""


@kernel
def _first_lane(packed, whole, b, i):
    """The first lane of block b that query i visits: a pair of queries is visited by the lower."""
    start, size = packed.block_start[b], packed.block_size[b]
    return max(0, min(i + 1 - start, size)) if whole[b] else 0


@kernel
def _lines(first, size):
    """The lanes from the first to the last of a block, in whole lines."""
    return first // LINE * LINE, (size + LINE - 1) // LINE * LINE


@kernel
def _measure(packed, tile, block, lanes, sums, totals):
    """Distances of a tile of rows to some lanes of a block, squared ones if the metric is."""
    n = lanes[1] - lanes[0]
    for first in range(0, tile.shape[1], CHUNK):
        last = min(first + CHUNK, tile.shape[1])
        border = min(max(packed.nominal_from, first), last)
        sums[:] = 0
        if packed.squared:
            add_squares(tile, block, first, border, lanes, sums)
        else:
            add_gaps(tile, block, first, border, lanes, sums)
        add_mismatches(tile, block, border, last, lanes, block.dtype.type(1), sums)
        for q in range(TILE):
            for j in range(n):
                totals[q, j] = sums[q, j] + (totals[q, j] if first > 0 else 0.0)


@kernel
def _keep(distances, half, seen):
    """Distances as tile sums: in whole steps, ``half`` of them to the unit."""
    for j in range(distances.shape[0]):
        seen[j] = np.uint16(np.int32(half * distances[j]))


@kernel
def _add_distances(distances, mass, own, sums, squares):
    """Add distances and their squares, by mass, to those of every row; the sum of either."""
    total = 0.0
    square = 0.0
    for j in range(distances.shape[0]):
        d = distances[j]
        sums[j] += own * d
        squares[j] += own * (d * d)
        total += mass[j] * d
        square += mass[j] * (d * d)
    return total, square


@kernel
def distance_sums(packed, blocks, where, mass, half, queries, place, seen):
    """Sums of the distances of every row, and of their squares, over the pairs these visit.

    ``where``: which rows are queries, and the blocks all of whose rows are.  ``seen`` (or nothing)
    gets the distances as tile sums, ``half`` of which are a unit, from ``place`` on in the order in
    which pairs are visited.
    """
    asking, whole = where
    sums_of, squares_of = np.zeros(mass.shape[0]), np.zeros(mass.shape[0])
    sums = np.empty((TILE, blocks.shape[2]), blocks.dtype)
    totals = np.empty((TILE, blocks.shape[2]), np.float64)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = rows_of(packed, blocks, group, STRIP)
        for b in range(blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            lanes = (0, 0)
            for q in range(group.shape[0]):
                i = group[q]
                first = _first_lane(packed, whole, b, i)
                if first == size:
                    continue
                if q % TILE == 0:
                    lanes = _lines(first, size)
                    _measure(packed, rows[q : q + TILE], blocks[b], lanes, sums, totals)
                line = totals[q % TILE, first - lanes[0] : size - lanes[0]]
                begin, end = start + first, start + size
                if not whole[b]:  # some of its rows visit the query, as others do not
                    for j in range(line.shape[0]):
                        line[j] *= not (asking[start + j] and start + j <= i)
                if seen.shape[0] > 0:
                    _keep(line, half, seen[place : place + line.shape[0]])
                    place += line.shape[0]
                if packed.squared:
                    line[:] = np.sqrt(line)
                total, square = _add_distances(
                    line, mass[begin:end], mass[i], sums_of[begin:end], squares_of[begin:end]
                )
                sums_of[i] += total
                squares_of[i] += square
    return sums_of, squares_of


# ------------------------------------------------------------------------------------- bands


@kernel
def _mark(i, begin, totals, steps, codes):
    """Bits of the pairs of query i with the rows from ``begin`` on, some of them in doubt."""
    end = begin + codes.shape[0]
    own_low, own_high, bounds = steps[0][i], steps[1][i], steps[2]
    low, high = steps[0][begin:end], steps[1][begin:end]
    near_in, near_out, far_out, far_in = bounds[0, i], bounds[1, i], bounds[2, i], bounds[3, i]
    near_in_back, near_out_back = bounds[0, begin:end], bounds[1, begin:end]
    far_out_back, far_in_back = bounds[2, begin:end], bounds[3, begin:end]
    for j in range(codes.shape[0]):  # 32 bits throughout, for SIMD
        lower = np.int32(2 * totals[j] + low[j] + own_low)
        upper = np.int32(2 * totals[j] + high[j] + own_high)
        near, near_back = np.int32(upper <= near_in), np.int32(upper <= near_in_back[j])
        far, far_back = np.int32(lower >= far_in), np.int32(lower >= far_in_back[j])
        doubt = np.int32(lower < near_out) - near | np.int32(lower < near_out_back[j]) - near_back
        doubt |= np.int32(upper > far_out) - far | np.int32(upper > far_out_back[j]) - far_back
        codes[j] = np.uint8(near | near_back << 1 | far << 2 | far_back << 3 | doubt << 4)


@kernel
def _settle(exact, i, begin, limits, tolerance, codes):
    """The bits in doubt, from exact distances."""
    values, n_numeric, squared = exact
    near, far = limits[0, i], limits[1, i]
    words = codes.view(np.uint64)
    for word in range(words.shape[0]):
        if words[word] & DOUBTS == 0:
            continue
        for j in range(8 * word, 8 * word + 8):
            if codes[j] >= DOUBT:
                r = begin + j
                d = distance(values[i], values[r], n_numeric, squared)
                code = NEAR if d * tolerance < near else 0
                code |= NEAR_BACK if d * tolerance < limits[0, r] else 0
                code |= FAR_OFF if d > far * tolerance else 0
                code |= FAR_BACK if d > limits[1, r] * tolerance else 0
                codes[j] = code


@kernel
def _codes(exact, i, begin, totals, bands, codes):
    """Bits of all pairs of query i with the rows from ``begin`` on; 0 where it does not visit."""
    limits, steps, asking, all_asking, tolerance = bands
    n = totals.shape[0]
    _mark(i, begin, totals, steps, codes[:n])
    codes[n:] = 0
    _settle(exact, i, begin, limits, tolerance, codes)
    if not all_asking:
        for j in range(n):
            if begin + j == i or (asking[begin + j] and begin + j < i):
                codes[j] = 0


@kernel
def _copy(source, target):
    for j in range(target.shape[0]):
        target[j] = source[j]


@kernel
def _mass_of(codes, bit, mass):
    """The mass of the pairs that have a bit."""
    total = 0.0
    for j in range(mass.shape[0]):
        total += mass[j] if codes[j] & bit else 0.0
    return total


@kernel
def _add_mass(codes, bit, own, masses):
    """Add ``own`` to the mass of every pair that has a bit."""
    for j in range(masses.shape[0]):
        masses[j] += own if codes[j] & bit else 0.0


@kernel
def _add_masses(codes, there, back, mass, i, begin, end, masses):
    """Add the pairs of row i with some others to the masses of both, by side and group."""
    for side in range(2):
        if there[side] >= 0:
            bit = np.uint8(NEAR << 2 * side)
            masses[side, there[side], i] += _mass_of(codes, bit, mass[begin:end])
        if back[side] >= 0:
            bit = np.uint8(NEAR_BACK << 2 * side)
            _add_mass(codes, bit, mass[i], masses[side, back[side], begin:end])


@kernel
def band_masses(packed, bands, mass, wanted, groups, n_groups, queries, place, seen, kept):
    """Mass in the bands of every row: by side, group and row, from the pairs these visit.

    ``seen`` (or nothing) holds the distances of all pairs, as tile sums; ``kept`` (or nothing) gets
    their bits: both from ``place`` on, in the order in which pairs are visited.
    """
    masses = np.zeros((2, n_groups, mass.shape[0]), np.float64)
    n_lanes = packed.blocks.shape[2]
    sums = np.empty((TILE, n_lanes), packed.blocks.dtype)
    codes = np.zeros(n_lanes, np.uint8)
    whole, exact = bands[3], (packed.values, packed.n_numeric, packed.squared)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = rows_of(packed, packed.blocks, group, STRIP)
        live, alive = np.zeros(rows.shape[0], np.bool_), np.empty((1, 1), np.uint8)
        totals = np.empty((rows.shape[0], n_lanes), np.int32)
        for b in range(packed.blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            lowest = _first_lane(packed, whole, b, group[0])
            if lowest == size:
                continue
            if seen.shape[0] == 0:
                sum_block(packed, group, rows, b, lowest, wanted, ANY, live, alive, sums, totals)
            other = packed.classes[start]
            where = (bands[0], bands[1], bands[2], whole[b], bands[4])
            for q in range(group.shape[0]):
                i = group[q]
                first = _first_lane(packed, whole, b, i)
                if first == size:
                    break
                begin, end = start + first, start + size
                if seen.shape[0] == 0:
                    _codes(exact, i, begin, totals[q, first:size], where, codes)
                else:
                    _codes(exact, i, begin, seen[place : place + end - begin], where, codes)
                if kept.shape[0] > 0:
                    _copy(codes, kept[place : place + end - begin])
                place += end - begin
                own = packed.classes[i]
                there, back = groups[:, own, other], groups[:, other, own]
                _add_masses(codes, there, back, mass, i, begin, end, masses)
    return masses


@kernel
def _weigh(codes, there, back, mass, own, weights, rows):
    """What the two samples of every pair give to each other; half of it by row, and squared.

    ``there`` holds what the query gives to a near and to a far reference, ``back`` what the
    references give to the query, each for a unit of mass on either side.
    """
    near, far, near_back, far_back = there[0], there[1], back[0], back[1]
    total = 0.0
    squares = 0.0
    for j in range(weights.shape[0]):
        code = codes[j]
        w = near if code & 1 else 0.0
        w += near_back[j] if code & 2 else 0.0
        w += far if code & 4 else 0.0
        w += far_back[j] if code & 8 else 0.0
        w *= own * mass[j]
        weights[j] = w
        rows[j] += 0.5 * w
        total += w
        squares += w * w
    return 0.5 * total, 0.5 * squares


@kernel
def _sigmoid(far, limit, deviation):
    """tanh(2 |far - limit| / deviation)."""
    return 1.0 - 2.0 / (np.exp(4.0 * abs(far - limit) / deviation) + 1.0)


@kernel
def _weigh_by_distance(codes, far, i, begin, edges, there, back, mass, own, weights, rows):
    """Bands of one sample, where a pair weighs more the farther it lies from the limit."""
    limits, deviations = edges[0], edges[1]
    total = 0.0
    squares = 0.0
    for j in range(weights.shape[0]):
        code, d, r = codes[j], far[j], begin + j
        w = 0.0
        if code & 1:
            w += there[0] * _sigmoid(d, limits[0, i], deviations[0, i])
        if code & 2:
            w += back[0, j] * _sigmoid(d, limits[0, r], deviations[0, r])
        if code & 4:
            w += there[1] * _sigmoid(d, limits[1, i], deviations[1, i])
        if code & 8:
            w += back[1, j] * _sigmoid(d, limits[1, r], deviations[1, r])
        w *= own * mass[j]
        weights[j] = w
        rows[j] += 0.5 * w
        total += w
        squares += w * w
    return 0.5 * total, 0.5 * squares


@kernel
def _add_weighted(strip, block, weights, lanes, nominal_from, totals):
    """Add the differences of a strip of queries to some lanes, times their weights, by feature.

    Two features at a time, since weights are loaded for both; each kind has a multiple of four.
    """
    start, end = lanes
    w0, w1, w2, w3 = (weights[0, start:end], weights[1, start:end],
                      weights[2, start:end], weights[3, start:end])  # fmt: skip
    w4, w5, w6, w7 = (weights[4, start:end], weights[5, start:end],
                      weights[6, start:end], weights[7, start:end])  # fmt: skip
    for f in range(0, totals.shape[0], 2):
        left, right = block[f, start:end], block[f + 1, start:end]
        a0, a1, a2, a3 = strip[0, f], strip[1, f], strip[2, f], strip[3, f]
        a4, a5, a6, a7 = strip[4, f], strip[5, f], strip[6, f], strip[7, f]
        b0, b1, b2, b3 = strip[0, f + 1], strip[1, f + 1], strip[2, f + 1], strip[3, f + 1]
        b4, b5, b6, b7 = strip[4, f + 1], strip[5, f + 1], strip[6, f + 1], strip[7, f + 1]
        one, two = block.dtype.type(0), block.dtype.type(0)
        if f < nominal_from:
            for j in range(left.shape[0]):  # every product added by itself, in one operation
                u, v = left[j], right[j]
                one = one + w0[j] * abs(a0 - u) + w1[j] * abs(a1 - u)
                two = two + w0[j] * abs(b0 - v) + w1[j] * abs(b1 - v)
                one = one + w2[j] * abs(a2 - u) + w3[j] * abs(a3 - u)
                two = two + w2[j] * abs(b2 - v) + w3[j] * abs(b3 - v)
                one = one + w4[j] * abs(a4 - u) + w5[j] * abs(a5 - u)
                two = two + w4[j] * abs(b4 - v) + w5[j] * abs(b5 - v)
                one = one + w6[j] * abs(a6 - u) + w7[j] * abs(a7 - u)
                two = two + w6[j] * abs(b6 - v) + w7[j] * abs(b7 - v)
        else:
            for j in range(left.shape[0]):
                u, v = left[j], right[j]
                one = one + w0[j] * (a0 != u) + w1[j] * (a1 != u)
                two = two + w0[j] * (b0 != v) + w1[j] * (b1 != v)
                one = one + w2[j] * (a2 != u) + w3[j] * (a3 != u)
                two = two + w2[j] * (b2 != v) + w3[j] * (b3 != v)
                one = one + w4[j] * (a4 != u) + w5[j] * (a5 != u)
                two = two + w4[j] * (b4 != v) + w5[j] * (b5 != v)
                one = one + w6[j] * (a6 != u) + w7[j] * (a7 != u)
                two = two + w6[j] * (b6 != v) + w7[j] * (b7 != v)
        totals[f] += one
        totals[f + 1] += two


@kernel
def _add_strips(packed, block, whole, b, group, asked, weights, found):
    """Add the differences of all pairs of a group with block b, times their weights."""
    for q in range(0, group.shape[0], STRIP):
        first, size = _first_lane(packed, whole, b, group[q]), packed.block_size[b]
        if first < size:
            strip, of_strip = asked[q : q + STRIP], weights[q : q + STRIP]
            _add_weighted(strip, block, of_strip, _lines(first, size), packed.nominal_from, found)


@kernel
def band_sums(packed, blocks, bands, edges, mass, wanted, gives, queries, place, kept):
    """Differences times weights, by column; row sums and squares of the weights.

    ``gives[side, c, i]`` is what row i gives to every sample of class c in its band; ``kept`` holds
    the bits of all pairs from ``place`` on, or nothing.  ``edges``: the limits and deviations of
    bands in which pairs weigh by their distance, or nothing.
    """
    n_lanes = blocks.shape[2]
    found, by_row, squares = np.zeros(blocks.shape[1]), np.zeros(mass.shape[0]), 0.0
    sums, codes = np.empty((TILE, n_lanes), packed.blocks.dtype), np.zeros(n_lanes, np.uint8)
    whole, exact = bands[3], (packed.values, packed.n_numeric, packed.squared)
    by_distance, lanes = edges.shape[2] > 0, (0, 0)
    far_sums = np.empty((TILE, n_lanes if by_distance else 0), blocks.dtype)
    far = np.empty(far_sums.shape, np.float64)
    for done in range(0, queries.shape[0], GROUP):
        group = queries[done : done + GROUP]
        rows = rows_of(packed, packed.blocks, group, STRIP)
        asked = rows_of(packed, blocks, group, STRIP)
        live, alive = np.zeros(rows.shape[0], np.bool_), np.empty((1, 1), np.uint8)
        totals = np.empty((rows.shape[0], n_lanes), np.int32)
        weights = np.zeros((rows.shape[0], n_lanes), blocks.dtype)
        for b in range(blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            lowest = _first_lane(packed, whole, b, group[0])
            if lowest == size:
                continue
            if kept.shape[0] == 0:
                sum_block(packed, group, rows, b, lowest, wanted, ANY, live, alive, sums, totals)
            other = packed.classes[start]
            where = (bands[0], bands[1], bands[2], whole[b], bands[4])
            for q in range(group.shape[0]):
                i = group[q]
                own = packed.classes[i]
                first = _first_lane(packed, whole, b, i)
                begin, end = start + first, start + size
                weights[q, :first] = 0
                weights[q, size:] = 0
                if kept.shape[0] > 0:
                    line = kept[place : place + end - begin]
                    place += end - begin
                else:
                    _codes(exact, i, begin, totals[q, first:size], where, codes)
                    line = codes[: size - first]
                there, back = gives[:, other, i], gives[:, own, begin:end]
                here, among = weights[q, first:size], by_row[begin:end]
                if by_distance and first < size:
                    if q % TILE == 0:
                        lanes = _lines(first, size)
                        _measure(packed, asked[q : q + TILE], blocks[b], lanes, far_sums, far)
                    d = far[q % TILE, first - lanes[0] : size - lanes[0]]
                    if packed.squared:
                        d[:] = np.sqrt(d)
                    half, square = _weigh_by_distance(
                        line, d, i, begin, edges, there, back, mass[begin:end], mass[i], here, among
                    )
                else:
                    half, square = _weigh(line, there, back, mass[begin:end], mass[i], here, among)
                by_row[i] += half
                squares += square
            _add_strips(packed, blocks[b], whole, b, group, asked, weights, found)
    return found, by_row, squares
