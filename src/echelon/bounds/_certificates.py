"""What a model and a set of multipliers prove, whatever the rounding of the solver they came from.

A model proves that the optimum is not above its objective, slacks recomputed.  Multipliers prove
that it is not below the dual function.  The difference of the two is the *certified gap*; no
residual has to be small for it to hold.  A bound above the objective of every model that keeps the
budgets proves that there is no such model.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from echelon.bounds._program import Program
from echelon.bounds._tier import compiled_pays
from echelon.kernels.certificates import dual_bound, total_slack

# The certified gap at which a solution counts as optimal: relative to the objective for a fit (its
# optimum becomes the budget of the bounds), relative to the scale of the weights for a bound.
FIT_GAP = 1e-8
BOUND_GAP = 5e-7
# By what share a model may exceed a budget.
FEASIBILITY = 1e-10


class Certificate:
    """Bounds of the optimum of a program from both sides.

    Parameters
    ----------
    program : Program
        A fit, or a set of models within budgets.
    direction : ndarray of shape (n_features,)
        The objective within budgets is ``direction @ weights``.
    """

    def __init__(self, program: Program, direction: np.ndarray):
        self.program, self.direction = program, direction
        self.compiled = compiled_pays()
        self.is_fit = not program.budgets
        self.largest_offset = np.abs(program.rows.offset).max()
        self.limits = np.array([budget.limit for budget in program.budgets])
        self.costs = np.array([[budget.l1, budget.loss] for budget in program.budgets])
        self.costs = self.costs.reshape(-1, 2)
        # A budget of 0 has no share that could be exceeded: then the sizes of a weight and of a
        # slack count.
        units = self.costs @ np.array([program.scale, self.largest_offset])
        self.ceilings = self.limits + FEASIBILITY * np.maximum(self.limits, units)

    def value(self, weights: np.ndarray, thresholds: np.ndarray) -> float:
        """The objective at a model, infinite if it exceeds a budget."""
        program, rows = self.program, self.program.rows
        slack = (total_slack if self.compiled else _total_slack)(
            program.X, rows.sample, rows.sign, rows.threshold, rows.offset, weights, thresholds
        )
        used = np.abs(weights).sum(), slack
        if self.is_fit:
            square = program.l2 / 2 * weights @ weights
            return float(program.l1 * used[0] + square + program.C * used[1])
        kept = (self.costs @ used <= self.ceilings).all()
        return float(self.direction @ weights) if kept else np.inf

    def bound(
        self, hinges: np.ndarray, order: np.ndarray, budgets: np.ndarray, upper: float
    ) -> float:
        """The dual function: no model has a smaller objective.

        Parameters
        ----------
        hinges, order, budgets : ndarray
            Multipliers of the hinges, of the order of the thresholds and of the budgets.  Those
            outside the range of multipliers are moved into it.
        upper : float
            The objective of a known model, which bounds the weights of an optimum of a fit.
        """
        program, rows = self.program, self.program.rows
        budgets = np.maximum(budgets, 0.0)
        l1, loss = (program.l1, program.C) if self.is_fit else budgets @ self.costs
        largest, reach = self._box(upper)
        value = (dual_bound if self.compiled else _dual_bound)(
            program.X,
            rows.sample,
            rows.sign,
            rows.threshold,
            rows.offset,
            self.direction,
            hinges,
            order,
            float(l1),
            float(program.l2) if self.is_fit else 0.0,
            float(loss),
            program.low,
            program.high,
            float(largest),
            # Some optimal thresholds lie where a row changes sides: at w.x plus or minus an offset.
            float(reach + self.largest_offset),
        )
        return float(value - budgets @ self.limits)

    @cached_property
    def largest_value(self) -> float:
        """The largest absolute value of the data."""
        return float(np.abs(self.program.X).max(initial=0.0))

    @cached_property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of a sample."""
        return float(np.sqrt((self.program.X**2).sum(axis=1).max()))

    def _box(self, upper: float) -> tuple[float, float]:
        """Sizes that no weight and no ``w.x`` of an optimum exceeds."""
        program = self.program
        if not self.is_fit:
            norm = min(budget.limit / budget.l1 for budget in program.budgets if budget.l1 > 0)
            return norm, norm * self.largest_value
        l1 = upper / program.l1 if program.l1 > 0 else np.inf
        if program.l2 <= 0:
            return l1, l1 * self.largest_value
        l2 = np.sqrt(2 * upper / program.l2)
        return min(l1, l2), min(l1 * self.largest_value, l2 * self.largest_norm)

    def reach(self, feature: int, multipliers: tuple[np.ndarray, np.ndarray]) -> float:
        """What ``-objective`` is at most, for an objective of one weight.

        Proven with the multipliers of a fit (of this program or of one with fewer features), times
        what makes the column of the feature balance: with its slope c in the loss, the reduced cost
        1 - |c|, the weight is at most ``(limit - optimum) / (1 - |c|)``.  One product of the data
        with a vector, where a program takes dozens.
        """
        rows, program = self.program.rows, self.program
        hinges = np.clip(multipliers[0], 0.0, program.C)
        pulls = np.bincount(rows.sample, rows.sign * hinges, len(program.X))
        reduced = 1.0 - self.direction[feature] * float(pulls @ program.X[:, feature])
        if reduced <= 0:
            return np.inf
        factor = 1 / reduced
        prices = np.array([1.0 if budget.l1 > 0 else program.C for budget in program.budgets])
        scaled = factor * hinges, factor * multipliers[1], factor * prices
        return -self.bound(*scaled, np.inf)

    def allowed_gap(self, upper: float) -> float:
        """The gap at which a solution counts as optimal."""
        if not self.is_fit:
            return BOUND_GAP * self.program.scale
        # An optimum of 0 has no share: then the cost of a small slack counts.
        return FIT_GAP * max(abs(upper), 1e-3 * self.program.C * self.largest_offset)

    def excludes_all(self, lower: float) -> bool:
        """Whether a lower bound is above the objective of every model within the budgets."""
        if self.is_fit:
            return False
        reachable = np.abs(self.direction).max(initial=0.0) * self._box(np.inf)[0]
        return lower > reachable + BOUND_GAP * self.program.scale


