"""From the facts of a summary to places on the page: charts, strips, the table of features."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, cast

import numpy as np

from echelon._core.by_class import scaled
from echelon._core.words import LOSS, counted, number, percent, with_error
from echelon.study.types import Change, Curve, Data, Distribution, Feature, MethodPart, Summary

CHART = {"width": 720, "height": 320, "left": 64, "right": 30, "top": 14, "bottom": 50}
STRIP_WIDTH = 150
AXIS = 12
"""Height of the axis below a strip."""
SHORTEST, TALLEST = 4.0, 7.0
MARKS = ("none", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "1 2", "6 2 1 2")
"""Dashes, so that curves are told apart without their colours."""
CHANGES_WIDTH, CHANGES_MARGIN = 136, 14
MOST_CHANGES = 10
"""Rows of either kind that are shown."""
LONGEST_NAME = 120
LONGEST_REASON = 400
MOST_BYTES = 1_900_000
"""Of the values of all rows within a page; rows beyond are left to the JSON."""


class Scale(NamedTuple):
    """Values on an axis, on a logarithmic one if ``log``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value, in pixels."""
        low, high, value = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


def curve_chart(summary: Summary) -> dict[str, Any]:
    """Lines, bands, ticks and points of the curves of all methods."""
    curves = [method["curve"] for method in summary["methods"]]
    score = summary["answer"]["score"]
    x, y = _axes(curves, score["guess"]["mean"])
    series = [
        _series(place, method, x, y, score["name"])
        for place, method in enumerate(summary["methods"])
    ]
    guess, kept = score["guess"], summary["answer"]["n_features"]
    return {
        **CHART,
        "series": series,
        "x_ticks": [{"at": x(v), "text": f"{v:,}"} for v in _x_ticks(x)],
        "y_ticks": [{"at": y(v), "text": f"{v:g}"} for v in round_ticks(y.low, y.high)],
        "guess": {"at": y(guess["mean"]), "text": f"baseline: {guess['name']}"},
        "kept": {"at": x(kept), "text": f"{kept:,} selected"} if kept else None,
    }


def _axes(curves: list[Curve], guess: float) -> tuple[Scale, Scale]:
    sizes = [size for curve in curves for size in curve["n_features"]]
    ends = [guess]
    for curve in curves:
        for mean, error in zip(curve["mean"], curve["standard_error"], strict=True):
            ends += [] if mean is None or error is None else [mean - error, mean + error]
    margin = 0.05 * (max(ends) - min(ends)) or 0.05
    log = max(sizes) > 30
    return (
        Scale(min(sizes), max(sizes), CHART["left"], CHART["width"] - CHART["right"], log),
        Scale(
            min(ends) - margin, max(ends) + margin, CHART["height"] - CHART["bottom"], CHART["top"]
        ),
    )


def _series(place: int, method: MethodPart, x: Scale, y: Scale, score: str) -> dict[str, Any]:
    curve = method["curve"]
    rows = zip(curve["n_features"], curve["mean"], curve["standard_error"], strict=True)
    points = [(x(size), y(mean), y(mean - error), y(mean + error), size, mean, error)
              for size, mean, error in rows if mean is not None and error is not None]  # fmt: skip
    band = [(px, low) for px, _, low, *_ in points] + [
        (px, high) for px, _, _, high, *_ in reversed(points)
    ]
    return {
        "name": method["name"],
        "colour": f"m{place % len(MARKS)}",
        "dash": MARKS[place % len(MARKS)],
        "line": _path([point[:2] for point in points]),
        "band": _path(band),
        "points": [
            {
                "x": px,
                "y": py,
                "text": f"{method['name']}, {counted(size, 'feature')}: "
                f"{score} {with_error(mean, error)}",
            }
            for px, py, _, _, size, mean, error in points
        ],
    }


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _x_ticks(x: Scale) -> list[int]:
    if x.log:
        steps = [c * 10**e for e in range(7) for c in (1, 2, 5)]
        within = [step for step in steps if x.low <= step <= x.high]
        # Over several powers of ten the numbers between them leave no room.
        return within if x.high / x.low < 500 else [step for step in within if str(step)[0] == "1"]
    if x.high - x.low <= 12:
        return list(range(int(x.low), int(x.high) + 1))
    return [int(v) for v in round_ticks(x.low, x.high) if v >= 1 and v == int(v)]


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two ends, at most so many."""
    span = high - low
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * c for c in (1, 2, 2.5, 5, 10) if power * c >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [
        float(f"{k * step:.10g}")
        for k in range(first, first + most + 1)
        if k * step <= high + 1e-9 * span
    ]


