"""How often noise passes ``null_threshold``, and how often what matters does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_selection import SelectKBest

from benchmarks.designs import Design, draw
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row
from echelon import ReliefF
from echelon.evaluation import NullThreshold, null_threshold

RATE, PERMUTATIONS = 0.1, 39
TABLES, POWER_TABLES = 100, 30

SELECTORS: dict[str, Any] = {"ReliefF": ReliefF(n_jobs=1), "F test": SelectKBest()}

KINDS: dict[str, dict[str, Any]] = {
    "independent": {},
    "all pairs correlated 0.8": {"correlation": 0.8},
    "classes 10:90": {"minority": 0.1},
    "mixed types and spreads": {"kind": "mixed"},
}
MANY, FEW = "5 relevant beside 15 noise", "2 strong ones beside 4 noise"

SIGNAL = {"n": 60, "p": 15, "relevant": 5, "effect": 1.0}
STRONG = Design(FEW, n=120, p=4, relevant=2, n_classes=3, effect=1.75)


class Tables(NamedTuple):
    """The three ways to judge the same scores."""

    family: list[Row]
    fdr: list[Row]
    raw: list[Row]
    """By the largest raw score of a permutation, whatever the spread of its feature."""


def judge(selector: Any, design: Design, seed: int) -> list[float]:
    """Noise passed at all, its share, and the share of relevant ones found: for all three ways."""
    X, y, _ = draw(design, seed)
    options = {"error_rate": RATE, "random_state": seed}
    result = null_threshold(selector, X, y, PERMUTATIONS, **options)
    masks = (result.support, result.judged(RATE, "fdr").support, _by_raw_scores(result))
    noise = np.arange(X.shape[1]) < design.p
    return [value for mask in masks for value in _outcome(mask, noise)]


def _by_raw_scores(result: NullThreshold) -> np.ndarray:
    defined = np.isfinite(np.vstack([result.scores, result.null])).all(axis=0)
    largest = result.null[:, defined].max(axis=1)
    reaching = (largest[:, None] >= result.scores).sum(axis=0)
    return ((1 + reaching) / (1 + len(largest)) <= RATE + 1e-9) & defined


def _outcome(mask: np.ndarray, noise: np.ndarray) -> tuple[float, float, float]:
    found = mask[~noise].mean() if (~noise).any() else 0.0
    return (mask & noise).any(), (mask & noise).sum() / max(mask.sum(), 1), found


def rows(cells: Cells) -> Tables:
    """All selectors on all kinds of noise, alone and beside features that matter."""
    tables = Tables([], [], [])
    for name, selector in SELECTORS.items():
        for kind, options in KINDS.items():
            noise = Design(kind, n=60, p=20, **options)
            signal = Design(f"{kind}, with signal", **SIGNAL, **options)
            alone = _measure(cells, name, selector, noise, TABLES)
            beside = _measure(cells, name, selector, signal, POWER_TABLES)
            _add(tables, f"{name}, noise, {kind}", alone, beside)
            if kind == "independent":
                _add(tables, f"{name}, {MANY}", beside, beside)
        strong = _measure(cells, name, selector, STRONG, POWER_TABLES)
        _add(tables, f"{name}, {FEW}", strong, strong)
    return tables


def _measure(cells: Cells, name: str, selector: Any, design: Design, n: int) -> np.ndarray:
    label = f"null threshold, {name}, {design.name}"
    return cells.measure(label, lambda seed: judge(selector, design, seed), n)


def _add(tables: Tables, data: str, alone: np.ndarray, beside: np.ndarray) -> None:
    for way, (table, rate) in enumerate(zip(tables, (0, 1, 0), strict=True)):
        table.append(Row(data, RATE, alone[:, 3 * way + rate], beside[:, 3 * way + 2]))
