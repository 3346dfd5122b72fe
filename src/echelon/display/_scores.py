"""The scores of the features as bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon.display import _parts
from echelon.display.style import BLUE, GREY, Picture, label, legend, new_axes, plain


class ScoresDisplay(Picture):
    """Scores of the features, best first, and which were kept.

    What does not fit is summed up in a last row: a thin line from the smallest to the largest
    score, a thick one over the middle half.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    scores : array-like of shape (n_features,)
        Scores, larger is better; NaN comes last.
    kept : array-like of shape (n_features,), default=None
        Mask of the features that were kept.
    threshold : float, default=None
        The score that kept features exceed, drawn as a line.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.display import ScoresDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ScoresDisplay.from_estimator(ReliefF(3).fit(X, y)).frame().head(4).round(3)
       rank                       feature  score   kept
    0     1  od280/od315_of_diluted_wines  0.181   True
    1     2                    flavanoids  0.168   True
    2     3                       proline  0.162   True
    3     4                       alcohol  0.119  False
    """

    def __init__(self, names: Any, scores: Any, kept: Any = None, threshold: float | None = None):
        self.names = _parts.names(names)
        self.scores = _parts.numbers("scores", scores, (None,))
        self.kept = None if kept is None else np.asarray(kept, dtype=bool)
        self.threshold = None if threshold is None else float(threshold)
        _parts.one_per_name(self.names, scores=self.scores, kept=self.kept)

    @classmethod
    def from_estimator(cls, estimator: Any) -> ScoresDisplay:
        """The display of a fitted selector with ``scores_``.

        Parameters
        ----------
        estimator : selector
            Fitted, with ``scores_``.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "scores_"):
            raise TypeError(
                f"`estimator` must score features, got {type(estimator).__name__}, which has no "
                "scores_. Show how good its sets are with echelon.evaluation.feature_curve."
            )
        names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
        threshold = getattr(estimator, "threshold_", None)
        return cls(names, estimator.scores_, estimator.get_support(), threshold)

    def frame(self) -> pd.DataFrame:
        """One row per feature, best first."""
        order = np.argsort(-self.scores, kind="stable")
        frame = pd.DataFrame(
            {
                "rank": np.arange(1, len(order) + 1),
                "feature": self.names[order],
                "score": self.scores[order],
            }
        )
        if self.kept is not None:
            frame["kept"] = self.kept[order]
        return frame

    def plot(self, ax: Any = None, *, n_features: int = 30) -> ScoresDisplay:
        """Draw the bars of the best features.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        n_features : int, default=30
            How many features to draw; the others are summed up.
        """
        frame = self.frame()
        shown, rest = frame.head(n_features), frame.iloc[n_features:]
        n_rows = len(shown) + (len(rest) > 0)
        ax = new_axes(ax, (7.0, 1.4 + 0.32 * n_rows))
        kept = shown["kept"] if "kept" in shown else np.ones(len(shown), dtype=bool)
        ax.barh(shown["rank"] - 1, shown["score"], height=0.66, color=np.where(kept, BLUE, GREY))
        names = [label(name) for name in shown["feature"]]
        if len(rest):
            names.append(_others(rest))
            _draw_rest(ax, rest["score"].dropna(), len(shown))
        ax.set_yticks(np.arange(n_rows), names)
        ax.set_ylim(n_rows - 0.4, -0.6)
        ax.set_xlabel("score")
        ax.xaxis.get_major_locator().set_params(nbins=6)
        self._explain(ax)
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _explain(self, ax: Any) -> None:
        """Legend, zero and threshold."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles: list[Any] = []
        if self.kept is not None:
            handles += [Patch(color=BLUE, label="kept"), Patch(color=GREY, label="not kept")]
        ax.axvline(0, color="black", linewidth=0.8)
        if self.threshold is not None and self.threshold != 0:
            ax.axvline(self.threshold, color="black", linestyle="--", linewidth=1)
            handles.append(Line2D([], [], color="black", linestyle="--", label="threshold"))
        if handles:
            legend(ax, handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def _others(rest: pd.DataFrame) -> str:
    n_kept = int(rest["kept"].sum()) if "kept" in rest else 0
    return f"{len(rest):,} others" + (f", {n_kept:,} kept" if n_kept else "")


def _draw_rest(ax: Any, scores: pd.Series, row: int) -> None:
    """One row for the scores of many features."""
    if len(scores):
        low, q1, q3, high = np.quantile(scores, [0, 0.25, 0.75, 1])
        ax.hlines(row, low, high, color=GREY, linewidth=1.5)
        ax.hlines(row, q1, q3, color=GREY, linewidth=7)
