"""From a task to the bounds and the relevance of every feature, step by step.

1. The cost of loss, C, by cross-validation.
2. The fit, whose objective is the optimum.
3. Probes: by how much chance lowers the optimum is the tolerance (``_probes``).
4. The bounds of every weight among the models within the tolerance.
5. The bounds of the probes: what noise exceeds at the rate asked for is the threshold.
6. Relevance: a feature is relevant if its upper bound is above the threshold, and strongly so if
   no good model can do without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from echelon.bounds._jobs import Jobs
from echelon.bounds._probes import (
    chance_level,
    chance_tolerance,
    draw_columns,
    fit_probe,
    n_probes_for,
    probe_bound,
)
from echelon.bounds._program import Program, Solution
from echelon.bounds._solvers import checked, likely_sides, solver_for, weight_bounds
from echelon.bounds._task import Task

IRRELEVANT, WEAK, STRONG = 0, 1, 2

COSTS = np.array([1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0])
"""Values of C tried, times the number of samples: the loss is a sum over samples."""

N_PERMUTATIONS = 5
"""Permutations of a feature that decide whether models can do without it."""

NEGLIGIBLE = 1e-6
"""A weight of this share of the L1 norm is 0: solvers are exact to 1e-7."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What the user chose, or left to the method."""

    C: float | None
    tolerance: float | str
    n_probes: int | str
    rate: float
    budget: str
    cv: Any
    solver: str


@dataclass(frozen=True, eq=False)
class Study:
    """What was found out about one task; weights are shares of the L1 norm of the fit."""

    task: Task
    settings: Settings
    fit: Solution
    C: float
    tolerance: float
    program: Program
    intervals: np.ndarray
    probe_threshold: float
    relevance: np.ndarray
    n_programs: int
    n_fallbacks: int = 0
    """Programs for which HiGHS had to be asked."""


def run_study(
    task: Task, settings: Settings, jobs: Jobs, fixed: Mapping[int, Any], random_state: Any
) -> Study:
    """Carry out the steps."""
    C, n_fits = settings.C, 0
    if C is None:
        C, n_fits = choose_cost(task, settings, jobs, random_state)
    program = task.program(C)
    fit = checked(solver_for(program, settings.solver).fit(), "The fit")
    free = np.flatnonzero(task.X.any(axis=0))
    if fit.l1_norm * np.abs(task.X).max() <= NEGLIGIBLE:
        return _nothing(task, settings, fit, C, n_fits + 1)
    limits = {f: 0.0 for f in range(task.X.shape[1]) if f not in set(free)}
    limits |= {f: _scaled(value, fit.l1_norm) for f, value in fixed.items()}
    probes = _fitted_probes(task, settings, C, free, jobs, random_state)
    tolerance = settings.tolerance
    if tolerance == "auto":
        tolerance = chance_tolerance(fit, probes, settings.rate)
    models = program.within(fit, float(tolerance), settings.budget).fixing(limits)
    intervals, n_fallbacks = _intervals(models, fit, free, settings, jobs)
    bounds = jobs(
        "Bounds of probes",
        probe_bound,
        [(task, C, probe, tolerance, settings.budget, limits, settings.solver) for probe in probes],
    )
    n_fallbacks += sum(bound.n_fallbacks for bound in bounds)
    n_fallbacks += fit.fallback + sum(probe.fit.fallback for probe in probes)
    threshold = chance_level([bound.upper for bound in bounds], settings.rate) / fit.l1_norm
    relevance = np.where(intervals[:, 1] > threshold, WEAK, IRRELEVANT)
    # Above noise and needed: a second way to be relevant would double the false positives.
    candidates = np.flatnonzero((relevance == WEAK) & (intervals[:, 0] > 0))
    relevance[_indispensable(task, models, candidates, settings, jobs, random_state)] = STRONG
    n_programs = n_fits + 1 + 3 * len(probes) + 2 * len(free)
    n_programs += N_PERMUTATIONS * len(candidates)
    return Study(
        task, settings, fit, C, float(tolerance), models, intervals, threshold,
        relevance, n_programs, n_fallbacks,
    )  # fmt: skip


