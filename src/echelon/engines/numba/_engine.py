"""The local engine: compiled kernels in threads."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from echelon.engines._base import (
    Bands,
    BandSums,
    Classes,
    Engine,
    Found,
    Samples,
    Search,
    tie_factor,
)
from echelon.engines.numba import _bands
from echelon.engines.numba._compact import best_plan, can_order, compact_order, paying_plan
from echelon.engines.numba._leaves import Leaves, lay_out
from echelon.engines.numba._nearest import Packed, nearest
from echelon.engines.numba._packing import exact_lanes, integer_bounds, pack
from echelon.engines.numba._visits import nearest_by_leaves
from echelon.kernels.accumulate import add_differences

MOST_CLASSES = 64
"""With more, samples are counted by class pair by pair: tables of rows by class would be large."""


MOST_BITS = 1 << 28
"""Bytes for the bands of all pairs, between two passes; with more pairs they are found again."""


class _Space:
    """Samples laid out: at once as their order suggests, and else when first needed."""

    def __init__(self, samples: Samples, metric: str) -> None:
        self.samples = samples
        self.squared, self.paired = metric == "euclidean", metric == "paired"
        self.tolerance = tie_factor(samples.values.dtype, metric)
        self.leaves: Leaves | None = None
        if samples.compact and not self.paired:
            self.leaves = lay_out(samples, squared=self.squared)
        else:
            self.packed  # noqa: B018  -- not in threads

    @cached_property
    def packed(self) -> Packed:
        """All pairs, in tiles."""
        return pack(self.samples, squared=self.squared, paired=self.paired)


class NumbaEngine(Engine):
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

    def __init__(self, n_jobs: int | None = None, *, search: str = "auto") -> None:
        super().__init__(n_jobs)
        if search not in ("auto", "pairs", "leaves"):
            raise ValueError(f'`search` must be "auto", "pairs" or "leaves", got {search!r}.')
        self.search = search

    @staticmethod
    def at_hand() -> bool:
        """Whether the search was compiled before, by this process or one that left it on disk."""
        return nearest.at_hand

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
        self,
        space: _Space,
        pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        coefs: np.ndarray,
        direction: int,
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
        packed = space.packed
        if packed.missing or packed.paired:
            return super().distance_sums(space, queries)
        asking, whole = _asking(packed, queries)
        blocks = exact_lanes(packed)

        def task(chunk: np.ndarray) -> np.ndarray:
            return _bands.distance_sums(packed, blocks, asking, whole, chunk)

        sums = np.zeros((2, len(asking)))
        for part in self.map(task, self.tasks(space, queries)):
            sums += part
        return np.where(asking, np.stack([np.full(len(asking), len(asking) - 1.0), *sums]), 0.0)

    def band_sums(self, space: _Space, queries: np.ndarray, bands: Bands) -> BandSums | None:
        packed, classes = space.packed, space.samples.classes
        n_classes = len(bands.coefs[0])
        if packed.missing or packed.paired or n_classes > MOST_CLASSES:
            return None
        asking, whole = _asking(packed, queries)
        limits = np.where(asking, bands.limits, [[-np.inf], [np.inf]])
        bounds = integer_bounds(packed, limits, space.tolerance)
        where = limits, bounds, asking, whole, space.tolerance
        anyone = tuple(Classes.everyone(n_classes))
        tasks = self.tasks(space, queries)
        n_groups = int(bands.groups.max()) + 1

        keep = len(queries) * len(classes) <= MOST_BITS
        kept = [np.empty((len(chunk) if keep else 0, len(classes)), np.uint8) for chunk in tasks]

        def count(t: int) -> np.ndarray:
            groups = bands.groups
            return _bands.band_counts(packed, where, anyone, groups, n_groups, tasks[t], kept[t])

        counts = np.zeros((2, n_groups, len(classes)), np.int64)
        for part in self.map(count, range(len(tasks))):
            counts += part
        gives = bands.gives(classes, counts)
        blocks = exact_lanes(packed)

        def add(t: int) -> tuple[np.ndarray, np.ndarray, float]:
            return _bands.band_sums(packed, blocks, where, anyone, gives, tasks[t], kept[t])

        totals, rows, squares = np.zeros(blocks.shape[1]), np.zeros(len(classes)), 0.0
        for by_column, by_row, square in self.map(add, range(len(tasks))):
            totals += by_column
            rows += by_row
            squares += square
        nominal = totals[packed.nominal_from :]
        kept = space.samples.values.shape[1] - packed.n_numeric
        totals = np.append(totals[: packed.n_numeric], nominal[:kept])
        return BandSums(totals, rows, squares, gives)


def _asking(packed: Packed, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are queries, and the blocks all of whose rows are."""
    asking = np.zeros(len(packed.classes), bool)
    asking[queries] = True
    return asking, np.logical_and.reduceat(asking, packed.block_start)
