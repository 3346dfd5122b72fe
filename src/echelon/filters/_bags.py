"""Searches repeated over bootstrap samples: the estimator shared by the forward filters.

One path of a greedy search hangs on a few samples.  Over many bootstrap samples ("bags", [1]_)
lucky steps average out, and the samples a bag leaves out can judge it.

.. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 1996.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from echelon._core.compat import Interval
from echelon._core.jobs import n_threads
from echelon._core.progress import track
from echelon._core.search import Step
from echelon.base import BaseSelector, SampleWeightMixin
from echelon.filters._outcome import AnyTargetMixin
from echelon.targets import Target
from echelon.validation import Columns


class Verdict(NamedTuple):
    """What a search says of all features."""

    scores: np.ndarray
    """Larger is better."""
    tail: np.ndarray
    """Decides between features with the same score."""
    passes: np.ndarray
    """Mask of the features that the method's own rule keeps."""


class BaggedSelector(SampleWeightMixin, AnyTargetMixin, BaseSelector):
    """A selector by a search on all samples (``n_bags=0``) or on many bootstrap samples.

    A subclass provides ``_search(columns, target)``, which returns what searches on the samples
    drawn, and ``_alone(search, found)`` and ``_together(search, found)``, which make a
    ``Verdict`` of what one search found, or of what those on all bags did.
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
        search = self._search(columns, target)  # type: ignore[arg-type]
        drawn = bootstrap(len(target), self.n_bags, random_state)
        found = self._run(search, drawn if self.n_bags else np.ones((1, len(target))), n_wanted)
        verdict = self._together(search, found) if self.n_bags else self._alone(search, found[0])
        self.scores_ = verdict.scores
        order = np.lexsort((-verdict.tail, -verdict.scores))
        self.order_, self.ranking_ = self._choice.ranked(order)
        passing = self._choice.whole(verdict.passes)
        self.support_ = passing if n_wanted is None else self.ranking_ <= n_wanted
        return self

    def _run(self, search: Any, drawn: np.ndarray, n_wanted: int | None) -> list[Any]:
        """One search for every bag, in threads."""
        run: Callable[..., Any] = delayed(search.run)
        n_steps = None if self.n_bags else n_wanted  # a bag always stops by itself
        parallel = Parallel(n_threads(self.n_jobs), prefer="threads", return_as="generator")
        return list(
            track(
                parallel(run(each, n_steps) for each in drawn),
                total=len(drawn),
                description=type(self).__name__,
                verbose=self.verbose,
            )
        )

    @abstractmethod
    def _search(self, columns: Columns, target: Target) -> Any:
        """An object whose ``run(drawn, n_steps)`` searches on samples drawn so many times."""

    @abstractmethod
    def _alone(self, search: Any, found: Any) -> Verdict:
        """What the search on all samples says; sets ``path_``."""

    @abstractmethod
    def _together(self, search: Any, found: list[Any]) -> Verdict:
        """What the searches on all bags say."""


def bootstrap(n_samples: int, n_bags: int, random_state: Any) -> np.ndarray:
    """How often every sample is in each bag, shape (n_bags, n_samples)."""
    counts = np.zeros((n_bags, n_samples))
    for bag in counts:
        drawn = random_state.randint(n_samples, size=n_samples)
        bag += np.bincount(drawn, minlength=n_samples)
    return counts


def path_of(features: np.ndarray, values: np.ndarray) -> np.recarray:
    """Steps as a record array, which may be empty."""
    steps = [Step(int(f), float(v)) for f, v in zip(features, values, strict=True)]
    return np.array(steps, dtype=[("feature", int), ("value", float)]).view(np.recarray)


def reciprocal_places(features: np.ndarray, n_features: int) -> np.ndarray:
    """1, 1/2, 1/3, ... in the order of taking, 0 for features not taken."""
    places = np.zeros(n_features)
    places[features] = 1 / np.arange(1, len(features) + 1)
    return places
