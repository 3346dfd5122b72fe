"""A primal-dual interior point for the fit and for the bounds of weights.

Mehrotra's predictor-corrector for ``J v + s = k``, ``s >= 0`` with multipliers ``lambda >= 0``.
What is particular to our programs is in ``kernels.interior_point``, which takes the steps (or
``_array_steps``, before that is compiled); when to stop is decided by ``_certificates``.

Not used, since they did not pay: a start in the analytic centre of the budgets (a tenth fewer
steps) and further centrality corrections (a fifth fewer steps, each as much dearer).

References
----------
Mehrotra, S. (1992). On the implementation of a primal-dual interior point method. SIAM Journal on
Optimization 2(4), 575-601.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from echelon.bounds._certificates import Certificate
from echelon.bounds._constraints import Constraints
from echelon.bounds._program import Program, Solution
from echelon.bounds._tier import compiled_pays, count_step
from echelon.kernels.interior_point import advance

MAX_ITERATIONS = 100
# From what multiple of the allowed gap on every step is certified and refined; before, it would be
# time lost, but for a certificate now and then that may prove infeasibility, or be enough.
CLOSE = 1e5
CERTIFY_EVERY = 2
# A certified gap that has not shrunk for so many steps will not shrink.
PATIENCE = 6
# What the first multipliers of a bound sum to over the hinges.  Together they have to outweigh an
# objective of slope 1, so each must be small where there are many: half the steps of a start at 1.
FIRST_PULL = 16.0
# The smallest step worth taking.
SMALLEST_STEP = 1e-10


class InteriorPoint:
    """Solves one program, for as many objectives as are asked for.

    Parameters
    ----------
    program : Program
        A fit, or a set of models within budgets.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._interior_point import InteriorPoint
    >>> from echelon.bounds._program import ordinal_program
    >>> program = ordinal_program(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 2]), C=10.0)
    >>> fit = InteriorPoint(program).fit()
    >>> fit.status, round(fit.objective, 6)
    ('optimal', 2.0)
    >>> largest = InteriorPoint(program.within(fit, tolerance=0.1)).extreme(0, sign=-1)
    >>> round(-largest.objective, 6)
    2.2
    """

    def __init__(self, program: Program):
        self.program = program
        fixed = program.low == program.high
        if any(budget.l1 > 0 and budget.limit <= 0 for budget in program.budgets):
            # The only model that may keep such a budget has no weights.
            fixed = np.ones_like(fixed)
        self._fixed = fixed
        self._values = np.where(fixed & (program.low == program.high), program.low, 0.0)[fixed]
        self._free = _without(program, fixed, self._values)
        self._constraints = Constraints(self._free)

    def fit(self) -> Solution:
        """Minimise ``l1 * ||w||_1 + l2 / 2 * ||w||^2 + C * loss``."""
        return self._solve(np.zeros(self.program.X.shape[1]))

    def extreme(self, feature: int, sign: int, enough: float = np.inf) -> Solution:
        """Minimise ``sign * w_feature`` over the models within the budgets.

        Once the minimum is known to lie between ``-enough`` and 0, the status is "enough".
        """
        direction = np.zeros(self.program.X.shape[1])
        direction[feature] = sign
        return self._solve(direction, enough)

    def _solve(self, direction: np.ndarray, enough: float = np.inf) -> Solution:
        run = _Run(self._free, self._constraints, direction[~self._fixed], enough)
        status = "infeasible"
        if self._can_be_feasible():
            # Steps into the noise may overflow; they end the run, and prove nothing.
            with np.errstate(all="ignore"):
                status = run.solve()
        weights = np.empty(len(direction))
        weights[self._fixed], weights[~self._fixed] = self._values, run.weights
        constant = float(direction[self._fixed] @ self._values)
        if not self.program.budgets:
            constant += self.program.l1 * float(np.abs(self._values).sum())
            constant += self.program.l2 / 2 * float(self._values @ self._values)
        return Solution(
            status,
            weights,
            run.thresholds,
            run.upper + constant,
            run.lower + constant,
            float(np.abs(weights).sum()),
            float(self.program.slacks(weights, run.thresholds).sum()),
            run.iterations,
            multipliers=run.proof,
        )

    def _can_be_feasible(self) -> bool:
        """Whether the fixed weights keep their limits and leave something of the budgets."""
        low, high = self.program.low[self._fixed], self.program.high[self._fixed]
        kept = (low <= self._values).all() and (self._values <= high).all()
        return bool(kept) and all(budget.limit >= 0 for budget in self._free.budgets)


class _Run:
    """One pass of the method: the iterate, and the best model and bound so far."""

    def __init__(
        self, program: Program, constraints: Constraints, direction: np.ndarray, enough: float
    ):
        self.program, self.c = program, constraints
        self.enough = enough if enough < np.inf else -np.inf  # without a limit, never
        self.compiled = compiled_pays()
        self.certificate = Certificate(program, direction)
        self.cost = np.zeros(constraints.n_variables)
        self.cost[constraints.w] = direction
        self.quadratic = np.zeros(constraints.n_variables)
        self.quadratic[constraints.w] = constraints.layout.l2
        if not program.budgets:
            self.cost[constraints.u], self.cost[constraints.xi] = program.l1, program.C
        # Aim at less than allowed, which costs a step or two; most of all with a square, where the
        # weights are known only to the root of the gap.
        self.aim = 1e-4 if constraints.layout.l2 > 0 else 0.2
        self.upper, self.lower, self.iterations = np.inf, -np.inf, 0
        self.proof: tuple[np.ndarray, np.ndarray] | None = None
        self.weights = np.clip(np.zeros(constraints.n_weights), program.low, program.high)
        self.thresholds = self._first_thresholds()
        self._start()

    def _first_thresholds(self) -> np.ndarray:
        """Where the rows of a threshold would have it on average."""
        rows, c = self.program.rows, self.c
        wanted = (self.program.X @ self.weights)[rows.sample] + rows.sign * rows.offset
        sums = np.bincount(rows.threshold, wanted, c.n_thresholds)
        return np.maximum.accumulate(sums / np.bincount(rows.threshold, minlength=c.n_thresholds))

    def _start(self) -> None:
        """The smallest weights, room for all slacks, multipliers that share the costs."""
        c, program, w, b = self.c, self.program, self.weights, self.thresholds
        far = c.arrays.distances(np.concatenate([w, b]))
        distances = program.rows.offset + far
        room = max(1e-3, float(np.abs(distances).mean()))
        self.v = np.concatenate(
            [w, b, np.abs(w[: c.n_abs]) + room, np.maximum(0.0, distances) + room]
        )
        self.s = np.maximum(c.layout.right - c.arrays.values(self.v, far), room)
        self.multipliers = np.full(c.n_constraints, FIRST_PULL / c.n_rows)
        if not program.budgets:
            self.multipliers[: 2 * c.n_abs] = program.l1 / 2
            self.multipliers[2 * c.n_abs : 2 * (c.n_abs + c.n_rows)] = program.C / 2

    def solve(self) -> str:
        """Iterate to a small certified gap, a proof of infeasibility, or a stall."""
        waited, smallest = 0, np.inf
        for self.iterations in range(MAX_ITERATIONS):
            if self.iterations % CERTIFY_EVERY == 0 or self._is_close():
                self._certify()
            gap = self.upper - self.lower
            if gap <= self.aim * self.certificate.allowed_gap(self.upper):
                break
            if self.certificate.excludes_all(self.lower):
                return "infeasible"
            if -self.enough <= self.lower and self.upper <= 0:
                return "enough"
            if np.isfinite(gap) and self._is_close():
                waited, smallest = (0, gap) if gap < 0.9 * smallest else (waited + 1, smallest)
            if waited > PATIENCE or not self._advance():
                break
        if self.upper - self.lower > self.certificate.allowed_gap(self.upper):
            return "stalled"
        self._clear_zeros()
        return "optimal"

    def _is_close(self) -> bool:
        """Whether the end may be near: at feasible points the products sum to the gap."""
        return bool(self.s @ self.multipliers <= CLOSE * self.certificate.allowed_gap(self.upper))

    # ---------------------------------------------------------------------- steps

    def _advance(self) -> bool:
        """One predictor and one corrector step; whether they could be taken."""
        state = self.cost, self.quadratic, self.v, self.s, self.multipliers, self._is_close()
        if self.compiled:
            length = advance(self.c.layout, *state)
        else:
            count_step()
            length = self.c.arrays.advance(*state)
        return length > SMALLEST_STEP

    # --------------------------------------------------------------- certificates

    def _certify(self) -> None:
        """Improve the bounds of the optimum from both sides."""
        c, multipliers = self.c, self.multipliers
        w = np.clip(self.v[c.w], self.program.low, self.program.high)
        b = np.maximum.accumulate(self.v[c.b])
        value = self.certificate.value(w, b)
        if value < self.upper:
            self.upper, self.weights, self.thresholds = value, w, b
        bound = self.certificate.bound(
            multipliers[c.hinge], multipliers[c.order], multipliers[c.budget], self.upper
        )
        if bound > self.lower:
            self.lower = bound
            self.proof = multipliers[c.hinge].copy(), multipliers[c.order].copy()

    def _clear_zeros(self) -> None:
        """Set weights that vanish in the limit to exactly 0, if the gap stays small."""
        c = self.c
        if c.n_abs == 0:
            return
        zero = np.minimum(self.multipliers[c.up], self.multipliers[c.down]) > self.v[c.u]
        w = np.clip(np.where(zero, 0.0, self.weights), self.program.low, self.program.high)
        value = self.certificate.value(w, self.thresholds)
        if value - self.lower <= self.certificate.allowed_gap(value):
            self.upper, self.weights = value, w


def _without(program: Program, fixed: np.ndarray, values: np.ndarray) -> Program:
    """The program in the other weights: fixed ones move into offsets and budgets."""
    if not fixed.any():
        return program
    rows = program.rows
    shift = (program.X[:, fixed] @ values)[rows.sample]
    spent = float(np.abs(values).sum())
    return replace(
        program,
        X=np.ascontiguousarray(program.X[:, ~fixed]),
        rows=rows._replace(offset=rows.offset + rows.sign * shift),
        low=program.low[~fixed],
        high=program.high[~fixed],
        budgets=tuple(b._replace(limit=b.limit - b.l1 * spent) for b in program.budgets),
    )
