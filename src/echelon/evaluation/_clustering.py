"""Clusters beside known classes."""

from __future__ import annotations

from typing import Any

from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_consistent_length, column_or_1d


def clustering_accuracy(y: Any, clusters: Any, *, match: str = "majority") -> float:
    """Share of samples whose class is the one their cluster stands for.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Known classes.
    clusters : array-like of shape (n_samples,)
        Cluster of every sample.
    match : {"majority", "optimal"}, default="majority"
        "majority": a cluster stands for its most frequent class, so that several may stand for
        one class, and more clusters never do worse.  "optimal": each class belongs to one cluster
        at most, matched so that most samples agree; those of the other clusters are wrong.

    Returns
    -------
    accuracy : float
        From 0 to 1.

    Notes
    -----
    "majority", also called purity, is never below the share of the largest class.

    References
    ----------
    .. [1] I. Hazarika, R. Mishra, A. K. Mahanta, "A dissimilarity margin based feature selection
       method for interval data".

    Examples
    --------
    >>> from echelon.evaluation import clustering_accuracy
    >>> classes, clusters = ["a", "a", "a", "b"], [0, 0, 1, 2]
    >>> clustering_accuracy(classes, clusters)
    1.0
    >>> clustering_accuracy(classes, clusters, match="optimal")
    0.75
    """
    y, clusters = column_or_1d(y), column_or_1d(clusters)
    check_consistent_length(y, clusters)
    if len(y) == 0:
        raise ValueError("`y` must hold at least one class, got none. Pass the class of samples.")
    counts = contingency_matrix(y, clusters)
    if match == "majority":
        return float(counts.max(axis=0).sum() / len(y))
    if match == "optimal":
        return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / len(y))
    raise ValueError(
        f'`match` must be "majority" or "optimal", got {match!r}. Use "majority" for the accuracy '
        "of the paper."
    )
