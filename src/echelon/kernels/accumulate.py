"""What the neighbours found say: places shared at ties, and differences summed by feature."""

import numpy as np

from echelon.kernels import kernel


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
def share_places(counts, distances, rows, places, tolerance, by_index):
    """Weight of every neighbour when each query has so many places to give.

    Neighbours nearer than the last place get a whole one.  Those tied with it (within the
    tolerance) share the places left, or, ``by_index``, the lowest rows take them.
    """
    shares = np.ones(distances.shape[0], np.float64)
    end = 0
    for t in range(counts.shape[0]):
        start, end = end, end + counts[t]
        if places[t] < counts[t]:
            _share(distances[start:end], rows[start:end], places[t], tolerance, by_index,
                   shares[start:end])  # fmt: skip
    return shares


@kernel
def _share(distances, rows, places, tolerance, by_index, shares):
    """Shares of the neighbours of one query, more than it has places."""
    shares[:] = 0.0
    if places == 0:
        return
    last = kth_smallest(distances.copy(), places)
    tied_rows = np.empty(distances.shape[0], np.int64)
    n_nearer = 0
    n_tied = 0
    for c in range(distances.shape[0]):
        if distances[c] * tolerance < last:
            shares[c] = 1.0
            n_nearer += 1
        elif distances[c] <= last * tolerance:
            tied_rows[n_tied] = rows[c]
            n_tied += 1
    left = places - n_nearer
    highest = kth_smallest(tied_rows[:n_tied], left)
    for c in range(distances.shape[0]):
        if distances[c] * tolerance >= last and distances[c] <= last * tolerance:
            if not by_index:
                shares[c] = left / n_tied
            elif rows[c] <= highest:
                shares[c] = 1.0


@kernel
def within_kth(counts, distances, k, tolerance):
    """Which neighbours are as near to their query as its k-th nearest, ties included."""
    near = np.ones(distances.shape[0], np.bool_)
    end = 0
    for t in range(counts.shape[0]):
        start, end = end, end + counts[t]
        if counts[t] > k:
            limit = kth_smallest(distances[start:end].copy(), k) * tolerance
            near[start:end] = distances[start:end] <= limit
    return near


@kernel
def add_differences(values, n_ordered, n_numeric, missing, paired, pairs, coefs, direction, scores):
    """Add ``coef_i * mean_j diff_f(x_i, x_j)`` to ``scores[f]`` for every query i.

    The mean is weighted by the shares and leaves out pairs in which f is missing.  With a
    direction (+1: references should be larger, -1: smaller) the difference in an ordered
    column is signed; otherwise, and in other columns, it is absolute, 0/1 if nominal.  If
    ``paired``, columns 2f and 2f + 1 differ by one norm, which is added to the first of them.
    """
    queries, counts, indices, shares = pairs
    weight = np.empty(values.shape[1], np.float64)
    total = np.empty(values.shape[1], np.float64)
    form = (n_ordered, n_numeric, missing, paired, direction)
    end = 0
    for t in range(queries.shape[0]):
        start, end = end, end + counts[t]
        total[:] = 0.0
        weight[:] = 0.0
        _add_query(values, queries[t], indices[start:end], shares[start:end], form, total, weight)
        for f in range(values.shape[1]):
            w = weight[f if missing or paired else 0]
            if w > 0.0:
                scores[f] += coefs[t] * total[f] / w


@kernel
def sum_differences(
    values, n_ordered, n_numeric, missing, paired, pairs, direction, totals, weights
):
    """Differences added up, and the shares they stand for.

    Where a query's neighbours come in several parts, both are added before one is divided by the
    other.
    """
    queries, counts, indices, shares = pairs
    form = (n_ordered, n_numeric, missing, paired, direction)
    end = 0
    for t in range(queries.shape[0]):
        start, end = end, end + counts[t]
        nearby, share = indices[start:end], shares[start:end]
        _add_query(values, queries[t], nearby, share, form, totals[t], weights[t])


@kernel
def _add_query(values, query, indices, shares, form, total, weight):
    """Add the differences of one query to its neighbours, and their shares.

    Complete rows need one weight, the first.
    """
    n_ordered, n_numeric, missing, paired, direction = form
    n_signed = n_ordered if direction != 0 else 0
    if not (paired or missing):
        _add_complete(values, query, indices, shares, n_signed, n_numeric, direction, total)
        weight[0] += shares.sum()
        return
    a = values[query]
    for c in range(indices.shape[0]):
        b = values[indices[c]]
        if paired:
            _add_norms(a, b, shares[c], total, weight)
        else:
            _add_partial(a, b, n_signed, n_numeric, direction, shares[c], total, weight)


@kernel
def _add_complete(values, query, indices, shares, n_signed, n_numeric, direction, total):
    # Slices, since an index that counts from a variable may be negative and costs SIMD; most are
    # made once, since each counts references.
    signed, absolute, nominal = total[:n_signed], total[n_signed:n_numeric], total[n_numeric:]
    a = values[query]
    numbers, labels = a[n_signed:n_numeric], a[n_numeric:]
    for c in range(indices.shape[0]):
        b, share = values[indices[c]], shares[c]
        for f in range(signed.shape[0]):
            signed[f] += share * direction * (np.float64(b[f]) - np.float64(a[f]))
        y = b[n_signed:n_numeric]
        for f in range(absolute.shape[0]):
            absolute[f] += share * abs(np.float64(y[f]) - np.float64(numbers[f]))
        y = b[n_numeric:]
        for f in range(nominal.shape[0]):
            nominal[f] += share * (labels[f] != y[f])


@kernel
def _add_partial(a, b, n_signed, n_numeric, direction, share, total, weight):
    """Differences over the features both rows have."""
    for f in range(a.shape[0]):
        gap = np.float64(b[f]) - np.float64(a[f])
        there = gap == gap
        if f < n_signed:
            gap = direction * gap
        elif f < n_numeric:
            gap = abs(gap)
        else:
            gap = 1.0 if gap != 0 else 0.0
        total[f] += share * gap if there else 0.0
        weight[f] += share if there else 0.0


@kernel
def _add_norms(a, b, share, total, weight):
    """Norms of pairs of differences over the pairs both rows have."""
    for f in range(0, a.shape[0], 2):
        first = np.float64(b[f]) - np.float64(a[f])
        second = np.float64(b[f + 1]) - np.float64(a[f + 1])
        norm = np.sqrt(first * first + second * second)
        there = norm == norm
        total[f] += share * norm if there else 0.0
        weight[f] += share if there else 0.0
