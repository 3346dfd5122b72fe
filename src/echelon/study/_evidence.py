"""Of features beside their ranking: conditional evidence, and weights of evidence in bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.evidence import ConditionalEvidence
from echelon.filters import InformationValue
from echelon.methods import CONTINUOUS
from echelon.study._design import Design
from echelon.study._study import Study

MOST_BINNED = 10
"""Features that are shown with their bins, whether they have a stated direction or not."""


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
