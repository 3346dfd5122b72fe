"""Why every feature was selected, or was not: one line each, made of the facts of a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from echelon._core.words._text import listed, number, percent, with_error

MOST_DIFFERENCES = 10
"""Features of which it is said that what is selected and what is needed differ."""


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
    name = answer["score"]["name"]
    size = with_error(abs(change["change"]), change["standard_error"])
    if abs(change["change"]) < 5e-4 and size.startswith("0.000"):
        return f"{name} stays the same"
    way = "rises" if change["change"] > 0 else "falls"
    return f"{name} {way} by {size}{'' if change['clear'] else ' (not significant)'}"


# -------------------------------------------------------------- selected, and needed given others


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
            "Not selected, but needed, as significant given all others; adding them improves the "
            f"prediction little: {listed(missed, MOST_DIFFERENCES)}."
        )
    return said
