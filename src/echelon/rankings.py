"""The order of features in any fitted selector, ours or scikit-learn's; several orders as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

from echelon._core.choices import shared_ranks
from echelon._core.rows import fit_weighted
from echelon.base import ForwardSelector, WeightingSelector


def fit_ranking(
    selector: Any, X: Any, y: Any, sizes: Sequence[int], sample_weight: Any = None
) -> tuple[Any, np.ndarray]:
    """Fit a copy so that the best ``size`` features are known for every size.

    Returns
    -------
    fitted : object
        The fitted copy.
    order : ndarray of shape (max(sizes),)
        Features, best first.
    """
    possible: list[int] = []
    for copy in ranking_copies(selector, max(sizes)):
        fitted = fit_weighted(copy, X, y, sample_weight)
        ranks = ranks_of(fitted)
        order = np.argsort(ranks, kind="stable")
        along = np.append(ranks[order], np.inf)
        # Sizes that leave features of the same rank together.
        whole = (np.flatnonzero(along[:-1] < along[1:]) + 1).tolist()
        if set(sizes) <= set(whole):
            return fitted, order[: max(sizes)]
        possible = possible or whole
    raise ValueError(
        f"`sizes` must not part features of the same rank, got {min(set(sizes) - set(possible))}, "
        f"where {type(selector).__name__} ranks several alike. Let it rank them one by one, or "
        f"choose among the sizes {possible[:20]}."
    )


def ranking_copies(selector: Any, n_best: int | float) -> Iterator[Any]:
    """Copies that rank as much as needed, the likeliest first."""
    params = clone(selector).get_params(deep=False)
    if params.get("feature_groups") is not None:
        n_best = 1.0  # whole groups are ranked, however many features they have
    if isinstance(selector, WeightingSelector):
        # They rank all; a number spares them the fit that finds a threshold.
        yield clone(selector).set_params(n_features_to_select=n_best, threshold=None)
    elif isinstance(selector, ForwardSelector):
        yield clone(selector).set_params(n_features_to_select=n_best)
    elif "n_features_to_select" in params:
        # A search backwards ranks what it removes, so it has to go on to the end.
        for n_features in dict.fromkeys([1, n_best]):
            yield clone(selector).set_params(n_features_to_select=n_features)
    elif isinstance(selector, SelectKBest):
        yield clone(selector).set_params(k="all")
    else:
        yield clone(selector)


def ranks_of(fitted: Any) -> np.ndarray:
    """Ranks of the features of a fitted selector, 1 = best."""
    if hasattr(fitted, "ranking_"):
        return np.asarray(fitted.ranking_)
    if hasattr(fitted, "order_"):
        return shared_ranks(fitted.order_, fitted.n_features_in_)
    scores = scores_of(fitted)
    if scores is None:
        raise TypeError(
            f"`selector` must rank features, got {type(fitted).__name__}, which has none of "
            "order_, ranking_, scores_, feature_importances_ and coef_ after its fit. Use one that "
            "does."
        )
    # Undefined scores, as of constant features, come last.
    order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
    return shared_ranks(order, len(order))


def scores_of(fitted: Any) -> np.ndarray | None:
    """Scores of the features of a fitted selector or model, larger is better; None if none."""
    source: Any
    for source in (fitted, getattr(fitted, "estimator_", None)):
        for name in ("scores_", "feature_importances_"):
            if hasattr(source, name):
                return np.asarray(getattr(source, name), dtype=float)
        if hasattr(source, "coef_"):
            return np.abs(np.atleast_2d(source.coef_)).sum(axis=0)
    return None


def n_worthwhile(fitted: Any) -> int | None:
    """How many features have the vote of a fitted consensus, at least one; None: nobody votes."""
    votes = getattr(fitted, "votes_", None)
    return None if votes is None else max(1, int(np.count_nonzero(votes)))


# ------------------------------------------------------------------------------------- fusion


def places(ranks: np.ndarray) -> np.ndarray:
    """Places 0, 1, ... from ranks; features of one rank share the mean of their places."""
    return rankdata(ranks, method="average") - 1


def completed(ranks: np.ndarray, taken: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Places of the features taken, in their order; behind them the rest, in another order."""
    result = np.empty(len(ranks))
    result[taken] = places(ranks[taken])
    result[~taken] = taken.sum() + places(others[~taken])
    return result


def fused(placed: np.ndarray, weights: np.ndarray, fusion: str, constant: float) -> np.ndarray:
    """One score per feature, larger is better, from places of shape (n_rankings, n_features).

    "reciprocal" adds weight / (place + constant) (Cormack et al. 2009): the head of every ranking
    counts most.  "mean" and "median" are those of the places.
    """
    share = weights / weights.sum()
    if fusion == "reciprocal":
        return share @ (1 / (placed + constant))
    if fusion == "mean":
        return -(share @ placed)
    # Among equal medians the better mean decides.
    return -(_weighted_median(placed, share) + 1e-6 * (share @ placed))


def _weighted_median(placed: np.ndarray, share: np.ndarray) -> np.ndarray:
    order = np.argsort(placed, axis=0, kind="stable")
    along = np.cumsum(share[order], axis=0)
    below = (along >= 0.5 - 1e-12).argmax(axis=0)
    above = (along > 0.5 + 1e-12).argmax(axis=0)
    ordered = np.take_along_axis(placed, order, axis=0)
    columns = np.arange(placed.shape[1])
    return (ordered[below, columns] + ordered[above, columns]) / 2
