"""What in a result calls for care, one sentence each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from echelon._core.words import counted, listed, number
from echelon.profile import Facts
from echelon.study._folds import Splits
from echelon.study._many_labels import MANY, many_labels
from echelon.study.types import MethodPart, Score

ONE_MAY_DO = "one may do"
NO_BETTER_ALONE = "alone no better than guessing"
NOT_STABLE = "is not stable"
FEWER_ROWS = "the method ranks differently when rows are fewer"
UNSTABLE = 0.6
"""Below this stability a caveat is due."""
ENOUGH_RESAMPLES = 10
"""A feature at the edge of the choice is in every second resample: in none of so many, or in all,
once in a thousand tables."""


def data_caveats(facts: Facts, n_folds: int) -> list[str]:
    """What constant columns, small classes and few samples do to the scores."""
    found = []
    if facts.constant:
        found.append(f"The same value everywhere, hence of no use: {listed(facts.constant)}.")
    rare = {c: k for c, k in facts.classes.items() if k < n_folds}
    if rare:
        named = listed(f"{c!r} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if facts.n_samples / n_folds < 10:
        found.append(
            f"A test fold holds about {counted(facts.n_samples // n_folds, 'sample')}: scores "
            "are rough."
        )
    return found


def label_caveats(X: pd.DataFrame) -> list[str]:
    """What columns of many labels were turned into."""
    many = X.columns[many_labels(X)].tolist()
    if not many:
        return []
    named = listed(f"{name} ({X[name].nunique():,})" for name in many)
    return [
        f"More than {MANY} labels, judged by the mean outcome of each label on other rows: {named}."
    ]


def instability(chosen: MethodPart) -> list[str]:
    """A warning that belongs beside the answer; none if half of the samples mostly agree."""
    stability = chosen["stability"]
    if stability is None or not stability["index"] < UNSTABLE:
        return []
    return [
        f"The choice {NOT_STABLE} ({number(stability['index'], 2)}, where 1 is always the same "
        "and 0 is chance): half of the samples would often lead to other features."
    ]


def decided_otherwise(
    features: Sequence[Mapping[str, Any]], n_resamples: int
) -> tuple[list[str], list[str]]:
    """What is kept and no half of the samples chooses; what every half does, and is not kept."""
    if n_resamples < ENOUGH_RESAMPLES:
        return [], []
    never, always = (
        [row["name"] for row in features if row["kept"] is kept and row["stability"] == share]
        for kept, share in ((True, 0.0), (False, 1.0))
    )
    return never, always


def other_halves(features: Sequence[Mapping[str, Any]], n_resamples: int) -> list[str]:
    """Warnings where every half of the samples decides otherwise than all of them.

    The rule is the same; then the number of samples changes the ranking, as it does where a
    method looks at a fixed number of neighbours.
    """
    never, always = decided_otherwise(features, n_resamples)
    why = f"{FEWER_ROWS}, so treat this as undecided"
    found = [f"No half of the rows chooses {listed(never)}, all rows together do: {why}."]
    found += [f"Every half of the rows chooses {listed(always)}, all rows together do not: {why}."]
    return [said for said, names in zip(found, (never, always), strict=True) if names]


def result_caveats(
    summary: dict[str, Any], methods: Sequence[MethodPart], splits: Splits, *, default_model: bool
) -> list[str]:
    """What in the result calls for care."""
    found = []
    if splits.groups or splits.time:
        found.append(f"Judged over {splits.words}.")
    chosen = next(m for m in methods if m["name"] == summary["answer"]["method"])
    if summary["answer"]["helps"]:
        found += _poor_start(chosen, summary["answer"]["score"])
    if summary["answer"]["n_features"] < summary["answer"]["of"]:  # else all are needed
        found += [
            f"{listed(group)} say nearly the same; {ONE_MAY_DO}." for group in summary["groups"]
        ]
    if splits.weights:
        found.append(f"Rows count by {splits.weights}, in rankings, models and scores.")
    if len(methods) > 1:
        found.append(
            f"{chosen['name']} was chosen among {len(methods)} methods by their curves; the "
            "held-out score allows for that, the curve does not."
        )
    if default_model:
        found.append(
            "Features were judged by a linear model; to another one, features that act only "
            "together or along a curve may be worth more."
        )
    return found


def _poor_start(chosen: MethodPart, score: Score) -> list[str]:
    """What a first feature that is worse than guessing means."""
    sizes, means = np.asarray(chosen["curve"]["n_features"]), chosen["curve"]["mean"]
    alone, guess = float(means[0]), score["guess"]["mean"]  # type: ignore[arg-type]
    gain = alone - guess if score["larger_is_better"] else guess - alone
    if sizes[0] != 1 or not gain < 0:
        return []
    return [
        f"{chosen['order'][0]} is ranked first, yet {NO_BETTER_ALONE} ({number(alone)} against "
        f"{number(guess)}): it counts together with others, if at all."
    ]
