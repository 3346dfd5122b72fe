"""Scores against the number of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon._core.errors import standard_error
from echelon.display import _parts
from echelon.display.style import BLUE, GREY, VERMILION, Picture, legend, new_axes, plain


class FeatureCurveDisplay(Picture):
    """Mean score against the number of features, with its standard error.

    The band is one standard error to either side of the mean, corrected for overlapping training
    sets.  Two lines mark the smallest size
    with the best mean, and the smallest one within a standard error of it.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of features, ascending.
    scores : array-like of shape (n_sizes, n_folds)
        Scores of the folds.
    best_size, one_se_size : int, default=None
        Sizes to mark.
    test_share : float, default=None
        Test samples per training sample; None: as if every sample were tested once.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import FeatureCurveDisplay
    >>> display = FeatureCurveDisplay([1, 2, 3], [[0.6, 0.7], [0.8, 0.9], [0.8, 0.8]], 2, 2)
    >>> display.frame().round(3)
       n_features  mean_score  standard_error
    0           1        0.65           0.087
    1           2        0.85           0.087
    2           3        0.80           0.000
    """

    def __init__(
        self,
        sizes: Any,
        scores: Any,
        best_size: int | None = None,
        one_se_size: int | None = None,
        test_share: float | None = None,
    ):
        self.scores = _parts.numbers("scores", scores, (None, None))
        self.sizes = _parts.numbers("sizes", sizes, (len(self.scores),)).astype(int)
        self.best_size = best_size
        self.one_se_size = one_se_size
        self.test_share = test_share

    @classmethod
    def from_curve(cls, curve: Any) -> FeatureCurveDisplay:
        """The display of what :func:`echelon.evaluation.feature_curve` returned.

        Parameters
        ----------
        curve : FeatureCurve
            Sizes and scores.
        """
        parts = ("sizes", "scores", "best_size", "one_se_size", "test_share")
        return cls(*_parts.with_parts("curve", curve, "feature_curve", parts))

    def frame(self) -> pd.DataFrame:
        """One row per size."""
        return pd.DataFrame(
            {
                "n_features": self.sizes,
                "mean_score": self.scores.mean(axis=1),
                "standard_error": standard_error(self.scores, self.test_share),
            }
        )

    def plot(self, ax: Any = None) -> FeatureCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        """
        ax = new_axes(ax, (7.0, 4.0))
        size, mean, error = self.frame().to_numpy().T
        ax.fill_between(size, mean - error, mean + error, color=BLUE, alpha=0.2, linewidth=0)
        ax.plot(size, mean, color=BLUE, marker=".", markersize=5)
        self._mark(ax)
        if len(size) > 1 and np.ptp(np.diff(size)) > 1:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            ax.xaxis.set_minor_formatter("")
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("features kept")
        ax.set_ylabel(f"score: mean of {self.scores.shape[1]} folds\nand standard error")
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _mark(self, ax: Any) -> None:
        """Lines at the sizes one would choose."""
        for size, colour, style, rule in (
            (self.best_size, GREY, "-", "best mean"),
            (self.one_se_size, VERMILION, "--", "within one standard error"),
        ):
            if size is not None:
                ax.axvline(size, color=colour, linestyle=style, linewidth=1, zorder=0,
                           label=f"{rule}: {size}")  # fmt: skip
        if ax.get_legend_handles_labels()[0]:
            legend(ax, loc="lower right")
