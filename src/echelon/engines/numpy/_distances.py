"""Distances of some rows to others, and which of them are in order, by array operations.

The definitions are those of ``kernels.pairs``.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from echelon.engines._samples import Samples
from echelon.kernels.pairs import ABOVE

_METRICS = {"manhattan": "cityblock", "euclidean": "sqeuclidean"}


def distances(samples: Samples, a: np.ndarray, b: np.ndarray, metric: str) -> np.ndarray:
    """Distances of rows a to rows b, squared if Euclidean; inf if they share no column."""
    if metric == "paired" or samples.missing:
        return _partial(samples, a, b, metric)
    n = samples.n_numeric
    total = np.zeros((len(a), len(b)))
    if n > 0:
        total = cdist(a[:, :n], b[:, :n], _METRICS[metric])
    if n < a.shape[1]:
        share = cdist(a[:, n:], b[:, n:], "hamming")
        total += np.rint(share * (a.shape[1] - n))
    return total


def _partial(samples: Samples, a: np.ndarray, b: np.ndarray, metric: str) -> np.ndarray:
    """The same over the columns both rows have, scaled up to all."""
    width = 2 if metric == "paired" else 1
    total = np.zeros((len(a), len(b)))
    shared = np.zeros_like(total)
    for f in range(0, a.shape[1], width):
        gap = a[:, f, None] - b[:, f]
        if metric == "paired":
            other = a[:, f + 1, None] - b[:, f + 1]
            gap = np.sqrt(gap * gap + other * other)
        there = gap == gap
        if f >= samples.n_numeric:
            gap = gap != 0
        np.add(total, gap * gap if metric == "euclidean" else np.abs(gap), out=total, where=there)
        shared += there
    with np.errstate(divide="ignore", invalid="ignore"):
        total *= a.shape[1] / width / shared
    return np.where(shared > 0, total, np.inf)


def unrelated(a: np.ndarray, b: np.ndarray, n_ordered: int, relation: int) -> np.ndarray:
    """Where a row of b does not dominate one of a (ABOVE), or is not dominated by it (BELOW)."""
    fails = np.zeros((len(a), len(b)), bool)
    compare = np.less if relation == ABOVE else np.greater
    for f in range(n_ordered):
        fails |= compare(b[:, f], a[:, f, None])
    return fails
