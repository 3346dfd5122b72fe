"""Ten-fold cross-validation with selection before it, as in the paper, and inside it.

Every cell is one repetition: one shuffled split into ten folds, the same for all methods.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from papers.data import Data
from papers.soft_margin.methods import CLASSIFIERS, Table, kept, prepared, ranked

N_FOLDS = 10
NOISE = 0.1
MOST_GENES = 30
TOO_SMALL = ("RBB", "GCB", "NIL")
"""Classes of the lymphoma data without which they have the paper's 88 samples."""
GENE_CLASSIFIERS = {
    "KNN": KNeighborsClassifier(5),
    "LSVM": SVC(kernel="linear"),
    "RBF-SVM": SVC(),
    "CART": DecisionTreeClassifier(random_state=0),
}


class Labels(NamedTuple):
    """Classes as selectors and training see them, and the true ones."""

    seen: np.ndarray
    true: np.ndarray


class Fold(NamedTuple):
    """One split: the table prepared by its training samples, and the two sets of rows."""

    table: Table
    train: np.ndarray
    test: np.ndarray


def load(data: Data, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A data set as the paper has it: without the columns and classes it does not count."""
    X, y = data.load(name)
    if name == "segmentation":
        X = X.loc[:, X.max() > X.min()]
    large = ~y.isin(TOO_SMALL).to_numpy()
    return X[large].reset_index(drop=True), np.unique(y[large], return_inverse=True)[1]


def sizes(data: Data, name: str) -> list[int]:
    """Samples, features, classes, and missing values."""
    X, y = load(data, name)
    return [*X.shape, len(np.unique(y)), int(X.isna().sum().sum())]


def labels_of(y: np.ndarray, share: float, seed: int) -> Labels:
    """The share of the classes changed to another one."""
    rng = np.random.default_rng(seed)
    wrong = rng.choice(len(y), round(share * len(y)), replace=False)
    seen, n_classes = y.copy(), y.max() + 1
    seen[wrong] = (y[wrong] + rng.integers(1, n_classes, len(wrong))) % n_classes
    return Labels(seen, y)


def folds(X: pd.DataFrame, y: np.ndarray, seed: int) -> Iterator[Fold]:
    """Ten stratified folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer samples than folds
        splits = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y))
    for train, test in splits:
        yield Fold(prepared(X, train), train, test)


class Judge:
    """Accuracy of classifiers on a fold for any set of features, computed once."""

    def __init__(
        self, fold: Fold, train: np.ndarray, test: np.ndarray, classifiers: Mapping[str, Any]
    ) -> None:
        self.fold, self.y_train, self.y_test = fold, train[fold.train], test[fold.test]
        self.classifiers = list(classifiers.values())
        self.known: dict[frozenset[int], list[float]] = {}

    def __call__(self, features: np.ndarray) -> list[float]:
        """Accuracy of every classifier."""
        key = frozenset(features.tolist())
        if key not in self.known:
            self.known[key] = self._accuracies(features)
        return self.known[key]

    def along(self, order: np.ndarray) -> list[list[float]]:
        """Accuracies with the first, the first two, ... features."""
        return [self(order[:m]) for m in range(1, len(order) + 1)]

    def _accuracies(self, features: np.ndarray) -> list[float]:
        table = self.fold.table.of(features)
        train, test = table[self.fold.train], table[self.fold.test]
        # One thread: among equally near neighbours the choice depends on the number of threads.
        with threadpool_limits(1), config_context(assume_finite=True):
            fitted = [clone(each).fit(train, self.y_train) for each in self.classifiers]
            return [float(np.mean(each.predict(test) == self.y_test)) for each in fitted]


def ranking_cell(
    data: Data, name: str, method: str, repetition: int, noise: float = 0.0
) -> dict[str, Any]:
    """Curves over the first m features of a ranking made before and inside the folds."""
    X, y = load(data, name)
    labels = labels_of(y, noise, repetition)
    everything = prepared(X, np.arange(len(y)))
    before = ranked(method, everything, labels.seen, repetition)
    return _curves(X, labels, before, CLASSIFIERS, method, repetition)


def gene_cell(data: Data, name: str, method: str, repetition: int) -> dict[str, Any]:
    """The same for the first genes of the wide data, and the accuracy with all of them."""
    X, y = load(data, name)
    n = min(MOST_GENES, X.shape[1])
    before = ranked(method, prepared(X, np.arange(len(y))), y, repetition, n)
    return _curves(X, Labels(y, y), before, GENE_CLASSIFIERS, method, repetition)


def _curves(
    X: pd.DataFrame,
    labels: Labels,
    before: np.ndarray,
    classifiers: Mapping[str, Any],
    method: str,
    repetition: int,
) -> dict[str, Any]:
    """Accuracy for every number of features, as (folds, m, classifiers), then summed up.

    Before the folds the classifiers see the true classes even where the ranking saw wrong ones:
    the accuracies the paper prints cannot be reached otherwise.
    """
    outside, inside = [], []
    for fold in folds(X, labels.true, repetition):
        judge = Judge(fold, labels.true, labels.true, classifiers)
        outside.append(judge.along(before))
        if (labels.seen != labels.true).any():
            judge = Judge(fold, labels.seen, labels.true, classifiers)
        rows, seen = fold.table.rows(fold.train), labels.seen[fold.train]
        inside.append(judge.along(ranked(method, rows, seen, repetition, len(before))))
    return {
        "outside": _by_classifier(np.mean(outside, axis=0), classifiers),
        "inside": _by_classifier(np.mean(inside, axis=0), classifiers),
        "chosen": _by_classifier(_chosen(np.array(inside)), classifiers),
    }


def _chosen(curves: np.ndarray) -> np.ndarray:
    """Accuracy and size when every fold uses the size that is best in the other nine."""
    others = curves.sum(axis=0) - curves
    best = others.argmax(axis=1)
    reached = np.take_along_axis(curves, best[:, None, :], axis=1)[:, 0]
    return np.stack([reached.mean(axis=0), best.mean(axis=0) + 1])


def _by_classifier(values: np.ndarray, classifiers: Mapping[str, Any]) -> dict[str, Sequence]:
    columns = values.round(6).T.tolist()
    return dict(zip(classifiers, columns, strict=True))


def subset_cell(data: Data, name: str, method: str, repetition: int) -> dict[str, Any]:
    """Accuracy and size of what a method keeps, before and inside the folds."""
    X, y = load(data, name)
    before = kept(method, prepared(X, np.arange(len(y))), y)
    outside, inside = [], []
    for fold in folds(X, y, repetition):
        judge = Judge(fold, y, y, CLASSIFIERS)
        features = kept(method, fold.table.rows(fold.train), y[fold.train])
        outside.append([*judge(before), len(before)])
        inside.append([*judge(features), len(features)])
    parts = {"outside": outside, "inside": inside}
    return {part: np.mean(found, axis=0).round(6).tolist() for part, found in parts.items()}


def raw_cell(
    data: Data, name: str, repetition: int, noise: float = 0.0, genes: bool = False
) -> list[float]:
    """Accuracy of every classifier with all features."""
    X, y = load(data, name)
    seen, every = labels_of(y, noise, repetition).seen, np.arange(X.shape[1])
    classifiers = GENE_CLASSIFIERS if genes else CLASSIFIERS
    found = [Judge(fold, seen, y, classifiers)(every) for fold in folds(X, y, repetition)]
    return np.mean(found, axis=0).round(6).tolist()
