"""How often something is kept wrongly, and what is found, where rows depend on each other.

Features and target have nothing to do with each other, but both are slow along time, drift, or
differ from subject to subject; for the power one feature takes part in the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row
from echelon import AutoSelector

NOMINAL, TABLES, POWER_TABLES = 0.05, 40, 20
N, FEATURES = 150, 5


def slow(rng: np.random.Generator, columns: int, slowness: float) -> np.ndarray:
    """Series of which each value is a part of the one before, and chance; deviation 1 or a walk."""
    values = rng.normal(size=(2 * N, columns))
    for t in range(1, 2 * N):
        values[t] += slowness * values[t - 1]
    return values[N:] * (np.sqrt(1 - slowness**2) if slowness < 1 else 1.0)


def drifting(rng: np.random.Generator, columns: int) -> np.ndarray:
    """Noise along lines of any slope, up to four deviations from end to end."""
    slopes = rng.uniform(-4, 4, columns)
    return rng.normal(size=(N, columns)) + np.linspace(0, 1, N)[:, None] * slopes


def of_subjects(rng: np.random.Generator, columns: int) -> np.ndarray:
    """Thirty subjects of five rows, which differ as much between as within subjects."""
    return rng.normal(size=(N // 5, columns)).repeat(5, axis=0) + rng.normal(size=(N, columns))


class Kind(NamedTuple):
    """How rows depend on each other."""

    name: str
    draw: Callable[[np.random.Generator, int], np.ndarray]
    known: dict[str, Any]
    """What ``fit`` is told."""
    effect: float
    """Of the first feature, in deviations, where there is a signal; the rest is noise as ever."""


TIME, SUBJECTS = {"time": np.arange(N)}, {"groups": np.arange(N) // 5}
KINDS = [
    Kind("along time, independent", lambda rng, p: slow(rng, p, 0.0), TIME, 0.5),
    Kind("along time, AR(0.9)", lambda rng, p: slow(rng, p, 0.9), TIME, 0.5),
    Kind("along time, random walks", lambda rng, p: slow(rng, p, 1.0), TIME, 1.0),
    Kind("along time, lines and noise", drifting, TIME, 0.5),
    Kind("30 subjects of 5 rows", of_subjects, SUBJECTS, 0.5),
]


def judge(kind: Kind, signal: bool, seed: int) -> list[float]:
    """Whether anything is kept."""
    rng = np.random.default_rng([seed, N, FEATURES])
    X, y = kind.draw(rng, FEATURES), kind.draw(rng, 1)[:, 0]
    if signal:
        y = y + kind.effect * X[:, 0]
    selector = AutoSelector(random_state=seed, n_jobs=1).fit(X, y, **kind.known)
    return [selector.support_.any()]


def rows(cells: Cells) -> list[Row]:
    """One for every kind of dependence."""
    found = []
    for kind in KINDS:
        kept, power = (
            cells.measure(
                f"dependent, {kind.name}{', signal' if signal else ''}",
                lambda seed, k=kind, s=signal: judge(k, s, seed),
                n,
            )
            for signal, n in ((False, TABLES), (True, POWER_TABLES))
        )
        found.append(Row(kind.name, NOMINAL, kept[:, 0], power[:, 0]))
    return found
