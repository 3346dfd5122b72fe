"""Order statistics: selection, and counting smaller ones while they come.

A Fenwick tree over codes 0, 1, ..., k - 1 is an array of k + 1 zeros; adding a code and counting
those below another both take log k steps.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def kth_smallest(values, k):
    """The k-th smallest value (k from 1), by selection; reorders the values."""
    left, right = 0, values.shape[0] - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            right = j
        elif k - 1 >= i:
            left = i
        else:
            break
    return values[k - 1]


@kernel
def add_code(tree, code):
    """Put a code into a Fenwick tree."""
    node = code + 1
    while node < tree.shape[0]:
        tree[node] += 1
        node += node & -node


@kernel
def codes_below(tree, code):
    """Codes in a Fenwick tree that are smaller."""
    total = np.int64(0)
    while code > 0:
        total += tree[code]
        code -= code & -code
    return total
