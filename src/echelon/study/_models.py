"""The model that features are judged by, what it is scored by, and the guess it must beat."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline, make_pipeline

from echelon._core.compat import scorer_sign
from echelon._core.sample_weights import fit_weighted
from echelon.evaluation import OrdinalDecomposition, rank_loss_scorer
from echelon.study._encoder import TableEncoder
from echelon.study._folds import Splits
from echelon.study._rule import Rule
from echelon.targets import Target, read_ordered_classes


class Scoring(NamedTuple):
    """A scorer, and how to speak of its values."""

    scorer: Any
    name: str
    sign: int
    """-1 where a smaller value is better; scores times sign are the values shown."""


class Study(NamedTuple):
    """What all methods are judged by."""

    X: pd.DataFrame
    target: Target
    estimator: Any
    scoring: Scoring
    splits: Splits
    rule: Rule
    n_resamples: int
    options: dict[str, Any]
    """``n_jobs``, ``random_state`` and ``verbose``."""
    weights: np.ndarray | None = None
    """What rows weigh."""


class Encoded(Pipeline):
    """A model behind the encoder of tables, which passes weights of samples on to the model."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Encoded:
        """Fit encoder and model."""
        if sample_weight is not None:
            params |= {f"{self.steps[-1][0]}__sample_weight": sample_weight}
        return super().fit(X, y, **params)


def encoded(model: Any) -> Encoded:
    """The model behind the encoder, named as ``make_pipeline`` names its steps."""
    return Encoded(make_pipeline(TableEncoder(), model).steps)


def default_estimator(kind: str) -> Any:
    """A linear model over numbers and labels alike."""
    if kind == "ordinal":
        model = OrdinalDecomposition(LogisticRegression(max_iter=1000))
        return encoded(model)
    if kind == "classification":
        model = LogisticRegression(max_iter=1000, class_weight="balanced")
        return encoded(model)
    return encoded(Ridge())


def forest(kind: str, random_state: Any = None) -> Any:
    """A forest of extremely random trees: on the codes of ordered classes, rounded."""
    trees = {"n_estimators": 100, "min_samples_leaf": 2, "random_state": random_state}
    model: Any
    if kind == "ordinal":
        model = RegressionOnCodes(ExtraTreesRegressor(**trees))
    elif kind == "classification":
        model = ClassifierOnCodes(ExtraTreesClassifier(class_weight="balanced", **trees))
    else:
        model = ExtraTreesRegressor(**trees)
    return encoded(model)


class RegressionOnCodes(ClassifierMixin, BaseEstimator):
    """A regressor of the codes 0, 1, ... of ordered classes, which answers the nearest class."""

    def __init__(self, regressor: Any):
        self.regressor = regressor

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RegressionOnCodes:
        """Fit the regressor to the codes of y."""
        self.classes_, codes = read_ordered_classes(y)
        self.regressor_ = fit_weighted(clone(self.regressor), X, codes, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class nearest to the predicted code."""
        codes = np.rint(self.regressor_.predict(X)).astype(int)
        return self.classes_[np.clip(codes, 0, len(self.classes_) - 1)]


class ClassifierOnCodes(ClassifierMixin, BaseEstimator):
    """A classifier of the codes 0, 1, ... of classes, which answers classes.

    Balanced forests of scikit-learn 1.9 fail on labels such as "0" and "1", which they take for
    numbers.
    """

    def __init__(self, classifier: Any):
        self.classifier = classifier

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ClassifierOnCodes:
        """Fit the classifier to the codes of y."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.classifier_ = fit_weighted(clone(self.classifier), X, codes, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of the predicted code."""
        return self.classes_[self.classifier_.predict(X)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of ``classes_``."""
        return self.classifier_.predict_proba(X)


def describe_model(estimator: Any, kind: str) -> str:
    """The model in words, or in the user's own; no addresses in memory."""
    if estimator is not None:
        return re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(estimator).split()))
    models = {
        "ordinal": "logistic regression, one question per threshold between the classes",
        "classification": "logistic regression, every class with the same weight",
        "regression": "ridge regression",
    }
    return f"{models[kind]}; numbers standardised, gaps filled with the mean, labels one-hot"


def read_scoring(scoring: Any, estimator: Any, kind: str) -> Scoring:
    """The scorer asked for, or the default for this kind of target."""
    defaults = {
        "ordinal": (rank_loss_scorer, "mean error in classes"),
        "classification": ("balanced_accuracy", "balanced accuracy"),
        "regression": ("r2", "R²"),
    }
    scorer, name = defaults[kind] if scoring is None else (scoring, _scorer_name(scoring))
    scorer = check_scoring(estimator, scorer)
    return Scoring(scorer, name, scorer_sign(scorer))


def _scorer_name(scoring: Any) -> str:
    if isinstance(scoring, str):
        return scoring.removeprefix("neg_").replace("_", " ")
    function = getattr(scoring, "_score_func", scoring)
    return getattr(function, "__name__", type(function).__name__).replace("_", " ")
