"""Intervals against a few prototypes, one pass over the rows each.

A row holds (lower, upper) pairs.  It is scaled as it is read, so that no scaled copy of the data
is ever made, into two runs: all lower bounds, then all upper bounds.  ``turned`` rows and
prototypes hold midpoints and half widths instead, since

    max(|a|, |b|) = |a + b| / 2 + |a - b| / 2,

which makes the largest difference of two bounds a sum of two absolute values as well.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def scan(values, low, high):
    """Extend the ranges by these rows; count intervals out of order, missing and half missing."""
    n_reversed, n_missing, n_half = 0, 0, 0
    for i in range(values.shape[0]):
        row = values[i]
        for f in range(row.shape[0]):
            a, b = row[f, 0], row[f, 1]
            low[f] = a if a < low[f] else low[f]
            high[f] = b if b > high[f] else high[f]
            n_reversed += a > b
            n_missing += (a != a) | (b != b)
            n_half += (a != a) ^ (b != b)
    return n_reversed, n_missing, n_half


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
    for f in range(row.shape[0]):
        first[f] = (row[f, 0] - low[f]) * inverse[f]
        second[f] = (row[f, 1] - low[f]) * inverse[f]
    if turned:
        for f in range(row.shape[0]):
            a, b = first[f], second[f]
            first[f] = (a + b) * np.float32(0.5)
            second[f] = (b - a) * np.float32(0.5)


@kernel
def _differences(first, second, center, paired, gaps):
    """Differences to a prototype, feature by feature (NaN where missing), and their sum."""
    one, two = center[0], center[1]
    total = 0.0
    if paired:
        for f in range(first.shape[0]):
            a, b = first[f] - one[f], second[f] - two[f]
            gaps[f] = np.sqrt(a * a + b * b)
            total += gaps[f]
    else:
        for f in range(first.shape[0]):
            gaps[f] = abs(first[f] - one[f]) + abs(second[f] - two[f])
            total += gaps[f]
    return total


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
def _add(misses, hits, scores):
    """Add differences to misses less those to hits; what is not there is NaN or inf."""
    for f in range(scores.shape[0]):
        miss = misses[f] if misses[f] < np.inf else 0.0
        hit = hits[f] if hits[f] < np.inf else 0.0
        scores[f] += miss - hit


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
def _nearest_of_others(far, own, tolerance):
    """The nearest prototype of another class (-1: none) and how many are tied with it."""
    best, nearest, n_tied = np.inf, -1, 0
    for c in range(far.shape[0]):
        if c != own and far[c] < best:
            best, nearest = far[c], c
    for c in range(far.shape[0]):
        n_tied += c != own and far[c] <= best * tolerance
    return nearest, n_tied


@kernel
def _mean_of_tied(gaps, far, own, limit, mean):
    """Mean differences to the other prototypes within the limit, over those with the feature."""
    for f in range(mean.shape[0]):
        total, present = 0.0, 0
        for c in range(far.shape[0]):
            if c != own and far[c] <= limit and gaps[c, f] == gaps[c, f]:
                total += gaps[c, f]
                present += 1
        mean[f] = total / present if present > 0 else np.inf


@kernel
def add_margins(values, codes, low, inverse, centers, how, tolerance, scores):
    """Add every row's difference to the other classes less that to its own class to the scores.

    ``centers`` (class, 2, feature) are scaled, and turned if the rows are to be.  ``how`` says
    whether to turn, to pair the bounds by the Euclidean norm, to choose the other class
    feature by feature, and to expect missing intervals.
    """
    turned, paired, componentwise, missing = how
    n_classes, n = centers.shape[0], centers.shape[2]
    first, second = np.empty(n, values.dtype), np.empty(n, values.dtype)
    gaps = np.empty((n_classes, n), values.dtype)
    other = np.empty(n, values.dtype)
    far = np.empty(n_classes, np.float64)
    for i in range(values.shape[0]):
        own = codes[i]
        _scale(values[i], low, inverse, turned, first, second)
        for c in range(n_classes):
            far[c] = _differences(first, second, centers[c], paired, gaps[c])
            if missing:
                far[c] = _over_those_present(gaps[c])
        if componentwise:
            _smallest_of_others(gaps, own, other)
            _add(other, gaps[own], scores)
            continue
        nearest, n_tied = _nearest_of_others(far, own, tolerance)
        if nearest >= 0 and n_tied == 1:
            _add(gaps[nearest], gaps[own], scores)
        else:
            other[:] = np.inf
            if nearest >= 0:
                _mean_of_tied(gaps, far, own, far[nearest] * tolerance, other)
            _add(other, gaps[own], scores)


@kernel
def assign(values, low, inverse, centers, labels, distances):
    """The nearest of some scaled prototypes of every row under the L2 norm, lowest at ties."""
    n = centers.shape[2]
    first, second = np.empty(n, values.dtype), np.empty(n, values.dtype)
    gaps = np.empty(n, values.dtype)
    for i in range(values.shape[0]):
        _scale(values[i], low, inverse, False, first, second)
        best, label = np.inf, 0
        for c in range(centers.shape[0]):
            far = _differences(first, second, centers[c], True, gaps)
            if far < best:
                best, label = far, c
        labels[i] = label
        distances[i] = best
