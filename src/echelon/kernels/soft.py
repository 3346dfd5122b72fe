"""Soft neighbours: every sample counts by its distance, within hits and within misses."""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def soft_margins(values, classes, counts, n_numeric, weights, width, queries):
    """Differences to misses less those to hits, expected under soft neighbours, over the queries.

    Sample j is the neighbour of i with probability proportional to exp(-D / width) among the hits
    of i, or among its misses, D the distance weighted by feature; a query counts by 1 less the
    probability that its neighbour is a miss (Equations 4 to 8 of Sun 2007).  Row j stands for
    ``counts[j]`` samples, of which those of a query but one are hits of each other.
    """
    n, p = values.shape
    margins = np.zeros(p, np.float64)
    soft = np.empty(n, np.float64)
    for i in queries:
        _log_kernel(values, n_numeric, weights, width, i, soft)
        best, totals = np.full(2, -np.inf), np.zeros(2)
        for j in range(n):
            if j != i or counts[i] > 1.0:
                c = np.int64(classes[j] == classes[i])
                best[c] = max(best[c], soft[j])
        for j in range(n):  # relative to the nearest, so that no sum is 0
            c = np.int64(classes[j] == classes[i])
            others = counts[j] if j != i else counts[j] - 1.0
            soft[j] = others * np.exp(soft[j] - best[c]) if others > 0.0 else 0.0
            totals[c] += soft[j]
        inlier = 1.0 if best[0] == -np.inf else 0.0
        if totals[0] > 0.0 and totals[1] > 0.0:
            inlier = 1.0 / (1.0 + totals[0] / totals[1] * np.exp(best[0] - best[1]))
        for j in range(n):
            c = np.int64(classes[j] == classes[i])
            if soft[j] > 0.0:
                w = counts[i] * inlier * soft[j] / totals[c] * (1 - 2 * c)
                _add(values[i], values[j], n_numeric, w, margins)
    return margins


@kernel
def _log_kernel(values, n_numeric, weights, width, i, soft):
    """Minus the weighted distances of sample i to all others, in widths."""
    a = values[i]
    for j in range(values.shape[0]):
        b = values[j]
        total = 0.0
        for f in range(n_numeric):
            total += weights[f] * abs(np.float64(a[f]) - np.float64(b[f]))
        for f in range(n_numeric, a.shape[0]):
            total += weights[f] * (a[f] != b[f])
        soft[j] = -total / width


@kernel
def _add(a, b, n_numeric, weight, margins):
    for f in range(n_numeric):
        margins[f] += weight * abs(np.float64(a[f]) - np.float64(b[f]))
    for f in range(n_numeric, a.shape[0]):
        margins[f] += weight * (a[f] != b[f])
