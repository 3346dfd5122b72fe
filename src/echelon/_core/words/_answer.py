"""What a study says: the answer, its evidence, comparisons, questions and caveats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from echelon._core.words._data import data_caveats, data_warnings, option, why_method
from echelon._core.words._text import counted, listed, number, with_error

MATTERS = "Which single feature matters most?"
BEYOND_ERROR = "more than one standard error of the difference"
"""What is said of a lead that the rule for the number of features would not forgive."""
UNSTABLE = 0.6
"""Below this stability a warning is due."""
ENOUGH_RESAMPLES = 10
"""A feature at the edge of the choice is in every second resample: in none of so many, or in all,
once in a thousand tables."""

MODELS = {
    ("linear", "ordinal"): "logistic regression, one question per threshold between the classes",
    ("linear", "classification"): "logistic regression, every class with the same weight",
    ("linear", "regression"): "ridge regression",
    ("forest", "ordinal"): "a forest of extremely randomised trees on the thresholds between the "
    "classes",
    ("forest", "classification"): "a forest of extremely randomised trees, every class with the "
    "same weight",
    ("forest", "regression"): "a forest of extremely randomised trees",
}
SHORT_MODELS = {"linear": "a linear model", "forest": "a forest", "given": "the given model"}


def spoken(summary: Any, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Every sentence about a summary, made of its facts.

    Parameters
    ----------
    summary : dict
        The facts, with the keys of ``echelon.study.types.Summary``.
    notes : sequence of str, default=()
        What was done to the data before, in sentences; they come first among the caveats.

    Returns
    -------
    words : dict
        With the keys of ``echelon.study.types.Words``.
    """
    command = summary["how"]["command"] is not None
    facts = SimpleNamespace(**summary["profile"])
    answer = summary["answer"]
    return {
        "title": f"Which features go with {facts.target or 'the target'}?",
        "fits": why_method(facts),
        "answer": _sentence(summary),
        "warnings": [
            *([] if summary["how"]["groups"] else data_warnings(facts, command)),
            *(_instability(summary) if answer["keep"] else []),
        ],
        "evidence": _evidence(summary),
        "comparison": _comparison(answer),
        "offer": _offer(answer, command),
        "rule": _rule(answer),
        "model": _model(summary),
        "evaluated": _judge(answer),
        "questions": _questions(summary),
        "caveats": [
            *notes,
            *data_caveats(facts, command),
            *_rough(summary, facts),
            *_about_methods(summary),
            *_about_results(summary),
        ],
    }


def _chosen(summary: Any) -> Any:
    """The method that made the answer."""
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


def _model(summary: Any) -> str:
    given = summary["how"]["estimator"]
    if given is not None:
        return given
    name = MODELS[summary["answer"]["model"], summary["data"]["kind"]]
    return f"{name}; numbers standardised, missing values filled with the mean, labels one-hot"


# ------------------------------------------------------------------------------------ the answer


def _rule(answer: Any) -> str:
    rule = answer["rule"]
    if rule["wanted"]:
        return "as asked for"
    if rule["tolerance"] is not None:
        return f"the fewest that lose at most {rule['tolerance']:g} in {answer['score']['name']}"
    if rule["share"] is not None:
        return f"the fewest that lose at most {_percent(rule['share'])} of the gain over guessing"
    most = _percent(rule["most_lost"])
    if rule["limit"] is None:
        return (
            "the fewest that lose at most one standard error against the best size, and at most "
            f"{most} of its gain over guessing"
        )
    return (
        f"the fewest that lose at most {most} of the gain of the best size over guessing; no more "
        f"than the searches of the ranking select, {rule['limit']:,}, unless up to twice "
        "as many are better by more than one standard error"
    )


def _limit(rule: Any) -> str:
    if rule["tolerance"] is not None:
        return f"{rule['tolerance']:g}"
    if rule["share"] is not None:
        return f"{_percent(rule['share'])} of the gain over guessing"
    most = f"{_percent(rule['most_lost'])} of the gain over guessing"
    return most if rule["limit"] is not None else f"one standard error, or more than {most}"


