"""Samples as ranks of their features, distances between such orders, and their centers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from echelon.engines import NumbaEngine
from echelon.kernels.precedence import kendall
from echelon.rankorder._counts import rank_sums
from echelon.rankorder._orders import as_orders, order_codes, read_labelled, read_orders


def rank_order(X: Any) -> np.ndarray:
    """Rank of every feature within its sample (Definition 5 of [1]_).

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.

    Returns
    -------
    ranks : ndarray of shape (n_samples, n_features)
        1 for the smallest value of a row; tied values share their average rank, NaN stays NaN.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import rank_order
    >>> rank_order([[20, 40, 65, 33], [50, 25, 25, 99]])
    array([[1. , 3. , 4. , 2. ],
           [3. , 1.5, 1.5, 4. ]])
    """
    return rankdata(read_orders(X), axis=1, nan_policy="omit")


def spearman_distance(a: Any, b: Any) -> float:
    """Sum of squared differences between the ranks of two orders (Definition 6 of [1]_).

    Parameters
    ----------
    a, b : array-like of shape (n_features,)
        Values, or ranks, of the same features; those unknown (NaN) in either are left out.

    Returns
    -------
    distance : float
        0 if both have the same order, or fewer than two known features in common.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import spearman_distance
    >>> spearman_distance([1, 2, 3, 4], [2, 1, 3, 4])
    2.0
    """
    a, b = _shared(a, b)
    return float(((rankdata(a) - rankdata(b)) ** 2).sum())


def kendall_distance(a: Any, b: Any) -> float:
    """Swaps of neighbours that turn one order into another (Definition 7 of [1]_).

    Parameters
    ----------
    a, b : array-like of shape (n_features,)
        Values, or ranks, of the same features; those unknown (NaN) in either are left out.

    Returns
    -------
    distance : float
        Number of pairs of features in opposite order; a pair tied in one order only counts half.
        0 if they have fewer than two known features in common.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import kendall_distance
    >>> kendall_distance([1, 2, 3, 4], [2, 1, 4, 3]), kendall_distance([1, 2, 3], [1, 2, 2])
    (2.0, 0.5)
    """
    a, b = _shared(a, b)
    out = np.empty((1, 1))
    kendall(order_codes(a[None]), order_codes(b[None]), out)
    return float(out[0, 0])


def _shared(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two orders over the features known in both."""
    a, b = _numbers(a, "a"), _numbers(b, "b")
    if not len(a) == len(b) > 0:
        raise ValueError(
            f"`a` and `b` must order the same features, got {len(a)} and {len(b)} values. Pass one "
            "value per feature."
        )
    known = ~(np.isnan(a) | np.isnan(b))
    return a[known], b[known]


def _numbers(values: Any, name: str) -> np.ndarray:
    """One sample, NaN where a value is missing or masked."""
    try:
        column = pd.Series(values)
        if column.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        return column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"`{name}` must be the values of one sample, got {values!r} ({error}). Pass a flat "
            "list of numbers."
        ) from error


def class_centers(X: Any, y: Any) -> np.ndarray:
    """The center of the orders of every class.

    The order with the least sum of Spearman's distances to the samples of the class: features
    ranked by the sum of their ranks [1]_.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.
    y : array-like of shape (n_samples,)
        Classes.

    Returns
    -------
    centers : ndarray of shape (n_classes, n_features)
        Ranks by class, in the order of the labels; features with equal sums share their average
        rank.  A pair of unknown order counts as a tie.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import class_centers
    >>> class_centers([[1, 2, 3], [1, 3, 2], [3, 1, 2], [3, 2, 1]], ["a", "a", "b", "b"])
    array([[1. , 2.5, 2.5],
           [3. , 1.5, 1.5]])
    """
    return rankdata(rank_sums(read_labelled(X, y), NumbaEngine())[0], axis=1)


def tau_concordance(X: Any) -> float:
    """How alike the orders of several samples are: the mean of Kendall's tau over all pairs.

    Figure 6 of [1]_, at the cost of one comparison of all pairs of features in every sample.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        At least two samples.

    Returns
    -------
    concordance : float
        1 if all have the same order, about 0 if the orders are random.

    Notes
    -----
    The paper gives 0 as the least value; two opposite orders have -1.  A tie, or an unknown
    order, counts for neither side.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import tau_concordance
    >>> tau_concordance([[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    0.5555555555555556
    """
    values = read_orders(X, min_samples=2)
    m, n = values.shape
    _, squares = rank_sums(as_orders(values, np.zeros(m, np.int64)), NumbaEngine())
    # Every pair of features is there twice, hence no factor 2 as in the figure; and 1 / (m - 1) is
    # taken off before the division, so that equal orders have exactly 1.
    pairs = n**2 - n
    return (int(squares.sum()) - m * pairs) / (pairs * (m**2 - m))
