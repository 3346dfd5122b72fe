"""Any table as numbers: what lets a linear model judge features of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from echelon.study._many_labels import LabelMeans, many_labels, outcomes_of
from echelon.data import as_frame


class TableEncoder(TransformerMixin, BaseEstimator):
    """A table as standardised numbers, for linear models.

    Numbers and the positions of ordered categories are standardised, gaps become the mean.
    Labels become one column each.  A column of more labels becomes the mean outcome of each,
    taken for the rows of the fit from other rows than the row itself; without a target, the most
    frequent labels become columns.  Intervals become their middle and their width.

    Parameters
    ----------
    max_labels : int, default=20
        The most labels of a nominal column that get a column of their own.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.report import TableEncoder
    >>> X = pd.DataFrame({"age": [20, None, 40], "home": ["own", "rent", "own"]})
    >>> TableEncoder().fit_transform(X).round(2).tolist()
    [[-1.0, 0.71, -0.71], [0.0, -1.41, 1.41], [1.0, 0.71, -0.71]]
    """

    def __init__(self, max_labels: int = 20):
        self.max_labels = max_labels

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn labels, means and scales.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target, for columns of many labels.

        Returns
        -------
        self : object
            The fitted encoder.
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn, and encode the same rows, none of which has a say in its own numbers.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Target, for columns of many labels.

        Returns
        -------
        encoded : ndarray of shape (n_samples, n_encoded)
            Numbers, none missing.
        """
        return self._scaled(self._learn(X, y))

    def _learn(self, X: Any, y: Any) -> np.ndarray:
        """Labels, means and scales; returns the numbers they were learnt from."""
        X = _as_frame(X)
        self.n_features_in_ = X.shape[1]
        many = [] if y is None else many_labels(X, self.max_labels)
        outcomes = outcomes_of(y) if many else np.empty((len(X), 0))
        self.means_ = {j: LabelMeans(X.iloc[:, j], outcomes) for j in many}
        self.labels_ = {
            j: column.value_counts().index[: self.max_labels].tolist()
            for j, column in _columns(X, _is_nominal)
            if j not in self.means_
        }
        numbers = self._numbers(X, {j: means.own() for j, means in self.means_.items()})
        known = ~np.isnan(numbers)
        counts = np.maximum(known.sum(axis=0), 1)
        self.mean_ = np.where(known, numbers, 0.0).sum(axis=0) / counts
        spread = np.where(known, numbers - self.mean_, 0.0)
        scale = np.sqrt((spread**2).sum(axis=0) / counts)
        self.scale_ = np.where(scale > 0, scale, 1.0)
        return numbers

    def transform(self, X: Any) -> np.ndarray:
        """Encode.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        encoded : ndarray of shape (n_samples, n_encoded)
            Numbers, none missing.
        """
        check_is_fitted(self)
        X = _as_frame(X)
        means = {j: means.of(X.iloc[:, j]) for j, means in self.means_.items()}
        return self._scaled(self._numbers(X, means))

    def _scaled(self, numbers: np.ndarray) -> np.ndarray:
        encoded = (numbers - self.mean_) / self.scale_
        encoded[np.isnan(encoded)] = 0.0
        return encoded

    def _numbers(self, X: pd.DataFrame, means: dict[int, np.ndarray]) -> np.ndarray:
        """All columns as numbers, NaN where missing: numeric ones first."""
        rest = [*self.labels_, *means, *(j for j, _ in _columns(X, _is_interval))]
        numeric = np.setdiff1d(np.arange(X.shape[1]), rest)
        parts = [_plain_numbers(X.iloc[:, numeric])] if len(numeric) else []
        for j in rest:
            column = X.iloc[:, j]
            if j in self.labels_:
                parts += [
                    (column == label).to_numpy(float, na_value=0) for label in self.labels_[j]
                ]
            elif j in means:
                parts.append(means[j])
            else:
                parts += [column.array.mid, column.array.length]
        return np.column_stack(parts) if parts else np.empty((len(X), 0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _as_frame(X: Any) -> pd.DataFrame:
    """A frame of ours, in which numbers held as objects are numbers."""
    X = X if isinstance(X, pd.DataFrame) else as_frame(X)
    return X.infer_objects() if any(dtype.kind == "O" for dtype in X.dtypes) else X


def _columns(X: pd.DataFrame, of_kind: Any) -> list[tuple[int, pd.Series]]:
    """Columns of a kind, with their places."""
    return [(j, X.iloc[:, j]) for j, dtype in enumerate(X.dtypes) if of_kind(dtype)]


def _is_interval(dtype: Any) -> bool:
    return isinstance(dtype, pd.IntervalDtype)


def _is_nominal(dtype: Any) -> bool:
    if isinstance(dtype, pd.CategoricalDtype):
        return not dtype.ordered
    return not (pd.api.types.is_numeric_dtype(dtype) or _is_interval(dtype))


def _plain_numbers(X: pd.DataFrame) -> np.ndarray:
    """Numeric columns, and the positions of ordered categories."""
    ordered = [isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes]
    if any(ordered):
        X = X.copy()
        for name in X.columns[np.array(ordered)]:
            X[name] = X[name].cat.codes.astype(float).replace(-1.0, np.nan)
    return X.to_numpy(dtype=float, na_value=np.nan)
