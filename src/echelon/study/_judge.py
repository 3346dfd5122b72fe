"""Methods judged over the same folds: their curves, the choice, and what it is compared with."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from echelon._core.errors import LEVEL, clearly_positive
from echelon._core.guesses import best_guess
from echelon.evaluation import FeatureCurve
from echelon.study._curves import (
    Baseline,
    Choice,
    all_curves,
    choose,
    held_out_scores,
    other_baselines,
)
from echelon.study._models import Study
from echelon.study._related import p_value
from echelon.study._rule import size_of

OF_FOLDS = 0.005
"""The part of the level that the test over folds has, where features are tested as well.

Small, because that test is approximate: where features are many, all folds share the one that is
best by chance, and noise reaches twice to six times the level.  The other test is exact.
"""


class Judged(NamedTuple):
    """What the folds say."""

    curves: dict[str, FeatureCurve]
    sizes: dict[str, int]
    """Number of features that every method would keep."""
    choice: Choice
    held_out: np.ndarray
    """Score of every fold with the method and size chosen on the other folds."""
    guess: Baseline
    others: list[Baseline]
    """All features, and a forest."""
    clear: bool
    """Whether the choice is better than the guess beyond chance, by the folds."""
    related: float | None
    """p-value of the test whether any feature is related to the target; None: not asked."""

    @property
    def helps(self) -> bool:
        """Whether something is gained, and the folds or the features say that it is no chance."""
        gained = float((self.held_out - self.guess.scores).mean()) > 0
        return gained and (self.clear or self.is_related)

    @property
    def is_related(self) -> bool:
        """Whether some feature is related to the target beyond chance."""
        return self.related is not None and self.related <= LEVEL - OF_FOLDS

    @property
    def test_share(self) -> float | None:
        """Test samples per training sample."""
        return self.curves[self.choice.method].test_share


def judge(selectors: Mapping[str, Any], study: Study) -> Judged:
    """Rank within the folds, score all sizes, choose, and compare."""
    with said_in_caveats():
        with only_part_of_the_rows():
            curves = all_curves(selectors, study)
        given = (study.X, study.target.y, study.splits.folds, study.scoring.scorer)
        guess = Baseline(*best_guess(study.target, *given, study.weights))
        others = other_baselines(study)
    mean = float(guess.scores.mean())
    sizes = {name: size_of(curve, mean, study.rule) for name, curve in curves.items()}
    choice = choose(curves, mean, study.rule)
    sizes[choice.method] = choice.size  # measured against the best of all methods
    held_out = held_out_scores(curves, guess.scores, study.rule)
    evidence = _evidence(held_out - guess.scores, curves[choice.method].test_share, study)
    return Judged(curves, sizes, choice, held_out, guess, others, *evidence)


def _evidence(gains: np.ndarray, share: float | None, study: Study) -> tuple[bool, float | None]:
    """Whether the folds show a gain; and, unless they do, whether any feature shows a relation.

    Both share the level.  The second test takes rows for independent: where groups, times, weights
    or folds of the user's own say otherwise, the first has all of it.
    """
    if not study.splits.independent:
        return clearly_positive(gains, share), None
    clear = clearly_positive(gains, share, OF_FOLDS)
    if clear or gains.mean() <= 0:
        return clear, None
    return clear, p_value(study.X, study.target, study.options["random_state"])


@contextmanager
def said_in_caveats() -> Iterator[None]:
    """Without the warnings about folds that lack some of the classes: a caveat says it, once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true", UserWarning)
        yield


@contextmanager
def only_part_of_the_rows() -> Iterator[None]:
    """Without what a method says of its fit to a part of the rows: the answer is about all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*every feature is called irrelevant", UserWarning)
        warnings.filterwarnings("ignore", "No feature tells .* from the rest", UserWarning)
        yield
