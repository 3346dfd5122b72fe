"""Which solver works on a program, what happens when it stalls, and HiGHS, which then steps in.

The rule is one line: a program whose certified gap the interior point could not make small is
solved again by HiGHS, and the model closer to the better of their bounds is kept.  It happens
where features are almost but not exactly equal and slack is dear (the normal equations are singular
to rounding), where the joint budget is thousands of times the weights (so that its rounding shows
in them), and where the tolerance is 0 (the budgets have no interior).

References
----------
Huangfu, Q., & Hall, J. A. J. (2018). Parallelizing the dual revised simplex method. Mathematical
Programming Computation 10(1), 119-142.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from echelon.bounds import _interior_point
from echelon.bounds._batch import Batch
from echelon.bounds._certificates import Certificate
from echelon.bounds._program import Objective, Program, Solution

if TYPE_CHECKING:
    import highspy

SOLVERS = ("interior-point", "highs")


def solve(objectives: Sequence[Objective], solver: str = "interior-point") -> list[Solution]:
    """The minimum of every objective.

    Parameters
    ----------
    objectives : sequence of Objective
        Fits and bounds.
    solver : {"interior-point", "highs"}
        "interior-point": HiGHS steps in where it stalls (not with a squared penalty).

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._program import Objective, ordinal_program
    >>> from echelon.bounds._solvers import solve
    >>> program = ordinal_program(np.array([[-1.0], [1.0]]), np.array([0, 1]), C=1.0)
    >>> solve([Objective(program)], "highs")[0].status
    'optimal'
    """
    if solver == "highs":
        return _solve_by_highs(objectives)
    found = _interior_point.solve(objectives)
    stalled = [
        k
        for k, (asked, solution) in enumerate(zip(objectives, found, strict=True))
        if solution.status == "stalled" and not asked.program.squared
    ]
    for k, second in zip(stalled, _solve_by_highs([objectives[k] for k in stalled]), strict=True):
        found[k] = _better(found[k], second)
    return found


def _better(first: Solution, second: Solution) -> Solution:
    """The model closer to what both solvers together prove, if HiGHS found one.

    Bounds hold whoever found them, so each model is evaluated by the better of the two, not by
    that of its own solver: where columns are almost equal, HiGHS ends in the right vertex with
    multipliers that prove little, the interior point short of it with multipliers that prove
    more.
    """
    if second.status == "infeasible":
        return second._replace(fallback=True)
    if second.status != "optimal":
        return first._replace(fallback=True)
    proof = max(first, second, key=lambda solution: solution.dual_bound)
    bound = proof.dual_bound
    best = min(second, first, key=lambda solution: abs(solution.objective - bound))
    return best._replace(
        status="optimal", dual_bound=bound, fallback=True, multipliers=proof.multipliers
    )


def checked(solution: Solution, what: str) -> Solution:
    """The solution, if there is one; a warning if it is not known to be exact."""
    if solution.status == "infeasible":
        raise ValueError(
            f"{what} has no solution: no model keeps the budget. If `fixed` is given, its weights "
            "are not those of a good model; change them or raise `tolerance`."
        )
    if solution.status == "stalled":
        gap = solution.objective - solution.dual_bound
        warnings.warn(
            f"{what} is only known to within {gap:.1e} (status: {solution.status}). "
            "Check for almost equal features, or use a smaller C.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return solution


# ----------------------------------------------------------------------------- bounds of weights


class WeightBounds(NamedTuple):
    """Bounds of an absolute weight, and how they were found."""

    lower: float
    upper: float
    n_fallbacks: int
    """Programs for which HiGHS had to be asked."""
    settled: bool = False
    """Whether the second of the two programs could be left early."""
    proven: float = 0.0
    """What the lower bound is at least, whatever the rounding of the solver."""


def weight_bounds(
    programs: Sequence[Program],
    features: Sequence[int],
    sides: Sequence[float],
    solver: str,
    what: str,
) -> list[WeightBounds]:
    """Smallest and largest absolute weight of a feature among the models within the budgets.

    Parameters
    ----------
    programs : sequence of Program
        The models, for every bound.
    features : sequence of int
        Which weights.
    sides : sequence of float
        Their signs in the models that reach furthest, by an estimate (see ``likely_sides``): this
        side comes first, and the other need not be known exactly where it is smaller.
    solver : str
        Name of the solver.
    what : str
        What is bounded, for messages; ``{}`` stands for the feature.
    """
    signs = [1 if side >= 0 else -1 for side in sides]
    asked = list(zip(programs, features, signs, strict=True))
    firsts = solve([Objective(program, f, -sign) for program, f, sign in asked], solver)
    bounds: list[WeightBounds] = []
    others: list[Objective] = []
    for first, (program, f, sign) in zip(firsts, asked, strict=True):
        far = sign * float(checked(first, what.format(f)).weights[f])
        bounds.append(WeightBounds(abs(far), abs(far), first.fallback, proven=abs(far)))
        others.append(Objective(program, f, sign, enough=max(0.0, far)))
    free = [k for k, (program, f, _) in enumerate(asked) if program.low[f] < program.high[f]]
    seconds = solve([others[k] for k in free], solver)
    for k, second in zip(free, seconds, strict=True):
        checked(second, what.format(features[k]))
        bounds[k] = _both_sides(firsts[k], second, features[k], signs[k])
    return bounds


def _both_sides(first: Solution, second: Solution, feature: int, sign: int) -> WeightBounds:
    """Bounds of an absolute weight from the extremes on its likely side and on the other."""
    far, near = (sign * float(each.weights[feature]) for each in (first, second))
    n_fallbacks = first.fallback + second.fallback
    if second.status == "enough":
        return WeightBounds(0.0, far, n_fallbacks, settled=True)
    proven = max(0.0, first.dual_bound, second.dual_bound)
    return WeightBounds(max(0.0, near, -far), max(abs(near), abs(far)), n_fallbacks, proven=proven)


def likely_sides(program: Program, fit: Solution) -> np.ndarray:
    """The sign of every weight, and where it is 0 the side on which it costs less loss."""
    gradient = program.gradient(fit.weights, fit.thresholds)
    return np.where(fit.weights != 0, np.sign(fit.weights), -np.sign(gradient))


# ----------------------------------------------------------------------------------------- HiGHS


def _solve_by_highs(objectives: Sequence[Objective]) -> list[Solution]:
    """The minimum of every objective; those over one program share its model."""
    models: dict[int, Highs] = {}
    found = []
    for asked in objectives:
        if id(asked.program) not in models:
            models[id(asked.program)] = Highs(asked.program)
        found.append(models[id(asked.program)].solve(asked))
    return found


class Highs:
    """Minimises objectives over one program with HiGHS.

    Columns: the positive and the negative part of the weights, thresholds, slacks.  A model is
    built once; for another feature only the objective changes, and HiGHS goes on from the last
    basis.  Programs with a squared penalty are not for it: its quadratic solver is slow and
    unreliable on them.

    Parameters
    ----------
    program : Program
        A fit, or a set of models within budgets.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._program import Objective, ordinal_program
    >>> from echelon.bounds._solvers import Highs
    >>> program = ordinal_program(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 2]), C=10.0)
    >>> round(Highs(program).solve(Objective(program)).objective, 6)
    2.0
    """

    def __init__(self, program: Program):
        import highspy  # takes a while, and most programs do without

        if program.squared:
            raise ValueError(f"`l2` must be 0 for HiGHS, got {program.l2}. Use the interior point.")
        self.program = program
        self.n_weights, self.n_thresholds = program.X.shape[1], program.rows.n_thresholds
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("threads", 1)
        # A factorisation anew where the simplex method ends.  Otherwise, from the second objective
        # on, multipliers carry the rounding of all updates, and prove a hundred times less.
        self._highs.setOptionValue("no_unnecessary_rebuild_refactor", False)
        self._highs.passModel(self._model(highspy.HighsLp(), highspy.MatrixFormat.kRowwise))
        # Every program has an optimum unless it is infeasible: weights and slacks cost something.
        self._statuses = {
            highspy.HighsModelStatus.kOptimal: "optimal",
            highspy.HighsModelStatus.kInfeasible: "infeasible",
            highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
        }

    def solve(self, asked: Objective) -> Solution:
        """The minimum of an objective, whatever would be enough."""
        highs, p, q = self._highs, self.n_weights, self.n_thresholds
        cost = self._cost(asked)
        highs.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
        highs.run()
        status = self._statuses.get(highs.getModelStatus(), "stalled")
        found = highs.getSolution()
        columns = np.array(found.col_value) if found.value_valid else np.zeros(len(cost))
        weights, thresholds = columns[:p] - columns[p : 2 * p], columns[2 * p : 2 * p + q]
        l1_norm = float(np.abs(weights).sum())
        loss = float(self.program.slacks(weights, thresholds).sum())
        objective, bound, proof = np.inf, np.inf, None
        if status != "infeasible":
            objective = float(asked.direction @ weights)
            if not self.program.budgets:
                objective = self.program.l1 * l1_norm + self.program.C * loss
            bound, proof = self._bound(found, asked.direction, objective)
        iterations = max(0, highs.getInfo().simplex_iteration_count)
        return Solution(
            status,
            weights,
            thresholds,
            objective,
            bound,
            l1_norm,
            loss,
            iterations,
            multipliers=proof,
        )

    def _cost(self, asked: Objective) -> np.ndarray:
        """What every column costs."""
        program, n_rows = self.program, len(self.program.rows.sample)
        on_thresholds = np.zeros(self.n_thresholds)
        if program.budgets:
            direction = asked.direction
            return np.concatenate([direction, -direction, on_thresholds, np.zeros(n_rows)])
        on_weights = np.full(2 * self.n_weights, program.l1)
        return np.concatenate([on_weights, on_thresholds, np.full(n_rows, program.C)])

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
        certificate = Certificate(Batch.of([self.program], [direction]))
        bound = certificate.bound(hinges[None], order[None], budgets[None], np.array([upper]))
        return float(bound[0]), (hinges, order)

    def _model(self, lp: highspy.HighsLp, by_row: highspy.MatrixFormat) -> highspy.HighsLp:
        program, n_free = self.program, self.n_thresholds
        matrix, upper = self._rows()
        lp.num_row_, lp.num_col_ = matrix.shape
        slacks = np.zeros(len(program.rows.sample))
        low = np.concatenate([program.low.clip(0), (-program.high).clip(0)])
        high = np.concatenate([program.high.clip(0), (-program.low).clip(0)])
        lp.col_cost_ = np.zeros(lp.num_col_)
        lp.col_lower_ = np.concatenate([low, np.full(n_free, -np.inf), slacks])
        lp.col_upper_ = np.concatenate([high, np.full(n_free, np.inf), slacks + np.inf])
        lp.row_lower_, lp.row_upper_ = np.full(lp.num_row_, -np.inf), upper
        lp.a_matrix_.format_ = by_row
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
