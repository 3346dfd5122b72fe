"""What a set of discretised features says about the classes, from counts alone.

``Uncertainties`` and ``Patterns`` answer for one feature against all others, and one feature more
in a set, in time linear in samples times features.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d

from echelon.data import as_table, read_columns
from echelon.filters._base import Labels, label_columns, log_table
from echelon.filters._loops import joint_sums, majorities
from echelon.targets import read_classes


def symmetric_uncertainty(a: Any, b: Any) -> float:
    """Symmetric uncertainty of two nominal variables, 2 I(a; b) / (H(a) + H(b)).

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Labels of any kind; missing ones are a label of their own.

    Returns
    -------
    uncertainty : float
        From 0 (independent, or both constant) to 1 (each determines the other).

    References
    ----------
    .. [1] M. A. Hall, "Correlation-based feature selection for discrete and numeric class machine
       learning", ICML 2000.

    Examples
    --------
    >>> from echelon.filters import symmetric_uncertainty
    >>> symmetric_uncertainty(["x", "x", "y", "y"], [1, 1, 0, 0])
    1.0
    >>> symmetric_uncertainty(["x", "x", "y", "y"], [1, 1, 0, 2])
    0.8
    """
    check_consistent_length(a, b)
    if len(a) == 0:
        raise ValueError("`a` and `b` have no samples. Pass one label or more.")
    codes = np.stack([pd.factorize(column_or_1d(v), use_na_sentinel=False)[0] for v in (a, b)])
    labels = Labels(codes.astype(np.int32), codes.max(axis=1) + 1)
    return float(Uncertainties(labels).of(labels.codes[0])[1])


def inconsistency_rate(
    X: Any,
    y: Any,
    *,
    discretize: str = "mdl",
    n_bins: int = 10,
    categorical_features: Any = "from_dtype",
) -> float:
    """Share of samples outside the majority class of their pattern (Section 2 of [1]_).

    A pattern is the discretised values of all features of a sample.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Classes.
    discretize : {"mdl", "quantile"}, default="mdl"
        How numeric features are cut, as in :class:`echelon.Consistency`.
    n_bins : int, default=10
        Bins of "quantile", at most.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.

    Returns
    -------
    rate : float
        0 if the features tell all samples of different classes apart.

    References
    ----------
    .. [1] M. Dash, H. Liu, "Consistency-based search in feature selection", Artificial
       Intelligence 151, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon.filters import inconsistency_rate
    >>> X, y = load_iris(return_X_y=True)
    >>> round(inconsistency_rate(X[:, 2:], y), 3)
    0.04
    """
    X = as_table(X)
    _check_cuts(discretize, n_bins)
    columns = read_columns(X, categorical_features, allow_nan=True)
    _, classes = read_classes(y)
    check_consistent_length(columns.values, classes)
    patterns = Patterns(label_columns(columns, classes, discretize, n_bins), classes)
    return patterns.n_inconsistent_with_all() / len(classes)


def _check_cuts(discretize: Any, n_bins: Any) -> None:
    if discretize not in ("mdl", "quantile"):
        raise ValueError(
            f'`discretize` must be "mdl" or "quantile", got {discretize!r}. Choose one of them.'
        )
    if not isinstance(n_bins, Integral) or n_bins < 2:
        raise ValueError(
            f"`n_bins` must be an integer of at least 2, got {n_bins!r}. Ask for more bins."
        )


ROUNDING = 1e-12
"""Entropies of weighted samples below this, in bits, are 0."""


class Uncertainties:
    """What one variable and every feature say of each other.

    Sums are those of n H(v), which is n log2(n) less the sum of c log2(c) over the counts c of v:
    integers, multiples of 1 / 2**bits, or masses of weighted samples.
    """

    def __init__(self, labels: Labels, weights: np.ndarray | None = None):
        self.labels, self._weights = labels, weights
        n_samples = labels.codes.shape[1]
        self._table, self._bits = log_table(n_samples)
        self._all = np.arange(len(labels.codes))
        together = np.zeros(n_samples, np.int32)
        self._total, self._own = self._sum_of(together), self._joint(together, self._all)

    def of(self, codes: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Symmetric uncertainty of a variable, given by its codes, with some features, or all."""
        shared, both = self._sums(codes, features)
        if self._weights is None:
            return 2 * shared / np.maximum(both, 1)
        some = both > ROUNDING * self._weights.sum()
        return np.where(some, 2 * shared, 0.0) / np.where(some, both, 1.0)

    def information(self, codes: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Mutual information of a variable with some features, or all, in bits."""
        shared, _ = self._sums(codes, features)
        if self._weights is not None:
            return shared / self._weights.sum()
        return np.ldexp(shared.astype(float), -self._bits) / len(codes)

    def _sums(
        self, codes: np.ndarray, features: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mutual information, and the sum of both entropies, times samples."""
        features = self._all if features is None else features
        apart = self._sum_of(codes) + self._own[features]
        shared = self._total - apart + self._joint(codes, features)
        return np.maximum(shared, 0), 2 * self._total - apart

    def _sum_of(self, codes: np.ndarray) -> Any:
        """The sum of c log2(c) over the counts, or masses, of codes."""
        counts = np.bincount(codes, self._weights)
        if self._weights is None:
            return self._table[counts].sum()
        masses = counts[counts > 0]
        return (masses * np.log2(masses)).sum()

    def _joint(self, codes: np.ndarray, features: np.ndarray) -> np.ndarray:
        """The sum of c log2(c) over the cells of a variable and each of some features."""
        if self._weights is None:
            groups = codes.astype(np.int32), *_groups(codes)
            return joint_sums(*self.labels, features, *groups, self._table)
        cells = codes * self.labels.n_labels[features, None] + self.labels.codes[features]
        return np.array([self._sum_of(np.unique(row, return_inverse=True)[1]) for row in cells])


class Patterns:
    """Samples grouped by their values of the features added so far, and their classes."""

    def __init__(self, labels: Labels, classes: np.ndarray):
        self.labels, self.classes = labels, classes
        self.n_classes = int(classes.max()) + 1
        self._ids = np.zeros(len(classes), np.int64)

    def add(self, feature: int) -> None:
        """Split the groups by the labels of a feature."""
        pairs = self._ids * self.labels.n_labels[feature] + self.labels.codes[feature]
        self._ids = np.unique(pairs, return_inverse=True)[1]

    def n_inconsistent(self) -> int:
        """Samples outside the majority class of their group."""
        return len(self.classes) - int(self._counts().max(axis=1).sum())

    def n_inconsistent_with(self, features: np.ndarray) -> np.ndarray:
        """Samples outside the majority class if each of some features is added."""
        counts = self._counts()
        # A group of one class stays one: only samples of the others are counted again.
        mixed = np.flatnonzero((counts.max(axis=1) < counts.sum(axis=1))[self._ids])
        order, starts = _groups(self._ids[mixed])
        codes, n_labels = self.labels
        groups, classes = (mixed[order], starts), (self.classes, self.n_classes)
        return len(mixed) - majorities(codes, features, n_labels.max(), *groups, *classes)

    def n_inconsistent_with_all(self) -> int:
        """Samples outside the majority class of their pattern of all features."""
        everything = Patterns(self.labels, self.classes)
        for feature in range(len(self.labels.codes)):
            if everything.n_inconsistent() == 0:
                break
            everything.add(feature)
        return everything.n_inconsistent()

    def _counts(self) -> np.ndarray:
        """Samples by group and class."""
        n_groups = int(self._ids.max()) + 1
        cells = self._ids * self.n_classes + self.classes
        counts = np.bincount(cells, minlength=n_groups * self.n_classes)
        return counts.reshape(n_groups, self.n_classes)


def _groups(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Samples sorted by code, and where the samples of each code start; empty codes are left."""
    sizes = np.bincount(codes)
    return np.argsort(codes, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])
