"""The same programs solved by HiGHS; the only file that imports highspy.

Columns: the positive and the negative part of the weights, thresholds, slacks.  A model is built
once; for another feature only the objective changes, and HiGHS goes on from the last basis.
Programs with a squared penalty are not for it: its quadratic solver is slow and unreliable on them.

References
----------
Huangfu, Q., & Hall, J. A. J. (2018). Parallelizing the dual revised simplex method. Mathematical
Programming Computation 10(1), 119-142.
"""

from __future__ import annotations

import highspy
import numpy as np
from scipy import sparse

from echelon.bounds._certificates import Certificate
from echelon.bounds._program import Program, Solution

# Every program has an optimum unless it is infeasible: weights and slacks cost something.
STATUS = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
}


class Highs:
    """Solves one program with HiGHS; the interface is that of ``InteriorPoint``.

    Parameters
    ----------
    program : Program
        A fit, or a set of models within budgets.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._highs import Highs
    >>> from echelon.bounds._program import ordinal_program
    >>> program = ordinal_program(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 2]), C=10.0)
    >>> round(Highs(program).fit().objective, 6)
    2.0
    """

    def __init__(self, program: Program):
        if program.l2 > 0 and not program.budgets:
            raise ValueError(f"`l2` must be 0 for HiGHS, got {program.l2}. Use the interior point.")
        self.program = program
        self.n_weights, self.n_thresholds = program.X.shape[1], program.rows.n_thresholds
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("threads", 1)
        # A factorisation anew where the simplex method ends.  Otherwise, from the second objective
        # on, multipliers carry the rounding of all updates, and prove a hundred times less.
        self._highs.setOptionValue("no_unnecessary_rebuild_refactor", False)
        self._highs.passModel(self._model())

    def fit(self) -> Solution:
        """Minimise ``l1 * ||w||_1 + C * loss``."""
        program = self.program
        n_rows = len(program.rows.sample)
        weights, thresholds = np.full(2 * self.n_weights, program.l1), np.zeros(self.n_thresholds)
        cost = np.concatenate([weights, thresholds, np.full(n_rows, program.C)])
        return self._minimise(cost, np.zeros(self.n_weights))

    def extreme(self, feature: int, sign: int, enough: float = np.inf) -> Solution:
        """Minimise ``sign * w_feature`` over the models within the budgets, to the end."""
        direction = np.zeros(self.n_weights)
        direction[feature] = sign
        others = np.zeros(self.n_thresholds + len(self.program.rows.sample))
        return self._minimise(np.concatenate([direction, -direction, others]), direction)

    def _minimise(self, cost: np.ndarray, direction: np.ndarray) -> Solution:
        highs, p, q = self._highs, self.n_weights, self.n_thresholds
        highs.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
        highs.run()
        status = STATUS.get(highs.getModelStatus(), "stalled")
        found = highs.getSolution()
        columns = np.array(found.col_value) if found.value_valid else np.zeros(len(cost))
        weights, thresholds = columns[:p] - columns[p : 2 * p], columns[2 * p : 2 * p + q]
        used = np.abs(weights).sum(), self.program.slacks(weights, thresholds).sum()
        objective, bound, proof = np.inf, np.inf, None
        if status != "infeasible":
            objective = self._objective(weights, used, direction)
            bound, proof = self._bound(found, direction, objective)
        iterations = max(0, highs.getInfo().simplex_iteration_count)
        return Solution(
            status,
            weights,
            thresholds,
            objective,
            bound,
            float(used[0]),
            float(used[1]),
            iterations,
            multipliers=proof,
        )

    def _objective(self, weights: np.ndarray, used: tuple, direction: np.ndarray) -> float:
        program = self.program
        if program.budgets:
            return float(direction @ weights)
        return float(program.l1 * used[0] + program.C * used[1])

    def _bound(
        self, found: highspy.HighsSolution, direction: np.ndarray, upper: float
    ) -> tuple[float, tuple[np.ndarray, np.ndarray] | None]:
        """What the multipliers of HiGHS prove, and those of them that a fit has."""
        if not found.dual_valid:
            return -np.inf, None
        hinges, order, budgets = np.split(
            -np.array(found.row_dual),
            np.cumsum([len(self.program.rows.sample), self.n_thresholds - 1]),
        )
        bound = Certificate(self.program, direction).bound(hinges, order, budgets, upper)
        return bound, (hinges, order)

    # ---------------------------------------------------------------------- model

    def _model(self) -> highspy.HighsLp:
        lp, program, n_free = highspy.HighsLp(), self.program, self.n_thresholds
        matrix, upper = self._rows()
        lp.num_row_, lp.num_col_ = matrix.shape
        slacks = np.zeros(len(program.rows.sample))
        low = np.concatenate([program.low.clip(0), (-program.high).clip(0)])
        high = np.concatenate([program.high.clip(0), (-program.low).clip(0)])
        lp.col_cost_ = np.zeros(lp.num_col_)
        lp.col_lower_ = np.concatenate([low, np.full(n_free, -np.inf), slacks])
        lp.col_upper_ = np.concatenate([high, np.full(n_free, np.inf), slacks + np.inf])
        lp.row_lower_, lp.row_upper_ = np.full(lp.num_row_, -np.inf), upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
        lp.a_matrix_.value_ = matrix.data
        return lp

    def _rows(self) -> tuple[sparse.csr_array, np.ndarray]:
        """Hinges, order of thresholds and budgets, and their right-hand sides."""
        rows, q = self.program.rows, self.n_thresholds
        n_rows = len(rows.sample)
        X = rows.sign[:, None] * self.program.X[rows.sample]
        cut = -rows.sign[:, None] * np.eye(q)[rows.threshold]
        order = np.eye(q)[:-1] - np.eye(q)[1:]
        blocks = [
            [sparse.coo_array(np.hstack([X, -X, cut])), -sparse.eye_array(n_rows, format="coo")],
            [sparse.coo_array(np.hstack([np.zeros((q - 1, 2 * self.n_weights)), order])), None],
        ]
        for l1, loss, _ in self.program.budgets:
            model = np.repeat([l1, 0.0], [2 * self.n_weights, q])
            blocks.append(
                [sparse.coo_array(model[None]), sparse.coo_array(np.full((1, n_rows), loss))]
            )
        limits = [budget.limit for budget in self.program.budgets]
        matrix = sparse.block_array(blocks, format="csr")
        return matrix, np.concatenate([-rows.offset, np.zeros(q - 1), limits])
