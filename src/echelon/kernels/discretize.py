"""Numeric columns as a few intervals, all columns of a table at once.

Tables are features by samples.  ``order`` sorts every row, missing values (NaN) last; intervals
are numbered from 0, and missing values get the number that follows.  ``table`` holds c log2(c) as
integers (:mod:`echelon.kernels.counts`), so that equal entropies are equal numbers.
"""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def n_present(values, order):
    """How many values of one feature are not missing."""
    n = order.shape[0]
    while n > 0 and values[order[n - 1]] != values[order[n - 1]]:
        n -= 1
    return n


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


@kernel(steps=lambda values, *_: 3 * values.size)
def quantile_codes(values, order, n_bins, codes, n_codes):
    """Equal frequency: the bin of a value is that of its mean position, so ties stay together."""
    p, m = values.shape
    starts_interval = np.zeros(m, np.int64)
    for f in range(p):
        x, rank = values[f], order[f]
        n = n_present(x, rank)
        low, last = 0, -1
        while low < n:
            high = low + 1
            while high < n and x[rank[high]] == x[rank[low]]:
                high += 1
            bin_ = n_bins * (low + high) // (2 * n)
            for i in range(low, high):
                starts_interval[i] = 0
            if low > 0 and bin_ > last:
                starts_interval[low] = 1
            low, last = high, bin_
        n_codes[f] = write_codes(starts_interval, rank, n, codes[f])


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


@kernel(steps=lambda values, *_: 8 * values.size)
def mdl_codes(values, order, classes, n_classes, table, unit, shift, codes, n_codes):
    """Cut every feature, and its parts again, where the MDL criterion accepts the best cut."""
    p, m = values.shape
    x, labels = np.empty(m, values.dtype), np.empty(m, np.int64)
    starts_interval = np.empty(m, np.int64)
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    lows, highs = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    for f in range(p):
        n = n_present(values[f], order[f])
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
