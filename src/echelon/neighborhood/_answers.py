"""Leave-one-out answers of nearest neighbours: one scale for all features, and how far they err."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from echelon._core.samples import arrange
from echelon.engines import TIE_TOLERANCE, Engine, Samples
from echelon.kernels.answers import MEAN, MEDIAN, OWN_CLASS, SHORTLIST, add_errors, shortlist
from echelon.methods import CLASSES
from echelon.neighborhood._array_answers import (
    arrays_do,
    chosen_squares,
    column_squares,
    sums_by_arrays,
)
from echelon.neighborhood._chosen import ChosenFeatures
from echelon.neighborhood._relation import in_double
from echelon.targets import Target
from echelon.validation import Columns

FEW_CANDIDATES = 8
"""For so few, lists of near samples cost as much as they save."""
TASKS = 8
"""Parts that the lists are made in, for several threads."""
EQUAL = 1e-9
"""Errors that differ by less than this share of a guess are equal: sums are rounded."""


class Question(NamedTuple):
    """What the neighbours of every sample are asked: ``levels[codes]``, in the way ``how``."""

    how: int
    codes: np.ndarray
    levels: np.ndarray

    def of(self, rows: np.ndarray) -> Question:
        """The same for some samples."""
        return Question(self.how, *_leveled(self.levels[self.codes[rows]]))

    @property
    def guesses(self) -> np.ndarray:
        """The answers of all other samples, which no feature tells apart."""
        n_others = len(self.codes) - 1
        if self.how == OWN_CLASS:
            return (np.bincount(self.codes)[self.codes] - 1) / n_others
        values = self.levels[self.codes]
        if self.how == MEAN:
            return (values.sum() - values) / n_others
        ordered = np.sort(values)
        passed = np.searchsorted(ordered, values)  # the sample itself is left out
        middle = [(n_others - 1) // 2, n_others // 2]
        return np.mean([ordered[m + (m >= passed)] for m in middle], axis=0)

    @property
    def truth(self) -> Any:
        """The answers without an error."""
        return 1.0 if self.how == OWN_CLASS else self.levels[self.codes]

    @property
    def guess_error(self) -> float:
        """Mean error of these answers; above 0 since the target varies."""
        return float(np.abs(self.guesses - self.truth).mean())


def ask(target: Target, answer: str) -> Question:
    """The question that a target puts to neighbours."""
    if target.kind == CLASSES:
        return Question(OWN_CLASS, *_leveled(target.numbers))
    return Question(MEDIAN if answer == "median" else MEAN, *_leveled(target.numbers))


def _leveled(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), levels


# ------------------------------------------------------------------------------ scale


def standardise(columns: Columns) -> tuple[Samples, np.ndarray]:
    """Numeric columns with standard deviation 1, and the squared difference of two labels.

    The mean squared difference of two samples is 2 in every column, nominal ones included: two
    labels count as much as the same column coded 0 and 1.
    """
    samples = arrange(in_double(columns), np.zeros(len(columns.values), dtype=np.int64))
    deviations = _deviations(samples.values[:, : samples.n_numeric])
    samples.values[:, : samples.n_numeric] /= np.where(deviations > 0, deviations, 1)
    gaps = [_label_gap(labels) for labels in samples.values.T[samples.n_numeric :]]
    return samples, np.array(gaps, dtype=float)


def _deviations(values: np.ndarray) -> np.ndarray:
    """Standard deviations of what is there; 0 where nothing is."""
    there = ~np.isnan(values)
    counts = np.maximum(there.sum(axis=0), 1)
    means = np.where(there, values, 0).sum(axis=0) / counts
    return np.sqrt((np.where(there, values - means, 0) ** 2).sum(axis=0) / counts)


def _label_gap(labels: np.ndarray) -> float:
    """2 / (share of pairs that differ); 0 where none does."""
    _, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    differing = 1 - ((counts / max(counts.sum(), 1)) ** 2).sum()
    return 2 / differing if len(counts) > 1 else 0.0


# ----------------------------------------------------------------------------- errors


class Shortlists(NamedTuple):
    """For every sample: those nearest over the chosen features, how many, and how far."""

    near: np.ndarray
    sums: np.ndarray
    """Squared distances of these."""
    counts: np.ndarray
    radii: np.ndarray

    @classmethod
    def of(cls, n_samples: int, room: int) -> Shortlists:
        """Place for so many."""
        near = np.empty((n_samples, room), dtype=np.int32)
        counts = np.zeros(n_samples, dtype=np.int64)
        return cls(near, np.empty(near.shape), counts, np.empty(n_samples))

    @classmethod
    def empty(cls) -> Shortlists:
        """None at all."""
        return cls.of(0, 0)


class AnswerErrors:
    """Mean errors of the answers over the chosen features and one candidate more."""

    def __init__(
        self,
        columns: Columns,
        rows: np.ndarray,
        question: Question,
        n_neighbors: int,
        engine: Engine,
    ) -> None:
        samples, label_gap = standardise(columns)
        rows_of = {name: getattr(samples, name)[rows] for name in ("values", "classes", "rows")}
        self.chosen = ChosenFeatures(samples._replace(**rows_of), label_gap)
        self.question = question
        self.guesses, self.guess_error = question.guesses, question.guess_error
        self.places = min(n_neighbors, len(rows) - 1)
        self.tolerance = (1 + TIE_TOLERANCE[columns.values.dtype]) ** 2  # of squares
        self.engine = engine
        self._squares: np.ndarray | None = None  # of all pairs, where arrays do
        if arrays_do(self.chosen.state, question.how):
            self._squares = chosen_squares(self.chosen.state)

    def add(self, feature: int) -> None:
        """Choose a feature."""
        if self._squares is None:
            self.chosen.add(feature)
            return
        self._squares += column_squares(self.chosen.state, feature)
        self.chosen.note(feature)

    def of(self, candidates: np.ndarray, *, all_of_them: bool = False) -> np.ndarray:
        """Mean errors, one per candidate; inf for some that are not the smallest.

        The likeliest candidates should come first, since the others are given up by them.
        """
        limit = np.inf
        slack = EQUAL * self.guess_error
        near = self._shortlists(len(candidates))

        def run(task: np.ndarray) -> np.ndarray:
            # Threads may overwrite each other's limit: a weaker one costs time, nothing else.
            nonlocal limit
            errors = self._sums(task, near, limit)
            if not all_of_them:
                limit = min(limit, errors.min() + 2 * slack * len(self.guesses))
            return errors / len(self.guesses)

        return np.concatenate(list(self.engine.map(run, self.chosen.tasks(candidates))))

    def _shortlists(self, n_candidates: int) -> Shortlists:
        """The samples to look at first; none where they would not save work."""
        n_samples = len(self.guesses)
        size = max(n_samples // SHORTLIST, 4 * self.places)
        worthwhile = n_candidates > FEW_CANDIDATES and 2 * size < n_samples
        if (
            self._squares is not None
            or not worthwhile
            or not self.chosen.size
            or self.chosen.state.missing
        ):
            return Shortlists.empty()
        near = Shortlists.of(n_samples, 2 * size)

        def run(rows: np.ndarray) -> None:
            shortlist(self.chosen.state, rows, size, *near)

        list(self.engine.map(run, np.array_split(np.arange(n_samples), TASKS)))
        return near

    def _sums(self, candidates: np.ndarray, near: Shortlists, limit: float) -> np.ndarray:
        """Sums of errors; inf for those given up."""
        if self._squares is not None:
            return sums_by_arrays(
                self.chosen.state, self._squares, candidates, self.question, self.places,
                self.tolerance,
            )  # fmt: skip
        errors = np.zeros(len(candidates))
        add_errors(
            self.chosen.state,
            candidates,
            self.question.how,
            self.places,
            self.tolerance,
            self.question.codes,
            self.question.levels,
            self.guesses,
            *near,
            limit,
            errors,
        )
        return np.where(errors > limit, np.inf, errors)

    def smallest(self, candidates: np.ndarray, errors: np.ndarray) -> int:
        """The position of the smallest error; the lowest feature of those as good."""
        good = np.flatnonzero(errors <= errors.min() + EQUAL * self.guess_error)
        return int(good[np.argmin(candidates[good])])
