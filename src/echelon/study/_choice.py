"""How many features to select: the rule, the sizes that are tried, and the choice they lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from echelon._core.significance import beyond_error, clearly_positive
from echelon._core.words import is_number
from echelon.base import ForwardSelector
from echelon.evaluation import FeatureCurve

SMALL_LOSS, LARGE_LOSS = (0.005, 0.005), (0.01, 0.02)
"""Shares of the improvement over the baseline that may always, and at most, be lost for fewer
features."""
ROUND_SHARES = (0.01, 0.02, 0.03, 0.05, 0.1)
"""Tolerances that are offered."""
NEARLY_ALL = 0.75
"""Offer a smaller set where more than this share of the features is selected; of all, none."""

ALL_SIZES = 10
"""Up to so many features every size is tried; beyond, sizes that grow by ``GROWTH``."""
GROWTH = 1.4
FORWARD_SIZE = 30
"""The most features that a search forwards is asked for."""
LARGEST_SIZE = 200
"""Beyond, only all features together, as a reference."""


class Rule(NamedTuple):
    """How many features to select; of features that stand or fall together, how many groups."""

    wanted: int | None = None
    """As many as asked for; None: as few as lose little."""
    tolerance: float | None = None
    """What may be lost against the best size, in units of the score; None: see ``size_of``."""
    share: float | None = None
    """``tolerance`` as a share of the improvement of the best size over the baseline."""
    always: tuple[str, ...] = ()
    """Features that are selected whatever they are worth."""
    n_always: int = 0
    """How many groups of features they are."""
    allow_none: bool = True
    """Whether nothing else is selected where nothing helps."""

    @property
    def is_default(self) -> bool:
        """Whether neither a number of features nor a tolerance was asked for."""
        return self.wanted is None and self.tolerance is None and self.share is None


def read_rule(
    n_features: Any,
    tolerance: Any,
    always: Sequence[str],
    names: Sequence[str],
    groups: np.ndarray,
) -> Rule:
    """The rule, checked.

    Parameters
    ----------
    n_features : int or "auto"
        How many to select.
    tolerance : float, str or None
        In units of the score, or as "2%" of the improvement over the baseline.
    always : sequence of str
        Features that are always selected.
    names : sequence of str
        All features.
    groups : ndarray of shape (n_features,)
        Number of the group of every feature; a group is selected as a whole.
    """
    kept = list(dict.fromkeys(str(name) for name in always))
    unknown = [name for name in kept if name not in set(names)]
    if unknown:
        raise ValueError(f"`keep` must name features, got {unknown[0]!r}, which is none.")
    of_name = dict(zip(names, groups.tolist(), strict=True))
    inside = {of_name[name] for name in kept}
    kept += [name for name in names if of_name[name] in inside and name not in kept]
    what = "features" if groups.max() + 1 == len(names) else "groups of features"
    rule = Rule(
        wanted=_read_number(n_features, int(groups.max()) + 1, len(inside), what),
        always=tuple(kept),
        n_always=len(inside),
    )
    if isinstance(tolerance, str) and tolerance.strip().endswith("%"):
        return rule._replace(share=_read_loss(tolerance.strip()[:-1], tolerance) / 100)
    lost = None if tolerance is None else _read_loss(tolerance, tolerance)
    return rule._replace(tolerance=lost)


def _read_number(n_features: Any, n_all: int, n_always: int, what: str) -> int | None:
    if isinstance(n_features, str) and n_features == "auto":
        return None
    whole = isinstance(n_features, Integral) and not isinstance(n_features, bool)
    least = max(1, n_always)
    if not whole or not least <= n_features <= n_all:
        asked = " (those of `keep` are kept in any case)" if n_always > 1 else ""
        raise ValueError(
            f"`n_features` must be 'auto' or a whole number from {least} to the number of "
            f"{what}, {n_all}, got {n_features!r}{asked}."
        )
    return int(n_features)


def _read_loss(value: Any, given: Any) -> float:
    text = re.sub(r"\s", "", value) if isinstance(value, str) else value
    numeric = is_number(text) if isinstance(text, str) else isinstance(text, Real)
    if not numeric or isinstance(text, bool) or not 0 <= float(text) < np.inf:
        raise ValueError(
            "`tolerance` must be a number from 0 in units of the score, or a share of the "
            f"improvement over the baseline such as '2%', got {given!r}."
        )
    return float(text)


class Limit(NamedTuple):
    """How many features a ranking itself finds worth keeping."""

    size: int
    curve: FeatureCurve
    """The curve of the best model."""

    def applied(self, size: int) -> int:
        """The size, or the largest one tried within the limit.

        Up to twice as many are kept where they are better by more than one standard error.
        """
        if size <= self.size:
            return size
        sizes = self.curve.sizes.tolist()
        smaller = max((each for each in sizes if each <= self.size), default=sizes[0])
        if size > 2 * self.size:
            return smaller
        gains = self.curve.at(size) - self.curve.at(smaller)
        return size if beyond_error(gains, self.curve.test_share) else smaller


def size_of(curve: FeatureCurve, guess: float, rule: Rule, limit: Limit | None = None) -> int:
    """How many features one method keeps: the fewest that lose little against its own best.

    Where the ranking itself says how many features are worth keeping, that leaves out the noise,
    and hardly anything may be lost.  Otherwise the tolerance has to leave out the noise, and is
    larger.
    """
    if rule.wanted:
        return rule.wanted
    limit = limit if rule.is_default else None
    shares = LARGE_LOSS if limit is None else SMALL_LOSS
    size = int(_within(curve, curve.at(curve.best_size), guess, rule, shares)[0])
    return size if limit is None else limit.applied(size)


def _within(
    curve: FeatureCurve, best: np.ndarray, guess: float, rule: Rule, shares: tuple[float, float]
) -> np.ndarray:
    """Sizes that lose at most the tolerance against the best scores.

    Without one: at most one standard error of the loss, but never more than the second share of
    what the best gains over the baseline (with few samples a standard error forgives too much), and
    always less than the first (with many samples it forgives nothing).
    """
    gain = max(float(best.mean()) - guess, 0.0)
    lost = rule.tolerance if rule.share is None else rule.share * gain
    return curve.sizes_within(best, lost, (shares[0] * gain, shares[1] * gain))


def gain_of(curve: FeatureCurve, guess: float) -> float:
    """Improvement of the best size over the baseline."""
    return max(float(np.nanmax(curve.mean_scores)) - guess, 0.0)


def share_to_offer(curve: FeatureCurve, guess: float, size: int) -> float | None:
    """The tolerance that leads to the knee of the curve; None where it is hardly smaller.

    The knee is the size furthest above the straight line from the baseline with no feature to the
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


