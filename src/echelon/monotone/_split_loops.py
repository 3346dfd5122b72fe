"""The best split of a node: every cut of every feature, by one of four criteria.

``codes`` are features by samples: 0, 1, ... in the order of the values (or of the categories);
``n_levels[f]`` stands for a missing value, which so comes last.  ``order`` sorts every feature;
a node is the same range of all its rows.  Class counts are sums of weights, exact for whole ones.
"""

import numpy as np

from echelon.kernels import kernel

RANKING, ORDINAL_GINI, RANK_INFORMATION, GINI = range(4)

TIE = 1e-10
"""Gains that differ by less than this share of the impurity are equal; the first one counts."""

CLOSE = 2.0**30
"""Mean class codes of categories are equal if they agree to this many parts of a class."""


@kernel
def impurity(criterion, counts, total):
    """What gains are measured against; for rank information, which has none, the weight."""
    if criterion == RANK_INFORMATION:
        return total
    below, found = 0.0, 0.0
    for q in range(counts.shape[0]):
        below = counts[q] if criterion == GINI else below + counts[q]
        found += below * (total - below)
    return found if criterion == RANKING else found / total


@kernel
def gain(criterion, left, n_left, counts, total):
    """What a split gains, given the class counts on the left and in the node.

    Written so that nothing cancels: pairs that are parted, or squared differences of shares.
    """
    n_right = total - n_left
    if criterion == RANK_INFORMATION:
        return rank_information(left, n_right, counts, total)
    found, low, high = 0.0, 0.0, 0.0
    for q in range(counts.shape[0]):
        if criterion == GINI:
            low, high = left[q], counts[q] - left[q]
        else:
            low, high = low + left[q], high + counts[q] - left[q]
        if criterion == RANKING:
            found += low * (n_right - high) + high * (n_left - low)
        else:
            found += (low / n_left - high / n_right) ** 2
    return found if criterion == RANKING else found * n_left * n_right / total


@kernel
def rank_information(left, n_right, counts, total):
    """Rank mutual information of the classes and "right is above left", times the weight.

    Whatever is on the left has all samples at or above it, so its logarithms are 0.
    """
    found, at_least, right_at_least = 0.0, 0.0, 0.0
    for q in range(counts.shape[0] - 1, -1, -1):
        right = counts[q] - left[q]
        at_least += counts[q]
        right_at_least += right
        if right > 0:
            found += right * np.log((right_at_least / n_right) * (total / at_least))
    return found


@kernel
def best_split(rows, codes, nominal, n_levels, y, weights, counts, total, criterion, least, best):
    """The split with the largest gain among those with enough weight on both sides.

    ``rows`` are those of the node: features by samples, sorted by each feature.  ``best`` gets
    the gain, the number of samples (numbers) or of runs (categories) on the left and the codes on
    both sides of the cut.  Returns the feature and whether missing values go left; -1: no split.
    """
    k, m = counts.shape[0], rows.shape[1]
    slack = TIE * impurity(criterion, counts, total)
    best[0] = 0.0 if criterion == RANK_INFORMATION else -1.0
    feature, to_left = -1, False
    left, missing = np.empty(k), np.empty(k)
    for f in range(rows.shape[0]):
        present = m
        missing[:] = 0.0
        while present > 0 and codes[f, rows[f, present - 1]] == n_levels[f]:
            present -= 1
            missing[y[rows[f, present]]] += weights[rows[f, present]]
        if present == 0 or (present == m and codes[f, rows[f, 0]] == codes[f, rows[f, m - 1]]):
            continue
        for direction in range(1 if present == m else 2):
            left[:] = missing
            left *= direction
            if nominal[f]:
                better = cut_categories(
                    rows[f, :present], codes[f], y, weights, left, counts, total, criterion,
                    least, slack, present < m, best,
                )  # fmt: skip
            else:
                better = cut_numbers(
                    rows[f, :present], codes[f], y, weights, left, counts, total, criterion,
                    least, slack, present < m, best,
                )  # fmt: skip
            if better:
                feature, to_left = f, direction == 1
    return feature, to_left


@kernel
def improves(left, n_left, counts, total, criterion, least, slack, best):
    """Whether a split is better than the best so far, which it then becomes."""
    if n_left <= 0 or total - n_left <= 0 or min(n_left, total - n_left) < least:
        return False
    found = gain(criterion, left, n_left, counts, total)
    if found > best[0] + slack:
        best[0] = found
        return True
    return False


@kernel
def cut_numbers(rows, codes, y, weights, left, counts, total, criterion, least, slack, gaps, best):
    """Cuts between different values; where some are missing, also all of those against them.

    ``left`` holds the missing values if they go there.
    """
    n, n_left, found = rows.shape[0], left.sum(), False
    stop = n if gaps and n_left == 0 else n - 1
    if n_left > 0 and improves(left, n_left, counts, total, criterion, least, slack, best):
        best[1], best[2], best[3], found = 0, -1, codes[rows[0]], True
    for i in range(stop):
        row = rows[i]
        left[y[row]] += weights[row]
        n_left += weights[row]
        code, above = codes[row], codes[rows[i + 1]] if i + 1 < n else -1
        if code != above and improves(left, n_left, counts, total, criterion, least, slack, best):
            best[1], best[2], best[3], found = i + 1, code, above, True
    return found


@kernel
def cut_categories(
    rows, codes, y, weights, left, counts, total, criterion, least, slack, gaps, best
):
    """Cuts between categories in the order of their mean classes, likewise."""
    tables, _, order = categories(rows, codes, y, weights, counts.shape[0])
    n, n_left, found = order.shape[0], left.sum(), False
    stop = n if gaps and n_left == 0 else n - 1
    if n_left > 0 and improves(left, n_left, counts, total, criterion, least, slack, best):
        best[1], found = 0, True
    for place in range(stop):
        for q in range(left.shape[0]):
            left[q] += tables[order[place], q]
            n_left += tables[order[place], q]
        if improves(left, n_left, counts, total, criterion, least, slack, best):
            best[1], found = place + 1, True
    return found


@kernel
def categories(rows, codes, y, weights, k):
    """Class counts and codes of the categories of a node, and their order by mean class."""
    n = rows.shape[0]
    runs = 1
    for i in range(1, n):
        runs += codes[rows[i]] != codes[rows[i - 1]]
    tables, names, means = np.zeros((runs, k)), np.empty(runs, np.int64), np.empty(runs)
    run = -1
    for i in range(n):
        row = rows[i]
        if i == 0 or codes[row] != codes[rows[i - 1]]:
            run += 1
            names[run] = codes[row]
        tables[run, y[row]] += weights[row]
    for run in range(runs):
        mean, mass = 0.0, 0.0
        for q in range(k):
            mean += q * tables[run, q]
            mass += tables[run, q]
        means[run] = np.rint(CLOSE * (mean / mass))
    return tables, names, np.argsort(means, kind="mergesort")
