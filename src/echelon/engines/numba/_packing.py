"""Samples laid out for the search kernel: rounded values, blocks of lanes, error bounds.

The three encodings differ in what is summed per pair (see ``_tiles``) and in how far the
sum may lie from the distance.  Each bound below is a worst case with room to spare: too wide
costs time, too narrow on either side would cost exactness.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from echelon.engines._search import Samples
from echelon.engines.numba._nearest import FAR
from echelon.engines.numba._tiles import CHUNK, LEVELS

MAX_STEPS = 2**27
"""Largest distance in steps; intermediate sums reach four times as much, below 2**30."""

_ROUNDING = 2.0**-24
"""Relative error of one float32 operation."""

_LANES = (256, 128, 64, 32, 16)
"""Reference rows per block: long runs are faster, small classes waste less in short ones."""


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


def pack(samples: Samples, *, squared: bool, paired: bool = False) -> Packed:
    """Lay out samples (rows sorted by class) for Manhattan, squared Euclidean or paired search."""
    plain = _Products if squared else _Maxima
    encoding = _Partial if samples.missing or paired else plain
    encoder = encoding(samples)
    starts, sizes, n_lanes = _block_bounds(samples.classes)
    m, p = samples.values.shape
    nominal_from = -(-samples.n_numeric // 4) * 4
    width = nominal_from + -(-(p - samples.n_numeric) // 4) * 4
    blocks = np.zeros((len(starts), width, n_lanes), encoder.dtype)
    low, high = np.empty(m, np.int32), np.empty(m, np.int32)
    unseen = 0.5 * encoder.steps * _n_wide(samples, encoder.n_codes)
    for block, start, size in zip(blocks, starts, sizes, strict=True):
        rows = slice(start, start + size)
        numeric, nominal = np.hsplit(samples.values[rows], [samples.n_numeric])
        rounded, offset, slack = encoder.encode(numeric)
        block[: numeric.shape[1], :size] = rounded.T
        codes = nominal % encoder.n_codes
        block[nominal_from : nominal_from + nominal.shape[1], :size] = codes.T
        low[rows], high[rows] = np.floor(offset - slack), np.ceil(offset + slack + unseen)
    return Packed(
        values=samples.values,
        classes=samples.classes,
        n_ordered=samples.n_ordered,
        n_numeric=samples.n_numeric,
        squared=squared,
        paired=paired,
        missing=samples.missing,
        blocks=blocks,
        nominal_from=nominal_from,
        mismatch=encoder.mismatch,
        steps=float(encoder.steps),
        low=low,
        high=high,
        block_of=np.repeat(np.arange(len(starts)), sizes),
        class_block=np.searchsorted(samples.classes[starts], np.arange(samples.classes[-1] + 2)),
        block_start=starts,
        block_size=sizes,
    )


def exact_lanes(packed: Packed) -> np.ndarray:
    """The values themselves in the places of the rounded ones."""
    blocks = np.zeros(packed.blocks.shape, packed.values.dtype)
    for block, start, size in zip(blocks, packed.block_start, packed.block_size, strict=True):
        numeric, nominal = np.hsplit(packed.values[start : start + size], [packed.n_numeric])
        block[: numeric.shape[1], :size] = numeric.T
        block[packed.nominal_from : packed.nominal_from + nominal.shape[1], :size] = nominal.T
    return blocks


class Steps(NamedTuple):
    """What tile sums say of distances, and which of them settle a band.

    In ``unit`` steps to the unit, the distance of rows i and j lies between
    ``2 * tile sum + low[i] + low[j]`` and ``2 * tile sum + high[i] + high[j]``.
    """

    unit: float
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def rough(cls, packed: Packed) -> Steps:
        """Those of rounded values."""
        return cls(packed.steps, packed.low, packed.high)

    @classmethod
    def fine(cls, packed: Packed) -> Steps:
        """Those of exact values, the largest of which is p; up to ``CHUNK`` were added as they are.

        A tile sum takes 16 bits.
        """
        largest = 2.0**17 - 4
        error = int(largest * (CHUNK + 8) * np.finfo(packed.values.dtype).eps / 4) + 1
        low, high = np.full((2, len(packed.values)), [[-error], [error + 1]], np.int32)
        return cls(largest / packed.values.shape[1], low, high)

    @property
    def half(self) -> float:
        """The tile sum of a distance of 1."""
        return 0.5 * self.unit

    def bounds(self, limits: np.ndarray, tolerance: float) -> np.ndarray:
        """Whole steps that settle a band, of shape (4, n_samples).

        A distance of at most the first, in steps, is nearer than the limit, one of at least the
        second is not; one of at most the third is not farther, one of at least the fourth is.
        """
        near, far = limits[0] * self.unit / tolerance, limits[1] * self.unit * tolerance
        bounds = [np.floor(near) - 1, np.ceil(near) + 1, np.floor(far) - 1, np.ceil(far) + 1]
        return np.clip(bounds, -FAR, 2**31 - 1).astype(np.int32)


def _block_bounds(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Starts and sizes of blocks that hold one class each, and their number of lanes."""
    border = np.flatnonzero(np.diff(classes, prepend=-1, append=-1))
    for n_lanes in _LANES:
        padded = (-(-np.diff(border) // n_lanes) * n_lanes).sum()
        if padded <= 1.25 * len(classes):
            break
    starts = np.concatenate([np.arange(a, b, n_lanes) for a, b in pairwise(border)])
    return starts, np.diff(np.append(starts, len(classes))), n_lanes


def _n_wide(samples: Samples, n_codes: int) -> int:
    """Nominal columns with more categories than codes: some of their mismatches go unseen."""
    largest = np.fmax.reduce(samples.values[:, samples.n_numeric :], axis=0)
    return int((largest >= n_codes).sum())


class _Maxima:
    """Manhattan: whole numbers up to ``steps``; a row is off by its rounding residue."""

    dtype = np.uint16
    n_codes = 2**16

    def __init__(self, samples: Samples) -> None:
        self.steps = min(LEVELS, MAX_STEPS // samples.values.shape[1]) // 2 * 2
        self.mismatch = np.uint16(self.steps // 2)
        lowest = np.fmin.reduce(samples.values[:, : samples.n_numeric], axis=0)
        self.shift = np.where(lowest < 0, self.steps, 0).astype(samples.values.dtype)

    def encode(self, numeric: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        exact = numeric * numeric.dtype.type(self.steps)
        rounded = np.rint(exact)
        exact -= rounded
        rounded += self.shift  # columns turned round lie in [-1, 0]
        total = rounded.sum(axis=1, dtype=np.float64)
        residue = np.abs(exact, out=exact).sum(axis=1, dtype=np.float64)
        # Room for float32 products, which are off by at most 2**-14.
        return rounded, -total, residue + 2.0**-13 * numeric.shape[1] + 1


class _Products:
    """Squared Euclidean: centred float32; a row is off by the rounding of its products."""

    dtype = np.float32
    n_codes = 2**24
    mismatch = np.float32(0.5)

    def __init__(self, samples: Samples) -> None:
        p = samples.values.shape[1]
        self.center = samples.values[:, : samples.n_numeric].mean(axis=0, dtype=np.float64)
        self.steps = MAX_STEPS / (4 * p)
        self.n_nominal = p - samples.n_numeric
        self.n_chunks = -(-p // CHUNK) + 1

    def encode(self, numeric: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rounded = (numeric - self.center).astype(np.float32)
        norm = np.square(rounded, dtype=np.float64).sum(axis=1)
        # Twice the rounding of CHUNK products, of the chunks, of the inputs and the norms.
        error = 8 * _ROUNDING * (CHUNK + self.n_chunks + 8)
        slack = self.steps * (norm + self.n_nominal) * error + self.n_chunks + 2
        return rounded, self.steps * norm, slack


class _Partial:
    """Missing values, or pairs: float32, NaN if missing; one bound, as distances are below p."""

    dtype = np.float32
    n_codes = 2**24
    mismatch = np.float32(0)

    def __init__(self, samples: Samples) -> None:
        p = samples.values.shape[1]
        self.steps = MAX_STEPS / p
        self.slack = MAX_STEPS * 4 * _ROUNDING * (CHUNK + -(-p // CHUNK) + 8) + 2

    def encode(self, numeric: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return numeric, np.zeros(len(numeric)), np.full(len(numeric), self.slack)
