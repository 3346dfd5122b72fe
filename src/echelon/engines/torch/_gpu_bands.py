"""Distances of all pairs, and sums of their differences, on a CUDA device: Triton kernels.

In double precision, as plain array operations give them.  Those write an array of all pairs for
every feature; here a thread holds ``SIDE`` x ``SIDE`` pairs in registers, and all pairs are
written once, or read once for every two features.  Rows come feature after feature,
padded to whole tiles.
"""

import torch
import triton
import triton.language as tl
from torch.nn.functional import pad

SIDE, ACROSS = 4, 16
"""Pairs of a thread, and threads, along one side of a tile."""

TILE, WARPS = SIDE * ACROSS, ACROSS * ACROSS // 32

CHUNK = 128
"""Tiles of references a program goes through."""


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
    """Rows as the kernels take them: in double precision, feature after feature, whole tiles."""
    return pad(rows.double().T, (0, -len(rows) % TILE)).contiguous()


def distances(
    x: torch.Tensor, y: torch.Tensor, n_queries: int, n_rows: int, n_numeric: int, *, squared: bool
) -> torch.Tensor:
    """Sums over the features, of shape (n_queries, n_rows)."""
    far = x.new_empty((n_queries, n_rows))
    _distances[y.shape[1] // TILE, x.shape[1] // TILE](
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
    n_tiles, n_query_tiles = y.shape[1] // TILE, x.shape[1] // TILE
    grid = -(-len(x) // 2), n_query_tiles, -(-n_tiles // CHUNK)
    sums = x.new_empty((grid[1] * grid[2], 2 * grid[0]))
    _sums[grid](
        x, y, weights, sums, *weights.shape, x.shape[1], y.shape[1], len(x), n_tiles,
        LABELS=labels, SIDE=SIDE, ACROSS=ACROSS, CHUNK=CHUNK, num_warps=WARPS,
    )  # fmt: skip
    return sums.sum(0)[: len(x)]  # in a fixed order, so that results repeat
