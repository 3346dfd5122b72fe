"""Larger than memory, as loops over single rows: which are drawn, and what binning may change."""

from itertools import combinations
from math import sqrt

MASK = (1 << 64) - 1


def uniform(row, seed):
    """The number from 0 to 1 of a row: splitmix64 at that place."""
    z = ((row + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1B54A32D192ED03) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 11) / 2**53


def samples(classes, size, n_samples, least, seed):
    """Rows of every sample; ``classes`` holds None for rows that cannot be drawn.

    Of a class, each sample has its share of ``size``, and at least ``least`` rows if there are so
    many; the first sample has the rows with the smallest numbers, the second the next ones.
    """
    members = {}
    for row, label in enumerate(classes):
        if label is not None:
            members.setdefault(label, []).append(row)
    n_rows = sum(len(rows) for rows in members.values())
    found = [[] for _ in range(n_samples)]
    for rows in members.values():
        share = max(round(size * len(rows) / n_rows), min(len(rows), least))
        ordered = sorted(rows, key=lambda row: uniform(row, seed))
        for number in range(n_samples):
            found[number] += ordered[number * share : (number + 1) * share]
    return [sorted(rows) for rows in found]


def tau_b(x, y):
    """Kendall's tau-b by all pairs."""
    score = x_differs = y_differs = 0
    for i, j in combinations(range(len(x)), 2):
        if x[i] != x[j] and y[i] != y[j]:
            score += 1 if (x[i] > x[j]) == (y[i] > y[j]) else -1
        x_differs += x[i] != x[j]
        y_differs += y[i] != y[j]
    return score / sqrt(x_differs * y_differs)


def tau_b_bounds(x_bins, y_bins, x_single, y_single):
    """The least and the largest tau-b that the rows in these bins may have.

    A pair in one bin of several values may be in order, against it, or tied.
    """
    score = unknown = 0
    x_least = x_most = y_least = y_most = 0
    for i, j in combinations(range(len(x_bins)), 2):
        x_same, y_same = x_bins[i] == x_bins[j], y_bins[i] == y_bins[j]
        x_tied, y_tied = x_same and x_single[x_bins[i]], y_same and y_single[y_bins[i]]
        x_least += not x_same
        y_least += not y_same
        x_most += not x_tied
        y_most += not y_tied
        if not (x_same or y_same):
            score += 1 if (x_bins[i] > x_bins[j]) == (y_bins[i] > y_bins[j]) else -1
        elif not (x_tied or y_tied):
            unknown += 1
    narrow, wide = sqrt(x_least * y_least), sqrt(x_most * y_most)
    low, high = score - unknown, score + unknown
    return (
        max(low / (narrow if low < 0 else wide), -1.0),
        min(high / (narrow if high > 0 else wide), 1.0),
    )
