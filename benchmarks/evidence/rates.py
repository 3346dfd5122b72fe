"""Rates of every method on every design, in rounds: all designs first get a few data sets."""

from __future__ import annotations

import numpy as np

from benchmarks.error_rates.cells import Cells
from benchmarks.evidence.designs import DESIGNS
from benchmarks.evidence.measure import METHODS, OUTCOMES, judge

ROUNDS = (10, 20, 30, 40, 60, 80, 100, 150, 200)
LARGE = 10_000
"""Designs of at least so many cells get a quarter of the data sets."""


def rates(cells: Cells) -> dict[str, np.ndarray]:
    """Design -> outcomes of shape (n_tables, n_methods, n_outcomes)."""
    found = {}
    for n in ROUNDS:
        for design in DESIGNS:
            size = max(2, n // 4) if design.n * design.p >= LARGE else n
            rows = cells.measure(
                f"evidence, {design.name}", lambda seed, d=design: judge(d, seed), size
            )
            found[design.name] = rows.reshape(len(rows), len(METHODS), len(OUTCOMES))
    return found
