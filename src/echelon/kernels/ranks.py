"""What rank statistics are made of, counted for all features of a table at once.

A table is features by samples; ``order`` sorts every row, missing values (NaN) last.  ``codes``
are the values of the other variable as 0, 1, ..., which may or may not have an order.
"""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.discretize import n_present
from echelon.kernels.monotone import count_pairs

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
        n = n_present(values[f], order[f])
        sizes[:] = 0
        sums[:] = 0
        for i in range(n):
            x[i], c[i] = values[f, order[f, i]], codes[order[f, i]]
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
