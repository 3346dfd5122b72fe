"""Orders of samples under removal of features, compared by hashes.

The order of a sample is a chain of its known features, tied ones by index, with a flag where a
feature ties with the one before it.  Its hash is the sum, modulo 2**64, of one random number for
each link of the chain and for each unknown feature: two samples have the same order exactly if
these sets are the same.  Removing a feature replaces two links by one.

``before``, ``after`` and ``tied`` have a row per feature and a column per sample; index n is the
end of the chain on both sides, and marks a feature that is unknown.
"""

import numpy as np

from echelon.kernels._jit import kernel

_A, _B, _C = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # fmt: skip  # noqa: E501
_ONE, _S30, _S27, _S31 = np.uint64(1), np.uint64(30), np.uint64(27), np.uint64(31)


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
    """The same after removing each of some features."""
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
