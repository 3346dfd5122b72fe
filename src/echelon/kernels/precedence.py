"""In how many samples of a class does one feature come before another?

Samples are rows of integer codes that order the features within the row.  A value of unknown order
is below every other in ``low`` and above every other in ``high``, so that no comparison with it
holds; without such values both are the same array.  Rows are sorted by class: class c has rows
``starts[c]`` up to ``starts[c + 1]``.
"""

import numpy as np

from echelon.kernels._jit import kernel

_TILE = 2048


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
def precedence_counts(low, high, starts, first, out):
    """2 C[i, j] + ties of every class, for a block of features i; ``out``: class, i, j."""
    n = low.shape[1]
    for c in range(out.shape[0]):
        for row in range(out.shape[1]):
            i = first + row
            out[c, row] = 0
            for r in range(starts[c], starts[c + 1]):
                code = low[r, i]
                if code < 0:
                    continue
                for j in range(n):
                    out[c, row, j] += np.int64(low[r, j] > code) + np.int64(low[r, j] >= code)
            out[c, row, i] = 0


@kernel
def margin_sums(low, high, starts, first, sums, squares):
    """Sum, over features j, of C[j, i] - C[i, j] and of its square; for a block of features i.

    ``sums`` and ``squares``: class, i.
    """
    n = low.shape[1]
    before, after = np.empty(_TILE, low.dtype), np.empty(_TILE, low.dtype)
    for row in range(sums.shape[1]):
        for c in range(sums.shape[0]):
            total, square = np.int64(0), np.int64(0)
            for j0 in range(0, n, _TILE):
                j1 = min(n, j0 + _TILE)
                _count(low, high, starts[c], starts[c + 1], first + row, j0, j1, before, after)
                for j in range(j1 - j0):
                    margin = np.int64(after[j]) - np.int64(before[j])
                    total += margin
                    square += margin * margin
            sums[c, row] = total
            squares[c, row] = square


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

    ``counts`` are those of ``precedence_counts``; ``logs[t]`` is the log of a count t with its
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
