"""Weakest links: at which cost of a leaf every node is cut back, and what that loses elsewhere."""

from heapq import heappop, heappush

import numpy as np

from echelon.kernels import kernel


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
