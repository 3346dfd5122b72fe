"""The constraints of a program as one matrix that is never formed, and its normal equations.

Variables ``(w, b, u, xi)``: weights, thresholds, absolute values, slacks.  All constraints are
``J v <= k``, in this order::

    w - u <= 0,  -w - u <= 0                    u bounds |w|
    sign * (w.x - b) - xi <= -offset, -xi <= 0  the hinges, Eq. (2)
    b_j - b_(j+1) <= 0                          thresholds in order
    w <= high,  -w <= -low                      limits of single weights
    l1 * sum(u) + loss * sum(xi) <= limit       budgets, Eq. (5)

A Newton step solves ``(Q + J' diag(W) J) v = r``.  Slacks and absolute values occur in two rows
each, so they are eliminated by division; budgets are a correction of rank one or two.  What is left
is a positive definite system in weights and thresholds, formed by one product ``X' diag(d) X``.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from echelon.bounds._program import Program


class Constraints:
    """J, its transpose, and the normal equations of a program without fixed weights."""

    def __init__(self, program: Program):
        rows, (m, p) = program.rows, program.X.shape
        self.X, self.rows = program.X, rows
        self.n_weights, self.n_thresholds, self.n_rows = p, rows.n_thresholds, len(rows.sample)
        self.n_samples = m
        # Without an L1 term nothing holds the absolute values down: then there are none.
        self.n_abs = p if program.l1 > 0 or program.budgets else 0
        self.high = np.flatnonzero(np.isfinite(program.high))
        self.low = np.flatnonzero(np.isfinite(program.low))
        self.l2 = 0.0 if program.budgets else program.l2
        self.cells = rows.sample * self.n_thresholds + rows.threshold
        self.costs = np.array([[budget.l1, budget.loss] for budget in program.budgets])
        self.costs = self.costs.reshape(-1, 2)
        self._lay_out()
        self.right = np.concatenate(
            [
                np.zeros(2 * self.n_abs),
                -rows.offset,
                np.zeros(self.n_rows + self.n_thresholds - 1),
                program.high[self.high],
                -program.low[self.low],
                [budget.limit for budget in program.budgets],
            ]
        )

    def _lay_out(self) -> None:
        """Where each kind of variable and of constraint begins and ends."""
        sizes = [self.n_weights, self.n_thresholds, self.n_abs, self.n_rows]
        self.w, self.b, self.u, self.xi = _slices(sizes)
        self.n_variables = sum(sizes)
        sizes = [self.n_abs, self.n_abs, self.n_rows, self.n_rows, self.n_thresholds - 1]
        sizes += [len(self.high), len(self.low), len(self.costs)]
        self.parts = _slices(sizes)
        self.n_constraints = sum(sizes)
        self.hinge, self.order, self.budget = self.parts[2], self.parts[4], self.parts[7]

    # ------------------------------------------------------------------ products

    def values(self, v: np.ndarray) -> np.ndarray:
        """J v."""
        w, b, u, xi = v[self.w], v[self.b], v[self.u], v[self.xi]
        signed = w[: self.n_abs]
        spent = self.costs @ (u.sum(), xi.sum())
        return np.concatenate(
            [
                signed - u,
                -signed - u,
                self.distances(w, b) - xi,
                -xi,
                b[:-1] - b[1:],
                w[self.high],
                -w[self.low],
                spent,
            ]
        )

    def combination(self, multipliers: np.ndarray) -> np.ndarray:
        """J' multipliers."""
        up, down, hinge, positive, order, high, low, budget = (multipliers[k] for k in self.parts)
        out = np.empty(self.n_variables)
        w, b = self.pulls(hinge)
        w[: self.n_abs] += up - down
        w[self.high] += high
        w[self.low] -= low
        b[:-1] += order
        b[1:] -= order
        cost_abs, cost_slack = budget @ self.costs
        out[self.w], out[self.b] = w, b
        out[self.u] = cost_abs - up - down
        out[self.xi] = cost_slack - hinge - positive
        return out

    def distances(self, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The distances ``sign * (w.x - b)`` of every row."""
        rows = self.rows
        return rows.sign * ((self.X @ w).take(rows.sample) - b.take(rows.threshold))

    def pulls(self, hinge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The transpose of ``distances``: what the rows contribute to weights and thresholds."""
        rows = self.rows
        signed = rows.sign * hinge
        per_sample = np.bincount(rows.sample, signed, self.n_samples)
        return per_sample @ self.X, -np.bincount(rows.threshold, signed, self.n_thresholds)

    # ---------------------------------------------------------- normal equations

    def factorise(self, weights: np.ndarray) -> NormalEquations:
        """The normal equations with one positive weight per constraint, ready to be solved."""
        return NormalEquations(self, weights)


class NormalEquations:
    """``Q + J' diag(W) J`` of some constraints, factorised.

    With E the diagonal block of (u, xi), F its coupling to the model (w, b) and B the budget rows::

        [ H  F'         ]        H - F' (E + B' W B)^-1 F
        [ F  E + B' W B ]   ->   = H - F' E^-1 F + K' Omega K,     K = B E^-1 F,
                                   Omega = (W^-1 + B E^-1 B')^-1

    Budgets are corrected for *before* the factorisation, where they add a positive term.
    Afterwards they would cancel: without its budget a model is hardly determined near a bound.
    """

    def __init__(self, constraints: Constraints, W: np.ndarray):
        c = self.constraints = constraints
        up, down, hinge, positive, order, high, low, budget = (W[k] for k in c.parts)
        self.abs_sum, self.slack_sum = up + down, hinge + positive
        self.abs_mix, self.slack_mix = (down - up) / self.abs_sum, hinge / self.slack_sum
        diagonal = np.full(c.n_weights, c.l2)
        diagonal[: c.n_abs] += 4 * up * (down / self.abs_sum)
        diagonal[c.high] += high
        diagonal[c.low] += low
        matrix = self._reduced(self.slack_mix * positive, order, diagonal)
        self._prepare_budgets(budget)
        self.factor = _cholesky(matrix + self.K.T @ self.omega @ self.K)

    def _reduced(self, hinge: np.ndarray, order: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """H - F' E^-1 F."""
        c = self.constraints
        p, q = c.n_weights, c.n_thresholds
        cells = np.bincount(c.cells, hinge, c.n_samples * q).reshape(c.n_samples, q)
        M = np.empty((p + q, p + q))
        scaled = c.X * np.sqrt(cells @ np.ones(q))[:, None]
        M[:p, :p] = scaled.T @ scaled
        M[p:, :p] = -cells.T @ c.X
        M[:p, p:] = M[p:, :p].T
        M[p:, p:] = np.diag(np.ones(c.n_samples) @ cells)
        M[range(p), range(p)] += diagonal
        j = np.arange(p, p + q - 1)
        M[j, j] += order
        M[j + 1, j + 1] += order
        M[j + 1, j] -= order
        M[j, j + 1] -= order
        return M

    def _prepare_budgets(self, budget: np.ndarray) -> None:
        """K and Omega; B is constant on u and on xi."""
        c = self.constraints
        abs_part = np.concatenate([self.abs_mix, np.zeros(c.n_weights - c.n_abs + c.n_thresholds)])
        slack_part = -np.concatenate(c.pulls(self.slack_mix))
        self.K = c.costs @ np.array([abs_part, slack_part])
        diagonal = np.array([(1 / self.abs_sum).sum(), (1 / self.slack_sum).sum()])
        self.omega = np.linalg.inv(np.diag(1 / budget) + (c.costs * diagonal) @ c.costs.T)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The solution for one right-hand side."""
        c = self.constraints
        on_abs, on_slack = self._divide(right[c.u], right[c.xi])
        w, b = c.pulls(self.slack_sum * self.slack_mix * on_slack)
        w += right[c.w]
        w[: c.n_abs] -= self.abs_sum * self.abs_mix * on_abs
        model = dpotrs(self.factor, np.concatenate([w, b + right[c.b]]), lower=1)[0]
        v = np.empty(c.n_variables)
        v[: len(model)] = model
        v[c.u], v[c.xi] = self._divide(
            right[c.u] - self.abs_sum * self.abs_mix * model[: c.n_abs],
            right[c.xi] + self.slack_sum * self.slack_mix * c.distances(v[c.w], v[c.b]),
        )
        return v

    def _divide(self, on_abs: np.ndarray, on_slack: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E + B' W B)^-1 of a right-hand side for u and xi."""
        costs = self.constraints.costs
        on_abs, on_slack = on_abs / self.abs_sum, on_slack / self.slack_sum
        if len(costs):
            spent = costs @ np.array([on_abs.sum(), on_slack.sum()])
            cost_abs, cost_slack = self.omega @ spent @ costs
            on_abs, on_slack = (
                on_abs - cost_abs / self.abs_sum,
                on_slack - cost_slack / self.slack_sum,
            )
        return on_abs, on_slack


def _cholesky(matrix: np.ndarray) -> np.ndarray:
    """The factor; a matrix that is singular to rounding gets a little more diagonal."""
    diagonal = np.diag(matrix).copy()
    tiny = 1e-300 + np.finfo(float).eps * diagonal.max()
    extra = 0.0
    while True:
        np.fill_diagonal(matrix, diagonal + extra * (diagonal + tiny))
        factor, failed = dpotrf(matrix, lower=1)
        if not failed:
            return factor
        extra = 1e-14 if extra == 0 else 100 * extra
        if extra > 1:
            raise np.linalg.LinAlgError("normal equations are not positive definite")


def _slices(sizes: list[int]) -> list[slice]:
    """Consecutive slices of these sizes."""
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
