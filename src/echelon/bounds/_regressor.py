"""The linear model behind the bounds of a regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon.bounds._program import regression_program, standardised, unscaled
from echelon.bounds._solvers import solver_for


class LinearEpsilonRegressor(RegressorMixin, BaseEstimator):
    """L1-regularised regression whose loss starts at an error of epsilon.

    Minimises ``||w||_1 + C * sum of max(0, |error| - epsilon)`` over standardised features and a
    standardised target.

    Parameters
    ----------
    C : float, default=1.0
        What a unit of loss costs.
    epsilon : float, default=0.1
        Error without loss, in standard deviations of the target.
    """

    def __init__(self, C: float = 1.0, epsilon: float = 0.1):
        self.C = C
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any) -> LinearEpsilonRegressor:
        """Find weights and intercept."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        scaled, mean, scale = standardised(X)
        target, target_mean, target_scale = standardised(y[:, None])
        program = regression_program(scaled, target[:, 0], self.C, self.epsilon)
        found = solver_for(program).fit()
        self.coef_ = unscaled(found.weights * target_scale[0], scale)
        self.intercept_ = target_mean[0] - found.thresholds[0] * target_scale[0] - mean @ self.coef_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predicted values."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.coef_ + self.intercept_
