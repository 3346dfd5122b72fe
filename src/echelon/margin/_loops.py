"""Compiled loops of the family, one part for every user.

``contrast_sums``, ``cubic_sums``   moments under permutation of the classes (``_permutation``)
``soft_margins``                    soft neighbours of I-Relief (``_iterative``)
``ascend``, ``margin_sum``          gradient steps of Simba and O-Simba (``_simba``)
``count_steps``                     steps between neighbours, of OrdEval (``_ordeval``)
"""

import numpy as np

from echelon.kernels import kernel
from echelon.kernels.pairs import ABOVE, BELOW, related

# -------------------------------------------------------- sums over weighted pairs, for one column


@kernel
def _gap(a, b, nominal):
    """Difference of two values, NaN where one is missing."""
    gap = abs(np.float64(b) - np.float64(a))
    return 1.0 if nominal and gap > 0.0 else gap


@kernel
def contrast_sums(pairs, apart, column, nominal):
    """Sums over the pairs that have a value: what ``_permutation`` needs of one column.

    Pairs are given by their lower and higher rows and their weights.  With g the weight of a pair,
    d the distance of its classes and D its difference: sums of g, g d, g D, g d D, g^2, g^2 D,
    g^2 D^2 and, by sample, of g and g D.
    """
    lower, higher, weights = pairs
    by_row = np.zeros((column.shape[0], 2), np.float64)
    g1 = gd = gx = gdx = gg = ggx = ggxx = 0.0  # in registers: an array would be written each time
    for p in range(lower.shape[0]):
        i, j = lower[p], higher[p]
        gap = _gap(column[i], column[j], nominal)
        if gap != gap:
            continue
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
def cubic_sums(pairs, column, nominal, mean, rows):
    """Sums of third order over the pairs that have a value, and what the pairs weigh.

    With v = g (D - mean), half of which goes to the two samples each, and r the sums by sample in
    ``rows``: v^3 / 4, v^2 (r_i + r_j) / 4 and v r_i r_j, added up; and v of every pair.
    """
    lower, higher, weights = pairs
    cubes = squares = form = 0.0
    found = np.zeros(lower.shape[0], np.float64)
    for p in range(lower.shape[0]):
        i, j = lower[p], higher[p]
        gap = _gap(column[i], column[j], nominal)
        if gap != gap:
            continue
        v = weights[p] * (gap - mean)
        found[p] = v
        cubes += 0.25 * v * v * v
        squares += 0.25 * v * v * (rows[i] + rows[j])
        form += v * rows[i] * rows[j]
    return np.array([cubes, squares, form]), found


# --------------------------------------------------------------------------------- soft neighbours


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


# ------------------------------------------------------------------- gradient ascent on the margin


HIT, HIT_ABOVE, HIT_BELOW, MISS_ABOVE, MISS_BELOW = range(5)
"""The five nearest neighbours a step looks for: misses above and below in class, hits above
and below in value.  Where classes have no order, every miss counts as above."""

FIELDS = ("values", "classes", "rows", "n_ordered", "n_numeric")
"""What these kernels take of ``engines.Samples``, as a tuple."""

UNORDERED, IGNORE, PREFER, REQUIRE = range(4)
"""Classes have no order; or must a hit dominate the sample (or be dominated by it): no, if
possible, yes."""

RULES = {None: UNORDERED, "ignore": IGNORE, "prefer": PREFER, "require": REQUIRE}
"""By the parameter ``dominance``."""

TIE = 1e-9
"""Squared distances this close, relatively, are equal: rounding, which depends on the order of
columns and on the processor, must not choose a neighbour."""


@kernel
def _weighted(a, b, n_numeric, squares):
    """Squared distance with one squared weight per feature."""
    total = 0.0
    for f in range(n_numeric):
        gap = np.float64(a[f]) - np.float64(b[f])
        total += squares[f] * gap * gap
    for f in range(n_numeric, a.shape[0]):
        total += squares[f] * (a[f] != b[f])
    return total


@kernel
def _offer(slot, j, gap, rows, neighbours, gaps):
    """Keep reference j if it is nearer than the slot's; equally near: the lower original row."""
    best = neighbours[slot]
    nearer = best < 0 or gap < gaps[slot] * (1 - TIE)
    if nearer or (gap <= gaps[slot] * (1 + TIE) and rows[j] < rows[best]):
        neighbours[slot] = j
        gaps[slot] = gap


