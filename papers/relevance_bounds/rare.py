"""Table 2 without columns of rare values, which have probes of their own kind."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from echelon import RelevanceBounds
from papers.cells import Task
from papers.data import Data
from papers.pages import spread, table
from papers.relevance_bounds.benchmark import PRINTED, error_with, listed, test_part
from papers.relevance_bounds.rivals import alone, exceeds

REPETITIONS = {"automobile": 10, "bondrate": 10, "eucalyptus": 5, "tae": 10}
FARTHEST = 4.0
"""Standard deviations from the mean beyond which the value of a training sample is rare."""


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """One cell per hold-out, the first of those of Table 2."""
    return {
        f"rare/{FARTHEST}/{name}/{part}": partial(alone, run, data, name, part)
        for name, repetitions in list(REPETITIONS.items())[: 1 if quick else None]
        for part in range(2 if quick else repetitions)
    }


def run(data: Data, name: str, part: int) -> dict[str, Any]:
    """One hold-out, with all columns and without those of rare values."""
    X, y = (frame.to_numpy() for frame in data.load(name))
    test = test_part(data, name, part)
    known, labels = X[~test], y[~test]
    gaps = np.abs(known - known.mean(axis=0)).max(axis=0)
    common = gaps <= FARTHEST * known.std(axis=0)
    found: dict[str, Any] = {"name": name, "rare": int((~common).sum())}
    for key, kept in (("all", np.ones_like(common)), ("common", common)):
        bounds = RelevanceBounds(probes="single", random_state=part).fit(known[:, kept], labels)
        support = np.zeros_like(common)
        support[kept] = bounds.support_
        found[f"{key} threshold"] = bounds.probe_threshold_
        found[f"{key} relevant"] = int(support.sum())
        found[f"{key} not rare"] = int((support & common).sum())
        found[f"{key} error"] = error_with(support, bounds.C_, X, y, test)
    return found


def rare_table(runs: pd.DataFrame) -> str:
    """Thresholds, numbers of relevant features and errors, with and without rare values."""
    head = ("data", "hold-outs", "columns of rare values", "threshold", "without rare", "relevant",
            "of these, no rare values", "without rare", "MMAE", "without rare")  # fmt: skip
    columns = {"all threshold": 2, "common threshold": 2, "all relevant": 1,
               "all not rare": 1, "common relevant": 1, "all error": 3,
               "common error": 3}  # fmt: skip
    rows = []
    for name, group in runs.groupby("name", sort=False):
        values = (spread(group[column], digits) for column, digits in columns.items())
        rows.append((PRINTED[name].name, len(group), f"{group['rare'].mean():.1f}", *values))
    return table(head, rows)


def body(runs: pd.DataFrame) -> str:
    """What the page says about rare values."""
    return BODY.format(
        farthest=f"{FARTHEST:g}",
        threshold=larger(runs, "all threshold", "common threshold"),
        relevant=larger(runs, "common relevant", "all not rare"),
        less=larger(runs, "all error", "common error"),
        more=larger(runs, "common error", "all error"),
        table=rare_table(runs),
    )


def larger(runs: pd.DataFrame, one: str, other: str) -> str:
    """Data sets on which one value exceeds another."""
    groups = runs.groupby("name", sort=False)
    return listed([PRINTED[name].name for name, each in groups if exceeds(each[one], each[other])])


BODY = """
**Rare values.**  The benchmark codes nominal attributes as columns of 0 and 1, and in many of them
only a few samples are 1; a column with an outlier is of the same kind.  It can have a large weight
at next to no cost: the weight moves these few samples only, and where they are of the lowest or
highest class it moves them away from all thresholds.  Permuted it is still such a column, so that
its probes can reach bounds that no ordinary feature reaches.  Features that a few samples carry
therefore have probes, and a threshold, of their own; with one threshold for all, ordinary features
with the largest weights in the model were called irrelevant.  The table repeats the first hold-outs
without columns in which a training sample is more than {farthest} standard deviations from the
mean.  By more than two standard errors the threshold of the ordinary features is then lower on
{threshold}; more of the remaining columns are relevant on {relevant}; the error of the relevant
features is smaller on {less} and larger on {more}.

{table}
"""
