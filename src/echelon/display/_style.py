"""Colours and sizes shared by all displays."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's colours, which stay apart for colour-blind eyes.
BLUE, ORANGE, GREY, VERMILION = "#0072B2", "#E69F00", "#9A9A9A", "#D55E00"


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones of a size in inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def plain(ax: Any) -> None:
    """Take away the frame lines that carry nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def label(name: Any, longest: int = 28) -> str:
    """A name short enough for an axis; dollar signs are text, not mathematics."""
    text = str(name)
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return text.replace("$", r"\$")
