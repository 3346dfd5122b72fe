"""Sums over the features of all pairs of some queries and references, by plain array operations.

What ``_gpu`` computes tile by tile, for devices without Triton.  The constants are shared by
both.
"""

from __future__ import annotations

from typing import Any

import torch

TILE, UNROLL, DEPTH = 128, 4, 32
"""Rows per tile; features per turn of the loops over sums and over products."""

SHORT = 8
"""Words of bytes up to which a loop over all of them is unrolled."""

MANHATTAN, SQUARED, PAIRED, PRODUCTS, BYTES = range(5)
"""What is summed: |a - b|, (a - b)^2, norms of pairs, -2 ab, |a - b| of four bytes at a time."""


def all_sums(encoding: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sums of encoded rows a (queries) and b (references), of shape (queries, references)."""
    if encoding.kind == PRODUCTS:
        return -2 * (a @ b.T)
    if encoding.kind == BYTES:
        a, b = (
            rows.clone(memory_format=torch.contiguous_format).view(torch.uint8).float()
            for rows in (a, b)
        )
        return torch.cdist(a, b, p=1)
    if encoding.kind == MANHATTAN and not encoding.missing and encoding.sections[1] == a.shape[1]:
        return torch.cdist(a, b, p=1)
    return _by_feature(encoding, a, b)


def _by_feature(encoding: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    numeric_to, nominal_to = encoding.sections[1:]
    total = a.new_zeros((len(a), len(b)))
    shared = torch.zeros_like(total)
    for f in range(0, nominal_to, 2 if encoding.kind == PAIRED else 1):
        gap = (a[:, f, None] - b[None, :, f]).abs_()
        there = gap == gap
        if f >= numeric_to:
            gap = (gap > 0).float()
        elif encoding.kind == SQUARED:
            gap = gap.square_()
        elif encoding.kind == PAIRED:
            gap = torch.hypot(gap, a[:, f + 1, None] - b[None, :, f + 1])
        total += gap.nan_to_num_(nan=0.0) if encoding.missing else gap
        shared += there
    if not encoding.missing:
        return total
    shared -= encoding.n_padded
    return torch.where(shared > 0, total * (encoding.n_features / shared), torch.inf)


def unrelated(a: torch.Tensor, b: torch.Tensor, n_ordered: int, relation: int) -> torch.Tensor:
    """Where a reference is worse (better, if relation is -1) than the query in some feature."""
    fails = torch.zeros((len(a), len(b)), dtype=torch.bool, device=a.device)
    for f in range(n_ordered):
        x, y = a[:, f, None], b[None, :, f]
        fails |= (y < x) if relation == 1 else (y > x)
    return fails
