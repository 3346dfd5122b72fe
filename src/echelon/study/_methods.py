"""What every method says: its ranking, its curve, its stability, and how far methods agree."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin

from echelon._core.progress import step
from echelon._core.rows import seeded
from echelon._core.sample_weights import fit_weighted
from echelon.display import AgreementDisplay
from echelon.evaluation import FeatureCurve, selection_stability
from echelon.rankings import fit_ranking, ranking_copies, ranks_of
from echelon.study._judge import Judged, only_part_of_the_rows
from echelon.study._models import Study
from echelon.study._prepared import Prepared
from echelon.study.types import MethodPart


def method_part(
    name: str, selector: Any, ranker: Any, judged: Judged, study: Study
) -> tuple[MethodPart, str | None]:
    """What one method says, and a caveat if its stability could not be measured."""
    curve, size = judged.curves[name], judged.sizes[name]
    seed = study.options["random_state"]
    copy = seeded(ranker, int(seed) if isinstance(seed, Integral) else None)
    fitted, order = fit_ranking(copy, study.X, study.target.y, curve.sizes.tolist(), study.weights)
    step()
    stability, trouble = _stability(name, ranker, size, study)
    method = {
        "name": name,
        "label": type(_bare(selector)).__name__,
        "params": _params(_bare(selector)),
        "scores": getattr(fitted, "scores_", None),
        "relevance": getattr(fitted, "relevance_", None),
        "bounds": _bounds(fitted),
        "order": study.X.columns[order].tolist(),
        "ranking": ranks_of(fitted),
        "curve": _curve_part(curve, study.scoring.sign),
        "keep": study.X.columns[order[:size]].tolist(),
        "n_features": size,
        "one_se_size": curve.one_se_size,
        "best_size": curve.best_size,
        "stability": stability,
    }
    return cast(MethodPart, method), trouble


def _curve_part(curve: FeatureCurve, sign: int) -> dict[str, Any]:
    """The curve in the units of the metric: where a smaller value is better, smaller is better."""
    return {
        "n_features": curve.sizes,
        "mean": sign * curve.mean_scores,
        "std": curve.std_scores,
        "standard_error": curve.standard_errors,
        "folds": sign * curve.scores,
    }


def _stability(
    name: str, selector: Any, size: int, study: Study
) -> tuple[dict[str, Any] | None, str | None]:
    """How often every feature is among the best ``size``; None if all are kept or not asked for."""
    if not study.n_resamples or size == study.X.shape[1]:
        step(study.n_resamples)
        return None, None
    try:
        with only_part_of_the_rows():
            result = selection_stability(
                Best(selector, size),
                study.X,
                study.target.y,
                study.n_resamples,
                groups=study.splits.blocks,
                sample_weight=study.weights,
                **study.options,
            )
    except (TypeError, ValueError) as error:
        return None, f"The stability of {name} could not be measured: {error}"
    low, high = result.confidence_interval
    parts = {"index": result.stability, "low": low, "high": high, "size": size}
    return parts | {"frequency": result.frequency}, None


def _bare(selector: Any) -> Any:
    """The selector itself, without what prepares data for it."""
    return selector.selector if isinstance(selector, Prepared) else selector


def _params(selector: Any) -> dict[str, Any]:
    """Parameters that can make a difference to what is found."""
    params = clone(selector).get_params(deep=False)
    return {name: params[name] for name in params if name not in ("n_jobs", "verbose")}


def _bounds(fitted: Any) -> np.ndarray | None:
    """Bounds of the weights; with a model for every class, the largest over the classes."""
    bounds: Any = getattr(fitted, "intervals_", None)
    return bounds.max(axis=0) if np.ndim(bounds) == 3 else bounds


class Best(SelectorMixin, BaseEstimator):
    """The best so many features of a ranking: the rule by which the answer keeps its features.

    What a selector would keep by a rule of its own says nothing about the answer's.
    """

    def __init__(self, selector: Any, size: int):
        self.selector = selector
        self.size = size

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Best:
        """Rank, and keep the best."""
        copy = next(iter(ranking_copies(self.selector, self.size)))
        order = np.argsort(ranks_of(fit_weighted(copy, X, y, sample_weight)), kind="stable")
        self.support_ = np.isin(np.arange(len(order)), order[: self.size])
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.support_


def agreement_of(methods: Sequence[MethodPart], n_best: int) -> dict[str, Any] | None:
    """Rank correlations and overlaps of all pairs of methods; None for one method."""
    if len(methods) < 2:
        return None
    rankings = {method["name"]: method["ranking"] for method in methods}
    display = AgreementDisplay.from_rankings(rankings, n_best=n_best)
    return {
        "methods": display.methods,
        "rank_correlation": display.correlation,
        "overlap": display.overlap,
        "n_best": display.n_best,
    }
