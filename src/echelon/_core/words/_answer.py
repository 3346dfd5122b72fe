"""What a study says: the answer, its score beside others, questions, why each feature is in it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from echelon._core.words._asked import about_directions, differences, needed
from echelon._core.words._data import (
    about_sample,
    data_caveats,
    data_warnings,
    option,
    sample_line,
    why_method,
)
from echelon._core.words._methods import (
    MODELS,
    about_result,
    about_scores,
    chosen,
    instability,
    methods_text,
)
from echelon._core.words._text import (
    counted,
    if_not,
    listed,
    moves,
    number,
    percent,
    to_error,
    with_error,
)

HARDEST = "Which feature is hardest to replace?"
BEYOND_ERROR = "more than one standard error of the difference"
"""What is said of a lead that the rule for the number of features would not accept."""
SHORT_MODELS = {"linear": "linear model", "forest": "random forest", "given": "the given model"}


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
    directions, target = answer.get("directions"), summary["data"]["target"]
    metric = answer["score"]["name"]
    return {
        "title": f"Which features predict {facts.target or 'the target'}?",
        "fits": why_method(facts),
        "answer": _sentence(summary),
        "warnings": [
            *([] if summary["how"]["groups"] else data_warnings(facts, command)),
            *(instability(summary) if answer["keep"] else []),
        ],
        "lines": _lines(summary, command),
        "rule": (rule := _rule(answer)),
        "model": (model := _model(summary)),
        "methods_text": methods_text(summary, rule, model),
        "questions": _questions(summary),
        "directions": [] if directions is None else about_directions(directions, target, metric),
        "reasons": reasons(summary),
        "caveats": [
            *about_sample(summary["sample"]),
            *notes,
            *data_caveats(facts, command),
            *about_scores(summary, facts),
            *about_result(summary),
            *(differences(summary["features"]) if _tested(summary) else ()),
        ],
    }


def _tested(summary: Any) -> bool:
    """Whether every feature was tested given all others."""
    return any("evidence" in feature for feature in summary["features"][:1])


def _model(summary: Any) -> str:
    given = summary["how"]["estimator"]
    if given is not None:
        return given
    name = MODELS[summary["answer"]["model"], summary["data"]["kind"]]
    if summary["answer"].get("directions"):
        name += ", respecting the stated directions"
    return f"{name}; features standardised, missing values imputed by the mean, categories one-hot"


# ------------------------------------------------------------------------------------ the answer


def _rule(answer: Any) -> str:
    rule = answer["rule"]
    if rule["wanted"]:
        return "as requested"
    if rule["tolerance"] is not None:
        return f"the smallest that loses at most {rule['tolerance']:g} in {answer['score']['name']}"
    if rule["share"] is not None:
        return f"the smallest that loses at most {_of_improvement(rule['share'])}"
    most = _percent(rule["most_lost"])
    if rule["limit"] is None:
        return (
            "the smallest that loses at most one standard error against the best size, and at most "
            f"{most} of its improvement over the baseline"
        )
    return (
        f"the smallest that loses at most {most} of the best size's improvement over the baseline; "
        f"no more than the searches of the ranking select, {rule['limit']:,}, unless up to twice "
        "as many are better by more than one standard error"
    )


def _limit(rule: Any) -> str:
    if rule["tolerance"] is not None:
        return f"{rule['tolerance']:g}"
    if rule["share"] is not None:
        return _of_improvement(rule["share"])
    most = _of_improvement(rule["most_lost"])
    return most if rule["limit"] is not None else f"one standard error, or more than {most}"


def _of_improvement(share: float) -> str:
    return f"{_percent(share)} of the improvement over the baseline"


def _sentence(summary: Any) -> str:
    answer = summary["answer"]
    if not answer["helps"]:
        return _no_help(answer)
    wanted, size, of = answer["rule"]["wanted"], answer["n_features"], answer["of"]
    if wanted:
        best = "feature" if wanted == 1 else f"{wanted:,} features"
        advised = answer["advised"]
        advice = "agrees" if advised == wanted else f"suggests {advised:,}"
        return f"Selected the best {best} of {of:,}, as requested; the curve {advice}."
    if size == of:
        several = len(summary["methods"]) > 1
        return (
            f"Selected all {counted(of, 'feature')}: every smaller set "
            f"{'that ' + answer['method'] + ' ranks best' if several else 'tried'} "
            f"loses more than {_limit(answer['rule'])}"
            f"{', averaged over both models' if len(answer['decided_by']) > 1 else ''}."
        )
    selected = f"Selected {size:,} of {counted(of, 'feature')}"
    if _costs_much(answer):
        return f"{selected}; all {of:,} are better by more than one standard error."
    return f"{selected}; adding more gains little."


def _costs_much(answer: Any) -> bool:
    """Whether all features are better by more than an error, and by more than the rule forgives.

    With very many samples every difference is more than an error.
    """
    score = answer["score"]
    everything = score["others"][0]
    improvement = abs(score["held_out"]["mean"] - score["guess"]["mean"])
    return everything["ahead"] and -everything["gain"] > answer["rule"]["most_lost"] * improvement


def _no_help(answer: Any) -> str:
    rule = answer["rule"]
    baseline = f"the baseline (always predicting {answer['score']['guess']['name']})"
    wanted = rule["wanted"] if rule["allow_none"] else answer["n_features"]
    if wanted is None:
        what = "No features selected"
        if answer["always"]:
            what = f"Selected only {listed(answer['always'])}, as requested"
        return f"{what}: no set of features tried is significantly better than {baseline}."
    best = "The best feature is" if wanted == 1 else f"The best {wanted:,} features are"
    return f"{best} not significantly better than {baseline}."


def _lines(summary: Any, command: bool) -> dict[str, str]:
    """What was reached, beside what else could be, by label."""
    answer, score = summary["answer"], summary["answer"]["score"]
    better = "" if score["larger_is_better"] else ", smaller is better"
    found = {
        "Score": f"{_reached(score['held_out'])} ({score['name']}, cross-validated{better})",
        "Baseline": f"{_reached(score['guess'])} (always predicting {score['guess']['name']})",
        "Significance": _doubt(answer),
        "Sample": "" if summary["sample"] is None else sample_line(summary["sample"]),
    }
    if answer["helps"]:
        everything, other = score["others"]
        found["All features"] = _against_all(answer, everything)
        found[_capital(_name_of(other))] = _other(other)
        found["Model"] = _judge(answer)
        found["Smaller set"] = _offer(answer, command)
    if _tested(summary):
        found["Evidence"] = needed(summary["features"], summary["data"]["n_samples"])
    found["Stability"] = _stability(summary) if answer["keep"] else ""
    return {label: text for label, text in found.items() if text}


def _reached(score: Any) -> str:
    return with_error(score["mean"], score["standard_error"])


def _mean(score: Any) -> str:
    """To the digits of the score that it stands beside."""
    return to_error(score["mean"], score["standard_error"])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name_of(other: Any) -> str:
    """The model that has all features, in words."""
    return str(other["name"]).removesuffix(", all features")


def _doubt(answer: Any) -> str:
    """What is not significant, and by which tests; nothing where the folds are enough."""
    tests = answer["tests"]
    if tests["clear"]:
        return ""
    if not tests["gained"]:
        return "no improvement over the baseline"
    if tests["related"] is None:
        return "the improvement is not significant (one-sided t test over the folds, 5 %)"
    found = f"p = {tests['related']:.3g} for all {counted(answer['of'], 'feature')} together"
    if tests["is_related"]:
        return f"permutation test of rank correlations, {found}; not significant by the folds alone"
    return (
        "the improvement is not significant (one-sided t test over the folds; permutation test of "
        f"rank correlations, {found})"
    )


def _against_all(answer: Any, everything: Any) -> str:
    """What selecting costs, or gains, against all features."""
    if answer["n_features"] == answer["of"]:
        return ""
    both = f"{_mean(everything)} with all {answer['of']:,}; selecting {answer['n_features']:,}"
    gain = abs(everything["gain"])
    if gain <= 1e-9 * abs(everything["mean"]):  # rounding
        return f"{both} reaches the same"
    verb = "gains" if everything["gain"] > 0 else "costs"
    ahead = f", {BEYOND_ERROR}" if everything["ahead"] else ""
    size = to_error(gain, everything["gain_error"])
    return f"{both} {verb} {size if size.strip('0.') else number(gain, 2)}{ahead}"


def _other(other: Any) -> str:
    """What another model reaches with all features."""
    said = f"{_mean(other)} with all features"
    if other["clear"] and other["gain"] < 0:
        return f"{said}, significantly better"
    return f"{said}, better by {BEYOND_ERROR}" if other["ahead"] else said


def _judge(answer: Any) -> str:
    """The model that evaluated the features, and how the other one compares."""
    said = SHORT_MODELS[answer["model"]]
    if not answer["score"]["models"]:
        return said
    other = answer["score"]["models"][0]
    name, size = SHORT_MODELS[other["name"]], with_error(abs(other["gain"]), other["gain_error"])
    if other["clear"] and other["gain"] > 0:
        said += f", better than a {name} by {size}"
    else:
        way = "worse" if other["gain"] >= 0 else "better"
        said += f"; a {name} is {'' if other['clear'] else 'not '}significantly {way} ({size})"
    both = "; both determined the number of features"
    return said + both * (len(answer["decided_by"]) > 1)


def _offer(answer: Any, command: bool) -> str:
    offer = answer["offer"]
    if offer is None:
        return ""
    share = _percent(offer["tolerance"]).replace(" ", "")
    how = option(command, f"--tolerance {share}", f'tolerance="{share}"')
    return (
        f"the top {offer['n_features']:,} alone cost{'s' * (offer['n_features'] == 1)} "
        f"{number(offer['loss'], 2)}, {number(100 * offer['share'], 2)} % of the improvement over "
        f"the baseline ({how})"
    )


def _stability(summary: Any) -> str:
    """How often other samples, mostly subsamples of half of the rows, lead to the same features."""
    stability = chosen(summary)["stability"]
    if stability is None or stability["index"] is None:
        return ""
    low, high = number(stability["low"], 2), number(stability["high"], 2)
    return (
        f"{number(stability['index'], 2)} ({low} to {high}; 1: every "
        f"{'sample' if summary['sample'] else 'subsample'} selects the same features, 0: chance)"
    )


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


# ------------------------------------------------------------------------------------- questions


def _questions(summary: Any) -> dict[str, str]:
    """Questions and their answers; none where nothing is kept or nothing was tried."""
    questions, answer = summary["questions"], summary["answer"]
    if questions is None or not answer["keep"]:
        return {}
    name = answer["score"]["name"]
    said = {
        "What does selecting cost?": _lost(answer),
        HARDEST: _matters(questions["dropped"], name),
        "Would another model agree?": _other_model(answer, questions["in_common"]),
    }
    if questions["added"]:
        said["Would another feature help?"] = _missed(questions["added"], name)
    return said


def _lost(answer: Any) -> str:
    everything, every = answer["score"]["others"][0], counted(answer["of"], "feature")
    name = answer["score"]["name"]
    if answer["n_features"] == answer["of"]:
        return f"Nothing: all {every} were selected."
    size = with_error(abs(everything["gain"]), everything["gain_error"])
    if size.startswith("0.000 "):
        return f"Nothing: {name} is the same with all {every}."
    verb = "Nothing: it gains" if everything["gain"] > 0 else "It costs"
    return f"{verb} {size} in {name} against all {answer['of']:,}{if_not(everything['clear'])}."


def _matters(dropped: Sequence[Any], name: str) -> str:
    most = max(dropped, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        return f"None: {name} is no worse without any one of the selected features."
    return f"{most['name']}: without it {name} {moves(most)}{if_not(most['clear'])}."


def _missed(added: Sequence[Any], name: str) -> str:
    most = max(added, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        tried = counted(len(added), "feature")
        return f"No: {name} does not improve with any of the next {tried}."
    answer = "Perhaps" if most["clear"] else "Hardly"
    return f"{answer}: with {most['name']} {name} {moves(most)}{if_not(most['clear'])}."


def _other_model(answer: Any, common: int | None) -> str:
    """What another model reaches with all features, and whether a random forest ranks alike."""
    other, n_kept = answer["score"]["others"][1], answer["n_features"]
    verdict = "no significant difference"
    if other["clear"]:
        verdict = "significantly worse" if other["gain"] > 0 else "significantly better"
    elif other["ahead"]:
        verdict = f"better by {BEYOND_ERROR}, but not significantly"
    said = f"A {_name_of(other)} reaches {_mean(other)} with all features, {verdict}"
    if other["clear"] and any(not model["clear"] for model in answer["score"]["models"]):
        said += " (with features selected for it, not significantly)"
    if common is None or n_kept == answer["of"]:
        return f"{said}."
    of = "the selected one is" if n_kept == 1 and common else f"{common} of the {n_kept:,} are"
    return f"{said}; {of} among the {n_kept:,} that a random forest ranks best."


# --------------------------------------------------------------------- why features are in it


def reasons(summary: Any) -> list[str]:
    """One line per feature of a summary, in the order of its features.

    Examples
    --------
    >>> from echelon._core.words import excluded
    >>> excluded("looks like an ID", 98, 100)
    'excluded: 98 % of its values differ, as in an ID'
    """
    questions = summary["questions"] or {"dropped": [], "added": []}
    changes = {each["name"]: each for part in ("dropped", "added") for each in questions[part]}
    redundant = _redundant(summary)
    return [
        (_selected if feature["kept"] else _not_selected)(
            feature, summary, changes.get(feature["name"]), redundant.get(feature["name"])
        )
        + _given_others(feature)
        for feature in summary["features"]
    ]


def excluded(why: str, n_different: int, n_known: int) -> str:
    """Why a column was not ranked; an ID with the share of its values that differ."""
    if why == "looks like an ID" and n_known:
        share = percent(n_different / n_known)
        return f"excluded: {share} of its values differ, as in an ID"
    return f"excluded: {why}"


def _redundant(summary: Any) -> dict[str, tuple[str, float]]:
    """Features that are not selected and highly correlated with one that is, and how highly."""
    kept = {feature["name"] for feature in summary["features"] if feature["kept"]}
    found: dict[str, tuple[str, float]] = {}
    for pair in summary["alike"]:
        first, second, association = pair["first"], pair["second"], pair["association"]
        if first in kept and second not in kept and association > found.get(second, ("", -1.0))[1]:
            found[second] = (first, association)
    return found


def _selected(feature: Any, summary: Any, change: Any, _: Any) -> str:
    answer = summary["answer"]
    if feature["name"] in answer["always"]:
        return "selected: as requested"
    if feature.get("loss") == 0 and feature.get("loss_error") == 0:
        return f"selected, but the model makes no use of it{_against(feature, summary)}"
    if change is None:
        return f"selected: ranked {feature['rank']:,} of {answer['of']:,}"
    return f"selected: without it {_moved(change, answer)}"


def _against(feature: Any, summary: Any) -> str:
    """That the data say the opposite of the direction that was stated."""
    stated = (summary["answer"].get("directions") or {"features": []})["features"]
    agrees = {each["name"]: each["agrees"] for each in stated}
    return ": the data contradict its stated direction" * (agrees.get(feature["name"]) is False)


def _not_selected(
    feature: Any, summary: Any, change: Any, redundant: tuple[str, float] | None
) -> str:
    answer = summary["answer"]
    if feature["name"] in summary["profile"]["constant"]:
        return "not selected: constant"
    if redundant is not None:
        name, association = redundant
        if association > 1 - 1e-9:
            return f"not selected: a copy of {name}"
        return f"not selected: redundant with {name} (association {number(association, 2)})"
    if not answer["helps"] and set(answer["keep"]) == set(answer["always"]):
        return "not selected: no set of features is significantly better than the baseline"
    if change is not None:
        return f"not selected: with it {_moved(change, answer)}"
    place = f"ranked {feature['rank']:,}"
    if answer["rule"]["wanted"]:
        return f"not selected: {place}, and the best {answer['n_features']:,} were requested"
    return f"not selected: {place}; adding more than {answer['n_features']:,} gains little"


def _given_others(feature: Any) -> str:
    """What was found given all other features, where that was tested."""
    evidence, p = feature.get("evidence"), feature.get("evidence_p")
    if evidence is None or p is None:
        return ""
    said = {"needed": "needed given all others", "none": "no evidence given all others"}
    others = listed(feature.get("replaced_by") or [])
    replaceable = f"replaceable by {others}" if others else "replaceable"
    return f"; {said.get(evidence, replaceable)} (p = {number(p, 2)})"


def _moved(change: Any, answer: Any) -> str:
    """What the score does, and whether that is significant."""
    name, moved = answer["score"]["name"], moves(change)
    if abs(change["change"]) < 5e-4 and " by 0.000" in moved:
        return f"{name} stays the same"
    return f"{name} {moved}{if_not(change['clear'])}"
