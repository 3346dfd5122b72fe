"""The linear programs of relevance bounds, described once and never changed.

A sample ``x`` is given the value ``w.x``; thresholds ``b_1 <= b_2 <= ...`` cut these values.  Every
problem is a sum of hinges, one per *row*::

    loss(w, b) = sum over rows of  max(0, offset + sign * (w.x - b[threshold]))

Ordered classes have a row for each threshold next to the class of a sample (Eq. (2)), two classes
are the case of one threshold, and epsilon-insensitive regression has the rows ``w.x - b - y`` and
``y - (w.x - b)``, both less epsilon.  The solvers see nothing but this form.

The *fit* minimises ``l1 * ||w||_1 + l2 / 2 * ||w||^2 + C * loss``.  The *bounds* of a weight are
its extremes among all models within budgets, ``l1 * ||w||_1 + C * loss <= limit`` (Eq. (5)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np


class Budget(NamedTuple):
    """One limit a model has to keep: ``l1 * ||w||_1 + loss * sum of slacks <= limit``."""

    l1: float
    loss: float
    limit: float


class Hinges(NamedTuple):
    """The hinges: which sample, on which side of which threshold, and how far from it."""

    sample: np.ndarray
    sign: np.ndarray
    threshold: np.ndarray
    offset: np.ndarray
    n_thresholds: int


@dataclass(frozen=True, eq=False)
class Program:
    """A fit, or the set of models within budgets.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples, on the scale the weights refer to.
    rows : Hinges
        The hinges.
    C : float
        What a unit of slack costs.
    l1, l2 : float
        What a unit of ``||w||_1`` and of ``||w||^2 / 2`` costs in the fit.
    low, high : ndarray of shape (n_features,)
        Limits of single weights, infinite where there are none.
    budgets : tuple of Budget
        Empty for a fit.  With budgets, the objective is a single weight.
    scale : float
        The size of weights that counts as one when the accuracy of a bound is evaluated.
    """

    X: np.ndarray
    rows: Hinges
    C: float
    low: np.ndarray
    high: np.ndarray
    l1: float = 1.0
    l2: float = 0.0
    budgets: tuple[Budget, ...] = ()
    scale: float = 1.0

    @property
    def squared(self) -> bool:
        """Whether the objective has a squared penalty."""
        return self.l2 > 0 and not self.budgets

    def slacks(self, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """The smallest slacks under which a model satisfies the constraints (2)."""
        rows = self.rows
        distance = (self.X @ weights)[rows.sample] - thresholds[rows.threshold]
        return np.maximum(0.0, rows.offset + rows.sign * distance)

    def gradient(self, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """The gradient of the loss in the weights, where it has one."""
        rows = self.rows
        active = rows.sign * (self.slacks(weights, thresholds) > 0)
        return np.bincount(rows.sample, active, len(self.X)) @ self.X

    def fixing(self, limits: Mapping[int, Any]) -> Program:
        """The program with single weights set to a value or kept between two."""
        low, high = self.low.copy(), self.high.copy()
        for feature, limit in limits.items():
            low[feature], high[feature] = _interval(feature, limit)
        return replace(self, low=low, high=high)

    def within(self, fit: Solution, tolerance: float, budget: str = "joint") -> Program:
        """The models nearly as good as a fit.

        Parameters
        ----------
        fit : Solution
            The optimum.
        tolerance : float
            By what share the budgets may exceed it, the delta of Eq. (3).
        budget : {"joint", "separate"}
            "joint": one budget for ``||w||_1 + C * loss``, Eq. (5).  "separate": one for
            ``||w||_1`` and one for the loss.
        """
        if tolerance < 0:
            raise ValueError(
                f"`tolerance` must be at least 0, got {tolerance}. Use for example 0.1."
            )
        kinds = {"joint": [(1.0, self.C)], "separate": [(1.0, 0.0), (0.0, 1.0)]}
        if budget not in kinds:
            raise ValueError(f'`budget` must be "joint" or "separate", got {budget!r}.')
        used = [(l1, loss, l1 * fit.l1_norm + loss * fit.loss) for l1, loss in kinds[budget]]
        budgets = tuple(Budget(l1, loss, (1 + tolerance) * amount) for l1, loss, amount in used)
        return replace(self, budgets=budgets, scale=fit.l1_norm or budgets[0].limit or 1.0)

    def replacing(self, feature: int, column: np.ndarray) -> Program:
        """The program with another column in the place of a feature."""
        X = self.X.copy()
        X[:, feature] = column
        return replace(self, X=X)


class Objective(NamedTuple):
    """What is minimised over a program: the costs of a fit, or a weight within the budgets."""

    program: Program
    feature: int = 0
    sign: int = 0
    """The minimum of ``sign * w_feature`` is wanted; 0: that of ``l1 * ||w||_1 + ...``, the fit."""
    enough: float = np.inf
    """Once the minimum is known to lie between ``-enough`` and 0, no more need be known."""

    @property
    def direction(self) -> np.ndarray:
        """The objective within budgets is ``direction @ weights``."""
        direction = np.zeros(self.program.X.shape[1])
        direction[self.feature] = self.sign
        return direction


class Solution(NamedTuple):
    """What a solver found.

    ``status`` is "optimal", "infeasible", "stalled", or "enough" if more was not asked for.  The
    objective is the exact value at the weights and thresholds; no model can be below
    ``dual_bound``.  (For the largest value of a
    weight, as for the smallest, objective and bound are those of ``-weight`` or ``weight``, the
    quantity minimised.)
    """

    status: str
    weights: np.ndarray
    thresholds: np.ndarray
    objective: float
    dual_bound: float
    l1_norm: float
    loss: float
    iterations: int
    fallback: bool = False
    """Whether HiGHS had to be asked."""
    multipliers: tuple[np.ndarray, np.ndarray] | None = None
    """Those of the hinges and of the order of thresholds that prove ``dual_bound``, if known."""


def ordinal_program(X: np.ndarray, codes: np.ndarray, C: float) -> Program:
    """Ordered classes with codes 0, 1, ..., K - 1, Eq. (1) and (2); two classes are the case K = 2.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._program import ordinal_program
    >>> program = ordinal_program(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2]), C=1.0)
    >>> program.slacks(np.array([2.0]), np.array([1.0, 3.0]))
    array([0., 0., 0., 0.])
    """
    by_class = np.argsort(codes, kind="stable")
    n_thresholds = int(codes.max())
    below, above = by_class[codes[by_class] < n_thresholds], by_class[codes[by_class] > 0]
    return _program(
        X,
        Hinges(
            sample=np.concatenate([below, above]),
            sign=np.repeat([1.0, -1.0], [len(below), len(above)]),
            threshold=np.concatenate([codes[below], codes[above] - 1]),
            offset=np.ones(len(below) + len(above)),
            n_thresholds=n_thresholds,
        ),
        C,
    )


def regression_program(X: np.ndarray, y: np.ndarray, C: float, epsilon: float = 0.1) -> Program:
    """Regression with a loss of ``max(0, |y - (w.x - b)| - epsilon)`` per sample.

    The two slacks of a sample are never both positive, so two rows per sample have the loss of
    the usual form with one slack.
    """
    m = len(y)
    return _program(
        X,
        Hinges(
            sample=np.tile(np.arange(m), 2),
            sign=np.repeat([1.0, -1.0], m),
            threshold=np.zeros(2 * m, dtype=np.int64),
            offset=np.concatenate([-y, y]) - epsilon,
            n_thresholds=1,
        ),
        C,
    )


def standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns with mean 0 and standard deviation 1 (ddof=0), means and deviations.

    A constant column becomes 0, also when rounding gives it a small deviation.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)  # sums in one order, whatever the input's
    # In units of the largest value, whose square neither overflows nor vanishes.
    unit = np.abs(X).max(axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    shares = X / unit
    mean, std = shares.mean(axis=0), shares.std(axis=0)
    constant = (X.max(axis=0) == X.min(axis=0)) | (std == 0)
    std = np.where(constant, 1.0, std)
    scaled = np.where(constant, 0.0, (shares - mean) / std)
    return scaled, mean * unit, np.where(constant, 1.0, std * unit)


def unscaled(weights: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Weights of standardised columns as weights of the columns themselves."""
    with np.errstate(over="ignore"):
        coef = weights / scale
    if not np.isfinite(coef).all():
        raise ValueError(
            "A feature varies so little that its coefficient is too large for a float. Rescale X."
        )
    return coef


def _program(X: np.ndarray, rows: Hinges, C: float) -> Program:
    p = X.shape[1]
    X = np.ascontiguousarray(X, dtype=np.float64)
    return Program(X, rows, float(C), np.full(p, -np.inf), np.full(p, np.inf))


def _interval(feature: int, limit: Any) -> tuple[float, float]:
    """A value as an interval of no width; a pair as it is."""
    low, high = limit if isinstance(limit, tuple | list | np.ndarray) else (limit, limit)
    if not low <= high:
        raise ValueError(
            f"`fixed` must map a feature to a value or a pair (low, high), got {limit} for feature "
            f"{feature}. Give the smaller limit first."
        )
    return float(low), float(high)
