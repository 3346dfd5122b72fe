"""Compiled loops: intervals against a few prototypes, one pass over the rows each.

A row holds (lower, upper) pairs.  It is scaled as it is read, so that no scaled copy of the data
is ever made, into two runs: all lower bounds, then all upper bounds.  ``turned`` rows and
prototypes hold midpoints and half widths instead, since

    max(|a|, |b|) = |a + b| / 2 + |a - b| / 2,

which makes the largest difference of two bounds a sum of two absolute values as well.
"""

import numpy as np

from echelon.kernels import kernel


@kernel
def scan(values, low, high):
    """Extend the ranges by these rows; count intervals that are missing or out of order."""
    odd = 0
    for i in range(values.shape[0]):
        row = values[i]
        for f in range(row.shape[0]):
            a, b = row[f, 0], row[f, 1]
            low[f] = a if a < low[f] else low[f]
            high[f] = b if b > high[f] else high[f]
            odd += not a <= b
    return odd


@kernel
def add_bounds(values, codes, low, missing, sums, counts):
    """Add the bounds, less the lowest, of every row to those of its class, and count them."""
    n = values.shape[1]
    flat = values.reshape(values.shape[0], 2 * n)
    for i in range(values.shape[0]):
        row, total, count = flat[i], sums[codes[i]], counts[codes[i]]
        if missing:
            for f in range(n):
                there = row[2 * f] == row[2 * f]
                count[f] += there
                total[2 * f] += row[2 * f] - low[2 * f] if there else 0.0
                total[2 * f + 1] += row[2 * f + 1] - low[2 * f] if there else 0.0
        else:
            count[0] += 1
            for j in range(2 * n):
                total[j] += row[j] - low[j]


@kernel
def _scale(row, low, inverse, turned, first, second):
    """A row in units of the ranges, as two runs."""
    half = np.float32(0.5)
    for f in range(row.shape[0]):
        a, b = (row[f, 0] - low[f]) * inverse[f], (row[f, 1] - low[f]) * inverse[f]
        first[f] = (a + b) * half if turned else a
        second[f] = (b - a) * half if turned else b


# ---------------------------------------------------------- complete rows, absolute differences


@kernel
def _other_classes(n_classes):
    """For every class all but itself."""
    others = np.empty((n_classes, n_classes - 1), np.int64)
    for own in range(n_classes):
        for k in range(n_classes - 1):
            others[own, k] = k if k < own else k + 1
    return others


@kernel
def _nearest_of_others(far, own, tolerance):
    """The nearest prototype of another class (-1: none) and how many are tied with it.

    Without branches, which random data would mispredict.  Makes the own class infinitely far.
    """
    far[own] = np.inf
    best, nearest, n_tied = np.inf, -1, 0
    for c in range(far.shape[0]):
        closer = far[c] < best
        best = far[c] if closer else best
        nearest = c if closer else nearest
    for c in range(far.shape[0]):
        n_tied += far[c] <= best * tolerance
    return nearest, n_tied


@kernel
def _add_absolute(row, center, weight, sums):
    for j in range(row.shape[0]):
        sums[j] += weight * abs(np.float64(row[j] - center[j]))


@kernel
def _less_lowest(raw, lowest, turned, row):
    """A row in the units of the data, less the lowest values; midpoints first if turned."""
    n, half = row.shape[0] // 2, np.float32(0.5)
    if turned:
        for f in range(n):
            lower, upper = raw[2 * f] - lowest[f], raw[2 * f + 1] - lowest[f]
            row[f] = (lower + upper) * half
            row[n + f] = (upper - lower) * half
    else:
        for j in range(2 * n):
            row[j] = raw[j] - lowest[j]


