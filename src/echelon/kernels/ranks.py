"""What rank statistics are made of, counted for all features of a table at once.

A table is features by samples; ``order`` sorts every row, missing values (NaN) last.  ``codes``
are the values of the other variable as 0, 1, ..., which may or may not have an order; samples with
a negative code are missing there, and do not count.
"""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.discretize import n_present
from echelon.kernels.monotone import count_pairs
from echelon.kernels.order import add_code, codes_below

N_FIELDS = 11


@kernel(steps=lambda values, *_: 4 * values.size)
def rank_sums(values, order, codes, n_codes, out):
    """Counts behind Kendall's tau, Spearman's rho and the Kruskal-Wallis test.

    Row f of ``out``: samples in which feature f is present; pairs in order minus pairs against
    it; over groups of t equal values, the sums of t (t - 1), t (t - 1) (t - 2) and
    t (t - 1) (2 t + 5); the same three of the codes; the sum of products of both mid-ranks, less
    that of their means; the sum over codes of (rank sum)^2 / size, less that of equal rank sums;
    how many codes occur.  Ranks are multiples of 1/2: all sums but that of quotients are exact.
    """
    m = order.shape[1]
    x, c = np.empty(m, values.dtype), np.empty(m, np.int64)
    sizes, sums, middle = np.empty(n_codes), np.empty(n_codes), np.empty(n_codes)
    for f in range(order.shape[0]):
        n = _paired(values[f], order[f], codes, x, c)
        sizes[:] = 0
        sums[:] = 0
        for i in range(n):
            sizes[c[i]] += 1
        agree, oppose = count_pairs(x[:n], c[:n], n_codes)
        out[f, 0], out[f, 1] = n, agree - oppose
        out[f, 2:] = 0
        _add_code_ties(sizes, middle, out[f])
        low = 0
        while low < n:
            high = low + 1
            while high < n and x[high] == x[low]:
                high += 1
            _add_ties(high - low, out[f], 2)
            # Ranks around their mean: sums stay small, so nothing is lost to rounding.
            rank = (low + high + 1) / 2 - (n + 1) / 2
            for i in range(low, high):
                sums[c[i]] += rank
                out[f, 8] += rank * middle[c[i]]
            low = high
        for k in range(n_codes):
            if sizes[k] > 0:
                out[f, 9] += sums[k] ** 2 / sizes[k]
                out[f, 10] += 1


@kernel
def _paired(values, order, codes, x, c):
    """Write what is missing in neither variable to x, ascending, and c; returns how many."""
    n = 0
    for i in range(n_present(values, order)):
        if codes[order[i]] >= 0:
            x[n], c[n] = values[order[i]], codes[order[i]]
            n += 1
    return n


@kernel
def _add_ties(t, fields, first):
    """Add a group of t equal values to the three sums over such groups."""
    fields[first] += t * (t - 1.0)
    fields[first + 1] += t * (t - 1.0) * (t - 2.0)
    fields[first + 2] += t * (t - 1.0) * (2.0 * t + 5.0)


@kernel
def _add_code_ties(sizes, middle, fields):
    """Ties of the codes, and the mid-rank of every code around the mean rank."""
    below, n = 0.0, sizes.sum()
    for k in range(sizes.shape[0]):
        _add_ties(sizes[k], fields, 5)
        middle[k] = below + (sizes[k] + 1) / 2 - (n + 1) / 2
        below += sizes[k]


@kernel
def rank_information(values, order, codes, n_codes, logs, sums, counts):
    """Rank mutual information of every feature, times samples, in units of ``logs``.

    ``sums[f, a, d]`` is the sum over samples of log(n |A and D| / (|A| |D|)), where A and D are the
    samples with at most (a, d = 0) or at least (1) its value and its code.  ``logs[c]`` holds
    log(c) as integers: their sums do not depend on the order of samples.  ``counts`` are the
    samples n of every feature.
    """
    m = order.shape[1]
    x, c = np.empty(m, values.dtype), np.empty(m, np.int64)
    least, tree = np.zeros(n_codes + 1, np.int64), np.zeros(n_codes + 1, np.int64)
    for f in range(order.shape[0]):
        n = _paired(values[f], order[f], codes, x, c)
        least[:] = 0
        tree[:] = 0
        for i in range(n):
            least[c[i]] += 1
        for code in range(n_codes - 1, -1, -1):
            least[code] += least[code + 1]
        sums[f, :, :] = n * logs[n]
        counts[f] = n
        low = 0
        while low < n:
            high = low + 1
            while high < n and x[high] == x[low]:
                high += 1
            for i in range(low, high):  # the tree holds the samples with smaller values
                above, below = least[c[i]], n - least[c[i] + 1]
                smaller = low - codes_below(tree, c[i])
                sums[f, 1, 1] += logs[above - smaller] - logs[n - low] - logs[above]
                smaller = codes_below(tree, c[i] + 1)
                sums[f, 1, 0] += logs[below - smaller] - logs[n - low] - logs[below]
            for i in range(low, high):
                add_code(tree, c[i])
            for i in range(low, high):  # and now also those with the same
                above, below = least[c[i]], n - least[c[i] + 1]
                both = high - codes_below(tree, c[i])
                sums[f, 0, 1] += logs[both] - logs[high] - logs[above]
                both = codes_below(tree, c[i] + 1)
                sums[f, 0, 0] += logs[both] - logs[high] - logs[below]
            low = high
