"""Evidence that a fit leaves for later: z-scores and p-values cost as much as a small fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import blas_in_one_thread
from echelon.engines import Engine, Samples

MAX_KEPT = 1 << 26
"""Bytes of samples and pairs that a fitted selector may hold until it is asked (64 MB)."""


def bytes_held(samples: Samples, engine: Engine, arrays: Iterable[np.ndarray]) -> float:
    """What later evidence would hold; infinite where it is on other machines, soon gone."""
    if not engine.shares_memory or not isinstance(samples.values, np.ndarray):
        return math.inf
    return samples.values.nbytes + sum(array.nbytes for array in arrays)


class Known(NamedTuple):
    """z-scores and p-values by feature."""

    z: np.ndarray
    p_values: np.ndarray


class EvidenceOnDemand:
    """``z_scores_`` and ``p_values_``, computed when they are first read.

    A fit leaves them in ``_found``, or in ``_find`` a function that finds them.  Copies and pickles
    hold the numbers, not the data behind them.
    """

    _found: Known | None
    _find: Callable[[], Known] | None

    @property
    def z_scores_(self) -> np.ndarray:
        """Scores less their mean, in units of their deviation, both over permutations."""
        return self._known("z_scores_").z

    @property
    def p_values_(self) -> np.ndarray:
        """Probabilities of larger z-scores for features that have nothing to do with y."""
        return self._known("p_values_").p_values

    def _known(self, name: str) -> Known:
        find = vars(self).get("_find")  # first: another thread finds, and then forgets how
        found: Known | None = vars(self).get("_found")
        if found is not None:
            return found
        if find is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with blas_in_one_thread():
            found = find()
        self._found = found
        self._find = None
        return found

    def __getstate__(self) -> dict[str, Any]:
        if vars(self).get("_find") is not None:
            self._known("p_values_")
        state: Any = super().__getstate__()
        return state
