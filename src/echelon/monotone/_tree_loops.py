"""Growing a tree, and finding the leaf of a sample."""

import numpy as np

from echelon.kernels import kernel
from echelon.monotone._split_loops import best_split, categories

FEATURE, LEFT, RIGHT, LOW, HIGH, TO_LEFT, SUBSET = range(7)
"""Columns of a node: its feature (-1: a leaf), its children, the codes on both sides of the cut
(-1: none), whether missing values go left, where its categories begin in ``subsets``."""


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
