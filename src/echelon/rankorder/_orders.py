"""Samples as orders of their features: reading them, and the codes all counts start from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon.targets import read_classes
from echelon.validation import read_numbers


class Orders(NamedTuple):
    """Codes that order the features within every sample, rows sorted by class.

    Equal codes are ties.  A value of unknown order is -1 in ``low`` and larger than all others in
    ``high``; both are one array if there is none.
    """

    low: np.ndarray
    high: np.ndarray
    classes: np.ndarray
    """Class code of every row, ascending."""
    starts: np.ndarray
    """First row of every class, and the number of rows."""

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.low.shape[1]

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of samples per class."""
        return np.diff(self.starts)


def read_orders(X: Any, *, min_samples: int = 1) -> np.ndarray:
    """Values of at least two numeric features, comparable within a row; NaN is unknown."""
    values = _read_numbers(X, min_samples)
    _check_orders(values)
    return values


def _read_numbers(X: Any, min_samples: int = 1) -> np.ndarray:
    return read_numbers(
        X,
        allow_nan=True,
        reason="values must be comparable within a sample",
        remedy="Drop the column, or make it an ordered categorical",
        min_samples=min_samples,
    ).values


def _check_orders(values: np.ndarray) -> None:
    """Refuse values among which there is no order."""
    if values.shape[1] == 1:
        raise ValueError(
            "`X` must have at least 2 features, got 1 feature(s): an order within a sample needs "
            "something to compare with. Pass more features."
        )
    unknown = np.isnan(values).all(axis=1)
    if unknown.any():
        raise ValueError(
            f"`X` must have a known value in every row, got only NaN in row "
            f"{int(np.flatnonzero(unknown)[0])}. Drop the rows without any."
        )


def read_again(estimator: Any, X: Any) -> np.ndarray:
    """The same for a fitted estimator, whose features they must be."""
    check_is_fitted(estimator)
    values = _read_numbers(X)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    _check_orders(values)
    return values


def read_labelled(X: Any, y: Any) -> Orders:
    """Orders of samples with classes."""
    values = read_orders(X)
    _, classes = read_classes(y)
    check_consistent_length(values, classes)
    return as_orders(values, classes)


def order_codes(values: np.ndarray) -> np.ndarray:
    """Codes 0, 1, ... of the distinct values of every row, ascending; -1 for NaN."""
    order = np.argsort(values, axis=1, kind="stable")
    sorted_values = np.take_along_axis(values, order, axis=1)
    levels = np.zeros(values.shape, np.int64)
    np.cumsum(sorted_values[:, 1:] != sorted_values[:, :-1], axis=1, out=levels[:, 1:])
    levels[np.isnan(sorted_values)] = -1
    small = max(values.shape) <= np.iinfo(np.int16).max
    codes = np.empty(values.shape, np.int16 if small else np.int32)
    np.put_along_axis(codes, order, levels.astype(codes.dtype), axis=1)
    return codes


def as_orders(values: np.ndarray, classes: np.ndarray) -> Orders:
    """Orders of samples, by class."""
    rows = np.argsort(classes, kind="stable")
    low = order_codes(values[rows])
    unknown = low < 0
    high = np.where(unknown, np.iinfo(low.dtype).max, low) if unknown.any() else low
    starts = np.concatenate([[0], np.cumsum(np.bincount(classes))])
    return Orders(low, high, classes[rows], starts)