def class_rows(data: Data) -> list[dict[str, Any]]:
    """The classes with their colours and bars as long as they are large, at most 30."""
    largest = max(data["classes"].values())
    shown = {label: f"c{place}" for place, label in enumerate(data["shown_classes"])}
    return [
        {
            "label": label,
            "colour": shown.get(label),
            "count": count,
            "bar": round(160 * count / largest),
        }
        for label, count in list(data["classes"].items())[:30]
    ]


def strip(feature: Feature, labels: list[str]) -> dict[str, Any] | None:
    """The distribution of one feature as bars, one row per class."""
    distribution = feature.get("distribution")
    if distribution is None:
        return None
    n_classes = len(labels)
    pitch = min(TALLEST, max(SHORTEST, 42 / n_classes))
    numbers = distribution["kind"] == "numbers"
    rows = (_number_rows if numbers else _label_rows)(distribution, labels, pitch)
    base = round(n_classes * pitch + 2, 1)
    return {
        "width": STRIP_WIDTH,
        "height": base + AXIS,
        "base": base,
        "rows": rows,
        "axis": _number_ends(distribution) if numbers else _share_ends(distribution),
    }


def _number_ends(distribution: Distribution) -> tuple[str, str, str]:
    """Numbers at both ends of the axis."""
    known = [q for row in distribution["quantiles"] for q in row if q is not None]
    if not known or min(known) == max(known):
        return ("", number(known[0]) if known else "", "")
    return (number(min(known)), "", number(max(known)))


def _share_ends(distribution: Distribution) -> tuple[str, str, str]:
    """Shares at both ends; of two labels, which one is drawn."""
    names = distribution["labels"]
    middle = f"share of {_cut(names[1])}" if len(names) == 2 else ""
    return ("0", middle, "100 %")


def _cut(name: str) -> str:
    return name if len(name) <= 12 else f"{name[:11]}…"


def _number_rows(
    distribution: Distribution, labels: list[str], pitch: float
) -> list[dict[str, Any]]:
    places = scaled(np.array(distribution["quantiles"], dtype=float)) * (STRIP_WIDTH - 4) + 2
    rows = []
    for c, quantiles in enumerate(distribution["quantiles"]):
        if quantiles[0] is None:
            continue
        low, q1, median, q3, high = (round(place, 1) for place in places[c].tolist())
        texts = [number(quantile) for quantile in quantiles]
        rows.append(
            {
                "colour": f"c{c}",
                "line": (low, high, round((c + 0.5) * pitch + 1, 1)),
                "bars": [(q1, max(round(q3 - q1, 1), 1.5), 1)],
                "y": round(c * pitch + 1.5, 1),
                "height": round(pitch - 1, 1),
                "median": median,
                "text": f"{labels[c]}: median {texts[2]}, middle half {texts[1]} to {texts[3]}, "
                f"5 to 95 % {texts[0]} to {texts[4]}",
            }
        )
    return rows


def _label_rows(
    distribution: Distribution, labels: list[str], pitch: float
) -> list[dict[str, Any]]:
    rows = []
    for c, shares in enumerate(distribution["shares"]):
        ends = np.cumsum([0.0, *shares]) * (STRIP_WIDTH - 4) + 2
        faint = [round(1 - 0.8 * k / max(len(shares) - 1, 1), 2) for k in range(len(shares))]
        if len(shares) == 2:  # the second one alone, from the left
            ends, faint = (
                np.array([0.0, *shares[::-1]]).cumsum() * (STRIP_WIDTH - 4) + 2,
                [1.0, 0.0],
            )
        bars = [
            (round(start, 1), round(end - start, 1), strength)
            for start, end, strength in zip(ends, ends[1:], faint, strict=False)
            if end > start and strength
        ]
        named = zip(distribution["labels"], shares, strict=True)
        rows.append(
            {
                "colour": f"c{c}",
                "line": None,
                "bars": bars,
                "y": round(c * pitch + 1.5, 1),
                "height": round(pitch - 1, 1),
                "median": None,
                "text": f"{labels[c]}: "
                + ", ".join(f"{name} {number(100 * share, 2)} %" for name, share in named),
            }
        )
    return rows


# -------------------------------------------------------------- what single features do


