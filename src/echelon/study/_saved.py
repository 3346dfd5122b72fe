"""From a study to a ``Selection``: the decision as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from echelon._core.significance import standard_error
from echelon._core.words import plain
from echelon.selection import FORMAT, SCHEMA, Reading, Selection, facts_of
from echelon.study._design import Design
from echelon.study.types import Summary


def selection_of(
    design: Design,
    summary: Summary,
    *,
    table: pd.DataFrame | None = None,
    reading: Reading | None = None,
    excluded: Mapping[str, str] | None = None,
    bounds: Mapping[str, list[str]] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Selection:
    """The decision of a study.

    Parameters
    ----------
    design : Design
        What the features were evaluated by.
    summary : Summary
        What was found.
    table : DataFrame, default=None
        The columns as they were read, before dates became days; None: those of the design.
    reading : Reading, default=None
        How the file was read; None: there was none.
    excluded : mapping of str to str, default=None
        Columns of the table that were not ranked, and why.
    bounds : mapping of str to list of str, default=None
        The columns that hold the ends of interval features.
    settings : mapping, default=None
        What was asked for, beside the defaults.
    """
    how, target = summary["how"], design.target
    classes = None if target.labels is None else target.labels.tolist()
    held = {
        "format": FORMAT,
        "schema": SCHEMA,
        "created": how["date"],
        "versions": how["versions"],
        "source": summary["source"],
        "target": {"name": target.name or "target", "kind": target.kind, "classes": classes},
        "columns": _columns(design, summary, table, excluded or {}, bounds or {}),
        "reading": reading,
        "rows": {
            "n": len(design.X),
            **{role: how[role] for role in ("groups", "time", "weights")},
        },
        "method": summary["answer"]["method"],
        "model": {
            "name": summary["answer"]["model"],
            "description": summary["words"]["model"],
        },
        "scores": _scores(design, summary),
        "settings": {"folds": how["folds"], "seed": how["seed"], **(settings or {})},
    }
    return Selection(cast(Any, plain(held)))


def _columns(
    design: Design,
    summary: Summary,
    table: pd.DataFrame | None,
    excluded: Mapping[str, str],
    bounds: Mapping[str, list[str]],
) -> list[dict[str, Any]]:
    """Every column in the order of the table, with what was found of it."""
    said = summary["words"]["reasons"]
    found = {
        feature["name"]: {
            "selected": feature["kept"],
            "rank": feature["rank"],
            "score": feature["score"],
            "reason": reason,
        }
        for feature, reason in zip(summary["features"], said, strict=True)
    }
    nothing = {"selected": False, "rank": None, "score": None}
    found |= {name: {**nothing, "reason": why} for name, why in excluded.items()}
    return [
        {"name": name, **found[name], **_facts(name, design, table)}
        | ({"bounds": list(bounds[name])} if name in bounds else {})
        for name in _in_order(found, design.X if table is None else table)
    ]


def _in_order(found: Mapping[str, Any], table: pd.DataFrame) -> list[str]:
    """Features in the order of the table; made ones, such as intervals, behind."""
    names = [name for name in table.columns if name in found]
    return [*names, *(name for name in found if name not in names)]


def _facts(name: str, design: Design, table: pd.DataFrame | None) -> dict[str, Any]:
    """What a column holds: as it was used, but dates as dates."""
    raw = None if table is None or name not in table.columns else table[name]
    timed = raw is not None and raw.dtype.kind in "mM"
    used = design.X[name] if name in design.X.columns and not timed else raw
    facts = facts_of(cast(pd.Series, used))
    if name not in design.X.columns:
        facts.pop("categories", None)  # an identifier names persons: nobody needs them
    return facts


def _scores(design: Design, summary: Summary) -> dict[str, Any]:
    """What the procedure, the selected columns and the baseline reach."""
    score, sign = summary["answer"]["score"], design.scoring.sign
    scores = selected_scores(design, summary)
    share = float(np.mean([len(test) / len(train) for train, test in design.splits.folds]))
    reached = {"mean": score["guess"]["mean"], "standard_error": score["guess"]["standard_error"]}
    selected = reached
    if scores is not None:
        error = float(standard_error(scores, share))
        selected = {"mean": float(sign * scores.mean()), "standard_error": error}
    return {
        "metric": score["name"],
        "larger_is_better": score["larger_is_better"],
        "held_out": score["held_out"],
        "selected": selected,
        "baseline": reached,
    }


def selected_scores(design: Design, summary: Summary) -> np.ndarray | None:
    """The score of the selected columns with the model in every fold; None: none is selected."""
    keep = summary["answer"]["keep"]
    return design.scores(design.models[summary["answer"]["model"]], keep) if keep else None