@kernel
def _find(samples, i, squares, rule, neighbours, gaps):
    """The five nearest neighbours of sample i, -1 where there is none."""
    values, classes, rows, n_ordered, n_numeric = samples
    neighbours[:] = -1
    a = values[i]
    for j in range(values.shape[0]):
        if j == i:
            continue
        b = values[j]
        gap = _weighted(a, b, n_numeric, squares)
        if classes[j] != classes[i]:
            above = classes[j] > classes[i] or rule == UNORDERED
            _offer(MISS_ABOVE if above else MISS_BELOW, j, gap, rows, neighbours, gaps)
            continue
        _offer(HIT, j, gap, rows, neighbours, gaps)
        if rule >= PREFER:
            for slot, relation in ((HIT_ABOVE, ABOVE), (HIT_BELOW, BELOW)):
                if neighbours[slot] < 0 or gap <= gaps[slot] * (1 + TIE):
                    if related(a, b, n_ordered, relation):
                        _offer(slot, j, gap, rows, neighbours, gaps)


@kernel
def _terms(neighbours, rule, signs):
    """Sign of every slot in the margin: +1 misses, -1 hits, added over the directions."""
    signs[:] = 0
    if rule != UNORDERED:
        for miss, hit in ((MISS_ABOVE, HIT_ABOVE), (MISS_BELOW, HIT_BELOW)):
            if neighbours[miss] >= 0:
                any_hit = rule == IGNORE or (rule == PREFER and neighbours[hit] < 0)
                signs[miss] += 1
                signs[HIT if any_hit else hit] -= 1
    else:
        signs[MISS_ABOVE] = 1
        signs[HIT] = -1
    for slot in range(5):
        if neighbours[slot] < 0:
            signs[slot] = 0


@kernel
def ascend(samples, order, rule, weights):
    """One step for every sample in ``order``, Eq. (8) or (12); changes ``weights``."""
    values, n_numeric = samples[0], samples[4]
    neighbours = np.empty(5, np.int64)
    gaps = np.empty(5, np.float64)
    signs = np.empty(5, np.int64)
    step = np.empty(weights.shape[0], np.float64)
    for i in order:
        _find(samples, i, weights * weights, rule, neighbours, gaps)
        _terms(neighbours, rule, signs)
        step[:] = 0.0
        for slot in range(5):
            if signs[slot] == 0 or gaps[slot] == 0.0:
                continue
            scale = 0.5 * signs[slot] / np.sqrt(gaps[slot])
            b = values[neighbours[slot]]
            for f in range(weights.shape[0]):
                gap = np.float64(values[i, f]) - np.float64(b[f])
                if f >= n_numeric:
                    gap = 1.0 if gap != 0 else 0.0
                step[f] += scale * gap * gap
        for f in range(weights.shape[0]):
            weights[f] += step[f] * weights[f]


@kernel
def margin_sum(samples, rule, weights):
    """e(w): the margins of all samples added up, Eq. (7) or (11)."""
    neighbours = np.empty(5, np.int64)
    gaps = np.empty(5, np.float64)
    signs = np.empty(5, np.int64)
    total = 0.0
    for i in range(samples[0].shape[0]):
        _find(samples, i, weights * weights, rule, neighbours, gaps)
        _terms(neighbours, rule, signs)
        for slot in range(5):
            if signs[slot] != 0:
                total += 0.5 * signs[slot] * np.sqrt(gaps[slot])
    return total


# ------------------------------------------------------------------------ steps between neighbours


@kernel
def count_steps(counts, indices, shares, codes, classes, pairs, agreeing):
    """Weights of pairs by value of the query and kind of step, and of those the class agrees with.

    Query i has ``counts[i]`` neighbours, one query after the other; ``codes`` are the values of a
    feature as 0, 1, ..., negative where missing.  ``pairs[v, s]`` adds up shares where the query
    has value v and the feature steps up to it from the neighbour (s = 0), down to it (1), or
    stays (2); ``agreeing`` those in which the class does the same.
    """
    start = 0
    for i in range(counts.shape[0]):
        end, value = start + counts[i], codes[i]
        if value >= 0:
            for pair in range(start, end):
                other = codes[indices[pair]]
                if other >= 0:
                    step = _step(value, other)
                    pairs[value, step] += shares[pair]
                    if _step(classes[i], classes[indices[pair]]) == step:
                        agreeing[value, step] += shares[pair]
        start = end


@kernel
def _step(to, origin):
    """0 up, 1 down, 2 none."""
    if to > origin:
        return 0
    return 1 if to < origin else 2
