"""What a study says: the answer, its score beside others, questions and caveats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from echelon._core.words._data import data_caveats, data_warnings, option, why_method
from echelon._core.words._models import MODELS, SHORT_MODELS
from echelon._core.words._monotone import about_directions
from echelon._core.words._paragraph import methods_text
from echelon._core.words._reasons import differences, needed, reasons
from echelon._core.words._sample import about_sample, sample_line
from echelon._core.words._text import counted, listed, number, to_error, with_error

MATTERS = "Which feature matters most?"
BEYOND_ERROR = "more than one standard error of the difference"
"""What is said of a lead that the rule for the number of features would not accept."""
UNSTABLE = 0.6
"""Below this stability a warning is due."""
SIZES_APART = 1.5
"""A largest number of features so many times the smallest is said to be uncertain."""
ENOUGH_RESAMPLES = 10
"""A feature at the edge of the selection is in every second resample: in none of so many, or in
all, once in a thousand data sets."""


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
        "title": f"Which features predict {facts.target or 'the target'}?",
        "fits": why_method(facts),
        "answer": _sentence(summary),
        "warnings": [
            *([] if summary["how"]["groups"] else data_warnings(facts, command)),
            *(_instability(summary) if answer["keep"] else []),
        ],
        "lines": _lines(summary, command),
        "rule": (rule := _rule(answer)),
        "model": (model := _model(summary)),
        "methods_text": methods_text(summary, rule, model),
        "questions": _questions(summary),
        "directions": about_directions(
            answer.get("directions"), summary["data"]["target"], answer["score"]["name"]
        ),
        "reasons": reasons(summary),
        "caveats": [
            *about_sample(summary["sample"]),
            *notes,
            *data_caveats(facts, command),
            *_rough(summary, facts),
            *_about_methods(summary),
            *_about_results(summary),
            *differences(summary["features"]),
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
    if summary["answer"].get("directions"):
        name += ", which respects the stated directions"
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
    if answer["score"]["others"][0]["ahead"]:
        return f"{selected}; all {of:,} are better by more than one standard error."
    return f"{selected}; adding more gains little."


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
    verb = "gains" if everything["gain"] >= 0 else "costs"
    ahead = f", {BEYOND_ERROR}" if everything["ahead"] else ""
    size = to_error(gain := abs(everything["gain"]), everything["gain_error"])
    return (
        f"{_mean(everything)} with all {answer['of']:,}; selecting {answer['n_features']:,} "
        f"{verb} {size if size.strip('0.') else number(gain, 2)}{ahead}"
    )


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
    stability = _chosen(summary)["stability"]
    if stability is None or stability["index"] is None:
        return ""
    low, high = number(stability["low"], 2), number(stability["high"], 2)
    return (
        f"{number(stability['index'], 2)} ({low} to {high}; 1: every "
        f"{'sample' if summary['sample'] else 'subsample'} selects the same features, 0: chance)"
    )


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


# ---------------------------------------------------------------------------- how far to trust it


def _instability(summary: Any) -> list[str]:
    """Warnings that belong beside the answer, by what subsamples of the rows select."""
    stability = _chosen(summary)["stability"]
    said = []
    if stability is not None and stability["index"] is not None and stability["index"] < UNSTABLE:
        said.append(
            f"The selection is not stable ({number(stability['index'], 2)}; 1: always the same, 0: "
            "chance). Resampling often selects different features."
        )
    never, always = decided_otherwise(summary["features"], summary["how"]["n_resamples"])
    why = "the method ranks differently on fewer rows, so treat this as undecided"
    if never:
        said.append(f"No subsample selects {listed(never)}, but all rows together do: {why}.")
    if always:
        said.append(
            f"Every subsample selects {listed(always)}, but all rows together do not: {why}."
        )
    return said


def decided_otherwise(
    features: Sequence[Mapping[str, Any]], n_resamples: int
) -> tuple[list[str], list[str]]:
    """What is selected and no subsample selects; what every subsample selects, and is not.

    The rule is the same, so the number of samples changes the ranking, as it does where a
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
    found, n_folds, sample = [], summary["how"]["folds"], summary["sample"]
    n_samples = summary["data"]["n_samples"] if sample is None else sample["sampled"]
    if facts.constant:
        found.append(f"Constant, hence uninformative: {listed(facts.constant)}.")
    rare = {c: k for c, k in facts.classes.items() if k < n_folds}
    if rare:
        named = listed(f"{c} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if n_samples / n_folds < 10:
        found.append(
            f"A test fold has about {counted(n_samples // n_folds, 'sample')}: scores are "
            "imprecise."
        )
    many = summary["data"]["many_labels"]
    if many:
        named = listed(f"{name} ({n:,})" for name, n in many.items())
        found.append(
            f"More than {summary['data']['most_labels']} categories, encoded by the mean outcome "
            f"of each category in the training rows: {named}."
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
    found += [
        f"{listed(group, 30)} are selected together or not at all."
        for group in answer.get("together", [])
    ]
    if how["groups"] or how["time"]:
        found.append(f"Evaluated over {_splits(how)}.")
    if answer["helps"]:
        found += _poor_start(_chosen(summary), answer["score"])
        found += _range_of_sizes(answer)
    if answer["n_features"] < answer["of"]:  # else all are needed
        alike = [listed(group) for group in summary["groups"]]
        found += [f"{named} are highly correlated; one may be enough." for named in alike]
    if how["weights"]:
        found.append(f"Rows are weighted by {how['weights']} in rankings, models and scores.")
    if len(summary["methods"]) > 1:
        found.append(
            f"{answer['method']} was selected among {len(summary['methods'])} methods by their "
            "curves; the cross-validated score accounts for that, the curve does not."
        )
    return found


def _range_of_sizes(answer: Any) -> list[str]:
    """How far the number of features is a matter of chance, where that is far."""
    low, high = answer["sizes"]
    if answer["rule"]["wanted"] is not None or high < SIZES_APART * low:
        return []
    return [
        f"How many is uncertain: with one fold left out, {low:,} to {high:,} features would be "
        "selected, with scores that are hardly different. Other folds or another order of the rows "
        "can change the number as much."
    ]


def _splits(how: Any) -> str:
    """The folds in words."""
    words = counted(how["folds"], "fold")
    if how["time"] is not None:
        words += f", each tested on the rows that come next by {how['time']}"
    if how["groups"] is not None:
        words += f"; rows of the same {how['groups']} are never split"
    return words


def _poor_start(chosen: Any, score: Any) -> list[str]:
    """What a first feature that is worse than the baseline means."""
    alone, guess = chosen["curve"]["mean"][0], score["guess"]["mean"]
    if chosen["curve"]["n_features"][0] != 1 or alone is None:
        return []
    gain = alone - guess if score["larger_is_better"] else guess - alone
    if not gain < 0:
        return []
    return [
        f"{chosen['order'][0]} is ranked first, but alone it does not improve on the baseline "
        f"({number(alone)} against {number(guess)})."
    ]


# ------------------------------------------------------------------------------------- questions


def _questions(summary: Any) -> dict[str, str]:
    """Questions and their answers; none where nothing is kept or nothing was tried."""
    questions, answer = summary["questions"], summary["answer"]
    if questions is None or not answer["keep"]:
        return {}
    name = answer["score"]["name"]
    said = {
        "What does selecting cost?": _lost(answer),
        MATTERS: _matters(questions["dropped"], name),
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
    return f"{verb} {size} in {name} against all {answer['of']:,}{_if_not(everything['clear'])}."


def _if_not(significant: bool) -> str:
    return "" if significant else " (not significant)"


def _moves(change: Any) -> str:
    """How the score changes, in words."""
    size = with_error(abs(change["change"]), change["standard_error"])
    return f"{'rises' if change['change'] > 0 else 'falls'} by {size}"


def _matters(dropped: Sequence[Any], name: str) -> str:
    most = max(dropped, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        return f"None: {name} is no worse without any one of the selected features."
    moves = f"without it {name} {_moves(most)}"
    return f"{most['name']}: {moves}{_if_not(most['clear'])}."


def _missed(added: Sequence[Any], name: str) -> str:
    most = max(added, key=lambda change: change["worth"])
    if most["worth"] <= 0:
        tried = counted(len(added), "feature")
        return f"No: {name} does not improve with any of the next {tried}."
    answer = "Perhaps" if most["clear"] else "Hardly"
    return f"{answer}: with {most['name']} {name} {_moves(most)}{_if_not(most['clear'])}."


def _other_model(answer: Any, common: int | None) -> str:
    """What another model reaches with all features, and whether a random forest ranks alike."""
    other, n_kept = answer["score"]["others"][1], answer["n_features"]
    verdict = "no significant difference"
    if other["clear"]:
        verdict = "significantly worse" if other["gain"] > 0 else "significantly better"
    elif other["ahead"]:
        verdict = f"better by {BEYOND_ERROR}, but not significantly"
    said = f"A {_name_of(other)} reaches {_mean(other)} with all features, {verdict}"
    if common is None or n_kept == answer["of"]:
        return f"{said}."
    of = "the selected one is" if n_kept == 1 and common else f"{common} of the {n_kept:,} are"
    return f"{said}; {of} among the {n_kept:,} that a random forest ranks best."
