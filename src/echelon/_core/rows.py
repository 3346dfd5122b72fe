"""Rows of what the user passed, whatever kind it is: taking some, weights, seeds.

A weight is a count: 2 is a row that is there twice, 0 one that is not there, and 1 for all is no
weights at all; weights between are what lies between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from echelon._core.compat import safe_indexing
from echelon.data import Data, as_table, check_shape, is_dask
from echelon.targets import Target, read_labels, read_target


def read_data(X: Any, y: Any, groups: Any = None) -> tuple[Any, Any]:
    """X and y in a form whose rows can be taken; frames, intervals and categories stay so."""
    X = read_rows(X)
    if isinstance(y, pd.Categorical):
        y = pd.Series(y)
    y = y if hasattr(y, "shape") or isinstance(y, Target) else np.asarray(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "O":
        y = read_labels(y)
    check_consistent_length(X, y, groups)
    return X, y


def read_rows(X: Any) -> Any:
    """X with a shape: samples by features."""
    X = as_table(X)
    X = X if hasattr(X, "shape") else np.asarray(X)
    check_shape(X)
    return X


def take_rows(data: Any, rows: np.ndarray) -> Any:
    """Some samples."""
    return data.take(rows) if isinstance(data, Data | Target) else safe_indexing(data, rows)


def take_columns(X: Any, columns: np.ndarray) -> Any:
    """Some features, which may be intervals, in the order of X: what a model is fitted to."""
    columns = np.sort(columns)
    X = X.frame if isinstance(X, Data) else X
    return X[:, columns] if len(X.shape) > 2 else safe_indexing(X, columns, axis=1)


def feature_names(X: Any) -> np.ndarray:
    """Names of the features, or their numbers."""
    names = X.names if isinstance(X, Data) else getattr(X, "columns", None)
    return np.arange(X.shape[1]) if names is None else np.asarray(names, dtype=object)


def draw_seeds(random_state: Any, n_seeds: int) -> list[int | None]:
    """One seed per job, drawn before the jobs start; none if nothing was asked for."""
    if random_state is None:
        return [None] * n_seeds
    return random_state.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded(estimator: Any, seed: int | None) -> Any:
    """A copy in which every ``random_state`` that was left open is this seed."""
    if not hasattr(estimator, "get_params"):  # scikit-learn would copy a list of none
        raise TypeError(
            f"A selector or model must be an estimator as scikit-learn's, got {estimator!r}."
        )
    copy = clone(estimator)
    if seed is None:
        return copy
    params = copy.get_params(deep=True)
    left_open = [
        name
        for name, value in params.items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return copy.set_params(**dict.fromkeys(left_open, seed))


def strata(y: Any) -> list[np.ndarray]:
    """Rows of every class; all rows if y is no classes."""
    codes = read_target(y).codes
    if codes is None:
        return [np.arange(len(y))]
    return [np.flatnonzero(codes == code) for code in np.unique(codes)]


def members(groups: Any) -> Sequence[np.ndarray]:
    """Rows of every group."""
    codes = pd.factorize(np.asarray(groups))[0]
    return [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]


def draw_rows(y: Any, groups: Any, share: float, random: Any) -> np.ndarray:
    """Rows drawn without replacement: a share of every class, or of the groups."""

    def some(of: Any, n: int) -> np.ndarray:
        return random.permutation(of)[: math.ceil(share * n)]

    if groups is None:
        parts = [some(rows, len(rows)) for rows in strata(y)]
    else:
        every = members(groups)
        parts = [every[group] for group in some(len(every), len(every))]
    return np.sort(np.concatenate(parts))


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
    except (TypeError, ValueError, OverflowError) as error:
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
