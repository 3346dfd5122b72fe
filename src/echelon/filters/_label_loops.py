"""Loops over labels: counts within groups of samples, and columns cut by the MDL criterion.

Tables are features by samples.  Samples of a group lie next to each other: group g holds
``samples[starts[g]:starts[g + 1]]``.  ``table`` holds c log2(c) of every count c as integers, so
that equal entropies are equal numbers.  Counting is linear in the samples, whatever the number of
labels and groups.

Loops that a search calls many times, on some features or samples each, are compiled or not by the
size of the whole table.
"""

import numpy as np

from echelon.kernels import kernel


@kernel
def joint_sums(codes, n_codes, features, groups, samples, starts, table):
    """The sum of table[count] over the cells (group, label), for some columns of labels.

    ``groups`` holds the group of every sample, ``n_codes`` the number of labels of every column.
    With ``table[c]`` = c log2(c) this is all a joint entropy needs.  The table holds integers:
    their sum does not depend on the order of cells, so a column and its relabelled copy agree.
    """
    n_groups, m = starts.shape[0] - 1, samples.shape[0]
    counts = np.zeros(max(m, n_codes.max()), np.int64)
    sums = np.zeros(features.shape[0], np.int64)
    for k in range(features.shape[0]):
        f = features[k]
        if n_groups * n_codes[f] <= m:
            sums[k] = dense_sum(codes[f], n_codes[f], groups, n_groups, counts, table)
        else:
            sums[k] = sparse_sum(codes[f], samples, starts, counts, table)
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


@kernel
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


@kernel
def mdl_codes(values, order, classes, n_classes, table, unit, shift, codes, n_codes):
    """Cut every feature, and its parts again, where the MDL criterion accepts the best cut."""
    p, m = values.shape
    x, labels = np.empty(m, values.dtype), np.empty(m, np.int64)
    starts_interval = np.empty(m, np.int64)
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    lows, highs = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    for f in range(p):
        n = m
        while n > 0 and np.isnan(values[f, order[f, n - 1]]):
            n -= 1
        for i in range(n):
            x[i] = values[f, order[f, i]]
            labels[i] = classes[order[f, i]]
            starts_interval[i] = 0
        lows[0], highs[0], waiting = 0, n, 1
        while waiting > 0:
            waiting -= 1
            low, high = lows[waiting], highs[waiting]
            if high - low < 2:
                continue
            cut, whole, k, bits_left, k_left, bits_right, k_right = best_cut(
                x, labels, low, high, table, shift, left, right
            )
            if cut > low and pays(
                high - low, cut - low, whole, k, bits_left, k_left, bits_right, k_right, unit
            ):
                starts_interval[cut] = 1
                lows[waiting], highs[waiting] = low, cut
                lows[waiting + 1], highs[waiting + 1] = cut, high
                waiting += 2
        n_codes[f] = write_codes(starts_interval, order[f], n, codes[f])


@kernel
def best_cut(x, labels, low, high, table, shift, left, right):
    """The cut of samples low..high-1 with the least class entropy, the lowest among equals.

    Returns its position (low if there is none), then entropy times samples and number of classes
    of the whole, of the left and of the right part.  ``left`` and ``right`` are work space.
    """
    left[:] = 0
    right[:] = 0
    for i in range(low, high):
        right[labels[i]] += 1
    n_classes, whole, in_right, in_left = 0, table[high - low], 0, 0
    for c in range(right.shape[0]):
        n_classes += right[c] > 0
        in_right += table[right[c]]
    whole -= in_right
    k_left, k_right = 0, n_classes
    best, least, half = low, 0, (1 << shift) >> 1
    best_left, best_right, best_k_left, best_k_right = 0, 0, 0, 0
    for i in range(low, high - 1):
        c = labels[i]
        k_left += left[c] == 0
        k_right -= right[c] == 1
        in_left += table[left[c] + 1] - table[left[c]]
        in_right += table[right[c] - 1] - table[right[c]]
        left[c] += 1
        right[c] -= 1
        if x[i] == x[i + 1]:
            continue
        bits_left = table[i + 1 - low] - in_left
        bits_right = table[high - i - 1] - in_right
        bits = (bits_left + bits_right + half) >> shift
        if best == low or bits < least:
            best, least = i + 1, bits
            best_left, best_right = bits_left, bits_right
            best_k_left, best_k_right = k_left, k_right
    return best, whole, n_classes, best_left, best_k_left, best_right, best_k_right


@kernel
def pays(n, n_left, whole, k, bits_left, k_left, bits_right, k_right, unit):
    """The MDL criterion of Fayyad and Irani: whether a cut of n samples gains its description."""
    gain = (whole - bits_left - bits_right) / unit
    # log2(3^k - 2) without 3^k, which is too large a number for many classes.
    delta = k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0**-k)
    entropies = k * (whole / n) - k_left * (bits_left / n_left)
    delta -= (entropies - k_right * (bits_right / (n - n_left))) / unit
    return gain > np.log2(n - 1.0) + delta


@kernel
def write_codes(starts_interval, order, n, codes):
    """Number the intervals of one feature; returns how many numbers are in use."""
    code = 0
    for i in range(n):
        code += starts_interval[i]
        codes[order[i]] = code
    used = code + (n > 0)
    for i in range(n, order.shape[0]):
        codes[order[i]] = used
    return used + (n < order.shape[0])
