"""Rank statistics of weighted samples, summed for all features of a table at once.

A table is features by samples; ``order`` sorts every row, missing values (NaN) last.  ``codes``
are the values of the other variable as 0, 1, ..., which may or may not have an order; samples with
a negative code are missing there, and do not count.  ``weights`` holds how many rows every sample
stands for.  Sums of whole weights are exact.
"""

import numpy as np

from echelon.kernels import kernel
from echelon.kernels.monotone import add_mass, mass_below, pair_masses, present_in_order

N_MASSES = 10


@kernel
def rank_masses(values, order, codes, weights, n_codes, out):
    """Sums behind Kendall's tau, Spearman's rho and the Kruskal-Wallis test.

    Row f of ``out``: mass of the samples in which feature f is present, and the sum of squares of
    their weights; pairs in order minus pairs against it; over groups of equal values of mass t,
    the sums of t^2 and t^3; the same of the codes; the sum of products of both mid-ranks, and the
    sum over codes of (rank sum)^2 / mass, ranks around their mean; how many codes occur.

    One row of values, or of codes, is set against all rows of the other.
    """
    m = order.shape[1]
    x, c, w = np.empty(m, values.dtype), np.empty(m, np.int64), np.empty(m)
    sizes, sums, middle = np.empty(n_codes), np.empty(n_codes), np.empty(n_codes)
    for f in range(out.shape[0]):
        row, other = f % values.shape[0], f % codes.shape[0]
        n = present_in_order(values[row], order[row], codes[other], weights, x, c, w)
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
            # Ranks around their mean: sums stay small, so that little is lost to rounding.
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
def rank_information(values, order, codes, weights, n_codes, ways, unit, logs, sums, masses):
    """Rank mutual information of every feature, times mass, as multiples of 1 / ``unit``.

    ``sums[f, a, d]`` is the sum over samples of log2(n |A and D| / (|A| |D|)), where A and D are
    the samples with at most (a, d = 0) or at least (1) its value and its code, and n all of them,
    by mass.  Logarithms are rounded to whole numbers: their sums do not depend on the order of
    samples if the weights are whole numbers, too.  ``logs`` holds them for masses 0, 1, ..., or
    nothing if masses are no whole numbers.
    Of a feature with ``ways[f]`` 1 only a = d is found, with -1 only a != d.  ``masses`` are those
    of the samples of every feature.
    """
    m = order.shape[1]
    x, c, w = np.empty(m, values.dtype), np.empty(m, np.int64), np.empty(m)
    least, tree = np.zeros(n_codes + 1), np.zeros(n_codes + 1)
    for f in range(order.shape[0]):
        n = present_in_order(values[f], order[f], codes, weights, x, c, w)
        least[:] = 0
        tree[:] = 0
        for i in range(n):
            least[c[i]] += w[i]
        for code in range(n_codes - 1, -1, -1):
            least[code] += least[code + 1]
        total = least[0]
        masses[f] = total
        sums[f] = 0
        low, below = 0, 0.0
        while low < n:
            high, mass = low, 0.0
            while high < n and x[high] == x[low]:
                mass += w[high]
                high += 1
            shared = _log(total, mass, unit, logs) - _log(total - below, mass, unit, logs)
            for i in range(low, high):  # the tree holds the samples with smaller values
                if ways[f] >= 0:
                    own = least[c[i]]
                    both = own - (below - mass_below(tree, c[i]))
                    sums[f, 1, 1] += _told(both, own, shared, w[i], unit, logs)
                if ways[f] <= 0:
                    own = total - least[c[i] + 1]
                    both = own - mass_below(tree, c[i] + 1)
                    sums[f, 1, 0] += _told(both, own, shared, w[i], unit, logs)
            for i in range(low, high):
                add_mass(tree, c[i], w[i])
            below += mass
            shared = _log(total, mass, unit, logs) - _log(below, mass, unit, logs)
            for i in range(low, high):  # and now also those with the same
                if ways[f] <= 0:
                    own = least[c[i]]
                    both = below - mass_below(tree, c[i])
                    sums[f, 0, 1] += _told(both, own, shared, w[i], unit, logs)
                if ways[f] >= 0:
                    own = total - least[c[i] + 1]
                    both = mass_below(tree, c[i] + 1)
                    sums[f, 0, 0] += _told(both, own, shared, w[i], unit, logs)
            low = high


@kernel
def _told(both, own, shared, weight, unit, logs):
    """The term of a sample, whose weight is part of both masses."""
    return weight * (shared + _log(both, weight, unit, logs) - _log(own, weight, unit, logs))


@kernel
def _log(mass, at_least, unit, logs):
    """Logarithm of a mass, which is no smaller than a part of it but for rounding."""
    if logs.shape[0] > 0:
        return logs[int(mass)]
    return np.rint(unit * np.log2(max(mass, at_least)))
