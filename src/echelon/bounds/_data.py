"""The data of a linear program: standardised samples, and a target that is read and predicted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from echelon.bounds._program import (
    Objective,
    Program,
    Solution,
    ordinal_program,
    regression_program,
    standardised,
)
from echelon.bounds._solvers import solve
from echelon.targets import Target


@dataclass(frozen=True, eq=False)
class TrainingData:
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

    def with_columns(self, columns: np.ndarray) -> TrainingData:
        """The data with one feature more, or several."""
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

    def errors(
        self, costs: np.ndarray, fold: tuple[np.ndarray, np.ndarray], solver: str
    ) -> list[float]:
        """Errors on the test rows of models fitted to the training rows, one for every C.

        Ordered classes: mean absolute error, averaged over the classes.  Regression: mean
        absolute error.
        """
        train, test = fold
        X, mean, scale = standardised(self.X[train])
        labels, codes = np.arange(0), self.target[train]
        if not self.regression:  # a class may be missing from the training rows
            labels, codes = np.unique(codes, return_inverse=True)
            if len(labels) < 2:
                return [self._mean_error(np.full(len(test), labels[0]), test)] * len(costs)
        program = replace(self, X=X, target=codes).program(1.0)
        models = solve([Objective(replace(program, C=float(C))) for C in costs], solver)
        scaled = (self.X[test] - mean) / scale
        return [self._error(scaled @ model.weights, model, labels, test) for model in models]

    def _error(
        self, values: np.ndarray, model: Solution, labels: np.ndarray, test: np.ndarray
    ) -> float:
        if self.regression:
            return self._mean_error(values - model.thresholds[0], test)
        # The lowest class whose upper threshold is not exceeded (section 4 of the paper).
        return self._mean_error(labels[(values[:, None] > model.thresholds).sum(axis=1)], test)

    def _mean_error(self, predicted: np.ndarray, rows: np.ndarray) -> float:
        wrong = np.abs(predicted - self.target[rows])
        if self.regression:
            return float(wrong.mean())
        present = np.unique(self.target[rows])
        return float(np.mean([wrong[self.target[rows] == c].mean() for c in present]))


def _merged(strata: np.ndarray) -> np.ndarray:
    """Strata in which a lone sample joins the largest stratum."""
    largest = np.bincount(strata[strata >= 0]).argmax() if (strata >= 0).any() else 0
    return np.where(strata < 0, largest, strata)


# ---------------------------------------------------------------------------------- the target


class Outcome(NamedTuple):
    """Codes of classes or standardised values."""

    kind: str
    """"ordinal", "classification" or "regression"."""
    labels: np.ndarray | None
    values: np.ndarray
    original: np.ndarray | None = None
    """The values of a regression before they were standardised."""

    def one_vs_rest(self) -> list[np.ndarray]:
        """Targets with an order: itself, or every class of several against the rest."""
        if self.kind != "classification" or len(self.labels) == 2:  # type: ignore[arg-type]
            return [self.values]
        return [(self.values == c).astype(np.int64) for c in range(len(self.labels))]  # type: ignore[arg-type]


def read_outcome(target: Target, problem: str) -> Outcome:
    """What the models of a target are fitted to; ``problem`` is what it was said to be."""
    if target.codes is None:
        values = target.numbers
        return Outcome(target.kind, None, standardised(values[:, None])[0][:, 0], values)
    labels = target.labels.tolist()  # type: ignore[union-attr]
    if problem == "auto" and target.kind == "classification" and len(labels) > 2:
        # They may well have an order, which is worth asking for.
        raise ValueError(
            f"`y` holds labels without a known order ({', '.join(map(repr, labels[:5]))}). Give it "
            'from lowest to highest, for example class_order=["low", "medium", "high"], or say '
            'problem="classification" to bound every class against the rest.'
        )
    return Outcome(target.kind, target.labels, target.codes)