ByModel = Mapping[str, Mapping[str, FeatureCurve]]
"""Model -> method -> curve; all curves are over the same folds."""


class Choice(NamedTuple):
    """A method and a number of features."""

    method: str
    size: int


def up_to(sizes: Sequence[int], limits: Sequence[int | None], n_features: int) -> list[int]:
    """The sizes that are worth trying: up to twice the largest limit, and all features.

    Parameters
    ----------
    sizes : sequence of int
        What ``sizes_for`` proposes.
    limits : sequence of int or None
        How many features the ranking of every fold finds worth keeping, and, last, that of all
        rows; None: it does not say.
    n_features : int
        How many there are.
    """
    known = [limit for limit in limits if limit is not None]
    if len(known) < len(limits):
        return list(sizes)
    tried = {size for size in sizes if size <= 2 * max(known) or size == n_features}
    return sorted(tried | {max(known[-1], min(sizes))})


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
    least = rule.n_always
    return sorted({size for size in sizes if size > least} | ({least} if least else set()))


def furthest(rule: Rule, groups: np.ndarray) -> int:
    """How far a search forwards goes: to as many features as are sure to reach so many groups."""
    n_best = max(FORWARD_SIZE, rule.wanted or 0)
    largest = np.sort(np.bincount(groups))[::-1][:n_best]
    return n_best + int((largest - 1).sum())


