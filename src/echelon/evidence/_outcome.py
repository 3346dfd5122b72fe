"""What a target is to the conditional tests: its columns, a model of them, residuals and losses.

Ordered classes are the indicators of lying above each class but the highest, classes without an
order those of each class, numbers their normal scores.  The model is ridge regression and, on what
it leaves, a forest of extremely random trees; it predicts the columns.

The residual of ordered classes is the probability-scale residual ``P(Y < y) - P(Y > y)`` ([1]_),
one number however many classes there are; otherwise it is observed less expected values.

.. [1] C. Li, B. E. Shepherd, "A new residual for ordinal outcomes", Biometrika 99, 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.ensemble import ExtraTreesRegressor

from echelon.evidence._conditional import Conditionals, Ridge
from echelon.evidence._curved import Curved
from echelon.methods import CLASSES, CONTINUOUS
from echelon.targets import Target

LEAST_LEAF = 5
SHARE_OF_COLUMNS = 1 / 3


class Outcome(NamedTuple):
    """A target as columns.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        What a model predicts.
    codes : ndarray of int or None
        Ordered classes; None for other targets.
    """

    columns: np.ndarray
    codes: np.ndarray | None

    @classmethod
    def of(cls, target: Target) -> Outcome:
        """The columns of a target of any kind; two classes are ordered."""
        if target.kind == CONTINUOUS:
            scores = norm.ppf(rankdata(target.numbers) / (len(target) + 1))
            return cls((scores / scores.std())[:, None], None)
        codes = target.class_codes
        n_classes = int(codes.max()) + 1
        if target.kind == CLASSES and n_classes > 2:
            return cls((codes[:, None] == np.arange(n_classes)).astype(float), None)
        return cls((codes[:, None] > np.arange(n_classes - 1)).astype(float), codes)

    def residuals(self, expected: np.ndarray) -> np.ndarray:
        """Residuals of all rows, shape (n_samples, n_residuals)."""
        if self.codes is None:
            return self.columns - expected
        edge, rows = np.ones((len(expected), 1)), np.arange(len(expected))
        above = np.hstack([edge, np.clip(expected, 0, 1), 0 * edge])
        return (1 - above[rows, self.codes] - above[rows, self.codes + 1])[:, None]


class OutcomeModel(NamedTuple):
    """A fitted model of the columns of an outcome.

    Attributes
    ----------
    ridge : Ridge
        Of all columns of the table, and of their squares where these make its error smaller.
    forest : ExtraTreesRegressor
        Of what it leaves, from the columns without squares.
    """

    ridge: Ridge
    forest: Any

    @classmethod
    def fit(cls, table: Curved, outcomes: np.ndarray, n_estimators: int, seed: int) -> OutcomeModel:
        """Learn from all rows of a table."""
        fits = [_ridge(each, outcomes) for each in table.tables()]
        ridge = min(fits, key=lambda fit: float(np.sum((outcomes - fit.left_out) ** 2)))
        left = outcomes - ridge.left_out
        forest = ExtraTreesRegressor(
            n_estimators,
            min_samples_leaf=LEAST_LEAF,
            max_features=SHARE_OF_COLUMNS,
            random_state=seed,
        )
        forest.fit(_single(table.plain), left if left.shape[1] > 1 else left[:, 0])
        return cls(ridge.beside(table.matrix.shape[1] - len(ridge.weights)), forest)

    def predict(self, table: Curved) -> np.ndarray:
        """Expected columns."""
        expected = self.ridge.predict(table.matrix)
        single, shape = _single(table.plain), expected.shape
        for tree in self.forest.estimators_:
            expected += tree.predict(single, check_input=False).reshape(shape) / len(self.forest)
        return expected


def _ridge(matrix: np.ndarray, outcomes: np.ndarray) -> Ridge:
    """Of the outcomes on all columns of a matrix."""
    n, m = matrix.shape[1], outcomes.shape[1]
    joined = Conditionals(np.hstack([matrix, outcomes]))
    everywhere = np.ones(len(outcomes), bool)
    ridge = joined.ridge(np.arange(n, n + m), np.arange(n), everywhere)
    return ridge._replace(weights=ridge.weights[:n])


def _single(matrix: np.ndarray) -> np.ndarray:
    """As trees take numbers."""
    return np.ascontiguousarray(matrix, np.float32)
