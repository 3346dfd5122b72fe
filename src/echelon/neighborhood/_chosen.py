"""The chosen features and their distances, ready for one candidate more."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Protocol

import numpy as np
from sklearn import get_config

from echelon.engines import Engine, Samples
from echelon.kernels.candidates import Chosen, add_column

CANDIDATES_PER_TASK = 4, 64
"""Least and most.  Candidates evaluated together share the work of looking up a row."""

TASKS = 8
"""Aimed at, so that several threads have something to do."""

PAIRS_PER_TASK = 1 << 29
"""At most, a second or so: a running task cannot be interrupted."""


class Work(Protocol):
    """What finds the best of some candidates; may be pickled."""

    def evaluate(self, chosen: ChosenFeatures, features: np.ndarray, best: Any) -> Any:
        """The best of some features and of the best so far, and more by the method.

        Candidates that cannot be smaller than the best so far may be given up.
        """


def smallest(
    engine: Engine, chosen: ChosenFeatures, work: Work, tasks: list[np.ndarray], best: Any
) -> Iterator[tuple[np.ndarray, Any]]:
    """Tasks and what their evaluation returns, given the best known so far.

    What is given up depends on the order of events; the smallest found does not.
    """
    if not engine.shares_memory:
        shared = chosen.unstored(), work, best
        return zip(tasks, engine.spread(_evaluate_elsewhere, shared, tasks), strict=True)
    hint = best

    def run(task: np.ndarray) -> Any:
        # Threads may overwrite each other's hint: a weaker one costs time, nothing else.
        nonlocal hint
        found = work.evaluate(chosen, task, hint)
        hint = min(hint, found[0])
        return found

    return zip(tasks, engine.map(run, tasks), strict=True)


def _evaluate_elsewhere(shared: tuple[ChosenFeatures, Work, Any], task: np.ndarray) -> Any:
    chosen, work, best = shared
    return work.evaluate(chosen, task, best)


class ChosenFeatures:
    """Features chosen so far, over samples sorted by class.

    Squared distances are kept in a triangle of n_samples^2 / 2 numbers, if that fits into
    scikit-learn's ``working_memory``; otherwise the kernels add them up again for every row.
    ``label_gap`` is the squared difference of two labels, for all nominal columns or each of them.
    """

    def __init__(self, samples: Samples, label_gap: float | np.ndarray = 1.0) -> None:
        n_samples, n_features = samples.values.shape
        columns = np.empty((n_features, n_samples))
        columns[samples.columns] = samples.values.T
        nominal = np.zeros(n_features)
        nominal[samples.columns[samples.n_numeric :]] = label_gap
        n_pairs = n_samples * (n_samples - 1) // 2
        count_type = np.uint16 if n_features < 1 << 16 else np.uint32
        n_bytes = n_pairs * (8 + samples.missing * np.dtype(count_type).itemsize)
        stored = n_bytes <= get_config()["working_memory"] * 2**20
        self.classes = samples.classes
        self.rows = samples.rows
        self.state = Chosen(
            columns,
            nominal,
            samples.missing,
            np.concatenate([[0], np.cumsum(samples.class_sizes)]),
            np.empty(0, dtype=np.int64),
            stored,
            np.zeros(n_pairs if stored else 0),
            np.zeros(n_pairs if stored and samples.missing else 0, dtype=count_type),
        )

    @property
    def size(self) -> int:
        """Number of features chosen."""
        return len(self.state.features)

    @property
    def n_features(self) -> int:
        """Number of features, chosen or not."""
        return len(self.state.columns)

    def tasks(self, candidates: np.ndarray) -> list[np.ndarray]:
        """Candidates in the groups that are evaluated together."""
        least, most = CANDIDATES_PER_TASK
        if not self.state.stored:  # a row costs as much as ``self.size`` candidates
            most = max(most, 4 * self.size)
        most = min(most, max(1, PAIRS_PER_TASK // len(self.classes) ** 2))
        size = min(max(least, len(candidates) // TASKS), most)
        return [candidates[start : start + size] for start in range(0, len(candidates), size)]

    def unstored(self) -> ChosenFeatures:
        """The same without the triangle, to be sent elsewhere."""
        copied = copy(self)
        nothing = self.state.sums[:0], self.state.shared[:0]
        copied.state = self.state._replace(stored=False, sums=nothing[0], shared=nothing[1])
        return copied

    def add(self, feature: int) -> None:
        """Choose a feature."""
        state = self.state
        if state.stored:
            add_column(
                state.columns, state.nominal, state.missing, feature, state.sums, state.shared
            )
        self.note(feature)

    def note(self, feature: int) -> None:
        """Choose a feature whose distances are kept elsewhere."""
        self.state = self.state._replace(features=np.append(self.state.features, feature))
