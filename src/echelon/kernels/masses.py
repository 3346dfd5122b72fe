"""Rank statistics of weighted samples: the sums of ``monotone`` and ``ranks``, by mass.

Tables, orders and codes are as in ``ranks``; ``weights`` holds how many rows every sample stands
for.
"""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.discretize import n_present
from echelon.kernels.order import codes_below


@kernel
def add_mass(tree, code, mass):
    """Put a code of some mass into a Fenwick tree, which counts masses."""
    node = code + 1
    while node < tree.shape[0]:
        tree[node] += mass
        node += node & -node


@kernel
def pair_masses(values, codes, weights, n_classes):
    """Pairs of different values and classes, by mass: in order, and against it.

    ``values`` ascend; ``codes`` and ``weights`` are those of the samples in that order.
    """
    tree = np.zeros(n_classes + 1)
    agree, oppose, before = 0.0, 0.0, 0.0
    start = 0
    for end in range(1, values.shape[0] + 1):
        if end < values.shape[0] and values[end] == values[start]:
            continue
        for i in range(start, end):
            agree += weights[i] * codes_below(tree, codes[i])
            oppose += weights[i] * (before - codes_below(tree, codes[i] + 1))
        for i in range(start, end):
            add_mass(tree, codes[i], weights[i])
            before += weights[i]
        start = end
    return agree, oppose


@kernel
def present_in_order(values, order, codes, weights, x, c, w):
    """Write what is missing in neither variable to x, ascending, c and w; returns how many."""
    n = 0
    for i in range(n_present(values, order)):
        if codes[order[i]] >= 0:
            x[n], c[n], w[n] = values[order[i]], codes[order[i]], weights[order[i]]
            n += 1
    return n


N_MASSES = 10


@kernel
def rank_masses(values, order, codes, weights, n_codes, out):
    """Sums behind Kendall's tau, Spearman's rho and the Kruskal-Wallis test, by mass.

    Row f of ``out``: mass of the samples in which feature f is present, and the sum of squares of
    their weights; pairs in order minus pairs against it; over groups of equal values of mass t,
    the sums of t^2 and t^3; the same of the codes; the sum of products of both mid-ranks, and the
    sum over codes of (rank sum)^2 / mass, ranks around their mean; how many codes occur.
    """
    m = order.shape[1]
    x, c, w = np.empty(m, values.dtype), np.empty(m, np.int64), np.empty(m)
    sizes, sums, middle = np.empty(n_codes), np.empty(n_codes), np.empty(n_codes)
    for f in range(order.shape[0]):
        n = present_in_order(values[f], order[f], codes, weights, x, c, w)
        out[f] = 0
        sizes[:] = 0
        sums[:] = 0
        for i in range(n):
            sizes[c[i]] += w[i]
            out[f, 1] += w[i] ** 2
        total = sizes.sum()
        agree, oppose = pair_masses(x[:n], c[:n], w[:n], n_codes)
        out[f, 0], out[f, 2] = total, agree - oppose
        below = 0.0
        for k in range(n_codes):
            out[f, 5] += sizes[k] ** 2
            out[f, 6] += sizes[k] ** 3
            middle[k] = below + (sizes[k] - total) / 2
            below += sizes[k]
        low, below = 0, 0.0
        while low < n:
            high, mass = low, 0.0
            while high < n and x[high] == x[low]:
                mass += w[high]
                high += 1
            out[f, 3] += mass**2
            out[f, 4] += mass**3
            rank = below + (mass - total) / 2
            for i in range(low, high):
                sums[c[i]] += w[i] * rank
                out[f, 7] += w[i] * rank * middle[c[i]]
            low, below = high, below + mass
        for k in range(n_codes):
            if sizes[k] > 0:
                out[f, 8] += sums[k] ** 2 / sizes[k]
                out[f, 9] += 1


@kernel
def mass_information(values, order, codes, weights, n_codes, means):
    """Rank mutual information of every feature in bits, samples counted by their weights.

    ``means[f, a, d]``: as the sums of ``ranks.rank_information``, by mass.
    """
    m = order.shape[1]
    x, c, w = np.empty(m, values.dtype), np.empty(m, np.int64), np.empty(m)
    least, tree = np.zeros(n_codes + 1), np.zeros(n_codes + 1)
    for f in range(order.shape[0]):
        n = present_in_order(values[f], order[f], codes, weights, x, c, w)
        least[:] = 0
        tree[:] = 0
        means[f] = 0
        for i in range(n):
            least[c[i]] += w[i]
        for code in range(n_codes - 1, -1, -1):
            least[code] += least[code + 1]
        total = least[0]
        low, below = 0, 0.0
        while low < n:
            high, mass = low, 0.0
            while high < n and x[high] == x[low]:
                mass += w[high]
                high += 1
            for i in range(low, high):  # the tree holds the samples with smaller values
                up, down = least[c[i]], total - least[c[i] + 1]
                both = up - (below - codes_below(tree, c[i]))
                means[f, 1, 1] += w[i] * _told(both, total, total - below, up)
                both = down - codes_below(tree, c[i] + 1)
                means[f, 1, 0] += w[i] * _told(both, total, total - below, down)
            for i in range(low, high):
                add_mass(tree, c[i], w[i])
            for i in range(low, high):  # and now also those with the same
                up, down = least[c[i]], total - least[c[i] + 1]
                both = below + mass - codes_below(tree, c[i])
                means[f, 0, 1] += w[i] * _told(both, total, below + mass, up)
                both = codes_below(tree, c[i] + 1)
                means[f, 0, 0] += w[i] * _told(both, total, below + mass, down)
            low, below = high, below + mass
        means[f] /= total if n > 0 else 1.0


@kernel
def _told(both, total, first, second):
    return np.log2(both * total / (first * second))
