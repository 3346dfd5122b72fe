"""Simba and O-Simba: gradient ascent on the margin, one sample after the other.

Each step searches anew under the weights just changed, so the steps cannot share work and
run one after the other; a step costs m p.  Restarts are independent.  Equation numbers are those of
Hu, Pan, Song, Yu 2012.
"""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.pairs import ABOVE, BELOW, related

HIT, HIT_ABOVE, HIT_BELOW, MISS_ABOVE, MISS_BELOW = range(5)
"""The five nearest neighbours a step looks for: misses above and below in class, hits above
and below in value.  Where classes have no order, every miss counts as above."""

FIELDS = ("values", "classes", "rows", "n_ordered", "n_numeric")
"""What these kernels take of ``engines.Samples``, as a tuple."""

IGNORE, PREFER, REQUIRE = range(3)
"""Whether a hit must dominate the sample (or be dominated by it): no, if possible, yes."""

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
def _find(samples, i, squares, ordered, neighbours, gaps):
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
            above = classes[j] > classes[i] or not ordered
            _offer(MISS_ABOVE if above else MISS_BELOW, j, gap, rows, neighbours, gaps)
            continue
        _offer(HIT, j, gap, rows, neighbours, gaps)
        if ordered:
            for slot, relation in ((HIT_ABOVE, ABOVE), (HIT_BELOW, BELOW)):
                if neighbours[slot] < 0 or gap <= gaps[slot] * (1 + TIE):
                    if related(a, b, n_ordered, relation):
                        _offer(slot, j, gap, rows, neighbours, gaps)


@kernel
def _pick_hit(slot, dominance, neighbours):
    """The slot of the hit that counts in a direction, by the rule for dominance."""
    if dominance == IGNORE or (dominance == PREFER and neighbours[slot] < 0):
        return HIT
    return slot


@kernel
def _terms(neighbours, ordered, dominance, signs):
    """Sign of every slot in the margin: +1 misses, -1 hits, added over the directions."""
    signs[:] = 0
    if ordered:
        for miss, hit in ((MISS_ABOVE, HIT_ABOVE), (MISS_BELOW, HIT_BELOW)):
            if neighbours[miss] >= 0:
                signs[miss] += 1
                signs[_pick_hit(hit, dominance, neighbours)] -= 1
    else:
        signs[MISS_ABOVE] = 1
        signs[HIT] = -1
    for slot in range(5):
        if neighbours[slot] < 0:
            signs[slot] = 0


@kernel
def ascend(samples, order, ordered, dominance, weights):
    """One step for every sample in ``order``, Eq. (8) or (12); changes ``weights``."""
    values, n_numeric = samples[0], samples[4]
    neighbours = np.empty(5, np.int64)
    gaps = np.empty(5, np.float64)
    signs = np.empty(5, np.int64)
    step = np.empty(weights.shape[0], np.float64)
    for i in order:
        _find(samples, i, weights * weights, ordered, neighbours, gaps)
        _terms(neighbours, ordered, dominance, signs)
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
def margin_sum(samples, ordered, dominance, weights):
    """e(w): the margins of all samples added up, Eq. (7) or (11)."""
    neighbours = np.empty(5, np.int64)
    gaps = np.empty(5, np.float64)
    signs = np.empty(5, np.int64)
    total = 0.0
    for i in range(samples[0].shape[0]):
        _find(samples, i, weights * weights, ordered, neighbours, gaps)
        _terms(neighbours, ordered, dominance, signs)
        for slot in range(5):
            if signs[slot] != 0:
                total += 0.5 * signs[slot] * np.sqrt(gaps[slot])
    return total
