"""The chosen features and their distances, ready for one candidate more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def smallest(
    engine: Engine,
    evaluate: Callable[[np.ndarray, Any], Any],
    tasks: list[np.ndarray],
    best: Any,
) -> Any:
    """The smallest of what the tasks find, given the best known so far.

    ``evaluate(task, hint)`` may give up candidates that cannot be smaller than the hint.  What is
    given up depends on the order of events; the result does not.
    """
    hint = best

    def run(task: np.ndarray) -> Any:
        # Threads may overwrite each other's hint: a weaker one costs time, nothing else.
        nonlocal hint
        found = evaluate(task, hint)
        hint = min(hint, found)
        return found

    return min(engine.map(run, tasks), default=best)


class ChosenFeatures:
    """Features chosen so far, over samples sorted by class.

    Squared distances are kept in a triangle of n_samples^2 / 2 numbers, if that fits into
    scikit-learn's ``working_memory``; otherwise the kernels add them up again for every row.
    """

    def __init__(self, samples: Samples) -> None:
        n_samples, n_features = samples.values.shape
        columns = np.empty((n_features, n_samples))
        columns[samples.columns] = samples.values.T
        nominal = np.zeros(n_features, dtype=bool)
        nominal[samples.columns[samples.n_numeric :]] = True
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

    def tasks(self, candidates: np.ndarray) -> list[np.ndarray]:
        """Candidates in the groups that are evaluated together."""
        least, most = CANDIDATES_PER_TASK
        if not self.state.stored:  # a row costs as much as ``self.size`` candidates
            most = max(most, 4 * self.size)
        most = min(most, max(1, PAIRS_PER_TASK // len(self.classes) ** 2))
        size = min(max(least, len(candidates) // TASKS), most)
        return [candidates[start : start + size] for start in range(0, len(candidates), size)]

    def add(self, feature: int) -> None:
        """Choose a feature."""
        state = self.state
        if state.stored:
            add_column(
                state.columns, state.nominal, state.missing, feature, state.sums, state.shared
            )
        self.state = state._replace(features=np.append(state.features, feature))
