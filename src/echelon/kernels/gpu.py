"""Pairs of rows that may be near each other, on a CUDA device: Triton kernels.

Targets and references come in tiles of ``TARGETS`` and ``LANES`` rows, feature after feature, so
that a tile is one run of memory.  A program sums one tile of targets against one tile of
references in registers and writes only the pairs whose lower bound lies within the target's limit:
no distance matrix exists.  ``dense`` writes the bounds themselves, for the few references the first
limits come from.

Per pair and feature a float sum costs two instructions (subtract; add the absolute value).  Bytes
cost one instruction per four features, and matrix products run on the tensor cores; both are
rounded, and exact distances of the few pairs that remain are measured afterwards.  The numbers of
``KIND`` are those of ``kernels.sums``.
"""

import triton
import triton.language as tl

from echelon.kernels.sums import DEPTH, LANES, TARGETS, UNROLL

WARPS = 4

@triton.jit
def _sum_floats(
    x, y, numeric_to, nominal_to, KIND: tl.constexpr, MISSING: tl.constexpr,
    TARGETS: tl.constexpr, LANES: tl.constexpr, UNROLL: tl.constexpr,
):  # fmt: skip
    """Differences of all features, and the number of features both rows have."""
    total = tl.zeros((TARGETS, LANES), tl.float32)
    shared = tl.zeros((TARGETS, LANES), tl.float32)
    for _ in range(0, numeric_to, UNROLL):
        for u in tl.static_range(0, UNROLL, 2 if KIND == 2 else 1):
            a = tl.load(x + u * TARGETS)
            b = tl.load(y + u * LANES)
            gap = a[:, None] - b[None, :]
            if KIND == 0:
                gap = tl.abs(gap)
            elif KIND == 1:
                gap = gap * gap
            else:
                a = tl.load(x + (u + 1) * TARGETS)
                b = tl.load(y + (u + 1) * LANES)
                other = a[:, None] - b[None, :]
                gap = tl.sqrt(gap * gap + other * other)
            if MISSING:
                there = gap == gap
                total += tl.where(there, gap, 0.0)
                shared += tl.where(there, 1.0, 0.0)
            else:
                total += gap
        x += UNROLL * TARGETS
        y += UNROLL * LANES
    for _ in range(numeric_to, nominal_to, UNROLL):
        for u in tl.static_range(UNROLL):
            a = tl.load(x + u * TARGETS)[:, None]
            b = tl.load(y + u * LANES)[None, :]
            total += tl.where((a < b) | (a > b), 1.0, 0.0)  # neither if one is missing
            if MISSING:
                shared += tl.where((a == a) & (b == b), 1.0, 0.0)
        x += UNROLL * TARGETS
        y += UNROLL * LANES
    return total, shared


@triton.jit
def _sum_products(
    x, y, depth, TARGETS: tl.constexpr, LANES: tl.constexpr, DEPTH: tl.constexpr
):  # fmt: skip
    """Minus twice the inner products, on the tensor cores in three passes of single precision."""
    total = tl.zeros((TARGETS, LANES), tl.float32)
    features = tl.arange(0, DEPTH)[:, None]
    for _ in range(0, depth, DEPTH):
        a = tl.load(x + features * TARGETS)
        b = tl.load(y + features * LANES)
        total = tl.dot(tl.trans(a), b, total, input_precision="tf32x3")
        x += DEPTH * TARGETS
        y += DEPTH * LANES
    return -2.0 * total


@triton.jit
def _sum_bytes(
    x, y, words, TARGETS: tl.constexpr, LANES: tl.constexpr, UNROLL: tl.constexpr
):  # fmt: skip
    """Absolute differences of bytes, four to a word."""
    total = tl.zeros((TARGETS, LANES), tl.int32)
    for _ in range(0, words, UNROLL):
        for u in tl.static_range(UNROLL):
            a = tl.load(x + u * TARGETS)[:, None] + tl.zeros((TARGETS, LANES), tl.int32)
            b = tl.load(y + u * LANES)[None, :] + tl.zeros((TARGETS, LANES), tl.int32)
            total = tl.inline_asm_elementwise(
                "vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;", "=r,r,r,r", [a, b, total],
                dtype=tl.int32, is_pure=True, pack=1,
            )  # fmt: skip
        x += UNROLL * TARGETS
        y += UNROLL * LANES
    return total.to(tl.float32)


