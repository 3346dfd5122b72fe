"""One step of the interior point for relevance bounds (see ``bounds._interior_point``).

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

from typing import NamedTuple

import numpy as np

from echelon.kernels._jit import kernel

STEP = 0.995
"""How far a step may go towards the boundary."""


class Layout(NamedTuple):
    """The constraints of a program without fixed weights."""

    X: np.ndarray
    sample: np.ndarray
    sign: np.ndarray
    threshold: np.ndarray
    n_thresholds: int
    n_abs: int
    """Number of weights, or 0 if their absolute values cost nothing."""
    high: np.ndarray
    low: np.ndarray
    """Weights with limits."""
    costs: np.ndarray
    """What weights and slacks cost in every budget."""
    right: np.ndarray
    l2: float


class Normal(NamedTuple):
    """The normal equations, factorised."""

    factor: np.ndarray
    abs_sum: np.ndarray
    abs_mix: np.ndarray
    slack_sum: np.ndarray
    slack_mix: np.ndarray
    omega: np.ndarray


# ------------------------------------------------------------------------------------- products


@kernel
def distances(layout, w, b, out):
    """The distances ``sign * (w.x - b)`` of every row."""
    values = np.dot(layout.X, w)
    for r in range(out.shape[0]):
        out[r] = layout.sign[r] * (values[layout.sample[r]] - b[layout.threshold[r]])


@kernel
def gather_pulls(layout, hinge, per_sample, b):
    """The transpose of ``distances``: what rows contribute to thresholds, and to samples.

    ``per_sample @ X`` is what they contribute to weights; several contributions share the product.
    """
    for r in range(hinge.shape[0]):
        signed = layout.sign[r] * hinge[r]
        per_sample[layout.sample[r]] += signed
        b[layout.threshold[r]] -= signed


@kernel
def constraint_values(layout, v, out):
    """J v."""
    p, far = layout.X.shape[1], np.empty(layout.sign.shape[0])
    distances(layout, v[:p], v[p : p + layout.n_thresholds], far)
    values_at(layout, v, far, out)


@kernel
def values_at(layout, v, far, out):
    """J v, given the distances of every row."""
    p, q, a, n = layout.X.shape[1], layout.n_thresholds, layout.n_abs, layout.sign.shape[0]
    w, b, u, xi = v[:p], v[p : p + q], v[p + q : p + q + a], v[p + q + a :]
    for j in range(a):
        out[j] = w[j] - u[j]
        out[a + j] = -w[j] - u[j]
    at = 2 * a
    for r in range(n):
        out[at + r] = far[r] - xi[r]
        out[at + n + r] = -xi[r]
    at += 2 * n
    for j in range(q - 1):
        out[at + j] = b[j] - b[j + 1]
    at += q - 1
    for j in range(layout.high.shape[0]):
        out[at + j] = w[layout.high[j]]
    at += layout.high.shape[0]
    for j in range(layout.low.shape[0]):
        out[at + j] = -w[layout.low[j]]
    at += layout.low.shape[0]
    for k in range(layout.costs.shape[0]):
        out[at + k] = layout.costs[k, 0] * u.sum() + layout.costs[k, 1] * xi.sum()


@kernel
def constraint_combination(layout, multipliers, out):
    """J' multipliers."""
    per_sample = np.zeros(layout.X.shape[0])
    combine(layout, multipliers, out, per_sample)
    out[: layout.X.shape[1]] += np.dot(per_sample, layout.X)


