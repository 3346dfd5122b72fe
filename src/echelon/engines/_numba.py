"""The local engine: compiled kernels in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import joblib
import numba
import numpy as np

from echelon.engines._base import Engine, Found, Samples, Search
from echelon.engines._packing import pack
from echelon.kernels.accumulate import add_differences, share_places
from echelon.kernels.nearest import Packed, nearest

TIE_TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}
"""Relative difference up to which two distances are equal."""


class _Space(NamedTuple):
    samples: Samples
    packed: Packed
    tolerance: float


class NumbaEngine(Engine):
    """Numba kernels in the threads of this process.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads.  None: all cores given to this process, or what ``NUMBA_NUM_THREADS`` says
        (joblib sets it in its workers).  -1: all cores.  Results do not depend on it.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        if n_jobs == 0:
            raise ValueError("`n_jobs` must not be 0. Give a number of threads, or None for all.")
        self.n_jobs = n_jobs

    @property
    def n_threads(self) -> int:
        """Threads this engine runs."""
        if self.n_jobs is None:
            return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
        return int(joblib.effective_n_jobs(self.n_jobs))

    def prepare(self, samples: Samples, metric: str) -> _Space:
        squared, paired = metric == "euclidean", metric == "paired"
        tolerance = 1.0 + TIE_TOLERANCE[samples.values.dtype]
        return _Space(
            samples,
            pack(samples, squared=squared, paired=paired),
            tolerance**2 if squared else tolerance,
        )

    def nearest(self, space: _Space, targets: np.ndarray, search: Search) -> Found:
        squared = space.packed.squared
        return Found(
            *nearest(
                space.packed,
                targets,
                tuple(search.classes),
                search.n_neighbors or 0,
                search.radius**2 if squared else search.radius,
                search.relation,
                space.tolerance,
            )
        )

    def share(
        self, space: _Space, found: Found, places: np.ndarray, *, by_index: bool
    ) -> np.ndarray:
        rows = space.samples.rows[found.indices]
        return share_places(found.counts, found.distances, rows, places, space.tolerance, by_index)

    def accumulate(
        self,
        space: _Space,
        pairs: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        coefs: np.ndarray,
        direction: int,
    ) -> np.ndarray:
        packed = space.packed
        scores = np.zeros(packed.values.shape[1])
        add_differences(
            packed.values,
            packed.n_ordered,
            packed.n_numeric,
            packed.missing,
            packed.paired,
            pairs,
            coefs,
            direction,
            scores,
        )
        return scores

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        # Also for one thread: the main one stays free to be interrupted.
        pool = ThreadPoolExecutor(self.n_threads)
        try:
            yield from pool.map(function, items)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
