"""The answer, in one sentence and a few numbers."""

from __future__ import annotations

import numpy as np

from echelon._core.errors import clearly_positive, standard_error
from echelon._core.words import counted, listed, number, with_error
from echelon.study._curves import Baseline, scores_at
from echelon.study._judge import Judged
from echelon.study._models import Scoring
from echelon.study._rule import MOST_LOST, Rule, gain_of, share_to_offer, size_of
from echelon.study.types import Answer, Offer, Reached, Score

BEYOND_ERROR = "more than one standard error of the difference"
"""What is said of a lead that the rule for the number of features would not forgive."""
AS_ASKED_FOR = "as asked for"
"""The rule where a number of features was given."""


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
    n_kept = choice.size if judged.helps or rule.wanted else len(rule.always)
    keep = order[:n_kept]
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
        evidence=_evidence(score, scoring, judged, len(order)),
        warnings=[],
        comparison=_comparison(judged, scoring, len(order)),
        offer=_offer(judged, rule, order, scoring),
        keep=keep,
        always=list(rule.always),
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
        return AS_ASKED_FOR
    if rule.tolerance is not None:
        return f"the fewest that lose at most {rule.tolerance:g} in {scoring.name}"
    if rule.share is not None:
        return f"the fewest that lose at most {_percent(rule.share)} of the gain over guessing"
    return (
        "the fewest that lose at most one standard error against the best size, and at most "
        f"{100 * MOST_LOST:.0f} % of its gain over guessing"
    )


def _limit(rule: Rule) -> str:
    if rule.tolerance is not None:
        return f"{rule.tolerance:g}"
    if rule.share is not None:
        return f"{_percent(rule.share)} of the gain over guessing"
    return f"one standard error, or more than {100 * MOST_LOST:.0f} % of the gain over guessing"


def _sentence(judged: Judged, rule: Rule, n_features: int) -> str:
    size, wanted = judged.choice.size, rule.wanted
    if not judged.helps:
        return _no_help(rule, judged.guess)
    if wanted:
        best = "feature" if wanted == 1 else f"{wanted:,} features"
        advised = judged.curves[judged.choice.method].one_se_size
        advice = "agrees" if advised == wanted else f"would keep {advised:,}"
        return f"The best {best} of {n_features:,}, as asked for; the curve {advice}."
    if size == n_features:
        return (
            f"Keep all {counted(n_features, 'feature')}: every smaller set "
            f"{'tried' if len(judged.curves) == 1 else f'that {judged.choice.method} ranks best'} "
            f"loses more than {_limit(rule)}."
        )
    these = "this 1" if size == 1 else f"these {size:,}"
    return f"Keep {these} of {n_features:,}; more gain little."


def _no_help(rule: Rule, guess: Baseline) -> str:
    wanted = rule.wanted
    if wanted is None and rule.always:
        return (
            f"Keep {listed(rule.always)}, as asked for: no set of features tried is clearly better "
            f"than always guessing {guess.name}."
        )
    if wanted is None:
        return (
            "Keep none: no set of features tried is clearly better than always guessing "
            f"{guess.name}."
        )
    best = "The best feature is" if wanted == 1 else f"The best {wanted:,} features are"
    return f"{best} not clearly better than always guessing {guess.name}."


def _evidence(score: Score, scoring: Scoring, judged: Judged, n_features: int) -> str:
    """What the kept features reach beside the guess."""
    chosen = with_error(score["held_out"]["mean"], score["held_out"]["standard_error"])
    guess = with_error(score["guess"]["mean"], score["guess"]["standard_error"])
    better = "" if scoring.sign > 0 else " (smaller is better)"
    return (
        f"{scoring.name[:1].upper()}{scoring.name[1:]}{better} on samples that had no say in the "
        f"choice: {chosen}; always guessing {score['guess']['name']}: {guess}."
        + _doubt(judged, n_features)
    )


def _doubt(judged: Judged, n_features: int) -> str:
    """What may be chance, and by which tests."""
    if judged.clear:
        return ""
    if not (judged.held_out - judged.guess.scores).mean() > 0:
        return " Nothing is gained."
    if judged.related is None:
        return " The gain may be chance (one-sided t test over the folds, 5 %)."
    found = f"p = {judged.related:.3g} for all {counted(n_features, 'feature')} together"
    if judged.is_related:
        return (
            " By the folds alone the gain may be chance; that some feature is related to the "
            f"target is not (permutation test of rank correlations, {found})."
        )
    return (
        " The gain may be chance (one-sided t test over the folds, and permutation test of rank "
        f"correlations, {found})."
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
        first += f", {BEYOND_ERROR}" if _is_ahead(everything, judged) else ""
    hint = f", better by {BEYOND_ERROR}" if _is_ahead(trees, judged) else ""
    if clearly_positive(trees.scores - judged.held_out, judged.test_share):
        hint = ": consider one"
    reached = number(float(scoring.sign * trees.scores.mean()))
    return f"{first}; a forest on all reaches {reached}{hint}."


def _is_ahead(other: Baseline, judged: Judged) -> bool:
    """Whether something else is better by more than a standard error of the difference."""
    lead = other.scores - judged.held_out
    return float(lead.mean()) > float(standard_error(lead, judged.test_share)) + 1e-12


def _offer(judged: Judged, rule: Rule, order: list[str], scoring: Scoring) -> Offer | None:
    """The knee of the curve where the answer is nearly everything, by the rule that leads to it."""
    choice, guess = judged.choice, float(judged.guess.scores.mean())
    if rule._replace(always=()) != Rule() or not judged.helps:
        return None
    curve = judged.curves[choice.method]
    share = share_to_offer(curve, guess, choice.size)
    if share is None:
        return None
    size = size_of(curve, guess, rule._replace(share=share))
    smaller = scores_at(judged.curves, choice._replace(size=size))
    loss = float((scores_at(judged.curves, choice) - smaller).mean())
    lost = loss / gain_of(curve, guess)
    return Offer(
        n_features=size,
        keep=order[:size],
        loss=loss,
        share=lost,
        sentence=(
            f"{size:,} of {len(order):,} {'loses' if size == 1 else 'lose'} {number(loss, 2)}, "
            f"{number(100 * lost, 2)} % of the gain over guessing: --tolerance "
            f"{_percent(share).replace(' ', '')} keeps only those."
        ),
    )


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
