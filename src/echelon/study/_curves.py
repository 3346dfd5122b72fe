"""Curves of all methods over the same folds, the choice they lead to, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from echelon._core.folds import fold_scores, make_splitter
from echelon.base import ForwardSelector
from echelon.evaluation import FeatureCurve, feature_curve
from echelon.study._models import Rule, Study, forest
from echelon.targets import Target

FEWEST_SAMPLES = 10
"""Fewer cannot be split into samples to learn from and samples to judge by."""
ALL_SIZES = 10
"""Up to so many features every size is tried; beyond, sizes that grow by ``GROWTH``."""
GROWTH = 1.4
FORWARD_SIZE = 30
"""The most features that a search forwards is asked for."""
LEAST_LOST, MOST_LOST = 0.01, 0.05
"""Shares of the gain over guessing that may always, and at most, be lost for fewer features."""
LARGEST_SIZE = 200
"""Beyond, only all features together, as a reference."""


class Choice(NamedTuple):
    """A method and a number of features."""

    method: str
    size: int


class Baseline(NamedTuple):
    """What the chosen features are compared with: a guess, all features, a forest."""

    name: str
    scores: np.ndarray
    """One per fold."""


def make_folds(cv: Any, target: Target, random_state: Any, groups: Any = None) -> list[tuple]:
    """Folds for all methods: shuffled ones for a number, stratified by class, whole groups."""
    classes = target.codes is not None
    y = target.codes if classes else target.values
    splitter = make_splitter(cv, y, classes, groups is not None, random_state)
    return list(splitter.split(np.zeros((len(target), 1)), y, groups))


def fewer_folds(cv: Any, target: Target) -> Any:
    """A number of folds, made smaller where samples or classes are few; a splitter as it is.

    Examples
    --------
    >>> from echelon.study import fewer_folds
    >>> from echelon.targets import read_target
    >>> fewer_folds(10, read_target(["a"] * 5 + ["b"] * 6))
    6
    """
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        return 5 if cv is None else cv
    n_samples, counts = len(target), sorted(target.counts.values())
    if n_samples < FEWEST_SAMPLES:
        raise ValueError(
            f"There are {n_samples} samples, too few to judge features by. Pass at least "
            f"{FEWEST_SAMPLES}."
        )
    if counts and counts[-2] < 2:
        raise ValueError(
            f"There are {n_samples} samples, and fewer than two classes of them have two or more: "
            "too few to judge features by."
        )
    return min(int(cv), counts[-1] if counts else n_samples)


def sizes_for(selector: Any, n_features: int, wanted: int | None) -> list[int]:
    """Numbers of features to try; a search forwards is not asked for many."""
    forwards = isinstance(selector, ForwardSelector)
    largest = min(n_features, FORWARD_SIZE if forwards else LARGEST_SIZE)
    sizes = set(range(1, min(largest, ALL_SIZES) + 1))
    size = float(ALL_SIZES)
    while (size := size * GROWTH) < largest:
        sizes.add(round(size))
    sizes |= {largest} if forwards else {largest, n_features}
    return sorted(sizes | ({wanted} if wanted else set()))


def all_curves(selectors: Mapping[str, Any], study: Study) -> dict[str, FeatureCurve]:
    """The curve of every method, all over the same folds."""
    curves = {}
    for name, selector in selectors.items():
        try:
            curves[name] = feature_curve(
                selector,
                study.estimator,
                study.X,
                study.target.y,
                sizes=sizes_for(selector, study.X.shape[1], study.rule.wanted),
                cv=study.folds,
                scoring=study.scoring.scorer,
                **study.options,
            )
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error
    return curves


def other_baselines(study: Study) -> list[Baseline]:
    """What the same model reaches with all features, and what a forest does."""
    everything = Baseline("all features", _scores(study.estimator, study))
    return [everything, Baseline("a forest on all features", _forest_scores(study))]


def _forest_scores(study: Study) -> np.ndarray:
    seed, kind = study.options["random_state"], study.target.kind
    try:
        return _scores(forest(kind, seed), study)
    except AttributeError:  # a scorer of probabilities, which a forest on codes has none of
        return _scores(forest("classification", seed), study)


def _scores(model: Any, study: Study) -> np.ndarray:
    return fold_scores(model, study.X, study.target.y, study.folds, study.scoring.scorer)


def size_of(curve: FeatureCurve, guess: float, rule: Rule) -> int:
    """How many features to keep.

    The number wanted, or the smallest that loses at most the tolerance against the best.  None: at
    most one standard error of the loss, but never more than ``MOST_LOST`` of what the best gains
    over the guess (with few samples a standard error forgives too much), and always less than
    ``LEAST_LOST`` of it (with many samples it forgives nothing).
    """
    if rule.wanted:
        return rule.wanted
    gain = max(float(np.nanmax(curve.mean_scores)) - guess, 0.0)
    return curve.smallest_within(rule.tolerance, (LEAST_LOST * gain, MOST_LOST * gain))


def choose(curves: Mapping[str, FeatureCurve], guess: float, rule: Rule) -> Choice:
    """The method with the best mean score at its size; among equals the smaller set, the first."""
    choices = [Choice(name, size_of(curve, guess, rule)) for name, curve in curves.items()]
    return max(choices, key=lambda choice: (scores_at(curves, choice).mean(), -choice.size))


def scores_at(curves: Mapping[str, FeatureCurve], choice: Choice) -> np.ndarray:
    """Scores of the folds for one method and size."""
    curve = curves[choice.method]
    return curve.scores[curve.sizes.tolist().index(choice.size)]


def held_out_scores(
    curves: Mapping[str, FeatureCurve], guesses: np.ndarray, rule: Rule
) -> np.ndarray:
    """The score of every fold for the method and size chosen on the other folds.

    The score of the choice itself is a maximum over methods and sizes, hence a little too good;
    here no fold has a say in its own choice.
    """
    scores = np.empty(len(guesses))
    for fold in range(len(guesses)):
        others = {name: curve.without(fold) for name, curve in curves.items()}
        choice = choose(others, float(np.delete(guesses, fold).mean()), rule)
        scores[fold] = scores_at(curves, choice)[fold]
    return scores
