"""Models of one column given others: expected values, residuals, and new values to draw.

``encode(data)`` turns a table of mixed columns into one matrix of standardised columns.  A feature
is *continuous*, *ordered* (at most ``MOST_LEVELS`` different values) or *nominal*.  The first two
become one column, the normal scores of their mid-ranks, so that units and outliers do not matter;
a nominal one becomes one indicator per label.  A feature with missing values has one more column,
the indicator of where they are, and there its other columns hold what the other features predict.

``Conditionals(encoded.matrix, rows)`` is fitted on some rows; ``model(feature, given)`` is
then the model of a feature given some columns of the matrix:

- ridge regression of the columns of the feature, from one eigendecomposition for all features; the
  penalty is the one with the smallest leave-one-out error;
- *continuous*: expected value plus a residual;
- *ordered*: cumulative logit of the ridge prediction;
- *nominal*: logit of every label against the rest, of its ridge prediction.

``ColumnModel.mean(matrix)`` expects, ``residuals(matrix)`` are observed less expected values, and
``draw(matrix, random_state)`` draws new values of the columns of the feature, for any rows: those
of the table, or others with the same columns.

>>> import numpy as np
>>> from echelon.data import read_columns
>>> X = np.random.default_rng(0).normal(size=(200, 3))
>>> X[:, 1] += 2 * X[:, 0]
>>> encoded = encode(read_columns(X))
>>> models = Conditionals(encoded.matrix, np.arange(150))
>>> model = models.model(encoded.features[1], encoded.others([1]))
>>> model.residuals(encoded.matrix[150:]).std().round(1)
np.float64(0.4)
>>> model.draw(encoded.matrix[150:], np.random.RandomState(0)).shape
(50, 1)

To condition on columns that are not in the table, as on knockoffs drawn before, append them to the
matrix: ``Conditionals(np.hstack([encoded.matrix, drawn]))``, and pass their positions in ``given``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, rankdata

from echelon.data import Data

MOST_LEVELS = 10
"""A column with at most so many different numbers is ordered, not continuous."""

MOST_LABELS = 20
"""The most frequent labels of a nominal column that are told apart."""

LEAST_ROWS = 5
"""Labels of fewer rows are one label together."""

PENALTIES = np.array([1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])
"""Of ridge regression, per row."""

CONTINUOUS, ORDERED, NOMINAL = "continuous", "ordered", "nominal"


# --------------------------------------------------------------------------------------- columns


class Feature(NamedTuple):
    """One feature in the matrix.

    Attributes
    ----------
    kind : {"continuous", "ordered", "nominal"}
        What it holds.
    columns : ndarray of int
        Its columns, without that of missing values.
    marker : ndarray of int
        The column that marks missing values; empty where there are none.
    levels : ndarray of shape (n_levels, n_columns)
        What its columns hold for every level or label; empty for continuous features.
    """

    kind: str
    columns: np.ndarray
    marker: np.ndarray
    levels: np.ndarray

    @property
    def block(self) -> np.ndarray:
        """All its columns."""
        return np.concatenate([self.columns, self.marker])


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table as one matrix of standardised columns.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_columns)
        Columns of all features.
    features : list of Feature
        Which columns belong to every feature, and what they hold.
    present : ndarray of shape (n_samples, n_features)
        Where values are not missing.
    """

    matrix: np.ndarray
    features: list[Feature]
    present: np.ndarray

    def others(self, features: Sequence[int]) -> np.ndarray:
        """The columns of all features but some."""
        own = np.concatenate([self.features[f].block for f in features])
        return np.setdiff1d(np.arange(self.matrix.shape[1]), own)


