"""Greedy searches over sets of features, shared by every method that leaves a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from echelon.progress import track


def forward(
    candidates: Iterable[int],
    add_best: Callable[[list[int]], tuple],
    ended: Callable[[list[tuple]], bool],
    *,
    n_wanted: int | None = None,
    description: str,
    verbose: int = 0,
) -> list[tuple]:
    """Add one feature at a time, the best of those left.

    Parameters
    ----------
    candidates : iterable of int
        Features that may be added.
    add_best : callable
        Given the features left (in ascending order), adds the best to the set and returns the
        step: a tuple that starts with the feature.
    ended : callable
        Given the steps so far, tells whether to stop.  Not asked if ``n_wanted`` is given.
    n_wanted : int, default=None
        Stop at this number of features.
    """
    left = sorted(candidates)
    total = len(left) if n_wanted is None else min(n_wanted, len(left))
    steps: list[tuple] = []
    for _ in track(range(total), total=total, description=description, verbose=verbose):
        steps.append(add_best(left))
        left.remove(steps[-1][0])
        if n_wanted is None and ended(steps):
            break
    return steps


def shared_ranks(order: Sequence[int] | np.ndarray, n_features: int) -> np.ndarray:
    """Ranks 1, 2, ... along the order; features never reached share the rank that follows."""
    ranking = np.full(n_features, len(order) + 1)
    ranking[np.asarray(order, dtype=int)] = np.arange(1, len(order) + 1)
    return ranking


def as_path(steps: list[tuple], fields: dict[str, Any]) -> np.recarray:
    """Steps as a record array with one field per column: ``path.value``, ``path["value"]``."""
    return np.array(steps, dtype=list(fields.items())).view(np.recarray)
