"""The figures of the paper, drawn from what was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from scipy.stats import gaussian_kde

from echelon.display.style import BLUE, GREY, ORANGE, VERMILION, plain
from papers.soft_margin.methods import CLASSIFIERS
from papers.soft_margin.protocols import GENE_CLASSIFIERS
from papers.soft_margin.results import Results
from papers.soft_margin.wine import CLOSE, OVERLAPPING, SEPARATING, SHOWN

COLOURS = (BLUE, ORANGE, VERMILION, GREY)
PLACES = {"outside": ("-", "before the folds"), "inside": ("--", "inside the folds")}


def pictures(results: Results) -> dict[str, Callable[[], Figure]]:
    """All pictures of the page."""
    return {f"soft_margin_{name}": partial(paint, results) for name, paint in FIGURES.items()}


def distances(results: Results) -> Figure:
    """Figures 5, 6, 7: distance of every sample to the nearest of another class."""
    found = results.found["pictures"]
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    axes = figure.subplots(1, len(SHOWN), sharey=True, sharex=True)
    for ax, subset in zip(axes, SHOWN, strict=True):
        ax.axvspan(*CLOSE, color=ORANGE, alpha=0.25, lw=0)
        ax.hist(found[f"subset {subset}"], bins=np.arange(0.1, 1.0, 0.025), color=BLUE)
        ax.set(title=f"subset {subset}", xlabel="distance to the nearest other class")
        plain(ax)
    axes[0].set_ylabel("samples")
    return figure


def features(results: Results) -> Figure:
    """Figures 8 and 9: four features one by one, and two pairs."""
    found = results.found["pictures"]
    classes = np.array(found["classes"])
    pairs = (OVERLAPPING, tuple(SEPARATING))
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots(2, 3)
    grid = np.linspace(0, 1, 200)
    for row, pair in zip(axes, pairs, strict=True):
        values = [np.array(found[f"feature {feature}"]) for feature in pair]
        for colour, label in zip(COLOURS, np.unique(classes), strict=False):
            of_class = [each[classes == label] for each in values]
            for ax, part in zip(row, of_class, strict=False):
                ax.plot(grid, gaussian_kde(part)(grid), color=colour, label=f"class {label}")
            row[2].scatter(*of_class, s=8, color=colour)
        for ax, feature in zip(row, pair, strict=False):
            ax.set(xlabel=f"feature {feature}", ylabel="density")
        row[2].set(xlabel=f"feature {pair[0]}", ylabel=f"feature {pair[1]}")
    axes[0, 0].legend(frameon=False, fontsize=8)
    for ax in axes.flat:
        plain(ax)
    return figure


def penalty(results: Results) -> Figure:
    """Figures 10 and 11: wine, accuracy against the number of features for every penalty."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    penalties = [*results.by_penalty("wine", "outside", "KNN")]
    shades = colormaps["viridis"](np.linspace(0.9, 0.1, len(penalties)))
    for ax, classifier in zip(axes, CLASSIFIERS, strict=True):
        for value, shade in zip(penalties, shades, strict=True):
            curve = results.curves("wine", f"NSM {value}", "outside", classifier).mean(axis=0)
            style = {"color": VERMILION, "lw": 2.5} if value == 4 else {"color": shade}
            ax.plot(np.arange(1, len(curve) + 1), curve, label=str(value), **style)
        ax.set(title=classifier, xlabel="number of features")
        plain(ax)
    axes[0].set_ylabel("accuracy")
    axes[1].legend(title="penalty", frameon=False, fontsize=8)
    return figure


def curves(results: Results) -> Figure:
    """Figure 12: NSM on every data set."""
    n_rows = -(-len(results.names) // 4)
    figure = Figure(figsize=(10, 2.6 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, 4, squeeze=False)
    for ax, name in zip(axes.flat, results.names, strict=False):
        _paint_curves(ax, results, name, [*CLASSIFIERS])
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    axes[0, 0].legend(frameon=False, fontsize=7)
    for ax in list(axes.flat)[len(results.names) :]:
        ax.set_visible(False)
    return figure


def genes(results: Results) -> Figure:
    """Figure 13: NSM on the wide data."""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    axes = figure.subplots(1, len(results.genes), squeeze=False, sharey=True)
    for ax, name in zip(axes.flat, results.genes, strict=True):
        _paint_curves(ax, results, name, [*GENE_CLASSIFIERS])
    axes[0, 0].set_ylabel("accuracy")
    axes[0, -1].legend(frameon=False, fontsize=7, loc="lower right")
    return figure


def _paint_curves(ax: Any, results: Results, name: str, kinds: list[str]) -> None:
    for colour, kind in zip(COLOURS, kinds, strict=False):
        for place, (line, text) in PLACES.items():
            curve = results.curves(name, "NSM", place, kind).mean(axis=0)
            label = f"{kind}, {text}"
            ax.plot(np.arange(1, len(curve) + 1), curve, line, color=colour, label=label, lw=1.2)
    ax.set(title=name, xlabel="number of features")
    plain(ax)


FIGURES = {
    "distances": distances,
    "features": features,
    "penalty": penalty,
    "curves": curves,
    "genes": genes,
}
