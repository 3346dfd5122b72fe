"""Probes of their own for features that share their luck with others.

Noise features that are correlated can trade weight with each other, so each reaches further than a
lone probe.  What chance can do with such a feature is shown by a probe of its kind: the feature and
its *companions*, the features it is correlated with, with their rows permuted together and added to
the data.  The companions keep what they have in common, and lose all they have with the target and
with other features.  If block and rest are independent, the block cannot be told from its probe, so
a feature beats all n probes of its own with probability 1 / (n + 1), about.

A feature that is correlated with a strong one beats them even if it says nothing else.  So of such
features what the strong ones explain (a least-squares fit) is left where it is, and only the rest
is permuted: a feature that does not beat these probes says no more than they do.

Whether a probe reaches as far as its feature takes a fit and two bounds at most, and less mostly:
features that have the same companions share the fit; a model that reaches it, or multipliers that
prove that none does, settle the question; and a feature is done with once enough probes reach it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import Jobs
from echelon.bounds._certificates import Certificate
from echelon.bounds._probes import GoodModels
from echelon.bounds._program import Program, Solution
from echelon.bounds._solvers import checked, solver_for

MOST_COMPANIONS = 10
"""The most correlated ones; a larger block has more freedom, and programs take longer."""

EXACT = 1e-6
"""A column whose part besides a fit is no larger is the fit; bounds are as exact."""


class Block(NamedTuple):
    """Features whose rows are permuted together; those that are judged come first."""

    judged: list[int]
    """Features to be judged by these probes."""
    stays: np.ndarray
    """What stays in its row, of shape (n_samples, n_columns)."""
    moves: np.ndarray
    """What is permuted."""

    def probe(self, rows: np.ndarray) -> np.ndarray:
        """The columns with their rows permuted."""
        return self.stays + self.moves[rows]


class Verdict(NamedTuple):
    """Which judged features their probe reaches, and what that took."""

    reached: list[bool]
    n_programs: int
    n_settled: int
    n_fallbacks: int


def related(n_samples: int) -> float:
    """The correlation from which on two columns share their luck: four standard errors."""
    return min(4 / np.sqrt(n_samples), 0.9)


def explained_part(X: np.ndarray, strong: np.ndarray) -> np.ndarray:
    """The least-squares fit of every feature by the strong ones."""
    S = X[:, strong]
    return S @ np.linalg.lstsq(S, X, rcond=None)[0]


def blocks_for(features: np.ndarray, moves: np.ndarray, stays: np.ndarray) -> list[Block]:
    """The blocks that judge some features; one for features with the same companions, or fewer.

    Parameters
    ----------
    features : ndarray of int
        Features to be judged.
    moves, stays : ndarray of shape (n_samples, n_features)
        The part of every feature that is permuted, by which companions are found, and the rest.
    """
    deviations = moves.std(axis=0)
    shares = moves / np.where(deviations > EXACT, deviations, np.inf)
    correlations = np.abs(shares.T @ shares) / len(moves)
    found: list[tuple[set[int], list[int]]] = []
    for feature in features.tolist():
        wanted = {feature, *companions(correlations[feature], feature, related(len(moves)))}
        home = next((judged for members, judged in found if wanted <= members), None)
        if home is None:
            found.append((wanted, [feature]))
        else:
            home.append(feature)
    orders = [judged + sorted(members - set(judged)) for members, judged in found]
    pairs = zip(orders, found, strict=True)
    return [Block(judged, stays[:, order], moves[:, order]) for order, (_, judged) in pairs]


def companions(correlations: np.ndarray, feature: int, least: float) -> list[int]:
    """The features most correlated with one, the most correlated first."""
    order = np.argsort(-correlations.round(9), kind="stable")
    near = [int(k) for k in order if k != feature and correlations[k] > least]
    return near[:MOST_COMPANIONS]


class OwnProbes:
    """Judges features by probes of their blocks.

    Parameters
    ----------
    good : GoodModels
        The models without probes.
    uppers : ndarray of shape (n_features,)
        Upper bounds of all absolute weights.
    n_probes : int
        Probes of every block.
    n_allowed : int
        So many probes may reach a feature that is still relevant.

    Attributes
    ----------
    n_programs, n_settled, n_fallbacks : int
        Programs solved, those left early, and those for which HiGHS had to be asked.
    """

    def __init__(self, good: GoodModels, uppers: np.ndarray, n_probes: int, n_allowed: int):
        self.good, self.uppers = good, uppers
        self.n_probes, self.n_allowed = n_probes, n_allowed
        self.n_programs = self.n_settled = self.n_fallbacks = 0

    def beaten(
        self, blocks: list[Block], description: str, jobs: Jobs, random_state: Any
    ) -> set[int]:
        """The features that no more probes than allowed reach.

        In rounds, each twice as long as the one before: most noise needs but one probe or two,
        and many of one round can be solved at a time.
        """
        counts = {feature: 0 for block in blocks for feature in block.judged}
        done, size = 0, 1
        while done < self.n_probes:
            todo = []
            for block in blocks:
                left = [f for f in block.judged if counts[f] <= self.n_allowed]
                for _ in range(min(size, self.n_probes - done) if left else 0):
                    columns = block.probe(random_state.permutation(len(block.moves)))
                    places = [block.judged.index(f) for f in left]
                    todo.append((left, (self.good, columns, places, self.uppers[left])))
            verdicts = jobs(description, judge, [arguments for _, arguments in todo])
            for (left, _), verdict in zip(todo, verdicts, strict=True):
                self._add(left, verdict, counts)
            done, size = done + size, 2 * size
        return {feature for feature, count in counts.items() if count <= self.n_allowed}

    def _add(self, features: list[int], verdict: Verdict, counts: dict[int, int]) -> None:
        for feature, reached in zip(features, verdict.reached, strict=True):
            counts[feature] += reached
        self.n_programs += verdict.n_programs
        self.n_settled += verdict.n_settled
        self.n_fallbacks += verdict.n_fallbacks


def judge(good: GoodModels, columns: np.ndarray, places: list[int], uppers: np.ndarray) -> Verdict:
    """Whether the weights of added columns can reach the upper bounds of their features.

    Parameters
    ----------
    good : GoodModels
        The models without probes.
    columns : ndarray of shape (n_samples, n_columns)
        The probe.
    places : list of int
        Columns that are compared with something.
    uppers : ndarray of shape (n_places,)
        What they are compared with.
    """
    return _Comparison(good, columns).verdict(places, uppers)


class _Comparison:
    """One probe added to the data: first what is cheap, then the fit, then bounds."""

    def __init__(self, good: GoodModels, columns: np.ndarray):
        self.good = good
        self.program = good.task.with_columns(columns).program(good.C)
        self.first = self.program.X.shape[1] - columns.shape[1]
        self.n_programs = self.n_settled = self.n_fallbacks = 0
        self._fit: Solution | None = None

    def verdict(self, places: list[int], uppers: np.ndarray) -> Verdict:
        """Whether the columns at these places reach as far."""
        # An error of the solver is never to a feature's credit.
        levels = (uppers - EXACT).clip(0) * self.good.fit.l1_norm
        reached = [self._reaches(self.first + k, u) for k, u in zip(places, levels, strict=True)]
        return Verdict(reached, self.n_programs, self.n_settled, self.n_fallbacks)

    def _reaches(self, column: int, level: float) -> bool:
        # A probe can but lower the optimum, so what holds for the old budgets holds for the new.
        models, fit = self.good.and_others(self.program, None), self.good.fit
        sides = self._open_sides(models, column, level, fit)
        if sides and not self.good.given:
            fit = self._solve_fit()
            if abs(fit.weights[column]) >= level:
                return True
            models = self.good.and_others(self.program, fit)
            sides = self._open_sides(models, column, level, fit)
        return any(self._reaches_on(models, column, side, level) for side in sides)

    def _open_sides(self, models: Program, column: int, level: float, fit: Solution) -> list[int]:
        """Signs of a weight for which the multipliers of a fit do not rule the level out."""
        if fit.multipliers is None:
            return [1, -1]
        sides = []
        for side in (1, -1):
            direction = np.zeros(models.X.shape[1])
            direction[column] = -side
            if Certificate(models, direction).reach(column, fit.multipliers) >= level:
                sides.append(side)
        return sides

    def _solve_fit(self) -> Solution:
        if self._fit is None:
            self._fit = solver_for(self.program, self.good.solver).fit()
            self.n_programs += 1
            self.n_fallbacks += self._fit.fallback
        return self._fit

    def _reaches_on(self, models: Program, column: int, side: int, level: float) -> bool:
        solver = solver_for(models, self.good.solver)
        found = checked(solver.extreme(column, -side, enough=level), "The bound of a probe")
        self.n_programs += 1
        self.n_fallbacks += found.fallback
        self.n_settled += found.status == "enough"
        return found.status != "enough" and side * float(found.weights[column]) >= level
