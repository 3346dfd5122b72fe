"""Models that respect stated directions: predictions never fall where a feature should raise them.

A linear model bounds the signs of its coefficients; trees and boosted trees of scikit-learn take
``monotonic_cst``.  Ordered classes are one question per threshold, answered by one such model each.
The smallest answer up to a threshold counts there, so that probabilities of classes are never
negative and predicted classes respect the directions, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import lsq_linear, minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.utils.metaestimators import available_if

from echelon._core.samples import fit_weighted, row_counts
from echelon.data import as_table
from echelon.evaluation import OrdinalDecomposition
from echelon.methods import CLASSES, CONTINUOUS, ORDERED
from echelon.study._models import (
    FEW_TREES,
    FOREST,
    LINEAR,
    MOST_ROWS,
    ClassifierOnCodes,
    TableEncoder,
)

BOOSTING = "boosting"
"""Name of the model of gradient-boosted trees."""


def monotone_model(
    kind: str,
    directions: Mapping[str, int],
    model: str = BOOSTING,
    *,
    random_state: Any = None,
    n_samples: int = 0,
) -> Any:
    """A model for tables of any kind whose predictions respect the directions of features.

    Parameters
    ----------
    kind : {"ordinal", "classification", "regression"}
        What the target is; classes must be two, or ordered.
    directions : dict of str to int
        By name of the column 1 (predictions never fall as the feature rises), -1 (they never rise)
        or 0.  Columns not named may do either.
    model : {"linear", "forest", "boosting"}, default="boosting"
        Logistic or ridge regression with bounded signs; a forest of extremely randomised trees; or
        gradient-boosted trees.
    random_state : int, RandomState instance or None, default=None
        Seed.
    n_samples : int, default=0
        Rows of the smallest part that it will be fitted to, as for :func:`forest`.

    Returns
    -------
    model : estimator
        Takes a table as it is: numbers standardised, missing values filled with the mean, nominal
        columns one-hot.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon.study import monotone_model
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 3, labels=[1, 2, 3]).astype(int)
    >>> model = monotone_model("ordinal", {"bmi": 1, "s3": -1}, "linear").fit(X, grade)
    >>> heavier = X.assign(bmi=X["bmi"] + 0.02)
    >>> bool((model.predict(heavier) >= model.predict(X)).all())
    True
    """
    if model not in _MADE:
        raise ValueError(f"`model` must be one of {', '.join(_MADE)}, got {model!r}. Pass one.")
    made = _MADE[model](kind, random_state, n_samples)
    if kind == ORDERED:
        return MonotoneClassifier(MonotoneDecomposition(made), dict(directions))
    if kind == CLASSES:
        return MonotoneClassifier(ClassifierOnCodes(made), dict(directions))
    return MonotoneRegressor(made, dict(directions))


def monotone_models(
    kind: str, directions: Mapping[str, int], random_state: Any, n_samples: int
) -> dict[str, Any]:
    """The models that features with stated directions are evaluated by, the simplest first."""
    return {
        name: monotone_model(kind, directions, name, random_state=random_state, n_samples=n_samples)
        for name in (LINEAR, FOREST)
    }


def _balanced(kind: str) -> dict[str, Any]:
    return {"class_weight": "balanced"} if kind == CLASSES else {}


def _linear(kind: str, random_state: Any, n_samples: int) -> Any:
    return SignedRidge() if kind == CONTINUOUS else SignedLogistic(**_balanced(kind))


def _forest(kind: str, random_state: Any, n_samples: int) -> Any:
    trees = {"n_estimators": FEW_TREES, "min_samples_leaf": 2, "random_state": random_state}
    if n_samples > MOST_ROWS:
        trees |= {"bootstrap": True, "max_samples": MOST_ROWS}
    if kind == CONTINUOUS:
        return ExtraTreesRegressor(**trees)
    return ExtraTreesClassifier(**trees, **_balanced(kind))


def _boosting(kind: str, random_state: Any, n_samples: int) -> Any:
    if kind == CONTINUOUS:
        return HistGradientBoostingRegressor(random_state=random_state)
    return HistGradientBoostingClassifier(random_state=random_state, **_balanced(kind))


_MADE = {LINEAR: _linear, FOREST: _forest, BOOSTING: _boosting}


# ---------------------------------------------------------------------------- tables and classes


class MonotoneModel(BaseEstimator):
    """A model behind the encoder of tables, which is told the direction of every encoded column.

    Parameters
    ----------
    model : estimator
        With a parameter ``monotonic_cst``, its own or that of the model within it.
    directions : dict of str to int
        By name of the column.
    """

    def __init__(self, model: Any, directions: Mapping[str, int]):
        self.model = model
        self.directions = directions

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MonotoneModel:
        """Fit encoder and model."""
        X = as_table(X)
        self.encoder_ = TableEncoder()
        numbers = self.encoder_.fit_transform(X, y)
        names = [str(name) for name in getattr(X, "columns", range(X.shape[1]))]
        signs = np.array([self.directions.get(name, 0) for name in names], dtype=int)
        model = clone(self.model)
        where = next(key for key in model.get_params() if key.endswith("monotonic_cst"))
        model.set_params(**{where: signs[self.encoder_.sources_]})
        self.model_ = fit_weighted(model, numbers, y, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict new rows."""
        return self.model_.predict(self.encoder_.transform(X))


