"""Samples as the order of every pair of their features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import check_feature_names_in, fit_context
from echelon.rankorder._orders import read_orders


def boolean_order(X: Any) -> np.ndarray:
    """Order of every pair of features within its sample (Definition 4 of [1]_).

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.

    Returns
    -------
    orders : ndarray of shape (n_samples, n_features * (n_features - 1) / 2)
        A column for each pair of features i < j, in the order (0, 1), (0, 2), ..., (1, 2), ...:
        1 (true) where feature i is below j, 0 (false) where it is above, 0.5 where they are tied,
        NaN where the order is unknown.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import boolean_order
    >>> boolean_order([[20, 40, 65], [50, 25, 25]])
    array([[1. , 1. , 1. ],
           [0. , 0. , 0.5]])
    """
    return _pairs(read_orders(X))


def _pairs(values: np.ndarray) -> np.ndarray:
    """Columns of all pairs, one run for each first feature."""
    m, n = values.shape
    out = np.empty((m, n * (n - 1) // 2), values.dtype)
    end = 0
    for i in range(n - 1):
        start, end = end, end + n - 1 - i
        out[:, start:end] = _against(values, i)
    return out


def _against(values: np.ndarray, i: int) -> np.ndarray:
    """Feature i against all that follow."""
    one, others = values[:, [i]], values[:, i + 1 :]
    orders = np.where(one < others, 1.0, np.where(one == others, 0.5, 0.0))
    orders[np.isnan(one) | np.isnan(others)] = np.nan
    return orders


class BooleanOrder(TransformerMixin, BaseEstimator):
    """Transform samples into the order of every pair of their features.

    See :func:`~echelon.rankorder.boolean_order` for the values.  There are n (n - 1) / 2 columns:
    select features first, or use a sparse matrix, which omits zeros (about half).

    Parameters
    ----------
    sparse_output : bool, default=False
        Return a CSR array.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon import BooleanOrder
    >>> transformer = BooleanOrder().fit([[20, 40, 65]])
    >>> transformer.transform([[50, 25, 25]])
    array([[0. , 0. , 0.5]])
    >>> transformer.get_feature_names_out().tolist()
    ['x0<x1', 'x0<x2', 'x1<x2']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"sparse_output": ["boolean"]}

    def __init__(self, *, sparse_output: bool = False) -> None:
        self.sparse_output = sparse_output

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> BooleanOrder:
        """Take note of the features; nothing is learned.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        read_orders(X)
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> Any:
        """Order of every pair of features.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        orders : ndarray or CSR array of shape (n_samples, n_features * (n_features - 1) / 2)
            1 below, 0 above, 0.5 tied, NaN unknown.
        """
        values = read_orders(X, fitted=self)
        if not self.sparse_output:
            return _pairs(values)
        runs = [sparse.csr_array(_against(values, i)) for i in range(values.shape[1] - 1)]
        return sparse.hstack(runs, format="csr", dtype=values.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as "a<b".

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features, if X had none.

        Returns
        -------
        names : ndarray of str
            A name for each pair.
        """
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        pairs = zip(*np.triu_indices(len(names), 1), strict=True)
        return np.asarray([f"{names[i]}<{names[j]}" for i, j in pairs], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_ * (self.n_features_in_ - 1) // 2

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        tags.requires_fit = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