@kernel
def combine(layout, multipliers, out, per_sample):
    """J' multipliers, but for the part of the weights that is ``per_sample @ X``."""
    p, q, a, n = layout.X.shape[1], layout.n_thresholds, layout.n_abs, layout.sign.shape[0]
    out[:] = 0.0
    w, b, u, xi = out[:p], out[p : p + q], out[p + q : p + q + a], out[p + q + a :]
    at = 2 * (a + n)
    for j in range(q - 1):
        b[j] += multipliers[at + j]
        b[j + 1] -= multipliers[at + j]
    at += q - 1
    for j in range(layout.high.shape[0]):
        w[layout.high[j]] += multipliers[at + j]
    at += layout.high.shape[0]
    for j in range(layout.low.shape[0]):
        w[layout.low[j]] -= multipliers[at + j]
    at += layout.low.shape[0]
    cost_abs, cost_slack = 0.0, 0.0
    for k in range(layout.costs.shape[0]):
        cost_abs += layout.costs[k, 0] * multipliers[at + k]
        cost_slack += layout.costs[k, 1] * multipliers[at + k]
    for j in range(a):
        w[j] += multipliers[j] - multipliers[a + j]
        u[j] = cost_abs - multipliers[j] - multipliers[a + j]
    hinge, positive = multipliers[2 * a : 2 * a + n], multipliers[2 * a + n : 2 * (a + n)]
    for r in range(n):
        xi[r] = cost_slack - hinge[r] - positive[r]
    gather_pulls(layout, hinge, per_sample, b)


# ---------------------------------------------------------------------------- normal equations


@kernel
def cholesky(matrix, diagonal, extra, tiny, factor):
    """Lower factor of a matrix with a little more diagonal; whether it exists."""
    n = matrix.shape[0]
    for i in range(n):
        row = factor[i]
        for j in range(i):
            other = factor[j]
            total = matrix[i, j]
            for k in range(j):
                total -= row[k] * other[k]
            row[j] = total / other[j]
        total = diagonal[i] + extra * (diagonal[i] + tiny)
        for k in range(i):
            total -= row[k] * row[k]
        if not total > 0.0 or total == np.inf:
            return False
        row[i] = np.sqrt(total)
    return True


@kernel
def solve_factored(factor, right):
    """Solve with a lower factor, in place."""
    n = right.shape[0]
    for i in range(n):
        total = right[i]
        for k in range(i):
            total -= factor[i, k] * right[k]
        right[i] = total / factor[i, i]
    for i in range(n - 1, -1, -1):
        right[i] /= factor[i, i]
        value = right[i]
        for k in range(i):
            right[k] -= factor[i, k] * value


@kernel
def small_inverse(matrix):
    """Inverse of a matrix of at most two rows."""
    out = np.empty_like(matrix)
    if matrix.shape[0] == 1:
        out[0, 0] = 1.0 / matrix[0, 0]
    elif matrix.shape[0] == 2:
        (a, b), (c, d) = (matrix[0, 0], matrix[0, 1]), (matrix[1, 0], matrix[1, 1])
        determinant = a * d - b * c
        out[0, 0], out[0, 1] = d / determinant, -b / determinant
        out[1, 0], out[1, 1] = -c / determinant, a / determinant
    return out


@kernel
def reduced_matrix(layout, hinge, order, diagonal):
    """H - F' E^-1 F."""
    (m, p), q = layout.X.shape, layout.n_thresholds
    cells = np.zeros((m, q))
    for r in range(hinge.shape[0]):
        cells[layout.sample[r], layout.threshold[r]] += hinge[r]
    scaled = np.empty((m, p))
    M = np.zeros((p + q, p + q))
    for i in range(m):
        total = 0.0
        for j in range(q):
            total += cells[i, j]
            M[p + j, p + j] += cells[i, j]
        root = np.sqrt(total)
        for f in range(p):
            scaled[i, f] = root * layout.X[i, f]
    M[:p, :p] = np.dot(scaled.T, scaled)
    M[p:, :p] = -np.dot(cells.T, layout.X)
    for f in range(p):
        M[f, f] += diagonal[f]
    for j in range(p, p + q - 1):
        M[j, j] += order[j - p]
        M[j + 1, j + 1] += order[j - p]
        M[j + 1, j] -= order[j - p]
    return M  # the lower half is all that is used


