"""Pairs of samples in order, or against it: one feature at a time, and all together."""

import numpy as np

from echelon.kernels._jit import kernel
from echelon.kernels.order import add_code, codes_below


@kernel(steps=lambda values, *_: 4 * values.size)
def count_pairs(values, codes, n_classes):
    """Pairs of different values and classes: in order, and against it.

    ``values`` ascend; ``codes`` are the classes in that order.  A Fenwick tree over the classes
    counts the samples with smaller values.
    """
    tree = np.zeros(n_classes + 1, np.int64)
    agree, oppose = np.int64(0), np.int64(0)
    start = 0
    for end in range(1, values.shape[0] + 1):
        if end < values.shape[0] and values[end] == values[start]:
            continue
        for i in range(start, end):
            agree += codes_below(tree, codes[i])
            oppose += start - codes_below(tree, codes[i] + 1)
        for i in range(start, end):
            add_code(tree, codes[i])
        start = end
    return agree, oppose


@kernel(steps=lambda values, ends, first, last: (last - first) * values.size)
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
