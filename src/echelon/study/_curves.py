"""Curves of all methods over the same folds, the choice they lead to, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from echelon._core.folds import fold_scores
from echelon._core.progress import stepwise
from echelon.base import ForwardSelector
from echelon.evaluation import FeatureCurve, feature_curve
from echelon.study._arranged import Arranged
from echelon.study._models import Study, forest
from echelon.study._prepared import Prepared
from echelon.study._rule import Rule, size_of, sizes_against

ALL_SIZES = 10
"""Up to so many features every size is tried; beyond, sizes that grow by ``GROWTH``."""
GROWTH = 1.4
FORWARD_SIZE = 30
"""The most features that a search forwards is asked for."""
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


def sizes_for(selector: Any, n_features: int, rule: Rule) -> list[int]:
    """Numbers of features to try; a search forwards is not asked for many."""
    forwards = isinstance(_inner(selector), ForwardSelector)
    largest = min(n_features, FORWARD_SIZE if forwards else LARGEST_SIZE)
    sizes = set(range(1, min(largest, ALL_SIZES) + 1))
    size = float(ALL_SIZES)
    while (size := size * GROWTH) < largest:
        sizes.add(round(size))
    sizes |= {largest} if forwards else {largest, n_features}
    sizes |= {rule.wanted} if rule.wanted else set()
    least = len(rule.always)
    return sorted({size for size in sizes if size > least} | ({least} if least else set()))


def furthest(rule: Rule) -> int:
    """How far a search forwards goes."""
    return max(FORWARD_SIZE, rule.wanted or 0)


def _inner(selector: Any) -> Any:
    """What ranks, without what is done before and after."""
    while isinstance(selector, Arranged | Prepared):
        selector = selector.selector
    return selector


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
                sizes=sizes_for(selector, study.X.shape[1], study.rule),
                cv=study.splits.folds,
                scoring=study.scoring.scorer,
                sample_weight=study.weights,
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
    folds = stepwise(study.splits.folds)
    return fold_scores(model, study.X, study.target.y, folds, study.scoring.scorer, study.weights)


def choose(curves: Mapping[str, FeatureCurve], guess: float, rule: Rule) -> Choice:
    """A method and the number of features it keeps; see ``_rule``.

    The first method, unless another one's choice is better by more than the rule allows to be
    lost: the best of many is often the luckiest.  What is no worse and smaller comes before it.
    """
    own = [Choice(name, size_of(curve, guess, rule)) for name, curve in curves.items()]
    means = {choice: float(scores_at(curves, choice).mean()) for choice in own}
    best = max(own, key=lambda choice: (means[choice], -choice.size))
    if rule.wanted:
        return best
    reference = scores_at(curves, best)
    first = next(
        choice
        for choice in own
        if choice.size in sizes_against(curves[choice.method], reference, guess, rule)
    )
    smaller = [
        choice for choice in own if choice.size < first.size and means[choice] >= means[first]
    ]
    return min(smaller, key=lambda choice: choice.size, default=first)


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
