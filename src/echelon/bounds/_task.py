"""What is asked of the data: samples on one scale, a target, and how well a model does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from echelon.bounds._program import (
    Program,
    Solution,
    ordinal_program,
    regression_program,
    standardised,
)


@dataclass(frozen=True, eq=False)
class Task:
    """Standardised samples and a target: codes of ordered classes, or values.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Standardised features.
    target : ndarray of shape (n_samples,)
        Codes 0, 1, ... of ordered classes; for regression, standardised values.
    regression : bool
        Whether the target is values.
    epsilon : float
        Errors of a regression up to this are no loss.
    """

    X: np.ndarray
    target: np.ndarray
    regression: bool = False
    epsilon: float = 0.1

    def program(self, C: float) -> Program:
        """The program of a fit."""
        if self.regression:
            return regression_program(self.X, self.target, C, self.epsilon)
        return ordinal_program(self.X, self.target, C)

    def with_columns(self, columns: np.ndarray) -> Task:
        """The task with one feature more, or several."""
        return replace(self, X=np.column_stack([self.X, columns]))

    def folds(self, cv: Any, random_state: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows; fewer folds than asked for where a class is too small."""
        if not isinstance(cv, Integral):
            return list(check_cv(cv, self.target, classifier=True).split(self.X, self.target))
        if self.regression:
            splitter = KFold(min(cv, len(self.X)), shuffle=True, random_state=random_state)
            return list(splitter.split(self.X))
        smallest = max(2, int(np.bincount(self.target).min()))
        splitter = StratifiedKFold(min(cv, smallest), shuffle=True, random_state=random_state)
        # A class of one sample is in one test fold only; its strata warn about that.
        strata = np.where(np.bincount(self.target)[self.target] < 2, -1, self.target)
        return list(splitter.split(self.X, _merged(strata)))

    def error(self, C: float, fold: tuple[np.ndarray, np.ndarray], fit: Any) -> float:
        """Error on the test rows of a model fitted to the training rows.

        Ordered classes: mean absolute error, averaged over the classes.  Regression: mean
        absolute error.
        """
        train, test = fold
        X, mean, scale = standardised(self.X[train])
        labels, codes = np.arange(0), self.target[train]
        if not self.regression:  # a class may be missing from the training rows
            labels, codes = np.unique(codes, return_inverse=True)
            if len(labels) < 2:
                return self._mean_error(np.full(len(test), labels[0]), test)
        model = fit(replace(self, X=X, target=codes).program(C))
        values = (self.X[test] - mean) / scale @ model.weights
        if self.regression:
            return self._mean_error(values - model.thresholds[0], test)
        return self._mean_error(labels[_classes(values, model)], test)

    def _mean_error(self, predicted: np.ndarray, rows: np.ndarray) -> float:
        wrong = np.abs(predicted - self.target[rows])
        if self.regression:
            return float(wrong.mean())
        present = np.unique(self.target[rows])
        return float(np.mean([wrong[self.target[rows] == c].mean() for c in present]))


def _classes(values: np.ndarray, model: Solution) -> np.ndarray:
    """The lowest class whose upper threshold is not exceeded (section 4 of the paper)."""
    return (values[:, None] > model.thresholds).sum(axis=1)


def _merged(strata: np.ndarray) -> np.ndarray:
    """Strata in which a lone sample joins the largest stratum."""
    largest = np.bincount(strata[strata >= 0]).argmax() if (strata >= 0).any() else 0
    return np.where(strata < 0, largest, strata)
