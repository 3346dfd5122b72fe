"""Pairs of samples in order, or against it: one feature at a time, and all together.

Pairs count by the product of the weights of their samples.  Weights of whole numbers give whole
numbers; weights of 1 count pairs.

A Fenwick tree over codes 0, 1, ..., k - 1 is an array of k + 1 zeros; adding the mass of a code
and summing the masses below another both take log k steps.
"""

import numpy as np

from echelon.kernels import kernel


@kernel
def pairs_by_feature(values, order, codes, weights, n_codes, out):
    """Pairs of different values and codes, for every row of values: in order, and against it.

    ``order`` sorts every row of ``values``; missing values are NaN, and missing codes negative.
    """
    m = order.shape[1]
    x, c, w = np.empty(m, values.dtype), np.empty(m, np.int64), np.empty(m, weights.dtype)
    for f in range(order.shape[0]):
        n = present_in_order(values[f], order[f], codes, weights, x, c, w)
        out[f, 0], out[f, 1] = pair_masses(x[:n], c[:n], w[:n], n_codes)


@kernel
def present_in_order(values, order, codes, weights, x, c, w):
    """Write what is missing in neither variable to x, ascending, c and w; returns how many."""
    n = 0
    for i in order:
        if codes[i] >= 0 and values[i] == values[i]:
            x[n], c[n], w[n] = values[i], codes[i], weights[i]
            n += 1
    return n


@kernel
def pair_masses(values, codes, weights, n_codes):
    """Mass of the pairs in order, and against it, of samples whose values ascend."""
    tree = np.zeros(n_codes + 1, weights.dtype)
    agree, oppose, before = tree[0], tree[0], tree[0]
    start = 0
    for end in range(1, values.shape[0] + 1):
        if end < values.shape[0] and values[end] == values[start]:
            continue
        for i in range(start, end):
            agree += weights[i] * mass_below(tree, codes[i])
            oppose += weights[i] * (before - mass_below(tree, codes[i] + 1))
        for i in range(start, end):
            add_mass(tree, codes[i], weights[i])
            before += weights[i]
        start = end
    return agree, oppose


@kernel
def add_mass(tree, code, mass):
    """Add a code of some mass to a Fenwick tree."""
    node = code + 1
    while node < tree.shape[0]:
        tree[node] += mass
        node += node & -node


@kernel
def mass_below(tree, code):
    """Mass of the smaller codes in a Fenwick tree."""
    total = tree[0]
    while code > 0:
        total += tree[code]
        code -= code & -code
    return total


@kernel
def count_dominance(values, ends, first, last):
    """Rows ``first`` to ``last`` against all rows of higher classes.

    Rows are sorted by class, and ``ends[i]`` is where the class of row i ends.  Returns the pairs
    in which the higher class is at least as large in all features both rows have and larger in
    one, those in which it is the other way round, and those of equal rows.
    """
    agree, oppose, equal = np.int64(0), np.int64(0), np.int64(0)
    for i in range(first, last):
        for j in range(ends[i], values.shape[0]):
            shared, rises, falls = False, False, False
            for f in range(values.shape[1]):
                a, b = values[i, f], values[j, f]
                if b > a:
                    rises = True
                elif b < a:
                    falls = True
                elif a == b:
                    shared = True
                if rises and falls:
                    break
            if rises and not falls:
                agree += 1
            elif falls and not rises:
                oppose += 1
            elif shared and not rises:
                equal += 1
    return agree, oppose, equal
