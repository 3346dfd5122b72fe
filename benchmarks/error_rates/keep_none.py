"""How often the answer keeps something where there is nothing: the test of ``AutoSelector``."""

from __future__ import annotations

import numpy as np

from benchmarks.designs import Design, draw
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row
from echelon import AutoSelector

FIRST_SEED = 1000
"""Tables before this one were looked at while the level was divided between the two tests."""
NOMINAL, TABLES, POWER_TABLES = 0.05, 40, 20

SMALL = {"n": 80, "p": 10}
CLASSES = {**SMALL, "target": "labels"}

DESIGNS = [
    Design("2 classes, independent", **CLASSES),
    Design("2 classes, all pairs correlated 0.8", correlation=0.8, **CLASSES),
    Design("2 classes 10:90, n = 150", minority=0.1, n=150, p=10, target="labels"),
    Design("2 classes, n = 40", n=40, p=10, target="labels"),
    Design("2 classes, 60 columns", n=80, p=60, target="labels"),
    Design("4 classes without an order", n_classes=4, **CLASSES),
    Design("5 ordered classes", n_classes=5, **SMALL),
    Design("numbers", target="numbers", **SMALL),
]

SIGNALS = {
    "2 classes, independent": Design("", relevant=2, n=80, p=8, target="labels"),
    "4 classes without an order": Design(
        "", relevant=2, n=80, p=8, n_classes=4, target="labels", effect=0.4
    ),
    "5 ordered classes": Design("", relevant=2, n=80, p=8, n_classes=5, effect=0.3),
    "numbers": Design("", relevant=2, n=80, p=8, target="numbers", effect=0.3),
}
"""Two weak features among eight of noise."""


def judge(design: Design, seed: int) -> list[float]:
    """Whether anything is kept."""
    X, y, _ = draw(design, FIRST_SEED + seed)
    selector = AutoSelector(random_state=seed, n_jobs=1).fit(X, y)
    return [selector.support_.any()]


def rows(cells: Cells) -> list[Row]:
    """One for every kind of noise, and one for all of them."""
    found = []
    for design in DESIGNS:
        kept = cells.measure(f"keep none, {design.name}", lambda s, d=design: judge(d, s), TABLES)
        found.append(Row(design.name, NOMINAL, kept[:, 0], _power(cells, design.name)))
    every = np.concatenate([row.outcomes for row in found])
    return [*found, Row("all of these together", NOMINAL, every)]


def _power(cells: Cells, name: str) -> np.ndarray | None:
    if name not in SIGNALS:
        return None
    signal = SIGNALS[name]
    label = f"keep none, signal, {name}"
    return cells.measure(label, lambda seed: judge(signal, seed), POWER_TABLES)[:, 0]
