"""The programs of relevance bounds, written out row by row for scipy.optimize.linprog.

Imports nothing of ours.  Variables: w+ and w- (p each), thresholds (free), one slack per row.
"""

import numpy as np
from scipy.optimize import linprog, minimize


def ordinal_rows(X, y):
    """Eq. (2) for classes 0 ... K-1: rows of G (w, b) - slack <= h, and of b_j <= b_(j+1)."""
    n_thresholds = max(y)
    G, h = [], []
    for x, label in zip(X, y, strict=True):
        if label < n_thresholds:  # w.x <= b_j - 1 + chi
            G.append([*x, *[-1.0 if j == label else 0.0 for j in range(n_thresholds)]])
            h.append(-1.0)
        if label > 0:  # w.x >= b_(j-1) + 1 - xi
            G.append(
                [*(-v for v in x), *[1.0 if j == label - 1 else 0.0 for j in range(n_thresholds)]]
            )
            h.append(-1.0)
    order = [[1.0 if j == k else -1.0 if j == k + 1 else 0.0 for j in range(n_thresholds)]
             for k in range(n_thresholds - 1)]  # fmt: skip
    return np.array(G), np.array(h), np.array(order).reshape(-1, n_thresholds)


def classification_rows(X, y):
    """Y (w.x - b) >= 1 - xi with Y = -1 for class 0 and +1 for class 1."""
    side = [-1.0 if label == 0 else 1.0 for label in y]
    G = [[*(-s * v for v in x), s] for x, s in zip(X, side, strict=True)]
    return np.array(G), -np.ones(len(y)), np.empty((0, 1))


def regression_rows(X, y, epsilon):
    """|y - (w.x - b)| <= epsilon + xi, the slack of a sample split by side."""
    G, h = [], []
    for x, target in zip(X, y, strict=True):
        G.append([*x, -1.0])
        h.append(target + epsilon)
        G.append([*(-v for v in x), 1.0])
        h.append(epsilon - target)
    return np.array(G), np.array(h), np.empty((0, 1))


def _model(rows, p, limits):
    G, h, order = rows
    n_rows, n_thresholds = len(G), G.shape[1] - p
    A = np.hstack([G[:, :p], -G[:, :p], G[:, p:], -np.eye(n_rows)])
    extra = [np.r_[np.zeros(2 * p), row, np.zeros(n_rows)] for row in order]
    right = [0.0] * len(extra)
    for feature, (low, high) in limits.items():
        weight = np.zeros(A.shape[1])
        weight[feature], weight[p + feature] = 1.0, -1.0
        extra += [weight, -weight]
        right += [high, -low]
    A = np.vstack([A, *extra]) if extra else A
    bounds = [(0, None)] * (2 * p) + [(None, None)] * n_thresholds + [(0, None)] * n_rows
    return A, np.r_[h, right], bounds, n_thresholds, n_rows


def fit(rows, p, C, limits=None):
    """min ||w||_1 + C * sum of slacks.  Returns optimum, w, loss."""
    A, b, bounds, q, r = _model(rows, p, limits or {})
    cost = np.r_[np.ones(2 * p), np.zeros(q), np.full(r, C)]
    done = linprog(cost, A, b, bounds=bounds)
    assert done.status == 0, done.message
    return done.fun, done.x[:p] - done.x[p : 2 * p], done.x[2 * p + q :].sum()


def extreme(rows, p, C, budgets, feature, sign, limits=None):
    """max sign * w_feature over models within budgets (l1, loss, limit); None if there are none."""
    A, b, bounds, q, r = _model(rows, p, limits or {})
    for l1, loss, limit in budgets:
        A = np.vstack([A, np.r_[np.full(2 * p, l1), np.zeros(q), np.full(r, loss)]])
        b = np.r_[b, limit]
    cost = np.zeros(A.shape[1])
    cost[feature], cost[p + feature] = -sign, sign
    done = linprog(cost, A, b, bounds=bounds)
    if done.status == 2:
        return None
    assert done.status == 0, done.message
    return -done.fun


def squared_fit(rows, p, C, l1, l2):
    """min l1 * ||w||_1 + l2 / 2 * ||w||^2 + C * sum of slacks, by sequential programming."""
    A, b, bounds, q, r = _model(rows, p, {})
    cost = np.r_[np.full(2 * p, l1), np.zeros(q), np.full(r, C)]

    def weights(v):
        return v[:p] - v[p : 2 * p]

    def gradient(v):
        return cost + np.r_[l2 * weights(v), -l2 * weights(v), np.zeros(q + r)]

    start = np.r_[np.zeros(2 * p + q), np.abs(b[:r]) + 1.0]
    done = minimize(
        lambda v: cost @ v + l2 / 2 * weights(v) @ weights(v),
        start,
        jac=gradient,
        bounds=bounds,
        constraints={"type": "ineq", "fun": lambda v: b - A @ v, "jac": lambda v: -A},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return done.fun
