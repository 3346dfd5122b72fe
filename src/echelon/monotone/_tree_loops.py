"""The compiled loops of trees: the best split of a node, growing, reading, and pruning.

``codes`` are features by samples: 0, 1, ... in the order of the values (or of the categories);
``n_levels[f]`` stands for a missing value, which so comes last.  ``order`` sorts every feature;
a node is the same range of all its rows.  Class counts are sums of weights, exact for whole ones.
"""

from heapq import heappop, heappush

import numpy as np

from echelon.kernels import kernel

RANKING, ORDINAL_GINI, RANK_INFORMATION, GINI = range(4)

TIE = 1e-10
"""Gains that differ by less than this share of the impurity are equal; the first one counts."""

CLOSE = 2.0**30
"""Mean class codes of categories are equal if they agree to this many parts of a class."""

FEATURE, LEFT, RIGHT, LOW, HIGH, TO_LEFT, SUBSET = range(7)
"""Columns of a node: its feature (-1: a leaf), its children, the codes on both sides of the cut
(-1: none), whether missing values go left, where its categories begin in ``subsets``."""


# ----------------------------------------------------------------------------------------- splits


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


# ---------------------------------------------------------------------------- growing and reading


@kernel
def grow(order, codes, nominal, n_levels, y, weights, k, criterion, max_depth, least_split, least):
    """Split nodes until nothing is left to split, depth first, left before right.

    ``order`` is changed: every node becomes one range of it.  Returns the nodes, their gains, the
    categories that go left (1) or right (0) in splits of nominal features, and the leaf of every
    sample.
    """
    p, n = order.shape
    nodes, gains, n_nodes = np.full((2 * n, 7), -1), np.zeros(2 * n), 0
    subsets, n_subsets = np.empty(64, np.int8), 0
    leaf_of, goes_left, kept = np.empty(n, np.int64), np.empty(n, np.bool_), np.empty(n, np.int32)
    counts, best, stack = np.empty(k), np.empty(4), [(0, n, 0, -1)]
    while len(stack) > 0:
        start, end, depth, parent = stack.pop()
        rows, node = order[:, start:end], n_nodes
        n_nodes += 1
        if parent >= 0:
            nodes[parent, RIGHT if nodes[parent, LEFT] >= 0 else LEFT] = node
        total, feature, to_left = count(rows[0], y, weights, counts), -1, False
        if depth < max_depth and total >= least_split and (counts > 0).sum() > 1:
            feature, to_left = best_split(
                rows, codes, nominal, n_levels, y, weights, counts, total, criterion, least, best
            )
        if feature < 0:
            leaf_of[rows[0]] = node
            continue
        nodes[node, FEATURE], gains[node] = feature, best[0]
        if nominal[feature]:
            nodes[node, SUBSET] = n_subsets
            n_subsets += n_levels[feature]
            subsets = with_room(subsets, n_subsets)
        else:
            nodes[node, LOW], nodes[node, HIGH] = best[2], best[3]
        n_left, nodes[node, TO_LEFT] = divide(
            rows[feature], codes[feature], nominal[feature], n_levels[feature], y, weights,
            k, np.int64(best[1]), to_left, subsets[nodes[node, SUBSET] : n_subsets], goes_left,
        )  # fmt: skip
        for f in range(p):
            partition(rows[f], goes_left, kept)
        stack.append((start + n_left, end, depth + 1, node))
        stack.append((start, start + n_left, depth + 1, node))
    return nodes[:n_nodes].copy(), gains[:n_nodes].copy(), subsets[:n_subsets].copy(), leaf_of


@kernel
def with_room(subsets, size):
    """An array of at least that size that begins with the values given."""
    if size <= subsets.shape[0]:
        return subsets
    longer = np.empty(2 * size, np.int8)
    longer[: subsets.shape[0]] = subsets
    return longer


@kernel
def count(rows, y, weights, counts):
    """Weight of every class, and of all."""
    counts[:] = 0.0
    for i in range(rows.shape[0]):
        counts[y[rows[i]]] += weights[rows[i]]
    return counts.sum()


