"""Tables 2 to 8: the best number of features of every ranking, on ten data sets.

Four protocols stand side by side.  ``outside``: ranked on all rows, and the number of features
with the smallest cross-validated error, as the paper seems to have done.  ``ranked inside``:
ranked on the training part of every fold, the number still the one that did best on the test
parts.  ``inside``: ranking and number from the training part alone, so that the test part decides
nothing.  A ranking may change with the number of rows, and inside the number is found with rankings
of fewer rows than it is used with; ``inside, same ranking`` finds it with the ranking it is used
with, still without the test part.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from echelon import OrdinalTree
from echelon.evaluation import feature_curve, rank_loss
from papers.cells import Task
from papers.data import Data
from papers.large_margin._methods import METHODS, FixedOrder
from papers.large_margin._printed import ERROR

LARGE = "adult"
"""One repetition on some of the rows, and the number of features by one split, not three folds."""

SMALL = ("pasture", "cpu", "bankruptcyrisk")
REPETITIONS = {**dict.fromkeys(ERROR, 1), **dict.fromkeys(SMALL, 3)}
ROWS = 4_000
"""Rows of the large data, drawn at random."""

RANKING_TREE = OrdinalTree("ranking", min_samples_leaf=2, answer="mode")
"""The paper's classifier, for the error and the rank loss."""

ENTROPY_TREE = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
"""In place of C4.5, for the F-measure."""


class Measures(NamedTuple):
    """What a table holds about one set of features and one fold."""

    error: float
    loss: float
    F: float


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Two cells per data set, method and repetition."""
    names = ("pasture", LARGE) if quick else tuple(ERROR)
    return {
        f"{kind}/{name}/{method}/{repetition}": partial(task, data, name, method, repetition)
        for kind, task in (("tables", cell), ("same ranking", same_ranking))
        for name in names
        for method in METHODS
        for repetition in range(1 if quick else REPETITIONS[name])
    }


def read(data: Data, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features as numbers, which of them are nominal, and classes as 0, 1, 2, ...

    Nominal values become codes, a missing one a code of its own; a missing number becomes the
    median.  Neither looks at the classes.
    """
    frame, y = data.load(name)
    if len(frame) > ROWS and name == LARGE:
        drawn = np.sort(np.random.default_rng(0).permutation(len(frame))[:ROWS])
        frame, y = frame.iloc[drawn].copy(), y.iloc[drawn]
    nominal = np.array([column.dtype.kind not in "biuf" for _, column in frame.items()])
    for label, is_nominal in zip(frame.columns, nominal, strict=True):
        column = frame[label]
        if is_nominal:
            frame[label] = column.astype("category").cat.codes
        else:
            frame[label] = column.fillna(column.median())
    return frame.to_numpy(float), nominal, np.unique(y, return_inverse=True)[1]


class Setting(NamedTuple):
    """One repetition on one data set with one method."""

    X: np.ndarray
    y: np.ndarray
    folds: list[Any]
    selector: Any

    @classmethod
    def of(cls, data: Data, name: str, method: str, repetition: int) -> Setting:
        """Read the data, draw the folds, make the selector."""
        X, nominal, y = read(data, name)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=repetition).split(X, y))
        return cls(X, y, folds, METHODS[method](nominal, repetition))

    def order(self, rows: Any = slice(None)) -> np.ndarray:
        """Features ranked on some rows, best first."""
        return clone(self.selector).fit(self.X[rows], self.y[rows]).order_

    def number(self, selector: Any, rows: np.ndarray, name: str) -> int:
        """The number of features with the smallest error within the rows given."""
        X, y = self.X[rows], self.y[rows]
        cv = ShuffleSplit(1, test_size=0.2, random_state=0) if name == LARGE else 3
        return feature_curve(selector, RANKING_TREE, X, y, cv=cv, random_state=0).best_size


def cell(data: Data, name: str, method: str, repetition: int) -> dict[str, Any]:
    """Means over five folds: per protocol and number of features, and selected inside."""
    setting = Setting.of(data, name, method, repetition)
    folds = setting.folds
    measured = cache(partial(_measures, setting.X, setting.y, folds))
    outside = scored(measured, [setting.order()] * len(folds))
    inside = scored(measured, [setting.order(train) for train, _ in folds])
    numbers = [setting.number(setting.selector, train, name) for train, _ in folds]
    chosen = {m: np.mean([v[k - 1, f] for f, k in enumerate(numbers)]) for m, v in inside.items()}
    return {
        "outside": _means(outside),
        "ranked inside": _means(inside),
        "inside": {**chosen, "number": float(np.mean(numbers))},
    }


def same_ranking(data: Data, name: str, method: str, repetition: int) -> dict[str, float]:
    """Means over five folds, the number of features found with the ranking it is used with."""
    setting = Setting.of(data, name, method, repetition)
    found = []
    for fold, (train, _) in enumerate(setting.folds):
        order = setting.order(train)
        number = setting.number(FixedOrder(tuple(order)), train, name)
        features = tuple(sorted(order[:number]))
        found.append((*_measures(setting.X, setting.y, setting.folds, fold, features), number))
    return dict(zip((*Measures._fields, "number"), np.mean(found, axis=0).tolist(), strict=True))


def scored(measured: Callable[..., Measures], orders: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Error, rank loss and F-measure for every number of features and fold."""
    found = [
        [measured(fold, tuple(sorted(order[:k]))) for k in range(1, len(order) + 1)]
        for fold, order in enumerate(orders)
    ]
    return dict(zip(Measures._fields, np.array(found).transpose(2, 1, 0), strict=True))


def _measures(
    X: np.ndarray, y: np.ndarray, folds: list[Any], fold: int, features: tuple[int, ...]
) -> Measures:
    train, test = folds[fold]
    known, columns = y[test], X[:, features]
    ranking, entropy = (
        clone(tree).fit(columns[train], y[train]).predict(columns[test])
        for tree in (RANKING_TREE, ENTROPY_TREE)
    )
    return Measures(
        float(np.mean(known != ranking)),
        rank_loss(known, ranking),
        f1_score(known, entropy, average="weighted"),
    )


def _means(values: dict[str, np.ndarray]) -> dict[str, list[float]]:
    return {measure: each.mean(axis=1).round(5).tolist() for measure, each in values.items()}