def _sentence(summary: Any) -> str:
    answer = summary["answer"]
    if not answer["helps"]:
        return _no_help(answer)
    wanted, size, of = answer["rule"]["wanted"], answer["n_features"], answer["of"]
    if wanted:
        best = "feature" if wanted == 1 else f"{wanted:,} features"
        advised = answer["advised"]
        advice = "agrees" if advised == wanted else f"would keep {advised:,}"
        return f"The best {best} of {of:,}, as asked for; the curve {advice}."
    if size == of:
        several = len(summary["methods"]) > 1
        return (
            f"Keep all {counted(of, 'feature')}: every smaller set "
            f"{'that ' + answer['method'] + ' ranks best' if several else 'tried'} "
            f"loses more than {_limit(answer['rule'])}"
            f"{', on average over both models' if len(answer['decided_by']) > 1 else ''}."
        )
    these = "this 1" if size == 1 else f"these {size:,}"
    if answer["score"]["others"][0]["ahead"]:
        return f"Keep {these} of {of:,} for a small set; all {of:,} together predict better."
    return f"Keep {these} of {of:,}; more gain little."


def _no_help(answer: Any) -> str:
    rule, guess = answer["rule"], answer["score"]["guess"]["name"]
    wanted = rule["wanted"] if rule["allow_none"] else answer["n_features"]
    if wanted is None:
        what = f"{listed(answer['always'])}, as asked for" if answer["always"] else "none"
        return (
            f"Keep {what}: no set of features tried is clearly better than always guessing {guess}."
        )
    best = "The best feature is" if wanted == 1 else f"The best {wanted:,} features are"
    return f"{best} not clearly better than always guessing {guess}."


def _evidence(summary: Any) -> str:
    """What the kept features reach beside the guess."""
    answer, score = summary["answer"], summary["answer"]["score"]
    chosen = with_error(score["held_out"]["mean"], score["held_out"]["standard_error"])
    guess = with_error(score["guess"]["mean"], score["guess"]["standard_error"])
    better = "" if score["larger_is_better"] else " (smaller is better)"
    name = score["name"]
    return (
        f"{name[:1].upper()}{name[1:]}{better} on samples that had no say in the choice: {chosen}; "
        f"always guessing {score['guess']['name']}: {guess}." + _doubt(answer)
    )


def _doubt(answer: Any) -> str:
    """What may be chance, and by which tests."""
    tests = answer["tests"]
    if tests["clear"]:
        return ""
    if not tests["gained"]:
        return " Nothing is gained."
    if tests["related"] is None:
        return " The gain may be chance (one-sided t test over the folds, 5 %)."
    found = f"p = {tests['related']:.3g} for all {counted(answer['of'], 'feature')} together"
    if tests["is_related"]:
        return (
            " By the folds alone the gain may be chance; that some feature is related to the "
            f"target is not (permutation test of rank correlations, {found})."
        )
    return (
        " The gain may be chance (one-sided t test over the folds, and permutation test of rank "
        f"correlations, {found})."
    )


def _comparison(answer: Any) -> str:
    """What is lost, or gained, against all features, and which model evaluated them."""
    everything, other = answer["score"]["others"]
    every = counted(answer["of"], "feature")
    # At the size of the answer: none are kept where nothing helps, and all are compared.
    if answer["n_features"] == answer["of"]:
        first = f"All {every} were kept"
    else:
        verb = "Gains" if everything["gain"] >= 0 else "Loses"
        first = f"{verb} {number(abs(everything['gain']), 2)} against all {every}"
        first += f", {BEYOND_ERROR}" if everything["ahead"] else ""
    ahead = ""
    if other["clear"] and other["gain"] < 0:
        ahead = ", clearly better"
    elif other["ahead"]:
        ahead = f", better by {BEYOND_ERROR}"
    named = other["name"].removesuffix(" on all features")
    return f"{first}; {named} on all reaches {number(other['mean'])}{ahead}. {_judge(answer)}"


