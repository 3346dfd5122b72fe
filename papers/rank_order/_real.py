"""Gene expressions: whole paths, accuracy of the last subsets, and of random ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from echelon import RankOrderClassifier, RankOrderSelector
from papers.cells import Task
from papers.data import Data

SETS = ("leukemia, 2 classes", "leukemia", "drosophila")
EXACT = "cdv"
TWO_STAGES = "cdv, step 0.02 to a tenth, then 1"
PATHS: dict[str, dict[str, Any]] = {
    "spoilers": {"criterion": "spoilers"},
    EXACT: {"criterion": "cdv"},
    "cdv, step 0.02": {"criterion": "cdv", "step": 0.02},
    TWO_STAGES: {"criterion": "cdv", "step": 0.02},
    "kl": {"criterion": "kl"},
}
REPEATED = ("drosophila", "leukemia")
"""Where the exact path is repeated in every fold: an hour, and another one for two classes."""
METHODS = ("bayes", "kernel", "center")
LAST, N_RANDOM, N_FOLDS = 80, 100, 5
Split = tuple[np.ndarray, np.ndarray]


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """Paths with selection outside and inside the folds, and random subsets of every size."""
    cells: dict[str, Task] = {}
    for name in SETS:
        for selection in PATHS:
            cells[f"{name}/{selection}/outside"] = partial(outside, data, name, selection)
            if selection != EXACT:
                cells[f"{name}/{selection}/inside"] = partial(inside, data, name, selection)
        for size in range(2, (4 if quick else LAST) + 1):
            cells[f"{name}/random/{size}"] = partial(at_random, data, name, size, quick=quick)
    for name, fold in product(REPEATED, range(N_FOLDS)):
        cells[f"{name}/{EXACT}/inside/{fold}"] = partial(in_one_fold, data, name, fold)
    return cells


@lru_cache(maxsize=1)
def load(data: Data, name: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Values, classes and names of the features."""
    X, y = data.load(name)
    return X.to_numpy(float), y.to_numpy(), list(X.columns)


def outside(data: Data, name: str, selection: str) -> dict[str, Any]:
    """Select on all samples, as the paper does; accuracy of the last subsets."""
    X, y, names = load(data, name)
    start = perf_counter()
    order, n_free = eliminated(X, y, selection)
    seconds = perf_counter() - start
    return {
        "seconds": seconds,
        "removed at divergence 0": n_free,
        "n_features": X.shape[1],
        "last": [names[f] for f in order[:LAST]],
        "accuracy": curves(X, y, [order] * N_FOLDS),
    }


def inside(data: Data, name: str, selection: str) -> dict[str, Any]:
    """Select in every fold on its training part only."""
    X, y, _ = load(data, name)
    orders = [eliminated(X[train], y[train], selection)[0] for train, _ in splits(X, y)]
    return {"accuracy": curves(X, y, orders)}


def in_one_fold(data: Data, name: str, fold: int) -> dict[str, Any]:
    """The exact path in one fold: how many of its samples are recognised."""
    X, y, _ = load(data, name)
    train, test = splits(X, y)[fold]
    order, _ = eliminated(X[train], y[train], EXACT)
    sizes = range(2, min(LAST, X.shape[1]) + 1)
    right = {
        method: {str(n): n_right(X, y, (train, test), order[:n], method) for n in sizes}
        for method in METHODS
    }
    return {"right": right, "of": len(test)}


def with_all_folds(found: dict[str, Any]) -> dict[str, Any]:
    """The cells, with those of the exact path put together from its folds."""
    joined = dict(found)
    for name in REPEATED:
        folds = [found[f"{name}/{EXACT}/inside/{fold}"] for fold in range(N_FOLDS)]
        n_samples = sum(fold["of"] for fold in folds)
        joined[f"{name}/{EXACT}/inside"] = {
            "accuracy": {
                method: {
                    size: sum(fold["right"][method][size] for fold in folds) / n_samples
                    for size in folds[0]["right"][method]
                }
                for method in METHODS
            }
        }
    return joined


def eliminated(X: np.ndarray, y: np.ndarray, selection: str) -> tuple[np.ndarray, int]:
    """Features, last removed first, of the whole path; and how many went at divergence 0."""
    n_wanted = max(2, X.shape[1] // 10) if selection == TWO_STAGES else 1
    first = RankOrderSelector(n_wanted, **PATHS[selection]).fit(X, y)
    n_free = int((first.path_.divergence == 0).sum())
    if selection != TWO_STAGES:
        return first.order_, n_free
    left = np.flatnonzero(first.support_)
    second = RankOrderSelector(1, criterion="cdv").fit(X[:, left], y)
    order = np.concatenate([left[second.order_], first.order_[len(left) :]])
    return order, n_free + int((second.path_.divergence == 0).sum())


def at_random(data: Data, name: str, size: int, *, quick: bool) -> dict[str, list[float]]:
    """Accuracies of random subsets of one size."""
    X, y, _ = load(data, name)
    rng, folds = np.random.default_rng(size), splits(X, y)
    subsets = [rng.choice(X.shape[1], size, replace=False) for _ in range(2 if quick else N_RANDOM)]
    return {
        method: [accuracy(X, y, [(fold, s) for fold in folds], method) for s in subsets]
        for method in METHODS
    }


def curves(X: np.ndarray, y: np.ndarray, orders: list[np.ndarray]) -> dict[str, dict[str, float]]:
    """Accuracy by method and number of features, with the order of every fold."""
    folds, sizes = splits(X, y), range(2, min(LAST, X.shape[1]) + 1)
    pairs = list(zip(folds, orders, strict=True))
    return {
        method: {
            str(size): accuracy(X, y, [(fold, order[:size]) for fold, order in pairs], method)
            for size in sizes
        }
        for method in METHODS
    }


def splits(X: np.ndarray, y: np.ndarray) -> list[Split]:
    """The five folds, the same for all."""
    return list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y))


def accuracy(
    X: np.ndarray, y: np.ndarray, parts: Iterable[tuple[Split, np.ndarray]], method: str
) -> float:
    """Share of samples recognised by the fold that did not see them, with its features."""
    return sum(n_right(X, y, fold, features, method) for fold, features in parts) / len(y)


def n_right(X: np.ndarray, y: np.ndarray, fold: Split, features: np.ndarray, method: str) -> int:
    """Samples of a fold recognised by a model that did not see them."""
    train, test = fold
    model = RankOrderClassifier(method, n_jobs=1).fit(X[np.ix_(train, features)], y[train])
    return int((model.predict(X[np.ix_(test, features)]) == y[test]).sum())
