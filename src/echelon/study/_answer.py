"""The answer, in one sentence and a few numbers."""

from __future__ import annotations

import numpy as np

from echelon._core.errors import clearly_positive, standard_error
from echelon._core.words import counted, number, with_error
from echelon.study._curves import MOST_LOST, Baseline, scores_at
from echelon.study._judge import Judged
from echelon.study._models import Rule, Scoring
from echelon.study.types import Answer, Reached, Score


def answer(judged: Judged, rule: Rule, order: list[str], scoring: Scoring) -> Answer:
    """Which features to keep, by which rule, and what they are worth.

    Parameters
    ----------
    judged : Judged
        What the folds say.
    rule : Rule
        How many to keep.
    order : list of str
        Names of all features, best first.
    scoring : Scoring
        What the scores are.
    """
    choice, share = judged.choice, judged.test_share
    keep = order[: choice.size] if judged.helps or rule.wanted else []
    at_this_size = scores_at(judged.curves, choice)
    score = Score(
        name=scoring.name,
        larger_is_better=scoring.sign > 0,
        at_this_size=_reached(at_this_size, scoring, share),
        held_out=_reached(judged.held_out, scoring, share),
        guess={"name": judged.guess.name, **_reached(judged.guess.scores, scoring, share)},
        others=[
            {"name": each.name, **_reached(each.scores, scoring, share)} for each in judged.others
        ],
    )
    return Answer(
        sentence=_sentence(judged, rule, len(order)),
        evidence=_evidence(score, scoring, judged.helps),
        comparison=_comparison(judged, scoring, len(order)),
        warning=None,
        keep=keep,
        n_features=len(keep),
        of=len(order),
        rule=_in_words(rule, scoring),
        method=choice.method,
        helps=judged.helps,
        score=score,
    )


def _reached(scores: np.ndarray, scoring: Scoring, share: float | None) -> Reached:
    """Mean and standard error over the folds, in the units of the metric."""
    error = float(standard_error(scores, share))
    return Reached(mean=float(scoring.sign * scores.mean()), standard_error=error)


def _in_words(rule: Rule, scoring: Scoring) -> str:
    if rule.wanted:
        return "as asked for"
    if rule.tolerance is not None:
        return f"the fewest that lose at most {rule.tolerance:g} in {scoring.name}"
    return (
        "the fewest that lose at most one standard error against the best size, and at most "
        f"{100 * MOST_LOST:.0f} % of its gain over guessing"
    )


def _limit(rule: Rule) -> str:
    if rule.tolerance is not None:
        return f"{rule.tolerance:g}"
    return f"one standard error, or more than {100 * MOST_LOST:.0f} % of the gain over guessing"


def _sentence(judged: Judged, rule: Rule, n_features: int) -> str:
    size, wanted = judged.choice.size, rule.wanted
    if not judged.helps:
        return _no_help(wanted, judged.guess)
    if wanted:
        best = "feature" if wanted == 1 else f"{wanted:,} features"
        advised = judged.curves[judged.choice.method].one_se_size
        advice = "agrees" if advised == wanted else f"would keep {advised:,}"
        return f"The best {best} of {n_features:,}, as asked for; the curve {advice}."
    if size == n_features:
        return (
            f"Keep all {counted(n_features, 'feature')}: every smaller set tried loses more than "
            f"{_limit(rule)}."
        )
    these = "this 1" if size == 1 else f"these {size:,}"
    return f"Keep {these} of {n_features:,}; more gain little."


def _no_help(wanted: int | None, guess: Baseline) -> str:
    if wanted is None:
        return (
            "Keep none: no set of features tried is clearly better than always guessing "
            f"{guess.name}."
        )
    best = "The best feature is" if wanted == 1 else f"The best {wanted:,} features are"
    return f"{best} not clearly better than always guessing {guess.name}."


def _evidence(score: Score, scoring: Scoring, helps: bool) -> str:
    """What the kept features reach beside the guess."""
    chosen = with_error(score["held_out"]["mean"], score["held_out"]["standard_error"])
    guess = with_error(score["guess"]["mean"], score["guess"]["standard_error"])
    better = "" if scoring.sign > 0 else " (smaller is better)"
    return (
        f"{scoring.name[:1].upper()}{scoring.name[1:]}{better} on samples that had no say in the "
        f"choice: {chosen}; always guessing {score['guess']['name']}: {guess}."
        + ("" if helps else " The gain may be chance (one-sided t test over the folds, 5 %).")
    )


def _comparison(judged: Judged, scoring: Scoring, n_features: int) -> str:
    """What is lost, or gained, against all features and against a forest."""
    everything, trees = judged.others
    if judged.choice.size == n_features:
        first = f"All {counted(n_features, 'feature')} were kept"
    else:
        gain = float((judged.held_out - everything.scores).mean())
        verb = "Gains" if gain >= 0 else "Loses"
        first = f"{verb} {number(abs(gain), 2)} against all {counted(n_features, 'feature')}"
    ahead = clearly_positive(trees.scores - judged.held_out, judged.test_share)
    hint = ": consider one" if ahead else ""
    reached = number(float(scoring.sign * trees.scores.mean()))
    return f"{first}; a forest on all reaches {reached}{hint}."
