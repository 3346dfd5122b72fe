"""What all displays share: colours, sizes, names on axes, and how they appear in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any

import numpy as np

from echelon._core.extras import require
from echelon._core.unseen import visible

# Okabe and Ito's colours, which stay apart for colour-blind eyes.
BLUE, ORANGE, GREY, VERMILION, SKY = "#0072B2", "#E69F00", "#9A9A9A", "#D55E00", "#56B4E9"
APART = (BLUE, VERMILION, "#009E73", "#CC79A7", ORANGE, SKY, "#000000", "#F0E442")

# Of viridis, matplotlib's colours from dark to light, every sixteenth.
VIRIDIS = (
    "440154", "48186a", "472d7b", "424086", "3b528b", "33638d", "2c728e", "26828e", "21918c",
    "1fa088", "28ae80", "3fbc73", "5ec962", "84d44b", "addc30", "d8e219", "fde725",
)  # fmt: skip

# Points at a width of 7 inches: still readable when the picture fills half a slide.
TEXT_SIZE, NOTE_SIZE = 12, 10.5


class Picture(ABC):
    """A display that shows itself in a notebook; a subclass has ``plot`` and ``frame``."""

    figure_: Any

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw into the axes given, or into a new figure."""

    def _repr_html_(self) -> str:
        plt = pyplot()
        number = getattr(getattr(self, "figure_", None), "number", None)
        if number is not None and plt.fignum_exists(number):
            # The notebook shows an open figure by itself: not twice.
            return f"<code>{escape(type(self).__name__)}</code>"
        try:
            self.plot()
            image = as_png(self.figure_)
        finally:
            plt.close(getattr(self, "figure_", None))
        return f'<img alt="{escape(type(self).__name__)}" src="data:image/png;base64,{image}">'


def as_png(figure: Any) -> str:
    """The figure as a PNG file in base 64."""
    from base64 import b64encode
    from io import BytesIO

    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=100)
    return b64encode(stream.getvalue()).decode("ascii")


def pyplot() -> Any:
    """The part of matplotlib that makes figures; matplotlib comes with an extra."""
    require("Plots need", "plot", "matplotlib")
    from matplotlib import pyplot as plt

    return plt


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones of a size in inches, with text that survives a slide."""
    if ax is not None:
        return ax
    plt = pyplot()
    with plt.rc_context({"font.size": TEXT_SIZE}):
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def plain(ax: Any) -> None:
    """Take away the frame lines that carry nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def note(ax: Any, text: str) -> None:
    """A line above the axes, for what the picture leaves out."""
    ax.set_title(text, fontsize=NOTE_SIZE, loc="right")


def legend(ax: Any, **options: Any) -> None:
    """A legend without a frame, to be read also where bars lie below it."""
    ax.legend(framealpha=0.85, edgecolor="none", fontsize=NOTE_SIZE, title_fontsize=NOTE_SIZE,
              **options)  # fmt: skip


def label(name: Any, longest: int = 28) -> str:
    """A name short enough for an axis, on one line; dollar signs are text, not mathematics."""
    text = visible(" ".join(str(name).split()))
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return text.replace("$", r"\$")


def class_colours(n_classes: int, *, ordered: bool, ends: tuple[float, float] = (0.0, 0.9)) -> list:
    """A colour per class: from dark to light if they are ordered, else as apart as can be.

    Parameters
    ----------
    n_classes : int
        How many.
    ordered : bool
        Whether the classes have an order.
    ends : tuple of two floats
        The part of the colour map to use, from 0 (darkest) to 1.
    """
    if not ordered and n_classes <= len(APART):
        return list(APART[:n_classes])
    steps = ends[0] + (ends[1] - ends[0]) * np.arange(n_classes) / max(n_classes - 1, 1)
    known = np.array([list(bytes.fromhex(colour)) for colour in VIRIDIS])
    place = np.linspace(0, 1, len(VIRIDIS))
    mixed = np.column_stack([np.interp(steps, place, part) for part in known.T])
    return [f"#{bytes(np.rint(colour).astype(np.uint8).tolist()).hex()}" for colour in mixed]
