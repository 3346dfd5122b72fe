"""Compiled loops over orders: which feature comes before which, and orders under removals.

Samples are rows of integer codes that order the features within the row.  A value of unknown order
is below every other in ``low`` and above every other in ``high``, so that no comparison with it
holds; without such values both are the same array.  Rows are sorted by class: class c has rows
``starts[c]`` up to ``starts[c + 1]``.
"""

import numpy as np

from echelon.kernels import kernel

_TILE = 2048

_A, _B, _C = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # fmt: skip  # noqa: E501
_ONE, _S30, _S27, _S31 = np.uint64(1), np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def _count(low, high, first, last, i, j0, j1, before, after):
    """Rows in which feature i comes before, and after, each of the features j0, ..., j1 - 1."""
    width = j1 - j0
    for j in range(width):
        before[j] = 0
        after[j] = 0
    for r in range(first, last):
        code = low[r, i]
        if code < 0:
            continue
        above, below = low[r, j0:j1], high[r, j0:j1]
        for j in range(width):
            before[j] += above[j] > code
            after[j] += below[j] < code


@kernel
def spoiler_terms(low, high, starts, first, out):
    """Terms C[i, j] C[j, i] of the spoiler counts, summed over classes, for a block of features i.

    ``out`` has a row for each of the features first, first + 1, ...
    """
    n = low.shape[1]
    before, after = np.empty(_TILE, low.dtype), np.empty(_TILE, low.dtype)
    for row in range(out.shape[0]):
        out[row] = 0
        for j0 in range(0, n, _TILE):
            j1 = min(n, j0 + _TILE)
            for c in range(starts.shape[0] - 1):
                _count(low, high, starts[c], starts[c + 1], first + row, j0, j1, before, after)
                for j in range(j1 - j0):
                    out[row, j0 + j] += np.int64(before[j]) * np.int64(after[j])


@kernel
def precedence_margins(low, high, starts, first, out):
    """C[i, j] - C[j, i] of every class, for a block of features i; ``out``: class, i, j."""
    n = low.shape[1]
    before, after = np.empty(_TILE, low.dtype), np.empty(_TILE, low.dtype)
    for row in range(out.shape[1]):
        for j0 in range(0, n, _TILE):
            j1 = min(n, j0 + _TILE)
            for c in range(out.shape[0]):
                _count(low, high, starts[c], starts[c + 1], first + row, j0, j1, before, after)
                for j in range(j1 - j0):
                    out[c, row, j0 + j] = before[j] - after[j]


@kernel
def pair_surprises(low, high, starts, k, logs, out):
    """n_samples times the entropy of the class given the order of k and each other feature.

    ``logs[c] = c log c``.  The order is one of: before, after, tied, unknown.
    """
    n = low.shape[1]
    before, after = np.empty(_TILE, low.dtype), np.empty(_TILE, low.dtype)
    known = np.empty(_TILE, low.dtype)
    sizes = np.empty((_TILE, 4), np.int64)
    for j0 in range(0, n, _TILE):
        j1 = min(n, j0 + _TILE)
        out[j0:j1] = 0.0
        sizes[:] = 0
        for c in range(starts.shape[0] - 1):
            first, last = starts[c], starts[c + 1]
            _count(low, high, first, last, k, j0, j1, before, after)
            known[:] = 0
            for r in range(first, last):
                if low[r, k] >= 0:
                    here = low[r, j0:j1]
                    for j in range(j1 - j0):
                        known[j] += here[j] >= 0
            for j in range(j1 - j0):
                tied = np.int64(known[j]) - before[j] - after[j]
                unknown = last - first - np.int64(known[j])
                out[j0 + j] -= logs[before[j]] + logs[after[j]] + logs[tied] + logs[unknown]
                sizes[j, 0] += before[j]
                sizes[j, 1] += after[j]
                sizes[j, 2] += tied
                sizes[j, 3] += unknown
        for j in range(j1 - j0):
            for kind in range(4):
                out[j0 + j] += logs[sizes[j, kind]]


