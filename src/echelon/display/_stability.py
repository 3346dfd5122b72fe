"""How often every feature is selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.display import _parts
from echelon.display.style import BLUE, Picture, label, new_axes, note, plain


class StabilityDisplay(Picture):
    """Selection frequencies as bars, the most frequent feature on top.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    frequency : array-like of shape (n_features,)
        Share of the resamples in which a feature was selected.
    stability : float, default=None
        Nogueira's index, for the title.
    confidence_interval : tuple of two floats, default=None
        Its confidence interval.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import StabilityDisplay
    >>> StabilityDisplay(["age", "bmi", "bp"], [0.1, 1.0, 0.6]).frame()
      feature  frequency
    0     bmi        1.0
    1      bp        0.6
    2     age        0.1
    """

    def __init__(
        self,
        names: Any,
        frequency: Any,
        stability: float | None = None,
        confidence_interval: tuple[float, float] | None = None,
    ):
        self.names = _parts.names(names)
        self.frequency = _parts.numbers("frequency", frequency, (None,))
        _parts.one_per_name(self.names, frequency=self.frequency)
        self.stability = None if stability is None else float(stability)
        self.confidence_interval = confidence_interval
        if confidence_interval is not None:
            _parts.numbers("confidence_interval", confidence_interval, (2,))

    @classmethod
    def from_stability(cls, result: Any) -> StabilityDisplay:
        """The display of what :func:`echelon.evaluation.selection_stability` returned.

        Parameters
        ----------
        result : SelectionStability
            Frequencies and stability.
        """
        parts = ("names", "frequency", "stability", "confidence_interval")
        return cls(*_parts.with_parts("result", result, "selection_stability", parts))

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first."""
        order = np.argsort(-self.frequency, kind="stable")
        return pd.DataFrame({"feature": self.names[order], "frequency": self.frequency[order]})

    def plot(self, ax: Any = None, *, n_features: int = 30) -> StabilityDisplay:
        """Draw the bars of the features selected most often.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        n_features : int, default=30
            How many features to draw; the title says how many were left out.
        """
        shown = self.frame().head(n_features)
        ax = new_axes(ax, (7.0, 1.4 + 0.3 * len(shown)))
        rows = np.arange(len(shown))
        ax.barh(rows, shown["frequency"], height=0.62, color=BLUE)
        ax.set_yticks(rows, [label(name) for name in shown["feature"]])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of the resamples that select it")
        note(ax, self._title(len(self.names) - len(shown)))
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _title(self, n_hidden: int) -> str:
        parts = []
        if self.stability is not None:
            parts.append(f"stability {self.stability:.2f}")
        if self.confidence_interval is not None:
            parts.append("({:.2f} to {:.2f})".format(*self.confidence_interval))
        if n_hidden:
            parts.append(f"not shown: {n_hidden} features")
        return "  ".join(parts)
