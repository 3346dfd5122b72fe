"""Counts of labels within groups of samples, for many columns of labels at once.

Samples of a group lie next to each other: group g holds ``samples[starts[g]:starts[g + 1]]``.
Every loop is linear in the samples, whatever the number of labels and groups.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel(steps=lambda codes, *_: codes.size)
def joint_sums(codes, n_codes, groups, samples, starts, table):
    """The sum of table[count] over the cells (group, label), for every column of labels.

    ``groups`` holds the group of every sample, ``n_codes`` the number of labels of every column.
    With ``table[c]`` = c log2(c) this is all a joint entropy needs.  The table holds integers:
    their sum does not depend on the order of cells, so a column and its relabelled copy agree.
    """
    n_groups, m = starts.shape[0] - 1, samples.shape[0]
    counts = np.zeros(max(m, n_codes.max()), np.int64)
    sums = np.zeros(codes.shape[0], np.int64)
    for f in range(codes.shape[0]):
        if n_groups * n_codes[f] <= m:
            sums[f] = dense_sum(codes[f], n_codes[f], groups, n_groups, counts, table)
        else:
            sums[f] = sparse_sum(codes[f], samples, starts, counts, table)
    return sums


@kernel
def dense_sum(column, n_codes, groups, n_groups, counts, table):
    """One column, with a count for every cell; leaves the counts at zero."""
    for i in range(column.shape[0]):
        counts[groups[i] * n_codes + column[i]] += 1
    total = 0
    for cell in range(n_groups * n_codes):
        total += table[counts[cell]]
        counts[cell] = 0
    return total


@kernel
def sparse_sum(column, samples, starts, counts, table):
    """One column, with a count for every label, one group after the other."""
    total = 0
    for g in range(starts.shape[0] - 1):
        for i in range(starts[g], starts[g + 1]):
            label = column[samples[i]]
            count = counts[label]
            total += table[count + 1] - table[count]
            counts[label] = count + 1
        for i in range(starts[g], starts[g + 1]):
            counts[column[samples[i]]] = 0
    return total


@kernel(steps=lambda codes, candidates, n_codes, samples, *_: 2 * candidates.size * samples.size)
def majorities(codes, candidates, n_codes, samples, starts, classes, n_classes):
    """Samples in the majority class of their cell (group, label), for every candidate column."""
    counts = np.zeros((n_codes, n_classes), np.int64)
    most = np.zeros(n_codes, np.int64)
    sums = np.zeros(candidates.shape[0], np.int64)
    for k in range(candidates.shape[0]):
        column = codes[candidates[k]]
        total = 0
        for g in range(starts.shape[0] - 1):
            for i in range(starts[g], starts[g + 1]):
                label, c = column[samples[i]], classes[samples[i]]
                counts[label, c] += 1
                if counts[label, c] > most[label]:  # the largest count grows by one
                    most[label] += 1
                    total += 1
            for i in range(starts[g], starts[g + 1]):
                label = column[samples[i]]
                most[label] = 0
                counts[label, classes[samples[i]]] = 0
        sums[k] = total
    return sums