@kernel
def log_likelihoods(low, counts, logs, totals, out):
    """Log likelihood of every sample's orders under naive Bayes, by class.

    ``counts`` (class, i, j) are doubled, a tie is one; ``logs[t]`` is the log of a count t with its
    prior, ``totals[t]`` that of a total.  A tie is half of either order; an unknown order is
    left out.
    """
    n = low.shape[1]
    for r in range(low.shape[0]):
        for c in range(counts.shape[0]):
            total = 0.0
            for i in range(n):
                code = low[r, i]
                if code < 0:
                    continue
                for j in range(i + 1, n):
                    other = low[r, j]
                    if other < 0:
                        continue
                    ahead, behind = counts[c, i, j], counts[c, j, i]
                    if code < other:
                        total += logs[ahead]
                    elif code > other:
                        total += logs[behind]
                    else:
                        total += 0.5 * (logs[ahead] + logs[behind])
                    total -= totals[np.int64(ahead) + np.int64(behind)]
            out[r, c] = total


@kernel
def kendall(low, centers, out):
    """Pairs that a sample and a center order oppositely, half of one for a tie in one only."""
    n = low.shape[1]
    for r in range(low.shape[0]):
        for c in range(centers.shape[0]):
            doubled = np.int64(0)
            for i in range(n):
                code, rank = low[r, i], centers[c, i]
                if code < 0 or rank < 0:
                    continue
                for j in range(i):
                    other, second = low[r, j], centers[c, j]
                    if other < 0 or second < 0:
                        continue
                    sign = np.int64(code > other) - np.int64(code < other)
                    doubled += abs(sign - np.int64(rank > second) + np.int64(rank < second))
            out[r, c] = 0.5 * doubled


# --------------------------------------------------------------------------------- removals
#
# The order of a sample is a chain of its known features, tied ones by index, with a flag where a
# feature ties with the one before it.  Its hash is the sum, modulo 2**64, of one random number for
# each link of the chain and for each unknown feature: two samples have the same order exactly if
# these sets are the same.  Removing a feature replaces two links by one.
#
# ``before``, ``after`` and ``tied`` have a row per feature and a column per sample; index n is the
# end of the chain on both sides, and marks a feature that is unknown.


@kernel
def _mix(z):
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> _S30)) * _B
    z = (z ^ (z >> _S27)) * _C
    return z ^ (z >> _S31)


@kernel
def _link(i, j, tied):
    """The number of the link from feature i to feature j."""
    first = _mix((np.uint64(i) + _ONE) * _A)
    return _mix(first + (np.uint64(2) * np.uint64(j) + np.uint64(tied) + _ONE) * _A)


@kernel
def _gap(i):
    """The number of an unknown feature."""
    return _mix(_mix((np.uint64(i) + _ONE) * _C) + _B)


@kernel
def chain(codes, order, before, after, tied, hashes, known):
    """Chain the features of every sample.

    ``order`` sorts every row of codes, unknown ones (below 0) included.
    """
    m, n = codes.shape
    for r in range(m):
        last, total = n, np.uint64(0)
        known[r] = 0
        for p in range(n):
            i = order[r, p]
            if codes[r, i] < 0:
                before[i, r] = n + 1
                total += _gap(i)
                continue
            known[r] += 1
            before[i, r] = last
            after[last, r] = i
            tied[i, r] = last < n and codes[r, last] == codes[r, i]
            total += _link(last, i, tied[i, r])
            last = i
        after[last, r] = n
        before[n, r] = last
        tied[n, r] = False
        hashes[r] = total + _link(last, n, False)


@kernel
def _change(before, after, tied, k, r):
    """What removing feature k adds to the hash of sample r."""
    n = before.shape[0] - 1
    a = before[k, r]
    if a > n:
        return np.uint64(0) - _gap(k)
    b = after[k, r]
    joined = tied[k, r] and tied[b, r]
    return _link(a, b, joined) - _link(a, k, tied[k, r]) - _link(k, b, tied[b, r])


