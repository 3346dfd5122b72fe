"""What in a result calls for care, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from echelon._core.words import counted, listed, number
from echelon.profile import Facts
from echelon.study._folds import Splits
from echelon.study._many_labels import MANY, many_labels
from echelon.study.types import MethodPart

UNSTABLE = 0.6
"""Below this stability a caveat is due."""


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


def result_caveats(
    summary: dict[str, Any], methods: Sequence[MethodPart], splits: Splits, *, default_model: bool
) -> list[str]:
    """What in the result calls for care."""
    found = []
    if splits.groups or splits.time:
        found.append(f"Judged over {splits.words}.")
    chosen = next(m for m in methods if m["name"] == summary["answer"]["method"])
    stability = chosen["stability"]
    if stability and stability["index"] < UNSTABLE:
        found.append(
            f"The choice is not stable ({number(stability['index'], 2)}, where 1 is always the "
            "same and 0 is chance): half of the samples would often lead to other features."
        )
    if summary["answer"]["n_features"] < summary["answer"]["of"]:  # else all are needed
        found += [
            f"{listed(group)} say nearly the same; one may do." for group in summary["groups"]
        ]
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
