"""Steps of the interior point, for all programs of a batch at once.

Variables ``(w, b, u, xi)``: weights, thresholds, absolute values, slacks.  All constraints are
``J v <= k``, in this order::

    w - u <= 0,  -w - u <= 0                    u bounds |w|
    sign * (w.x - b) - xi <= -offset, -xi <= 0  the hinges, Eq. (2)
    b_j - b_(j+1) <= 0                          thresholds in order
    w <= high,  -w <= -low                      limits of single weights
    l1 * sum(u) + loss * sum(xi) <= limit       budgets, Eq. (5)

A Newton step solves ``(Q + J' diag(W) J) v = r``.  Slacks and absolute values occur in two rows
each, so they are eliminated by division; what is left is a positive definite system in weights and
thresholds, formed by one product ``X' diag(d) X``.  With E the diagonal block of (u, xi), F its
coupling to the model (w, b) and B the budget rows::

    [ H  F'         ]        H - F' (E + B' W B)^-1 F
    [ F  E + B' W B ]   ->   = H - F' E^-1 F + K' Omega K,     K = B E^-1 F,
                               Omega = (W^-1 + B E^-1 B')^-1

Budgets are corrected for *before* the factorisation, where they add a positive term.  Afterwards
they would cancel: without its budget a model is hardly determined near a bound.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from echelon.bounds._batch import Batch

STEP = 0.995
"""How far a step may go towards the boundary."""

_TINY, _ROUNDING = 1e-300, 2.220446049250313e-16


class NormalEquations:
    """The normal equations of every program, factorised.

    Parameters
    ----------
    batch : Batch
        The programs.
    W : ndarray of shape (n_programs, n_constraints)
        One positive weight per constraint.
    """

    def __init__(self, batch: Batch, W: np.ndarray):
        self.batch, self.form, form = batch, batch.form, batch.form
        up, down, positive = W[:, form.up], W[:, form.down], W[:, form.positive]
        # What the elimination of u and xi divides by, and what it couples to the model.
        self.per_abs, self.abs_coupling = 1.0 / (up + down), down - up
        self.slack_coupling = W[:, form.hinge]
        self.per_slack = np.add(self.slack_coupling, positive, out=self._spare("per slack"))
        np.divide(1.0, self.per_slack, out=self.per_slack)
        mix = np.multiply(self.slack_coupling, self.per_slack, out=self._spare("mix"))
        share = np.multiply(mix, positive, out=self._spare("share"))
        matrix = self._reduced(share)
        diagonal = np.einsum("kii->ki", matrix)
        if form.squared:
            diagonal[:, form.w] += batch.l2[:, None]
        diagonal[:, : form.n_abs] += 4 * up * (down * self.per_abs)
        if form.limited:
            diagonal[:, form.capped] += W[:, form.high]
            diagonal[:, form.floored] += W[:, form.low]
        self._add_order(matrix, diagonal[:, form.b], W[:, form.order])
        if form.n_budgets:
            self._add_budgets(matrix, W[:, form.budget], mix)
        self.factors = [_factor(each) for each in matrix]

    def _spare(self, name: str) -> np.ndarray:
        return self.form.spare(name, len(self.batch), self.form.n_rows)

    def _reduced(self, share: np.ndarray) -> np.ndarray:
        """H - F' E^-1 F of the hinges; the lower half is all that is used."""
        form, X, p = self.form, self.batch.X, self.form.n_weights
        roots = form.spare("per sample", len(share), form.n_samples)
        roots[:, : form.n_below] = share[:, : form.n_below]
        roots[:, form.n_below :] = 0.0
        roots[:, form.first_above :] += share[:, form.n_below :]
        np.sqrt(roots, out=roots)
        matrix = np.zeros((len(share), form.b.stop, form.b.stop))
        scaled = form.spare("scaled", len(share), form.n_samples * p)
        scaled = scaled.reshape(len(share), form.n_samples, p)
        np.multiply(roots[:, :, None], X, out=scaled)
        np.matmul(scaled.transpose(0, 2, 1), scaled, out=matrix[:, :p, :p])
        for rows, samples, threshold in form.segments:
            matrix[:, p + threshold, :p] -= (share[:, None, rows] @ X[:, samples])[:, 0]
        np.einsum("kii->ki", matrix)[:, form.b] = form.threshold_sums(
            share, np.abs(form.segment_pulls)
        )
        return matrix

    def _add_order(self, matrix: np.ndarray, diagonal: np.ndarray, order: np.ndarray) -> None:
        """What the order of the thresholds adds."""
        diagonal[:, :-1] += order
        diagonal[:, 1:] += order
        below = np.arange(self.form.n_weights, self.form.b.stop - 1)
        matrix[:, below + 1, below] -= order

    def _add_budgets(self, matrix: np.ndarray, budget: np.ndarray, mix: np.ndarray) -> None:
        """K' Omega K."""
        form, costs = self.form, self.batch.costs
        parts = np.zeros((len(budget), 2, form.b.stop))
        parts[:, 0, : form.n_abs] = self.abs_coupling * self.per_abs
        parts[:, 1] = -self.batch.pulls(mix)
        room = np.stack([self.per_abs.sum(axis=1), self.per_slack.sum(axis=1)], axis=1)
        inner = (costs * room[:, None]) @ costs.transpose(0, 2, 1)
        np.einsum("kii->ki", inner)[:] += 1.0 / budget
        self.omega = _inverse(inner)
        rows = costs @ parts
        matrix += rows.transpose(0, 2, 1) @ self.omega @ rows

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Solve for one right-hand side each, in place; the distances of every hinge there."""
        form, n_model = self.form, self.form.b.stop
        on_abs, on_slack = right[:, form.u], right[:, form.xi]
        some_abs = on_abs.copy()
        some_slack, far = self._spare("some slack"), self._spare("far")
        some_slack[:] = on_slack
        self._divide(some_abs, some_slack)
        some_slack *= self.slack_coupling
        model = self.batch.pulls(some_slack)
        model += right[:, :n_model]
        model[:, : form.n_abs] -= self.abs_coupling * some_abs
        for k, factor in enumerate(self.factors):
            model[k] = np.nan if factor is None else dpotrs(factor, model[k], lower=1)[0]
        self.batch.distances(model[:, form.w], model[:, form.b], out=far)
        right[:, :n_model] = model
        on_abs -= self.abs_coupling * model[:, : form.n_abs]
        on_slack += np.multiply(self.slack_coupling, far, out=some_slack)
        self._divide(on_abs, on_slack)
        return far

    def _divide(self, on_abs: np.ndarray, on_slack: np.ndarray) -> None:
        """(E + B' W B)^-1 times a right-hand side, in place."""
        on_abs *= self.per_abs
        on_slack *= self.per_slack
        if self.form.n_budgets:
            costs = self.batch.costs
            sums = np.stack([on_abs.sum(axis=1), on_slack.sum(axis=1)], axis=1)
            pull = (sums[:, None] @ costs.transpose(0, 2, 1) @ self.omega @ costs)[:, 0]
            on_abs -= pull[:, :1] * self.per_abs
            on_slack -= np.multiply(pull[:, 1:], self.per_slack, out=self._spare("pull"))


def _factor(matrix: np.ndarray) -> np.ndarray | None:
    """The lower Cholesky factor; with a little more diagonal if singular to rounding."""
    factor, failed = dpotrf(matrix, lower=1, clean=0)
    if failed == 0 and np.isfinite(factor.diagonal().sum()):
        return factor
    diagonal = matrix.diagonal().copy()
    more = diagonal + _TINY + _ROUNDING * diagonal.max()
    extra = 1e-14
    while extra <= 1.0:
        np.fill_diagonal(matrix, diagonal + extra * more)
        factor, failed = dpotrf(matrix, lower=1, clean=0)
        if failed == 0 and np.isfinite(factor.diagonal().sum()):
            return factor
        extra *= 100.0
    return None


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Inverses of matrices of one or two rows."""
    if matrix.shape[1] == 1:
        return 1.0 / matrix
    (a, b), (c, d) = matrix.transpose(1, 2, 0)
    return (np.array([[d, -b], [-c, a]]) / (a * d - b * c)).transpose(2, 0, 1)


# --------------------------------------------------------------------------------------- products


def constraint_values(batch: Batch, v: np.ndarray, far: np.ndarray, out: np.ndarray) -> np.ndarray:
    """J v, with the distances of its model."""
    form = batch.form
    w, b, u, xi = v[:, form.w], v[:, form.b], v[:, form.u], v[:, form.xi]
    signed = w[:, : form.n_abs]
    out[:, form.up], out[:, form.down] = signed - u, -signed - u
    np.subtract(far, xi, out=out[:, form.hinge])
    np.negative(xi, out=out[:, form.positive])
    out[:, form.order] = b[:, :-1] - b[:, 1:]
    if form.limited:
        out[:, form.high], out[:, form.low] = w[:, form.capped], -w[:, form.floored]
    if form.n_budgets:
        used = np.stack([u.sum(axis=1), xi.sum(axis=1)], axis=1)
        out[:, form.budget] = (batch.costs @ used[:, :, None])[:, :, 0]
    return out


def constraint_combination(batch: Batch, multipliers: np.ndarray, out: np.ndarray) -> np.ndarray:
    """J' multipliers."""
    form = batch.form
    up, down, hinge = multipliers[:, form.up], multipliers[:, form.down], multipliers[:, form.hinge]
    out[:, : form.b.stop] = batch.pulls(hinge)
    w, b, u, xi = out[:, form.w], out[:, form.b], out[:, form.u], out[:, form.xi]
    w[:, : form.n_abs] += up - down
    if form.limited:
        w[:, form.capped] += multipliers[:, form.high]
        w[:, form.floored] -= multipliers[:, form.low]
    b[:, :-1] += multipliers[:, form.order]
    b[:, 1:] -= multipliers[:, form.order]
    on_abs = on_slack = 0.0
    if form.n_budgets:
        spent = (multipliers[:, None, form.budget] @ batch.costs)[:, 0]
        on_abs, on_slack = spent[:, :1], spent[:, 1:]
    np.subtract(on_abs, up, out=u)
    u -= down
    np.subtract(on_slack, hinge, out=xi)
    xi -= multipliers[:, form.positive]
    return out


# ------------------------------------------------------------------------------------------ steps


class NewtonSteps:
    """One predictor and one corrector step for every program of a batch.

    Parameters
    ----------
    batch : Batch
        The programs.
    cost : ndarray of shape (n_programs, n_variables)
        Costs of the variables.
    right : ndarray of shape (n_programs, n_constraints)
        Right-hand sides of the constraints.
    v, s, multipliers : ndarray of shape (n_programs, ...)
        Variables, slacks and multipliers of the constraints.
    """

    def __init__(
        self,
        batch: Batch,
        cost: np.ndarray,
        right: np.ndarray,
        v: np.ndarray,
        s: np.ndarray,
        multipliers: np.ndarray,
    ):
        self.batch, self.form = batch, batch.form
        self.v, self.s, self.multipliers = v, s, multipliers
        w, b = v[:, self.form.w], v[:, self.form.b]
        self.primal = self._spare("primal")
        constraint_values(batch, v, batch.distances(w, b), self.primal)
        self.primal += s
        self.primal -= right
        self.dual = constraint_combination(
            batch, multipliers, self._spare("dual", of_variables=True)
        )
        self.dual += cost
        self._add_square(self.dual, v)
        self.W = np.divide(multipliers, s, out=self._spare("W"))
        self.pressure = np.multiply(self.W, self.primal, out=self._spare("pressure"))
        self.equations = NormalEquations(batch, self.W)

    def _spare(self, name: str, of_variables: bool = False) -> np.ndarray:
        width = self.form.n_variables if of_variables else self.form.n_constraints
        return self.form.spare(name, len(self.batch), width)

    def _add_square(self, dual: np.ndarray, v: np.ndarray) -> None:
        """Add the gradient of the squared penalty."""
        if self.form.squared:
            dual[:, self.form.w] += self.batch.l2[:, None] * v[:, self.form.w]

    def take(self, exact: np.ndarray) -> np.ndarray:
        """Take the steps, refined where ``exact``; the longer of their two lengths."""
        s, multipliers = self.s, self.multipliers
        products = np.multiply(s, multipliers, out=self._spare("products"))
        mean = products.mean(axis=1)
        # The predictor aims at products of 0, the corrector at what it is likely to reach.
        target = np.negative(multipliers, out=self._spare("target"))
        dv, ds, dm = self._changes(target)
        a, b = self._lengths(ds, dm, 1.0)
        aimed = self._mean_product(a, b, ds, dm)
        products += np.multiply(ds, dm, out=ds)
        np.subtract((mean * (aimed / mean) ** 3)[:, None], products, out=target)
        target /= s
        dv, ds, dm = self._changes(target)
        if exact.any():
            self._refine(exact, dv, ds, dm)
        a, b = (np.minimum(1.0, STEP * each) for each in self._lengths(ds, dm, 2.0))
        for values, change, length in ((self.v, dv, a), (s, ds, a), (multipliers, dm, b)):
            change *= length[:, None]
            values += change
        return np.maximum(a, b)

    def _changes(self, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Changes of variables, slacks and multipliers that move the products by target * s."""
        dv, ds, dm = self._spare("dv", of_variables=True), self._spare("ds"), self._spare("dm")
        np.add(target, self.pressure, out=dm)
        constraint_combination(self.batch, dm, dv)
        dv += self.dual
        far = self.equations.solve(np.negative(dv, out=dv))
        constraint_values(self.batch, dv, far, ds)
        ds += self.primal
        np.negative(ds, out=ds)
        np.subtract(target, np.multiply(self.W, ds, out=dm), out=dm)
        return dv, ds, dm

    def _refine(self, exact: np.ndarray, dv: np.ndarray, ds: np.ndarray, dm: np.ndarray) -> None:
        """Correct steps for what they leave of the dual equations, once, in place.

        The correction is added, not recomputed: near the end multipliers / s is so large that the
        rounding of ``ds`` alone would spoil the multipliers.
        """
        more, change = self._spare("more", of_variables=True), self._spare("change")
        constraint_combination(self.batch, dm, more)
        more += self.dual
        self._add_square(more, dv)
        far = self.equations.solve(np.negative(more, out=more))
        constraint_values(self.batch, more, far, change)
        which = exact[:, None]
        np.add(dv, more, out=dv, where=which)
        np.subtract(ds, change, out=ds, where=which)
        change *= self.W
        np.add(dm, change, out=dm, where=which)

    def _mean_product(
        self, a: np.ndarray, b: np.ndarray, ds: np.ndarray, dm: np.ndarray
    ) -> np.ndarray:
        """The mean product of slacks and multipliers after steps of these lengths."""
        s, multipliers = self._spare("change"), self._spare("lengths")
        np.multiply(a[:, None], ds, out=s)
        s += self.s
        np.multiply(b[:, None], dm, out=multipliers)
        multipliers += self.multipliers
        s *= multipliers
        return s.mean(axis=1)

    def _lengths(
        self, ds: np.ndarray, dm: np.ndarray, longest: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """How far slacks and multipliers stay positive; one length where a square couples them."""
        a = self._to_boundary(self.s, ds, longest)
        b = self._to_boundary(self.multipliers, dm, longest)
        if self.form.squared:
            a = b = np.minimum(a, b)
        return a, b

    def _to_boundary(self, values: np.ndarray, change: np.ndarray, longest: float) -> np.ndarray:
        """The largest step up to ``longest`` that keeps positive values positive; 0 if unknown."""
        ratio = np.divide(change, values, out=self._spare("lengths"))
        steepest = ratio.min(axis=1)
        length = np.where(steepest * longest >= -1.0, longest, -1.0 / steepest)
        return np.where(np.isfinite(steepest) & np.isfinite(ratio.max(axis=1)), length, 0.0)
