"""Sums over features for a tile of four query rows against a block of reference rows.

These loops are where Relief-type methods spend their time.  The SIMD lanes run over
*reference rows*, which lie feature by feature in memory, and four features are taken at
a time so that each partial sum is loaded and stored once for sixteen terms.

Manhattan distances use whole numbers.  With values rounded to whole steps, LEVELS to the unit,

    sum |a - b| = 2 sum max(a, b) - sum a - sum b,

which needs one maximum and one addition per term, in 16 bits: twice as many lanes as
float32 and fewer operations than the absolute difference.  Euclidean distances use
|a - b|^2 = |a|^2 + |b|^2 - 2 a.b in float32; norms of pairs of differences, for intervals, are
taken as they are.  Either way a distance is twice a *tile sum* plus
an offset of each row, up to rounding that ``_engine`` accounts for.
"""

import numpy as np

from echelon.kernels import kernel
from echelon.kernels.pairs import ABOVE

TILE = 4
"""Query rows per tile."""

CHUNK = 64
"""Features summed before a 16-bit sum is moved to 32 bits: 64 * LEVELS < 2**16."""

LEVELS = 1022
"""Steps of the whole-number values; even, since a nominal mismatch adds half of it."""


@kernel
def add_maxima(rows, block, first, last, lanes, sums):
    """Add ``max(row, reference)`` over features first to last (a multiple of four), some lanes."""
    start, end = lanes
    for f in range(first, last, 4):
        b0, b1 = block[f, start:end], block[f + 1, start:end]
        b2, b3 = block[f + 2, start:end], block[f + 3, start:end]
        a0, a1, a2, a3 = rows[0, f], rows[0, f + 1], rows[0, f + 2], rows[0, f + 3]
        c0, c1, c2, c3 = rows[1, f], rows[1, f + 1], rows[1, f + 2], rows[1, f + 3]
        d0, d1, d2, d3 = rows[2, f], rows[2, f + 1], rows[2, f + 2], rows[2, f + 3]
        e0, e1, e2, e3 = rows[3, f], rows[3, f + 1], rows[3, f + 2], rows[3, f + 3]
        for j in range(b0.shape[0]):
            v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
            sums[0, j] += max(a0, v0) + max(a1, v1) + max(a2, v2) + max(a3, v3)
            sums[1, j] += max(c0, v0) + max(c1, v1) + max(c2, v2) + max(c3, v3)
            sums[2, j] += max(d0, v0) + max(d1, v1) + max(d2, v2) + max(d3, v3)
            sums[3, j] += max(e0, v0) + max(e1, v1) + max(e2, v2) + max(e3, v3)


@kernel
def subtract_products(rows, block, first, last, sums):
    """Subtract ``row * reference`` over features first to last (a multiple of four)."""
    for f in range(first, last, 4):
        b0, b1, b2, b3 = block[f], block[f + 1], block[f + 2], block[f + 3]
        a0, a1, a2, a3 = rows[0, f], rows[0, f + 1], rows[0, f + 2], rows[0, f + 3]
        c0, c1, c2, c3 = rows[1, f], rows[1, f + 1], rows[1, f + 2], rows[1, f + 3]
        d0, d1, d2, d3 = rows[2, f], rows[2, f + 1], rows[2, f + 2], rows[2, f + 3]
        e0, e1, e2, e3 = rows[3, f], rows[3, f + 1], rows[3, f + 2], rows[3, f + 3]
        for j in range(block.shape[1]):
            v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
            sums[0, j] -= a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3
            sums[1, j] -= c0 * v0 + c1 * v1 + c2 * v2 + c3 * v3
            sums[2, j] -= d0 * v0 + d1 * v1 + d2 * v2 + d3 * v3
            sums[3, j] -= e0 * v0 + e1 * v1 + e2 * v2 + e3 * v3


@kernel
def add_gaps(rows, block, first, last, lanes, sums):
    """Add ``|row - reference|`` over features first to last (a multiple of four), in some lanes."""
    start, end = lanes
    for f in range(first, last, 4):
        b0, b1 = block[f, start:end], block[f + 1, start:end]
        b2, b3 = block[f + 2, start:end], block[f + 3, start:end]
        a0, a1, a2, a3 = rows[0, f], rows[0, f + 1], rows[0, f + 2], rows[0, f + 3]
        c0, c1, c2, c3 = rows[1, f], rows[1, f + 1], rows[1, f + 2], rows[1, f + 3]
        d0, d1, d2, d3 = rows[2, f], rows[2, f + 1], rows[2, f + 2], rows[2, f + 3]
        e0, e1, e2, e3 = rows[3, f], rows[3, f + 1], rows[3, f + 2], rows[3, f + 3]
        for j in range(b0.shape[0]):
            v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
            sums[0, j] += abs(a0 - v0) + abs(a1 - v1) + abs(a2 - v2) + abs(a3 - v3)
            sums[1, j] += abs(c0 - v0) + abs(c1 - v1) + abs(c2 - v2) + abs(c3 - v3)
            sums[2, j] += abs(d0 - v0) + abs(d1 - v1) + abs(d2 - v2) + abs(d3 - v3)
            sums[3, j] += abs(e0 - v0) + abs(e1 - v1) + abs(e2 - v2) + abs(e3 - v3)