def change_chart(summary: Summary) -> dict[str, Any] | None:
    """Rows for features left out and added, the most useful first; None if none were tried."""
    questions = summary["questions"]
    if questions is None or not summary["answer"]["keep"]:
        return None
    parts = {
        "when removed": questions["dropped"][:MOST_CHANGES],
        "when added": questions["added"][:MOST_CHANGES],
    }
    x = _changes_scale([change for part in parts.values() for change in part])
    ticks = [tick for tick in round_ticks(x.low, x.high, 3) if x.low < tick < x.high]
    return {
        "width": CHANGES_WIDTH,
        "zero": x(0.0),
        "ticks": [{"at": x(tick), "text": f"{tick:g}"} for tick in ticks],
        "parts": [
            (name, [_change_row(each, x) for each in part]) for name, part in parts.items() if part
        ],
        "n_not_shown": len(questions["dropped"] + questions["added"])
        - sum(map(len, parts.values())),
    }


def _changes_scale(changes: list[Change]) -> Scale:
    reach = [change["change"] + side * change["standard_error"] for change in changes
             for side in (-1, 0, 1)]  # fmt: skip
    low, high = min(0.0, *reach), max(0.0, *reach)
    room = 0.05 * (high - low) or 1.0
    return Scale(low - room, high + room, CHANGES_MARGIN, CHANGES_WIDTH - CHANGES_MARGIN)


def _change_row(change: Change, x: Scale) -> dict[str, Any]:
    mean, error = change["change"], change["standard_error"]
    return {
        "name": change["name"],
        "at": x(mean),
        "from": x(mean - error),
        "to": x(mean + error),
        "useful": change["worth"] > 0,
        "text": f"{'+' if mean > 0 else ''}{with_error(mean, error)}",
        "verdict": "" if change["clear"] else "not significant",
        "exact": number(mean),
    }


# ------------------------------------------------------------------ the table of features


def with_reasons(summary: Summary) -> Summary:
    """The summary with the reason of every feature beside its numbers; an old one has none."""
    features = summary["features"]
    said = dict(enumerate(summary["words"].get("reasons", [])))
    told = [{**feature, "reason": said.get(k)} for k, feature in enumerate(features)]
    return cast(Summary, {**summary, "features": told})


def columns_of(summary: Summary) -> list[dict[str, Any]]:
    """The columns that hold something, each with a key, a heading and what it means."""
    features = summary["features"]
    scores = [feature["score"] for feature in features if feature["score"] is not None]
    columns = [
        _column("rank", "rank", "by the selected method, 1 = best"),
        _column("name", "feature", "", kind="text"),
    ]
    if scores:
        largest = max(scores) if max(scores) > 0 else None
        columns.append(_column("score", "score", "of the method, larger is better", bar=largest))
    losses = [feature["loss"] for feature in features if feature["loss"] is not None]
    if losses:
        meaning = LOSS.format(summary["answer"]["score"]["name"])
        columns.append(_column("loss", "loss", meaning, bar=max(*losses, 0.0) or None))
    if len(summary["methods"]) > 1:
        columns += [
            _column(f"ranks.{method['name']}", f"rank: {method['name']}", f"by {method['name']}")
            for method in summary["methods"]
            if method["name"] != summary["answer"]["method"]
        ]
    optional = [
        _column("p_value", "p", "of the method, for no relation with the target"),
        _column("p_adjusted", "p adjusted", "for the false discovery rate"),
        _column("relevance", "relevance", "in good linear models", kind="text"),
        _column("evidence", "evidence", "given all other features", kind="text"),
        _column("evidence_p", "p given others", "for the false discovery rate"),
        _column("stability", "frequency", "share of subsamples that select it", bar=1.0)
        | {"percent": True},
        _column("trend", "trend", _meaning_of_trend(summary["data"])),
        _column("group", "group", "redundant selected features share a number"),
        _column("reason", "reason", "", kind="text"),
    ]
    for column in optional:
        if any(feature.get(column["key"]) is not None for feature in features[:200]):
            columns.append(column)
    return columns


def _meaning_of_trend(data: Data) -> str:
    if data["kind"] != "classification":
        return "rank correlation with the target"
    return f"rank correlation with being {shortened([*data['classes']][-1])!r}"


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
        most = LONGEST_REASON if column["key"] == "reason" else LONGEST_NAME
        return {"text": shortened(value, most) if value is not None else "", "bar": None}
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
