"""From data to the bounds and the relevance of every feature, step by step.

1. The cost of loss, C, by cross-validation.
2. The fit, whose objective is the optimum.
3. Probes: by how much chance lowers the optimum is the tolerance (``_probes``).
4. The bounds of every weight among the models within the tolerance.
5. The bounds of the probes: what noise exceeds at the rate asked for is the threshold, one for
   features of either kind.
6. Relevance: a feature is relevant if its upper bound is above the threshold and, unless probes are
   single columns, above those of probes of its own (``_probes``); strongly so if no good model can
   do without it.  What is not above its own probes is explained if it is correlated with a feature
   that is relevant, and irrelevant if not.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from echelon._core.jobs import Jobs
from echelon._core.words import EXPLAINED, IRRELEVANT, STRONG, WEAK
from echelon.bounds._batch import in_batches
from echelon.bounds._data import TrainingData
from echelon.bounds._probes import (
    EXACT,
    FittedProbe,
    GoodModels,
    OwnProbes,
    ProbeBlock,
    blocks_for,
    carried_by_few,
    chance_level,
    chance_tolerance,
    draw_columns,
    explained_part,
    fit_probes,
    limits_of,
    n_own_probes,
    n_probes_for,
    probe_bounds,
    related,
)
from echelon.bounds._program import Objective, Program, Solution
from echelon.bounds._solvers import WeightBounds, checked, likely_sides, solve, weight_bounds

COSTS = np.array([1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0])
"""Values of C tried, times the number of samples: the loss is a sum over samples."""

N_PERMUTATIONS = 5
"""Permutations of a feature that decide whether models can do without it."""

SHARE_OF_TOLERANCE = 0.5
"""A feature forced into a group may use this part of the tolerance, the others the rest."""

NEGLIGIBLE = 1e-6
"""A weight of this share of the L1 norm is 0: solvers are exact to 1e-7."""


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class BoundsSettings:
    """What the user chose, or left to the method."""

    C: float | None
    tolerance: float | str
    probes: str
    n_probes: int | str
    rate: float
    budget: str
    cv: Any
    solver: str


class Analysis:
    """What is found out about one target; weights are shares of the L1 norm of the fit.

    Attributes
    ----------
    C, tolerance, probe_threshold : float
        The cost of loss, the tolerance, the upper bound noise may reach.
    probe_thresholds : ndarray of shape (n_features,)
        The same for every feature: another one for those carried by a few samples, if there are
        others.
    fit : Solution
        The optimum.
    models : Program
        All models within the tolerance.
    intervals : ndarray of shape (n_features, 2)
        Bounds of the absolute weights.
    relevance : ndarray of shape (n_features,)
        IRRELEVANT, EXPLAINED, WEAK or STRONG.
    idle : bool
        Whether no feature has a weight in the optimum: then none is relevant.
    n_programs, n_settled, n_fallbacks : int
        Programs solved, those left early because no more was needed, and those for which HiGHS
        had to be asked.
    """

    def __init__(self, data: TrainingData, settings: BoundsSettings):
        self.data, self.settings = data, settings
        p = data.X.shape[1]
        self.free = np.flatnonzero(data.X.any(axis=0))
        """Features that are not constant."""
        few = carried_by_few(data, settings.rate)[self.free]
        self.kinds = [kind for kind in (self.free[~few], self.free[few]) if len(kind)]
        """Features that share probes."""
        self.intervals, self.relevance = np.zeros((p, 2)), np.full(p, IRRELEVANT)
        self.tolerance = 0.0 if settings.tolerance == "auto" else float(settings.tolerance)
        self.probe_threshold, self.probe_thresholds = 0.0, np.zeros(p)
        self.n_programs = self.n_settled = self.n_fallbacks = 0

    def run(
        self, fixed: Mapping[int, tuple[float, float]], jobs: Jobs, random_state: Any
    ) -> Analysis:
        """Carry out the steps."""
        self.C = self.settings.C or self._choose_cost(jobs, random_state)
        self.models = self.data.program(self.C)
        self.fit = self._solve_fit()
        self.idle = bool(self.fit.l1_norm * np.abs(self.data.X).max() <= NEGLIGIBLE)
        if self.idle:
            return self
        probes = self._fit_probes(jobs, random_state)
        if self.settings.tolerance == "auto":
            self.tolerance = chance_tolerance(self.fit, probes, len(self.kinds), self.settings.rate)
        self.models = self.models.within(self.fit, self.tolerance, self.settings.budget)
        self.models = self.models.fixing(self._limits(fixed))
        self._bound_features(jobs)
        self._bound_probes(probes, jobs)
        self._judge(jobs, random_state)
        return self

    def _choose_cost(self, jobs: Jobs, random_state: Any) -> float:
        """The C with the smallest error in cross-validation, the smallest of equals."""
        costs = COSTS / len(self.data.X)
        folds = self.data.folds(self.settings.cv, random_state)
        arguments = [(self.data, costs, fold, self.settings.solver) for fold in folds]
        errors = jobs("Choosing C", TrainingData.errors, arguments)
        self.n_programs += len(costs) * len(folds)
        means = np.transpose(errors).copy().mean(axis=1)
        # Equal up to rounding is equal: then the more regularised model.
        return float(costs[np.argmax(means <= means.min() * (1 + 1e-9))])

    def _solve_fit(self) -> Solution:
        """The optimum."""
        found = checked(solve([Objective(self.models)], self.settings.solver)[0], "The fit")
        self.n_programs += 1
        self.n_fallbacks += found.fallback
        return found

    def _limits(self, fixed: Mapping[int, tuple[float, float]]) -> dict[int, Any]:
        """Weights that are known: those of constant features, and those given."""
        constant = np.setdiff1d(np.arange(len(self.relevance)), self.free).tolist()
        norm = self.fit.l1_norm
        given = {f: (low * norm, high * norm) for f, (low, high) in fixed.items()}
        return dict.fromkeys(constant, 0.0) | given

    # ------------------------------------------------------------------- probes, bounds

    def _fit_probes(self, jobs: Jobs, random_state: Any) -> list[FittedProbe]:
        """Probes, one kind after the other, as many as asked for or as the rate needs."""
        rate, n_probes = self.settings.rate, self.settings.n_probes
        needed = n_probes_for(rate)
        n_probes = needed if n_probes == "auto" else int(n_probes)
        if n_probes < needed:
            warnings.warn(
                f"A `false_positive_rate` of {rate:g} cannot be told from {n_probes} probes; the "
                f"rate is {1 / (n_probes + 1):.2g} instead. Ask for {needed} probes.",
                UserWarning,
                stacklevel=2,
            )
        columns = [
            column
            for kind in self.kinds
            for column in draw_columns(self.data.X[:, kind], n_probes, random_state)
        ]
        parts = in_batches(columns, len(self.data.X))
        arguments = [(self.data, self.C, part, self.settings.solver) for part in parts]
        probes = _joined(jobs("Fitting probes", fit_probes, arguments))
        self.n_programs += len(probes)
        self.n_fallbacks += sum(probe.fit.fallback for probe in probes)
        return probes

    def _bound_features(self, jobs: Jobs) -> None:
        """Bounds of all |w|; 0 for constant features."""
        bounds = self.bounds_of(self.models, self.free.tolist(), "Bounds of features", jobs)
        self.intervals[self.free] = bounds[:, :2]
        # A lower bound is above 0 only if no rounding of the solver can account for it.
        self.intervals[self.free[bounds[:, 2] <= NEGLIGIBLE], 0] = 0.0

    def bounds_of(
        self, models: Program, features: list[int], description: str, jobs: Jobs
    ) -> np.ndarray:
        """Bounds of the absolute weights of some features among some models.

        Columns: the lower bound, the upper, and what the lower is proven to be at least.
        """
        sides = likely_sides(models, self.fit)
        parts = in_batches(features, len(self.data.X))
        named = self.settings.solver, "The bound of feature {}"
        arguments = [([models] * len(part), part, sides[part], *named) for part in parts]
        bounds = _joined(jobs(description, weight_bounds, arguments))
        self._count(bounds)
        found = [(each.lower, each.upper, each.proven) for each in bounds]
        return np.reshape(found, (-1, 3)) / self.fit.l1_norm

    def _bound_probes(self, probes: list[FittedProbe], jobs: Jobs) -> None:
        """What noise exceeds at the rate asked for, by kind."""
        parts = in_batches(probes, len(self.data.X))
        bounds = _joined(jobs("Bounds of probes", probe_bounds, [(self.good, p) for p in parts]))
        self._count(bounds)
        uppers = np.reshape([bound.upper for bound in bounds], (len(self.kinds), -1))
        levels = [chance_level(each, self.settings.rate) / self.fit.l1_norm for each in uppers]
        self.probe_threshold = levels[0]
        self.probe_thresholds[:] = levels[0]
        for kind, level in zip(self.kinds, levels, strict=True):
            self.probe_thresholds[kind] = level

    @property
    def good(self) -> GoodModels:
        """The models within the tolerance, and what they come from."""
        settings = self.settings
        fitted = self.data, self.C, self.fit, self.models, self.tolerance
        return GoodModels(*fitted, settings.budget, settings.solver)

    @property
    def scores(self) -> np.ndarray:
        """Upper bounds, scaled so that noise of every kind reaches the same.

        Features that are no more than noise of their own kind have no more than noise reaches.
        """
        own, scores = self.probe_thresholds, self.intervals[:, 1]
        if not (own > 0).all():  # noise reaches nothing
            return scores
        scores = scores * (self.probe_threshold / own)
        return np.where(self.relevance < WEAK, np.minimum(scores, self.probe_threshold), scores)

    def _count(self, bounds: list[WeightBounds]) -> None:
        self.n_programs += 2 * len(bounds)
        self.n_fallbacks += sum(bound.n_fallbacks for bound in bounds)
        self.n_settled += sum(bound.settled for bound in bounds)

    # ----------------------------------------------------------------------- relevance

    def _judge(self, jobs: Jobs, random_state: Any) -> None:
        """Relevant above noise, strongly if also needed.

        (Calling needed features relevant whatever their bound would double the false positives.)
        """
        relevant = np.flatnonzero(self.intervals[:, 1] > self.probe_thresholds)
        needed = self._needed(relevant, jobs, random_state)
        if self.settings.probes == "single":
            self.relevance[relevant], self.relevance[needed] = WEAK, STRONG
            return
        strong = self._above_own_probes(needed, jobs, random_state)
        self.relevance[strong] = STRONG
        near, apart = self._parted(np.setdiff1d(relevant, strong), strong)
        # Those needed and not strong are known to be no more than noise.
        apart = np.setdiff1d(apart, needed)
        self.relevance[self._above_own_probes(apart, jobs, random_state)] = WEAK
        self.relevance[self._above_residual_probes(near, strong, jobs, random_state)] = WEAK
        kept = np.flatnonzero(self.relevance >= WEAK)
        self.relevance[self._parted(np.setdiff1d(relevant, kept), kept)[0]] = EXPLAINED

    def _needed(self, relevant: np.ndarray, jobs: Jobs, random_state: Any) -> np.ndarray:
        """Those of some features that no good model can do without."""
        candidates = relevant[self.intervals[relevant, 0] > 0]
        replaced = [
            (f, random_state.permutation(self.data.X[:, f]))
            for f in candidates.tolist()
            for _ in range(N_PERMUTATIONS)
        ]
        parts = in_batches(replaced, len(self.data.X))
        arguments = [(self.models, part, self.settings.solver) for part in parts]
        fails = _joined(jobs("Doing without features", _are_infeasible, arguments))
        self.n_programs += len(replaced)
        return candidates[np.reshape(fails, (-1, N_PERMUTATIONS)).mean(axis=1) > 0.5]

    def _parted(self, features: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features correlated with one of some others, and those that are not."""
        X = self.data.X
        largest = np.abs(X[:, features].T @ X[:, others]).max(axis=1, initial=0.0) / len(X)
        near = largest > related(len(X))
        return features[near], features[~near]

    def _above_own_probes(self, features: np.ndarray, jobs: Jobs, random_state: Any) -> np.ndarray:
        """Those of some features that reach further than probes of their blocks."""
        X = self.data.X
        blocks = blocks_for(features, X, np.zeros_like(X))
        return self._beating(blocks, "Probes of blocks", jobs, random_state)

    def _above_residual_probes(
        self, features: np.ndarray, strong: np.ndarray, jobs: Jobs, random_state: Any
    ) -> np.ndarray:
        """Those that reach further than probes which keep what strong features explain."""
        X = self.data.X
        stays = explained_part(X, strong)
        features = features[(X - stays)[:, features].std(axis=0) > EXACT]
        blocks = blocks_for(features, X - stays, stays)
        return self._beating(blocks, "Probes beside strong features", jobs, random_state)

    def _beating(
        self, blocks: list[ProbeBlock], description: str, jobs: Jobs, random_state: Any
    ) -> np.ndarray:
        """Features that reach further than probes of their blocks, at the rate asked for."""
        numbers = n_own_probes(self.settings.rate, self.settings.n_probes)
        own = OwnProbes(self.good, self.intervals[:, 1], *numbers)
        found = own.beaten(blocks, description, jobs, random_state)
        self.n_programs += own.n_programs
        self.n_settled += own.n_settled
        self.n_fallbacks += own.n_fallbacks
        return np.array(sorted(found), dtype=np.int64)


