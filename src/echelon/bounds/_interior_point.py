"""A primal-dual interior point for the fit and for the bounds of weights.

Mehrotra's predictor-corrector for ``J v + s = k``, ``s >= 0`` with multipliers ``lambda >= 0``.
What is particular to our programs is in ``_newton``, which takes the steps; when to stop is decided
by ``_certificates``.  Programs of one form are solved together: an array operation takes a
microsecond or two to call, as long as it works on the hinges of a small program.

Not used, since they did not pay: a start in the analytic centre of the budgets (a tenth fewer
steps) and further centrality corrections (a fifth fewer steps, each as much dearer).

References
----------
Mehrotra, S. (1992). On the implementation of a primal-dual interior point method. SIAM Journal on
Optimization 2(4), 575-601.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from echelon.bounds._batch import Batch, Form, in_batches
from echelon.bounds._certificates import Certificate
from echelon.bounds._newton import NewtonSteps, constraint_values
from echelon.bounds._program import Objective, Program, Solution

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


def solve(objectives: Sequence[Objective]) -> list[Solution]:
    """The minimum of every objective, those over programs of one form together.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.bounds._interior_point import solve
    >>> from echelon.bounds._program import Objective, ordinal_program
    >>> program = ordinal_program(np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 2]), C=10.0)
    >>> fit = solve([Objective(program)])[0]
    >>> fit.status, round(fit.objective, 6)
    ('optimal', 2.0)
    >>> largest = solve([Objective(program.within(fit, tolerance=0.1), feature=0, sign=-1)])[0]
    >>> round(-largest.objective, 6)
    2.2
    """
    reduced: dict[int, _Reduced] = {}
    groups: dict[tuple, list[int]] = {}
    for k, asked in enumerate(objectives):
        program = asked.program
        if id(program) not in reduced:
            reduced[id(program)] = _Reduced(program)
        groups.setdefault(reduced[id(program)].key, []).append(k)
    answers: dict[int, Solution] = {}
    for group in groups.values():
        for part in in_batches(group, len(objectives[group[0]].program.X)):
            pairs = [(objectives[k], reduced[id(objectives[k].program)]) for k in part]
            answers.update(zip(part, _solve_together(pairs), strict=True))
    return [answers[k] for k in range(len(objectives))]


def _solve_together(pairs: list[tuple[Objective, _Reduced]]) -> list[Solution]:
    """The minima of objectives over programs of one form."""
    batch = Batch.of(
        [program.free for _, program in pairs],
        [asked.direction[~program.fixed] for asked, program in pairs],
    )
    # Steps into the noise may overflow; they end the run, and prove nothing.
    with np.errstate(all="ignore"):
        run = _Run(batch, np.array([asked.enough for asked, _ in pairs]))
        run.end(np.array([not program.can_be_feasible for _, program in pairs]), "infeasible")
        run.solve()
    return [
        program.completed(run.answers[k], asked.direction)
        for k, (asked, program) in enumerate(pairs)
    ]


class _Reduced:
    """A program in its free weights: fixed ones move into offsets and budgets."""

    def __init__(self, program: Program):
        self.program = program
        fixed = program.low == program.high
        if any(budget.l1 > 0 and budget.limit <= 0 for budget in program.budgets):
            # The only model that may keep such a budget has no weights.
            fixed = np.ones_like(fixed)
        self.fixed = fixed
        self.values = np.where(fixed & (program.low == program.high), program.low, 0.0)[fixed]
        self.free = _without(program, fixed, self.values)
        self.key = Form.key(self.free)

    @property
    def can_be_feasible(self) -> bool:
        """Whether the fixed weights keep their limits and leave something of the budgets."""
        low, high = self.program.low[self.fixed], self.program.high[self.fixed]
        kept = (low <= self.values).all() and (self.values <= high).all()
        return bool(kept) and all(budget.limit >= 0 for budget in self.free.budgets)

    def completed(self, found: Solution, direction: np.ndarray) -> Solution:
        """A solution in the free weights as one of the program."""
        program = self.program
        weights = np.empty(len(direction))
        weights[self.fixed], weights[~self.fixed] = self.values, found.weights
        constant = float(direction[self.fixed] @ self.values)
        if not program.budgets:
            constant += program.l1 * float(np.abs(self.values).sum())
            constant += program.l2 / 2 * float(self.values @ self.values)
        return found._replace(
            weights=weights,
            objective=found.objective + constant,
            dual_bound=found.dual_bound + constant,
            l1_norm=float(np.abs(weights).sum()),
            loss=float(program.slacks(weights, found.thresholds).sum()),
        )


def _without(program: Program, fixed: np.ndarray, values: np.ndarray) -> Program:
    """The program in the other weights."""
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


@dataclass(eq=False)
class _State:
    """Where every program of a batch has come to: the iterate, the best model and bound so far."""

    place: np.ndarray
    enough: np.ndarray
    cost: np.ndarray
    right: np.ndarray
    v: np.ndarray
    s: np.ndarray
    multipliers: np.ndarray
    products: np.ndarray
    """The sum of the products of slacks and multipliers."""
    weights: np.ndarray
    thresholds: np.ndarray
    hinges: np.ndarray
    """With ``order``, the multipliers that prove ``lower``."""
    order: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    smallest: np.ndarray
    """The smallest certified gap of those that shrank, and for how many steps none has."""
    waited: np.ndarray

    def take(self, kept: np.ndarray) -> _State:
        """That of some of the programs."""
        return _State(*(getattr(self, field.name)[kept] for field in fields(self)))


def _first_state(batch: Batch, enough: np.ndarray) -> _State:
    """The smallest weights, room for all slacks, multipliers that share the costs."""
    form, B = batch.form, len(batch)
    cost = np.zeros((B, form.n_variables))
    if form.is_fit:
        cost[:, form.u], cost[:, form.xi] = batch.l1[:, None], batch.C[:, None]
    cost[:, form.w] = batch.direction
    right = np.zeros((B, form.n_constraints))
    right[:, form.hinge] = -batch.offset
    right[:, form.high] = batch.high[:, form.capped]
    right[:, form.low] = -batch.low[:, form.floored]
    right[:, form.budget] = batch.limits
    w = np.clip(np.zeros((B, form.n_weights)), batch.low, batch.high)
    # Thresholds where their hinges would have them on average.
    none = np.zeros((B, form.n_thresholds))
    wanted = form.sign * (batch.distances(w, none) + batch.offset)
    sums = form.threshold_sums(wanted, np.abs(form.segment_pulls))
    counts = np.bincount(form.threshold, minlength=form.n_thresholds)
    b = np.maximum.accumulate(sums / counts, axis=1)
    far = batch.distances(w, b)
    distances = far + batch.offset
    room = np.maximum(1e-3, np.abs(distances).mean(axis=1))[:, None]
    u, xi = np.abs(w[:, : form.n_abs]) + room, np.maximum(distances, 0.0) + room
    v = np.concatenate([w, b, u, xi], axis=1)
    s = np.maximum(right - constraint_values(batch, v, far, np.empty_like(right)), room)
    multipliers = np.full((B, form.n_constraints), FIRST_PULL / form.n_rows)
    if form.is_fit:
        multipliers[:, : form.down.stop] = batch.l1[:, None] / 2
        multipliers[:, form.hinge.start : form.positive.stop] = batch.C[:, None] / 2
    return _State(
        np.arange(B),
        np.where(enough < np.inf, enough, -np.inf),  # without a limit, never
        cost,
        right,
        v,
        s,
        multipliers,
        (s * multipliers).sum(axis=1),
        w,
        b,
        multipliers[:, form.hinge].copy(),
        multipliers[:, form.order].copy(),
        np.full(B, np.inf),
        np.full(B, -np.inf),
        np.full(B, np.inf),
        np.zeros(B, np.int64),
    )


class _Run:
    """One pass of the method over a batch.

    Attributes
    ----------
    answers : dict
        Solutions in the free weights by their place in the batch, of programs done with.
    """

    def __init__(self, batch: Batch, enough: np.ndarray):
        self.batch, self.certificate = batch, Certificate(batch)
        self.state = _first_state(batch, enough)
        self.answers: dict[int, Solution] = {}
        self.iterations = 0

    def solve(self) -> None:
        """Iterate to small certified optimality gaps, proofs of infeasibility, or stalls."""
        # Aim at less than allowed, which costs a step or two; most of all with a square, where the
        # weights are known only to the root of the gap.
        aim = 1e-4 if self.batch.form.squared else 0.2
        for self.iterations in range(MAX_ITERATIONS):
            if len(self.batch) == 0:
                return
            self._certify(self._are_close() | (self.iterations % CERTIFY_EVERY == 0))
            at = self.state
            gap = at.upper - at.lower
            solved = gap <= aim * self.certificate.allowed_gap(at.upper)
            infeasible = self.certificate.excludes_all(at.lower)
            enough = (-at.enough <= at.lower) & (at.upper <= 0)
            counted = np.isfinite(gap) & self._are_close()
            shrunk = counted & (gap < 0.9 * at.smallest)
            at.smallest = np.where(shrunk, gap, at.smallest)
            at.waited = np.where(shrunk, 0, at.waited + counted)
            done = solved | infeasible | enough | (at.waited > PATIENCE)
            if done.any():
                proofs = [solved, infeasible, enough]
                self.end(done, np.select(proofs, ["ended", "infeasible", "enough"], "ended"))
            if len(self.batch):
                self.end(~(self._advance() > SMALLEST_STEP))
        self.end(np.ones(len(self.batch), bool))

    def _are_close(self) -> np.ndarray:
        """Whether the end may be near: at feasible points the products sum to the gap."""
        return self.state.products <= CLOSE * self.certificate.allowed_gap(self.state.upper)

    def _advance(self) -> np.ndarray:
        """One predictor and one corrector step; how long they were."""
        at = self.state
        steps = NewtonSteps(self.batch, at.cost, at.right, at.v, at.s, at.multipliers)
        lengths = steps.take(exact=self._are_close())
        at.products = (at.s * at.multipliers).sum(axis=1)
        return lengths

    def _certify(self, due: np.ndarray) -> None:
        """Improve the bounds of the optimum from both sides, where that is due."""
        if not due.any():
            return
        at, batch, form = self.state, self.batch, self.batch.form
        w = np.clip(at.v[:, form.w], batch.low, batch.high)
        b = np.maximum.accumulate(at.v[:, form.b], axis=1)
        value = self.certificate.value(w, b)
        better = due & (value < at.upper)
        at.upper = np.where(better, value, at.upper)
        at.weights[better], at.thresholds[better] = w[better], b[better]
        hinges, order = at.multipliers[:, form.hinge], at.multipliers[:, form.order]
        bound = self.certificate.bound(hinges, order, at.multipliers[:, form.budget], at.upper)
        better = due & (bound > at.lower)
        at.lower = np.where(better, bound, at.lower)
        at.hinges[better], at.order[better] = hinges[better], order[better]

    def end(self, which: np.ndarray, status: np.ndarray | str = "ended") -> None:
        """Answer for some programs, and go on with the others.

        Those that have "ended" are optimal if the gap is small, else stalled.
        """
        if not which.any():
            return
        status = np.broadcast_to(status, which.shape)[which]
        at, batch = self.state.take(which), self.batch.take(which)
        certificate = Certificate(batch)
        optimal = at.upper - at.lower <= certificate.allowed_gap(at.upper)
        optimal &= status == "ended"
        _clear_zeros(certificate, at, optimal)
        status = np.where(optimal, "optimal", np.where(status == "ended", "stalled", status))
        for k, place in enumerate(at.place.tolist()):
            known = at.lower[k] > -np.inf
            self.answers[place] = Solution(
                str(status[k]),
                at.weights[k],
                at.thresholds[k],
                float(at.upper[k]),
                float(at.lower[k]),
                np.nan,
                np.nan,
                self.iterations,
                multipliers=(at.hinges[k], at.order[k]) if known else None,
            )
        self.state, self.batch = self.state.take(~which), self.batch.take(~which)
        self.certificate = Certificate(self.batch)


def _clear_zeros(certificate: Certificate, at: _State, optimal: np.ndarray) -> None:
    """Set weights that vanish in the limit to exactly 0, if the gap stays small."""
    batch, form = certificate.batch, certificate.batch.form
    if form.n_abs == 0:
        return
    smaller = np.minimum(at.multipliers[:, form.up], at.multipliers[:, form.down])
    w = np.where(smaller > at.v[:, form.u], 0.0, at.weights)
    w = np.clip(w, batch.low, batch.high)
    value = certificate.value(w, at.thresholds)
    small = optimal & (value - at.lower <= certificate.allowed_gap(value))
    at.upper = np.where(small, value, at.upper)
    at.weights[small] = w[small]
