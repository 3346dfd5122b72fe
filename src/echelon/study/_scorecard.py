"""Weights of evidence of the best features for two classes, in monotone bins, as in scorecards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.filters import InformationValue
from echelon.methods import CONTINUOUS
from echelon.study._design import Design

MOST_BINNED = 10
"""Features that are shown with their bins, whether they have a stated direction or not."""


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