@kernel
def _distances(row, flat, weight, others, far):
    """Distances to the prototypes of other classes; four at once, so that the row is read once."""
    n_by_four = others.shape[0] // 4 * 4
    for k in range(0, n_by_four, 4):
        a, b, c, d = others[k], others[k + 1], others[k + 2], others[k + 3]
        at_a, at_b, at_c, at_d = flat[a], flat[b], flat[c], flat[d]
        to_a, to_b, to_c, to_d = 0.0, 0.0, 0.0, 0.0
        for j in range(row.shape[0]):
            to_a += weight[j] * abs(row[j] - at_a[j])
            to_b += weight[j] * abs(row[j] - at_b[j])
            to_c += weight[j] * abs(row[j] - at_c[j])
            to_d += weight[j] * abs(row[j] - at_d[j])
        far[a], far[b], far[c], far[d] = to_a, to_b, to_c, to_d
    for k in range(n_by_four, others.shape[0]):
        center = flat[others[k]]
        total = 0.0
        for j in range(row.shape[0]):
            total += weight[j] * abs(row[j] - center[j])
        far[others[k]] = total


@kernel
def add_absolute_margins(values, codes, low, inverse, centers, turned, tolerance, scores):
    """Add every row's difference to the nearest other prototype less that to its own.

    For complete rows, and differences that are sums of two absolute values.  ``centers`` (class, 2,
    feature) are scaled, and turned if the rows are to be.  Prototypes tied with the nearest
    (within the tolerance) share its place.
    """
    # Rows stay in the units of the data; ranges come in as weights of the differences.
    n_classes, n = centers.shape[0], centers.shape[2]
    bounds = values.reshape(values.shape[0], 2 * n)
    flat, weight, lowest = _in_units(centers, low, inverse, turned)
    others = _other_classes(n_classes)
    row, sums = np.empty(2 * n, values.dtype), np.zeros(2 * n, np.float64)
    far = np.empty(n_classes, np.float64)
    for i in range(values.shape[0]):
        own = codes[i]
        _less_lowest(bounds[i], lowest, turned, row)
        _distances(row, flat, weight, others[own], far)
        nearest, n_tied = _nearest_of_others(far, own, tolerance)
        if n_tied == 1:
            miss, hit = flat[nearest], flat[own]
            for j in range(2 * n):
                sums[j] += np.float64(abs(row[j] - miss[j]) - abs(row[j] - hit[j]))
        else:
            _add_absolute(row, flat[own], -1.0, sums)
            limit = far[nearest] * tolerance
            for c in range(n_classes):
                if far[c] <= limit:
                    _add_absolute(row, flat[c], 1.0 / n_tied, sums)
    for f in range(n):
        one, two = (f, n + f) if turned else (2 * f, 2 * f + 1)
        scores[f] += inverse[f] * (sums[one] + sums[two])


@kernel
def _in_units(centers, low, inverse, turned):
    """Prototypes, weights and lowest values in the units and the order rows have.

    Turned rows hold all midpoints, then all half widths; others lower and upper bounds in turn.
    """
    n_classes, _, n = centers.shape
    flat = np.empty((n_classes, 2 * n), centers.dtype)
    weight, lowest = np.empty(2 * n, inverse.dtype), np.empty(2 * n, low.dtype)
    for f in range(n):
        unit = 1 / inverse[f] if inverse[f] > 0 else 0.0
        for k in range(2):
            at = k * n + f if turned else 2 * f + k
            weight[at], lowest[at] = inverse[f], low[f]
            for c in range(n_classes):
                flat[c, at] = centers[c, k, f] * unit
    return flat, weight, lowest


# ---------------------------------------------------------------------------- feature by feature


@kernel
def _differences(first, second, center, paired, gaps):
    """Differences to a prototype, feature by feature; NaN where missing."""
    one, two = center[0], center[1]
    if paired:
        for f in range(first.shape[0]):
            a, b = first[f] - one[f], second[f] - two[f]
            gaps[f] = np.sqrt(a * a + b * b)
    else:
        for f in range(first.shape[0]):
            gaps[f] = abs(first[f] - one[f]) + abs(second[f] - two[f])


