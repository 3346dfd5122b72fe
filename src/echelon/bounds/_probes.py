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
that is correlated with others, see below.)  Features share these probes, except that those
carried by a few samples (an indicator that is seldom 1, a column with an outlier) have probes of
their own kind: where all of these samples are of one class such a column can have any weight at no
loss, and noise that does so is no measure for the others.

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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import Jobs
from echelon.bounds._batch import Batch, in_batches
from echelon.bounds._certificates import Certificate
from echelon.bounds._data import TrainingData
from echelon.bounds._program import Objective, Program, Solution
from echelon.bounds._solvers import WeightBounds, checked, likely_sides, solve, weight_bounds

LEAST_TOLERANCE = 1e-3
"""Where probes gain nothing, as under strong regularisation; without it models could not move."""

SMALLEST_RATE = 1e-6
"""Below it, the probes that can tell would take days."""

MOST_COMPANIONS = 10
"""The most correlated ones; a larger block has more freedom, and programs take longer."""

EXACT = 1e-6
"""Residuals below this count as zero; bounds are as exact."""


class FittedProbe(NamedTuple):
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


def carried_by_few(data: TrainingData, rate: float) -> np.ndarray:
    """Features so few samples carry that by chance all of them are on a side without loss.

    The samples that carry a feature are counted as n / fourth moment: the ones of a rare
    indicator, n / 3 for a normal feature.  The side is that of the commonest class, or half of the
    samples.  Half of what a normal feature has is never few.  A regression has no such side.
    """
    if data.regression:
        return np.zeros(data.X.shape[1], bool)
    n = len(data.X)
    share = max(0.5, np.bincount(data.target).max() / n)
    few = min(1 + np.log(rate) / np.log(share), n / 6)
    return n <= few * np.mean(data.X**4, axis=0)


def draw_columns(X: np.ndarray, n_probes: int, random_state: Any) -> list[np.ndarray]:
    """Permuted features, every feature in turn."""
    features = np.resize(random_state.permutation(X.shape[1]), n_probes)
    return [random_state.permutation(X[:, feature]) for feature in features]


@dataclass(frozen=True, eq=False)
class GoodModels:
    """The models within the tolerance, and what they come from.

    Attributes
    ----------
    data : TrainingData
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

    data: TrainingData
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


def fit_probes(
    data: TrainingData, C: float, columns: Sequence[np.ndarray], solver: str
) -> list[FittedProbe]:
    """Fit the data with one probe after the other."""
    fits = solve([Objective(data.with_columns(column).program(C)) for column in columns], solver)
    return [FittedProbe(column, fit) for column, fit in zip(columns, fits, strict=True)]


def probe_bounds(good: GoodModels, probes: Sequence[FittedProbe]) -> list[WeightBounds]:
    """Bounds of the absolute weights of probes among the models within the tolerance."""
    last = good.data.X.shape[1]
    programs = [good.data.with_columns(probe.column).program(good.C) for probe in probes]
    pairs = list(zip(programs, probes, strict=True))
    within = [good.and_others(program, probe.fit) for program, probe in pairs]
    sides = [float(likely_sides(program, probe.fit)[last]) for program, probe in pairs]
    return weight_bounds(within, [last] * len(probes), sides, good.solver, "The bound of a probe")


def limits_of(models: Program) -> dict[int, tuple[float, float]]:
    """Weights with limits, and the limits."""
    limited = np.flatnonzero(np.isfinite(models.low) | np.isfinite(models.high)).tolist()
    return {f: (models.low[f], models.high[f]) for f in limited}


def chance_level(values: Sequence[float] | np.ndarray, rate: float) -> float:
    """What noise exceeds at the given rate: the k-th largest, k = rate * number of values."""
    k = max(1, int(np.floor(rate * len(values) + 1e-9)))
    return float(np.sort(values)[-k])


def chance_tolerance(fit: Solution, probes: list[FittedProbe], n_kinds: int, rate: float) -> float:
    """The share of the optimum by which chance, with probes of any kind, may lower it."""
    gains = np.reshape([fit.objective - probe.fit.objective for probe in probes], (n_kinds, -1))
    level = max(chance_level(each, rate) for each in gains)
    return max(LEAST_TOLERANCE, level / fit.objective)


# ---------------------------------------------------------------------- blocks of probes


class ProbeBlock(NamedTuple):
    """Features whose rows are permuted together; those that are evaluated come first."""

    judged: list[int]
    """Features to be evaluated by these probes."""
    stays: np.ndarray
    """What stays in its row, of shape (n_samples, n_columns)."""
    moves: np.ndarray
    """What is permuted."""

    def probe(self, rows: np.ndarray) -> np.ndarray:
        """The columns with their rows permuted."""
        return self.stays + self.moves[rows]


class Compared(NamedTuple):
    """Which tested features their probe reaches, and what that took."""

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


def blocks_for(features: np.ndarray, moves: np.ndarray, stays: np.ndarray) -> list[ProbeBlock]:
    """The blocks that test some features; one for features with the same companions, or fewer.

    Parameters
    ----------
    features : ndarray of int
        Features to be evaluated.
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
    return [ProbeBlock(judged, stays[:, order], moves[:, order]) for order, (_, judged) in pairs]


