"""Triton kernels for a CUDA device: pairs of rows that may be near each other, and all pairs.

Queries and references come in tiles of ``TILE`` rows, feature after feature, so that a tile is one
run of memory.  A program sums one tile of queries against one tile of references in registers and
writes only the pairs whose lower bound lies within the query's limit: no distance matrix exists.
``dense`` gets the bounds themselves, for the few references the first limits come from.

A tile of sums has four axes, the first two of which lie within a thread (8 x 8 sums), so that a
thread loads 16 values for 64 sums.  Per pair and feature a float sum costs two instructions
(subtract; add the absolute value).  Bytes cost one instruction per four features, and matrix
products run on the tensor cores; both are rounded, and exact distances of the few pairs that
remain are measured afterwards.  The numbers of ``KIND`` are those of ``_encoding``.

Distances of all pairs, and sums of their differences, are in double precision, as plain array
operations give them.  Those write an array of all pairs for every feature; here a thread holds
``SIDE`` x ``SIDE`` pairs in registers, and all pairs are written once, or read once for every two
features.  Rows come feature after feature, padded to whole squares.
"""

import torch
import triton
import triton.language as tl
from torch.nn.functional import pad

from echelon.engines.torch._encoding import BYTES, DEPTH, PRODUCTS, SHORT, TILE, UNROLL

WARPS = 8
ACROSS = 16
"""Threads along one side of a tile, or of a square."""

SIDE, SQUARE = 4, 64
"""Where all pairs are wanted: pairs of a thread, and of all threads, along one side."""

CHUNK = 128
"""Squares of references a program goes through."""

REGISTERS = 128
"""Per thread, so that two programs share a processor and hide each other's loads."""


@triton.jit
def _sum_floats(
    x, y, numeric_to, nominal_to, KIND: tl.constexpr, MISSING: tl.constexpr, SIDE: tl.constexpr,
    ACROSS: tl.constexpr, UNROLL: tl.constexpr,
):  # fmt: skip
    """Differences of all features, and the number of features both rows have."""
    TILE: tl.constexpr = SIDE * ACROSS
    total = tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.float32)
    shared = tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.float32)
    for _ in range(0, numeric_to, UNROLL):
        for u in tl.static_range(0, UNROLL, 2 if KIND == 2 else 1):
            a = tl.load(x + u * TILE)
            b = tl.load(y + u * TILE)
            gap = a - b
            if KIND == 0:
                gap = tl.abs(gap)
            elif KIND == 1:
                gap = gap * gap
            else:
                other = tl.load(x + (u + 1) * TILE) - tl.load(y + (u + 1) * TILE)
                gap = tl.sqrt(gap * gap + other * other)
            if MISSING:
                there = gap == gap
                total += tl.where(there, gap, 0.0)
                shared += tl.where(there, 1.0, 0.0)
            else:
                total += gap
        x += UNROLL * TILE
        y += UNROLL * TILE
    for _ in range(numeric_to, nominal_to, UNROLL):
        for u in tl.static_range(UNROLL):
            a = tl.load(x + u * TILE)
            b = tl.load(y + u * TILE)
            total += tl.where((a < b) | (a > b), 1.0, 0.0)  # neither if one is missing
            if MISSING:
                shared += tl.where((a == a) & (b == b), 1.0, 0.0)
        x += UNROLL * TILE
        y += UNROLL * TILE
    return total, shared


@triton.jit
def _whole(numbers, LARGEST: tl.constexpr):
    """Floats rounded down to integers, infinite ones to large ones."""
    return tl.floor(tl.clamp(numbers, -LARGEST, LARGEST)).to(tl.int32)


@triton.jit
def _sum_bytes(x, y, low, words, SIDE: tl.constexpr, ACROSS: tl.constexpr, UNROLL: tl.constexpr):
    """Absolute differences of bytes, four to a word, added to a number of the reference."""
    TILE: tl.constexpr = SIDE * ACROSS
    total = low + tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.int32)
    for _ in range(0, words, UNROLL):
        for u in tl.static_range(UNROLL):
            a = tl.load(x + u * TILE)
            b = tl.load(y + u * TILE)
            a, b = tl.broadcast(a, b)
            total = tl.inline_asm_elementwise(
                "vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;", "=r,r,r,r", [a, b, total],
                dtype=tl.int32, is_pure=True, pack=1,
            )  # fmt: skip
        x += UNROLL * TILE
        y += UNROLL * TILE
    return total