@kernel
def divide(rows, codes, nominal, missing, y, weights, k, cut, to_left, subset, goes_left):
    """Mark the samples that go left; returns their number, and where missing values go.

    Where none is missing that is the side with more weight, the right one of two equal ones;
    categories that the node lacks go there, too.
    """
    present = rows.shape[0]
    while codes[rows[present - 1]] == missing:
        present -= 1
    for i in range(rows.shape[0]):
        goes_left[rows[i]] = i < cut if i < present else to_left
    if nominal:
        _, names, ranked = categories(rows[:present], codes, y, weights, k)
        subset[:] = -1
        for place in range(ranked.shape[0]):
            subset[names[ranked[place]]] = place < cut
        for i in range(present):
            goes_left[rows[i]] = subset[codes[rows[i]]] == 1
    n_left, difference = 0, 0.0
    for i in range(rows.shape[0]):
        n_left += goes_left[rows[i]]
        difference += weights[rows[i]] if goes_left[rows[i]] else -weights[rows[i]]
    if present == rows.shape[0]:
        to_left = difference > 0
    if nominal:
        for code in range(subset.shape[0]):
            if subset[code] < 0:
                subset[code] = to_left
    return n_left, to_left


@kernel
def partition(rows, goes_left, kept):
    """Bring the samples that go left to the front, both sides in their order."""
    n_left, n_right = 0, 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if goes_left[row]:
            rows[n_left] = row
            n_left += 1
        else:
            kept[n_right] = row
            n_right += 1
    rows[n_left:] = kept[:n_right]


@kernel
def leaves_of(values, nodes, thresholds, subsets, out):
    """The leaf of every sample: a row of values, codes of categories, NaN where missing."""
    for i in range(values.shape[0]):
        node = 0
        while nodes[node, FEATURE] >= 0:
            value = values[i, nodes[node, FEATURE]]
            if np.isnan(value):
                left = nodes[node, TO_LEFT] == 1
            elif nodes[node, SUBSET] >= 0:
                left = subsets[nodes[node, SUBSET] + np.int64(value)] == 1
            else:
                left = value <= thresholds[node]
            node = nodes[node, LEFT] if left else nodes[node, RIGHT]
        out[i] = node


# ---------------------------------------------------------------------------------------- pruning


@kernel
def weakest_links(left, right, costs, alphas):
    """The cost of a leaf from which every node is a leaf; that of leaves is minus infinity.

    A node is worth its branch as long as ``(cost - cost of the branch) / (leaves - 1)`` is larger
    than the price of a leaf [Breiman et al. 1984]; the weakest is cut first, and its ancestors
    then are weighed again.
    """
    n = left.shape[0]
    parent, leaves = np.full(n, -1), np.ones(n)
    branch, version = costs.copy(), np.zeros(n, np.int64)
    alphas[:] = -np.inf
    heap = [(0.0, np.int64(0), np.int64(0))]
    heap.pop()
    for node in range(n - 1, -1, -1):  # children come after their parents
        if left[node] >= 0:
            parent[left[node]] = parent[right[node]] = node
            leaves[node] = leaves[left[node]] + leaves[right[node]]
            branch[node] = branch[left[node]] + branch[right[node]]
            weakness = (costs[node] - branch[node]) / (leaves[node] - 1)
            heappush(heap, (weakness, np.int64(node), np.int64(0)))
    price = 0.0
    while len(heap) > 0:
        weakness, node, made = heappop(heap)
        if made != version[node] or alphas[node] > -np.inf:
            continue
        price = max(price, weakness)
        cut(node, left, right, version, alphas, price)
        fewer, more = leaves[node] - 1, costs[node] - branch[node]
        above = parent[node]
        while above >= 0:
            leaves[above] -= fewer
            branch[above] += more
            version[above] += 1
            weakness = (costs[above] - branch[above]) / (leaves[above] - 1)
            heappush(heap, (weakness, np.int64(above), version[above]))
            above = parent[above]


@kernel
def cut(node, left, right, version, alphas, price):
    """Make a node a leaf: nodes below it that were not yet, no longer count."""
    below = [node]
    while len(below) > 0:
        each = below.pop()
        if left[each] >= 0 and alphas[each] == -np.inf:
            alphas[each] = price
            below.append(left[each])
            below.append(right[each])


@kernel
def held_out_losses(leaves, y, weights, parent, alphas, losses, candidates, out):
    """Add the loss of samples at every candidate price of a leaf.

    ``losses`` are nodes by classes.  A sample is in the highest of the nodes on its path that is
    a leaf at that price.  ``out`` has one entry more than ``candidates``, which rise; it gets the
    differences from one to the next.
    """
    for i in range(leaves.shape[0]):
        node = leaves[i]
        first = 0
        while node >= 0:
            last = (
                np.searchsorted(candidates, alphas[parent[node]])
                if parent[node] >= 0
                else (candidates.shape[0])
            )
            if last > first:
                out[first] += weights[i] * losses[node, y[i]]
                out[last] -= weights[i] * losses[node, y[i]]
                first = last
            node = parent[node]
