"""Facts of a summary that cannot stand side by side, each found by one rule.

Every rule reads the summary alone, as a reader would, and says in one sentence what does not fit
together.  Tests hold all rules on every summary they make; ``benchmarks.coherence`` reads hundreds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echelon.profile import ALIKE
from echelon.study.types import MethodPart, Summary


def contradictions(summary: Summary) -> list[str]:
    """What in a summary does not fit together, one sentence each; none, if all is well."""
    return [sentence for rule in RULES for sentence in rule(summary)]


def chosen_method(summary: Summary) -> MethodPart:
    """The method that made the answer."""
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


def strong_without_bound(
    names: Sequence[str], relevance: Sequence[str], lower: Sequence[float]
) -> Iterator[str]:
    """Features that no good model does without have a lower bound above 0."""
    for name, label, low in zip(names, relevance, lower, strict=True):
        if label == "strong" and not low > 0:
            yield f"No good model does without {name}, and the lower bound of its weight is 0."


def _the_kept_are_kept(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    kept = [feature["name"] for feature in summary["features"] if feature["kept"]]
    if sorted(kept) != sorted(answer["keep"]) or len(kept) != answer["n_features"]:
        yield f"The answer keeps {answer['keep']}; the table marks {kept}."


def _none_without_help(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    rule = answer["rule"]
    if not answer["helps"] and rule["wanted"] is None and rule["allow_none"]:
        extra = set(answer["keep"]) - set(answer["always"])
        if extra:
            yield f"Nothing helps, and {sorted(extra)} are kept."


def _what_helps_is_better(summary: Summary) -> Iterator[str]:
    score = summary["answer"]["score"]
    reached, guess = score["held_out"]["mean"], score["guess"]["mean"]
    better = reached > guess if score["larger_is_better"] else reached < guess
    if summary["answer"]["helps"] and not better:
        yield f"The features are said to help, and reach {reached} where the baseline has {guess}."


def _constants_are_dropped(summary: Summary) -> Iterator[str]:
    answer = summary["answer"]
    own = set(answer["keep"]) - set(answer["always"])
    useless = own & set(summary["data"]["constant"])
    if useless and answer["rule"]["wanted"] is None:
        yield f"{sorted(useless)} are kept, though constant."


def _stability_is_of_the_answer(summary: Summary) -> Iterator[str]:
    """What is kept, and how often it is selected, are about the same rule."""
    stability, answer = chosen_method(summary)["stability"], summary["answer"]
    if stability is not None and answer["keep"] and stability["size"] != answer["n_features"]:
        yield (
            f"{answer['n_features']:,} features are kept; the selection frequency is about sets of "
            f"{stability['size']:,}."
        )


def _strong_are_bounded(summary: Summary) -> Iterator[str]:
    bounded = [feature for feature in summary["features"] if feature["bounds"] is not None]
    yield from strong_without_bound(
        [feature["name"] for feature in bounded],
        [feature["relevance"] or "" for feature in bounded],
        [feature["bounds"][0] for feature in bounded],  # type: ignore[index]
    )


def _redundant_are_measured(summary: Summary) -> Iterator[str]:
    for pair in summary["alike"]:
        if pair["association"] < ALIKE - 1e-9:
            yield f"{pair['first']} and {pair['second']} are associated by {pair['association']}."
    known = {frozenset((pair["first"], pair["second"])) for pair in summary["alike"]}
    named = [(group[0], other) for group in summary["groups"] for other in group[1:]]
    named += [(f["name"], other) for f in summary["features"] for other in f["substitutes"]]
    yield from (f"{pair} are redundant without a measure of it." for pair in named
                if frozenset(pair) not in known)  # fmt: skip


def _no_leak_stands_in(summary: Summary) -> Iterator[str]:
    leaks = set(summary["profile"].get("giveaways", ()))
    for feature in summary["features"]:
        offered = leaks & set(feature["substitutes"])
        if offered:
            yield f"{sorted(offered)} may hold the answer, and could replace {feature['name']}."


RULES = (
    _the_kept_are_kept,
    _none_without_help,
    _what_helps_is_better,
    _constants_are_dropped,
    _stability_is_of_the_answer,
    _strong_are_bounded,
    _redundant_are_measured,
    _no_leak_stands_in,
)
"""Each takes a summary, and yields what it finds as sentences."""