def choose_cost(task: Task, settings: Settings, jobs: Jobs, random_state: Any) -> tuple[float, int]:
    """The C with the smallest error in cross-validation, the smallest of equals, and the fits."""
    costs = COSTS / len(task.X)
    folds = task.folds(settings.cv, random_state)
    pairs = [(C, fold) for C in costs for fold in folds]
    errors = jobs("Choosing C", _error, [(task, *pair, settings.solver) for pair in pairs])
    means = np.reshape(errors, (len(costs), len(folds))).mean(axis=1)
    # Equal up to rounding is equal: then the more regularised model.
    best = int(np.argmax(means <= means.min() * (1 + 1e-9)))
    return float(costs[best]), len(pairs)


def _error(task: Task, C: float, fold: Any, solver: str) -> float:
    return task.error(C, fold, lambda program: solver_for(program, solver).fit())


def _fitted_probes(
    task: Task, settings: Settings, C: float, free: np.ndarray, jobs: Jobs, random_state: Any
) -> list[Any]:
    """Probes, as many as asked for or as the rate needs."""
    needed = n_probes_for(settings.rate)
    n_probes = needed if settings.n_probes == "auto" else int(settings.n_probes)
    if n_probes < needed:
        warnings.warn(
            f"A `false_positive_rate` of {settings.rate:g} cannot be told from {n_probes} probes; "
            f"the rate is {1 / (n_probes + 1):.2g} instead. Ask for {needed} probes.",
            UserWarning,
            stacklevel=2,
        )
    columns = draw_columns(task.X[:, free], n_probes, random_state)
    arguments = [(task, C, column, settings.solver) for column in columns]
    return jobs("Fitting probes", fit_probe, arguments)


def _intervals(
    models: Program, fit: Solution, free: np.ndarray, settings: Settings, jobs: Jobs
) -> tuple[np.ndarray, int]:
    """Bounds of all |w|, as shares of the L1 norm (0 for constant features), and fall-backs."""
    intervals = np.zeros((models.X.shape[1], 2))
    sides = likely_sides(models, fit)
    arguments = [
        (models, int(f), sides[f], settings.solver, f"The bound of feature {f}") for f in free
    ]
    bounds = jobs("Bounds of features", weight_bounds, arguments)
    intervals[free] = [each[:2] for each in bounds]
    intervals /= fit.l1_norm
    intervals[intervals[:, 0] <= NEGLIGIBLE, 0] = 0.0
    return intervals, sum(each.n_fallbacks for each in bounds)


def _indispensable(
    task: Task,
    models: Program,
    candidates: np.ndarray,
    settings: Settings,
    jobs: Jobs,
    random_state: Any,
) -> np.ndarray:
    """Features without which, values permuted, most of the time no model keeps the budget."""
    arguments = [
        (models, feature, random_state.permutation(task.X[:, feature]), settings.solver)
        for feature in candidates
        for _ in range(N_PERMUTATIONS)
    ]
    fails = jobs("Doing without features", _is_infeasible, arguments)
    return candidates[np.reshape(fails, (-1, N_PERMUTATIONS)).mean(axis=1) > 0.5]


def _is_infeasible(models: Program, feature: int, column: np.ndarray, solver: str) -> bool:
    found = solver_for(models.replacing(feature, column), solver).extreme(feature, 1)
    return found.status == "infeasible"


def _nothing(task: Task, settings: Settings, fit: Solution, C: float, n_programs: int) -> Study:
    """All features irrelevant: the best model uses none."""
    warnings.warn(
        f"The best model at C = {C:.3g} uses no feature at all, so every feature is called "
        "irrelevant. Give a larger `C` if you know better.",
        UserWarning,
        stacklevel=2,
    )
    p = task.X.shape[1]
    tolerance = 0.0 if settings.tolerance == "auto" else float(settings.tolerance)
    return Study(
        task, settings, fit, C, tolerance, task.program(C), np.zeros((p, 2)), 0.0,
        np.zeros(p, dtype=int), n_programs,
    )  # fmt: skip


def _scaled(limit: Any, norm: float) -> Any:
    """A fixed weight, or its limits, from shares of the L1 norm to weights."""
    return limit * norm if isinstance(limit, Real) else tuple(float(v) * norm for v in limit)
