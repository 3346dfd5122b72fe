"""Rows, columns and copies of what the user passed, whatever kind it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from echelon._core.compat import safe_indexing
from echelon.data import Data, as_table, check_shape
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
