"""Rankings by ensembles of trees."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import (
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

from benchmarks.ordered.orders import Ranking, by

TREES = 60


def _on_codes(seed: int) -> RandomForestRegressor:
    return RandomForestRegressor(TREES, max_features=0.33, random_state=seed)


def forest(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Impurity, in a forest of the classes."""
    return by(RandomForestClassifier(TREES, random_state=seed).fit(X, y).feature_importances_)


def forest_on_codes(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Impurity, in a forest of the codes."""
    return by(_on_codes(seed).fit(X, y).feature_importances_)


def forest_permutation(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """What permuting a feature costs on the third of the samples the forest has not seen."""
    A, B, codes, unseen = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    model = _on_codes(seed).fit(A, codes)
    found = permutation_importance(
        model, B, unseen, scoring="neg_mean_absolute_error", n_repeats=3, random_state=seed
    )
    return by(found.importances_mean, model.feature_importances_)


def gradient_boosting(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Impurity, in gradient boosting of the codes."""
    return by(GradientBoostingRegressor(random_state=seed).fit(X, y).feature_importances_)


def boruta(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Boruta's ranks, within a rank by the median importance; kept are the confirmed."""
    from boruta import BorutaPy

    forest = RandomForestClassifier(TREES, max_depth=5, random_state=seed)
    method = BorutaPy(forest, n_estimators=TREES, max_iter=30, random_state=seed).fit(X, y)
    history = np.nan_to_num(method.importance_history_[1:])  # the first row is empty
    order = by(-method.ranking_, np.median(history, axis=0)).order
    return Ranking(order, np.flatnonzero(method.support_).tolist())