@kernel
def factorise(layout, W):
    """The normal equations with one positive weight per constraint; whether they have a factor."""
    p, q, a, n = layout.X.shape[1], layout.n_thresholds, layout.n_abs, layout.sign.shape[0]
    up, down, hinge, positive = (
        W[:a],
        W[a : 2 * a],
        W[2 * a : 2 * a + n],
        W[2 * a + n : 2 * (a + n)],
    )
    at = 2 * (a + n)
    order = W[at : at + q - 1]
    at += q - 1
    diagonal = np.full(p, layout.l2)
    abs_sum, slack_sum = up + down, hinge + positive
    abs_mix, slack_mix = (down - up) / abs_sum, hinge / slack_sum
    for j in range(a):
        diagonal[j] += 4 * up[j] * (down[j] / abs_sum[j])
    for j in range(layout.high.shape[0]):
        diagonal[layout.high[j]] += W[at + j]
    at += layout.high.shape[0]
    for j in range(layout.low.shape[0]):
        diagonal[layout.low[j]] += W[at + j]
    at += layout.low.shape[0]
    matrix = reduced_matrix(layout, slack_mix * positive, order, diagonal)
    n_budgets = layout.costs.shape[0]
    abs_part, slack_part = np.zeros(p + q), np.zeros(p + q)
    abs_part[:a] = abs_mix
    if n_budgets > 0:
        per_sample = np.zeros(layout.X.shape[0])
        gather_pulls(layout, slack_mix, per_sample, slack_part[p:])
        slack_part[:p] = np.dot(per_sample, layout.X)
        slack_part *= -1.0
    inner = np.zeros((n_budgets, n_budgets))
    abs_room, slack_room = (1.0 / abs_sum).sum(), (1.0 / slack_sum).sum()
    for k in range(n_budgets):
        inner[k, k] += 1.0 / W[at + k]
        for j in range(n_budgets):
            inner[k, j] += layout.costs[k, 0] * layout.costs[j, 0] * abs_room
            inner[k, j] += layout.costs[k, 1] * layout.costs[j, 1] * slack_room
    omega = small_inverse(inner)
    for k in range(n_budgets):
        row = layout.costs[k, 0] * abs_part + layout.costs[k, 1] * slack_part
        for j in range(n_budgets):
            other = omega[k, j] * (layout.costs[j, 0] * abs_part + layout.costs[j, 1] * slack_part)
            for i in range(p + q):
                for f in range(i + 1):
                    matrix[i, f] += row[i] * other[f]
    factor = np.zeros((p + q, p + q))
    diagonal = np.diag(matrix).copy()
    tiny = 1e-300 + 2.220446049250313e-16 * diagonal.max()
    found, extra = cholesky(matrix, diagonal, 0.0, tiny, factor), 1e-14
    while not found and extra <= 1.0:  # singular to rounding: a little more diagonal
        found = cholesky(matrix, diagonal, extra, tiny, factor)
        extra *= 100.0
    return found, Normal(factor, abs_sum, abs_mix, slack_sum, slack_mix, omega)


@kernel
def divide(layout, normal, on_abs, on_slack):
    """(E + B' W B)^-1 of a right-hand side for u and xi."""
    on_abs, on_slack = on_abs / normal.abs_sum, on_slack / normal.slack_sum
    n_budgets = layout.costs.shape[0]
    cost_abs, cost_slack = 0.0, 0.0
    for k in range(n_budgets):
        spent = layout.costs[k, 0] * on_abs.sum() + layout.costs[k, 1] * on_slack.sum()
        for j in range(n_budgets):
            cost_abs += normal.omega[j, k] * spent * layout.costs[j, 0]
            cost_slack += normal.omega[j, k] * spent * layout.costs[j, 1]
    return on_abs - cost_abs / normal.abs_sum, on_slack - cost_slack / normal.slack_sum