@triton.jit
def _sum_products(x, y, depth, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """Minus twice the inner products, on the tensor cores in three passes of single precision."""
    total = tl.zeros((TILE, TILE), tl.float32)
    features = tl.arange(0, DEPTH)[:, None] * TILE + tl.arange(0, TILE)[None, :]
    for _ in range(0, depth, DEPTH):
        a = tl.load(x + features)
        b = tl.load(y + features)
        total = tl.dot(tl.trans(a), b, total, input_precision="tf32x3")
        x += DEPTH * TILE
        y += DEPTH * TILE
    return -2.0 * total


@triton.jit
def _related(x, y, wanted, ordered_to, RELATION: tl.constexpr, TILE: tl.constexpr):
    """Where the reference is nowhere worse (better, if RELATION is -1) than the query."""
    fails = (~wanted).to(tl.int32)
    for _ in range(ordered_to):
        a = tl.load(x)
        b = tl.load(y)
        if RELATION == 1:
            fails |= (b < a).to(tl.int32)
        else:
            fails |= (b > a).to(tl.int32)
        x += TILE
        y += TILE
    return fails == 0


@triton.jit
def _hand_out(near, t, r, rows, found, counts, capacity, SIDE: tl.constexpr, ACROSS: tl.constexpr):
    """Write the pairs that are near, a pair per thread at a time.

    Nearly every tile has one, few threads have two: bits of the pairs of a thread, and not all
    pairs, are gone through.
    """
    TILE: tl.constexpr = SIDE * ACROSS
    side = tl.arange(0, SIDE)
    bit = (side[:, None] * SIDE + side[None, :])[:, :, None, None].to(tl.int64)
    bits = tl.where(near, tl.full((1, 1, 1, 1), 1, tl.int64) << bit, 0)
    bits = tl.sum(tl.sum(bits, axis=0, keep_dims=True), axis=1, keep_dims=True)
    across = tl.arange(0, ACROSS)
    while tl.max((bits != 0).to(tl.int32), axis=None) > 0:
        left = bits != 0
        # The number of the lowest bit is the exponent of its value, a power of two.
        lowest = (bits & -bits).to(tl.float32).to(tl.int32, bitcast=True)
        first = ((lowest >> 23) & 255) - 127
        query = t * TILE + first // SIDE * ACROSS + across[None, None, :, None]
        row = tl.load(
            rows + r * TILE + first % SIDE * ACROSS + across[None, None, None, :], mask=left
        )
        place = tl.atomic_add(counts + query, 1, mask=left, sem="relaxed")
        tl.store(found + query * capacity + place, row, mask=left & (place < capacity))
        bits = bits & (bits - 1)


@triton.jit(do_not_specialize=["width", "ordered_to", "numeric_to", "nominal_to", "capacity"])
def bounds(
    queries, references, low, query_rows, rows, width, ordered_to, numeric_to, nominal_to,
    n_features, n_padded, limits, found, counts, capacity, dense,
    KIND: tl.constexpr, MISSING: tl.constexpr, RELATION: tl.constexpr, DENSE: tl.constexpr,
    TILE: tl.constexpr, ACROSS: tl.constexpr, UNROLL: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """Lower bounds of the distances of a tile of queries to a tile of references.

    ``found`` (queries x capacity) gets the rows of references whose bound is at most the limit of
    the query, in no order, and ``counts`` their numbers, also beyond the capacity.
    """
    t = tl.program_id(0).to(tl.int64)
    r = tl.program_id(1).to(tl.int64)
    SIDE: tl.constexpr = TILE // ACROSS
    if KIND == 3:
        at = tl.arange(0, TILE)[:, None]
        to = tl.arange(0, TILE)[None, :]
    else:
        lane = tl.arange(0, SIDE)[:, None] * ACROSS + tl.arange(0, ACROSS)[None, :]
        at = lane[:, None, :, None]
        to = lane[None, :, None, :]
    x = queries + t * width * TILE
    y = references + r * width * TILE
    least = tl.load(low + r * TILE + to)
    if KIND == 4 and not DENSE:
        total = _sum_bytes(x + at, y + to, _whole(least, 1e9), width, SIDE, ACROSS, UNROLL)
        near = total <= _whole(tl.load(limits + t * TILE + at), 5e8)
        _hand_out(near, t, r, rows, found, counts, capacity, SIDE, ACROSS)
    else:
        row = tl.load(rows + r * TILE + to)
        wanted = (row >= 0) & (row != tl.load(query_rows + t * TILE + at))
        some = 1
        if RELATION != 0:
            wanted = _related(x + at, y + to, wanted, ordered_to, RELATION, TILE)
            some = tl.max(wanted.to(tl.int32), axis=None)
        bound = tl.where(wanted, float("inf"), float("inf"))
        if some > 0:
            if KIND == 3:
                total = _sum_products(x, y, width, TILE, DEPTH)
            elif KIND == 4:
                total = _sum_bytes(x + at, y + to, 0, width, SIDE, ACROSS, UNROLL).to(tl.float32)
            else:
                total, shared = _sum_floats(
                    x + at, y + to, numeric_to, nominal_to, KIND, MISSING, SIDE, ACROSS, UNROLL
                )
                if MISSING:
                    shared -= n_padded
                    total = tl.where(shared > 0, total * (n_features / shared), float("inf"))
            bound = tl.where(wanted, total + least, float("inf"))
        if DENSE:
            n_lanes = tl.num_programs(1).to(tl.int64) * TILE
            tl.store(dense + (t * TILE + at) * n_lanes + r * TILE + to, bound)
        elif some > 0:
            near = wanted & (bound <= tl.load(limits + t * TILE + at))
            if KIND != 3:
                _hand_out(near, t, r, rows, found, counts, capacity, SIDE, ACROSS)
            elif tl.max(near.to(tl.int32), axis=None) > 0:
                zero = tl.where(near, 0, 0)
                place = tl.atomic_add(counts + (t * TILE + at) + zero, 1, mask=near, sem="relaxed")
                fits = near & (place < capacity)
                tl.store(found + (t * TILE + at) * capacity + place, row + zero, mask=fits)


def launch(n_query_tiles, n_tiles, *arguments, kind, missing, relation, dense):
    """Run ``bounds`` for all pairs of tiles."""
    # Sums over what is there, and products, would spill.
    registers = None if missing or kind == PRODUCTS else REGISTERS
    width = arguments[5]
    unroll = width if kind == BYTES and width <= SHORT else UNROLL
    bounds[n_query_tiles, n_tiles](
        *arguments,
        KIND=kind,
        MISSING=missing,
        RELATION=relation,
        DENSE=dense,
        TILE=TILE,
        ACROSS=ACROSS,
        UNROLL=unroll,
        DEPTH=DEPTH,
        num_warps=WARPS,
        maxnreg=registers,
    )


# ------------------------------------------------------------------------------------ all pairs


@triton.jit
def _places(tile, SIDE: tl.constexpr, ACROSS: tl.constexpr):
    """Rows of a tile: those of a thread along the first axis, the threads along the second."""
    lane = tl.arange(0, SIDE)[:, None] * ACROSS + tl.arange(0, ACROSS)[None, :]
    return tile.to(tl.int64) * (SIDE * ACROSS) + lane


@triton.jit
def _distances(
    x, y, far, n_queries, n_rows, x_step, y_step, numeric_to, n_features,
    SQUARED: tl.constexpr, SIDE: tl.constexpr, ACROSS: tl.constexpr,
):  # fmt: skip
    at = _places(tl.program_id(1), SIDE, ACROSS)[:, None, :, None]
    to = _places(tl.program_id(0), SIDE, ACROSS)[None, :, None, :]
    total = tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.float64)
    for _ in range(numeric_to):
        gap = tl.load(x + at) - tl.load(y + to)
        total += gap * gap if SQUARED else tl.abs(gap)
        x += x_step
        y += y_step
    for _ in range(numeric_to, n_features):
        total += (tl.load(x + at) != tl.load(y + to)).to(tl.float64)
        x += x_step
        y += y_step
    tl.store(far + at * n_rows + to, total, mask=(at < n_queries) & (to < n_rows))


@triton.jit
def _weighted(x, y, weight, LABELS: tl.constexpr):
    """Differences of a tile of pairs in one feature times their weights."""
    a = tl.load(x)
    b = tl.load(y)
    return (a != b).to(tl.float64) * weight if LABELS else tl.abs(a - b) * weight


@triton.jit
def _total(tile):
    return tl.sum(tl.sum(tl.sum(tl.sum(tile, axis=0), axis=0), axis=0), axis=0)


@triton.jit
def _sums(
    x, y, weights, sums, n_queries, n_rows, x_step, y_step, n_features, n_tiles,
    LABELS: tl.constexpr, SIDE: tl.constexpr, ACROSS: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    at = _places(tl.program_id(1), SIDE, ACROSS)[:, None, :, None]
    f = tl.program_id(0) * 2
    g = tl.minimum(f + 1, n_features - 1)  # beyond the last feature nobody reads the sum
    own = x + f.to(tl.int64) * x_step + at
    own_next = x + g.to(tl.int64) * x_step + at
    others = y + f.to(tl.int64) * y_step
    others_next = y + g.to(tl.int64) * y_step
    total = tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.float64)
    total_next = tl.zeros((SIDE, SIDE, ACROSS, ACROSS), tl.float64)
    first = tl.program_id(2) * CHUNK
    for tile in range(first, tl.minimum(first + CHUNK, n_tiles)):
        to = _places(tile, SIDE, ACROSS)[None, :, None, :]
        inside = (at < n_queries) & (to < n_rows)
        weight = tl.load(weights + at * n_rows + to, mask=inside, other=0.0)
        total += _weighted(own, others + to, weight, LABELS)
        total_next += _weighted(own_next, others_next + to, weight, LABELS)
    part = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    place = sums + part.to(tl.int64) * tl.num_programs(0) * 2 + f
    tl.store(place, _total(total))
    tl.store(place + 1, _total(total_next))


def by_feature(rows: torch.Tensor) -> torch.Tensor:
    """Rows as the kernels take them: in double precision, feature after feature, whole squares."""
    return pad(rows.double().T, (0, -len(rows) % SQUARE)).contiguous()


def distances(
    x: torch.Tensor, y: torch.Tensor, n_queries: int, n_rows: int, n_numeric: int, *, squared: bool
) -> torch.Tensor:
    """Sums over the features, of shape (n_queries, n_rows)."""
    far = x.new_empty((n_queries, n_rows))
    _distances[y.shape[1] // SQUARE, x.shape[1] // SQUARE](
        x, y, far, n_queries, n_rows, x.shape[1], y.shape[1], n_numeric, len(x),
        SQUARED=squared, SIDE=SIDE, ACROSS=ACROSS, num_warps=WARPS,
    )  # fmt: skip
    return far


def weighted_gaps(
    x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor, n_numeric: int
) -> torch.Tensor:
    """Differences times the weights of pairs (queries, rows), added up for every feature."""
    parts = (x[:n_numeric], y[:n_numeric], False), (x[n_numeric:], y[n_numeric:], True)
    return torch.cat([_added(*part[:2], weights, labels=part[2]) for part in parts if len(part[0])])


def _added(
    x: torch.Tensor, y: torch.Tensor, weights: torch.Tensor, *, labels: bool
) -> torch.Tensor:
    n_tiles, n_query_tiles = y.shape[1] // SQUARE, x.shape[1] // SQUARE
    grid = -(-len(x) // 2), n_query_tiles, -(-n_tiles // CHUNK)
    sums = x.new_empty((grid[1] * grid[2], 2 * grid[0]))
    _sums[grid](
        x, y, weights, sums, *weights.shape, x.shape[1], y.shape[1], len(x), n_tiles,
        LABELS=labels, SIDE=SIDE, ACROSS=ACROSS, CHUNK=CHUNK, num_warps=WARPS,
    )  # fmt: skip
    return sums.sum(0)[: len(x)]  # in a fixed order, so that results repeat
