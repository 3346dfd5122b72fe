"""Weights of samples: how many rows each row stands for.

A weight is a count.  A weight of 2 is a row that is there twice, 0 one that is not there, and 1
for all is no weights at all; weights between are what lies between.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from echelon._core.rows import read_data, take_rows
from echelon.data import Data, is_dask
from echelon.targets import Target


def weighted_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray | None]:
    """The rows that are there at all, and their weights; None if each is there once.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "b", "b"])
    >>> X, y, weights = weighted_rows(X, y, [2, 0, 1])
    >>> X.tolist(), y.tolist(), weights.tolist()
    ([[1.0], [3.0]], ['a', 'b'], [2.0, 1.0])
    """
    if sample_weight is None:
        return X, y, None
    weights = read_weights(sample_weight)
    check_consistent_length(X, y, weights)
    there = np.flatnonzero(weights)
    if len(there) < len(weights):
        X, y = _some_rows(X, y, there)
        weights = weights[there]
    return X, y, None if (weights == 1).all() else weights


def read_weights(sample_weight: Any) -> np.ndarray:
    """Weights as numbers of at least 0, at least one of them more."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`sample_weight` must hold numbers, one per sample, but {error}. Convert it first."
        ) from error
    if weights.ndim != 1:
        raise ValueError(
            f"`sample_weight` must have one number per sample, got shape {weights.shape}. Pass a "
            "list, an array or a column."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(
            f"`sample_weight` must hold finite numbers of at least 0, got {weights[wrong][0]} for "
            f"sample {int(np.flatnonzero(wrong)[0])}. Drop such samples, or give them a weight."
        )
    if not weights.any():
        raise ValueError(
            "`sample_weight` must hold at least one non-zero number, got zero weights throughout. "
            "Give some samples a weight."
        )
    return weights


def _some_rows(X: Any, y: Any, rows: np.ndarray) -> tuple[Any, Any]:
    if is_dask(X):
        raise ValueError(
            "`sample_weight` is 0 for some rows of a Dask collection, whose rows stay where they "
            "are. Filter the collection first."
        )
    X, y = read_data(X, y)
    return take_rows(X, rows), take_rows(y, rows)


def fit_weighted(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """The estimator, fitted with weights if there are any; refused where it takes none."""
    if not getattr(estimator, "_reads_data", False):
        X = X.frame if isinstance(X, Data) else X
        y = y.y if isinstance(y, Target) else y
    if sample_weight is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"`sample_weight` was given, but {type(estimator).__name__} takes no weights. Leave "
            "them out, or use a method that does."
        )
    return estimator.fit(X, y, sample_weight=sample_weight)


# ------------------------------------------------------------------------------------ statistics


def total_of(weights: np.ndarray | None, n_samples: int) -> float:
    """How many rows there are, copies counted."""
    return n_samples if weights is None else float(weights.sum())


def row_counts(weights: np.ndarray | None, n_samples: int) -> np.ndarray:
    """How many rows every row stands for."""
    return np.ones(n_samples) if weights is None else weights


def own_copies(weights: np.ndarray) -> np.ndarray:
    """The other copies of every row: one less than its weight, none if that is below 1."""
    return np.maximum(weights - 1.0, 0.0)


def weighted_mid_ranks(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The middle of the places that the copies of equal values take; NaN for missing ones.

    Examples
    --------
    >>> weighted_mid_ranks(np.array([5.0, 7.0, 5.0]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.5, 3.5, 1.5]
    """
    weights = np.ones(len(values)) if weights is None else weights
    ranks = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    _, groups = np.unique(values[present], return_inverse=True)
    sizes = np.bincount(groups, weights[present])
    ranks[present] = (np.cumsum(sizes) - sizes / 2 + 0.5)[groups]
    return ranks
