"""Rankings of scikit-learn under one interface, to compare with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn import feature_selection
from sklearn.base import BaseEstimator
from sklearn.feature_selection import (
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split

from echelon._core.samples import take_rows
from echelon.data import as_frame, read_columns
from echelon.methods import CONTINUOUS, ORDERED
from echelon.study._models import forest
from echelon.targets import FEW, Target, read_target

TEST_SHARE, N_REPEATS = 0.3, 5
"""Of permutation importance: rows that are permuted, and how often."""
FINE_STEPS = 100
"""Up to so many features, elimination removes one by one; beyond, this share of them at a time."""
COARSE_STEP = 0.05


class Peer(BaseEstimator, ABC):
    """A ranking of scikit-learn.

    Parameters
    ----------
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better.
    n_features_in_ : int
        Number of features seen in fit.
    """

    def __init__(self, kind: str = "auto", *, random_state: Any = None):
        self.kind = kind
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Peer:
        """Score the columns.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.

        Returns
        -------
        self : object
            The fitted ranking.
        """
        table = as_frame(X)
        self.n_features_in_ = table.shape[1]
        self.scores_ = self._scores(table, read_target(y, self.kind))
        return self

    @abstractmethod
    def _scores(self, table: Any, target: Target) -> np.ndarray:
        """Scores of the columns of a table of continuous and categorical columns."""


class MutualInformation(Peer):
    """Mutual information, by nearest neighbours; a few whole numbers count as labels."""

    def _scores(self, table: Any, target: Target) -> np.ndarray:
        values = _numbers(table)
        settings = {
            "discrete_features": np.array([_few_whole(column) for column in values.T]),
            "random_state": self.random_state,
        }
        if target.kind == CONTINUOUS:
            return mutual_info_regression(values, target.numbers, **settings)
        return mutual_info_classif(values, target.codes, **settings)


class FTest(Peer):
    """F of the analysis of variance between the classes, or of the correlation with numbers."""

    def _scores(self, table: Any, target: Target) -> np.ndarray:
        values = _numbers(table)
        varies = np.ptp(values, axis=0) > 0
        scores = np.zeros(values.shape[1])
        test, y = (f_regression, target.numbers) if target.kind == CONTINUOUS else (
            f_classif, target.codes)  # fmt: skip
        scores[varies] = test(values[:, varies], y)[0]
        return scores


class PermutationImportance(Peer):
    """What a forest loses on rows it has not seen when a column is permuted."""

    def _scores(self, table: Any, target: Target) -> np.ndarray:
        classes = target.codes
        stratify = classes if classes is not None and np.bincount(classes).min() > 1 else None
        train, test = train_test_split(
            np.arange(len(table)),
            test_size=TEST_SHARE,
            random_state=self.random_state,
            stratify=stratify,
        )
        model = forest(target.kind, self.random_state)
        model.fit(take_rows(table, train), take_rows(target.y, train))
        found = permutation_importance(
            model,
            take_rows(table, test),
            take_rows(target.y, test),
            n_repeats=N_REPEATS,
            random_state=self.random_state,
        )
        return found.importances_mean


class RFE(Peer):
    """Backward elimination of the smallest weight of a linear model of standardised columns."""

    def _scores(self, table: Any, target: Target) -> np.ndarray:
        values = _numbers(table)
        scale = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
        numbers = target.kind in (CONTINUOUS, ORDERED)
        model = Ridge() if numbers else LogisticRegression(max_iter=1000)
        y = target.numbers if numbers else target.codes
        step = 1 if values.shape[1] <= FINE_STEPS else COARSE_STEP
        found = feature_selection.RFE(model, n_features_to_select=1, step=step).fit(values, y)
        # Those removed together are told apart by their weight beside all others.
        whole = np.abs(np.atleast_2d(model.fit(values, y).coef_)).sum(axis=0)
        order = np.lexsort((-whole, found.ranking_))
        scores = np.empty(len(order))
        scores[order] = np.arange(len(order), 0, -1)
        return scores


def _few_whole(column: np.ndarray) -> bool:
    return bool((column == np.round(column)).all()) and len(np.unique(column)) <= FEW


def _numbers(table: Any) -> np.ndarray:
    """Numbers, and the positions of ordered categories."""
    return read_columns(table, allow_nan=False).values.astype(float)
