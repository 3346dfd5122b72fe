"""Sums of the distances of every sample to all others, block by block, from exact values.

Every pair is visited once, for both of its samples: m^2 p / 2 operations, and the memory of a few
rows unless the distances are to be kept.  Samples may count by mass (see ``margin._neighbors``).
"""

import numpy as np

from echelon.engines.numba._nearest import GROUP
from echelon.engines.numba._tiles import CHUNK, TILE, add_gaps, add_mismatches, add_squares
from echelon.kernels import kernel

STRIP = 8
"""Queries whose weights stay in the first-level cache while all features pass by."""

LINE = 16
"""Lanes are taken in multiples of these, which a vector register may hold."""


@kernel
def rows_of(packed, blocks, queries):
    """The lanes of some queries as rows, padded to whole strips."""
    padded = (queries.shape[0] + STRIP - 1) // STRIP * STRIP
    rows = np.zeros((padded, blocks.shape[1]), blocks.dtype)
    for q in range(queries.shape[0]):
        b = packed.block_of[queries[q]]
        lane = queries[q] - packed.block_start[b]
        for f in range(rows.shape[1]):
            rows[q, f] = blocks[b, f, lane]
    return rows


@kernel
def first_lane(packed, whole, b, i):
    """The first lane of block b that query i visits: a pair of queries is visited by the lower."""
    start, size = packed.block_start[b], packed.block_size[b]
    return max(0, min(i + 1 - start, size)) if whole[b] else 0


@kernel
def lines(first, size):
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
        rows = rows_of(packed, blocks, group)
        for b in range(blocks.shape[0]):
            start, size = packed.block_start[b], packed.block_size[b]
            lanes = (0, 0)
            for q in range(group.shape[0]):
                i = group[q]
                first = first_lane(packed, whole, b, i)
                if first == size:
                    continue
                if q % TILE == 0:
                    lanes = lines(first, size)
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
