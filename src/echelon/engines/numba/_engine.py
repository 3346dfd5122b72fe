"""The local engine: compiled kernels in threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon.engines._base import Engine, Found, Samples, Search, tie_factor
from echelon.engines.numba._nearest import Packed, nearest
from echelon.engines.numba._packing import pack
from echelon.kernels.accumulate import add_differences


class _Space(NamedTuple):
    samples: Samples
    packed: Packed
    tolerance: float


class NumbaEngine(Engine):
    """Numba kernels in the threads of this process.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads; -1: one per core.  None: one per core, or ``NUMBA_NUM_THREADS``, unless a context
        or worker of joblib says otherwise.  Results do not depend on it.
    """

    @staticmethod
    def at_hand() -> bool:
        """Whether the search was compiled before, by this process or one that left it on disk."""
        return nearest.at_hand

    def prepare(self, samples: Samples, metric: str) -> _Space:
        packed = pack(samples, squared=metric == "euclidean", paired=metric == "paired")
        return _Space(samples, packed, tie_factor(samples.values.dtype, metric))

    def nearest(self, space: _Space, queries: np.ndarray, search: Search) -> Found:
        squared = space.packed.squared
        return Found(
            *nearest(
                space.packed,
                queries,
                tuple(search.classes),
                search.n_neighbors or 0,
                search.radius**2 if squared else search.radius,
                search.relation,
                space.tolerance,
            )
        )

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