def encode(data: Data) -> Encoded:
    """Features of any kind as columns of mean 0; those that vary have variance 1, or are 0/1."""
    present = ~np.isnan(data.values)
    read = [_read_column(*pair) for pair in zip(data.values.T, data.nominal, strict=True)]
    ends = np.cumsum([0, *(values.shape[1] for _, values, _ in read)])
    matrix = np.hstack([values for _, values, _ in read])
    gappy = np.flatnonzero(~present.all(axis=0))
    markers = {f: int(ends[-1]) + k for k, f in enumerate(gappy.tolist())}
    features = [
        Feature(
            kind,
            np.arange(ends[f], ends[f + 1]),
            np.array([markers[f]] if f in markers else [], int),
            levels,
        )
        for f, (kind, _, levels) in enumerate(read)
    ]
    _impute(matrix, [features[f] for f in gappy], present[:, gappy])
    marks = ~present[:, gappy] - (~present[:, gappy]).mean(axis=0)
    return Encoded(np.hstack([matrix, marks]), features, present)


def _read_column(column: np.ndarray, nominal: bool) -> tuple[str, np.ndarray, np.ndarray]:
    """Kind, columns (0 where missing) and levels of a feature."""
    present = ~np.isnan(column)
    if nominal:
        return _read_labels(column, present)
    values = np.zeros((len(column), 1))
    values[present, 0] = _normal_scores(column[present])
    distinct, first = np.unique(column[present], return_index=True)
    if 1 < len(distinct) <= MOST_LEVELS:
        return ORDERED, values, values[present][first]
    return CONTINUOUS, values, np.empty((0, 1))


def _normal_scores(column: np.ndarray) -> np.ndarray:
    """Normal quantiles of mid-ranks, with mean 0 and variance 1; 0 if constant."""
    scores = norm.ppf(rankdata(column) / (len(column) + 1))
    scores -= scores.mean() if len(scores) else 0.0
    spread = scores.std() if len(scores) else 0.0
    return scores / spread if spread > 1e-12 else np.zeros(len(scores))


def _read_labels(column: np.ndarray, present: np.ndarray) -> tuple[str, np.ndarray, np.ndarray]:
    """Indicators of the frequent labels, and of all others together, less their shares."""
    labels, codes, counts = np.unique(column[present], return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:MOST_LABELS]
    frequent = frequent[counts[frequent] >= LEAST_ROWS]
    place = np.full(len(labels), len(frequent))
    place[frequent] = np.arange(len(frequent))
    levels = np.eye(max(int(place.max(initial=0)) + 1, 1))
    levels -= levels[place[codes]].mean(axis=0) if len(codes) else 0.0
    values = np.zeros((len(column), len(levels)))
    values[present] = levels[place[codes]]
    return NOMINAL, values, levels


def _impute(matrix: np.ndarray, features: list[Feature], present: np.ndarray) -> None:
    """Fill what is missing with what the other columns predict, in three passes."""
    everything = np.arange(matrix.shape[1])
    for _ in range(3 if features else 0):
        models = Conditionals(matrix)
        filled = [
            models.ridge(f.columns, np.setdiff1d(everything, f.columns), here)
            for f, here in zip(features, present.T, strict=True)
        ]
        for feature, here, ridge in zip(features, present.T, filled, strict=True):
            matrix[np.ix_(~here, feature.columns)] = ridge.predict(matrix[~here])


# ---------------------------------------------------------------------------------- linear models


class Ridge(NamedTuple):
    """A fitted ridge regression of some columns on others.

    Attributes
    ----------
    weights : ndarray of shape (n_columns_of_matrix, n_outputs)
        Coefficients; 0 for columns that are not given.
    intercept : ndarray of shape (n_outputs,)
        Constants.
    left_out : ndarray of shape (n_rows, n_outputs)
        Prediction for every training row by the other training rows.
    """

    weights: np.ndarray
    intercept: np.ndarray
    left_out: np.ndarray

    def beside(self, n_more: int) -> Ridge:
        """For a matrix with so many more columns, which do not count."""
        more = np.zeros((n_more, self.weights.shape[1]))
        return self._replace(weights=np.vstack([self.weights, more]))

    def predict(self, matrix: np.ndarray) -> np.ndarray:
        """Expected values."""
        return matrix @ self.weights + self.intercept


