"""Selectors of Tables 3 to 8, and the tables they and the classifiers are given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.svm import SVC

from echelon import CFS, Consistency, NeighborhoodRoughSet, NeighborhoodSoftMargin, ReliefF, Simba

PENALTIES = (0, 1, 4, 8, 16, 32, 64)
RANKINGS = ("NSM", "ReliefF", "SVM", "Simba")
SUBSETS = ("CFS", "C", "NRS")
CLASSIFIERS = {"KNN": KNeighborsClassifier(3), "SVM": SVC()}
"""Parameters the paper does not name are scikit-learn's."""


class Table(NamedTuple):
    """The same samples as they are, with gaps filled, and as numbers for a classifier.

    ``groups`` holds the feature that every column of ``numbers`` belongs to.
    """

    raw: pd.DataFrame
    filled: pd.DataFrame
    numbers: np.ndarray
    groups: np.ndarray

    def rows(self, index: np.ndarray) -> Table:
        """Some of the samples."""
        return Table(
            self.raw.iloc[index], self.filled.iloc[index], self.numbers[index], self.groups
        )

    def of(self, features: Any) -> np.ndarray:
        """Numbers of some features."""
        return self.numbers[:, np.isin(self.groups, features)]


def prepared(X: pd.DataFrame, train: np.ndarray) -> Table:
    """Fill, scale and encode all samples by what the training samples say.

    Two different values of a nominal feature are at distance 1, as in the selectors.
    """
    filled = _filled(X, train)
    numeric = filled.select_dtypes("number")
    nominal = filled.select_dtypes(exclude="number")
    values = numeric.to_numpy(float)
    numbers = [MinMaxScaler().fit(values[train]).transform(values)]
    widths = [1] * numeric.shape[1]
    if nominal.shape[1]:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        numbers.append(encoder.fit(nominal.iloc[train]).transform(nominal) / np.sqrt(2))
        widths += [len(categories) for categories in encoder.categories_]
    groups = np.repeat(X.columns.get_indexer([*numeric, *nominal]), widths)
    return Table(X, filled, np.hstack(numbers), groups)


def _filled(X: pd.DataFrame, train: np.ndarray) -> pd.DataFrame:
    """Medians and most frequent values of the training samples in place of gaps."""
    part = X.loc[:, X.isna().any()].iloc[train]
    numeric, nominal = part.select_dtypes("number"), part.select_dtypes(exclude="number")
    modes = {name: column.mode().iloc[0] for name, column in nominal.items()}
    fill = {**numeric.median().to_dict(), **modes}
    return X.fillna(fill) if fill else X


def ranked(method: str, table: Table, y: np.ndarray, seed: int, n: int | None = None) -> np.ndarray:
    """Features, best first; "NSM 8" is NSM with penalty 8."""
    n = n or table.raw.shape[1]
    if method == "SVM":
        return eliminated(table, y)
    if method == "NSM 0":  # without errors the widest ball is best for every set: all tie
        return np.arange(n)
    if method == "Simba":
        return Simba(n, random_state=seed).fit(table.filled, y).order_
    if method == "ReliefF":
        return ReliefF(n).fit(table.raw, y).order_[:n]
    penalty = float(method.removeprefix("NSM") or 4)
    return NeighborhoodSoftMargin(n, penalty=penalty).fit(table.raw, y).order_


def eliminated(table: Table, y: np.ndarray) -> np.ndarray:
    """Features by the weights of a linear SVM, the smallest eliminated first (Guyon et al. 2002).

    The weight of a feature is the sum of its squared weights over pairs of classes and columns.
    """
    left, removed = list(range(table.raw.shape[1])), []
    while left:
        used = np.isin(table.groups, left)
        model = SVC(kernel="linear").fit(table.numbers[:, used], y)
        squares = (model.coef_**2).sum(axis=0)
        weights = np.bincount(table.groups[used], squares, minlength=table.raw.shape[1])
        removed.append(min(left, key=lambda feature: weights[feature]))
        left.remove(removed[-1])
    return np.array(removed[::-1])


def kept(method: str, table: Table, y: np.ndarray) -> np.ndarray:
    """Features of a method with a rule of its own."""
    if method == "NRS":  # gaps leave empty balls, which are pure
        return np.flatnonzero(NeighborhoodRoughSet().fit(table.filled, y).support_)
    selector = CFS() if method == "CFS" else Consistency()
    return np.flatnonzero(selector.fit(table.raw, y).support_)
