"""The features chosen so far and their distances, and what finds the best one to add."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn import get_config

from echelon.engines import Engine
from echelon.neighborhood._loops import Chosen, add_column

CANDIDATES_PER_TASK = 4, 64
"""Least and most.  Candidates evaluated together share the work of looking up a row."""

TASKS = 8
"""Aimed at, so that several threads have something to do."""

PAIRS_PER_TASK = 1 << 29
"""At most, a second or so: a running task cannot be interrupted."""

RANK = attrgetter("rank")
"""What steps compare by; the smallest is the best."""


class ChosenFeatures:
    """Features chosen so far, over samples sorted by class.

    Squared distances are kept in a triangle of n_samples^2 / 2 numbers, if that fits into
    scikit-learn's ``working_memory``; otherwise the loops add them up again for every row.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Features on one scale; NaN is missing.
    label_gaps : ndarray of shape (n_features,)
        Squared difference of two labels in a nominal column; 0 in a numeric one.
    classes : ndarray of shape (n_samples,)
        Class codes, ascending.
    """

    def __init__(self, values: np.ndarray, label_gaps: np.ndarray, classes: np.ndarray) -> None:
        n_samples, n_features = values.shape
        missing = bool(np.isnan(values).any())
        n_pairs = n_samples * (n_samples - 1) // 2
        count_type = np.dtype(np.uint16 if n_features < 1 << 16 else np.uint32)
        n_bytes = n_pairs * (8 + missing * count_type.itemsize)
        stored = n_bytes <= get_config()["working_memory"] * 2**20
        self.state = Chosen(
            columns=np.ascontiguousarray(values.T),
            nominal=label_gaps,
            missing=missing,
            classes=classes,
            class_starts=np.concatenate([[0], np.cumsum(np.bincount(classes))]),
            features=np.empty(0, dtype=np.int64),
            stored=stored,
            sums=np.zeros(n_pairs * stored),
            shared=np.zeros(n_pairs * stored * missing, count_type),
        )
        self.n_samples, self.n_features = n_samples, n_features

    @property
    def size(self) -> int:
        """Number of features chosen."""
        return len(self.state.features)

    def tasks(self, candidates: np.ndarray) -> list[np.ndarray]:
        """Candidates in the groups that are evaluated together."""
        least, most = CANDIDATES_PER_TASK
        if not self.state.stored:  # a row costs as much as ``self.size`` candidates
            most = max(most, 4 * self.size)
        most = min(most, max(1, PAIRS_PER_TASK // self.n_samples**2))
        size = min(max(least, len(candidates) // TASKS), most)
        return [candidates[start : start + size] for start in range(0, len(candidates), size)]

    def unstored(self) -> ChosenFeatures:
        """A copy without the triangle, to be sent elsewhere."""
        copied, state = copy(self), self.state
        copied.state = state._replace(stored=False, sums=state.sums[:0], shared=state.shared[:0])
        return copied

    def add(self, feature: int, *, distances: bool = True) -> None:
        """Choose a feature, and add it to the distances unless these are kept elsewhere."""
        state = self.state
        if state.stored and distances:
            add_column(
                state.columns, state.nominal, state.missing, feature, state.sums, state.shared
            )
        self.state = state._replace(features=np.append(state.features, feature))


class Criterion(ABC):
    """What finds the best of some candidates; may be pickled."""

    rows: np.ndarray
    """Samples in the order in which they are looked at."""

    @abstractmethod
    def best(self, chosen: ChosenFeatures, engine: Engine, candidates: np.ndarray) -> Any:
        """The step to the best candidate."""

    @abstractmethod
    def evaluate(self, chosen: ChosenFeatures, features: np.ndarray, best: Any) -> tuple[Any, ...]:
        """The best of some features and of the best so far, and more by the method.

        Candidates that cannot be smaller than the best so far may be given up.
        """

    def evaluations(
        self, chosen: ChosenFeatures, engine: Engine, candidates: np.ndarray, best: Any
    ) -> Iterator[tuple[np.ndarray, Any]]:
        """Groups of candidates and what their evaluation returns, given the best so far.

        What is given up depends on the order of events; the smallest found does not.
        """
        tasks = chosen.tasks(candidates)
        if not engine.shares_memory:
            shared = self, chosen.unstored(), best
            return zip(tasks, engine.spread(_evaluate_elsewhere, shared, tasks), strict=True)
        hint = best

        def run(task: np.ndarray) -> tuple[Any, ...]:
            # Threads may overwrite each other's hint: a weaker one costs time, nothing else.
            nonlocal hint
            found = self.evaluate(chosen, task, hint)
            hint = min(hint, found[0], key=RANK)
            return found

        return zip(tasks, engine.map(run, tasks), strict=True)


def _evaluate_elsewhere(shared: tuple[Criterion, ChosenFeatures, Any], task: np.ndarray) -> Any:
    criterion, chosen, best = shared
    return criterion.evaluate(chosen, task, best)
