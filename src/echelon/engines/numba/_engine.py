"""The local engine: compiled kernels in threads."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from echelon.engines._base import Engine, Pairs
from echelon.engines._search import Bands, BandSums, Classes, Found, Samples, Search, tie_factor
from echelon.engines.numba import _bands
from echelon.engines.numba._nearest import nearest
from echelon.engines.numba._packing import Packed, Steps, exact_lanes, pack
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

        def add(t: int) -> tuple[np.ndarray, np.ndarray, float]:
            how = then, mass, anyone, gives, tasks[t], places[t]
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
