"""Features that are kept in any case, and features that stand or fall together.

Both are told by the user, as the parameters ``must_keep`` and ``feature_groups`` of selectors; how
a method ranks and judges features is none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.search import shared_ranks
from echelon.data import feature_mask

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
        """The features that must be kept."""
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