def choose(
    curves: Mapping[str, FeatureCurve],
    guess: float,
    rule: Rule,
    limits: Mapping[str, Limit | None] | None = None,
) -> Choice:
    """A method and the number of features it selects.

    The first method, unless another one's choice is clearly better (one-sided t test over the
    folds, 5 %), or by more than the tolerance: the best of many is often the luckiest.  What is no
    worse and smaller comes before it.

    Parameters
    ----------
    curves : dict of str to FeatureCurve
        The curve of every method.
    guess : float
        Score of the baseline.
    rule : Rule
        How many features to select.
    limits : dict of str to Limit or None, default=None
        How many features every ranking itself finds worth keeping; None: it does not say.
    """
    limits = dict.fromkeys(curves) if limits is None else limits
    own = [Choice(name, size_of(curves[name], guess, rule, limits[name])) for name in curves]
    means = {choice: float(scores_at(curves, choice).mean()) for choice in own}
    best = max(own, key=lambda choice: (means[choice], -choice.size))
    if rule.wanted:
        return best
    reference = scores_at(curves, best)
    first = next(
        choice
        for choice in own
        if choice.size in _within(curves[choice.method], reference, guess, rule, LARGE_LOSS)
        or (rule.is_default and not _is_clear(curves, choice, reference))
    )
    smaller = [
        choice for choice in own if choice.size < first.size and means[choice] >= means[first]
    ]
    return min(smaller, key=lambda choice: choice.size, default=first)


def _is_clear(curves: Mapping[str, FeatureCurve], choice: Choice, reference: np.ndarray) -> bool:
    """Whether other scores are clearly better than those of a choice."""
    gains = reference - scores_at(curves, choice)
    return clearly_positive(gains, curves[choice.method].test_share)


def scores_at(curves: Mapping[str, FeatureCurve], choice: Choice) -> np.ndarray:
    """Scores of the folds for one method and size."""
    return curves[choice.method].at(choice.size)


def best_model(models: ByModel, rule: Rule) -> str:
    """The model with the best score, over all methods and sizes; the first among equals."""
    return max(models, key=lambda model: float(_best_scores(models[model], rule).mean()))


def _best_scores(curves: Mapping[str, FeatureCurve], rule: Rule) -> np.ndarray:
    """Scores of the folds with the best method and size of one model."""
    tried = [curve.at(rule.wanted or curve.best_size) for curve in curves.values()]
    return max(tried, key=lambda scores: float(scores.mean()))


def close_models(models: ByModel, best: str, rule: Rule) -> list[str]:
    """The models that decide how many features are selected.

    By default all that are within one standard error of the best one: what several models agree on
    is less luck.  Where a number or a tolerance was asked for, the best one alone.
    """
    if not rule.is_default:
        return [best]
    reference = _best_scores(models[best], rule)
    return [
        model
        for model, curves in models.items()
        if model == best or _is_close(curves, reference, rule)
    ]


def _is_close(curves: Mapping[str, FeatureCurve], reference: np.ndarray, rule: Rule) -> bool:
    losses = reference - _best_scores(curves, rule)
    return not beyond_error(losses, next(iter(curves.values())).test_share)


def mean_curves(models: ByModel, chosen: Sequence[str]) -> dict[str, FeatureCurve]:
    """The curve of every method, averaged over some models."""
    return {
        name: replace(curve, scores=np.mean([models[each][name].scores for each in chosen], axis=0))
        for name, curve in models[chosen[0]].items()
    }


def held_out_scores(models: ByModel, guesses: np.ndarray, rule: Rule) -> np.ndarray:
    """The score of every fold for the model, method and size chosen on the other folds.

    The score of the choice itself is a maximum over models, methods and sizes, hence a little too
    good; here every fold is held out of its own choice.
    """
    chosen = choices_without(models, guesses, rule)
    folds = enumerate(chosen)
    return np.array([scores_at(models[model], choice)[fold] for fold, (model, choice) in folds])


def choices_without(models: ByModel, guesses: np.ndarray, rule: Rule) -> list[tuple[str, Choice]]:
    """The model, method and size that the other folds choose, for every fold."""
    chosen = []
    for fold in range(len(guesses)):
        others = {
            model: {name: curve.without(fold) for name, curve in curves.items()}
            for model, curves in models.items()
        }
        guess = float(np.delete(guesses, fold).mean())
        model = best_model(others, rule)
        limits = {
            name: None
            if curve.limits is None
            else Limit(int(curve.limits[fold]), curve.without(fold))
            for name, curve in models[model].items()
        }
        deciding = mean_curves(others, close_models(others, model, rule))
        chosen.append((model, choose(deciding, guess, rule, limits)))
    return chosen