@kernel
def solve_normal(layout, normal, right, per_sample, far):
    """The solution of the normal equations for one right-hand side.

    To the weights' part of ``right`` belongs ``per_sample @ X`` (overwritten); ``far`` gets the
    distances of every row at the solution.
    """
    p, q, a = layout.X.shape[1], layout.n_thresholds, layout.n_abs
    on_abs, on_slack = divide(layout, normal, right[p + q : p + q + a], right[p + q + a :])
    model = right[: p + q].copy()
    gather_pulls(layout, normal.slack_sum * normal.slack_mix * on_slack, per_sample, model[p:])
    model[:p] += np.dot(per_sample, layout.X)
    for j in range(a):
        model[j] -= normal.abs_sum[j] * normal.abs_mix[j] * on_abs[j]
    solve_factored(normal.factor, model)
    distances(layout, model[:p], model[p:], far)
    on_abs, on_slack = divide(
        layout,
        normal,
        right[p + q : p + q + a] - normal.abs_sum * normal.abs_mix * model[:a],
        right[p + q + a :] + normal.slack_sum * normal.slack_mix * far,
    )
    return np.concatenate((model, on_abs, on_slack))


# ---------------------------------------------------------------------------------------- steps


@kernel
def newton(layout, normal, s, multipliers, primal, dual, target):
    """Changes of variables, slacks and multipliers that move the products by ``target``."""
    right, per_sample = np.empty_like(dual), np.zeros(layout.X.shape[0])
    combine(layout, (target + multipliers * primal) / s, right, per_sample)
    far, ds = np.empty(layout.sign.shape[0]), np.empty_like(s)
    dv = solve_normal(layout, normal, -(dual + right), -per_sample, far)
    values_at(layout, dv, far, ds)
    ds = -primal - ds
    return dv, ds, (target - multipliers * ds) / s


@kernel
def refine(layout, normal, s, multipliers, dual, quadratic, dv, ds, dm):
    """Correct a step for what it leaves of the dual equations, once, in place.

    The correction is added, not recomputed: near the end multipliers / s is so large that the
    rounding of ``ds`` alone would spoil the multipliers.
    """
    left, per_sample = np.empty_like(dual), np.zeros(layout.X.shape[0])
    combine(layout, dm, left, per_sample)
    far, change = np.empty(layout.sign.shape[0]), np.empty_like(s)
    more = solve_normal(layout, normal, -(dual + quadratic * dv + left), -per_sample, far)
    values_at(layout, more, far, change)
    dv += more
    ds -= change
    dm += multipliers / s * change


@kernel
def to_boundary(values, change, longest):
    """The largest step up to ``longest`` that keeps positive values positive."""
    steepest = np.inf
    for k in range(values.shape[0]):
        ratio = change[k] / values[k]
        if not np.isfinite(ratio):
            return 0.0
        steepest = min(steepest, ratio)
    return longest if steepest * longest >= -1.0 else -1.0 / steepest


@kernel
def step_lengths(layout, s, multipliers, ds, dm, longest):
    """How far slacks and multipliers stay positive; one length where a square couples them."""
    a, b = to_boundary(s, ds, longest), to_boundary(multipliers, dm, longest)
    return (min(a, b), min(a, b)) if layout.l2 > 0 else (a, b)


@kernel
def advance(layout, cost, quadratic, v, s, multipliers, exact):
    """One predictor and one corrector step, in place; the longer of its two lengths."""
    primal, dual = np.empty_like(s), np.empty_like(v)
    constraint_values(layout, v, primal)
    primal += s - layout.right
    constraint_combination(layout, multipliers, dual)
    dual += cost + quadratic * v
    found, normal = factorise(layout, multipliers / s)
    if not found:
        return 0.0
    products = s * multipliers
    mean = products.sum() / s.shape[0]
    _, ds, dm = newton(layout, normal, s, multipliers, primal, dual, -products)
    a, b = step_lengths(layout, s, multipliers, ds, dm, 1.0)
    aimed = ((s + a * ds) * (multipliers + b * dm)).sum() / s.shape[0]
    target = mean * (aimed / mean) ** 3 - products - ds * dm
    dv, ds, dm = newton(layout, normal, s, multipliers, primal, dual, target)
    if exact:
        refine(layout, normal, s, multipliers, dual, quadratic, dv, ds, dm)
    a, b = step_lengths(layout, s, multipliers, ds, dm, 2.0)
    a, b = min(1.0, STEP * a), min(1.0, STEP * b)
    v += a * dv
    s += a * ds
    multipliers += b * dm
    return max(a, b)