class Conditionals:
    """Models of columns of a matrix given other columns of it, fitted on some rows.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns)
        Columns on a common scale, as ``encode`` makes them.
    rows : ndarray of int, default=None
        Rows to learn from.  None: all.
    """

    def __init__(self, matrix: np.ndarray, rows: np.ndarray | None = None) -> None:
        self.train = matrix if rows is None else matrix[rows]
        self._means = self.train.mean(axis=0)
        self._centred = self.train - self._means

    def model(self, feature: Feature, given: np.ndarray) -> ColumnModel:
        """The model of a feature given some columns, none of them its own."""
        here = _present(feature, self.train)
        ridge = self.ridge(feature.columns, given, here)
        observed = self.train[np.ix_(here, feature.columns)]
        return ColumnModel.of(feature, ridge, observed, ridge.left_out[here])

    def ridge(self, columns: np.ndarray, given: np.ndarray, here: np.ndarray) -> Ridge:
        """Ridge regression of columns on the given ones, best where ``here`` is true."""
        hidden = np.setdiff1d(np.arange(self.train.shape[1]), given)
        own = np.searchsorted(hidden, columns)
        fits = (self._fit(k, hidden, own) for k in range(len(PENALTIES)))
        residuals, weights = min(fits, key=lambda fit: float(np.sum(fit[0][here] ** 2)))
        intercept = self._means[columns] - self._means @ weights
        return Ridge(weights, intercept, self.train[:, columns] - residuals)

    def _fit(self, k: int, hidden: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Leave-one-out residuals and weights of some hidden columns, with the k-th penalty.

        With P the inverse of the penalised Gram matrix G and J the hidden columns, the residuals of
        J given all others are ``X P[:, J] inv(P[J, J])``, by the inverse of a partitioned matrix,
        and the leverages are those of G less what J adds to them.
        """
        inverse, leverages = self._inverses[k]
        block = np.linalg.inv(inverse[np.ix_(hidden, hidden)])
        products = self._centred @ inverse[:, hidden]
        residuals = products @ block
        leverages = leverages - np.einsum("ij,ij->i", residuals, products)
        weights = -inverse[:, hidden] @ block[:, own]
        weights[hidden] = 0.0
        return residuals[:, own] / np.maximum(1 - leverages, 1e-9)[:, None], weights

    @cached_property
    def _inverses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Inverse of the penalised Gram matrix, and leverages, by penalty."""
        n = len(self._centred)
        values, vectors = np.linalg.eigh(self._centred.T @ self._centred)
        found = []
        for penalty in PENALTIES * n:
            inverse = (vectors / (np.maximum(values, 0) + penalty)) @ vectors.T
            leverages = np.einsum("ij,ij->i", self._centred @ inverse, self._centred) + 1 / n
            found.append((inverse, leverages))
        return found


def _present(feature: Feature, matrix: np.ndarray) -> np.ndarray:
    """Mask of the rows in which a feature is not missing."""
    if len(feature.marker) == 0:
        return np.ones(len(matrix), bool)
    return matrix[:, feature.marker[0]] <= 0


# ---------------------------------------------------------------------------- models of a feature


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """A feature given other columns: expected values, residuals and draws.

    Attributes
    ----------
    feature : Feature
        What is modelled.
    ridge : Ridge
        Prediction of its columns.
    errors : ndarray of shape (n_rows, n_columns)
        Leave-one-out residuals, from which those of a continuous feature are drawn.
    intercepts, slopes : ndarray
        Of the logits: per level but the lowest for ordered features, per label for nominal ones.
    """

    feature: Feature
    ridge: Ridge
    errors: np.ndarray
    intercepts: np.ndarray
    slopes: np.ndarray

    @classmethod
    def of(
        cls, feature: Feature, ridge: Ridge, observed: np.ndarray, expected: np.ndarray
    ) -> ColumnModel:
        """From values of present rows and what the rows without each of them predict."""
        none, errors = np.empty(0), observed - expected
        if feature.kind == CONTINUOUS:
            return cls(feature, ridge, errors, none, none)
        codes = _codes(observed, feature.levels)
        # The mean of the other rows falls where a value rises, and would tell it where nothing else
        # does.  The mean of all rows takes its place.
        own_share = (
            (observed - observed.mean(axis=0)) / (len(observed) - 1) if len(codes) > 1 else 0.0
        )
        expected = expected + own_share
        if feature.kind == ORDERED:
            above = codes[:, None] > np.arange(len(feature.levels) - 1)
            intercepts, slope = _logits(expected[:, 0], above.astype(float))
            return cls(feature, ridge, errors, intercepts, np.full(len(intercepts), slope))
        is_label = (codes[:, None] == np.arange(len(feature.levels))).astype(float)
        fits = [_logits(e, i[:, None]) for e, i in zip(expected.T, is_label.T, strict=True)]
        slopes = np.array([slope for _, slope in fits])
        return cls(feature, ridge, errors, np.array([a[0] for a, _ in fits]), slopes)

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Of the levels or labels of the feature, for every row."""
        chances = expit(self.intercepts + self.slopes * self.ridge.predict(matrix))
        if self.feature.kind == ORDERED:
            edge = np.ones((len(matrix), 1))
            chances = np.maximum(-np.diff(np.hstack([edge, chances, 0 * edge])), 0.0)
        chances += 1e-12
        return chances / chances.sum(axis=1, keepdims=True)

    def mean(self, matrix: np.ndarray) -> np.ndarray:
        """Expected values of the columns of the feature."""
        if self.feature.kind == CONTINUOUS:
            return self.ridge.predict(matrix)
        return self.probabilities(matrix) @ self.feature.levels

    def residuals(self, matrix: np.ndarray) -> np.ndarray:
        """Observed less expected values; 0 where the feature is missing."""
        gaps = matrix[:, self.feature.columns] - self.mean(matrix)
        return np.where(_present(self.feature, matrix)[:, None], gaps, 0.0)

    def draw(self, matrix: np.ndarray, random_state: Any) -> np.ndarray:
        """New values of the columns of the feature; as they are where it is missing."""
        if self.feature.kind == CONTINUOUS:
            picked = random_state.randint(max(len(self.errors), 1), size=len(matrix))
            errors = self.errors[picked] if len(self.errors) else 0.0
            drawn = self.ridge.predict(matrix) + errors
        else:
            limits = self.probabilities(matrix).cumsum(axis=1)[:, :-1]
            codes = (random_state.uniform(size=(len(matrix), 1)) > limits).sum(axis=1)
            drawn = self.feature.levels[codes]
        here = _present(self.feature, matrix)[:, None]
        return np.where(here, drawn, matrix[:, self.feature.columns])


def _codes(observed: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Number of the level that every row holds."""
    return np.abs(observed[:, None, :] - levels).sum(axis=2).argmin(axis=1)


def _logits(index: np.ndarray, outcomes: np.ndarray) -> tuple[np.ndarray, float]:
    """Intercept of every outcome (a column of 0 and 1) and their common slope in the index.

    Newton's method on the sum of the likelihoods of all outcomes, with a weak penalty on the slope
    so that it stays finite where the index separates the outcomes.  Since the slope is common,
    nested outcomes have nested probabilities.  An index that predicts worse than the mean, with a
    negative slope, counts for nothing.
    """
    n, m = outcomes.shape
    shift, scale = (index.mean(), index.std()) if n else (0.0, 0.0)
    x = (index - shift) / scale if scale > 1e-12 else np.zeros(n)
    shares = (outcomes.sum(axis=0) + 0.5) / (n + 1)
    beta = np.append(logit(shares), 0.0)
    for _ in range(25):
        chances = expit(beta[:m] + beta[m] * x[:, None])
        spread = chances * (1 - chances)
        gradient = np.append((outcomes - chances).sum(axis=0), 0.0)
        gradient[m] = x @ (outcomes - chances).sum(axis=1) - beta[m]
        hessian = np.diag(np.append(spread.sum(axis=0) + 1e-6, x**2 @ spread.sum(axis=1) + 1.0))
        hessian[:m, m] = hessian[m, :m] = x @ spread
        step = np.linalg.solve(hessian, gradient)
        beta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    if beta[m] < 0:
        return _logits(np.zeros(n), outcomes)
    slope = beta[m] / scale if scale > 1e-12 else 0.0
    return beta[:m] - slope * shift, float(slope)
