"""Statements of a summary that cannot stand side by side, found before anything is shown.

Every rule reads the summary alone, as a reader would, and says in one sentence what does not fit
together.  What produces such statements was mended elsewhere; the rules see to it that it stays so,
and what they find all the same is shown as a caveat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from echelon._core.relevance import LABELS, WEAK
from echelon._core.words import listed, number, percent
from echelon.profile import ALIKE
from echelon.study._answer import AS_ASKED_FOR
from echelon.study._caveats import (
    FEWER_ROWS,
    NO_BETTER_ALONE,
    NOT_STABLE,
    ONE_MAY_DO,
    UNSTABLE,
    decided_otherwise,
)
from echelon.study.types import MethodPart, Summary

NOTHING_USED = "uses no feature at all"
"""What ``RelevanceBounds`` says of a model in which no feature has a weight."""


def contradictions(summary: Summary) -> list[str]:
    """What in a summary does not fit together, one sentence each; none, if all is well.

    Parameters
    ----------
    summary : dict
        As ``echelon.report.summarize`` makes it.

    Returns
    -------
    found : list of str
        Sentences.
    """
    return [sentence for rule in RULES for sentence in rule(summary)]


def bounds_contradictions(
    relevance: Sequence[str],
    lower: Sequence[float],
    names: Sequence[str],
    notes: Iterable[str],
) -> list[str]:
    """The same for relevance bounds.

    Parameters
    ----------
    relevance, lower, names : sequences of length n_features
        Labels, lower bounds and names of the features.
    notes : iterable of str
        What is said beside them.
    """
    return [
        *_strong_without_bound(names, relevance, lower),
        *_relevant_to_nothing(relevance, notes),
    ]


def _chosen_method(summary: Summary) -> MethodPart:
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


# ------------------------------------------------------------------------- the answer


def _the_kept_are_kept(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    kept = [feature["name"] for feature in summary["features"] if feature["kept"]]
    if sorted(kept) != sorted(answer["keep"]) or len(kept) != answer["n_features"]:
        yield (
            f"The answer keeps {answer['n_features']:,} features, {listed(answer['keep'])}; the "
            f"table marks {listed(kept) or 'none'}."
        )
    if kept and answer["sentence"].startswith("Keep none"):
        yield f"The answer is to keep none, and {listed(kept)} are marked as kept."


def _what_helps_is_better(summary: Summary) -> Iterator[str]:
    score = summary["answer"]["score"]
    reached, guess = score["held_out"]["mean"], score["guess"]["mean"]
    if summary["answer"]["helps"] and not _better(reached, guess, score["larger_is_better"]):
        yield (
            f"The features are said to help, and reach {number(reached)} where guessing reaches "
            f"{number(guess)}."
        )


def _constants_are_dropped(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    own = [name for name in answer["keep"] if name not in answer["always"]]
    useless = [name for name in own if name in summary["data"]["constant"]]
    if useless and answer["rule"] != AS_ASKED_FOR:
        yield f"{listed(useless)} are kept, though of no use: the same value everywhere."


def _unstable_answers_say_so(summary: Summary) -> Iterator[str]:
    stability = _chosen_method(summary)["stability"]
    if not summary["answer"]["keep"] or stability is None or stability["index"] is None:
        return
    said = any(NOT_STABLE in warning for warning in summary["answer"]["warnings"])
    if stability["index"] < UNSTABLE and not said:
        yield (
            f"The answer names features without a warning, while its stability is "
            f"{number(stability['index'], 2)}."
        )


def _all_or_one(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    doubtful = [caveat for caveat in summary["caveats"] if ONE_MAY_DO in caveat]
    if answer["n_features"] == answer["of"] and doubtful:
        yield f"All features are to be kept, and a caveat says: {doubtful[0]}"


def _a_poor_start_is_explained(summary: Summary) -> Iterator[str]:
    curve, score = _chosen_method(summary)["curve"], summary["answer"]["score"]
    alone, guess = curve["mean"][0], score["guess"]["mean"]
    if not summary["answer"]["helps"] or curve["n_features"][0] != 1 or alone is None:
        return
    worse = _better(guess, alone, score["larger_is_better"])
    if worse and not any(NO_BETTER_ALONE in caveat for caveat in summary["caveats"]):
        yield (
            f"{summary['features'][0]['name']} is ranked first, and alone reaches {number(alone)}, "
            f"worse than guessing ({number(guess)})."
        )


def _better(value: float, than: float, larger_is_better: bool) -> bool:
    return value > than if larger_is_better else value < than


# ----------------------------------------------------------------------- the features


def _chosen_by_one_rule(summary: Summary) -> Iterator[str]:
    """What is kept, and how often it is chosen, are about the same rule."""
    stability = _chosen_method(summary)["stability"]
    answer = summary["answer"]
    if stability is None or not answer["keep"]:
        return
    if stability["size"] != answer["n_features"]:
        yield (
            f"{answer['n_features']:,} features are kept; how often features are chosen is about "
            f"sets of {stability['size']:,}."
        )
    elif not any(FEWER_ROWS in warning for warning in answer["warnings"]):
        yield from _against_the_resamples(summary)


def _against_the_resamples(summary: Summary) -> Iterator[str]:
    never, always = decided_otherwise(summary["features"], summary["how"]["n_resamples"])
    for names, share, verb in ((never, 0.0, "kept"), (always, 1.0, "not kept")):
        if names:
            yield f"{verb}, but chosen in {percent(share)} of the halves: {listed(names)}."


def _strong_are_bounded(summary: Summary) -> Iterator[str]:
    bounded = [feature for feature in summary["features"] if feature["bounds"] is not None]
    names = [feature["name"] for feature in bounded]
    labels = [feature["relevance"] or "" for feature in bounded]
    lower = [feature["bounds"][0] for feature in bounded]  # type: ignore[index]
    yield from _strong_without_bound(names, labels, lower)


def _strong_without_bound(
    names: Sequence[str], relevance: Sequence[str], lower: Sequence[float]
) -> Iterator[str]:
    each = zip(names, relevance, lower, strict=True)
    idle = [name for name, label, low in each if label == "strong" and not low > 0]
    if idle:
        yield f"No good model does without {listed(idle)}, and the lower bound of the weight is 0."


def _a_model_without_features(summary: Summary) -> Iterator[str]:
    labels = [feature["relevance"] for feature in summary["features"] if feature["relevance"]]
    yield from _relevant_to_nothing(labels, summary["caveats"])


def _relevant_to_nothing(relevance: Sequence[str], notes: Iterable[str]) -> Iterator[str]:
    relevant = [label for label in relevance if LABELS.index(label) >= WEAK]
    said = [note for note in notes if NOTHING_USED in note]
    if relevant and said:
        yield f"{len(relevant)} features are called relevant, and a caveat says: {said[0]}"


def _alike_are_alike(summary: Summary) -> Iterator[str]:
    for pair in summary["alike"]:
        if pair["association"] < ALIKE - 1e-9:
            yield (
                f"{pair['first']} and {pair['second']} are called interchangeable, and go together "
                f"by {number(pair['association'], 2)} only."
            )
    known = {frozenset((pair["first"], pair["second"])) for pair in summary["alike"]}
    named = [(group[0], other) for group in summary["groups"] for other in group[1:]]
    named += [(f["name"], other) for f in summary["features"] for other in f["substitutes"]]
    unknown = [pair for pair in named if frozenset(pair) not in known]
    if unknown:
        yield f"{listed(unknown[0])} are said to be alike without a measure of it."


def _no_leak_stands_in(summary: Summary) -> Iterator[str]:
    leaks = set(summary["profile"].get("giveaways", ()))
    for feature in summary["features"]:
        offered = [name for name in feature["substitutes"] if name in leaks]
        if offered:
            yield (
                f"{listed(offered)} may hold the answer itself, and is offered instead of "
                f"{feature['name']}."
            )


RULES = (
    _the_kept_are_kept,
    _what_helps_is_better,
    _constants_are_dropped,
    _unstable_answers_say_so,
    _all_or_one,
    _a_poor_start_is_explained,
    _chosen_by_one_rule,
    _strong_are_bounded,
    _a_model_without_features,
    _alike_are_alike,
    _no_leak_stands_in,
)
"""Each takes a summary, and yields what it finds as sentences."""
