"""The constraints of a program, laid out for the kernels of ``kernels.interior_point``."""

from __future__ import annotations

import numpy as np

from echelon.bounds._array_steps import ArraySteps
from echelon.bounds._program import Program, slices
from echelon.kernels.interior_point import Layout


class Constraints:
    """Where each kind of variable and of constraint begins and ends, for a program in free weights.

    Attributes
    ----------
    layout : Layout
        What the kernels work on.
    arrays : ArraySteps
        The same by array operations.
    w, b, u, xi : slice
        Weights, thresholds, absolute values and slacks among the variables.
    signs, hinge, order, budget : slice
        ``|w| <= u`` (twice), the hinges, the order of thresholds and the budgets among the
        constraints.
    """

    def __init__(self, program: Program):
        rows, p = program.rows, program.X.shape[1]
        self.n_weights, self.n_thresholds, self.n_rows = p, rows.n_thresholds, len(rows.sample)
        # Without an L1 term nothing holds the absolute values down: then there are none.
        self.n_abs = p if program.l1 > 0 or program.budgets else 0
        high, low = (
            np.flatnonzero(np.isfinite(program.high)),
            np.flatnonzero(np.isfinite(program.low)),
        )
        self.w, self.b, self.u, self.xi = slices([p, self.n_thresholds, self.n_abs, self.n_rows])
        self.n_variables = self.xi.stop
        self.up, self.down, self.hinge, _, self.order, _, _, self.budget = slices(
            [
                self.n_abs,
                self.n_abs,
                self.n_rows,
                self.n_rows,
                self.n_thresholds - 1,
                len(high),
                len(low),
                len(program.budgets),
            ]
        )
        self.n_constraints = self.budget.stop
        right = np.zeros(self.n_constraints)
        right[self.hinge] = -rows.offset
        right[self.order.stop :] = np.concatenate(
            [program.high[high], -program.low[low], [budget.limit for budget in program.budgets]]
        )
        self.layout = Layout(
            program.X,
            rows.sample.astype(np.int64),
            rows.sign.astype(np.float64),
            rows.threshold.astype(np.int64),
            rows.n_thresholds,
            self.n_abs,
            high,
            low,
            np.array([[b.l1, b.loss] for b in program.budgets], dtype=np.float64).reshape(-1, 2),
            right,
            0.0 if program.budgets else float(program.l2),
        )
        self.arrays = ArraySteps(self.layout)
