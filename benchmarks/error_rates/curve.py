"""What the standard error of a feature curve is worth, and ``CurveSelector(allow_none=True)``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from benchmarks.designs import Design, draw
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row
from echelon import CurveSelector, OrdinalDecomposition, OReliefF, ReliefF
from echelon.evaluation import feature_curve, rank_loss_scorer

NOMINAL, TABLES, POWER_TABLES, ERROR_TABLES = 0.05, 80, 25, 80


class Setup(NamedTuple):
    """A kind of data, and how features are ranked and judged on it."""

    design: Design
    selector: Any
    model: Any
    scoring: Any = None


CLASSES = (ReliefF(n_jobs=1), GaussianNB())
ORDERED = (OReliefF(n_jobs=1), OrdinalDecomposition(GaussianNB(), n_jobs=1), rank_loss_scorer)
NUMBERS = (SelectKBest(f_regression), Ridge())
SMALL = {"n": 80, "p": 10}

SETUPS = [
    Setup(Design("2 classes, accuracy", **SMALL), *CLASSES),
    Setup(Design("2 classes, correlated 0.8", correlation=0.8, **SMALL), *CLASSES),
    Setup(
        Design("2 classes 10:90, balanced accuracy", n=150, p=10, minority=0.1),
        *CLASSES,
        "balanced_accuracy",
    ),
    Setup(Design("2 classes, n = 40", n=40, p=10), *CLASSES),
    Setup(Design("5 ordered classes, error in classes", n_classes=5, **SMALL), *ORDERED),
    Setup(Design("numbers, R²", target="numbers", **SMALL), *NUMBERS),
]

BOTH_RULES = ("2 classes, accuracy", "numbers, R²")


def with_signal(setup: Setup) -> Setup:
    """Two weak features in the place of two of noise."""
    design = setup.design
    effect = 0.7 if design.n_classes == 2 and design.target == "codes" else 0.3
    changed = design._replace(p=design.p - 2, relevant=2, effect=effect)
    return setup._replace(design=changed)


def keeps(setup: Setup, rule: str, seed: int) -> list[float]:
    """Whether anything is kept."""
    X, y, _ = draw(setup.design, seed)
    selector = CurveSelector(
        setup.selector, setup.model, rule,
        scoring=setup.scoring, allow_none=True, n_jobs=1, random_state=seed,
    )  # fmt: skip
    return [selector.fit(X, y).support_.any()]


def score_and_errors(setup: Setup, seed: int) -> list[float]:
    """Mean score of all features over five folds, and its standard error: plain, corrected."""
    X, y, _ = draw(setup.design, seed)
    curve = feature_curve(
        setup.selector, setup.model, X, y,
        sizes=[X.shape[1]], scoring=setup.scoring, n_jobs=1, random_state=seed,
    )  # fmt: skip
    plain = curve.scores[0].std(ddof=1) / np.sqrt(curve.scores.shape[1])
    return [curve.mean_scores[0], plain, curve.standard_errors[0]]


def rows(cells: Cells) -> list[Row]:
    """The test of ``allow_none``, with both rules."""
    found = []
    for setup in SETUPS:
        name, signal = setup.design.name, with_signal(setup)
        for rule in ("best", "one_se") if name in BOTH_RULES else ("best",):
            kept = cells.measure(
                f"curve, {name}, {rule}", lambda s, a=setup, r=rule: keeps(a, r, s), TABLES
            )
            power = cells.measure(
                f"curve, signal, {name}, {rule}",
                lambda s, a=signal, r=rule: keeps(a, r, s),
                POWER_TABLES,
            )
            found.append(Row(f"{name}; {rule}", NOMINAL, kept[:, 0], power[:, 0]))
    return found


ERRORS_HEAD = ("data", "true SD", "plain / true", "corrected / true", "data sets")


def errors(cells: Cells) -> list[tuple[str, ...]]:
    """Root mean squares of the standard errors beside the true one: the SD over data sets."""
    lines = []
    for setup in [*SETUPS, *map(with_signal, SETUPS)]:
        words = "signal" if setup.design.relevant else "noise"
        name = f"{setup.design.name}; {words}"
        found = cells.measure(
            f"errors, {name}", lambda s, a=setup: score_and_errors(a, s), ERROR_TABLES
        )
        true = found[:, 0].std(ddof=1)
        plain, corrected = np.sqrt((found[:, 1:] ** 2).mean(axis=0)) / true
        lines.append((name, f"{true:.4f}", f"{plain:.2f}", f"{corrected:.2f}", str(len(found))))
    return lines
