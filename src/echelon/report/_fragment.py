"""The answer in short, for a notebook: a piece of HTML that needs nothing else, and a picture.

The piece takes text and paper from the page it stands in, so that it is light where that is light
and dark where that is dark.  It holds no script; every text of the user's is escaped.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from echelon._core.words import all_visible, listed, number, percent, with_error
from echelon.report._layout import curve_chart, shortened
from echelon.study.types import Feature, Summary

MOST_SHOWN = 20
"""Features in the table, the best ones."""

_TITLES = {"stability": "selection frequency"}


def _reached(lines: dict[str, str]) -> str:
    """The score beside the baseline."""
    return f"Score {lines['Score']}; baseline {lines['Baseline']}"


def fragment(summary: Summary) -> str:
    """The answer, the best features and the curve as a piece of HTML."""
    shown = all_visible(summary)
    words, answer = shown["words"], shown["answer"]
    warnings = "".join(f'<p class="warning">{escape(text)}</p>' for text in words["warnings"])
    none = "" if answer["keep"] else " none"
    selected = f"<p>{escape(listed(answer['keep'], 30))}</p>" if answer["keep"] else ""
    return (
        f'<div class="echelon"><style>{_style()}</style>'
        f'<p class="answer{none}">{escape(words["answer"])}</p>{selected}{warnings}'
        f'<p class="quiet">{escape(_reached(words["lines"]))}</p>'
        f'<div class="parts">{_table(shown)}{_curve(shown)}</div></div>'
    )


def _style() -> str:
    return files("echelon.report").joinpath("templates", "fragment.css").read_text("utf-8")


def _table(summary: Any) -> str:
    """The best features, with a bar for the score, or for the loss where there is none."""
    features = summary["features"][:MOST_SHOWN]
    reasons = summary["words"].get("reasons") or [""] * len(features)
    columns = [key for key in ("score", "loss", "trend", "stability")
               if any(feature.get(key) is not None for feature in features)]  # fmt: skip
    heads = ["rank", "feature", *(_TITLES.get(key, key) for key in columns), "reason"]
    drawn = next((key for key in columns if key in ("score", "loss")), None)
    largest = max((feature.get(drawn) or 0 for feature in features), default=0)
    rows = [
        _row(feature, columns, drawn, largest, reason)
        for feature, reason in zip(features, reasons, strict=False)
    ]
    left = len(summary["features"]) - len(features)
    more = f'<p class="quiet">and {left:,} more: selector.summary()</p>' if left else ""
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in heads)
    return (
        f'<div class="table"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>{more}</div>"
    )


def _row(
    feature: Feature, columns: list[str], drawn: str | None, largest: float, reason: str
) -> str:
    cells = [f'<td class="n">{feature["rank"]}</td>',
             f"<td><bdi>{escape(shortened(feature['name'], 60))}</bdi></td>"]  # fmt: skip
    for key in columns:
        value: Any = feature.get(key)
        text = "" if value is None else _text(key, value, feature)
        bar = ""
        if key == drawn and largest > 0 and value is not None:
            width = round(80 * min(1.0, max(0.0, value) / largest))
            bar = f'<i class="bar" style="width: {width}px"></i>'
        cells.append(f"<td>{bar}{escape(text)}</td>")
    cells.append(f'<td class="why">{escape(shortened(reason))}</td>')
    selected = ' class="is-in"' if feature["kept"] else ""
    return f"<tr{selected}>{''.join(cells)}</tr>"


def _text(key: str, value: float, feature: Feature) -> str:
    """A number as the command writes it."""
    if key == "loss":
        return with_error(value, feature.get("loss_error"))
    if key == "trend":
        return f"{value:.2f}"
    return percent(value) if key == "stability" else number(value)


def _curve(summary: Any) -> str:
    """The curves of score against the number of features."""
    chart = curve_chart(summary)
    left, right = chart["left"], chart["width"] - chart["right"]
    bottom, middle = chart["height"] - chart["bottom"], (chart["left"] + chart["width"]) / 2
    parts = []
    for tick in chart["y_ticks"]:
        at = tick["at"]
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>')
        parts.append(_label(left - 8, at + 7, tick["text"], "end"))
    parts += [_label(tick["at"], bottom + 22, tick["text"]) for tick in chart["x_ticks"]]
    parts.append(_label(middle, chart["height"] - 6, "number of features"))
    if chart["kept"]:
        at = chart["kept"]["at"]
        parts.append(f'<line class="kept" x1="{at}" x2="{at}" y1="{chart["top"]}" y2="{bottom}"/>')
    at = chart["guess"]["at"]
    parts.append(f'<line class="guess" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>')
    parts.append(_label(right, at - 5, "baseline", "end"))
    for line in chart["series"]:
        parts.append(f'<polygon class="band" points="{line["band"]}"/>')
        parts.append(f'<polyline class="line" points="{line["line"]}"/>')
        parts += [
            f'<circle class="dot" cx="{p["x"]}" cy="{p["y"]}" r="3">'
            f"<title>{escape(p['text'])}</title></circle>"
            for p in line["points"]
        ]
    name = escape(summary["answer"]["score"]["name"])
    box = f"0 0 {chart['width']} {chart['height']}"
    return (
        f'<div><p class="quiet">{name} against the number of features</p>'
        f'<svg viewBox="{box}" width="400" role="img" aria-label="{name} against the number of '
        f'features">{"".join(parts)}</svg></div>'
    )


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def draw_answer(summary: Summary, figure: Any = None) -> Any:
    """Scores of the best features, and the curve of the number of features, as one picture.

    Parameters
    ----------
    summary : Summary
        What was found.
    figure : matplotlib Figure, default=None
        Where to draw; None: a new figure of pyplot, which a notebook shows.

    Returns
    -------
    figure : matplotlib Figure
        The figure.
    """
    from echelon.display import FeatureCurveDisplay, ScoresDisplay

    features = summary["features"]
    key: Literal["score", "loss"] = "score" if features[0]["score"] is not None else "loss"
    features = [feature for feature in features if feature[key] is not None]
    method = next(m for m in summary["methods"] if m["name"] == summary["answer"]["method"])
    scored = bool(features)
    if figure is None:
        figure = _new_figure(12 if scored else 7)
    axes = np.atleast_1d(figure.subplots(1, 2 if scored else 1))
    if scored:
        names, scores, kept = zip(*((f["name"], f[key], f["kept"]) for f in features), strict=True)
        ScoresDisplay(names, scores, kept).plot(axes[0])
        axes[0].set_xlabel(key)
    curve, n_selected = method["curve"], summary["answer"]["n_features"] or None
    FeatureCurveDisplay(
        curve["n_features"], curve["folds"], method["best_size"], n_selected=n_selected
    ).plot(axes[-1])
    axes[-1].set_ylabel(summary["how"]["scoring"])
    return figure


def _new_figure(width: float) -> Any:
    from echelon._core.extras import require

    require("Plots need", "plot", "matplotlib")
    from matplotlib import pyplot as plt

    return plt.figure(figsize=(width, 5), layout="constrained")
