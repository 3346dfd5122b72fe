"""Searches over sets of features, shared by every method that leaves a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from echelon._core.progress import track


class Step(NamedTuple):
    """A feature and the criterion after it was added; methods may have steps with more fields."""

    feature: int
    value: float


def forward(
    candidates: Iterable[int],
    add_best: Callable[[list[int]], Any],
    ended: Callable[[list[Any]], bool],
    *,
    n_wanted: int | None = None,
    first: Sequence[int] = (),
    mates: Callable[[list[int], list[int]], list[int]] = lambda added, left: [],
    description: str,
    verbose: int = 0,
) -> list[Any]:
    """Add one feature at a time, the best of those left.

    Parameters
    ----------
    candidates : iterable of int
        Features that may be added.
    add_best : callable
        Given the features left (in ascending order), adds the best to the set and returns the
        step: a named tuple with a ``feature``.
    ended : callable
        Given the steps so far, tells whether to stop.  Not asked if ``n_wanted`` is given.
    n_wanted : int, default=None
        Stop at this number of features, or groups of them.
    first : sequence of int, default=()
        Features added before any other, in this order.
    mates : callable, default=none
        Given features and those left, tells which of those left go with them and are added next.
    """
    left, waiting = sorted({*candidates, *first}), list(first)
    total = len(left) if n_wanted is None else min(n_wanted, len(left))
    steps: list[Any] = []
    known = None if n_wanted is None else total  # the own rule may end at any step
    for _ in track(range(total), total=known, description=description, verbose=verbose):
        asked = not waiting  # the own rule is, where it chose
        due = waiting[:1] or left
        while due:
            steps.append(add_best(due))
            left.remove(steps[-1].feature)
            due = mates([steps[-1].feature], left)
        waiting = [feature for feature in waiting if feature in left]
        if not left or (n_wanted is None and asked and ended(steps)):
            break
    return steps


def best_first(
    expand: Callable[[tuple[int, ...]], np.ndarray], *, start: float = 0.0, patience: int = 5
) -> tuple[int, ...]:
    """Best-first search over sets of features, from the empty set.

    The best set not yet expanded is expanded by every single feature, until ``patience``
    expansions in a row brought no better set.

    Parameters
    ----------
    expand : callable
        Given a set, as the features in the order they were added, returns the value of the set
        with every feature added; -inf for those that cannot be.  The value of a set must not
        depend on the order of its features.
    start : float, default=0.0
        Value of the empty set.
    patience : int, default=5
        Expansions in a row without a better set after which the search ends.

    Returns
    -------
    best : tuple of int
        The best set, the first one found among equals, in the order its features were added.

    Notes
    -----
    A set is expanded once, whichever way it was reached.  An expansion leaves one entry in the
    queue, for the best of its sets that is still to come, not one per feature.
    """
    best: tuple[int, ...] = ()
    best_value, stale = start, 0
    queue: list[tuple[float, int, int]] = []  # minus the value, number of the expansion, position
    expansions: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]] = []
    expanded: set[frozenset[int]] = set()
    chain: tuple[int, ...] | None = ()
    while chain is not None and stale < patience:
        expanded.add(frozenset(chain))
        values = expand(chain)
        order = np.argsort(-values, kind="stable")
        expansions.append((chain, order, values[order]))
        _push(queue, expansions, len(expansions) - 1, 0)
        stale += 1
        if values[order[0]] > best_value:
            best, best_value, stale = (*chain, int(order[0])), values[order[0]], 0
        chain = _pop(queue, expansions, expanded)
    return best


def _push(queue: list, expansions: list, number: int, position: int) -> None:
    """Queue the set at this position of an expansion, unless there is none."""
    _, order, values = expansions[number]
    if position < len(order) and values[position] > -np.inf:
        # Equal values leave the queue in the order they were found: by expansion, by feature.
        heappush(queue, (-values[position], number, position))


def _pop(queue: list, expansions: list, expanded: set) -> tuple[int, ...] | None:
    """The best set that was not expanded yet, None if there is none."""
    while queue:
        _, number, position = heappop(queue)
        _push(queue, expansions, number, position + 1)
        chain, order, _ = expansions[number]
        extended = (*chain, int(order[position]))
        if frozenset(extended) not in expanded:
            return extended
    return None


def shared_ranks(order: Sequence[int] | np.ndarray, n_features: int) -> np.ndarray:
    """Ranks 1, 2, ... along the order; features never reached share the rank that follows."""
    ranking = np.full(n_features, len(order) + 1)
    ranking[np.asarray(order, dtype=int)] = np.arange(1, len(order) + 1)
    return ranking


def as_path(steps: list[Any]) -> np.recarray:
    """Steps as a record array: ``path.value`` or ``path["value"]`` is one value per step."""
    kinds = {name: type(value) for name, value in steps[0]._asdict().items()}
    return np.array(steps, dtype=list(kinds.items())).view(np.recarray)
