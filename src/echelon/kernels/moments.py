"""Sums over a graph of weighted pairs of samples, and over the differences of one column.

Both are what the mean and the variance of a Relief score under permutation of a feature's values
are made of; ``margin._moments`` has the formulas.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def by_lower_row(n_rows, queries, counts, indices):
    """Order that brings pairs together by the lower of their two rows.

    Pairs stand query by query.  Returned: where every row's pairs start, the higher row of every
    pair, its place in the list of queries and its place among the pairs as they came.
    """
    starts = np.zeros(n_rows + 1, np.int64)
    end = 0
    for t in range(queries.shape[0]):
        start, end = end, end + counts[t]
        for p in range(start, end):
            starts[min(queries[t], indices[p]) + 1] += 1
    for i in range(n_rows):
        starts[i + 1] += starts[i]
    higher = np.empty(indices.shape[0], np.int32)
    slots = np.empty(indices.shape[0], np.int32)
    pairs = np.empty(indices.shape[0], np.int64)
    free = starts[:-1].copy()
    end = 0
    for t in range(queries.shape[0]):
        start, end = end, end + counts[t]
        for p in range(start, end):
            lower = min(queries[t], indices[p])
            place = free[lower]
            free[lower] += 1
            higher[place] = max(queries[t], indices[p])
            slots[place] = t
            pairs[place] = p
    return starts, higher, slots, pairs


@kernel
def shares_present(starts, higher, slots, shares, n_slots, present):
    """Shares of every slot's neighbours, over the pairs whose two samples are present."""
    weights = np.zeros(n_slots, np.float64)
    for low in range(present.shape[0]):
        if present[low]:
            for p in range(starts[low], starts[low + 1]):
                if present[higher[p]]:
                    weights[slots[p]] += shares[p]
    return weights


@kernel
def pair_sums(starts, higher, slots, shares, queries, coefs, directions, present):
    """Row sums of the symmetric weights M, the sum of their squares, and signed weights b.

    Pair (i, j) of slot s weighs ``coefs[s]`` times its share among the neighbours that are
    present.  A slot with a direction counts ``direction * (x_j - x_i)``, and so adds to b only.
    """
    weights = shares_present(starts, higher, slots, shares, coefs.shape[0], present)
    rows = np.zeros(present.shape[0], np.float64)
    signed = np.zeros(present.shape[0], np.float64)
    both = np.zeros(present.shape[0], np.float64)
    squares = 0.0
    for low in range(present.shape[0]):
        if not present[low]:
            continue
        # A pair may come several times, by several terms and from either side.
        for p in range(starts[low], starts[low + 1]):
            s = slots[p]
            if present[higher[p]] and weights[s] > 0.0:
                a = coefs[s] * shares[p] / weights[s]
                if directions[s] == 0:
                    both[higher[p]] += a
                else:
                    step = directions[s] * a if queries[s] == low else -directions[s] * a
                    signed[higher[p]] += step
                    signed[low] -= step
        for p in range(starts[low], starts[low + 1]):
            a = both[higher[p]]
            both[higher[p]] = 0.0
            squares += 0.5 * a * a
            rows[low] += 0.5 * a
            rows[higher[p]] += 0.5 * a
    return rows, squares, signed


@kernel
def numeric_sums(ordered):
    """Sums over the differences of sorted numbers: d0, d1, d2, sum of squares, R x.

    With R_i = sum_j |x_i - x_j|: d0 = sum R, d1 = sum_ij |x_i - x_j|^2, d2 the sum of squares of R
    less their mean, and the sum of R times x less its mean.
    """
    n = ordered.shape[0]
    centre = 0.0
    for i in range(n):
        centre += ordered[i]
    centre /= n
    total = 0.0
    squares = 0.0
    for i in range(n):
        x = ordered[i] - centre
        total += x * (2 * i + 1 - n)
        squares += x * x
    mean = 2.0 * total / n
    below = 0.0
    d2 = 0.0
    product = 0.0
    for i in range(n):
        # Deviations from the centre add up to 0: those above are minus those up to here.
        x = ordered[i] - centre
        below += x
        row = x * (2 * i + 2 - n) - 2.0 * below - mean
        d2 += row * row
        product += row * x
    return 2.0 * total, 2.0 * n * squares, d2, squares, product


@kernel
def nominal_sums(ordered):
    """The same for codes, which differ by 0 or 1 and have no sign."""
    n = ordered.shape[0]
    sums = np.zeros(3, np.float64)  # sums of count, count^2, count^3 over values
    start = 0
    for i in range(1, n + 1):
        if i == n or ordered[i] != ordered[start]:
            count = np.float64(i - start)
            for power in range(3):
                sums[power] += count ** (power + 1)
            start = i
    d0 = n * sums[0] - sums[1]
    mean = sums[1] / n
    return d0, d0, sums[2] - n * mean * mean, 0.0, 0.0


@kernel
def merged_pairs(starts, higher, shares):
    """Every pair of samples once: its rows, and its shares from either side added up."""
    lower_rows = np.empty(higher.shape[0], np.int32)
    higher_rows = np.empty(higher.shape[0], np.int32)
    weights = np.empty(higher.shape[0], np.float64)
    total = np.zeros(starts.shape[0] - 1, np.float64)
    n = 0
    for low in range(starts.shape[0] - 1):
        for p in range(starts[low], starts[low + 1]):
            total[higher[p]] += shares[p]
        for p in range(starts[low], starts[low + 1]):
            if total[higher[p]] > 0.0:
                lower_rows[n], higher_rows[n] = low, higher[p]
                weights[n] = total[higher[p]]
                total[higher[p]] = 0.0
                n += 1
    return lower_rows[:n].copy(), higher_rows[:n].copy(), weights[:n].copy()


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
