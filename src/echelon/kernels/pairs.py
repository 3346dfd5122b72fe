"""Two rows: their exact distance, and which of them dominates.

Columns come in three runs: ordered numeric ones (they take part in dominance), other
numeric ones, nominal codes.  A value missing in either row (NaN) leaves its column out.
"""

import numpy as np

from echelon.kernels import kernel

ANY, ABOVE, BELOW = 0, 1, -1
"""Which references qualify: all, those that dominate the query, those it dominates."""


@kernel
def distance(a, b, n_numeric, squared):
    """Manhattan, or squared Euclidean, distance of two complete rows."""
    total = 0.0
    if squared:
        for f in range(n_numeric):
            gap = np.float64(a[f]) - np.float64(b[f])
            total += gap * gap
    else:
        for f in range(n_numeric):
            total += abs(np.float64(a[f]) - np.float64(b[f]))
    for f in range(n_numeric, a.shape[0]):
        total += a[f] != b[f]
    return total


@kernel
def distances_among(values, n_numeric, squared):
    """Distances of all pairs of some complete rows."""
    far = np.zeros((values.shape[0], values.shape[0]), np.float64)
    for i in range(values.shape[0]):
        for j in range(i):
            far[i, j] = far[j, i] = distance(values[i], values[j], n_numeric, squared)
    return far


@kernel
def partial_distance(a, b, n_numeric, squared):
    """Distance over the columns present in both rows, times p / their number; inf if none."""
    total = 0.0
    shared = 0
    for f in range(a.shape[0]):
        gap = abs(np.float64(a[f]) - np.float64(b[f]))
        if gap == gap:
            shared += 1
            if f >= n_numeric:
                gap = 1.0 if gap > 0 else 0.0
            total += gap * gap if squared else gap
    if shared == 0:
        return np.inf
    return total * (a.shape[0] / shared)


@kernel
def paired_distance(a, b):
    """Norms of the differences in columns 2f and 2f + 1, added over the pairs both rows have.

    As above, scaled up to all pairs.
    """
    total = 0.0
    shared = 0
    for f in range(0, a.shape[0], 2):
        first = np.float64(a[f]) - np.float64(b[f])
        second = np.float64(a[f + 1]) - np.float64(b[f + 1])
        norm = np.sqrt(first * first + second * second)
        if norm == norm:
            shared += 1
            total += norm
    if shared == 0:
        return np.inf
    return total * (0.5 * a.shape[0] / shared)


@kernel
def related(a, b, n_ordered, relation):
    """Whether row b dominates row a (ABOVE) or is dominated by it (BELOW)."""
    for f in range(n_ordered):
        if (b[f] < a[f]) if relation == ABOVE else (b[f] > a[f]):
            return False
    return True
