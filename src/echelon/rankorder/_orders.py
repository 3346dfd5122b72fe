"""Samples as orders of their features: ranks, distances, centers, and which comes before which.

With C[i, j] the number of samples of a class in which feature i comes before feature j, the spoiler
count of i is the sum over j of C[i, j] C[j, i], over unordered pairs of samples; and its sum of
ranks, doubled and centered, is the sum over j of C[j, i] - C[i, j].  Removing a feature takes one
term from each sum, whatever the number of samples.  A tie, or an unknown order, counts for neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.jobs import in_threads
from echelon.data import read_numbers
from echelon.rankorder._loops import kendall, precedence_margins, spoiler_terms
from echelon.targets import read_classes

_BLOCK = 64


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
    def by_class(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The first arguments of loops that count within classes."""
        return self.low, self.high, self.starts

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of samples per class."""
        return np.diff(self.starts)


def read_orders(X: Any, *, min_samples: int = 1, fitted: Any = None) -> np.ndarray:
    """Values of at least two numeric features, comparable within a row; NaN is unknown.

    They must be the features of an estimator that is ``fitted``, if one is given.
    """
    if fitted is not None:
        check_is_fitted(fitted)
    values = read_numbers(
        X,
        allow_nan=True,
        reason="values must be comparable within a sample",
        remedy="Drop the column, or make it an ordered categorical",
        min_samples=min_samples,
    ).values
    if fitted is not None:
        validate_data(fitted, X, reset=False, skip_check_array=True)
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


def ties(codes: np.ndarray) -> np.ndarray:
    """How many features of every sample have code 0, 1, ...; unknown ones are left out."""
    m, n = codes.shape
    cells = np.arange(m)[:, None] * n + codes
    return np.bincount(cells[codes >= 0], minlength=m * n).reshape(m, n)


# ------------------------------------------------------------------------------------- counts


def in_blocks(fill: Callable[[int, int], None], n_features: int, n_jobs: int | None = None) -> None:
    """Fill blocks of features in threads, given the first and the number of each."""
    starts = range(0, n_features, _BLOCK)
    list(in_threads(lambda first: fill(first, min(_BLOCK, n_features - first)), starts, n_jobs))


def all_spoiler_terms(orders: Orders, n_jobs: int | None) -> np.ndarray:
    """Sum over classes of C[i, j] C[j, i], in the smallest type that holds it."""
    largest = int((orders.class_sizes**2 // 4).sum())
    terms = np.empty((orders.n_features,) * 2, smallest_type(largest, "u"))

    def fill(first: int, size: int) -> None:
        spoiler_terms(*orders.by_class, first, terms[first : first + size])

    in_blocks(fill, orders.n_features, n_jobs)
    return terms


def all_margins(orders: Orders, n_jobs: int | None) -> np.ndarray:
    """C[i, j] - C[j, i] by class, i and j, in the smallest type that holds the classes."""
    shape = len(orders.class_sizes), orders.n_features, orders.n_features
    margins = np.empty(shape, smallest_type(int(orders.class_sizes.max()), "i"))

    def fill(first: int, size: int) -> None:
        precedence_margins(*orders.by_class, first, margins[:, first : first + size])

    in_blocks(fill, orders.n_features, n_jobs)
    return margins


def rank_sums(orders: Orders) -> np.ndarray:
    """Sums of ranks by class and feature, doubled and centered: features below less those above."""
    tied = ties(orders.low)
    below = np.cumsum(tied, axis=1) - tied
    margins = 2 * below + tied - tied.sum(axis=1, keepdims=True)
    own = np.where(orders.low >= 0, np.take_along_axis(margins, orders.low, axis=1), 0)
    return np.add.reduceat(own, orders.starts[:-1], axis=0)


def smallest_type(largest: int, kind: str) -> np.dtype:
    """The smallest integer type ("u" unsigned, "i" signed) that holds a number."""
    types = (np.dtype(f"{kind}{size}") for size in (1, 2, 4))
    # 8 bytes are always signed: NumPy takes no unsigned ones from signed sums.
    return next((dtype for dtype in types if largest <= np.iinfo(dtype).max), np.dtype("i8"))


def spoiler_counts(X: Any, y: Any) -> np.ndarray:
    """Total spoiler count of every feature (Definitions 8 and 9 of [1]_).

    The inversions a feature takes part in, over all pairs of samples of the same class: other
    features that come before it in one sample and after it in the other.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.
    y : array-like of shape (n_samples,)
        Classes.

    Returns
    -------
    counts : ndarray of int, shape (n_features,)
        Spoiler counts.  High: the feature's place differs within classes.

    Notes
    -----
    Pairs of samples are unordered.  A tie is no inversion.  The cost is that of comparing all
    pairs of features in every sample once.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import spoiler_counts
    >>> spoiler_counts([[1, 2, 3], [1, 3, 2], [3, 1, 2], [2, 1, 3]], ["a", "a", "b", "b"])
    array([1, 1, 2])
    """
    orders = read_labelled(X, y)
    counts = np.empty(orders.n_features, np.int64)

    def fill(first: int, size: int) -> None:
        block = np.empty((size, len(counts)), np.int64)
        spoiler_terms(*orders.by_class, first, block)
        counts[first : first + size] = block.sum(axis=1)

    in_blocks(fill, len(counts))
    return counts


# ------------------------------------------------------------------------- ranks and distances


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
    return rankdata(rank_sums(read_labelled(X, y)), axis=1)


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
    orders = as_orders(values, np.zeros(m, np.int64))
    squares: list[int] = []

    def add(first: int, size: int) -> None:
        margins = np.empty((1, size, n), orders.low.dtype)
        precedence_margins(*orders.by_class, first, margins)
        squares.append(int(np.square(margins, dtype=np.int64).sum()))

    in_blocks(add, n)
    # Every pair of features is there twice, hence no factor 2 as in the figure; and 1 / (m - 1) is
    # taken off before the division, so that equal orders have exactly 1.
    pairs = n**2 - n
    return (sum(squares) - m * pairs) / (pairs * (m**2 - m))