def companions(correlations: np.ndarray, feature: int, least: float) -> list[int]:
    """The features most correlated with one, the most correlated first."""
    order = np.argsort(-correlations.round(9), kind="stable")
    near = [int(k) for k in order if k != feature and correlations[k] > least]
    return near[:MOST_COMPANIONS]


class OwnProbes:
    """Tests features by probes of their blocks.

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
        self, blocks: list[ProbeBlock], description: str, jobs: Jobs, random_state: Any
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
                places = [block.judged.index(f) for f in left]
                for _ in range(min(size, self.n_probes - done) if left else 0):
                    rows = random_state.permutation(len(block.moves))
                    todo.append((block, rows, places, self.uppers[left]))
            parts = in_batches(todo, len(self.good.data.X))
            results = jobs(description, compare, [(self.good, part) for part in parts])
            compared = [each for part in results for each in part]
            for (block, _, places, _), each in zip(todo, compared, strict=True):
                self._add([block.judged[place] for place in places], each, counts)
            done, size = done + size, 2 * size
        return {feature for feature, count in counts.items() if count <= self.n_allowed}

    def _add(self, features: list[int], compared: Compared, counts: dict[int, int]) -> None:
        for feature, reached in zip(features, compared.reached, strict=True):
            counts[feature] += reached
        self.n_programs += compared.n_programs
        self.n_settled += compared.n_settled
        self.n_fallbacks += compared.n_fallbacks


def compare(
    good: GoodModels, asked: Sequence[tuple[ProbeBlock, np.ndarray, list[int], np.ndarray]]
) -> list[Compared]:
    """Whether the weights of probes can reach the upper bounds of their features.

    First what is cheap, then a fit of the data with each probe, then bounds.

    Parameters
    ----------
    good : GoodModels
        The models without probes.
    asked : sequence of tuples
        For every probe its block, the order of its rows, the columns that are compared with
        something, and what they are compared with.
    """
    comparisons = [_Comparison(good, *each) for each in asked]
    if not good.given:
        left = [each for each in comparisons if any(each.sides)]
        fits = solve([Objective(each.program) for each in left], good.solver)
        for each, fit in zip(left, fits, strict=True):
            each.look_at(fit)
    for turn in range(2):
        wanted = [
            (each, k)
            for each in comparisons
            for k in range(len(each.columns))
            if not each.reached[k] and len(each.sides[k]) > turn
        ]
        found = solve([each.objective(k, turn) for each, k in wanted], good.solver)
        for (each, k), solution in zip(wanted, found, strict=True):
            each.note(k, turn, checked(solution, "The bound of a probe"))
    return [each.result() for each in comparisons]


class _Comparison:
    """One probe added to the data, and on which sides its weights may reach as far as asked."""

    def __init__(
        self,
        good: GoodModels,
        block: ProbeBlock,
        rows: np.ndarray,
        places: list[int],
        uppers: np.ndarray,
    ):
        self.good = good
        self.program = good.data.with_columns(block.probe(rows)).program(good.C)
        self.columns = [good.data.X.shape[1] + place for place in places]
        # An error of the solver is never to a feature's credit.
        self.levels = (uppers - EXACT).clip(0) * good.fit.l1_norm
        self.reached = [False] * len(places)
        self.n_programs = self.n_settled = self.n_fallbacks = 0
        # A probe can but lower the optimum, so what holds for the old budgets holds for the new.
        self.models = good.and_others(self.program, None)
        self.sides = self._open_sides([[1, -1]] * len(places), good.fit)

    def look_at(self, fit: Solution) -> None:
        """What the fit with the probe says."""
        self.n_programs += 1
        self.n_fallbacks += fit.fallback
        self.models = self.good.and_others(self.program, fit)
        for k, column in enumerate(self.columns):
            self.reached[k] = bool(self.sides[k]) and abs(fit.weights[column]) >= self.levels[k]
        self.sides = self._open_sides(self.sides, fit)

    def _open_sides(self, sides: list[list[int]], fit: Solution) -> list[list[int]]:
        """Those signs of every weight for which multipliers of a fit do not rule its level out."""
        if fit.multipliers is None:
            return [[1, -1] if each else [] for each in sides]
        asked = [k for k, each in enumerate(sides) if each and not self.reached[k]]
        if not asked:
            return [[] for _ in sides]
        minima = [Objective(self.models, self.columns[k], -side) for k in asked for side in (1, -1)]
        batch = Batch.of([self.models] * len(minima), [each.direction for each in minima])
        reach = Certificate(batch).reach(*fit.multipliers).reshape(-1, 2)
        found: list[list[int]] = [[] for _ in sides]
        for k, (up, down) in zip(asked, reach, strict=True):
            found[k] = [side for side, far in ((1, up), (-1, down)) if far >= self.levels[k]]
        return found

    def objective(self, k: int, turn: int) -> Objective:
        """What the weight of a column can be on the first or second of its open sides."""
        return Objective(self.models, self.columns[k], -self.sides[k][turn], self.levels[k])

    def note(self, k: int, turn: int, found: Solution) -> None:
        """What that is."""
        self.n_programs += 1
        self.n_fallbacks += found.fallback
        self.n_settled += found.status == "enough"
        weight = self.sides[k][turn] * float(found.weights[self.columns[k]])
        self.reached[k] = found.status != "enough" and weight >= self.levels[k]

    def result(self) -> Compared:
        """Which columns reach as far, and what that took."""
        return Compared(self.reached, self.n_programs, self.n_settled, self.n_fallbacks)
