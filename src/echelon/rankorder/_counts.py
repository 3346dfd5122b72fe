"""How often one feature comes before another: counts per class that replace the samples.

With C[i, j] the number of samples of a class in which feature i comes before feature j, the spoiler
count of i is the sum over j of C[i, j] C[j, i], over unordered pairs of samples; and its sum of
ranks, doubled and centered, is the sum over j of C[j, i] - C[i, j].  Removing a feature takes one
term from each sum, whatever the number of samples.  A tie, or an unknown order, counts for neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from echelon.engines import Engine, NumbaEngine
from echelon.kernels.precedence import (
    margin_sums,
    precedence_counts,
    precedence_margins,
    spoiler_terms,
)
from echelon.rankorder._orders import Orders, read_labelled

_BLOCK = 64


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

    def fill(first: int) -> None:
        block = np.empty((min(_BLOCK, len(counts) - first), len(counts)), np.int64)
        spoiler_terms(orders.low, orders.high, orders.starts, first, block)
        counts[first : first + _BLOCK] = block.sum(axis=1)

    _in_blocks(NumbaEngine(), fill, len(counts))
    return counts


def all_spoiler_terms(orders: Orders, engine: Engine) -> np.ndarray:
    """Sum over classes of C[i, j] C[j, i], in the smallest type that holds it."""
    largest = int((orders.class_sizes**2 // 4).sum())
    terms = np.empty((orders.n_features,) * 2, _smallest_type(largest, "u"))
    _in_blocks(
        engine,
        lambda first: spoiler_terms(
            orders.low, orders.high, orders.starts, first, terms[first : first + _BLOCK]
        ),
        orders.n_features,
    )
    return terms


def all_margins(orders: Orders, engine: Engine) -> np.ndarray:
    """C[i, j] - C[j, i] by class, i and j, in the smallest type that holds the classes."""
    return _by_class(precedence_margins, orders, engine, int(orders.class_sizes.max()), "i")


def all_counts(orders: Orders, engine: Engine) -> np.ndarray:
    """Twice C[i, j], plus ties, by class, i and j."""
    return _by_class(precedence_counts, orders, engine, 2 * int(orders.class_sizes.max()), "u")


def rank_sums(orders: Orders, engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Doubled, centered rank sums by class and feature; and the same sums of squares."""
    shape = len(orders.class_sizes), orders.n_features
    sums, squares = np.empty(shape, np.int64), np.empty(shape, np.int64)

    def fill(first: int) -> None:
        here = slice(first, first + _BLOCK)
        margin_sums(orders.low, orders.high, orders.starts, first, sums[:, here], squares[:, here])

    _in_blocks(engine, fill, orders.n_features)
    return sums, squares


def _by_class(
    kernel: Callable[..., None], orders: Orders, engine: Engine, largest: int, kind: str
) -> np.ndarray:
    shape = len(orders.class_sizes), orders.n_features, orders.n_features
    out = np.empty(shape, _smallest_type(largest, kind))
    _in_blocks(
        engine,
        lambda first: kernel(
            orders.low, orders.high, orders.starts, first, out[:, first : first + _BLOCK]
        ),
        orders.n_features,
    )
    return out


def _in_blocks(engine: Engine, fill: Callable[[int], None], n_features: int) -> None:
    """Fill blocks of features in threads."""
    for _ in engine.map(fill, range(0, n_features, _BLOCK)):
        pass


def _smallest_type(largest: int, kind: str) -> np.dtype:
    """The smallest integer type ("u" unsigned, "i" signed) that holds a number."""
    types = (np.dtype(f"{kind}{size}") for size in (1, 2, 4))
    # 8 bytes are always signed: NumPy takes no unsigned ones from signed sums.
    return next((dtype for dtype in types if largest <= np.iinfo(dtype).max), np.dtype("i8"))
