"""Methods judged over the same folds: their curves, the choice, and what it is compared with."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from echelon._core.errors import clearly_positive
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
from echelon.study._rule import size_of


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
    helps: bool
    """Whether the choice is better than the guess, beyond chance."""

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
    helps = clearly_positive(held_out - guess.scores, curves[choice.method].test_share)
    return Judged(curves, sizes, choice, held_out, guess, others, helps)


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
