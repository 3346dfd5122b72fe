"""What is said only where more was asked for: stated directions, evidence given all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echelon._core.words._text import counted, listed, number, percent, with_error

MOST_DIFFERENCES = 10
"""Features of which it is said that what is selected and what is needed differ."""

SIGNIFICANT = 0.05
"""Below this p-value a trend is called clear."""


# ---------------------------------------------------------------- selected, and needed given others


def needed(features: Sequence[Any], n_samples: int) -> str:
    """Features that are needed given all others, where they were tested.

    With more features than samples the rate does not hold.
    """
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


# ---------------------------------------------------------------- directions of features


def about_relabelling(facts: Mapping[str, Any]) -> str:
    """How many samples contradict others, and how few of them must change."""
    samples, wrong = counted(facts["n_samples"], "sample"), facts["n_contradicted"]
    if not wrong:
        return f"None of {samples} contradicts another."
    said = f"{wrong:,} of {samples} contradict others; changing {facts['n_changed']:,} of them"
    if facts["distance"] > facts["n_changed"]:
        said += f", by {facts['distance']:,} classes in all,"
    return f"{said} makes the classes monotone."


def about_directions(found: Mapping[str, Any], target: str, metric: str) -> list[str]:
    """What the data say of the directions that were stated, and what respecting them costs."""
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
