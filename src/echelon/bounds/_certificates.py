"""What a model and a set of multipliers prove, whatever the rounding of the solver they came from.

A model proves that the optimum is not above its objective, slacks recomputed.  Multipliers prove
that it is not below the dual function.  The difference of the two is the *certified gap*; no
residual has to be small for it to hold.  A bound above the objective of every model that keeps the
budgets proves that there is no such model.
"""

from __future__ import annotations

import numpy as np

from echelon.bounds._batch import Batch

# The certified gap at which a solution counts as optimal: relative to the objective for a fit (its
# optimum becomes the budget of the bounds), relative to the scale of the weights for a bound.
FIT_GAP = 1e-8
BOUND_GAP = 5e-7
# By what share a model may exceed a budget.
FEASIBILITY = 1e-10


class Certificate:
    """Bounds of the optima of a batch of programs from both sides.

    Parameters
    ----------
    batch : Batch
        Fits, or sets of models within budgets, each with an objective.
    """

    def __init__(self, batch: Batch):
        self.batch, self.is_fit = batch, batch.form.is_fit
        self.largest_offset = np.abs(batch.offset).max(axis=1)
        # A budget of 0 has no share that could be exceeded: then the sizes of a weight and of a
        # slack count.
        sizes = np.stack([batch.scale, self.largest_offset], axis=1)
        units = (batch.costs @ sizes[:, :, None])[:, :, 0]
        self.ceilings = batch.limits + FEASIBILITY * np.maximum(batch.limits, units)

    def value(self, weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
        """The objective at a model of every program, infinite if it exceeds a budget."""
        batch = self.batch
        slacks = batch.distances(weights, thresholds)
        slacks += batch.offset
        used = np.abs(weights).sum(axis=1), np.maximum(slacks, 0.0, out=slacks).sum(axis=1)
        if self.is_fit:
            square = batch.l2 / 2 * np.square(weights).sum(axis=1)
            return batch.l1 * used[0] + square + batch.C * used[1]
        spent = (batch.costs @ np.stack(used, axis=1)[:, :, None])[:, :, 0]
        kept = (spent <= self.ceilings).all(axis=1)
        return np.where(kept, (batch.direction * weights).sum(axis=1), np.inf)

    def bound(
        self, hinges: np.ndarray, order: np.ndarray, budgets: np.ndarray, upper: np.ndarray
    ) -> np.ndarray:
        """The dual function: no model has a smaller objective.

        For multipliers of hinges between 0 and the cost of slack, the Lagrangian is linear in the
        thresholds and a sum over the weights.  Its minimum is taken over a box around an optimum.

        Parameters
        ----------
        hinges, order, budgets : ndarray of shape (n_programs, ...)
            Multipliers of the hinges, of the order of the thresholds and of the budgets.  Those
            outside the range of multipliers are moved into it.
        upper : ndarray of shape (n_programs,)
            The objective of a known model, which bounds the weights of an optimum of a fit.
        """
        batch, form = self.batch, self.batch.form
        budgets = np.maximum(budgets, 0.0)
        l1, loss = batch.l1, batch.C
        if not self.is_fit:
            l1, loss = (budgets[:, None] @ batch.costs)[:, 0].T
        largest, reach = self._box(upper)
        hinges = np.clip(hinges, 0.0, loss[:, None])
        pulls, order = batch.pulls(hinges), np.maximum(order, 0.0)
        slope, level = pulls[:, form.w] + batch.direction, pulls[:, form.b]
        level[:, :-1] += order
        level[:, 1:] -= order
        # Some optimal thresholds lie where a row changes sides: at w.x plus or minus an offset.
        on_thresholds = np.abs(level).sum(axis=1) * (reach + self.largest_offset)
        value = (batch.offset * hinges).sum(axis=1) - on_thresholds
        return (
            value + self._smallest_terms(slope, l1, largest) - (budgets * batch.limits).sum(axis=1)
        )

    def _smallest_terms(self, slope: np.ndarray, l1: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """Sum of the minima of ``slope * w + l1 * |w| + l2 / 2 * w^2`` over every weight's box."""
        batch, largest, l1 = self.batch, largest[:, None], l1[:, None]
        excess = np.maximum(np.abs(slope) - l1, 0.0)
        if batch.form.squared:
            size = excess / batch.l2[:, None]
        else:
            size = np.where(excess > 0.0, largest, 0.0)
        w = np.where(slope > 0.0, -size, size)
        w = np.clip(w, np.maximum(batch.low, -largest), np.minimum(batch.high, largest))
        terms = slope * w + l1 * np.abs(w)
        if batch.form.squared:
            terms += batch.l2[:, None] / 2 * w * w
        return terms.sum(axis=1)

    def _box(self, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sizes that no weight and no ``w.x`` of an optimum exceeds."""
        batch = self.batch
        if not self.is_fit:
            norm = _shares(batch.limits, batch.costs[:, :, 0]).min(axis=1)
            return norm, norm * batch.largest_value
        l1 = _shares(upper, batch.l1)
        if not batch.form.squared:
            return l1, l1 * batch.largest_value
        l2 = np.sqrt(2 * upper / batch.l2)
        return np.minimum(l1, l2), np.minimum(l1 * batch.largest_value, l2 * batch.largest_norm)

    def reach(self, hinges: np.ndarray, order: np.ndarray) -> np.ndarray:
        """What ``-objective`` is at most, for objectives of one weight within a budget.

        Proven with the multipliers of a fit (of this program or of one with fewer features), times
        what makes the column of the feature balance: with its slope c in the loss, the reduced cost
        1 - |c|, the weight is at most ``(limit - optimum) / (1 - |c|)``.  One product of the data
        with a vector, where a program takes dozens.

        Parameters
        ----------
        hinges, order : ndarray of shape (n_rows,) and (n_thresholds - 1,)
            The multipliers of the fit.
        """
        batch = self.batch
        hinges = np.clip(hinges, 0.0, batch.C[:, None])
        slope = batch.pulls(hinges)[:, batch.form.w]
        reduced = 1.0 - (batch.direction * slope).sum(axis=1)
        factor = 1 / np.where(reduced > 0, reduced, np.nan)[:, None]
        prices = np.where(batch.costs[:, :, 0] > 0, 1.0, batch.C[:, None])
        bound = self.bound(factor * hinges, factor * order, factor * prices, reduced)
        return np.where(reduced > 0, -bound, np.inf)

    def allowed_gap(self, upper: np.ndarray) -> np.ndarray:
        """The gap at which a solution counts as optimal."""
        if not self.is_fit:
            return BOUND_GAP * self.batch.scale
        # An optimum of 0 has no share: then the cost of a small slack counts.
        return FIT_GAP * np.maximum(np.abs(upper), 1e-3 * self.batch.C * self.largest_offset)

    def excludes_all(self, lower: np.ndarray) -> np.ndarray:
        """Whether a lower bound is above the objective of every model within the budgets."""
        if self.is_fit:
            return np.zeros(len(self.batch), bool)
        reachable = np.abs(self.batch.direction).max(axis=1, initial=0.0) * self._box(lower)[0]
        return lower > reachable + BOUND_GAP * self.batch.scale


def _shares(amounts: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """What can be had for an amount; any number of what costs nothing."""
    return np.divide(amounts, costs, out=np.full(amounts.shape, np.inf), where=costs > 0)
