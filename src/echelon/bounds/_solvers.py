"""Which solver works on a program, and what happens when it stalls.

The rule is one line: a program whose certified gap the interior point could not make small is
solved again by HiGHS, and the model closer to the better of their bounds is kept.  It happens
where features are almost but not exactly equal and slack is dear (the normal equations are singular
to rounding), where the joint budget is thousands of times the weights (so that its rounding shows
in them), and where the tolerance is 0 (the budgets have no interior).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from echelon.bounds._highs import Highs
from echelon.bounds._interior_point import InteriorPoint
from echelon.bounds._program import Program, Solution


class Solver(Protocol):
    """What every solver offers."""

    def fit(self) -> Solution:
        """Minimise ``l1 * ||w||_1 + l2 / 2 * ||w||^2 + C * loss``."""

    def extreme(self, feature: int, sign: int, enough: float = np.inf) -> Solution:
        """Minimise ``sign * w_feature`` over the models within the budgets.

        A solver may stop, with the status "enough", once the minimum is known to lie between
        ``-enough`` and 0.
        """


class Safeguarded:
    """The interior point, and HiGHS where it stalls (not with a squared penalty).

    Parameters
    ----------
    program : Program
        A fit, or a set of models within budgets.

    Attributes
    ----------
    n_stalled : int
        How many solutions HiGHS had to be asked for.
    """

    def __init__(self, program: Program):
        self.program = program
        self.n_stalled = 0
        self._first = InteriorPoint(program)
        self._second: Highs | None = None

    def fit(self) -> Solution:
        """Minimise ``l1 * ||w||_1 + l2 / 2 * ||w||^2 + C * loss``."""
        first = self._first.fit()
        if first.status != "stalled" or self.program.l2 > 0:
            return first
        return self._better(first, self._other().fit())

    def extreme(self, feature: int, sign: int, enough: float = np.inf) -> Solution:
        """Minimise ``sign * w_feature`` over the models within the budgets."""
        first = self._first.extreme(feature, sign, enough)
        if first.status != "stalled":
            return first
        return self._better(first, self._other().extreme(feature, sign))

    def _other(self) -> Highs:
        self.n_stalled += 1
        if self._second is None:
            self._second = Highs(self.program)
        return self._second

    @staticmethod
    def _better(first: Solution, second: Solution) -> Solution:
        """The model closer to what both solvers together prove, if HiGHS found one.

        Bounds hold whoever found them, so each model is judged by the better of the two, not by
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


SOLVERS: dict[str, Callable[[Program], Solver]] = {"interior-point": Safeguarded, "highs": Highs}


def solver_for(program: Program, name: str = "interior-point") -> Solver:
    """The solver of that name, ready to solve a program.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._program import ordinal_program
    >>> from echelon.bounds._solvers import solver_for
    >>> program = ordinal_program(np.array([[-1.0], [1.0]]), np.array([0, 1]), C=1.0)
    >>> solver_for(program, "highs").fit().status
    'optimal'
    """
    return SOLVERS[name](program)


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
    program: Program, feature: int, side: float, solver: str, what: str
) -> WeightBounds:
    """Smallest and largest absolute weight of a feature among the models within the budgets.

    Parameters
    ----------
    program : Program
        The models.
    feature : int
        Which weight.
    side : float
        Its sign in the models that reach furthest, at a guess (see ``likely_sides``): this side
        comes first, and the other need not be known exactly where it is smaller.
    solver : str
        Name of the solver.
    what : str
        What is bounded, for messages.
    """
    models = solver_for(program, solver)
    side = 1 if side >= 0 else -1
    first = checked(models.extreme(feature, -side), what)
    far = side * float(first.weights[feature])
    if program.low[feature] == program.high[feature]:
        return WeightBounds(abs(far), abs(far), first.fallback, proven=abs(far))
    second = checked(models.extreme(feature, side, enough=max(0.0, far)), what)
    n_fallbacks = first.fallback + second.fallback
    if second.status == "enough":
        return WeightBounds(0.0, far, n_fallbacks, settled=True)
    near = side * float(second.weights[feature])
    proven = max(0.0, first.dual_bound, second.dual_bound)
    return WeightBounds(max(0.0, near, -far), max(abs(near), abs(far)), n_fallbacks, proven=proven)


def likely_sides(program: Program, fit: Solution) -> np.ndarray:
    """The sign of every weight, and where it is 0 the side on which it costs less loss."""
    gradient = program.gradient(fit.weights, fit.thresholds)
    return np.where(fit.weights != 0, np.sign(fit.weights), -np.sign(gradient))


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
