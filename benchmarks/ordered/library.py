"""Selectors of echelon that search: the order they add features in, the rest by Kendall's tau."""

from __future__ import annotations

from typing import Any

import numpy as np

import echelon
from benchmarks.ordered.linear import MOST
from benchmarks.ordered.orders import Ranking
from echelon.targets import read_target


def selector(name: str, **wanted: Any) -> Any:
    """A selector of the library, with those of the wanted parameters it has."""
    found = getattr(echelon, name)
    known = found().get_params()
    return found(**{key: value for key, value in wanted.items() if key in known})


def ordered_by(X: np.ndarray, y: np.ndarray, seed: int, name: str, **params: Any) -> Ranking:
    """The complete order of a selector, and what it keeps by its own rule."""
    fitted = selector(name, random_state=seed, n_jobs=1, **params).fit(X, y)
    return Ranking.completed(fitted.order_, X, y, np.flatnonzero(fitted.support_))


def default_ranking(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """The ranking of AutoSelector, without its judgement of how many to keep."""
    auto = echelon.AutoSelector()
    ranker = auto.ranker(read_target(y).kind, len(y))
    fitted = ranker.set_params(random_state=seed, n_jobs=1).fit(X, y)
    return Ranking(fitted.order_.tolist())


def bounds(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Upper bounds of weights; few folds and probes, since every program takes its time."""
    return ordered_by(
        X, y, seed, "RelevanceBounds", problem="ordinal", cv=3, false_positive_rate=0.1
    )


def mrmr(X: np.ndarray, y: np.ndarray, seed: int, measure: str, scheme: str) -> Ranking:
    """A path as long as the sizes judged, the rest by tau; and what the own rule keeps."""
    params = {"measure": measure, "scheme": scheme, "kind": "ordinal", "random_state": seed}
    path = selector("MRMR", n_features_to_select=min(MOST, X.shape[1]), **params).fit(X, y)
    kept = selector("MRMR", **params).fit(X, y).support_
    return Ranking.completed(path.order_, X, y, np.flatnonzero(kept))


def exists(name: str) -> bool:
    """Whether this version of the library has a selector."""
    return hasattr(echelon, name)
