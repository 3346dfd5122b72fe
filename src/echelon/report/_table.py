"""The table of features as columns and cells: which columns there are, and what they hold."""

from __future__ import annotations

import json
from typing import Any

from echelon._core.words import number, percent
from echelon.study.types import Feature, Summary

LONGEST_NAME = 120
MOST_BYTES = 1_900_000
"""Of the values of all rows within a page; rows beyond are left to the JSON."""


def columns_of(summary: Summary) -> list[dict[str, Any]]:
    """The columns that hold something, each with a key, a heading and what it means."""
    features = summary["features"]
    scores = [feature["score"] for feature in features if feature["score"] is not None]
    columns = [
        _column("rank", "rank", "by the chosen method, 1 = best"),
        _column("name", "feature", "", kind="text"),
    ]
    if scores:
        largest = max(scores) if max(scores) > 0 else None
        columns.append(_column("score", "score", "of the method, larger is better", bar=largest))
    if len(summary["methods"]) > 1:
        columns += [
            _column(f"ranks.{method['name']}", f"rank: {method['name']}", f"by {method['name']}")
            for method in summary["methods"]
            if method["name"] != summary["answer"]["method"]
        ]
    optional = (
        _column("relevance", "relevance", "in good linear models", kind="text"),
        _column("stability", "chosen", "of the resamples", bar=1.0) | {"percent": True},
        _column("trend", "trend", "rank correlation with the target"),
        _column("group", "group", "kept features that say the same share a number"),
    )
    for column in optional:
        if any(feature.get(column["key"]) is not None for feature in features[:200]):
            columns.append(column)
    return columns


def _column(
    key: str, title: str, meaning: str, *, kind: str = "number", bar: float | None = None
) -> dict[str, Any]:
    named = {"key": key, "title": title, "meaning": meaning}
    return {**named, "kind": kind, "bar": bar, "percent": False}


def cells_of(feature: Feature, columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Values of a row, with their text and the length of a bar."""
    return [_cell(_value(feature, column["key"]), column) for column in columns]


def _value(feature: Feature, key: str) -> Any:
    if key.startswith("ranks."):
        return feature["ranks"][key.removeprefix("ranks.")]
    return feature.get(key)


def _cell(value: Any, column: dict[str, Any]) -> dict[str, Any]:
    if column["kind"] == "text":
        return {"text": shortened(value) if value is not None else "", "bar": None}
    bar = None
    if column["bar"] and value is not None:
        bar = round(100 * min(1.0, max(0.0, value) / column["bar"]), 1)
    text = percent if column["percent"] else number
    return {"text": "" if value is None else text(value), "bar": bar}


def shortened(text: str, most: int = LONGEST_NAME) -> str:
    """A text that cannot blow up the page."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def values_of(summary: Summary, columns: list[dict[str, Any]]) -> list[list[Any]]:
    """Values of all rows for sorting and searching, as many as a page may hold."""
    rows, size = [], 0
    for feature in summary["features"]:
        row: list[Any] = [int(feature["kept"])]
        for column in columns:
            value = _value(feature, column["key"])
            if isinstance(value, float):
                value = float(f"{value:.5g}")
            row.append(shortened(value) if isinstance(value, str) else value)
        size += len(json.dumps(row)) + 2
        if size > MOST_BYTES:
            break
        rows.append(row)
    return rows
