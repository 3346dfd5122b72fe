"""Pictures for ``--plot``: scores beside the curve, curves of several methods, bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from echelon.display import BoundsDisplay, FeatureCurveDisplay, ScoresDisplay
from echelon.display.style import APART, legend, plain
from echelon.study.types import MethodPart, Summary


def ranking_picture(summary: Summary) -> Any:
    """Scores of the best features, and the curve that says how many to keep."""
    features, method = summary["features"], summary["methods"][0]
    scored = features[0]["score"] is not None
    figure = _figure(12 if scored else 7, 5)
    axes = np.atleast_1d(figure.subplots(1, 2 if scored else 1))
    if scored:
        names, scores, kept = zip(
            *((f["name"], f["score"], f["kept"]) for f in features), strict=True
        )
        ScoresDisplay(names, scores, kept).plot(axes[0])
    _curve(method).plot(axes[-1])
    axes[-1].set_ylabel(summary["how"]["scoring"])
    return figure


def comparison_picture(summary: Summary) -> Any:
    """The curves of all methods."""
    figure = _figure(8, 5)
    ax = figure.subplots()
    for colour, method in zip(_colours(len(summary["methods"])), summary["methods"], strict=True):
        curve = method["curve"]
        ax.errorbar(curve["n_features"], curve["mean"], curve["standard_error"], color=colour,
                    marker=".", capsize=2, label=method["label"])  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter("")
    ax.set_xlabel("features kept")
    ax.set_ylabel(summary["how"]["scoring"])
    legend(ax)
    plain(ax)
    return figure


def bounds_picture(selector: Any) -> Any:
    """Bounds of the weights of every feature."""
    display = BoundsDisplay.from_estimator(selector)
    figure = _figure(8, max(4.0, 1.5 + 0.3 * min(len(display.names), 40)))
    display.plot(figure.subplots())
    return figure


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _colours(n: int) -> list[str]:
    return [APART[k % len(APART)] for k in range(n)]


def _curve(method: MethodPart) -> FeatureCurveDisplay:
    curve = method["curve"]
    return FeatureCurveDisplay(
        curve["n_features"], curve["folds"], method["best_size"], method["one_se_size"]
    )
