"""The wine data: Table 1, and what Figures 5 to 9 show."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from echelon.neighborhood import dependency, neighborhood_margin, soft_margin
from papers.soft_margin.printed import TABLE_1, columns_of

RADIUS = 0.15
VOTES = ("leave_one_out", "inclusive")
SHOWN = (3, 13, 5)
"""Subsets of Figures 5, 6 and 7."""
CLOSE = (0.2, 0.3)
"""Distances at which the paper says samples are easily mistaken."""
SEPARATING = {10: (2, 3), 13: (1, 2)}
"""Features the paper finds good, and the classes they separate."""
OVERLAPPING = (4, 8)


def wine() -> tuple[np.ndarray, np.ndarray]:
    """Features on [0, 1] and classes 1, 2, 3."""
    X, y = load_wine(return_X_y=True)
    return MinMaxScaler().fit_transform(X), y + 1


def subset_measures(repetitions: int) -> list[dict[str, Any]]:
    """Every row of Table 1."""
    X, y = wine()
    found = []
    for features, *_ in TABLE_1:
        columns = columns_of(features)
        prefixes = [columns[:n] for n in range(1, len(columns) + 1)]
        found.append(
            {
                "dependency": [dependency(X[:, prefix], y, RADIUS) for prefix in prefixes],
                "margin": neighborhood_margin(X[:, columns], y),
                "NSM": [soft_margin(X[:, columns], y, vote=vote)[0] for vote in VOTES],
                "KNN": _knn(X[:, columns], y, repetitions),
            }
        )
    return found


def _knn(X: np.ndarray, y: np.ndarray, repetitions: int) -> list[float]:
    """Accuracy of 5 nearest neighbours in every repetition of the ten folds."""
    splits = [StratifiedKFold(10, shuffle=True, random_state=r) for r in range(repetitions)]
    with threadpool_limits(1):
        return [cross_val_score(KNeighborsClassifier(5), X, y, cv=cv).mean() for cv in splits]


def pictures() -> dict[str, Any]:
    """Distances to the nearest other class in three subsets; four features; how they separate."""
    X, y = wine()
    other = y[:, None] != y
    found: dict[str, Any] = {"classes": y.tolist()}
    for subset in SHOWN:
        columns = columns_of(TABLE_1[subset - 1][0])
        distances = np.where(other, cdist(X[:, columns], X[:, columns]), np.inf)
        found[f"subset {subset}"] = distances.min(axis=1).round(6).tolist()
        close = (distances >= CLOSE[0]) & (distances <= CLOSE[1])
        found[f"pairs {subset}"] = int(close.sum()) // 2
    for feature in (*OVERLAPPING, *SEPARATING):
        values = X[:, feature - 1]
        found[f"feature {feature}"] = values.round(6).tolist()
        found[f"separation {feature}"] = {
            f"{a} {b}": separation(values[y == a], values[y == b])
            for a, b in ((1, 2), (1, 3), (2, 3))
        }
    return found


def separation(first: np.ndarray, second: np.ndarray) -> float:
    """Area under the ROC curve between two classes, whichever is above: 0.5 to 1."""
    classes = np.repeat([0, 1], [len(first), len(second)])
    area = roc_auc_score(classes, np.concatenate([first, second]))
    return float(max(area, 1 - area))
