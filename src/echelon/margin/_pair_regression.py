"""Regression of outcome differences on feature differences, over pairs of neighbours.

A pair weighs g, its outcomes lie d apart, its values of a feature D, its covariates C.  The slope
of D in a regression of d on 1, D and C is the importance of the feature; over its standard error,
as if pairs were independent, it is NPDR's score.  Pairs share samples, and are not: ``_residuals``
has what p-values are made of.  A feature with gaps: the pairs that have it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from echelon.engines import Samples
from echelon.margin._label_moments import pair_gaps
from echelon.margin._moments import Run, by_column
from echelon.margin._pairs import PairGraph

STEPS, LARGEST_STEP, SETTLED = 25, 5.0, 1e-8
"""Newton steps at most, their length, and the step that ends them."""


class Covariates(NamedTuple):
    """Columns that are held fixed: numbers from 0 to 1, then codes; rows as in the samples."""

    values: np.ndarray
    n_numeric: int

    def apart(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Differences of pairs of rows; a one goes first."""
        gaps = [
            pair_gaps(rows, others, x, f >= self.n_numeric) for f, x in enumerate(self.values.T)
        ]
        return np.stack([np.ones(len(rows)), *gaps])


class PairRegression(NamedTuple):
    """What the regressions of all features share.

    Attributes
    ----------
    samples : Samples
        Rows of the pairs.
    graph : PairGraph
        The pairs.
    apart : ndarray of shape (n_pairs,)
        d.
    fixed : ndarray of shape (1 + n_covariates, n_pairs)
        1 and C.
    logistic : bool
        d is 0 or 1, and its log-odds are what is linear in D.
    """

    samples: Samples
    graph: PairGraph
    apart: np.ndarray
    fixed: np.ndarray
    logistic: bool

    def slopes(self, run: Run) -> tuple[np.ndarray, np.ndarray]:
        """Slopes of all columns and their standard errors."""
        graph = self.graph
        weights = np.bincount(graph.pairs, graph.shares, minlength=len(graph.lower))

        def of_column(column: np.ndarray, f: int) -> tuple[float, float]:
            gaps = pair_gaps(graph.lower, graph.higher, column, f >= self.samples.n_numeric)
            there = ~np.isnan(gaps)
            return self._slope(np.where(there, weights, 0.0), np.where(there, gaps, 0.0))

        found = by_column(self.samples, of_column, run)
        return found[:, 0], found[:, 1]

    def _slope(self, g: np.ndarray, gaps: np.ndarray) -> tuple[float, float]:
        """Slope and standard error of one column; (0, inf) where the covariates say it all."""
        rest = gaps - fit_by(self.fixed, g, gaps) @ self.fixed
        spread = float(g @ rest**2)
        if spread <= SETTLED**2 * max(float(g @ gaps**2), SETTLED):
            return 0.0, np.inf
        if self.logistic:
            return self._logistic(g, gaps)
        unfit = self.apart - fit_by(self.fixed, g, self.apart) @ self.fixed
        slope = float((g * rest) @ unfit) / spread
        free = max(float(g.sum()) - len(self.fixed) - 1, 1.0)
        return slope, float(np.sqrt(g @ (unfit - slope * rest) ** 2 / free / spread))

    def _logistic(self, g: np.ndarray, gaps: np.ndarray) -> tuple[float, float]:
        """The same of a logistic regression, by Newton's steps."""
        design = np.stack([gaps, *self.fixed])
        scale = np.maximum(np.abs(design).max(axis=1), SETTLED)
        design /= scale[:, None]
        slopes = np.zeros(len(design))
        for _ in range(STEPS):
            p = expit(slopes @ design)
            inverse = np.linalg.pinv((design * (g * p * (1 - p))) @ design.T, hermitian=True)
            step = inverse @ (design @ (g * (self.apart - p)))
            longest = float(np.abs(step).max())
            slopes += step * min(1.0, LARGEST_STEP / max(longest, SETTLED))
            if longest < SETTLED:
                break
        return slopes[0] / scale[0], float(np.sqrt(max(inverse[0, 0], 0.0))) / scale[0]


def fit_by(fixed: np.ndarray, g: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Coefficients of the least squares of values on the rows of ``fixed``, pairs weighing g."""
    weighted = fixed * g
    return np.linalg.pinv(weighted @ fixed.T, hermitian=True) @ (weighted @ values)