@triton.jit
def _unrelated(
    x, y, ordered_to, RELATION: tl.constexpr, TARGETS: tl.constexpr, LANES: tl.constexpr
):  # fmt: skip
    """Where the reference is worse (better, if it should be) than the target in some feature."""
    fails = tl.zeros((TARGETS, LANES), tl.int32)
    for _ in range(0, ordered_to):
        a = tl.load(x)[:, None]
        b = tl.load(y)[None, :]
        if RELATION == 1:
            fails |= (b < a).to(tl.int32)
        else:
            fails |= (b > a).to(tl.int32)
        x += TARGETS
        y += LANES
    return fails


@triton.jit
def bounds(
    targets, references, low, target_rows, rows, width, ordered_to, numeric_to, nominal_to,
    n_features, n_padded,
    limits, owners, found, count, capacity, dense, stride,
    KIND: tl.constexpr, MISSING: tl.constexpr, RELATION: tl.constexpr, DENSE: tl.constexpr,
    TARGETS: tl.constexpr, LANES: tl.constexpr, UNROLL: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """Lower bounds of the distances of a tile of targets to a tile of references.

    ``found`` gets the rows of references whose bound is at most the limit of the target, and
    ``owners`` the positions of these targets, in no order; ``count`` their number, also beyond
    ``capacity``.
    """
    t = tl.program_id(0).to(tl.int64)
    r = tl.program_id(1).to(tl.int64)
    lanes_t = tl.arange(0, TARGETS)
    lanes_r = tl.arange(0, LANES)
    x = targets + t * width * TARGETS
    y = references + r * width * LANES
    a_row = tl.load(target_rows + t * TARGETS + lanes_t)[:, None]
    b_row = tl.load(rows + r * LANES + lanes_r)[None, :]
    wanted = (b_row >= 0) & (b_row != a_row)
    some = 1
    if RELATION != 0:
        fails = _unrelated(x + lanes_t, y + lanes_r, ordered_to, RELATION, TARGETS, LANES)
        wanted = wanted & (fails == 0)
        some = tl.max(tl.max(wanted.to(tl.int32), 1), 0)
    bound = tl.full((TARGETS, LANES), float("inf"), tl.float32)
    if some > 0:
        if KIND == 3:
            total = _sum_products(x + lanes_t[None, :], y + lanes_r[None, :], width,
                                  TARGETS, LANES, DEPTH)  # fmt: skip
        elif KIND == 4:
            total = _sum_bytes(x + lanes_t, y + lanes_r, width, TARGETS, LANES, UNROLL)
        else:
            total, shared = _sum_floats(x + lanes_t, y + lanes_r, numeric_to, nominal_to,
                                        KIND, MISSING, TARGETS, LANES, UNROLL)  # fmt: skip
            if MISSING:
                shared -= n_padded
                total = tl.where(shared > 0, total * (n_features / shared), float("inf"))
        offset = tl.load(low + r * LANES + lanes_r)[None, :]
        bound = tl.where(wanted, total + offset, float("inf"))
    if DENSE:
        to = dense + (t * TARGETS + lanes_t)[:, None] * stride + r * LANES + lanes_r[None, :]
        tl.store(to, bound)
    elif some > 0:
        limit = tl.load(limits + t * TARGETS + lanes_t)[:, None]
        near = wanted & (bound <= limit)
        if tl.max(tl.max(near.to(tl.int32), 1), 0) > 0:
            zeros = tl.zeros((TARGETS, LANES), tl.int32)
            at = tl.atomic_add(count + zeros, 1, mask=near, sem="relaxed")
            fits = near & (at < capacity)
            tl.store(owners + at, zeros + (t * TARGETS + lanes_t).to(tl.int32)[:, None], mask=fits)
            tl.store(found + at, zeros + b_row, mask=fits)


def launch(grid, *arguments, kind, missing, relation, dense):
    """Run ``bounds`` over a grid of (tiles of targets, tiles of references)."""
    bounds[grid](
        *arguments,
        KIND=kind,
        MISSING=missing,
        RELATION=relation,
        DENSE=dense,
        TARGETS=TARGETS,
        LANES=LANES,
        UNROLL=UNROLL,
        DEPTH=DEPTH,
        num_warps=WARPS,
    )
