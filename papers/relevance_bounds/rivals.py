"""What the bounds are compared with, cross-validated elimination of features, and how."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_selection import RFECV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from threadpoolctl import threadpool_limits

from echelon import LinearOrdinalClassifier
from echelon.evaluation import macro_mean_absolute_error_scorer

COSTS = np.array([1, 3, 10, 30, 100, 300, 1000])
RIVALS = {"lasso": "l1", "elasticnet": "elasticnet"}


def eliminated(X: np.ndarray, y: np.ndarray, penalty: str, seed: int) -> RFECV:
    """Cross-validated elimination, as the paper does for Lasso and ElasticNet.

    C by 5-fold cross-validation, then recursive elimination with 5 folds, both on macro-averaged
    absolute error.
    """
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = GridSearchCV(
        LinearOrdinalClassifier(penalty),
        {"C": COSTS / len(X)},
        scoring=macro_mean_absolute_error_scorer,
        cv=folds,
    ).fit(X, y)
    elimination = RFECV(
        search.best_estimator_,
        cv=folds,
        scoring=macro_mean_absolute_error_scorer,
        importance_getter=lambda model: np.abs(model.coef_ * model.scale_),
    )
    return elimination.fit(X, y)


def exceeds(values: pd.Series, others: pd.Series) -> bool:
    """Whether values are larger than others of the same data by more than two standard errors."""
    gaps = values - others
    return bool(gaps.mean() > 2 * gaps.sem())


def alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run without warnings, on one thread: for programs this small more only get in the way."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return function(*arguments)
