"""Sums over weighted pairs of samples, for one column.

What the mean and the variance of a contrast under permutation of the classes are made of;
``margin._label_moments`` has the formulas.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def contrast_sums(lower, higher, weights, apart, column, nominal):
    """Sums over the pairs that have a value: what ``_label_moments`` needs of one column.

    With g the weight of a pair, d the distance of its classes and D its difference: sums of g, g d,
    g D, g d D, g^2, g^2 D, g^2 D^2 and, by sample, of g and g D.
    """
    sums = np.zeros(7, np.float64)
    by_row = np.zeros((2, column.shape[0]), np.float64)
    for p in range(lower.shape[0]):
        i, j = lower[p], higher[p]
        gap = abs(np.float64(column[j]) - np.float64(column[i]))
        if gap != gap:
            continue
        if nominal:
            gap = 1.0 if gap > 0.0 else 0.0
        g = weights[p]
        sums[0] += g
        sums[1] += g * apart[p]
        sums[2] += g * gap
        sums[3] += g * apart[p] * gap
        sums[4] += g * g
        sums[5] += g * g * gap
        sums[6] += g * g * gap * gap
        by_row[0, i] += g
        by_row[0, j] += g
        by_row[1, i] += g * gap
        by_row[1, j] += g * gap
    return sums, by_row


@kernel
def cubic_sums(lower, higher, weights, column, nominal, mean, rows):
    """Sums of third order over the pairs that have a value, and what the pairs weigh.

    With v = g (D - mean), half of which goes to the two samples each, and r the sums by sample in
    ``rows``: v^3 / 4, v^2 (r_i + r_j) / 4 and v r_i r_j, added up; and v of every pair.
    """
    sums = np.zeros(3, np.float64)
    found = np.zeros(lower.shape[0], np.float64)
    for p in range(lower.shape[0]):
        i, j = lower[p], higher[p]
        gap = abs(np.float64(column[j]) - np.float64(column[i]))
        if gap != gap:
            continue
        if nominal:
            gap = 1.0 if gap > 0.0 else 0.0
        v = weights[p] * (gap - mean)
        found[p] = v
        sums[0] += 0.25 * v * v * v
        sums[1] += 0.25 * v * v * (rows[i] + rows[j])
        sums[2] += v * rows[i] * rows[j]
    return sums, found
