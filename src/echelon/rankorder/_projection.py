"""Which samples have the same order once features are removed, and what that loses.

The divergence of a set of features (Definition 3) is the entropy of the classes given the order of
these features, less that given the order of all: 0 while samples of different classes that could be
told apart still can.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from echelon.engines import Engine, NumbaEngine
from echelon.kernels.projection import all_changes, chain, cut, surprise, surprises_without
from echelon.rankorder._orders import Orders, read_labelled

GRID = 2.0**32
"""Divergences that agree on multiples of 1 / GRID are equal, and 0 is one of them."""

_BLOCK, _DIRECT = 256, 20_000


def subset_divergence(X: Any, y: Any, features: Any) -> float:
    """Divergence of a set of features from all features (Definition 3 of [1]_).

    How much less the order of some features says about the classes than the order of all: the
    Kullback-Leibler divergence between the distributions of the classes, averaged over the
    distinct orders; natural logarithm.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.
    y : array-like of shape (n_samples,)
        Classes.
    features : array-like or set
        Column indices, a mask, or names of columns; at least one, each once.

    Returns
    -------
    divergence : float
        0 if nothing is lost.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.rankorder import subset_divergence
    >>> X, y = [[1, 2, 3], [1, 3, 2], [2, 1, 3]], ["a", "b", "b"]
    >>> subset_divergence(X, y, [0, 1, 2]), round(subset_divergence(X, y, [1, 2]), 3)
    (0.0, 0.462)
    """
    orders = read_labelled(X, y)
    kept = _feature_mask(features, X, orders.n_features)
    projection = Projection(orders)
    for feature in np.flatnonzero(~kept):
        projection.remove(int(feature))
    return projection.divergence


def _feature_mask(features: Any, X: Any, n_features: int) -> np.ndarray:
    """A mask from a mask, column indices or column names."""
    wanted = np.atleast_1d(np.asarray([*features] if isinstance(features, Set) else features))
    if wanted.dtype.kind == "b" and wanted.shape == (n_features,):
        wanted = np.flatnonzero(wanted)
    elif wanted.dtype.kind not in "iu":
        places = {name: i for i, name in enumerate(getattr(X, "columns", []))}
        wanted = np.array(
            [places.get(w, -1) if isinstance(w, str) else -1 for w in wanted.tolist()]
        )
    mask = np.isin(np.arange(n_features), wanted)
    # Fewer than were asked for: some are no columns, or there twice.
    if wanted.shape != (mask.sum(),) or not mask.any():
        raise ValueError(
            f"`features` must be a mask, indices or names of the {n_features} columns of X, each "
            f"once, got {features!r}. Give at least one."
        )
    return mask


def log_table(n: int) -> np.ndarray:
    """C log(c) for c = 0, ..., n."""
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log(np.maximum(counts, 1))


def on_grid(divergences: Any) -> Any:
    """Divergences as whole numbers, so that equal ones compare equal."""
    return np.floor(np.asarray(divergences) * GRID + 0.5)


class Projection:
    """Orders of samples over the features left, and the divergence of these features."""

    def __init__(self, orders: Orders, *, look_ahead: bool = False):
        m, n = orders.low.shape
        self.classes, self.n_classes = orders.classes, len(orders.class_sizes)
        self._logs = log_table(m)
        self._before = np.empty((n + 1, m), np.int32)
        self._after = np.empty((n + 1, m), np.int32)
        self._tied = np.zeros((n + 1, m), bool)
        self._hashes, self._known = np.empty(m, np.uint64), np.empty(m, np.int64)
        self._changes = np.empty((n if look_ahead else 0, m), np.uint64)
        order = np.argsort(orders.low, axis=1, kind="stable")
        chain(orders.low, order, *self._links, self._hashes, self._known)
        all_changes(*self._links, self._changes)
        self._least = self._surprise()

    @property
    def _links(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._before, self._after, self._tied

    @property
    def divergence(self) -> float:
        """Divergence of the features left."""
        return float(self._as_divergence(self._surprise()))

    def remove(self, feature: int) -> None:
        """Remove a feature from every order."""
        cut(*self._links, feature, self._hashes, self._known, self._changes)

    def divergences_without(self, features: np.ndarray, engine: Engine | None = None) -> np.ndarray:
        """Divergence after removing each of some features."""
        out = np.empty(len(features))

        def fill(here: slice) -> None:
            surprises_without(
                features[here], self._hashes, self._known, self._before, self._changes,
                self.classes, self.n_classes, self._logs, out[here],
            )  # fmt: skip

        if len(features) * len(self.classes) < _DIRECT:
            fill(slice(None))  # less work than starting threads
        else:
            blocks = gen_batches(len(features), _BLOCK)
            for _ in (engine or NumbaEngine()).map(fill, blocks):
                pass
        return self._as_divergence(out)

    def _surprise(self) -> float:
        return surprise(self._hashes, self._known, self.classes, self.n_classes, self._logs)

    def _as_divergence(self, surprises: Any) -> Any:
        divergences = (surprises - self._least) / len(self.classes)
        return np.where(on_grid(divergences) > 0, divergences, 0.0)
