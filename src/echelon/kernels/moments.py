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
    by_row = np.zeros((column.shape[0], 2), np.float64)
    g1 = gd = gx = gdx = gg = ggx = ggxx = 0.0  # in registers: an array would be written each time
    for p in range(lower.shape[0]):
        i, j = lower[p], higher[p]
        gap = abs(np.float64(column[j]) - np.float64(column[i]))
        if gap != gap:
            continue
        if nominal:
            gap = 1.0 if gap > 0.0 else 0.0
        g, d = weights[p], apart[p]
        x = g * gap
        g1 += g
        gd += g * d
        gx += x
        gdx += d * x
        gg += g * g
        ggx += g * x
        ggxx += x * x
        by_row[i, 0] += g
        by_row[j, 0] += g
        by_row[i, 1] += x
        by_row[j, 1] += x
    return np.array([g1, gd, gx, gdx, gg, ggx, ggxx]), by_row.T


@kernel
def cubic_sums(lower, higher, weights, column, nominal, mean, rows):
    """Sums of third order over the pairs that have a value, and what the pairs weigh.

    With v = g (D - mean), half of which goes to the two samples each, and r the sums by sample in
    ``rows``: v^3 / 4, v^2 (r_i + r_j) / 4 and v r_i r_j, added up; and v of every pair.
    """
    cubes = squares = form = 0.0
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
        cubes += 0.25 * v * v * v
        squares += 0.25 * v * v * (rows[i] + rows[j])
        form += v * rows[i] * rows[j]
    return np.array([cubes, squares, form]), found
