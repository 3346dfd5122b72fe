"""What judges a set of features, by kind of target: three models, their loss, and the guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from echelon.methods import CLASSES, CONTINUOUS, ORDERED

MODELS = ("linear", "9 neighbours", "extra trees")
TREES = {"n_estimators": 30, "min_samples_leaf": 2, "random_state": 0}


class Judge(NamedTuple):
    """Models made anew, what is answered without features, and the loss of answers."""

    models: Callable[[], tuple[Any, ...]]
    guess: Callable[[np.ndarray], float]
    loss: Callable[[np.ndarray, np.ndarray], float]


def _regressors() -> tuple[Any, ...]:
    return Ridge(1.0), KNeighborsRegressor(9), ExtraTreesRegressor(**TREES)


def _classifiers() -> tuple[Any, ...]:
    return LogisticRegression(max_iter=500), KNeighborsClassifier(9), ExtraTreesClassifier(**TREES)


def _absolute(truth: np.ndarray, answers: np.ndarray) -> float:
    return float(np.abs(answers - truth).mean())


def _wrong(truth: np.ndarray, answers: np.ndarray) -> float:
    return float(np.mean(answers != truth))


def _most_frequent(y: np.ndarray) -> float:
    return float(np.bincount(y).argmax())


JUDGES = {
    ORDERED: Judge(_regressors, np.median, _absolute),
    CONTINUOUS: Judge(_regressors, np.median, _absolute),
    CLASSES: Judge(_classifiers, _most_frequent, _wrong),
}
"""By kind of target."""
