"""One step of the interior point by array operations: ``kernels.interior_point``, uncompiled.

The formulas and the order of variables and constraints are explained there.  These
steps are taken as long as the compiled ones, which take half a minute to make, are not at hand.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from echelon.bounds._program import slices as _slices
from echelon.kernels.interior_point import STEP, Layout

_TINY, _ROUNDING = 1e-300, 2.220446049250313e-16


class ArraySteps:
    """Takes steps on the program of a layout.

    Parameters
    ----------
    layout : Layout
        The constraints.
    """

    def __init__(self, layout: Layout):
        self.layout = layout
        self.p, self.q = layout.X.shape[1], layout.n_thresholds
        self.a, self.n = layout.n_abs, len(layout.sign)
        limits = [len(layout.high), len(layout.low), len(layout.costs)]
        self.constraints = _slices([self.a, self.a, self.n, self.n, self.q - 1, *limits])
        self.variables = _slices([self.p + self.q, self.a, self.n])
        self.limited = len(layout.high) + len(layout.low) > 0

    # -------------------------------------------------------------------------- products

    @cached_property
    def rows(self) -> np.ndarray:
        """What every row takes of weights and thresholds: ``rows @ [w, b]`` are the distances."""
        layout = self.layout
        found = np.zeros((self.n, self.p + self.q))
        found[:, : self.p] = layout.X[layout.sample]
        found[np.arange(self.n), self.p + layout.threshold] = -1.0
        found *= layout.sign[:, None]
        return found

    def distances(self, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The distances ``sign * (w.x - b)`` of every row; spares ``rows`` for compiled steps."""
        layout = self.layout
        return layout.sign * ((layout.X @ w)[layout.sample] - b[layout.threshold])

    def values(self, v: np.ndarray, far: np.ndarray) -> np.ndarray:
        """J v, with the distances of its model."""
        model, u, xi = (v[part] for part in self.variables)
        signed, b = model[: self.a], model[self.p :]
        parts = [signed - u, -signed - u, far - xi, -xi, b[:-1] - b[1:]]
        if self.limited:
            parts += [model[self.layout.high], -model[self.layout.low]]
        if len(self.layout.costs):
            parts.append(self.layout.costs @ (u.sum(), xi.sum()))
        return np.concatenate(parts)

    def combination(self, multipliers: np.ndarray) -> np.ndarray:
        """J' multipliers."""
        parts = (multipliers[part] for part in self.constraints)
        up, down, hinge, positive, order, high, low, budget = parts
        model = hinge @ self.rows
        model[: self.a] += up - down
        b = model[self.p :]
        b[:-1] += order
        b[1:] -= order
        if self.limited:
            model[self.layout.high] += high
            model[self.layout.low] -= low
        on_abs, on_slack = budget @ self.layout.costs
        return np.concatenate([model, on_abs - up - down, on_slack - hinge - positive])

    # ------------------------------------------------------------------- normal equations

    def factorise(self, W: np.ndarray) -> bool:
        """Prepare the normal equations with one positive weight per constraint, if they can be."""
        parts = (W[part] for part in self.constraints)
        up, down, hinge, positive, order, high, low, budget = parts
        self.abs_sum, self.slack_sum = up + down, hinge + positive
        self.abs_mix, self.slack_mix = (down - up) / self.abs_sum, hinge / self.slack_sum
        # What the elimination of u and xi couples to the model: the mixes times their sums.
        self.abs_coupling, self.slack_coupling = down - up, hinge
        diagonal = np.full(self.p + self.q, self.layout.l2)
        diagonal[self.p :] = 0.0
        diagonal[: self.a] += 4 * up * (down / self.abs_sum)
        if self.limited:
            diagonal[self.layout.high] += high
            diagonal[self.layout.low] += low
        matrix = self._reduced(self.slack_mix * positive, order, diagonal)
        if len(budget):
            self._add_budgets(matrix, budget)
        return self._factored(matrix)

    def _reduced(self, hinge: np.ndarray, order: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """H - F' E^-1 F; the lower half is all that is used."""
        scaled = np.sqrt(hinge)[:, None] * self.rows
        matrix = scaled.T @ scaled
        steps = diagonal[self.p :]
        steps[:-1] += order
        steps[1:] += order
        matrix.flat[:: len(matrix) + 1] += diagonal
        below = np.arange(self.p, self.p + self.q - 1)
        matrix[below + 1, below] -= order
        return matrix

    def _add_budgets(self, matrix: np.ndarray, budget: np.ndarray) -> None:
        """K' Omega K."""
        parts = np.zeros((2, self.p + self.q))
        parts[0, : self.a] = self.abs_mix
        parts[1] = -(self.slack_mix @ self.rows)
        room = np.array([(1.0 / self.abs_sum).sum(), (1.0 / self.slack_sum).sum()])
        costs = self.layout.costs
        self.omega = np.linalg.inv(np.diag(1.0 / budget) + (costs * room) @ costs.T)
        rows = costs @ parts
        matrix += rows.T @ self.omega @ rows

    def _factored(self, matrix: np.ndarray) -> bool:
        diagonal = matrix.diagonal().copy()
        more = diagonal + _TINY + _ROUNDING * diagonal.max()
        extra = 0.0
        while extra <= 1.0:  # singular to rounding: a little more diagonal
            if extra:
                np.fill_diagonal(matrix, diagonal + extra * more)
            self.factor, failed = dpotrf(matrix, lower=1)
            if failed == 0 and np.isfinite(self.factor.diagonal()).all():
                return True
            extra = 100.0 * extra or 1e-14
        return False

    def solve(self, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The solution of the normal equations, and the distances of every row there."""
        model, on_abs, on_slack = (right[part] for part in self.variables)
        some_abs, some_slack = self._divide(on_abs, on_slack)
        model = (self.slack_coupling * some_slack) @ self.rows + model
        model[: self.a] -= self.abs_coupling * some_abs
        model = dpotrs(self.factor, model, lower=1)[0]
        far = self.rows @ model
        rest = self._divide(
            on_abs - self.abs_coupling * model[: self.a], on_slack + self.slack_coupling * far
        )
        return np.concatenate([model, *rest]), far

    def _divide(self, on_abs: np.ndarray, on_slack: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E + B' W B)^-1 times a right-hand side."""
        on_abs, on_slack = on_abs / self.abs_sum, on_slack / self.slack_sum
        costs = self.layout.costs
        if len(costs) == 0:
            return on_abs, on_slack
        pull = (self.omega @ (costs @ (on_abs.sum(), on_slack.sum()))) @ costs
        return on_abs - pull[0] / self.abs_sum, on_slack - pull[1] / self.slack_sum

    # ------------------------------------------------------------------------------ steps

    def advance(
        self,
        cost: np.ndarray,
        quadratic: np.ndarray,
        v: np.ndarray,
        s: np.ndarray,
        multipliers: np.ndarray,
        exact: bool,
    ) -> float:
        """One predictor and one corrector step, in place; the longer of its two lengths."""
        far = self.rows @ v[: self.p + self.q]
        primal = self.values(v, far) + s - self.layout.right
        dual = self.combination(multipliers) + cost + quadratic * v
        if not self.factorise(multipliers / s):
            return 0.0
        state = s, multipliers, primal, dual
        products = s * multipliers
        mean = products.sum() / len(s)
        _, ds, dm = self._newton(*state, -products)
        a, b = self._lengths(s, multipliers, ds, dm, 1.0)
        aimed = ((s + a * ds) * (multipliers + b * dm)).sum() / len(s)
        target = mean * (aimed / mean) ** 3 - products - ds * dm
        dv, ds, dm = self._newton(*state, target)
        if exact:
            more, far = self.solve(-(dual + quadratic * dv + self.combination(dm)))
            change = self.values(more, far)
            dv, ds, dm = dv + more, ds - change, dm + multipliers / s * change
        a, b = (min(1.0, STEP * length) for length in self._lengths(s, multipliers, ds, dm, 2.0))
        v += a * dv
        s += a * ds
        multipliers += b * dm
        return max(a, b)

    def _newton(
        self,
        s: np.ndarray,
        multipliers: np.ndarray,
        primal: np.ndarray,
        dual: np.ndarray,
        target: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Changes of variables, slacks and multipliers that move the products by ``target``."""
        right = self.combination((target + multipliers * primal) / s)
        dv, far = self.solve(-(dual + right))
        ds = -primal - self.values(dv, far)
        return dv, ds, (target - multipliers * ds) / s

    def _lengths(
        self,
        s: np.ndarray,
        multipliers: np.ndarray,
        ds: np.ndarray,
        dm: np.ndarray,
        longest: float,
    ) -> tuple[float, float]:
        """How far slacks and multipliers stay positive; one length where a square couples them."""
        a, b = _to_boundary(s, ds, longest), _to_boundary(multipliers, dm, longest)
        return (min(a, b), min(a, b)) if self.layout.l2 > 0 else (a, b)


def _to_boundary(values: np.ndarray, change: np.ndarray, longest: float) -> float:
    """The largest step up to ``longest`` that keeps positive values positive."""
    ratio = change / values
    steepest = float(ratio.min())
    if not np.isfinite(steepest) or not np.isfinite(ratio.max()):
        return 0.0
    return longest if steepest * longest >= -1.0 else -1.0 / steepest
