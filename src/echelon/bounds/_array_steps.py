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

FEW_NUMBERS = 100_000
"""Of a matrix that is faster to multiply as a whole than to be put together from samples."""

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
        (self.m, self.p), self.q = layout.X.shape, layout.n_thresholds
        self.a, self.n = layout.n_abs, len(layout.sign)
        limits = [len(layout.high), len(layout.low), len(layout.costs)]
        self.constraints = _slices([self.a, self.a, self.n, self.n, self.q - 1, *limits])
        self.variables = _slices([self.p + self.q, self.a, self.n])
        self.limited = len(layout.high) + len(layout.low) > 0
        self.cells = layout.sample * self.q + layout.threshold

    # -------------------------------------------------------------------------- products

    @cached_property
    def rows(self) -> np.ndarray | None:
        """What every row takes of weights and thresholds, if that is little: one product then."""
        layout = self.layout
        if self.n * (self.p + self.q) > FEW_NUMBERS:
            return None
        found = np.zeros((self.n, self.p + self.q))
        found[:, : self.p] = layout.X[layout.sample]
        found[np.arange(self.n), self.p + layout.threshold] = -1.0
        found *= layout.sign[:, None]
        return found

    def distances(self, model: np.ndarray) -> np.ndarray:
        """The distances ``sign * (w.x - b)`` of every row, for weights and thresholds."""
        if self.rows is not None:
            return self.rows @ model
        layout, w, b = self.layout, model[: self.p], model[self.p :]
        return layout.sign * ((layout.X @ w)[layout.sample] - b[layout.threshold])

    def pulls(self, hinge: np.ndarray) -> np.ndarray:
        """The transpose of ``distances``: what rows contribute to weights and thresholds."""
        if self.rows is not None:
            return hinge @ self.rows
        layout, signed = self.layout, self.layout.sign * hinge
        per_sample = np.bincount(layout.sample, signed, self.m)
        per_threshold = np.bincount(layout.threshold, signed, self.q)
        return np.concatenate([per_sample @ layout.X, -per_threshold])

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
        model = self.pulls(hinge)
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
        # What the elimination of u and xi couples to the model, and as a share of the sums.
        self.abs_coupling, self.slack_coupling = down - up, hinge
        self.abs_mix = self.abs_coupling / self.abs_sum
        self.slack_mix = self.slack_coupling / self.slack_sum
        diagonal = np.full(self.p, self.layout.l2)
        diagonal[: self.a] += 4 * up * (down / self.abs_sum)
        if self.limited:
            diagonal[self.layout.high] += high
            diagonal[self.layout.low] += low
        matrix = self._reduced(self.slack_mix * positive, order, diagonal)
        if len(budget):
            self._add_budgets(matrix, budget)
        return self._factored(matrix)

    def _reduced(self, hinge: np.ndarray, order: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """H - F' E^-1 F; the lower half is all that is used.

        By samples, of which there are half as many as rows in a regression: most of the work.
        """
        p, X = self.p, self.layout.X
        cells = np.bincount(self.cells, hinge, self.m * self.q).reshape(self.m, self.q)
        scaled = np.sqrt(cells.sum(axis=1))[:, None] * X
        matrix = np.zeros((p + self.q, p + self.q))
        matrix[:p, :p] = scaled.T @ scaled
        matrix[p:, :p] = -(cells.T @ X)
        on_thresholds = cells.sum(axis=0)
        on_thresholds[:-1] += order
        on_thresholds[1:] += order
        matrix.flat[:: len(matrix) + 1] += np.concatenate([diagonal, on_thresholds])
        below = np.arange(p, p + self.q - 1)
        matrix[below + 1, below] -= order
        return matrix

    def _add_budgets(self, matrix: np.ndarray, budget: np.ndarray) -> None:
        """K' Omega K."""
        parts = np.zeros((2, self.p + self.q))
        parts[0, : self.a] = self.abs_mix
        parts[1] = -self.pulls(self.slack_mix)
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
        model = self.pulls(self.slack_coupling * some_slack) + model
        model[: self.a] -= self.abs_coupling * some_abs
        model = dpotrs(self.factor, model, lower=1)[0]
        far = self.distances(model)
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
        far = self.distances(v[: self.p + self.q])
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
