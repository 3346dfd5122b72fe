"""Real tables: permuted copies of their columns, and labels on halves of their rows."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.error_rates.cells import Cells
from benchmarks.ordered.data import NAMES, find
from echelon import ConditionalEvidence
from papers.data import NO_FEATURES

MOST_ROWS = 400
LEVEL = 0.05
RUNS = 3
"""Permutations, and divisions into halves, of every set."""


def load(name: str, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of any kind, and codes of the ordered classes; at most so many rows."""
    frame = pd.read_csv(find(folder, [name])[name])
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    y = frame.pop("target").rank(method="dense").astype(int) - 1
    X = frame.drop(columns=["vendor", *NO_FEATURES], errors="ignore")
    return X.loc[:, [len(X[name].unique()) > 1 for name in X]].reset_index(drop=True), y.to_numpy()


def _fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> ConditionalEvidence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = ConditionalEvidence(kind="ordinal", n_jobs=1, random_state=seed)
        return method.fit(X, y)


def judge(name: str, folder: Path, seed: int) -> list[float]:
    """What is said of copies, and whether halves agree.

    Of permuted copies the share with a conditional p-value of at most 0.05, that labelled needed
    and that labelled replaceable; the share of columns needed; whether any copy is needed.  Of two
    halves the share of equal labels, that of equal answers to "needed?", and what chance would
    give for the latter.
    """
    X, y = load(name, folder)
    rng = np.random.default_rng(seed)
    copies = X.apply(lambda column: rng.permutation(column.to_numpy())).add_suffix(" permuted")
    both = _fit(pd.concat([X, copies], axis=1), y, seed)
    copied = np.arange(2 * X.shape[1]) >= X.shape[1]
    labels = both.labels_
    found = [
        (both.p_values_[copied] <= LEVEL).mean(),
        (labels[copied] == "needed").mean(),
        (labels[copied] == "replaceable").mean(),
        (labels[~copied] == "needed").mean(),
        (labels[copied] == "needed").any(),
    ]
    rows = rng.permutation(len(X))
    one, two = (_fit(X.iloc[half], y[half], seed).labels_ for half in np.array_split(rows, 2))
    first, second = one == "needed", two == "needed"
    chance = first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    return [float(v) for v in (*found, (one == two).mean(), (first == second).mean(), chance)]


def results(cells: Cells) -> dict[str, np.ndarray]:
    """Set -> outcomes; none where ``ECHELON_DATA`` names no folder."""
    folder = os.environ.get("ECHELON_DATA")
    if folder is None:
        return {}
    return {
        name: cells.measure(
            f"real, {name}", lambda seed, n=name: judge(n, Path(folder), seed), RUNS
        )
        for name in NAMES
    }