@kernel
def add_squares(rows, block, first, last, lanes, sums):
    """Add ``(row - reference)^2`` over features first to last (a multiple of four), as above."""
    start, end = lanes
    for f in range(first, last, 4):
        b0, b1 = block[f, start:end], block[f + 1, start:end]
        b2, b3 = block[f + 2, start:end], block[f + 3, start:end]
        a0, a1, a2, a3 = rows[0, f], rows[0, f + 1], rows[0, f + 2], rows[0, f + 3]
        c0, c1, c2, c3 = rows[1, f], rows[1, f + 1], rows[1, f + 2], rows[1, f + 3]
        d0, d1, d2, d3 = rows[2, f], rows[2, f + 1], rows[2, f + 2], rows[2, f + 3]
        e0, e1, e2, e3 = rows[3, f], rows[3, f + 1], rows[3, f + 2], rows[3, f + 3]
        for j in range(b0.shape[0]):
            v0, v1, v2, v3 = b0[j], b1[j], b2[j], b3[j]
            sums[0, j] += (a0 - v0) ** 2 + (a1 - v1) ** 2 + (a2 - v2) ** 2 + (a3 - v3) ** 2
            sums[1, j] += (c0 - v0) ** 2 + (c1 - v1) ** 2 + (c2 - v2) ** 2 + (c3 - v3) ** 2
            sums[2, j] += (d0 - v0) ** 2 + (d1 - v1) ** 2 + (d2 - v2) ** 2 + (d3 - v3) ** 2
            sums[3, j] += (e0 - v0) ** 2 + (e1 - v1) ** 2 + (e2 - v2) ** 2 + (e3 - v3) ** 2


@kernel
def add_mismatches(rows, block, first, last, lanes, unit, sums):
    """Add ``unit`` for every nominal feature in which row and reference (some lanes) differ."""
    start, end = lanes
    for f in range(first, last):
        values = block[f, start:end]
        a, b, c, d = rows[0, f], rows[1, f], rows[2, f], rows[3, f]
        for j in range(values.shape[0]):
            v = values[j]
            sums[0, j] += unit * (a != v)
            sums[1, j] += unit * (b != v)
            sums[2, j] += unit * (c != v)
            sums[3, j] += unit * (d != v)


@kernel
def add_known_mismatches(rows, block, first, last, unit, sums):
    """Add ``unit`` for every feature known in both that differs; 0 is unknown."""
    for f in range(first, last):
        values = block[f]
        a, b, c, d = rows[0, f], rows[1, f], rows[2, f], rows[3, f]
        unit_a, unit_b, unit_c, unit_d = (
            unit * (a > 0),
            unit * (b > 0),
            unit * (c > 0),
            unit * (d > 0),
        )
        for j in range(block.shape[1]):
            v = values[j]
            sums[0, j] += unit_a * ((a != v) & (v > 0))
            sums[1, j] += unit_b * ((b != v) & (v > 0))
            sums[2, j] += unit_c * ((c != v) & (v > 0))
            sums[3, j] += unit_d * ((d != v) & (v > 0))


@kernel
def add_partial(rows, block, f, nominal, squared, sums, shared):
    """Add the difference in feature f where both rows have it, and count where they do."""
    lanes = block[f]
    for q in range(TILE):
        value = rows[q, f]
        for j in range(block.shape[1]):
            gap = abs(value - lanes[j])
            there = gap == gap
            if nominal:
                gap = np.float32(gap > 0)
            sums[q, j] += (gap * gap if squared else gap) if there else np.float32(0)
            shared[q, j] += there


@kernel
def add_norms(rows, block, first, last, sums):
    """Add the norm of the differences in columns f and f + 1, for every second f."""
    for f in range(first, last, 2):
        b0, b1 = block[f], block[f + 1]
        for q in range(TILE):
            a0, a1 = rows[q, f], rows[q, f + 1]
            row = sums[q]
            for j in range(block.shape[1]):
                x, y = a0 - b0[j], a1 - b1[j]
                row[j] += np.sqrt(x * x + y * y)


@kernel
def add_partial_norms(rows, block, first, last, sums, shared):
    """Add norms of the columns both rows have; each norm counts twice, once per column."""
    for f in range(first, last, 2):
        b0, b1 = block[f], block[f + 1]
        for q in range(TILE):
            a0, a1 = rows[q, f], rows[q, f + 1]
            row, counts = sums[q], shared[q]
            for j in range(block.shape[1]):
                x, y = a0 - b0[j], a1 - b1[j]
                norm = np.sqrt(x * x + y * y)
                there = norm == norm
                row[j] += norm if there else np.float32(0)
                counts[j] += 2 * there


@kernel
def mark_related(row, block, n_ordered, relation, alive):
    """Mark the lanes that may be related to the row, and tell whether any is.

    Rounding keeps the order of values, so a lane that fails here fails exactly; a missing
    value (NaN) never fails.
    """
    alive[:] = 1
    for first in range(0, n_ordered, 8):
        for f in range(first, min(first + 8, n_ordered)):
            value = row[f]
            lanes = block[f]
            if relation == ABOVE:
                for j in range(alive.shape[0]):
                    alive[j] &= not lanes[j] < value
            else:
                for j in range(alive.shape[0]):
                    alive[j] &= not lanes[j] > value
        some = 0
        for j in range(alive.shape[0]):
            some |= alive[j]
        if some == 0:
            return False
    return True
