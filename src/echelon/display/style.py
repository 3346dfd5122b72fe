"""What all displays share: base classes, checks of their parts, colours, axes and labels.

Matplotlib is imported where something is drawn, not before.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from numbers import Integral
from reprlib import repr as briefly
from typing import Any, Self

import numpy as np
import pandas as pd

from echelon._core.extras import require
from echelon._core.words import visible

# Okabe and Ito's colours, which stay apart for colour-blind eyes.
BLUE, ORANGE, GREY, VERMILION, SKY = "#0072B2", "#E69F00", "#9A9A9A", "#D55E00", "#56B4E9"
APART = (BLUE, VERMILION, "#009E73", "#CC79A7", ORANGE, SKY, "#000000", "#F0E442")

VIRIDIS = (
    "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 "
    "84d44b addc30 d8e219 fde725"
)
"""Matplotlib's colour map at equal steps, so that a page can be coloured without Matplotlib."""

# Points at a width of 7 inches: still readable when the picture fills half a slide.
TEXT_SIZE, NOTE_SIZE = 12, 10.5

DASHED: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


class Picture(ABC):
    """A display that shows itself in a notebook; a subclass has ``plot`` and ``frame``."""

    ax_: Any
    figure_: Any

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """What is drawn, as a table."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw into the axes given, or into a new figure."""

    def _finish(self, ax: Any) -> Self:
        """What every plot ends with."""
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _repr_html_(self) -> str:
        require("Plots need", "plot", "matplotlib")
        from matplotlib.figure import Figure

        name = escape(type(self).__name__)
        number = getattr(getattr(self, "figure_", None), "number", None)  # if it is pyplot's
        if number is not None and sys.modules["matplotlib.pyplot"].fignum_exists(number):
            # The notebook shows an open figure by itself: not twice.
            return f"<code>{name}</code>"
        stream = BytesIO()
        self.plot(Figure(layout="constrained")).figure_.savefig(stream, format="png", dpi=100)
        image = b64encode(stream.getvalue()).decode("ascii")
        return f'<img alt="{name}" src="data:image/png;base64,{image}">'


class FeatureRows(Picture):
    """A display with one row per feature, the first of the frame on top."""

    def plot(self, ax: Any = None, *, n_features: int = 30) -> Self:
        """Draw the first features of the frame.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        n_features : int, default=30
            How many features to draw; the picture says what was left out.
        """
        frame = self.frame()
        shown, rest = frame.head(n_features), frame.iloc[n_features:]
        names = self._row_names(shown, rest)
        ax = new_axes(ax, (7.0, 1.5 + 0.3 * len(names)))
        label_rows(ax, names)
        self._draw(ax, shown, rest)
        return self._finish(ax)

    def _row_names(self, shown: pd.DataFrame, rest: pd.DataFrame) -> list[str]:
        return [short(name) for name in shown["feature"]]

    @abstractmethod
    def _draw(self, ax: Any, shown: pd.DataFrame, rest: pd.DataFrame) -> None:
        """Draw every feature at the row that is its index, and say what ``rest`` leaves out."""


# ------------------------------------------------------------------------------------- the parts


def read_names(values: Any) -> np.ndarray:
    """Names of features as an array."""
    found = np.asarray(values)
    if found.ndim != 1:
        raise ValueError(f"`names` must be a list of names, got {briefly(values)}.")
    return found


def names_in(estimator: Any) -> np.ndarray:
    """Names of the features a fitted estimator has seen, or their numbers."""
    return getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))


def one_per_name(names: Sequence | np.ndarray, **parts: Any) -> None:
    """Refuse parts that are not one entry per name."""
    for part, values in parts.items():
        if values is not None and len(values) != len(names):
            raise ValueError(
                f"`{part}` must have one entry per name, got {len(values)} for {len(names)} names."
            )


