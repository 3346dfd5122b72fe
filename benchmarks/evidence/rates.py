"""Rates of every method on every design, in rounds: all designs first get a few data sets."""

from __future__ import annotations

import numpy as np

from benchmarks.error_rates.cells import Cells
from benchmarks.evidence.designs import DESIGNS
from benchmarks.evidence.measure import METHODS, OUTCOMES, judge

ROUNDS = (10, 20, 30, 40, 60, 80, 100, 150, 200)


def rates(cells: Cells) -> dict[str, np.ndarray]:
    """Design -> outcomes of shape (n_tables, n_methods, n_outcomes)."""
    found = {}
    for n in ROUNDS:
        for design in DESIGNS:
            rows = cells.measure(
                f"evidence, {design.name}", lambda seed, d=design: judge(d, seed), n
            )
            found[design.name] = rows.reshape(len(rows), len(METHODS), len(OUTCOMES))
    return found
