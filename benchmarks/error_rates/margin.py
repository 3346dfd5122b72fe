"""How often noise passes by the p-values of the Relief family; the full table is a page of its own.

The selectors and kinds of data are those of ``benchmarks.margin_rates``.
"""

from __future__ import annotations

import numpy as np

from benchmarks.designs import Design, draw
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row
from benchmarks.margin_rates import DESIGNS, SELECTORS

RATE, TABLES, POWER_TABLES = 0.05, 150, 50
NAMES = ("ReliefF", "ReliefF, any", "OReliefF")
KINDS = ("n = 200", "classes 10:90, n = 60", "classes 10:90", "mixed types and spreads", "nominal",
         "all pairs correlated 0.8", "5 relevant beside it")  # fmt: skip
CONTROLS = ("family", "fdr")


def judge(name: str, design: Design, seed: int) -> list[float]:
    """Noise kept at all, its share among the kept, the share found; for both controls."""
    X, y, nominal = draw(design, seed)
    noise = np.arange(X.shape[1]) < design.p
    found: list[float] = []
    for control in CONTROLS:
        selector = SELECTORS[name](nominal).set_params(threshold=control, error_rate=RATE)
        kept = selector.fit(X, y).support_
        found += [(kept & noise).any(), (kept & noise).sum() / max(kept.sum(), 1)]
        found.append(kept[~noise].mean() if design.relevant else 0.0)
    return found


def rows(cells: Cells) -> dict[str, list[Row]]:
    """For both controls, every selector on every kind of data."""
    tables: dict[str, list[Row]] = {control: [] for control in CONTROLS}
    for design in (design for design in DESIGNS if design.name in KINDS):
        for name in NAMES:
            alone = _measure(cells, name, design, TABLES)
            signal = design if design.relevant else design._replace(relevant=5, effect=0.5)
            beside = _measure(cells, name, signal, POWER_TABLES)
            for c, control in enumerate(CONTROLS):
                rate = alone[:, 3 * c + (control == "fdr")]
                row = Row(f"{name}; {design.name}", RATE, rate, beside[:, 3 * c + 2])
                tables[control].append(row)
    return tables


def _measure(cells: Cells, name: str, design: Design, n: int) -> np.ndarray:
    label = f"margin, {name}, {design.name}, {design.relevant} relevant"
    return cells.measure(label, lambda seed: judge(name, design, seed), n)
