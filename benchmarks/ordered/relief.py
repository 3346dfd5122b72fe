"""Rankings that count pairs of samples: the Relief family, and rank mutual information."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.ordered.orders import Ranking, by, directions
from echelon import OReliefF, OSimba, ReliefF


def relieff(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """The reference: as published, classes without an order."""
    return by(ReliefF(n_jobs=1, random_state=seed).fit(X, y).scores_)


def orelieff(X: np.ndarray, y: np.ndarray, seed: int, dominance: str, contradictions: str):
    """O-ReliefF with directions from the data."""
    method = OReliefF(
        dominance=dominance,
        contradictions=contradictions,
        monotonic_cst="auto",
        random_state=seed,
        n_jobs=1,
    )
    return by(method.fit(X, y).scores_)


def osimba(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """O-Simba with directions from the data."""
    return by(OSimba(monotonic_cst="auto", random_state=seed, n_jobs=1).fit(X, y).scores_)


def rrelieff(X: np.ndarray, y: np.ndarray, seed: int, k: int = 70, sigma: float = 20) -> Ranking:
    """RReliefF on the codes (Robnik-Sikonja, Kononenko 2003, with their k and sigma)."""
    scaled = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    codes, n = y / max(y.max(), 1), len(y)
    k = min(k, n - 1)
    far = cdist(scaled, scaled, "cityblock")
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1, kind="stable")[:, :k]
    weights = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    weights /= weights.sum()
    other = np.abs(codes[:, None] - codes[near]) * weights  # how far apart the classes are
    both, apart = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for row, (neighbours, miss) in enumerate(zip(near, other, strict=True)):
        differences = np.abs(scaled[neighbours] - scaled[row])
        both += miss @ differences
        apart += weights @ differences
    return by(both / other.sum() - (apart - both) / (n - other.sum()))


def rank_mrmr(X: np.ndarray, y: np.ndarray, seed: int, most: int = 40) -> Ranking:
    """Rank mutual information with the classes less its mean with the features chosen (mRMR)."""
    above = _RankInformation(X * directions(X, y))
    relevance, shared = above.with_all(_at_most(y)), np.zeros(X.shape[1])
    chosen: list[int] = []
    while len(chosen) < min(most, X.shape[1]):
        gains = relevance - shared / max(len(chosen), 1)
        gains[chosen] = -np.inf
        best = int(gains.argmax())
        chosen.append(best)
        shared += above.with_all(above.bits[best])
    return Ranking.completed(chosen, X, y)


def _at_most(values: np.ndarray) -> np.ndarray:
    """Which samples have at most the value of each sample, as packed bits."""
    return np.packbits(values[None, :] <= values[:, None], axis=1)


class _RankInformation:
    """Rank mutual information (Hu et al. 2012, "Rank entropy-based decision trees").

    The mean over samples of log(n |A and B| / (|A| |B|)), A and B the samples that have at most
    its value.  All pairs of samples are held as bits: n^2 / 8 bytes for a feature.
    """

    def __init__(self, X: np.ndarray):
        self.bits = [_at_most(x) for x in X.T]
        self.counts = [self._count(bits) for bits in self.bits]

    @staticmethod
    def _count(bits: np.ndarray) -> np.ndarray:
        return np.bitwise_count(bits).sum(axis=1, dtype=np.int64)

    def with_all(self, other: np.ndarray) -> np.ndarray:
        """The information every feature shares with one variable."""
        own, n = self._count(other), len(other)
        return np.array(
            [
                np.log(n * self._count(bits & other) / (counts * own)).mean()
                for bits, counts in zip(self.bits, self.counts, strict=True)
            ]
        )