@kernel
def _over_those_present(gaps):
    """The sum of the differences that are there, scaled up to all features; inf if none is."""
    total, present = 0.0, 0
    for f in range(gaps.shape[0]):
        there = gaps[f] == gaps[f]
        total += gaps[f] if there else 0.0
        present += there
    return total * (gaps.shape[0] / present) if present > 0 else np.inf


@kernel
def _add(misses, hits, sums):
    """Add differences to misses and to hits, each to its own; what is not there is NaN or inf.

    Not one less the other: compilers may add before they subtract, one time and not another, which
    shows in the last digits.
    """
    to_misses, to_hits = sums[0], sums[1]
    for f in range(misses.shape[0]):
        to_misses[f] += misses[f] if misses[f] < np.inf else 0.0
        to_hits[f] += hits[f] if hits[f] < np.inf else 0.0


@kernel
def _smallest_of_others(gaps, own, smallest):
    """For every feature the smallest difference to a prototype of another class; inf if none."""
    smallest[:] = np.inf
    for c in range(gaps.shape[0]):
        if c != own:
            row = gaps[c]
            for f in range(smallest.shape[0]):
                smallest[f] = row[f] if row[f] < smallest[f] else smallest[f]


@kernel
def _mean_of_tied(gaps, far, limit, mean):
    """Mean differences to the other prototypes within the limit, over those with the feature."""
    for f in range(mean.shape[0]):
        total, present = 0.0, 0
        for c in range(far.shape[0]):
            if far[c] <= limit and gaps[c, f] == gaps[c, f]:
                total += gaps[c, f]
                present += 1
        mean[f] = total / present if present > 0 else np.inf


@kernel
def add_margins(
    values, codes, low, inverse, centers, turned, paired, componentwise, tolerance, scores
):
    """Margins for any rows and any distance, with all differences kept for the moment.

    ``paired``: the Euclidean norm of two differences instead of their sum.  ``componentwise``:
    the smallest difference to a prototype of another class in every feature.  Missing intervals
    are NaN.
    """
    n_classes, n = centers.shape[0], centers.shape[2]
    first, second = np.empty(n, values.dtype), np.empty(n, values.dtype)
    gaps = np.empty((n_classes, n), values.dtype)
    other, sums = np.empty(n, values.dtype), np.zeros((2, n))
    far = np.empty(n_classes, np.float64)
    for i in range(values.shape[0]):
        own = codes[i]
        _scale(values[i], low, inverse, turned, first, second)
        for c in range(n_classes):
            _differences(first, second, centers[c], paired, gaps[c])
        if componentwise:
            _smallest_of_others(gaps, own, other)
        else:
            for c in range(n_classes):
                far[c] = _over_those_present(gaps[c])
            nearest, n_tied = _nearest_of_others(far, own, tolerance)
            if nearest >= 0 and n_tied == 1:
                _add(gaps[nearest], gaps[own], sums)
                continue
            limit = far[nearest] * tolerance if nearest >= 0 else -1.0
            _mean_of_tied(gaps, far, limit, other)
        _add(other, gaps[own], sums)
    for f in range(n):
        scores[f] += sums[0, f] - sums[1, f]


# ------------------------------------------------------------------------------------- clusters


@kernel
def _sum_of_norms(first, second, center):
    """Distance of a row to a prototype under the L2 norm."""
    one, two = center[0], center[1]
    total = 0.0
    for f in range(first.shape[0]):
        a, b = first[f] - one[f], second[f] - two[f]
        total += np.sqrt(a * a + b * b)
    return total


@kernel
def assign(values, low, inverse, centers, labels, distances):
    """The nearest of some scaled prototypes of every row under the L2 norm, lowest at ties."""
    n = centers.shape[2]
    first, second = np.empty(n, values.dtype), np.empty(n, values.dtype)
    for i in range(values.shape[0]):
        _scale(values[i], low, inverse, False, first, second)
        best, label = np.inf, 0
        for c in range(centers.shape[0]):
            far = _sum_of_norms(first, second, centers[c])
            if far < best:
                best, label = far, c
        labels[i] = label
        distances[i] = best
