"""Rows as a device sums them: 32-bit numbers, and how far a sum may lie above the distance.

A pair is looked at more closely if its lower bound

    total(a, b) + low(b)  <=  scale * limit * (1 + relative) + slack - low(a)

lies within the limit.  Each encoding errs on the safe side: too wide costs time, too narrow would
cost exactness.  ``all_sums`` gives the totals by plain array operations, for devices without
Triton; ``_gpu`` has the same tile by tile.
"""

from __future__ import annotations

import torch

from echelon.engines._base import Samples

TILE, UNROLL, DEPTH = 128, 4, 32
"""Rows per tile; features per turn of the loops over sums and over products."""

SHORT = 8
"""Words of bytes up to which a loop over all of them is unrolled."""

MANHATTAN, SQUARED, PAIRED, PRODUCTS, BYTES = range(5)
"""What is summed: |a - b|, (a - b)^2, norms of pairs, -2 ab, |a - b| of four bytes at a time."""

_ROUNDING = 2.0**-24
"""Relative error of one float32 operation."""


def _padded(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple


class Floats:
    """Single precision, NaN if missing; ordered, other numeric and nominal columns padded."""

    dtype = torch.float32
    scale = 1.0

    def __init__(self, samples: Samples, metric: str) -> None:
        p = samples.values.shape[1]
        self.kind = {"manhattan": MANHATTAN, "euclidean": SQUARED, "paired": PAIRED}[metric]
        self.sizes = (
            samples.n_ordered,
            samples.n_numeric - samples.n_ordered,
            p - samples.n_numeric,
        )
        ordered, other, nominal = (_padded(size, UNROLL) for size in self.sizes)
        self.sections = ordered, ordered + other, ordered + other + nominal
        self.width = self.sections[2]
        self.missing = samples.missing
        per_feature = 2 if self.kind == PAIRED else 1
        self.n_features = p / per_feature
        self.n_padded = (self.width - p) / per_feature
        self.relative = (self.width + 16) * _ROUNDING
        self.slack = 4 * p * _ROUNDING if samples.values.dtype == "float64" else 0.0

    def encode(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Encoded rows, and the part of the lower bound that is theirs."""
        encoded = rows.new_zeros((len(rows), self.width), dtype=self.dtype)
        sections = (0, *self.sections[:2])
        parts = torch.split(rows, list(self.sizes), dim=1)
        for first, part in zip(sections, parts, strict=True):
            encoded[:, first : first + part.shape[1]] = part
        return encoded, encoded.new_zeros(len(rows))


class Products:
    """Squared Euclidean over complete numbers: centred, so that products stay small."""

    dtype = torch.float32
    kind = PRODUCTS
    missing = False
    scale, relative = 1.0, 0.0
    n_features = n_padded = 0.0

    def __init__(self, samples: Samples, center: torch.Tensor) -> None:
        p = samples.values.shape[1]
        self.center = center
        self.width = _padded(p, DEPTH)
        self.sections = samples.n_ordered, self.width, self.width
        # Inputs, the passes of the tensor cores and their sums, and the norms.
        self.error = 4 * (p + 32) * _ROUNDING
        self.slack = 8 * p * _ROUNDING

    def encode(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Centred rows, and their squared norms less the error."""
        encoded = rows.new_zeros((len(rows), self.width), dtype=self.dtype)
        encoded[:, : rows.shape[1]] = rows.double() - self.center
        norm = encoded.double().square().sum(1)
        return encoded, (norm * (1 - self.error)).float()


class Bytes:
    """Manhattan over complete numbers in [0, 1] or [-1, 0]: whole 255ths, four to a word."""

    dtype = torch.int32
    kind = BYTES
    missing = False
    scale, relative = 255.0, 2.0**-20
    n_features = n_padded = 0.0

    def __init__(self, samples: Samples, lowest: torch.Tensor) -> None:
        p = samples.values.shape[1]
        self.shift = (lowest < 0).double()  # columns turned round
        words = -(-p // 4)
        self.width = words if words <= SHORT else _padded(words, UNROLL)
        self.sections = 0, self.width, self.width
        self.slack = 2.0 + p * 2.0**-16

    def encode(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Rounded rows, and minus what rounding moved them."""
        exact = (rows.double() + self.shift) * 255
        whole = exact.round()
        residue = (exact - whole).abs().sum(1)
        encoded = rows.new_zeros((len(rows), 4 * self.width), dtype=torch.uint8)
        encoded[:, : rows.shape[1]] = whole.to(torch.uint8)
        return encoded.view(torch.int32), -residue.float()


Encoding = Floats | Products | Bytes


def all_sums(encoding: Encoding, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
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


def _by_feature(encoding: Encoding, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
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
