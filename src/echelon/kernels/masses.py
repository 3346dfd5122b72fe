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
