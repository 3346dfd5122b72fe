"""How many features to keep: the rule, the sizes that are tried, and the choice they lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from echelon._core.words import is_number
from echelon.base import ForwardSelector
from echelon.evaluation import FeatureCurve

LEAST_LOST, MOST_LOST = 0.01, 0.02
"""Shares of the gain over guessing that may always, and at most, be lost for fewer features."""
ROUND_SHARES = (0.01, 0.02, 0.03, 0.05, 0.1)
"""Tolerances that are offered."""
NEARLY_ALL = 0.75
"""An answer of so large a share of the features calls for an offer, one of as many is none."""


ALL_SIZES = 10
"""Up to so many features every size is tried; beyond, sizes that grow by ``GROWTH``."""
GROWTH = 1.4
FORWARD_SIZE = 30
"""The most features that a search forwards is asked for."""
LARGEST_SIZE = 200
"""Beyond, only all features together, as a reference."""


class Rule(NamedTuple):
    """How many features to keep."""

    wanted: int | None = None
    """As many as asked for; None: as few as lose little."""
    tolerance: float | None = None
    """What may be lost against the best size, in units of the score; None: see ``size_of``."""
    share: float | None = None
    """The same as a share of what the best size gains over guessing."""
    always: tuple[str, ...] = ()
    """Features that are kept whatever they are worth."""
    allow_none: bool = True
    """Whether nothing else is kept where nothing helps."""


def read_rule(n_features: Any, tolerance: Any, always: Sequence[str], names: Sequence[str]) -> Rule:
    """The rule, checked.

    Parameters
    ----------
    n_features : int or "auto"
        How many to keep.
    tolerance : float, str or None
        In units of the score, or as "2%" of the gain over guessing.
    always : sequence of str
        Features that are kept in any case.
    names : sequence of str
        All features.
    """
    kept = tuple(dict.fromkeys(str(name) for name in always))
    unknown = [name for name in kept if name not in set(names)]
    if unknown:
        raise ValueError(f"`keep` must name features, got {unknown[0]!r}, which is none.")
    wanted = _read_number(n_features, len(names), len(kept))
    if isinstance(tolerance, str) and tolerance.strip().endswith("%"):
        return Rule(wanted, None, _read_loss(tolerance.strip()[:-1], tolerance) / 100, kept)
    lost = None if tolerance is None else _read_loss(tolerance, tolerance)
    return Rule(wanted, lost, None, kept)


def _read_number(n_features: Any, n_all: int, n_always: int) -> int | None:
    if isinstance(n_features, str) and n_features == "auto":
        return None
    whole = isinstance(n_features, Integral) and not isinstance(n_features, bool)
    least = max(1, n_always)
    if not whole or not least <= n_features <= n_all:
        asked = " (those of `keep` are kept in any case)" if n_always > 1 else ""
        raise ValueError(
            f"`n_features` must be 'auto' or a whole number from {least} to the number of "
            f"features, {n_all}, got {n_features!r}{asked}."
        )
    return int(n_features)


def _read_loss(value: Any, given: Any) -> float:
    text = re.sub(r"\s", "", value) if isinstance(value, str) else value
    numeric = is_number(text) if isinstance(text, str) else isinstance(text, Real)
    if not numeric or isinstance(text, bool) or not 0 <= float(text) < np.inf:
        raise ValueError(
            "`tolerance` must be a number from 0 in units of the score, or a share of the gain "
            f"over guessing such as '2%', got {given!r}."
        )
    return float(text)


def size_of(curve: FeatureCurve, guess: float, rule: Rule) -> int:
    """How many features one method keeps: the fewest that lose little against its own best."""
    return sizes_against(curve, at_best(curve), guess, rule)[0]


def at_best(curve: FeatureCurve) -> np.ndarray:
    """Scores of the folds with the best number of features."""
    return curve.scores[curve.sizes.tolist().index(curve.best_size)]


def sizes_against(curve: FeatureCurve, best: np.ndarray, guess: float, rule: Rule) -> list[int]:
    """Numbers of features that may be kept, ascending.

    The number wanted, or those that lose at most the tolerance against the best scores.  None: at
    most one standard error of the loss, but never more than ``MOST_LOST`` of what the best gains
    over the guess (with few samples a standard error forgives too much), and always less than
    ``LEAST_LOST`` of it (with many samples it forgives nothing).
    """
    if rule.wanted:
        return [rule.wanted]
    gain = max(float(best.mean()) - guess, 0.0)
    lost = rule.tolerance if rule.share is None else rule.share * gain
    return curve.sizes_within(best, lost, (LEAST_LOST * gain, MOST_LOST * gain)).tolist()


def gain_of(curve: FeatureCurve, guess: float) -> float:
    """What the best size gains over guessing."""
    return max(float(np.nanmax(curve.mean_scores)) - guess, 0.0)


def share_to_offer(curve: FeatureCurve, guess: float, size: int) -> float | None:
    """The tolerance that leads to the knee of the curve; None where it is hardly smaller.

    The knee is the size furthest above the straight line from the guess with no feature to the
    best score with all of them, among those that lose at most the last of ``ROUND_SHARES``; what
    it loses is rounded up to one of them.
    """
    gain = gain_of(curve, guess)
    if gain == 0 or size < NEARLY_ALL * curve.sizes[-1]:
        return None
    lost = 1 - (curve.mean_scores - guess) / gain
    above = np.where(lost <= ROUND_SHARES[-1], 1 - lost - curve.sizes / curve.sizes[-1], -np.inf)
    at_knee = lost[np.argmax(above)]
    share = next(share for share in ROUND_SHARES if at_knee <= share + 1e-12)
    return share if curve.smallest_within(share * gain) <= NEARLY_ALL * size else None


# ------------------------------------------------------------------------ methods and sizes


class Choice(NamedTuple):
    """A method and a number of features."""

    method: str
    size: int


def sizes_for(selector: Any, n_features: int, rule: Rule) -> list[int]:
    """Numbers of features to try; a search forwards is not asked for many."""
    while hasattr(selector, "selector"):  # what is done before and after the ranking
        selector = selector.selector
    forwards = isinstance(selector, ForwardSelector)
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
