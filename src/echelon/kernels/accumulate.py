"""What the neighbours found say: places shared at ties, and differences summed by feature."""

import numpy as np

from echelon.kernels._jit import kernel


@kernel
def share_places(counts, distances, rows, places, tolerance, by_index):
    """Weight of every neighbour when each target has so many places to give.

    Neighbours nearer than the last place get a whole one.  Those tied with it (within the
    tolerance) share the places left, or, ``by_index``, the lowest rows take them.
    """
    shares = np.zeros(distances.shape[0], np.float64)
    end = 0
    for t in range(counts.shape[0]):
        start, end = end, end + counts[t]
        if places[t] >= counts[t]:
            shares[start:end] = 1.0
            continue
        if places[t] == 0:
            continue
        last = np.sort(distances[start:end])[places[t] - 1]
        nearer = 0
        tied = 0
        for c in range(start, end):
            if distances[c] * tolerance < last:
                shares[c] = 1.0
                nearer += 1
            elif distances[c] <= last * tolerance:
                tied += 1
        left = places[t] - nearer
        highest = rows.max()
        if by_index:
            at_last = np.empty(tied, np.int64)
            n = 0
            for c in range(start, end):
                if last <= distances[c] * tolerance and distances[c] <= last * tolerance:
                    at_last[n] = rows[c]
                    n += 1
            highest = np.sort(at_last)[left - 1]
        for c in range(start, end):
            if last <= distances[c] * tolerance and distances[c] <= last * tolerance:
                shares[c] = (1.0 if rows[c] <= highest else 0.0) if by_index else left / tied
    return shares


@kernel
def add_differences(values, n_ordered, n_numeric, pairs, coefs, direction, scores):
    """Add ``coef_i * mean_j diff_f(x_i, x_j)`` to ``scores[f]`` for every target i.

    The mean is weighted by the shares and leaves out pairs in which f is missing.  With a
    direction (+1: references should be larger, -1: smaller) the difference in an ordered
    column is signed; otherwise, and in other columns, it is absolute, 0/1 if nominal.
    """
    targets, counts, indices, shares = pairs
    n_features = values.shape[1]
    n_signed = n_ordered if direction != 0 else 0
    total = np.empty(n_features, np.float64)
    weight = np.empty(n_features, np.float64)
    end = 0
    for t in range(targets.shape[0]):
        start, end = end, end + counts[t]
        a = values[targets[t]]
        total[:] = 0.0
        weight[:] = 0.0
        for c in range(start, end):
            b = values[indices[c]]
            share = shares[c]
            for f in range(n_features):
                gap = np.float64(b[f]) - np.float64(a[f])
                there = gap == gap
                if f >= n_numeric:
                    gap = 1.0 if gap != 0 else 0.0
                gap = direction * gap if f < n_signed else abs(gap)
                total[f] += share * gap if there else 0.0
                weight[f] += share if there else 0.0
        for f in range(n_features):
            if weight[f] > 0.0:
                scores[f] += coefs[t] * total[f] / weight[f]
