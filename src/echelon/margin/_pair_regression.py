"""Regression of outcome differences on feature differences, over pairs of neighbours.

A pair weighs g, its outcomes lie d apart, its values of a feature D, its covariates C.  The slope
of D in a regression of d on 1, D and C is the importance of the feature; over its standard error,
as if pairs were independent, it is NPDR's score.  Pairs share samples, and are not.  What holds is
the permutation law of

    T = sum_ij M_ij E_ij,   M = g (D less its fit by 1 and C),   E = d less its fit by 1 and C,

which has the slope's sign: M and E are taken as two matrices, of which E, for all pairs of samples,
is permuted (Dekker, Krackhardt, Snijders 2007: both sides without covariates).  Its moments are
those of ``_moments``.  A feature with gaps: the same over the samples, and pairs, that have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from echelon.engines import Samples
from echelon.margin._label_moments import outcome_sums, pair_gaps
from echelon.margin._moments import ColumnSums, Run, WeightSums, by_column, mean_and_variance
from echelon.margin._pairs import PairGraph
from echelon.margin._third_moments import ThirdSums, third_moment
from echelon.margin._triangles import ROWS, Triangles, block_thirds, pair_thirds
from echelon.margin.rules import Term

STEPS, LARGEST_STEP, SETTLED = 25, 5.0, 1e-8
"""Newton steps at most, their length, and the step that ends them."""

ROWS_AT_ONCE = 1 << 20
"""Entries of a matrix of all pairs made at once."""


@dataclass(frozen=True)
class Covariates:
    """Columns that are held fixed: numbers from 0 to 1, then codes; rows as in the samples."""

    values: np.ndarray
    n_numeric: int

    def apart(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Differences of pairs of rows, which are broadcast; a one goes first."""
        shape = np.broadcast_shapes(rows.shape, others.shape)
        gaps = [pair_gaps(rows, others, column, f >= self.n_numeric)
                for f, column in enumerate(self.values.T)]  # fmt: skip
        return np.stack([np.ones(shape), *gaps])