def _are_infeasible(
    models: Program, replaced: Sequence[tuple[int, np.ndarray]], solver: str
) -> list[bool]:
    """Whether no model keeps the budget once a feature is replaced by a column."""
    asked = [Objective(models.replacing(f, column), f, 1) for f, column in replaced]
    return [found.status == "infeasible" for found in solve(asked, solver)]


def _joined(parts: list[list[T]]) -> list[T]:
    return [each for part in parts for each in part]


# --------------------------------------------------------------------- interchangeable features


def replaceable_groups(analysis: Analysis, jobs: Jobs) -> list[list[int]]:
    """Groups of at least two weakly relevant features that can replace each other.

    Two features of one group compete for the same weight: once one has taken its share, the other
    can take hardly more than noise could.  So one feature is forced in, and the upper bounds of
    all others that are not yet in a group are computed again; those that collapse belong to it.
    This takes about two programs per feature and group, not two per pair of features.
    """
    weak = np.flatnonzero(analysis.relevance == WEAK)
    left = weak[np.argsort(-analysis.scores[weak], kind="stable")].tolist()
    groups = []
    while len(left) > 1:
        first, rest = left[0], left[1:]
        group = [first, *_collapsing(analysis, first, rest, jobs)]
        left = [f for f in rest if f not in group]
        if len(group) > 1:
            groups.append(sorted(int(f) for f in group))
    return sorted(groups)


def _collapsing(analysis: Analysis, forced: int, others: list[int], jobs: Jobs) -> list[int]:
    """The features whose upper bound falls more than half way to that of noise."""
    after = analysis.bounds_of(_forcing(analysis, forced), others, "Feature groups", jobs)[:, 1]
    before = analysis.intervals[others, 1]
    noise = np.minimum(analysis.probe_thresholds[others], before)
    return [f for f, low in zip(others, after < (before + noise) / 2, strict=True) if low]


def _forcing(analysis: Analysis, feature: int) -> Program:
    """The models in which a feature has the weight it can have with part of the tolerance."""
    settings = analysis.settings
    tight = analysis.data.program(analysis.C).within(
        analysis.fit, SHARE_OF_TOLERANCE * analysis.tolerance, settings.budget
    )
    models = tight.fixing(limits_of(analysis.models))
    # The side on which the feature reaches furthest, as in its upper bound.
    both = solve([Objective(models, feature, sign) for sign in (-1, 1)], settings.solver)
    value = max((found.weights[feature] for found in both), key=abs)
    return analysis.models.fixing({feature: value})