@kernel
def all_changes(before, after, tied, changes):
    """What removing each feature would add to the hash of each sample."""
    for k in range(changes.shape[0]):
        for r in range(changes.shape[1]):
            changes[k, r] = _change(before, after, tied, k, r)


@kernel
def cut(before, after, tied, k, hashes, known, changes):
    """Remove feature k; ``changes`` is kept up to date if it has rows."""
    n = before.shape[0] - 1
    for r in range(hashes.shape[0]):
        hashes[r] += _change(before, after, tied, k, r)
        a = before[k, r]
        if a > n:
            continue
        b = after[k, r]
        known[r] -= 1
        after[a, r] = b
        before[b, r] = a
        tied[b, r] = tied[k, r] and tied[b, r]
        if changes.shape[0] > 0:
            if a < n:
                changes[a, r] = _change(before, after, tied, a, r)
            if b < n:
                changes[b, r] = _change(before, after, tied, b, r)


@kernel
def _surprise(keys, classes, n_classes, logs, slots, groups, sizes, counts):
    """Sum over groups of equal keys of n log n less that of every class; 0 if all are pure."""
    mask = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    n_groups = 0
    for r in range(keys.shape[0]):
        place = keys[r] & mask
        while slots[place] >= 0 and groups[slots[place]] != keys[r]:
            place = (place + _ONE) & mask
        g = slots[place]
        if g < 0:
            g = n_groups
            n_groups += 1
            slots[place], groups[g], sizes[g] = g, keys[r], 0
            counts[g] = 0
        sizes[g] += 1
        counts[g, classes[r]] += 1
    total = 0.0
    if n_groups < keys.shape[0]:
        for g in range(n_groups):
            total += logs[sizes[g]]
            for c in range(n_classes):
                total -= logs[counts[g, c]]
    return total


@kernel
def _scratch(m, n_classes):
    size = 4
    while size < 2 * m:
        size *= 2
    return (
        np.empty(size, np.int32),
        np.empty(m, np.uint64),
        np.empty(m, np.int64),
        np.empty((m, n_classes), np.int64),
    )


@kernel
def surprise(hashes, known, classes, n_classes, logs):
    """n_samples times the entropy of the class given the order, from ``logs[c] = c log c``."""
    m = hashes.shape[0]
    slots, groups, sizes, counts = _scratch(m, n_classes)
    keys = np.empty(m, np.uint64)
    for r in range(m):
        # With one known feature at most there is no pair whose order is known.
        keys[r] = hashes[r] if known[r] > 1 else np.uint64(0)
    return _surprise(keys, classes, n_classes, logs, slots, groups, sizes, counts)


@kernel
def surprises_without(candidates, hashes, known, before, changes, classes, n_classes, logs, out):
    """Surprises after removing each of some features."""
    m, n = hashes.shape[0], before.shape[0] - 1
    slots, groups, sizes, counts = _scratch(m, n_classes)
    keys = np.empty(m, np.uint64)
    for q in range(candidates.shape[0]):
        k = candidates[q]
        for r in range(m):
            left = known[r] - (before[k, r] <= n)
            keys[r] = hashes[r] + changes[k, r] if left > 1 else np.uint64(0)
        out[q] = _surprise(keys, classes, n_classes, logs, slots, groups, sizes, counts)


@kernel
def small_surprise(codes, features, classes, n_classes, logs):
    """Surprise of the classes given the order of a few features, compared pair by pair.

    ``codes``: a row per feature, a column per sample; below 0 where unknown.
    """
    m = codes.shape[1]
    slots, groups, sizes, counts = _scratch(m, n_classes)
    keys = np.empty(m, np.uint64)
    for r in range(m):
        key = np.uint64(0)
        for p in range(features.shape[0]):
            for q in range(p):
                a, b = codes[features[p], r], codes[features[q], r]
                kind = 3 if a < 0 or b < 0 else 0 if a < b else 1 if a > b else 2
                key = _mix(key * np.uint64(4) + np.uint64(kind) + _A)
        keys[r] = key
    return _surprise(keys, classes, n_classes, logs, slots, groups, sizes, counts)
