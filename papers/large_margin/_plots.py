"""Figures 4 to 11 again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from echelon.display.style import BLUE, GREY, ORANGE, VERMILION, plain
from papers.large_margin import _noise, _synthetic
from papers.large_margin._methods import OURS, RANDOM
from papers.large_margin._tables import cells, names_of

CURVES = ("housing", "bankruptcyrisk", "german", "wdbc")
STYLES = {
    "Figure 6": {"ReliefF (2)": (ORANGE, "-"), "O-ReliefF (2)": (BLUE, "-"), OURS: (VERMILION, "-"),
                 RANDOM: (GREY, ":")},
    "Figure 7": {"Simba": (ORANGE, "-"), "O-Simba": (BLUE, "-"), RANDOM: (GREY, ":")},
}  # fmt: skip


def pictures(found: dict[str, Any]) -> dict[str, Callable[[], Figure]]:
    """All pictures of the page."""
    names = dict.fromkeys(name for name, _ in _noise.FIGURES)
    return {
        "large_margin_synthetic": partial(synthetic, found),
        "large_margin_curves": partial(curves, found),
        **{f"large_margin_{name}": partial(noise, found, name) for name in names},
    }


def synthetic(found: dict[str, Any]) -> Figure:
    """Weights of the two features and of noise against the samples per class."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    axes = figure.subplots(2, 4, sharex=True, sharey=True).ravel()
    sizes = _synthetic.sizes_of(found)
    for ax, method in zip(axes, _synthetic.METHODS, strict=False):
        mean = np.array([_synthetic.runs(found, method, size).mean(axis=0) for size in sizes])
        ax.plot(sizes, mean[:, 0], color=BLUE, label="feature 1, monotone")
        ax.plot(sizes, mean[:, 1], color=ORANGE, label="feature 2, not")
        ax.plot(sizes, mean[:, 2:].mean(axis=1), color=GREY, label="noise, mean")
        ax.set_title(method.replace(", contradictions", ",\ncontradictions"), fontsize=9)
        plain(ax)
    axes[0].set_ylim(0, 1.05)
    axes[-1].axis("off")
    axes[-1].legend(*axes[0].get_legend_handles_labels(), loc="center", frameon=False)
    figure.supxlabel("samples per class", fontsize=9)
    figure.supylabel("weight", fontsize=9)
    return figure


def curves(found: dict[str, Any]) -> Figure:
    """Error against the number of features."""
    run = names_of(found)
    names = [name for name in CURVES if name in run] or run[:1]
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.subplots(len(STYLES), len(names), squeeze=False)
    for row, (label, styles), place in zip(axes, STYLES.items(), ("upper", "lower"), strict=True):
        for ax, name in zip(row, names, strict=True):
            for method, (color, line) in styles.items():
                every = [c["ranked inside"]["error"] for c in cells(found, name, method)]
                error = 100 * np.mean(every, axis=0)
                ax.plot(range(1, len(error) + 1), error, line, color=color, label=method)
            ax.set_title(name, fontsize=9)
            plain(ax)
        handles = row[0].get_legend_handles_labels()
        style = {"frameon": False, "fontsize": 8, "title": label}
        figure.legend(*handles, loc=f"outside right {place}", **style)
    figure.supxlabel("number of features", fontsize=9)
    figure.supylabel("classification error, %", fontsize=9)
    return figure


def noise(found: dict[str, Any], name: str) -> Figure:
    """Mean weight of every feature, with and without wrong classes."""
    shares = [share for each, share in _noise.FIGURES if each == name]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots(len(shares), len(_noise.SHOWN), sharex=True, sharey=True)
    for row, share in zip(axes, shares, strict=True):
        for ax, method in zip(row, _noise.SHOWN, strict=True):
            mean = _noise.runs(found, name, share, method).mean(axis=0)
            colors = [BLUE] * (len(mean) - _noise.N_NOISE) + [GREY] * _noise.N_NOISE
            ax.vlines(range(1, len(mean) + 1), 0, mean, colors=colors, linewidth=1)
            ax.set_ylim(0)
            plain(ax)
        row[0].set_ylabel(_noise.FIGURES[name, share], fontsize=9)
    for ax, method in zip(axes[0], _noise.SHOWN, strict=True):
        ax.set_title(method.replace(", ", ",\n"), fontsize=8)
    figure.supxlabel("feature", fontsize=9)
    return figure
