"""Table 2 without rare columns, whose probes set a threshold that other features cannot reach."""

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
LEAST_SHARE = 0.05
"""A column is rare if fewer training samples than this differ from its median."""


def tasks(data: Data, *, quick: bool) -> dict[str, Task]:
    """One cell per hold-out, the first of those of Table 2."""
    return {
        f"rare/{name}/{part}": partial(alone, run, data, name, part)
        for name, repetitions in list(REPETITIONS.items())[: 1 if quick else None]
        for part in range(2 if quick else repetitions)
    }


def run(data: Data, name: str, part: int) -> dict[str, Any]:
    """One hold-out, with all columns and without the rare ones."""
    X, y = (frame.to_numpy() for frame in data.load(name))
    test = test_part(data, name, part)
    known, labels = X[~test], y[~test]
    common = (known != np.median(known, axis=0)).mean(axis=0) >= LEAST_SHARE
    found: dict[str, Any] = {"name": name, "rare": int((~common).sum())}
    for key, kept in (("all", np.ones_like(common)), ("common", common)):
        bounds = RelevanceBounds(random_state=part).fit(known[:, kept], labels)
        support = np.zeros_like(common)
        support[kept] = bounds.support_
        found[f"{key} threshold"] = bounds.probe_threshold_
        found[f"{key} relevant"] = int(support.sum())
        found[f"{key} not rare"] = int((support & common).sum())
        found[f"{key} error"] = error_with(support, bounds.C_, X, y, test)
    return found


def rare_table(runs: pd.DataFrame) -> str:
    """Thresholds, numbers of relevant features and errors, with and without rare columns."""
    head = ("data", "hold-outs", "rare columns", "threshold", "without rare", "relevant",
            "of these not rare", "without rare", "MMAE", "without rare")  # fmt: skip
    columns = {"all threshold": 2, "common threshold": 2, "all relevant": 1,
               "all not rare": 1, "common relevant": 1, "all error": 3,
               "common error": 3}  # fmt: skip
    rows = []
    for name, group in runs.groupby("name", sort=False):
        values = (spread(group[column], digits) for column, digits in columns.items())
        rows.append((PRINTED[name].name, len(group), f"{group['rare'].mean():.1f}", *values))
    return table(head, rows)


def body(runs: pd.DataFrame) -> str:
    """What the page says about rare columns."""
    groups = list(runs.groupby("name", sort=False))
    less = [
        PRINTED[n].name for n, each in groups if exceeds(each["all error"], each["common error"])
    ]
    more = [
        PRINTED[n].name for n, each in groups if exceeds(each["common error"], each["all error"])
    ]
    return BODY.format(
        least=f"{LEAST_SHARE:.0%}", less=listed(less), more=listed(more), table=rare_table(runs)
    )


BODY = """
**Rare columns.**  The benchmark codes nominal attributes as columns of 0 and 1, and in many of them
only a few samples are 1.  Such a column can have a large weight at next to no cost: it moves these
few samples only, and if they are of the lowest or highest class it moves them away from all
thresholds.  Permuted it is still such a column.  The probes made of it reach bounds that ordinary
features, even those with the largest weights in the model, do not reach, and there is one threshold
for all.  The table repeats the first hold-outs without columns in which fewer than {least} of the
training samples differ from the median.  By more than two standard errors the error of the relevant
features is then smaller on {less}, larger on {more}.  Drop or merge rare categories before asking
for bounds.

{table}
"""