class MonotoneRegressor(RegressorMixin, MonotoneModel):
    """Of numbers."""


class MonotoneClassifier(ClassifierMixin, MonotoneModel):
    """Of two classes, or ordered ones."""

    @property
    def classes_(self) -> np.ndarray:
        """Class labels."""
        return self.model_.classes_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return self.model_.predict_proba(self.encoder_.transform(X))


def _answers(self: MonotoneDecomposition) -> bool:
    return True


class MonotoneDecomposition(OrdinalDecomposition):
    """One question per threshold, whose answers never rise from threshold to threshold."""

    @available_if(_answers)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        above = np.column_stack([each.predict_proba(X)[:, 1] for each in self.estimators_])
        above = np.minimum.accumulate(above, axis=1)
        edges = np.hstack([np.ones((len(above), 1)), above, np.zeros((len(above), 1))])
        return edges[:, :-1] - edges[:, 1:]


# ------------------------------------------------------------------------- bounded coefficients


def _bounds(signs: Any, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every coefficient."""
    signs = np.zeros(n_features) if signs is None else np.asarray(signs)
    return np.where(signs > 0, 0.0, -np.inf), np.where(signs < 0, 0.0, np.inf)


class SignedLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression of 0 and 1, with an L2 penalty and bounded signs of coefficients.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in scikit-learn.
    class_weight : "balanced" or None, default=None
        "balanced": both classes have the same weight.
    monotonic_cst : array-like of shape (n_features,), default=None
        Sign of every coefficient; 0: any.
    """

    def __init__(self, C: float = 1.0, class_weight: str | None = None, monotonic_cst: Any = None):
        self.C = C
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> SignedLogistic:
        """Minimise the penalised loss."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = np.array(row_counts(sample_weight, len(codes)), dtype=float)
        if self.class_weight == "balanced":
            masses = np.bincount(codes, weights)
            weights *= (masses.sum() / (len(masses) * masses))[codes]
        side = np.where(codes == 1, 1.0, -1.0)

        def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
            margin = side * (X @ point[1:] + point[0])
            pull = -weights * side * expit(-margin)
            value = weights @ np.logaddexp(0, -margin) + point[1:] @ point[1:] / (2 * self.C)
            return value, np.append(pull.sum(), X.T @ pull + point[1:] / self.C)

        low, high = _bounds(self.monotonic_cst, X.shape[1])
        bounds = [(None, None), *zip(low, high, strict=True)]
        start, how = np.zeros(X.shape[1] + 1), {"method": "L-BFGS-B", "jac": True}
        found = minimize(loss, start, bounds=bounds, options={"maxiter": 1000}, **how)
        self.intercept_, self.coef_ = found.x[0], found.x[1:]
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of both classes."""
        second = expit(X @ self.coef_ + self.intercept_)
        return np.column_stack([1 - second, second])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The more probable class."""
        return self.classes_[(X @ self.coef_ + self.intercept_ > 0).astype(int)]


class SignedRidge(RegressorMixin, BaseEstimator):
    """Ridge regression with bounded signs of coefficients.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, as in scikit-learn.
    monotonic_cst : array-like of shape (n_features,), default=None
        Sign of every coefficient; 0: any.
    """

    def __init__(self, alpha: float = 1.0, monotonic_cst: Any = None):
        self.alpha = alpha
        self.monotonic_cst = monotonic_cst

    def fit(self, X: np.ndarray, y: Any, sample_weight: Any = None) -> SignedRidge:
        """Least squares within the bounds; the same problem as by the factor of the Gram matrix."""
        y = np.asarray(y, dtype=float)
        weights = row_counts(sample_weight, len(y))
        means, mean = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
        centred = X - means
        gram = centred.T @ (weights[:, None] * centred) + self.alpha * np.eye(X.shape[1])
        factor = cholesky(gram)
        image = solve_triangular(factor, centred.T @ (weights * (y - mean)), trans="T")
        bounds = _bounds(self.monotonic_cst, X.shape[1])
        self.coef_ = lsq_linear(factor, image, bounds, method="bvls").x
        self.intercept_ = mean - means @ self.coef_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict new rows."""
        return X @ self.coef_ + self.intercept_
