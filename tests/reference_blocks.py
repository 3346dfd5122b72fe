"""Probes of blocks, written out: companions, the probe, and whether it reaches as far.

Imports nothing of ours but the linear programs of ``reference_bounds``.
"""

import numpy as np

import reference_bounds as reference


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return 0.0 if size == 0 else (a @ b) / size


def companions(X, feature, most=10):
    """Features with a correlation above 4 / sqrt(n) (0.9 at most), the ten most correlated."""
    least = min(4 / np.sqrt(len(X)), 0.9)
    sizes = []
    for k in range(X.shape[1]):
        size = abs(correlation(X[:, feature], X[:, k]))
        if k != feature and size > least:
            sizes.append((-size, k))
    return [k for _, k in sorted(sizes)[:most]]


def explained(X, strong):
    """Every column predicted from the strong ones (columns have mean 0)."""
    S = X[:, strong]
    out = np.zeros_like(X)
    for k in range(X.shape[1]):
        out[:, k] = S @ np.linalg.solve(S.T @ S, S.T @ X[:, k])
    return out


def largest_weight_of_probe(rows_of, X, columns, place, C, tolerance):
    """The upper bound of |w| of one of several added columns, within the tolerance of the optimum.

    ``rows_of`` writes the constraints for a table.
    """
    table = np.hstack([X, columns])
    rows, p = rows_of(table), table.shape[1]
    optimum, _, _ = reference.fit(rows, p, C)
    budgets = [(1.0, C, (1 + tolerance) * optimum)]
    feature = X.shape[1] + place
    return max(reference.extreme(rows, p, C, budgets, feature, sign) for sign in (1, -1))
