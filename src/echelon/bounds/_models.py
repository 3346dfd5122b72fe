"""Linear models: one direction, cut by ordered thresholds, or a regression."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon.bounds._program import (
    Objective,
    ordinal_program,
    regression_program,
    standardised,
    unscaled,
)
from echelon.bounds._solvers import SOLVERS, solve
from echelon.data import read_numbers
from echelon.targets import read_ordered_classes

NUMBERS_ONLY = "a linear model needs numbers"


class LinearOrdinalClassifier(ClassifierMixin, BaseEstimator):
    """Linear support vector machine for ordered classes.

    A sample is given the value ``w.x``, and ordered thresholds cut these values into classes.  The
    fit minimises ``penalty(w) + C * loss``, where the loss sums, for each threshold next to the
    class of a sample, how far the sample is from lying on its side with a margin of 1.  Features
    are standardised first.

    Parameters
    ----------
    penalty : {"l1", "elasticnet", "l2"}, default="l1"
        ``||w||_1``, ``l1_ratio * ||w||_1 + (1 - l1_ratio) / 2 * ||w||^2`` or ``||w||^2 / 2``.
    C : float, default=1.0
        What a unit of loss costs.  Large: few errors; small: few or small weights.
    l1_ratio : float, default=0.5
        Share of the L1 penalty, for penalty="elasticnet" only.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    solver : {"interior-point", "highs"}, default="interior-point"
        Both find the same optimum.  "interior-point" is faster, and turns to HiGHS where it
        stalls; "highs" is for penalty="l1" only.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    coef_ : ndarray of shape (n_features,)
        Weights in the units of the features: a sample has the value ``x @ coef_``.
        ``coef_ * scale_`` are the weights of the standardised features.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Where the values are cut.
    intercept_ : ndarray of shape (n_classes - 1,)
        ``-thresholds_``.
    scale_ : ndarray of shape (n_features,)
        Standard deviations, 1 for constant features (whose weight is 0).
    objective_ : float
        The minimum found.
    n_iter_ : int
        Steps of the solver.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    Notes
    -----
    The answer is that of the fitted thresholds, as in the paper.  Their loss counts, for every
    sample, only the thresholds next to its class: what is fitted is the class itself, not how many
    classes an answer is off.  Where features say little the model is therefore right more often
    but errs further than the median class.  Five classes of equal size, three features of effect
    0.3, 200 samples: accuracy 0.29 and MAE in classes 1.28, which is worse than the baseline
    (1.20); :class:`echelon.OrdinalDecomposition`, which answers the median, 0.26 and 1.09.  With
    strong features (effect 1) the two are alike (0.59 and 0.58).  Use that one where
    the MAE in classes is what counts.

    References
    ----------
    Pfannschmidt, L., Jakob, J., Biehl, M., Tino, P., & Hammer, B. (2019). Feature relevance bounds
    for ordinal regression. ESANN.  Equations (1) and (2), without the factor 0.5.

    Chu, W., & Keerthi, S. S. (2007). Support vector ordinal regression. Neural Computation 19(3),
    792-815.

    Examples
    --------
    >>> from echelon.bounds import LinearOrdinalClassifier
    >>> X = [[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [3.0, 4.0], [4.0, 3.0], [5.0, 5.0]]
    >>> model = LinearOrdinalClassifier().fit(X, [1, 1, 2, 2, 3, 3])
    >>> model.predict([[0.5, 4.0], [4.5, 4.0]])
    array([1, 3])
    >>> (model.coef_ != 0).tolist()
    [True, False]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [StrOptions({"l1", "elasticnet", "l2"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "class_order": [None, "array-like"],
        "solver": [StrOptions(set(SOLVERS))],
    }

    def __init__(
        self,
        penalty: str = "l1",
        C: float = 1.0,
        l1_ratio: float = 0.5,
        *,
        class_order: Sequence | None = None,
        solver: str = "interior-point",
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.class_order = class_order
        self.solver = solver

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> LinearOrdinalClassifier:
        """Find direction and thresholds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Ordered classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        if self.solver == "highs" and self.penalty != "l1":
            raise ValueError(
                f'`penalty` must be "l1" for solver="highs", got {self.penalty!r}. '
                'Use solver="interior-point".'
            )
        values = self._read(X, y, fitting=True)
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        check_consistent_length(values, codes)
        scaled, self._mean, self.scale_ = standardised(values)
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, self.l1_ratio)
        program = replace(ordinal_program(scaled, codes, self.C), l1=ratio, l2=1.0 - ratio)
        found = solve([Objective(program)], self.solver)[0]
        if found.status != "optimal":
            warnings.warn(
                f"The fit is only known to be within {found.objective - found.dual_bound:.1e} of "
                f"the optimum {found.objective:.6g}. Scale the features or use a smaller C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._weights, self._cuts = found.weights, found.thresholds
        self.coef_ = unscaled(found.weights, self.scale_)
        self.thresholds_ = found.thresholds + self._mean @ self.coef_
        self.intercept_ = -self.thresholds_
        self.objective_, self.n_iter_ = found.objective, found.iterations
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """How far samples lie on the side of a class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        distances : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: ``w.x`` less the threshold, positive for the upper class.  More: for every
            class the distance from the nearer of its two thresholds, negative outside; the
            largest is that of the predicted class.
        """
        above = self._values(X)[:, None] - self._cuts
        if len(self.classes_) == 2:
            return above[:, 0]
        beyond = np.full((len(above), 1), np.inf)
        return np.minimum(np.hstack([beyond, above]), np.hstack([-above, beyond]))

    def predict(self, X: Any) -> np.ndarray:
        """The lowest class whose upper threshold is not exceeded.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        classes : ndarray of shape (n_samples,)
            Predicted classes.
        """
        values = self._values(X)
        return self.classes_[(values[:, None] > self._cuts).sum(axis=1)]

    def _values(self, X: Any) -> np.ndarray:
        """``w.x`` of every sample, from standardised features."""
        check_is_fitted(self)
        # Summed column by column, so that a sample has the same value in every batch.
        scaled = (self._read(X) - self._mean) / self.scale_
        return (scaled * self._weights).sum(axis=1)

    def _read(self, X: Any, y: Any = "no_validation", *, fitting: bool = False) -> np.ndarray:
        """Features as numbers; ordered categories as their positions."""
        n_least = 2 if fitting else 1
        columns = read_numbers(X, allow_nan=False, reason=NUMBERS_ONLY, min_samples=n_least)
        validate_data(self, X, y, reset=fitting, skip_check_array=True)
        return columns.values.astype(np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        # Classes without an order along a line, as in scikit-learn's checks, are not told apart.
        tags.classifier_tags.poor_score = True
        return tags


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
        found = solve([Objective(program)])[0]
        self.coef_ = unscaled(found.weights * target_scale[0], scale)
        self.intercept_ = target_mean[0] - found.thresholds[0] * target_scale[0] - mean @ self.coef_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predicted values."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.coef_ + self.intercept_
