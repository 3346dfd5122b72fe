"""Slower methods on the same tables: what they select of what is needed, and of what is not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold

from benchmarks.error_rates.cells import Cells
from benchmarks.evidence.designs import DESIGNS, Design, Table, draw
from echelon import ConditionalEvidence, RelevanceBounds

LEVEL = 0.05
NAMES = ("AR 0.7", "all pairs 0.7", "curved effects")


def ours(table: Table, seed: int) -> np.ndarray:
    """Needed by itself: without an adjustment, as the others."""
    found = ConditionalEvidence(kind=table.kind, n_jobs=1, random_state=seed)
    return found.fit(table.X, table.y).p_values_ <= LEVEL


def bounds(table: Table, seed: int) -> np.ndarray:
    """Strongly or weakly relevant, at a false positive rate of 0.05."""
    found = RelevanceBounds(false_positive_rate=LEVEL, n_jobs=1, random_state=seed)
    return found.fit(table.X, table.y).support_


def boruta(table: Table, seed: int) -> np.ndarray:
    """Confirmed in 50 rounds of forests with 100 trees of depth 5, on the codes."""
    from boruta import BorutaPy

    forest = RandomForestRegressor(100, max_depth=5, random_state=seed)
    method = BorutaPy(forest, n_estimators=100, max_iter=50, random_state=seed)
    return method.fit(table.X.to_numpy(), table.y).support_


def conditional_importance(table: Table, seed: int) -> np.ndarray:
    """p-value of conditional feature importance of a forest on the codes, five folds."""
    from hidimstat import CFICV

    forest, folds = RandomForestRegressor(random_state=seed), KFold(5, shuffle=True, random_state=0)
    method = CFICV(forest, folds, feature_types="continuous", random_state=seed)
    with redirect_stderr(StringIO()):  # bars of progress
        method.fit_importance(table.X.to_numpy(), table.y.astype(float))
    return np.asarray(method.pvalues_) <= LEVEL


REFEREES: dict[str, tuple[str, Callable[[Table, int], np.ndarray], int]] = {
    "ConditionalEvidence": ("echelon", ours, 20),
    "RelevanceBounds": ("echelon", bounds, 20),
    "Boruta": ("boruta", boruta, 10),
    "hidimstat, CFI in five folds": ("hidimstat", conditional_importance, 10),
}
"""Name -> package, method, number of data sets."""


def judge(method: Callable[[Table, int], np.ndarray], design: Design, seed: int) -> list[float]:
    """Share selected of what is not needed, of what is, and seconds of processor time."""
    table = draw(design, seed)
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = method(table, seed)
    return [found[~table.needed].mean(), found[table.needed].mean(), process_time() - start]


def results(cells: Cells) -> dict[tuple[str, str], np.ndarray]:
    """(Design, method) -> outcomes, of methods that are installed."""
    return {
        (design.name, name): cells.measure(
            f"referees, {design.name}, {name}",
            lambda seed, m=method, d=design: judge(m, d, seed),
            n,
        )
        for design in DESIGNS
        if design.name in NAMES
        for name, (package, method, n) in REFEREES.items()
        if find_spec(package)
    }