def numbers(part: str, values: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Numbers of a shape, in which None stands for any length."""
    try:
        found = np.asarray(values)
        if found.dtype.kind == "c":
            raise TypeError("complex ones cannot be drawn")
        found = found.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"`{part}` must be numbers, got {briefly(values)} ({error}).") from error
    fits = [n is None or n == m for n, m in zip(shape, found.shape, strict=False)]
    if found.ndim != len(shape) or not all(fits):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"`{part}` must have the shape ({wanted}), got {found.shape}.")
    return found


def whole(part: str, value: Any, least: int) -> int:
    """A whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{part}` must be a whole number from {least}, got {briefly(value)}.")
    return int(value)


def parts_of(part: str, value: Any, maker: str, attributes: Sequence[str]) -> list[Any]:
    """Attributes of what some function returned."""
    if not all(hasattr(value, each) for each in attributes):
        raise TypeError(f"`{part}` must be what {maker} returned, got {briefly(value)}.")
    return [getattr(value, each) for each in attributes]


def largest_first(columns: dict[str, Any], by: str) -> pd.DataFrame:
    """Columns as a frame in the order of one of them; NaN comes last."""
    return pd.DataFrame(columns).sort_values(by, ascending=False, kind="stable", ignore_index=True)


# -------------------------------------------------------------------------------------- the axes


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or new ones of a size in inches, with text that survives a slide.

    Parameters
    ----------
    ax : matplotlib axes, Figure or None
        Axes are returned as they are.  A figure gets new axes.  None: a new figure of pyplot's, in
        whatever backend the user has.
    size : tuple of two floats
        Width and height of the new figure.
    """
    require("Plots need", "plot", "matplotlib")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if ax is None:
        from matplotlib import pyplot as plt

        # Not within the context below: the first figure starts the backend, which may set
        # parameters (a notebook's makes it interactive), and the context would undo them.
        figure = plt.figure(figsize=size, layout="constrained")
    elif isinstance(ax, Figure):
        figure = ax
        figure.set_size_inches(size)
    else:
        return ax
    with mpl.rc_context({"font.size": TEXT_SIZE}):
        return figure.subplots()


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """A name for every row, the first row on top."""
    ax.set_yticks(np.arange(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)


def plain(ax: Any) -> None:
    """Take away the frame lines that carry nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def note(ax: Any, text: str) -> None:
    """A line above the axes, for what the picture leaves out."""
    ax.set_title(text, fontsize=NOTE_SIZE, loc="right")


def not_shown(n_features: int) -> str:
    """The note on features that were left out; empty if there are none."""
    return f"not shown: {n_features:,} features" if n_features > 0 else ""


def legend(
    ax: Any, colours: Iterable[tuple[str, str]] = (), dashed: str | None = None, **options: Any
) -> None:
    """A legend without a frame, to be read also where bars lie below it.

    Parameters
    ----------
    ax : matplotlib axes
        Where.
    colours : iterable of (str, str)
        Names and colours.  Without any, and no ``dashed``: what has a label in the axes.
    dashed : str, default=None
        What the dashed line means.
    **options : dict
        Passed to ``ax.legend``.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=colour, label=name) for name, colour in colours]
    if dashed is not None:
        handles.append(Line2D([], [], label=dashed, **DASHED))
    ax.legend(handles=handles or None, framealpha=0.85, edgecolor="none", fontsize=NOTE_SIZE,
              title_fontsize=NOTE_SIZE, **options)  # fmt: skip


def short(name: Any, longest: int = 28) -> str:
    """A name short enough for an axis, on one line; dollar signs are text, not mathematics."""
    text = visible(" ".join(str(name).split()))
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return text.replace("$", r"\$")


def class_colours(
    n_classes: int, *, ordered: bool, ends: tuple[float, float] = (0.0, 0.9)
) -> list[str]:
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
    known = np.array([list(bytes.fromhex(colour)) for colour in VIRIDIS.split()])
    at, steps = np.linspace(0, 1, len(known)), np.linspace(*ends, n_classes)
    mixed = np.array([np.interp(steps, at, channel) for channel in known.T]).round().astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed.T]
