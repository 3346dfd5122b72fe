"""Two tests whether features tell something about an outcome that all other features do not.

Rows are split into folds.  The outcome is modelled once per fold from all features, and every
feature, or group of features, from all others.  Of held-out rows:

*Residual test*: the covariance of the residual of the feature with that of the outcome, the latter
under predictions averaged over draws of the feature given the others (the generalised covariance
measure of [1]_, without a model of the outcome for every feature).  One sum of squared t values of
all pairs of residuals, which under the hypothesis is near a scaled chi-squared variable with the
same mean and variance (Satterthwaite).

*Importance test*: how much smaller the squared error of the outcome is than with the feature drawn
given the others.  Given everything but the feature the error has, under the hypothesis, the
distribution that draws have: mean and variance of every row are known from its draws, and rows add
up (a conditional randomisation test [2]_ on held-out rows).  Models of different folds share rows:
the sum over K folds is not standard normal.  For a learner of one slope, the sum over folds of
``sign(S - s_k) s_k``, it is near the absolute value of one, so the p-value is two-sided.

*Wide tables*, with at least half as many units as rows: models fit their training rows closely, and
residuals of different folds depend on each other.  The spread of the t values is that of the middle
one of all units, where chance makes it larger ([3]_; at most half of the units may be needed).  The
spread of the sum of rises is the observed one where that is larger, and the p-value that of t.

.. [1] R. D. Shah, J. Peters, "The hardness of conditional independence testing and the generalised
   covariance measure", Annals of Statistics 48, 2020.
.. [2] E. Candes, Y. Fan, L. Janson, J. Lv, "Panning for gold", Journal of the Royal Statistical
   Society B 80, 2018.
.. [3] B. Devlin, K. Roeder, "Genomic control for association studies", Biometrics 55, 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2
from scipy.stats import f as fisher
from scipy.stats import t as student
from sklearn.utils import check_random_state

from echelon._core.jobs import in_threads, track
from echelon.evidence._conditional import Conditionals, Encoded
from echelon.evidence._curved import Curved
from echelon.evidence._outcome import Outcome, OutcomeModel

N_FOLDS = 5
SMALLEST = 1e-300
"""Smaller p-values are as good as this one."""

VALUES_AT_ONCE = 1 << 21
"""Of tables with drawn features that the model of the outcome predicts from: trees start slowly."""

Folds = list[tuple[np.ndarray, np.ndarray]]


class PValues(NamedTuple):
    """p-values of units: features, or groups of them.

    Attributes
    ----------
    residual, importance : ndarray of shape (n_units,)
        p-values of either test.
    """

    residual: np.ndarray
    importance: np.ndarray

    @property
    def p_values(self) -> np.ndarray:
        """Of both tests: twice the smaller one, which needs no assumption on their dependence."""
        return np.minimum(2 * np.minimum(self.residual, self.importance), 1.0)


class Held(NamedTuple):
    """What is known of held-out rows, for every unit.

    Attributes
    ----------
    rows : ndarray of int
        The rows.
    residuals : list of ndarray of shape (n_rows, n_columns)
        Of the columns of the unit.
    expected : ndarray of shape (n_units, n_rows, n_outcomes)
        Predictions of the outcome, averaged over draws of the unit.
    rise, variance : ndarray of shape (n_units, n_rows)
        Of the squared error: mean over draws less the observed one, and variance of a draw.
    """

    rows: np.ndarray
    residuals: list[np.ndarray]
    expected: np.ndarray
    rise: np.ndarray
    variance: np.ndarray


def split(outcome: Outcome, random_state: np.random.RandomState, n_folds: int) -> Folds:
    """Train and test rows of folds, which hold alike shares of classes, or of large numbers."""
    n = len(outcome.columns)
    shuffled = random_state.permutation(n)
    height = outcome.columns @ np.arange(1.0, outcome.columns.shape[1] + 1)
    order = shuffled[np.argsort(height[shuffled], kind="stable")]
    fold = np.empty(n, int)
    fold[order] = np.arange(n) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def conditional_tests(
    encoded: Encoded,
    outcome: Outcome,
    units: Sequence[Sequence[int]],
    *,
    n_alone: int,
    n_estimators: int,
    n_draws: int,
    random_state: np.random.RandomState,
    n_jobs: int | None,
    progress: tuple[str, int] = ("", 0),
) -> PValues:
    """Both tests of every unit given all features outside it.

    The first ``n_alone`` units are features or groups, those behind them clusters of these.
    """
    folds = split(outcome, random_state, max(2, min(N_FOLDS, len(outcome.columns) // 2)))
    seeds = random_state.randint(np.iinfo(np.int32).max, size=len(folds))
    table = Curved.of(encoded)

    def of_fold(k: int) -> Held:
        return held_out(table, outcome, units, folds[k], n_estimators, n_draws, int(seeds[k]))

    found = in_threads(of_fold, range(len(folds)), n_jobs)
    parts = list(track(found, total=len(folds), description=progress[0], verbose=progress[1]))
    rows = np.concatenate([part.rows for part in parts])
    expected = np.concatenate([part.expected for part in parts], axis=1)
    ordered = Outcome(outcome.columns[rows], None if outcome.codes is None else outcome.codes[rows])
    residual, importance = np.ones(len(units)), np.ones(len(units))
    wide = is_wide(n_alone, len(rows))
    for u in range(len(units)):
        own = np.vstack([part.residuals[u] for part in parts])
        residual[u] = residual_p_value(own, ordered.residuals(expected[u]))
        rise = np.concatenate([part.rise[u] for part in parts])
        variance = np.concatenate([part.variance[u] for part in parts])
        importance[u] = importance_p_value(rise, variance, n_draws, wide=wide)
    if wide:
        residual = as_wide_as_chance(residual, n_alone)
    return PValues(residual, importance)


def is_wide(n_units: int, n_rows: int) -> bool:
    """Whether there are at least half as many features, or groups of them, as rows."""
    return 2 * n_units >= n_rows


def residual_p_value(own: np.ndarray, others: np.ndarray) -> float:
    """Of the covariances of all pairs of residuals, rows of 0 left out."""
    products = (own[:, :, None] * others[:, None, :]).reshape(len(own), -1)
    products = products[own.any(axis=1)]
    n = len(products)
    if n < 3:
        return 1.0
    centred = products - products.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0) / (n - 1))
    varies = spread > 1e-12
    if not varies.any():
        return 1.0
    standard = centred[:, varies] / spread[varies]
    total = float(np.sum(n * (products[:, varies].mean(axis=0) / spread[varies]) ** 2))
    correlations = standard.T @ standard / (n - 1)
    d = len(correlations)
    freedom = d**2 / float(np.sum(correlations**2))
    return float(fisher.sf(total / d, freedom, n - 1))


def as_wide_as_chance(p_values: np.ndarray, n_alone: int) -> np.ndarray:
    """p-values with the spread that the middle one of the first units shows, if it is larger."""
    squares = chi2.isf(np.maximum(p_values, SMALLEST), 1)
    ratio = np.median(squares[:n_alone]) / chi2.median(1)
    return chi2.sf(squares / max(ratio, 1.0), 1)


def importance_p_value(
    rise: np.ndarray, variance: np.ndarray, n_draws: int, *, wide: bool = False
) -> float:
    """Of the sum of rises of the error."""
    spread = np.sqrt(variance.sum() * (1 + 1 / n_draws))
    if wide and len(rise) > 1:
        spread = max(spread, np.sqrt(len(rise)) * rise.std(ddof=1))
    if not spread > 1e-12:
        return 1.0
    score = -rise.sum() / spread
    tail = student.cdf(score, len(rise) - 1) if wide and len(rise) > 1 else ndtr(score)
    return float(min(1.0, 2 * tail))


def held_out(
    table: Curved,
    outcome: Outcome,
    units: Sequence[Sequence[int]],
    fold: tuple[np.ndarray, np.ndarray],
    n_estimators: int,
    n_draws: int,
    seed: int,
) -> Held:
    """Residuals and errors of the held-out rows of one fold."""
    train, rows = fold
    random_state = check_random_state(seed)
    columns = [Conditionals(each) for each in table.rows(train).tables()]
    model = OutcomeModel.fit(table.rows(train), outcome.columns[train], n_estimators, seed)
    tested, observed = table.rows(rows), outcome.columns[rows]
    loss = ((observed - model.predict(tested)) ** 2).sum(axis=1)
    shape = len(units), len(rows)
    found = Held(rows, [], np.empty((*shape, observed.shape[1])), np.empty(shape), np.empty(shape))
    size = max(1, VALUES_AT_ONCE // (n_draws * tested.matrix.size))
    for start in range(0, len(units), size):
        part = slice(start, start + size)
        drawn: list[np.ndarray] = []
        for unit in units[part]:
            alone = [table.best_model(columns, f, unit) for f in unit]
            found.residuals.append(np.hstack([own.residuals(tested.matrix) for own in alone]))
            # Together, each given the ones before it too, they draw the unit as a whole.
            after = [table.best_model(columns, f, unit[k:]) for k, f in enumerate(unit) if k]
            chain = [alone[0], *after]
            drawn += [tested.drawn(chain, random_state).matrix for _ in range(n_draws)]
        predicted = model.predict(replace(tested, matrix=np.vstack(drawn)))
        predicted = predicted.reshape(-1, n_draws, *observed.shape)
        losses = ((observed - predicted) ** 2).sum(axis=3)
        found.expected[part] = predicted.mean(axis=1)
        found.rise[part] = losses.mean(axis=1) - loss
        found.variance[part] = losses.var(axis=1, ddof=1)
    return found
