"""What a ranking is, and the simple scores that others fall back on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.stats import kendalltau, rankdata
from sklearn.feature_selection import f_classif, mutual_info_classif


class Ranking(NamedTuple):
    """All features, best first; and those a method would keep, if it has a rule of its own."""

    order: list[int]
    kept: list[int] | None = None

    @classmethod
    def completed(
        cls, chosen: Sequence[int], X: np.ndarray, y: np.ndarray, kept: Sequence[int] | None = None
    ) -> Ranking:
        """The features chosen, then the rest by Kendall's tau."""
        seen = set(map(int, chosen))
        rest = [f for f in by(tau(X, y)).order if f not in seen]
        return cls([*map(int, chosen), *rest], None if kept is None else [*map(int, kept)])


def by(*scores: np.ndarray) -> Ranking:
    """Largest score first; ties by the next scores, in the end by index."""
    columns = [-np.nan_to_num(np.asarray(score, float), neginf=-1e300) for score in scores]
    return Ranking(np.lexsort(columns[::-1]).tolist())


def _signed_tau(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.nan_to_num([kendalltau(x, y).statistic for x in X.T])


def tau(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Absolute Kendall's tau-b of every feature with the codes; 0 for a constant."""
    return np.abs(_signed_tau(X, y))


def directions(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """1 for features that rise with the classes, -1 for those that fall."""
    return np.where(_signed_tau(X, y) < 0, -1.0, 1.0)


def kendall(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Absolute Kendall's tau."""
    return by(tau(X, y))


def spearman(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Absolute Spearman's rho."""
    ranks, codes = rankdata(X, axis=0), rankdata(y)
    ranks, codes = ranks - ranks.mean(axis=0), codes - codes.mean()
    norms = np.linalg.norm(ranks, axis=0)
    return by(np.abs(codes @ ranks) / np.where(norms > 0, norms, np.inf))


def mutual_information(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Mutual information of scikit-learn (nearest neighbours)."""
    return by(mutual_info_classif(X, y, random_state=seed))


def f_test(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """F of the analysis of variance between the classes."""
    return by(f_scores(X, y))


def f_scores(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """F of every feature; equal values within all classes give the largest there is."""
    return np.nan_to_num(f_classif(X, y)[0], posinf=1e300)


def random(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Any order, another one in every fold."""
    rng = np.random.default_rng([seed, crc32(X.tobytes())])
    return Ranking(rng.permutation(X.shape[1]).tolist())
