"""One row per feature: ranks, scores, stability, and how it is distributed in every class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from echelon._core.by_class import ByClass, Classes, classes_of, describe, drawn_classes
from echelon.profile import ALIKE, associations, groups_of
from echelon.study.types import MethodPart
from echelon.targets import Target

MOST_DESCRIBED = 200
"""Features whose distributions are shown: the best ones."""


def feature_rows(
    X: pd.DataFrame,
    target: Target,
    methods: Sequence[MethodPart],
    chosen: MethodPart,
    keep: list[str],
    groups: list[list[str]],
    substitutes: Mapping[str, list[str]],
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


def sort_by_rank(ranking: list[int]) -> list[int]:
    """Features, best first; those of the same rank in the order of the table."""
    return np.argsort(ranking, kind="stable").tolist()


class SameMessage(NamedTuple):
    """Which features say the same."""

    groups: list[list[str]]
    """Kept features of which every two do."""
    substitutes: dict[str, list[str]]
    """What could stand in for each kept feature."""
    pairs: list[dict[str, Any]]
    """How closely they go together, pair by pair."""


def same_message(
    X: pd.DataFrame, order: list[int], n_kept: int, suspect: Sequence[str] = ()
) -> SameMessage:
    """Groups of kept features that say the same, and what could stand in for each kept one.

    What is suspect, because it may hold the answer itself, stands in for nothing.
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
    """Rank correlation with an ordered or numeric target; None where neither has an order."""
    if target.kind == "classification" or by_class.quantiles is None:
        return None
    values = _as_numbers(column)
    there = ~np.isnan(values)
    ranks = [rankdata(each[there]) for each in (values, target.numbers)]
    if there.sum() < 3 or any(np.ptp(each) == 0 for each in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _as_numbers(column: pd.Series) -> np.ndarray:
    if isinstance(column.dtype, pd.IntervalDtype):
        return np.asarray(column.array.mid, dtype=float)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.where(column.cat.codes < 0, np.nan, column.cat.codes.astype(float))
    return column.to_numpy(dtype=float, na_value=np.nan)
