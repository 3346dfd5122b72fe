"""Probes: columns of noise that show what chance alone can do.

A probe is a feature with its values permuted, *added* to the data: all features stay, and whatever
the probe achieves it achieves by chance.  It answers two questions.

- How much can the objective fall by chance?  The fall of the optimum when a probe is added.  A
  tolerance below it takes the luck of a noise feature for relevance, one far above it hides real
  relevance; so this fall, relative to the optimum, *is* the tolerance.
- How large can a weight become by chance?  The upper bound of the probe, among all models within
  that tolerance of the optimum with the probe.

A noise feature that is independent of the others cannot be told from a probe, so each of the two
numbers exceeds the k-th largest of n probes with probability k / (n + 1).  (Not so for a feature
that is correlated with others: see ``_blocks``.)  Features share these probes, except that those
carried by a few samples (an indicator that is seldom 1, a column with an outlier) have probes of
their own kind: where all of these samples are of one class such a column can have any weight at no
loss, and noise that does so is no measure for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from echelon.bounds._program import Program, Solution
from echelon.bounds._solvers import WeightBounds, likely_sides, solver_for, weight_bounds
from echelon.bounds._task import Task

LEAST_TOLERANCE = 1e-3
"""Where probes gain nothing, as under strong regularisation; without it models could not move."""

SMALLEST_RATE = 1e-6
"""Below it, the probes that can tell would take days."""


class Probe(NamedTuple):
    """The fit of the data with one probe more (the last feature)."""

    column: np.ndarray
    fit: Solution


def n_probes_for(rate: float) -> int:
    """The fewest probes that can tell whether something happens at that rate."""
    if rate < SMALLEST_RATE:
        raise ValueError(
            f'`false_positive_rate` must be at least {SMALLEST_RATE:g} for n_probes="auto", '
            f"which draws 1 / rate probes, got {rate:g}. Choose a larger one."
        )
    return int(np.ceil(1 / rate))


def n_own_probes(rate: float, n_probes: int | str) -> tuple[int, int]:
    """How many probes a feature has of its own, and how many of them may reach it.

    Noise is reached by k or fewer of n probes with probability (k + 1) / (n + 1).
    """
    n = n_probes_for(rate) - 1 if n_probes == "auto" else int(n_probes)
    return n, max(0, int(np.floor(rate * (n + 1) + 1e-9)) - 1)


def carried_by_few(task: Task, rate: float) -> np.ndarray:
    """Features so few samples carry that by chance all of them are on a side without loss.

    The samples that carry a feature are counted as n / fourth moment: the ones of a rare
    indicator, n / 3 for a normal feature.  The side is that of the commonest class, or half of the
    samples.  Half of what a normal feature has is never few.  A regression has no such side.
    """
    if task.regression:
        return np.zeros(task.X.shape[1], bool)
    n = len(task.X)
    share = max(0.5, np.bincount(task.target).max() / n)
    few = min(1 + np.log(rate) / np.log(share), n / 6)
    return n <= few * np.mean(task.X**4, axis=0)


def draw_columns(X: np.ndarray, n_probes: int, random_state: Any) -> list[np.ndarray]:
    """Permuted features, every feature in turn."""
    features = np.resize(random_state.permutation(X.shape[1]), n_probes)
    return [random_state.permutation(X[:, feature]) for feature in features]


@dataclass(frozen=True, eq=False)
class GoodModels:
    """The models within the tolerance, and what they come from.

    Attributes
    ----------
    task : Task
        Samples and target.
    C : float
        The cost of loss.
    fit : Solution
        The optimum.
    models : Program
        The models within the tolerance.
    tolerance : float
        By what share they may exceed the optimum.
    budget, solver : str
        As the user chose.
    """

    task: Task
    C: float
    fit: Solution
    models: Program
    tolerance: float
    budget: str
    solver: str

    @property
    def given(self) -> bool:
        """Whether weights of features that vary are given."""
        return any(self.models.X[:, f].any() for f in limits_of(self.models))

    def and_others(self, program: Program, fit: Solution | None) -> Program:
        """The good models of a program with more features.

        Weights that are fixed here are fixed there, too; then the budgets from here hold, since
        the better optimum of more features may leave no model with these weights.  They hold as
        well where the fit is None.
        """
        if fit is None or self.given:
            within = replace(program, budgets=self.models.budgets, scale=self.models.scale)
        else:
            within = program.within(fit, self.tolerance, self.budget)
        return within.fixing(limits_of(self.models))


def fit_probe(task: Task, C: float, column: np.ndarray, solver: str) -> Probe:
    """Fit the data with a probe."""
    return Probe(column, solver_for(task.with_columns(column).program(C), solver).fit())


def probe_bound(good: GoodModels, probe: Probe) -> WeightBounds:
    """Bounds of the absolute weight of a probe among the models within the tolerance."""
    program = good.task.with_columns(probe.column).program(good.C)
    within = good.and_others(program, probe.fit)
    last = program.X.shape[1] - 1
    side = likely_sides(program, probe.fit)[last]
    return weight_bounds(within, last, side, good.solver, "The bound of a probe")


def limits_of(models: Program) -> dict[int, tuple[float, float]]:
    """Weights with limits, and the limits."""
    limited = np.flatnonzero(np.isfinite(models.low) | np.isfinite(models.high)).tolist()
    return {f: (models.low[f], models.high[f]) for f in limited}


def chance_level(values: Sequence[float] | np.ndarray, rate: float) -> float:
    """What noise exceeds at the given rate: the k-th largest, k = rate * number of values."""
    k = max(1, int(np.floor(rate * len(values) + 1e-9)))
    return float(np.sort(values)[-k])


def chance_tolerance(fit: Solution, probes: list[Probe], n_kinds: int, rate: float) -> float:
    """The share of the optimum by which chance, with probes of any kind, may lower it."""
    gains = np.reshape([fit.objective - probe.fit.objective for probe in probes], (n_kinds, -1))
    level = max(chance_level(each, rate) for each in gains)
    return max(LEAST_TOLERANCE, level / fit.objective)