# ------------------------------------------------------- kernels.certificates by array operations


def _total_slack(
    X: np.ndarray,
    sample: np.ndarray,
    sign: np.ndarray,
    threshold: np.ndarray,
    offset: np.ndarray,
    w: np.ndarray,
    b: np.ndarray,
) -> float:
    """The sum of the smallest slacks under which a model satisfies the constraints (2)."""
    return float(np.maximum(0.0, offset + sign * ((X @ w)[sample] - b[threshold])).sum())


def _dual_bound(
    X: np.ndarray,
    sample: np.ndarray,
    sign: np.ndarray,
    threshold: np.ndarray,
    offset: np.ndarray,
    direction: np.ndarray,
    hinges: np.ndarray,
    order: np.ndarray,
    l1: float,
    l2: float,
    loss: float,
    low: np.ndarray,
    high: np.ndarray,
    largest: float,
    reach: float,
) -> float:
    """The dual function at multipliers moved into their range, without budgets."""
    pull, in_order = np.minimum(np.maximum(hinges, 0.0), loss), np.maximum(order, 0.0)
    level = -np.bincount(threshold, sign * pull, len(order) + 1)
    level[:-1] += in_order
    level[1:] -= in_order
    slope = np.bincount(sample, sign * pull, len(X)) @ X + direction
    excess = np.maximum(np.abs(slope) - l1, 0.0)
    size = excess / l2 if l2 > 0.0 else np.where(excess > 0.0, largest, 0.0)
    w = np.where(slope > 0.0, -size, size)
    w = np.minimum(np.maximum(w, np.maximum(low, -largest)), np.minimum(high, largest))
    terms = slope * w + l1 * np.abs(w) + l2 / 2 * w * w
    return float(offset @ pull + terms.sum() - np.abs(level).sum() * reach)
