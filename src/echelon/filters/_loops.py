"""Compiled loops of the filters; a table is features by samples.

Rank statistics of weighted samples are summed for all features at once.  ``order`` sorts every
row, missing values (NaN) last.  ``codes`` are the values of the other variable as 0, 1, ..., which
may or may not have an order; samples with a negative code are missing there, and do not count.
``weights`` holds how many rows every sample stands for.  Sums of whole weights are exact.

Loops over labels count within groups of samples, which lie next to each other: group g holds
``samples[starts[g]:starts[g + 1]]``.  ``table`` holds c log2(c) of every count c as integers, so
that equal entropies are equal numbers.  Counting is linear in the samples, whatever the
number of categories and groups.  What a search calls many times, on some features or samples each,
is compiled or not by the size of the whole table.

Componentwise boosting adds one feature per round, by its shrunken bin means: ``bins`` are numbered
from 0; ``residual`` is outputs by samples.  The bin means of a feature are a linear map of the
residuals that makes no vector longer, so the square root of its gain changes by no more than the
residuals do (with a direction: by no more than sqrt(2) times that).  A feature whose gain, at the
last look and with all changes since, cannot reach the best of the round is not looked at.
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


@kernel
def joint_sums(codes, n_codes, features, groups, samples, starts, table):
    """The sum of table[count] over the cells (group, label), for some categorical columns.

    ``groups`` holds the group of every sample, ``n_codes`` the number of categories of every
    column. With ``table[c]`` = c log2(c) this is all a joint entropy needs.  The table holds
    integers: their sum does not depend on the order of cells, so a column and its relabelled copy
    agree.
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


TIE = 1e-9
"""Gains that differ by less than this share are equal: copies of a feature, but for rounding."""


@kernel
def boost(bins, n_bins, ordered, directions, residual, weights, rate, shrinkage, features, curves):
    """Lower the squared error of weighted samples round by round.

    ``residual`` is changed in place.  Round t takes ``features[t]`` and moves by
    ``curves[t, output, bin]``.  Returns the number of rounds, fewer if nothing is left to gain.
    The means of the first ``ordered`` bins of a feature rise or fall if it has a direction.
    """
    p, n, k, most = bins.shape[0], bins.shape[1], residual.shape[0], curves.shape[2]
    weighted, fit, sizes = np.empty((k, n)), np.empty((k, most)), np.empty(most)
    bounds, promising, moved, least = np.empty(p), 0, 0.0, 0.0
    bounds[:] = np.inf
    for t in range(features.shape[0]):
        total = 0.0
        for j in range(k):
            for i in range(n):
                weighted[j, i] = weights[i] * residual[j, i]
                total += weighted[j, i] * residual[j, i]
        least = 1e-12 * total if t == 0 else least
        best, best_gain = -1, least
        for look in range(-1, p):
            # First the one that was best, so that most others need no look.
            f = promising if look < 0 else look
            reach = moved if directions[f] == 0 else 1.4142136 * moved
            if (bounds[f] + reach) ** 2 < best_gain * (1 - 2 * TIE):
                continue
            gain = fit_bins(
                bins[f], n_bins[f], weighted, weights, ordered[f], directions[f], shrinkage,
                sizes, fit,
            )  # fmt: skip
            bounds[f] = np.sqrt(gain) - reach
            if gain > best_gain * (1 + TIE) or (f < best and gain > best_gain * (1 - TIE)):
                best, best_gain = f, gain
                for j in range(k):
                    for b in range(n_bins[f]):
                        curves[t, j, b] = fit[j, b]
        if best < 0:
            return t
        features[t] = best
        step = 0.0
        promising = best
        for j in range(k):
            for i in range(n):
                change = rate * curves[t, j, bins[best, i]]
                residual[j, i] -= change
                step += weights[i] * change**2
        moved += np.sqrt(step)
    return features.shape[0]


@kernel
def fit_bins(bins, n_bins, weighted, weights, ordered, direction, shrinkage, sizes, fit):
    """Bin means of one feature by ridge regression, and what they lower the squared error by."""
    gain = 0.0
    sizes[:n_bins] = 0
    for i in range(bins.shape[0]):
        sizes[bins[i]] += weights[i]
    for j in range(fit.shape[0]):
        sums = fit[j]
        sums[:n_bins] = 0
        for i in range(bins.shape[0]):
            sums[bins[i]] += weighted[j, i]
        if direction != 0:
            gain += pool(sums, sizes, ordered, direction, shrinkage)
        for b in range(ordered if direction != 0 else 0, n_bins):
            mean = sums[b] / (sizes[b] + shrinkage)
            gain += mean * (2 * sums[b] - sizes[b] * mean)
            sums[b] = mean
    return gain


@kernel
def pool(sums, sizes, ordered, direction, shrinkage):
    """Sums of ordered bins become means that rise or fall; returns what they gain.

    Adjacent violators are pooled: the same ridge regression, under that condition.
    """
    start, total, weight = np.empty(ordered, np.int64), np.empty(ordered), np.empty(ordered)
    last = -1
    for b in range(ordered):
        last += 1
        start[last], total[last], weight[last] = b, sums[b], sizes[b] + shrinkage
        while (
            last > 0
            and direction * (total[last - 1] * weight[last] - total[last] * weight[last - 1]) > 0
        ):
            last -= 1
            total[last] += total[last + 1]
            weight[last] += weight[last + 1]
    gain, end = 0.0, ordered
    for group in range(last, -1, -1):
        mean = total[group] / weight[group]
        for b in range(start[group], end):
            gain += mean * (2 * sums[b] - sizes[b] * mean)
            sums[b] = mean
        end = start[group]
    return gain
