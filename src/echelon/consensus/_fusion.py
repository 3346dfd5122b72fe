"""Places of features in several rankings, and their fusion into one score."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

FUSIONS = ("reciprocal", "mean", "median")


def places(ranks: np.ndarray) -> np.ndarray:
    """Places 0, 1, ... from ranks; features of one rank share the mean of their places."""
    return rankdata(ranks, method="average") - 1


def completed(ranks: np.ndarray, taken: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Places of the features taken, in their order; behind them the rest, in another order."""
    result = np.empty(len(ranks))
    result[taken] = places(ranks[taken])
    result[~taken] = taken.sum() + places(others[~taken])
    return result


def fused(each: np.ndarray, weights: np.ndarray, fusion: str, constant: float) -> np.ndarray:
    """One score per feature, larger is better, from places of shape (n_rankings, n_features).

    "reciprocal" adds weight / (place + constant) (Cormack et al. 2009): the head of every ranking
    counts most.  "mean" and "median" are those of the places.
    """
    share = weights / weights.sum()
    if fusion == "reciprocal":
        return share @ (1 / (each + constant))
    if fusion == "mean":
        return -(share @ each)
    # Among equal medians the better mean decides.
    return -(_weighted_median(each, share) + 1e-6 * (share @ each))


def _weighted_median(each: np.ndarray, share: np.ndarray) -> np.ndarray:
    order = np.argsort(each, axis=0, kind="stable")
    along = np.cumsum(share[order], axis=0)
    below = (along >= 0.5 - 1e-12).argmax(axis=0)
    above = (along > 0.5 + 1e-12).argmax(axis=0)
    ordered = np.take_along_axis(each, order, axis=0)
    columns = np.arange(each.shape[1])
    return (ordered[below, columns] + ordered[above, columns]) / 2
