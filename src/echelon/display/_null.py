"""Scores beside what chance reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.display import _parts
from echelon.display.style import BLUE, GREY, Picture, label, legend, new_axes, plain

FAR = 20.0
"""Scores further away than this are drawn on an axis that is logarithmic beyond ``NEAR``."""
NEAR = 5.0
MIDDLE = (0.05, 0.95)
"""Quantiles between which the thick part of a bar lies."""


class NullDisplay(Picture):
    """Scores beside the scores on permuted y, the best feature on top, and what they must exceed.

    All are in units of chance: standard deviations above the mean that the score of the feature
    has when y is permuted.  A thick bar holds the middle 90 % of the permuted scores, a thin line
    all of them.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    z_scores : array-like of shape (n_features,)
        Scores; NaN comes last and is not drawn.
    z_null : array-like of shape (n_permutations, n_features)
        Scores on permuted y.
    support : array-like of shape (n_features,)
        Mask of the features that pass.
    z_threshold : float, default=None
        What a score must exceed, drawn as a line; not if it is infinite.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import NullDisplay
    >>> null = [[-1.0, 0.5], [0.0, 1.0], [1.0, 0.0]]
    >>> NullDisplay(["age", "bmi"], [0.2, 4.0], null, [False, True], 2.5).frame()
      feature  z_score  null_low  null_high  null_largest  passes
    0     bmi      4.0      0.05       0.95           1.0    True
    1     age      0.2     -0.90       0.90           1.0   False
    """

    def __init__(
        self,
        names: Any,
        z_scores: Any,
        z_null: Any,
        support: Any,
        z_threshold: float | None = None,
    ):
        self.names = _parts.names(names)
        n = len(self.names)
        self.z_scores = _parts.numbers("z_scores", z_scores, (n,))
        self.z_null = _parts.numbers("z_null", z_null, (None, n))
        if not len(self.z_null):
            raise ValueError("`z_null` must have a row for every permutation, got none.")
        self.support = _parts.numbers("support", support, (n,)).astype(bool)
        self.z_threshold = (
            None if z_threshold is None else float(_parts.numbers("z_threshold", z_threshold, ()))
        )

    @classmethod
    def from_null(cls, result: Any) -> NullDisplay:
        """The display of what :func:`echelon.evaluation.null_threshold` returned.

        Parameters
        ----------
        result : NullThreshold
            Scores, permuted scores and threshold.
        """
        parts = ("names", "z_scores", "z_null", "support", "z_threshold")
        return cls(*_parts.with_parts("result", result, "null_threshold", parts))

    def frame(self) -> pd.DataFrame:
        """One row per feature, largest z-score first."""
        order = self._order()
        low, high = np.quantile(self.z_null[:, order], MIDDLE, axis=0)
        return pd.DataFrame(
            {
                "feature": self.names[order],
                "z_score": self.z_scores[order],
                "null_low": low,
                "null_high": high,
                "null_largest": self.z_null[:, order].max(axis=0),
                "passes": self.support[order],
            }
        )

    def plot(self, ax: Any = None, *, n_features: int = 30) -> NullDisplay:
        """Draw the features with the largest scores.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        n_features : int, default=30
            How many features to draw; a line says how many were left out.
        """
        shown = self.frame().head(n_features)
        smallest = self.z_null[:, self._order()[:n_features]].min(axis=0)
        ax = new_axes(ax, (7.0, 1.7 + 0.3 * len(shown)))
        rows = np.arange(len(shown))
        ax.hlines(rows, smallest, shown["null_largest"], color=GREY, linewidth=1)
        ax.hlines(rows, shown["null_low"], shown["null_high"], color=GREY, linewidth=7, alpha=0.6)
        passes = shown["passes"].to_numpy()
        ax.plot(shown["z_score"][passes], rows[passes], "o", color=BLUE, markersize=8)
        hollow = {"markeredgecolor": "black", "markerfacecolor": "white"}
        ax.plot(shown["z_score"][~passes], rows[~passes], "o", markersize=7, **hollow)
        ax.set_yticks(rows, [label(name) for name in shown["feature"]])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        if np.nanmax(shown["z_score"], initial=0.0) > FAR:
            _widen(ax, smallest, shown["z_score"])
        self._explain(ax, len(self.names) - len(shown))
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _order(self) -> np.ndarray:
        return np.argsort(-self.z_scores, kind="stable")

    def _explain(self, ax: Any, n_hidden: int) -> None:
        """Legend, threshold, and how many features were left out."""
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], color=BLUE, marker="o", linestyle="", label="passes"),
            Line2D([], [], color="black", marker="o", markerfacecolor="white", linestyle="",
                   label="does not"),
            Line2D([], [], color=GREY, linewidth=7, alpha=0.6, label="permuted y"),
        ]  # fmt: skip
        if self.z_threshold is not None and np.isfinite(self.z_threshold):
            ax.axvline(self.z_threshold, color="black", linestyle="--", linewidth=1, zorder=0)
            handles.append(Line2D([], [], color="black", linestyle="--", label="threshold"))
        legend(ax, handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 1.02), ncols=4)
        words = "score, in standard deviations of chance"
        if n_hidden:
            passing = int(self.support[self._order()[-n_hidden:]].sum())
            words += f"\nnot shown: {n_hidden:,} features, {passing:,} of them pass"
        ax.set_xlabel(words)


def _widen(ax: Any, smallest: np.ndarray, largest: pd.Series) -> None:
    """An axis that is linear where chance lies and logarithmic beyond."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("symlog", linthresh=NEAR, linscale=2)
    ax.set_xlim(np.nanmin(smallest) - 0.5, 1.3 * np.nanmax(largest))
    ticks = [-4, -2, 0, 2, 4, *(step * 10.0**power for power in range(1, 7) for step in (1, 3))]
    ax.set_xticks([tick for tick in ticks if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]])
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    ax.xaxis.set_minor_locator(NullLocator())