def _judge(answer: Any) -> str:
    """The model that evaluated the features, and how the other one compares."""
    said = f"Evaluated by {SHORT_MODELS[answer['model']]}"
    if not answer["score"]["models"]:
        return f"{said}."
    other = answer["score"]["models"][0]
    name, size = SHORT_MODELS[other["name"]], with_error(abs(other["gain"]), other["gain_error"])
    if other["clear"] and other["gain"] > 0:
        said += f", better than {name} by {size}"
    else:
        way = "worse" if other["gain"] >= 0 else "better"
        said += f"; {name} is {'' if other['clear'] else 'not clearly '}{way} ({size})"
    return f"{said}{'; the mean score of both decided how many' * (len(answer['decided_by']) > 1)}."


def _offer(answer: Any, command: bool) -> str | None:
    offer = answer["offer"]
    if offer is None:
        return None
    size, share = offer["n_features"], _percent(offer["tolerance"]).replace(" ", "")
    how = option(command, f"--tolerance {share}", f'tolerance="{share}"')
    return (
        f"{size:,} of {answer['of']:,} {'loses' if size == 1 else 'lose'} "
        f"{number(offer['loss'], 2)}, {number(100 * offer['share'], 2)} % of the gain over "
        f"guessing: {how} keeps only those."
    )


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


# ---------------------------------------------------------------------------- how far to trust it


def _instability(summary: Any) -> list[str]:
    """Warnings that belong beside the answer, by what halves of the rows would choose."""
    stability = _chosen(summary)["stability"]
    said = []
    if stability is not None and stability["index"] is not None and stability["index"] < UNSTABLE:
        said.append(
            f"The choice is not stable ({number(stability['index'], 2)}, where 1 is always the "
            "same and 0 is chance): half of the samples would often lead to other features."
        )
    never, always = decided_otherwise(summary["features"], summary["how"]["n_resamples"])
    why = "the method ranks differently when rows are fewer, so treat this as undecided"
    if never:
        said.append(f"No half of the rows chooses {listed(never)}, all rows together do: {why}.")
    if always:
        said.append(
            f"Every half of the rows chooses {listed(always)}, all rows together do not: {why}."
        )
    return said


def decided_otherwise(
    features: Sequence[Mapping[str, Any]], n_resamples: int
) -> tuple[list[str], list[str]]:
    """What is kept and no half of the samples chooses; what every half does, and is not kept.

    The rule is the same; then the number of samples changes the ranking, as it does where a
    method looks at a fixed number of neighbours.
    """
    if n_resamples < ENOUGH_RESAMPLES:
        return [], []
    never, always = (
        [row["name"] for row in features if row["kept"] is kept and row["stability"] == share]
        for kept, share in ((True, 0.0), (False, 1.0))
    )
    return never, always


