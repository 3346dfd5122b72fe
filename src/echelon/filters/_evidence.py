"""Weights of evidence of the bins of a feature, and what chance alone adds to them.

Of class c, the weight of evidence of a bin is log(p / q): p is the share of the class in the bin, q
that of all others.  The information value is the sum over bins of (p - q) log(p / q), Jeffreys'
divergence, which is symmetric in p and q.  Half a sample is added to every cell, so that an empty
one has a logarithm.

Even if the feature is noise, p and q differ: the more bins and the fewer samples, the more.  How
much on average follows from the hypergeometric distribution, bin by bin, without an
approximation.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.stats import hypergeom

HALF = 0.5
"""What is added to every cell."""


def shares(counts: np.ndarray, sizes: np.ndarray, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares in bins of every class and of all others, from samples by (..., bin, class).

    ``sizes`` are the samples of the classes.
    """
    others = counts.sum(axis=-1, keepdims=True) - counts
    n_others = sizes.sum() - sizes
    total = HALF * n_bins
    return (counts + HALF) / (sizes + total), (others + HALF) / (n_others + total)


def weights_of_evidence(counts: np.ndarray) -> np.ndarray:
    """Log(p / q) of every bin and class, from samples by bin and class."""
    p, q = shares(counts, counts.sum(axis=0), len(counts))
    return np.log(p) - np.log(q)


def information_values(tables: list[np.ndarray]) -> np.ndarray:
    """The information value of every table of samples by bin and class, a mean over classes."""
    found = np.empty(len(tables))
    n_bins = np.array([len(table) for table in tables])
    for k in np.unique(n_bins):
        alike = np.flatnonzero(n_bins == k)
        counts = np.stack([tables[f] for f in alike])
        p, q = shares(counts, counts[0].sum(axis=0), int(k))
        found[alike] = ((p - q) * (np.log(p) - np.log(q))).sum(axis=1).mean(axis=1)
    return found


class ChanceValues:
    """The mean information value of a feature that is permuted, by the sizes of its bins."""

    def __init__(self, sizes: np.ndarray):
        self._sizes = sizes
        self._of_bin = cache(self._expected)
        self._of_bins = cache(self._sum)

    def of(self, bin_sizes: np.ndarray) -> float:
        """For bins of these sizes, a mean over classes."""
        return self._of_bins(tuple(np.sort(bin_sizes).tolist()))

    def _sum(self, bin_sizes: tuple[int, ...]) -> float:
        # Bins of equal frequency have one size or two.
        found, times = np.unique(bin_sizes, return_counts=True)
        terms = [self._of_bin(int(size), len(bin_sizes)) for size in found]
        return float(np.dot(times, terms))

    def _expected(self, size: int, n_bins: int) -> float:
        """The mean term of one bin, over classes and permutations."""
        return float(np.mean([self._of_class(size, n_bins, int(own)) for own in self._sizes]))

    def _of_class(self, size: int, n_bins: int, own: int) -> float:
        """With ``own`` samples of the class, drawn without replacement into the bin."""
        n = int(self._sizes.sum())
        drawn = np.arange(max(0, size - (n - own)), min(size, own) + 1)
        cells = np.stack([drawn, size - drawn], axis=1)
        p, q = (part[:, 0] for part in shares(cells, np.array([own, n - own]), n_bins))
        return float(hypergeom.pmf(drawn, n, own, size) @ ((p - q) * (np.log(p) - np.log(q))))
