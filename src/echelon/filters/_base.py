"""What the filters share: targets of any kind, columns in order, searches over bootstrap samples.

One path of a greedy search depends on a few samples.  Over many bootstrap samples ("bags", [1]_)
lucky steps average out, and the samples a bag leaves out can evaluate it.

.. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 1996.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.compat import Interval
from echelon._core.jobs import in_threads, track
from echelon.base import BaseSelector, SampleWeightMixin
from echelon.data import Data
from echelon.methods import CLASSES
from echelon.targets import Target, TargetReader

_CELLS = 1 << 21
"""Values sorted at a time."""


# ---------------------------------------------------------------------------------------- target


class AnyTargetMixin(TargetReader):
    """Reads y as what it is, or as ``kind`` says; missing values in X are taken."""

    _allow_nan = True


def has_order(target: Target) -> bool:
    """Whether larger means more: ordered classes, numbers, and any two classes."""
    return target.labels is None or target.kind != CLASSES or len(target.labels) == 2


def check_order(target: Target, measure: str) -> None:
    """Refuse three or more classes without an order."""
    if not has_order(target):
        raise ValueError(
            f"`y` holds labels without a known order, but {measure} needs one. Give it from lowest "
            'to highest, for example class_order=["low", "medium", "high"].'
        )


def outputs(target: Target) -> np.ndarray:
    """What a model of least squares predicts, shape (n_samples, n_outputs), each of mean 0.

    One column of codes or values; the indicators of more than two classes without an order.
    """
    # Errors count as shares of the total: a unit must not make squares overflow.
    values = target.numbers[:, None] / np.abs(target.numbers).max()
    if target.labels is not None and not has_order(target):
        values = (target.numbers[:, None] == np.arange(len(target.labels))).astype(float)
    return values - values.mean(axis=0)


def codes_of(values: np.ndarray) -> np.ndarray:
    """Values as codes 0, 1, ... in their order; -1 where missing."""
    codes = np.full(len(values), -1)
    present = ~np.isnan(values)
    codes[present] = np.unique(values[present], return_inverse=True)[1]
    return codes


# ------------------------------------------------------------------------------ columns in order


class Block(NamedTuple):
    """Some columns: their indices, their values as rows, and what sorts every row."""

    features: np.ndarray
    rows: np.ndarray
    order: np.ndarray

    def ascending(self, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Values in order, and the middle of the places that equal values take, from 0."""
        values = np.take_along_axis(self.rows, self.order, axis=1)
        counts = np.ones(values.shape[1]) if weights is None else weights[self.order]
        places = np.cumsum(counts, axis=-1)
        new = np.ones(values.shape, bool)
        new[:, 1:] = values[:, 1:] != values[:, :-1]
        last = np.roll(new, -1, axis=1)
        before = np.maximum.accumulate(np.where(new, places - counts, 0), axis=1)
        up_to = np.minimum.accumulate(np.where(last, places, np.inf)[:, ::-1], axis=1)[:, ::-1]
        return values, (before + up_to) / 2

    def in_rows(self, ascending: np.ndarray) -> np.ndarray:
        """What was found for the values in order, for the rows as they are."""
        found = np.empty_like(ascending)
        np.put_along_axis(found, self.order, ascending, axis=1)
        return found


def sorted_blocks(
    columns: Data, features: np.ndarray, progress: tuple[str, int] = ("", 0)
) -> Iterator[Block]:
    """Some columns, sorted, as many at a time as memory bears.

    ``progress`` holds the label of the progress bar, and whether to show it.
    """
    description, verbose = progress
    size = max(1, _CELLS // len(columns.values))
    parts = [features[start : start + size] for start in range(0, len(features), size)]
    for part in track(parts, total=len(parts), description=description, verbose=verbose):
        rows = np.ascontiguousarray(columns.values[:, part].T)
        yield Block(part, rows, np.argsort(rows, axis=1))  # missing values last


# ------------------------------------------------------------------------------------------ bags


class BaggedSelector(SampleWeightMixin, AnyTargetMixin, BaseSelector):
    """A selector by a search on all samples (``n_bags=0``) or on many bootstrap samples.

    A subclass provides ``_search(columns, target)``, which returns what searches on the samples
    drawn, and ``_judge(found)``, which makes scores of what the searches found.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "n_bags": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }

    n_bags: int
    random_state: Any
    n_jobs: int | None

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        columns, target, n_wanted = self._begin(X, y, sample_weight)
        random_state = check_random_state(self.random_state)
        search = self._search(columns, target)
        drawn = np.ones((1, len(target)))
        if self.n_bags:
            drawn = bootstrap(len(target), self.n_bags, random_state)
        self.scores_, passes = self._judge(self._run(search, drawn, n_wanted))
        order = np.lexsort((-search.single_worth(), -self.scores_))
        self.order_, self.ranking_ = self._choice.ranked(order)
        passes = self._choice.whole(passes)
        self.support_ = passes if n_wanted is None else self.ranking_ <= n_wanted
        return self

    def _run(self, search: Any, drawn: np.ndarray, n_wanted: int | None) -> list[Any]:
        """One search for every bag, in threads."""
        n_steps = None if self.n_bags else n_wanted  # a bag always stops by itself
        return list(
            track(
                in_threads(lambda each: search.run(each, n_steps), drawn, self.n_jobs),
                total=len(drawn),
                description=type(self).__name__,
                verbose=self.verbose,
            )
        )

    @abstractmethod
    def _search(self, columns: Data, target: Target) -> Any:
        """An object with ``run`` and ``single_worth``.

        ``run(drawn, n_steps)`` searches on samples drawn so many times each; ``single_worth()`` is
        what every feature is worth by itself, which decides between features that score alike.
        """

    @abstractmethod
    def _judge(self, found: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Scores from one search on all samples, or those on all bags; mask of features to select.

        Sets ``path_`` if there are no bags.
        """


def bootstrap(n_samples: int, n_bags: int, random_state: Any) -> np.ndarray:
    """How often every sample is in each bag, shape (n_bags, n_samples)."""
    counts = np.zeros((n_bags, n_samples))
    for bag in counts:
        drawn = random_state.randint(n_samples, size=n_samples)
        bag += np.bincount(drawn, minlength=n_samples)
    return counts


def path_of(features: np.ndarray, values: np.ndarray) -> np.recarray:
    """Steps of a search as a record array, which may be empty."""
    dtype = [("feature", int), ("value", float)]
    return np.array(list(zip(features, values, strict=True)), dtype=dtype).view(np.recarray)
