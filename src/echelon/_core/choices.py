"""Features that are always selected, and features that are selected only as a group.

Both are told by the user, as the parameters ``must_keep`` and ``feature_groups`` of selectors; how
a method ranks and evaluates features is none of this.  Searches over sets of features, shared by
every method that leaves a path, add them first and together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.jobs import track
from echelon._core.named import feature_mask


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


CHOICE_CONSTRAINTS: dict[str, list[Any]] = {
    "must_keep": ["array-like", None],
    "feature_groups": ["array-like", dict, None],
}
"""Constraints of the two parameters."""


class Choice(NamedTuple):
    """What is chosen: groups of features, some of them in any case.

    Attributes
    ----------
    groups : ndarray of shape (n_features,)
        Number of the group of every feature; one that stands alone is a group.
    kept : ndarray of shape (n_features,)
        Mask of the features of groups that must be kept.
    """

    groups: np.ndarray
    kept: np.ndarray

    @property
    def n_groups(self) -> int:
        """How many can be chosen."""
        return int(self.groups.max()) + 1

    @property
    def n_kept(self) -> int:
        """How many groups must be kept."""
        return len(np.unique(self.groups[self.kept]))

    @property
    def first(self) -> list[int]:
        """The features that must be selected."""
        return np.flatnonzero(self.kept).tolist()

    def mates(self, features: Any, left: list[int]) -> list[int]:
        """Those left whose group some of these features are in."""
        if self.n_groups == len(self.groups):
            return []
        inside = set(self.groups[np.asarray(features, int)].tolist())
        return [f for f in left if self.groups[f] in inside]

    def whole(self, chosen: np.ndarray) -> np.ndarray:
        """Mask of all features of groups with a chosen one, and of those that must be kept."""
        some = np.zeros(self.n_groups, bool)
        some[self.groups[chosen]] = True
        return some[self.groups] | self.kept

    def ranked(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The order with groups together, those to be kept first, and the rank of every feature.

        A group stands where its best feature does.
        """
        n = len(self.groups)
        place = np.full(self.n_groups, n)
        np.minimum.at(place, self.groups[order], np.arange(len(order)))
        place[self.groups[self.kept]] -= 2 * n
        reached = np.unique(self.groups[order])
        best_first = reached[np.argsort(place[reached], kind="stable")]
        ranks = shared_ranks(best_first, self.n_groups)
        return order[np.argsort(place[self.groups[order]], kind="stable")], ranks[self.groups]

    def passing(
        self, p_values: np.ndarray, control: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Mask of features whose group passes, among those that need not be kept.

        The p-value of a group is its smallest one times its size (Bonferroni).
        """
        smallest = np.full(self.n_groups, np.inf)
        np.minimum.at(smallest, self.groups, p_values)
        of_group = np.minimum(smallest * np.bincount(self.groups), 1.0)
        judged = np.setdiff1d(np.arange(self.n_groups), self.groups[self.kept])
        passes = np.zeros(self.n_groups, bool)
        passes[judged] = control(of_group[judged])
        return passes[self.groups]


def read_choice(
    must_keep: Any, feature_groups: Any, n_features: int, names: np.ndarray | None
) -> Choice:
    """The choice that the parameters describe.

    Examples
    --------
    >>> choice = read_choice(["b"], {"q": ["a", "c"]}, 4, np.array(["a", "b", "c", "d"]))
    >>> choice.groups.tolist(), choice.kept.tolist()
    ([0, 1, 0, 2], [False, True, False, False])
    """
    groups = _read_groups(feature_groups, n_features, names)
    choice = Choice(groups, np.zeros(n_features, bool))
    if must_keep is None:
        return choice
    mask = feature_mask(must_keep, n_features, names, "must_keep")
    return choice._replace(kept=choice.whole(mask))


def _read_groups(wanted: Any, n_features: int, names: np.ndarray | None) -> np.ndarray:
    """Number of the group of every feature, in the order of their first features."""
    if wanted is None:
        return np.arange(n_features)
    if isinstance(wanted, Mapping):
        labels = _by_column(wanted, n_features, names)
    else:
        labels = np.fromiter(wanted, dtype=object)
        if len(labels) != n_features:
            raise ValueError(
                f"`feature_groups` must have one label per feature, {n_features}, got "
                f"{len(labels)}. Give the columns of every group as a dict otherwise."
            )
    alone = pd.isna(labels)
    labels[alone] = [_Alone() for _ in range(int(alone.sum()))]
    try:
        return pd.factorize(labels)[0]
    except TypeError as error:
        raise TypeError(
            f"`feature_groups` must hold labels, such as strings or numbers ({error}). Give one "
            "per feature, or the columns of every group as a dict."
        ) from error


class _Alone:
    """The label of a feature that is in no group: equal to itself only."""


def _by_column(groups: Mapping[Any, Any], n_features: int, names: np.ndarray | None) -> np.ndarray:
    """The label of every column from the columns of every label; None for columns of none."""
    labels = np.full(n_features, None, dtype=object)
    for number, (label, columns) in enumerate(groups.items()):
        mask = feature_mask(columns, n_features, names, "feature_groups")
        taken = np.flatnonzero(mask & (labels != None))  # noqa: E711
        if len(taken):
            name = taken[0] if names is None else names[taken[0]]
            raise ValueError(
                f"`feature_groups` has column {name!r} in two groups, the second of them "
                f"{label!r}. Leave it in one."
            )
        labels[mask] = number
    return labels