@dataclass(frozen=True)
class PairRegression:
    """The pairs, and what the regressions of all features share.

    Attributes
    ----------
    samples : Samples
        Rows of the pairs.
    graph : PairGraph
        The pairs.
    term : Term
        Weighs pairs by d.
    covariates : Covariates
        What is held fixed, in every regression.
    logistic : bool
        d is 0 or 1, and its log-odds are what is linear in D.
    random_state : RandomState
        Chooses the triangles, and the rows, that stand for all.
    """

    samples: Samples
    graph: PairGraph
    term: Term
    covariates: Covariates
    logistic: bool
    random_state: np.random.RandomState

    @cached_property
    def weights(self) -> np.ndarray:
        """G of every pair: how often it came."""
        return np.bincount(self.graph.pairs, self.graph.shares, minlength=len(self.graph.lower))

    @cached_property
    def apart(self) -> np.ndarray:
        """D of every pair."""
        return self.term.of_pairs(self.samples, self.graph.lower, self.graph.higher)

    @cached_property
    def fixed(self) -> np.ndarray:
        """1 and the covariates' differences, by pair."""
        return self.covariates.apart(self.graph.lower, self.graph.higher)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows that stand for all are the first of those present in a random order."""
        return self.random_state.permutation(len(self.samples.classes))

    @cached_property
    def triangles(self) -> Triangles:
        """Those of the graph."""
        return Triangles.of(self.graph, self.random_state)

    @cached_property
    def slopes(self) -> np.ndarray:
        """Coefficients of 1 and the covariates, where no feature is in the regression."""
        return fit_by(self.fixed, self.weights, self.apart)

    @cached_property
    def everyone(self) -> tuple[ColumnSums, ThirdSums]:
        """Sums over E, for features without gaps."""
        return self.outcomes(np.ones(len(self.samples.classes), bool))

    def of_columns(self, run: Run) -> np.ndarray:
        """``of_column`` of all columns, a row for each."""
        for shared in ("triangles", "order", "everyone"):  # before threads ask for them
            getattr(self, shared)
        return by_column(self.samples, self.of_column, run)

    def of_column(self, column: np.ndarray, f: int) -> tuple[float, ...]:
        """Slope and standard error; T, its mean, variance, third moment, the form's part of it."""
        gaps = pair_gaps(self.graph.lower, self.graph.higher, column, f >= self.samples.n_numeric)
        there = ~np.isnan(gaps)
        g, gaps = np.where(there, self.weights, 0.0), np.where(there, gaps, 0.0)
        rest = gaps - fit_by(self.fixed, g, gaps) @ self.fixed
        unfit = self.apart - fit_by(self.fixed, g, self.apart) @ self.fixed
        spread = float(g @ rest**2)
        if spread <= SETTLED**2 * max(float(g @ gaps**2), 1e-300):  # the covariates say it all
            return 0.0, np.inf, 0.0, 0.0, 0.0, 0.0, 0.0
        slope = float((g * rest) @ unfit) / spread
        fit = self._logistic(g, gaps) if self.logistic else self._linear(g, rest, unfit, slope)
        moments = self._moments(g * rest, ~np.isnan(column), upper=slope > 0)
        return *fit, slope * spread, *moments

    def _linear(
        self, g: np.ndarray, rest: np.ndarray, unfit: np.ndarray, slope: float
    ) -> tuple[float, float]:
        """Slope and standard error of least squares, pairs taken as independent."""
        free = max(float(g.sum()) - len(self.fixed) - 1, 1.0)
        left = g @ (unfit - slope * rest) ** 2
        return slope, float(np.sqrt(left / free / (g @ rest**2)))

    def _logistic(self, g: np.ndarray, gaps: np.ndarray) -> tuple[float, float]:
        """The same of a logistic regression, by Newton's steps."""
        design = np.stack([gaps, *self.fixed])
        scale = np.maximum(np.abs(design).max(axis=1), 1e-300)
        design /= scale[:, None]
        slopes = np.zeros(len(design))
        for _ in range(STEPS):
            p = expit(slopes @ design)
            curvature = (design * (g * p * (1 - p))) @ design.T
            inverse = np.linalg.pinv(curvature, hermitian=True)
            step = inverse @ (design @ (g * (self.apart - p)))
            slopes += step * min(1.0, LARGEST_STEP / max(np.abs(step).max(), 1e-300))
            if np.abs(step).max() < SETTLED:
                break
        return slopes[0] / scale[0], float(np.sqrt(max(inverse[0, 0], 0.0))) / scale[0]

    def _moments(
        self, by_pair: np.ndarray, present: np.ndarray, *, upper: bool
    ) -> tuple[float, ...]:
        """Mean, variance and, for upper tails, third moment of T and the form's part of it."""
        n = int(present.sum())
        differences, thirds = self.everyone if present.all() else self.outcomes(present)
        lower, higher = self.graph.lower, self.graph.higher
        rows = np.zeros(len(present))
        for end in (lower, higher):
            rows += np.bincount(end, by_pair, len(present))
        squares = 0.5 * float(by_pair @ by_pair)
        weights = WeightSums(n, 0.0, squares, 0.25 * float(rows @ rows), 0.0, 0.0)
        variance = mean_and_variance(weights, differences)[1]
        if not upper:
            return 0.0, variance, 0.0, 0.0
        of_weights = pair_thirds(self.graph, self.triangles, by_pair, present)
        return 0.0, variance, *third_moment(n, of_weights, thirds)

    def outcomes(self, present: np.ndarray) -> tuple[ColumnSums, ThirdSums]:
        """Sums over E, of all pairs of some samples."""
        if len(self.fixed) == 1 or present.sum() < 2:  # 1 alone, which is no matter
            return outcome_sums(self.samples, self.term, present)
        which = np.flatnonzero(present)
        rows, squares = np.empty(len(which)), 0.0
        step = max(1, ROWS_AT_ONCE // len(which))
        for start in range(0, len(which), step):
            block = self.residuals(which[start : start + step], which)
            rows[start : start + step] = block.sum(axis=1)
            squares += float(np.vdot(block, block))
        some = np.sort(np.argsort(self.order[which])[:ROWS])
        thirds = block_thirds(self.residuals(which[some], which[some]), some, rows)
        sums = WeightSums.of(rows, squares)
        return ColumnSums(sums.a0, sums.a1, sums.a2, 0.0, 0.0), thirds

    def residuals(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """E of all pairs of some rows with others; 0 for a row with itself."""
        rows, others = rows[:, None], others[None]
        d = self.term.of_pairs(self.samples, rows, others)
        fitted = np.tensordot(self.slopes, self.covariates.apart(rows, others), 1)
        return np.where(rows == others, 0.0, d - fitted)


def fit_by(fixed: np.ndarray, g: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Coefficients of the least squares of values on the rows of ``fixed``, pairs weighing g."""
    weighted = fixed * g
    return np.linalg.pinv(weighted @ fixed.T, hermitian=True) @ (weighted @ values)
