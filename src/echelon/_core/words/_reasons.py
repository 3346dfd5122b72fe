"""Why every feature was selected or not, stated directions, and how far to trust the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echelon._core.words._text import counted, listed, number, percent, with_error

MOST_DIFFERENCES = 10
"""Features of which it is said that what is selected and what is needed differ."""

SIGNIFICANT = 0.05
"""Below this p-value a trend is called clear."""

UNSTABLE = 0.6
"""Below this stability a warning is due."""

SIZES_APART = 1.5
"""A largest number of features so many times the smallest is said to be uncertain."""

ENOUGH_RESAMPLES = 10
"""A feature at the edge of the selection is in every second resample: in none of so many, or in
all, once in a thousand data sets."""


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


def moves(change: Any) -> str:
    """How the score changes, in words."""
    size = with_error(abs(change["change"]), change["standard_error"])
    return f"{'rises' if change['change'] > 0 else 'falls'} by {size}"


def if_not(significant: bool) -> str:
    """Of a change that is not significant, that it is not."""
    return "" if significant else " (not significant)"


# ---------------------------------------------------------------- selected, and needed given others


def needed(features: Sequence[Any], n_samples: int) -> str:
    """Features that are needed given all others, where they were tested.

    With more features than samples the rate does not hold.
    """
    if not features or "evidence" not in features[0]:
        return ""
    names = [row["name"] for row in features if row["evidence"] == "needed"]
    rate = "false discovery rate 5 %"
    if len(features) > n_samples:
        rate = "more features than samples: the false discovery rate of 5 % is exceeded"
    said = f"needed given all others ({rate}): {listed(names)}"
    return said if names else "no feature is significant given all others"


def differences(features: Sequence[Any]) -> list[str]:
    """Where what is selected for prediction and what is needed differ, and why."""
    replaceable, missed = [], []
    for row in features:
        evidence, others = row.get("evidence"), row.get("replaced_by") or []
        if row["kept"] and evidence == "replaceable":
            replaceable.append(f"{row['name']} (by {listed(others)})" if others else row["name"])
        elif not row["kept"] and evidence == "needed":
            missed.append(row["name"])
    said = []
    if replaceable:
        said.append(
            "Selected for prediction, but replaceable, as not significant given all others: "
            f"{listed(replaceable, MOST_DIFFERENCES)}."
        )
    if missed:
        said.append(
            "Not selected, but needed, as significant given all others: "
            f"{listed(missed, MOST_DIFFERENCES)}. A significant effect can be too small to improve "
            "the prediction."
        )
    return said


# --------------------------------------------------------------------------- directions of features


def about_relabelling(facts: Mapping[str, Any]) -> str:
    """How many samples contradict others, and how few of them must change."""
    samples, wrong = counted(facts["n_samples"], "sample"), facts["n_contradicted"]
    if not wrong:
        return f"None of {samples} contradicts another."
    said = f"{wrong:,} of {samples} contradict others; changing {facts['n_changed']:,} of them"
    if facts["distance"] > facts["n_changed"]:
        said += f", by {facts['distance']:,} classes in all,"
    return f"{said} makes the classes monotone."


def about_directions(found: Mapping[str, Any] | None, target: str, metric: str) -> list[str]:
    """What the data say of the directions that were stated, and what respecting them costs."""
    if found is None:
        return []
    return [
        _what_it_means(found, target),
        *(_one_direction(feature, metric, found) for feature in found["features"]),
        *_total_cost(found, metric),
    ]


def _what_it_means(found: Mapping[str, Any], target: str) -> str:
    stated, classes = counted(len(found["features"]), "direction"), found["classes"]
    ways = {1: "falls", -1: "rises"}
    if classes is not None:
        ways = {1: f"moves towards {classes[0]}", -1: f"moves towards {classes[-1]}"}
    said = []
    for direction, way in ways.items():
        names = [each["name"] for each in found["features"] if each["direction"] == direction]
        said += [f"never {way} with increasing {listed(names)}"] if names else []
    return (
        f"Features are evaluated by models that respect {stated}: all else equal, the predicted "
        f"{target} {', and '.join(said)}."
    )


def _one_direction(feature: Mapping[str, Any], metric: str, found: Mapping[str, Any]) -> str:
    """One feature: what was stated, what the data say, and what respecting it costs."""
    way = "rise" if feature["direction"] > 0 else "fall"
    said = f"{feature['name']}, stated to {way}: {_data_say(feature)}"
    cost = feature["cost"]
    if not feature["selected"]:
        said += "; it was not selected"
    alone = sum(each["cost"] is not None for each in found["features"]) == 1
    if cost is None or alone or _nothing_changes(found):
        return f"{said}."
    return f"{said}. Without its direction, {metric} {_change(cost)}."


def _data_say(feature: Mapping[str, Any]) -> str:
    if feature["broken"] is None:
        return "no two samples differ both in it and in the target"
    pairs = (
        f"with {percent(feature['broken'])} of the {feature['n_pairs']:,} pairs of samples that "
        "differ in both against it"
    )
    p_value = feature["p_value"]
    unclear = p_value is not None and p_value >= SIGNIFICANT
    if feature["agrees"] is None or unclear:
        chance = f" (Kendall's tau, p = {p_value:.2g})" if p_value is not None else ""
        return f"the data show no clear trend, {pairs}{chance}"
    return f"the data {'agree' if feature['agrees'] else 'say the opposite'}, {pairs}"


def _total_cost(found: Mapping[str, Any], metric: str) -> list[str]:
    """What all directions together cost with the selected features."""
    cost, chosen = found["cost"], counted(len(found["chosen"]), "feature")
    if cost is None:
        return [f"None of the {chosen} selected has a stated direction."]
    stated = [each["name"] for each in found["features"] if each["cost"] is not None]
    n_stated = sum(each["name"] in found["chosen"] for each in found["features"])
    names = listed(stated) if n_stated == len(stated) else f"{n_stated} features"
    which = "the direction" if n_stated == 1 else "the directions"
    without = "without any or all of them" if _nothing_changes(found) else "without"
    return [
        f"With the {chosen} selected on all rows, {metric} over the folds is "
        f"{number(cost['respected'])} where the model respects {which} of {names}; {without}, it "
        f"{_change(cost)}."
    ]


def _nothing_changes(found: Mapping[str, Any]) -> bool:
    """Whether there are several directions, and neither any nor all of them change the score."""
    costs = [each["cost"] for each in found["features"] if each["name"] in found["chosen"]]
    known = [each for each in [*costs, found["cost"]] if each is not None]
    return 1 < len(costs) < len(known) and not any(map(_changes, known))


def _changes(cost: Mapping[str, Any]) -> bool:
    """Whether any fold has another score where the model is free."""
    return bool(cost["free"] != cost["respected"] or cost["standard_error"] != 0)


def _change(cost: Mapping[str, Any]) -> str:
    """How the score changes where the model is free, and whether that is significant."""
    change = cost["free"] - cost["respected"]
    if not _changes(cost):
        return "does not change"
    size = with_error(abs(change), cost["standard_error"])
    if size.startswith("0.000 "):
        return "changes by less than 0.001"
    better = "better" if cost["lost"] > 0 else "worse"
    chance = "" if cost["clear"] else ", not significant"
    return f"{'rises' if change > 0 else 'falls'} by {size} ({better}{chance})"


# ------------------------------------------------------------------------------ how far to trust it


def chosen(summary: Any) -> Any:
    """The method that made the answer."""
    return next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])


def instability(summary: Any) -> list[str]:
    """Warnings that belong beside the answer, by what subsamples of the rows select."""
    stability = chosen(summary)["stability"]
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


def about_scores(summary: Any, facts: Any) -> list[str]:
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


def about_result(summary: Any) -> list[str]:
    """What in the result calls for care."""
    how, answer = summary["how"], summary["answer"]
    found = [
        f"The stability of {method['name']} could not be measured: {method['no_stability']}"
        for method in summary["methods"]
        if method["no_stability"]
    ]
    found += [
        f"{listed(group, 30)} are selected together or not at all."
        for group in answer.get("together", [])
    ]
    if how["groups"] or how["time"]:
        found.append(f"Evaluated over {_splits(how)}.")
    if answer["helps"]:
        found += _poor_start(chosen(summary), answer["score"])
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
