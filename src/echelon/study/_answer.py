"""The answer, in one sentence and a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from echelon._core.errors import clearly_positive, standard_error
from echelon._core.words import counted, with_error
from echelon.evaluation import FeatureCurve
from echelon.study._curves import (
    Baseline,
    Choice,
    held_out_scores,
    scores_at,
)
from echelon.study._models import Scoring


def answer(
    curves: Mapping[str, FeatureCurve],
    choice: Choice,
    wanted: int | None,
    order: list[str],
    guess: Baseline,
    scoring: Scoring,
) -> dict[str, Any]:
    """Which features to keep, by which rule, and what they are worth.

    Parameters
    ----------
    curves : dict of str to FeatureCurve
        By method.
    choice : Choice
        Method and size.
    wanted : int or None
        The size, if it was given.
    order : list of str
        Names of all features, best first.
    guess : Baseline
        What is reached without any feature.
    scoring : Scoring
        What the scores are.
    """
    held_out = held_out_scores(curves, wanted)
    share = curves[choice.method].test_share
    helps = clearly_positive(held_out - guess.scores, share)
    keep = order[: choice.size] if helps or wanted else []
    reached = {
        "at_this_size": _values(scores_at(curves, choice), scoring, share),
        "held_out": _values(held_out, scoring, share),
        "guess": {"name": guess.name, **_values(guess.scores, scoring, share)},
    }
    sentence = _sentence(curves[choice.method], choice, wanted, helps, len(order), guess)
    return {
        "sentence": sentence,
        "evidence": _evidence(reached, scoring, helps),
        "keep": keep,
        "n_features": len(keep),
        "of": len(order),
        "rule": "as asked for" if wanted else "the fewest within one standard error of the best",
        "method": choice.method,
        "helps": helps,
        "score": {"name": scoring.name, "larger_is_better": scoring.sign > 0, **reached},
    }


def _values(scores: np.ndarray, scoring: Scoring, share: float | None) -> dict[str, Any]:
    """Mean and standard error over the folds, in the units of the metric."""
    return {
        "mean": scoring.sign * scores.mean(),
        "standard_error": float(standard_error(scores, share)),
    }


def _sentence(
    curve: FeatureCurve,
    choice: Choice,
    wanted: int | None,
    helps: bool,
    n_features: int,
    guess: Baseline,
) -> str:
    if not helps:
        return _no_help(wanted, guess)
    if wanted:
        best = "feature" if wanted == 1 else f"{wanted:,} features"
        advice = "agrees" if curve.one_se_size == wanted else f"would keep {curve.one_se_size:,}"
        return f"The best {best} of {n_features:,}, as asked for; the curve {advice}."
    if choice.size == n_features:
        return (
            f"Keep all {counted(n_features, 'feature')}: every smaller set tried loses more than "
            "one standard error."
        )
    these = "this 1" if choice.size == 1 else f"these {choice.size:,}"
    return f"Keep {these} of {n_features:,}; more gain nothing within one standard error."


def _no_help(wanted: int | None, guess: Baseline) -> str:
    if wanted is None:
        return (
            "Keep none: no set of features tried is clearly better than always guessing "
            f"{guess.name}."
        )
    best = "The best feature is" if wanted == 1 else f"The best {wanted:,} features are"
    return f"{best} not clearly better than always guessing {guess.name}."


def _evidence(reached: dict[str, Any], scoring: Scoring, helps: bool) -> str:
    """What the kept features reach beside the guess."""
    chosen, guess = (
        with_error(reached[which]["mean"], reached[which]["standard_error"])
        for which in ("held_out", "guess")
    )
    better = "" if scoring.sign > 0 else " (smaller is better)"
    return (
        f"{scoring.name[:1].upper()}{scoring.name[1:]}{better} on samples that had no say in the "
        f"choice: {chosen}; always guessing {reached['guess']['name']}: {guess}."
        + ("" if helps else " The gain may be chance (one-sided t test over the folds, 5 %).")
    )
