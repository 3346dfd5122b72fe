"""The local engine: compiled kernels in threads.

Samples are packed for them first: rounded values in blocks of lanes.  The three encodings differ in
what is summed per pair (see ``_tiles``) and in how far the sum may lie from the distance.  Each
bound below is a worst case with room to spare: too wide costs time, too narrow on either side would
cost exactness.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from echelon.engines._base import (
    Bands,
    BandSums,
    Classes,
    Engine,
    Found,
    Pairs,
    Samples,
    Search,
    tie_factor,
)
from echelon.engines.numba import _bands
from echelon.engines.numba._nearest import FAR, nearest
from echelon.engines.numba._tiles import CHUNK, LEVELS
from echelon.engines.numba.leaves import (
    Leaves,
    best_plan,
    can_order,
    compact_order,
    lay_out,
    nearest_by_leaves,
    paying_plan,
)
from echelon.kernels.accumulate import add_differences

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


MOST_CLASSES = 64
"""With more, samples are counted by class pair by pair: tables of rows by class would be large."""


MOST_KEPT = 1 << 28
"""Bytes for what is known of all pairs, between two passes; of more pairs it is found again."""


class _Space:
    """Samples laid out: at once as their order suggests, and else when first needed."""

    def __init__(self, samples: Samples, metric: str) -> None:
        self.samples = samples
        self.squared, self.paired = metric == "euclidean", metric == "paired"
        self.tolerance = tie_factor(samples.values.dtype, metric)
        self.leaves: Leaves | None = None
        self.seen: tuple[np.ndarray, np.ndarray] | None = None
        if samples.compact and not self.paired:
            self.leaves = lay_out(samples, squared=self.squared)
        else:
            self.packed  # noqa: B018  -- not in threads

    @cached_property
    def packed(self) -> Packed:
        """All pairs, in tiles."""
        return pack(self.samples, squared=self.squared, paired=self.paired)

    @cached_property
    def exact(self) -> np.ndarray:
        """The values themselves, in the same places."""
        return exact_lanes(self.packed)

    def take_seen(self, queries: np.ndarray) -> np.ndarray:
        """The distances that ``distance_sums`` left behind, if it had these queries, or nothing."""
        before, self.seen = self.seen, None
        if before is not None and np.array_equal(before[0], queries):
            return before[1]
        return np.empty(0, np.uint16)


class NumbaEngine(Engine[_Space]):
    """Numba kernels in the threads of this process.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads; -1: one per core.  None: one per core, or ``NUMBA_NUM_THREADS``, unless a context
        or worker of joblib says otherwise.  Results do not depend on it.
    search : {"auto", "pairs", "leaves"}, default="auto"
        How nearest neighbours are found: among all pairs, or, passing over leaves of rows too far
        away, in an order of rows made for it.  "auto": by leaves if a look at a few rows says that
        it is faster.  Neighbours do not depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import ReliefF
    >>> from echelon.engines import NumbaEngine
    >>> ReliefF(2, engine=NumbaEngine(n_jobs=1)).fit(*load_iris(return_X_y=True)).ranking_.tolist()
    [3, 4, 2, 1]
    """

    weighs_pairs = True

    def __init__(self, n_jobs: int | None = None, *, search: str = "auto") -> None:
        super().__init__(n_jobs)
        if search not in ("auto", "pairs", "leaves"):
            raise ValueError(f'`search` must be "auto", "pairs" or "leaves", got {search!r}.')
        self.search = search

    def compact(
        self, samples: Samples, queries: np.ndarray, metric: str, n_neighbors: int
    ) -> tuple[Samples, np.ndarray]:
        plan = None
        if self.search == "auto":
            plan = paying_plan(samples, len(queries), metric, n_neighbors)
        elif self.search == "leaves" and can_order(samples, metric):
            plan = best_plan(samples, metric, n_neighbors)
        if plan is None:
            return samples, queries
        order = compact_order(samples, plan, squared=metric == "euclidean")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        ordered = samples.reordered(order)._replace(compact=True, axes=plan.axes)
        return ordered, places[queries]

    def prepare(self, samples: Samples, metric: str) -> _Space:
        return _Space(samples, metric)

    def nearest(self, space: _Space, queries: np.ndarray, search: Search) -> Found:
        classes, k, relation = tuple(search.classes), search.n_neighbors or 0, search.relation
        radius = search.radius**2 if space.squared else search.radius
        how = queries, classes, k, radius, relation, space.tolerance
        if space.leaves is None or k == 0:
            return Found(*nearest(space.packed, *how))
        return Found(*nearest_by_leaves(space.leaves, *how)[:3]).in_row_order()

    def accumulate(
        self, space: _Space, pairs: Pairs, coefs: np.ndarray, direction: int
    ) -> np.ndarray:
        samples = space.samples
        scores = np.zeros(samples.values.shape[1])
        add_differences(
            samples.values,
            samples.n_ordered,
            samples.n_numeric,
            samples.missing,
            space.paired,
            pairs,
            coefs,
            direction,
            scores,
        )
        return scores

    def distance_sums(self, space: _Space, queries: np.ndarray) -> np.ndarray:
        packed, mass = space.packed, space.samples.mass
        if packed.missing or packed.paired:
            return super().distance_sums(space, queries)
        blocks, where = space.exact, _asking(packed, queries)
        tasks, half = self.tasks(space, queries), Steps.fine(packed).half
        places, n_pairs = _places(tasks, len(mass))
        seen = _room(n_pairs, np.uint16)

        def task(t: int) -> tuple[np.ndarray, np.ndarray]:
            how = where, mass, half, tasks[t], places[t]
            return _bands.distance_sums(packed, blocks, *how, seen)

        sums = np.zeros((2, len(mass)))
        for part in self.map(task, range(len(tasks))):
            sums += part
        space.seen = queries, seen
        return np.where(where[0], np.stack([mass.sum() - mass, *sums]), 0.0)

    def band_sums(self, space: _Space, queries: np.ndarray, bands: Bands) -> BandSums | None:
        packed, classes, mass = space.packed, space.samples.classes, space.samples.mass
        n_classes = len(bands.coefs[0])
        if packed.missing or packed.paired or n_classes > MOST_CLASSES:
            return None
        asking, whole = _asking(packed, queries)
        bands = bands._replace(limits=np.where(asking, bands.limits, [[-np.inf], [np.inf]]))
        tasks, anyone = self.tasks(space, queries), tuple(Classes.everyone(n_classes))
        places, n_pairs = _places(tasks, len(mass))
        seen, kept = space.take_seen(queries), _room(n_pairs, np.uint8)

        def where(steps: Steps) -> tuple:
            settled = steps.low, steps.high, steps.bounds(bands.limits, space.tolerance)
            return bands.limits, settled, asking, whole, space.tolerance

        at_first = where(Steps.fine(packed) if len(seen) else Steps.rough(packed))
        masses = bands.own_masses(classes)

        def weigh(t: int) -> np.ndarray:
            how = at_first, mass, anyone, bands.groups, masses.shape[1], tasks[t], places[t]
            return _bands.band_masses(packed, *how, seen, kept)

        for part in self.map(weigh, range(len(tasks))):
            masses += part
        gives, blocks, then = bands.gives(classes, masses), space.exact, where(Steps.rough(packed))
        edges = np.empty((2, 2, 0))
        if bands.deviations is not None:
            limits = np.where(np.isfinite(bands.limits), bands.limits, 0.0)
            edges = np.stack([np.sqrt(limits) if space.squared else limits, bands.deviations])

        def add(t: int) -> tuple[np.ndarray, np.ndarray, float]:
            how = then, edges, mass, anyone, gives, tasks[t], places[t]
            return _bands.band_sums(packed, blocks, *how, kept)

        totals, rows, squares = np.zeros(blocks.shape[1]), np.zeros(len(classes)), 0.0
        for by_column, by_row, square in self.map(add, range(len(tasks))):
            totals += by_column
            rows += by_row
            squares += square
        nominal = totals[packed.nominal_from :]
        n_nominal = space.samples.values.shape[1] - packed.n_numeric
        totals = np.append(totals[: packed.n_numeric], nominal[:n_nominal])
        return BandSums(totals, rows, squares, gives)


def _places(tasks: list[np.ndarray], n_rows: int) -> tuple[list[int], int]:
    """Where the pairs of every task begin in a list of all, and their number.

    If all rows are queries, each is paired with those after it; else, perhaps, with any.
    """
    everyone = sum(map(len, tasks)) == n_rows
    sizes = [(n_rows - 1 - chunk).sum() if everyone else len(chunk) * n_rows for chunk in tasks]
    ends = np.cumsum(sizes)
    return (ends - sizes).tolist(), int(ends[-1])


def _room(n_pairs: int, dtype: type) -> np.ndarray:
    """Room for something of all pairs, if there is not too much of it."""
    return np.empty(n_pairs if n_pairs * np.dtype(dtype).itemsize <= MOST_KEPT else 0, dtype)


def _asking(packed: Packed, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are queries, and the blocks all of whose rows are."""
    asking = np.zeros(len(packed.classes), bool)
    asking[queries] = True
    return asking, np.logical_and.reduceat(asking, packed.block_start)