def _rough(summary: Any, facts: Any) -> list[str]:
    """What constant columns, small classes, few samples and many labels do to the scores."""
    found, n_folds, n_samples = [], summary["how"]["folds"], summary["data"]["n_samples"]
    if facts.constant:
        found.append(f"The same value everywhere, hence of no use: {listed(facts.constant)}.")
    rare = {c: k for c, k in facts.classes.items() if k < n_folds}
    if rare:
        named = listed(f"{c} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if n_samples / n_folds < 10:
        found.append(
            f"A test fold holds about {counted(n_samples // n_folds, 'sample')}: scores are rough."
        )
    many = summary["data"]["many_labels"]
    if many:
        named = listed(f"{name} ({n:,})" for name, n in many.items())
        found.append(
            f"More than {summary['data']['most_labels']} labels, judged by the mean outcome of "
            f"each label on other rows: {named}."
        )
    return found


def _about_methods(summary: Any) -> list[str]:
    return [
        f"The stability of {method['name']} could not be measured: {method['no_stability']}"
        for method in summary["methods"]
        if method["no_stability"]
    ]


def _about_results(summary: Any) -> list[str]:
    """What in the result calls for care."""
    found, how, answer = [], summary["how"], summary["answer"]
    if how["groups"] or how["time"]:
        found.append(f"Judged over {_splits(how)}.")
    if answer["helps"]:
        found += _poor_start(_chosen(summary), answer["score"])
    if answer["n_features"] < answer["of"]:  # else all are needed
        alike = [listed(group) for group in summary["groups"]]
        found += [f"{named} say nearly the same; one may do." for named in alike]
    if how["weights"]:
        found.append(f"Rows count by {how['weights']}, in rankings, models and scores.")
    if len(summary["methods"]) > 1:
        found.append(
            f"{answer['method']} was chosen among {len(summary['methods'])} methods by their "
            "curves; the held-out score allows for that, the curve does not."
        )
    return found


def _splits(how: Any) -> str:
    """The folds in words."""
    words = counted(how["folds"], "fold")
    if how["time"] is not None:
        words += f", each judged by the rows that come next by {how['time']}"
    if how["groups"] is not None:
        words += f"; rows of the same {how['groups']} never in both parts"
    return words


def _poor_start(chosen: Any, score: Any) -> list[str]:
    """What a first feature that is worse than guessing means."""
    alone, guess = chosen["curve"]["mean"][0], score["guess"]["mean"]
    if chosen["curve"]["n_features"][0] != 1 or alone is None:
        return []
    gain = alone - guess if score["larger_is_better"] else guess - alone
    if not gain < 0:
        return []
    return [
        f"{chosen['order'][0]} is ranked first, yet alone no better than guessing "
        f"({number(alone)} against {number(guess)}): it counts together with others, if at all."
    ]


# ------------------------------------------------------------------------------------- questions


def _questions(summary: Any) -> dict[str, str]:
    """Questions and their answers; none where nothing is kept or nothing was tried."""
    questions, answer = summary["questions"], summary["answer"]
    if questions is None or not answer["keep"]:
        return {}
    name = answer["score"]["name"]
    said = {
        "What do we lose against all?": _lost(answer),
        MATTERS: _matters(questions["dropped"], name),
        "Would another model agree?": _other_model(answer, questions["in_common"]),
    }
    if questions["added"]:
        said["Is anything missed that was left out?"] = _missed(questions["added"], name)
    return said


def _lost(answer: Any) -> str:
    everything, every = answer["score"]["others"][0], counted(answer["of"], "feature")
    name = answer["score"]["name"]
    if answer["n_features"] == answer["of"]:
        return f"Nothing: all {every} were kept."
    size = with_error(abs(everything["gain"]), everything["gain_error"])
    if size.startswith("0.000 "):
        return f"Nothing: {name} is that of all {every}."
    verb = "We gain" if everything["gain"] > 0 else "We lose"
    chance = "" if everything["clear"] else ", which may be chance"
    return f"{verb} {size} in {name} against all {answer['of']:,}{chance}."


def _moves(change: Any) -> str:
    """How the score changes, in words."""
    size = with_error(abs(change["change"]), change["standard_error"])
    return f"{'rises' if change['change'] > 0 else 'falls'} by {size}"


def _matters(dropped: Sequence[Any], name: str) -> str:
    most = max(dropped, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        return f"None: without any one of those kept, {name} gets no worse."
    moves = f"without it {name} {_moves(most)}"
    if most["clear"]:
        return f"{most['name']}: {moves}."
    return f"{most['name']}, but not clearly: {moves}, which may be chance."


def _missed(added: Sequence[Any], name: str) -> str:
    most = max(added, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        tried = counted(len(added), "feature")
        return f"No: {name} gets no better with any of the best {tried} left out."
    chance = "" if most["clear"] else ", which may be chance"
    answer = "Perhaps" if most["clear"] else "Hardly"
    return f"{answer}: with {most['name']} {name} {_moves(most)}{chance}."


def _other_model(answer: Any, common: int | None) -> str:
    """What another model reaches with all features, and whether a forest ranks the same."""
    other, n_kept = answer["score"]["others"][1], answer["n_features"]
    verdict = "no clear difference"
    if other["clear"]:
        verdict = "worse" if other["gain"] > 0 else "better"
    name = other["name"][:1].upper() + other["name"][1:]
    said = f"{name} reaches {number(other['mean'])}, {verdict}"
    if common is None or n_kept == answer["of"]:
        return f"{said}."
    of = "the kept one is" if n_kept == 1 and common else f"{common} of the {n_kept:,} kept are"
    return f"{said}; {of} among the {n_kept:,} that a forest ranks best."
