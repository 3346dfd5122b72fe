"""What single features do to the score, as rows of a picture: a dot, its error, a common axis."""

from __future__ import annotations

from typing import Any

from echelon._core.words import number, with_error
from echelon.report._layout import Scale, round_ticks
from echelon.study.types import Change, Summary

WIDTH, MARGIN = 240, 14
MOST_ROWS = 10
"""Rows of either kind that are shown."""


def change_chart(summary: Summary) -> dict[str, Any] | None:
    """Rows for features left out and added, the most useful first; None if none were tried."""
    questions = summary["questions"]
    if questions is None or not summary["answer"]["keep"]:
        return None
    parts = {
        "without it": questions["dropped"][:MOST_ROWS],
        "with it, too": questions["added"][:MOST_ROWS],
    }
    x = _scale([change for part in parts.values() for change in part])
    ticks = [tick for tick in round_ticks(x.low, x.high, 3) if x.low < tick < x.high]
    return {
        "width": WIDTH,
        "zero": x(0.0),
        "ticks": [{"at": x(tick), "text": f"{tick:g}"} for tick in ticks],
        "parts": [(name, [_row(each, x) for each in part]) for name, part in parts.items() if part],
    }


def _scale(changes: list[Change]) -> Scale:
    reach = [change["change"] + side * change["standard_error"] for change in changes
             for side in (-1, 0, 1)]  # fmt: skip
    low, high = min(0.0, *reach), max(0.0, *reach)
    room = 0.05 * (high - low) or 1.0
    return Scale(low - room, high + room, MARGIN, WIDTH - MARGIN)


def _row(change: Change, x: Scale) -> dict[str, Any]:
    mean, error = change["change"], change["standard_error"]
    return {
        "name": change["name"],
        "at": x(mean),
        "from": x(mean - error),
        "to": x(mean + error),
        "useful": change["worth"] > 0,
        "text": f"{'+' if mean > 0 else ''}{with_error(mean, error)}",
        "verdict": "" if change["clear"] else "may be chance",
        "exact": number(mean),
    }
