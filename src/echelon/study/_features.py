"""Every method and every feature of a study, as facts: ranks, stability, pictures, evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin

from echelon._core.by_class import ByClass, Classes, classes_of, describe, drawn_classes
from echelon._core.jobs import step
from echelon._core.samples import fit_weighted, seeded
from echelon.base import ranking_copies, ranks_of
from echelon.consensus import ConsensusSelector
from echelon.data import numbers_of, read_columns
from echelon.evaluation import (
    FeatureCurve,
    SelectionStability,
    selection_stability,
    stability_of,
)
from echelon.evidence import ConditionalEvidence
from echelon.filters import InformationValue
from echelon.large import Sample
from echelon.methods import CONTINUOUS
from echelon.profile import ALIKE, associations, groups_of
from echelon.study._design import (
    Design,
    best_columns,
    without_class_warnings,
    without_fold_warnings,
)
from echelon.study._rankers import Prepared
from echelon.study._study import Losses, Study
from echelon.study.types import MethodPart
from echelon.targets import Target

MOST_DESCRIBED = 200
"""Features whose distributions are shown: the best ones."""

MOST_BINNED = 10
"""Features that are shown with their bins, whether they have a stated direction or not."""


# --------------------------------------------------------------------------------------- methods


def method_part(name: str, study: Study, n_resamples: int) -> MethodPart:
    """What one method says: its ranking, its curve, its stability."""
    design, judged = study.design, study.judged
    curve, size = judged.curves[name], judged.sizes[name]
    fitted, order = study.fitted[name]
    keep = study.best(name, size)
    selector = study.selectors[name]
    bare = selector.selector if isinstance(selector, Prepared) else selector
    stability, trouble = _stability(study.rankers[name], size, len(keep), design, n_resamples)
    method = {
        "name": name,
        "label": type(bare).__name__,
        "params": _params(bare),
        "scores": None if hasattr(fitted, "votes_") else getattr(fitted, "scores_", None),
        "relevance": getattr(fitted, "relevance_", None),
        "bounds": _bounds(fitted),
        "order": design.X.columns[order].tolist(),
        "ranking": ranks_of(fitted),
        "curve": _curve_part(study, name, curve),
        "keep": keep,
        "n_features": len(keep),
        "one_se_size": len(study.best(name, curve.one_se_size)),
        "best_size": len(study.best(name, curve.best_size)),
        "stability": stability,
        "no_stability": trouble,
        "aggregated": _aggregated(fitted),
    }
    return cast(MethodPart, method)


def _aggregated(fitted: Any) -> dict[str, Any] | None:
    """By which fusion of which methods a ranking was made; None: by one method."""
    while hasattr(fitted, "selector_"):
        fitted = fitted.selector_
    if not isinstance(fitted, ConsensusSelector):
        return None
    rankings = [type(each).__name__ for each in fitted.selectors_.values()]
    return {"fusion": fitted.fusion, "rankings": rankings}


def _curve_part(study: Study, name: str, curve: FeatureCurve) -> dict[str, Any]:
    """The curve in the units of the metric: where a smaller value is better, smaller is better.

    A number of groups is shown as the number of features that so many groups of all rows have.
    """
    sign = study.design.scoring.sign
    return {
        "n_features": [len(study.best(name, size)) for size in curve.sizes.tolist()],
        "mean": sign * curve.mean_scores,
        "std": curve.std_scores,
        "standard_error": curve.standard_errors,
        "folds": sign * curve.scores,
    }


def _stability(
    ranker: Any, size: int, n_features: int, design: Design, n_resamples: int
) -> tuple[dict[str, Any] | None, str | None]:
    """How often every feature is in the best ``size`` groups, of so many features in all rows.

    None if all are kept or not asked for.
    """
    others = [] if design.sample is None else design.sample.others
    if not (n_resamples or others) or size == design.n_groups:
        step(n_resamples)
        return None, None
    try:
        with without_class_warnings(), without_fold_warnings():
            result = (
                _over_samples(Best(ranker, size, design.feature_groups), design, others)
                if others
                else selection_stability(
                    Best(ranker, size, design.feature_groups),
                    design.samples,
                    design.target,
                    n_resamples,
                    groups=design.splits.blocks,
                    sample_weight=design.weights,
                    **design.options,
                )
            )
    except (TypeError, ValueError) as error:
        return None, str(error)
    low, high = result.confidence_interval
    parts = {"index": result.stability, "low": low, "high": high, "size": n_features}
    return parts | {"frequency": result.frequency}, None


def _over_samples(
    best: Best, design: Design, others: Sequence[tuple[pd.DataFrame, Target]]
) -> SelectionStability:
    """The stability over disjoint samples, each ranked by itself."""
    chosen = []
    for X, target in ((design.X, design.target), *others):
        data = replace(read_columns(X, min_samples=1), table=X)
        chosen.append(seeded(best, design.seed).fit(data, target).get_support())
    return stability_of(np.array(chosen), design.X.columns.to_numpy())


def _params(selector: Any) -> dict[str, Any]:
    """Parameters that can make a difference to what is found."""
    params = clone(selector).get_params(deep=False)
    return {name: params[name] for name in params if name not in ("n_jobs", "verbose")}


def _bounds(fitted: Any) -> np.ndarray | None:
    """Bounds of the weights; with a model for every class, the largest over the classes."""
    bounds: Any = getattr(fitted, "intervals_", None)
    return bounds.max(axis=0) if np.ndim(bounds) == 3 else bounds


class Best(SelectorMixin, BaseEstimator):
    """The best so many groups of a ranking: the rule by which the answer keeps its features.

    What a selector would keep by a rule of its own says nothing about the answer's.
    """

    _reads_data = True

    def __init__(self, selector: Any, size: int, groups: np.ndarray):
        self.selector = selector
        self.size = size
        self.groups = groups

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Best:
        """Rank, and select the best."""
        copy = next(iter(ranking_copies(self.selector, self.size)))
        ranks = ranks_of(fit_weighted(copy, X, y, sample_weight))
        best = best_columns(ranks, self.size, self.groups)
        self.support_ = np.isin(np.arange(len(ranks)), best)
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.support_


# -------------------------------------------------------------------------------------- features


def feature_rows(
    X: pd.DataFrame,
    target: Target,
    methods: Sequence[MethodPart],
    chosen: MethodPart,
    keep: list[str],
    groups: list[list[str]],
    substitutes: Mapping[str, list[str]],
    losses: Losses,
) -> list[dict[str, Any]]:
    """All features, best first by the chosen method; details of the best ones only."""
    place = {name: number for number, group in enumerate(groups, 1) for name in group}
    judge = next((m for m in methods if m["relevance"] is not None), chosen)
    frequency = None if chosen["stability"] is None else chosen["stability"]["frequency"]
    kept, names = set(keep), list(X.columns)
    rows = []
    for f in sort_by_rank(chosen["ranking"]):
        name = names[f]
        rows.append(
            {
                "name": name,
                "rank": chosen["ranking"][f],
                "score": None if chosen["scores"] is None else chosen["scores"][f],
                "loss": losses.means.get(name),
                "loss_error": losses.errors.get(name),
                "relevance": None if judge["relevance"] is None else judge["relevance"][f],
                "bounds": None if judge["bounds"] is None else judge["bounds"][f],
                "kept": name in kept,
                "stability": None if frequency is None else frequency[f],
                "group": place.get(name),
                "substitutes": substitutes.get(name, []),
                "ranks": {method["name"]: method["ranking"][f] for method in methods},
            }
        )
        if len(rows) <= MOST_DESCRIBED:
            rows[-1] |= _details(X[name], target)
    return rows


def with_all_rows(rows: list[dict[str, Any]], sample: Sample | None) -> None:
    """Missing values and trends of all rows, where the study is of a sample of them."""
    for row in rows if sample is not None else ():
        missing, trend = sample.of_all_rows(row["name"])  # type: ignore[union-attr]
        if "missing" in row and missing is not None:
            row["missing"] = missing
        if row.get("trend") is not None and trend is not None:
            row["trend"] = trend


def with_p_values(rows: list[dict[str, Any]], names: list[str], fitted: Any) -> None:
    """Add the p-values of the method to the rows of features, where it has some.

    Adjusted ones are for the false discovery rate (Benjamini and Hochberg 1995).
    """
    source = fitted if hasattr(fitted, "p_values_") else getattr(fitted, "selector_", None)
    p_values = getattr(source, "p_values_", None)
    if p_values is None or np.shape(p_values) != (len(names),) or np.isnan(p_values).any():
        return
    adjusted = false_discovery_control(p_values)
    found = {name: each for name, *each in zip(names, p_values, adjusted, strict=True)}
    for row in rows:
        row["p_value"], row["p_adjusted"] = found[row["name"]]


def sort_by_rank(ranking: list[int]) -> list[int]:
    """Features, best first; those of the same rank in the order of the table."""
    return np.argsort(ranking, kind="stable").tolist()


class SameMessage(NamedTuple):
    """Which features are redundant."""

    groups: list[list[str]]
    """Selected features of which every two do."""
    substitutes: dict[str, list[str]]
    """What could replace each selected feature."""
    pairs: list[dict[str, Any]]
    """How closely they go together, pair by pair."""


def same_message(
    X: pd.DataFrame, order: list[int], n_kept: int, suspect: Sequence[str] = ()
) -> SameMessage:
    """Groups of selected features that are redundant, and what could replace each selected one.

    What is suspect, because it may hold the answer itself, replaces nothing.
    """
    looked_at = order[:MOST_DESCRIBED]
    n_kept = min(n_kept, len(looked_at))
    names = X.columns[looked_at].tolist()
    if n_kept == 0:
        return SameMessage([], {}, [])
    association = associations(X[names])
    groups = groups_of(association[:n_kept, :n_kept])
    close = association[:n_kept, n_kept:] >= ALIKE - 1e-9
    close[:, np.isin(names[n_kept:], list(suspect))] = False
    others = {f: (n_kept + np.flatnonzero(close[f])).tolist() for f in range(n_kept)}
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    pairs += [(f, g) for f, substitutes in others.items() for g in substitutes]
    return SameMessage(
        [[names[f] for f in group] for group in groups],
        {names[f]: [names[g] for g in substitutes] for f, substitutes in others.items()},
        [
            {"first": names[f], "second": names[g], "association": association[f, g]}
            for f, g in pairs
        ],
    )


def _details(column: pd.Series, target: Target) -> dict[str, Any]:
    classes = classes_of(target)
    by_class = describe(column, classes)
    return {
        "missing": int(column.isna().sum()),
        "trend": _trend(column, target, by_class),
        "distribution": _distribution(by_class, classes),
    }


def _distribution(by_class: ByClass, classes: Classes) -> dict[str, Any]:
    """Numbers from which a picture can be drawn, for the classes that are shown."""
    shown = drawn_classes(classes)
    present = by_class.present[shown]
    if by_class.shares is None:
        quantiles = by_class.quantiles[shown]  # type: ignore[index]
        return {"kind": "numbers", "present": present, "quantiles": quantiles}
    shares = by_class.shares[shown]
    return {"kind": "labels", "present": present, "labels": by_class.labels, "shares": shares}


def _trend(column: pd.Series, target: Target, by_class: ByClass) -> float | None:
    """Rank correlation with the target, or the second of two classes; None without an order."""
    directed = target.kind != "classification" or len(target.counts) == 2
    if not directed or by_class.quantiles is None:
        return None
    values = _numbers(column)
    there = ~np.isnan(values)
    ranks = [rankdata(each[there]) for each in (values, target.numbers)]
    if there.sum() < 3 or any(np.ptp(each) == 0 for each in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _numbers(column: pd.Series) -> np.ndarray:
    if isinstance(column.dtype, pd.IntervalDtype):
        return np.asarray(column.array.mid, dtype=float)
    return numbers_of(column, column.name)


# ------------------------------------------------------------- evidence and bins


def with_evidence(rows: list[dict[str, Any]], study: Study) -> None:
    """Add conditional evidence to the rows of features: label, adjusted p-value, replacements.

    The features are tested on all rows, at a false discovery rate of 5 %.
    """
    design = study.design
    if design.data is None or not design.splits.independent or design.weights is not None:
        raise ValueError(
            "`evidence` needs numbers or categories in independent rows that count alike. Leave it "
            "out, or `groups`, `time`, `sample_weight`, folds of your own and intervals."
        )
    tested = ConditionalEvidence(random_state=design.seed, n_jobs=design.options["n_jobs"])
    found = tested.fit(design.data, design.target).frame().set_index("feature")
    for row in rows:
        facts = found.loc[row["name"]]
        row["evidence"], row["evidence_p"] = facts["label"], float(facts["p_fdr"])
        row["replaced_by"] = facts["replaced_by"]


def scorecard(design: Design, names: list[str]) -> list[dict[str, Any]] | None:
    """Information value and bins of the best features and of those with a stated direction.

    None unless there are two classes.

    Parameters
    ----------
    design : Design
        Samples and target.
    names : list of str
        Features, best first.
    """
    target = design.target
    two = target.kind != CONTINUOUS and len(target.counts) == 2
    if not two or design.data is None or design.weights is not None:
        return None
    stated = [name for name in names[MOST_BINNED:] if name in design.directions]
    X = design.X[[*names[:MOST_BINNED], *stated]]
    fitted = InformationValue(discretize="isotonic").fit(X, target)
    bins = fitted.frame()
    return [
        {
            "name": name,
            "information_value": float(fitted.scores_[place]),
            "bins": _bins(bins[bins["feature"] == name]),
        }
        for place, name in enumerate(X.columns)
    ]


def _bins(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Where every bin begins and ends, or its category; with its share of the second class."""
    columns = ("start", "samples", "share", "weight_of_evidence")
    starts, samples, shares, weights = (rows[name].to_numpy(dtype=float) for name in columns)
    return [
        {
            "start": start,
            "end": end,
            "category": category,
            "samples": int(n),
            "share": share,
            "weight": weight,
        }
        for start, end, category, n, share, weight in zip(
            starts, [*starts[1:], np.nan], rows["category"], samples, shares, weights, strict=True
        )
    ]
