"""Scores of the features, and what chance reaches; bounds of the weights of a linear model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.words import LABELS, WEAK
from echelon.display import style

FAR = 20.0
"""Scores further away than this are drawn on an axis that is logarithmic beyond ``NEAR``."""
NEAR = 5.0
MIDDLE = (0.05, 0.95)
"""Quantiles between which the thick part of a bar lies."""


class ScoresDisplay(style.FeatureRows):
    """Scores of the features, best first, and which were selected.

    What does not fit is summed up in a last row: a thin line from the smallest to the largest
    score, a thick one over the middle half.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    scores : array-like of shape (n_features,)
        Scores, larger is better; NaN comes last.
    kept : array-like of shape (n_features,), default=None
        Mask of the features that were selected.
    threshold : float, default=None
        The score that selected features exceed, drawn as a line.

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
        self.names = style.read_names(names)
        self.scores = style.numbers("scores", scores, (None,))
        self.kept = None if kept is None else np.asarray(kept, dtype=bool)
        self.threshold = None if threshold is None else float(threshold)
        style.one_per_name(self.names, scores=self.scores, kept=self.kept)

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
        threshold = getattr(estimator, "threshold_", None)
        return cls(style.names_in(estimator), estimator.scores_, estimator.get_support(), threshold)

    def frame(self) -> pd.DataFrame:
        """One row per feature, best first."""
        kept = {} if self.kept is None else {"kept": self.kept}
        frame = style.largest_first({"feature": self.names, "score": self.scores, **kept}, "score")
        frame.insert(0, "rank", np.arange(1, len(frame) + 1))
        return frame

    def _row_names(self, shown: pd.DataFrame, rest: pd.DataFrame) -> list[str]:
        names = super()._row_names(shown, rest)
        if len(rest):
            n_kept = int(rest["kept"].sum()) if "kept" in rest else 0
            names.append(f"{len(rest):,} others" + (f", {n_kept:,} selected" if n_kept else ""))
        return names

    def _draw(self, ax: Any, shown: pd.DataFrame, rest: pd.DataFrame) -> None:
        kept = shown.get("kept", np.ones(len(shown), dtype=bool))
        colours = np.where(kept, style.BLUE, style.GREY)
        ax.barh(shown.index, shown["score"], height=0.66, color=colours)
        if rest["score"].notna().any():
            low, q1, q3, high = rest["score"].quantile([0, 0.25, 0.75, 1])
            ax.hlines(len(shown), low, high, color=style.GREY, linewidth=1.5)
            ax.hlines(len(shown), q1, q3, color=style.GREY, linewidth=7)
        ax.set_xlabel("score")
        ax.xaxis.get_major_locator().set_params(nbins=6)
        ax.axvline(0, color="black", linewidth=0.8)
        both = [("selected", style.BLUE), ("not selected", style.GREY)]
        named = [] if self.kept is None or self.kept.all() else both
        dashed = "threshold" if self.threshold else None  # 0 has its line
        if self.threshold:
            ax.axvline(self.threshold, **style.DASHED)
        if named or dashed:
            style.legend(ax, named, dashed, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


class NullDisplay(style.FeatureRows):
    """Scores beside the scores on permuted y, the best feature on top, and what they must exceed.

    All are standardised: standard deviations above the mean that the score of the feature
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
        self, names: Any, z_scores: Any, z_null: Any, support: Any, z_threshold: float | None = None
    ):
        self.names = style.read_names(names)
        n = len(self.names)
        self.z_scores = style.numbers("z_scores", z_scores, (n,))
        self.z_null = style.numbers("z_null", z_null, (None, n))
        if not len(self.z_null):
            raise ValueError("`z_null` must have a row for every permutation, got none.")
        self.support = style.numbers("support", support, (n,)).astype(bool)
        if z_threshold is not None:
            z_threshold = float(style.numbers("z_threshold", z_threshold, ()))
        self.z_threshold = z_threshold

    @classmethod
    def from_null(cls, result: Any) -> NullDisplay:
        """The display of what :func:`echelon.evaluation.null_threshold` returned.

        Parameters
        ----------
        result : NullThreshold
            Scores, permuted scores and threshold.
        """
        parts = ("names", "z_scores", "z_null", "support", "z_threshold")
        return cls(*style.parts_of("result", result, "null_threshold", parts))

    def frame(self) -> pd.DataFrame:
        """One row per feature, largest z-score first."""
        low, high = np.quantile(self.z_null, MIDDLE, axis=0)
        return style.largest_first(
            {
                "feature": self.names,
                "z_score": self.z_scores,
                "null_low": low,
                "null_high": high,
                "null_largest": self.z_null.max(axis=0),
                "passes": self.support,
            },
            by="z_score",
        )

    def _order(self) -> np.ndarray:
        return np.argsort(-self.z_scores, kind="stable")

    def _draw(self, ax: Any, shown: pd.DataFrame, rest: pd.DataFrame) -> None:
        smallest = self.z_null.min(axis=0)[self._order()[: len(shown)]]
        thick = {"color": style.GREY, "linewidth": 7, "alpha": 0.6, "label": "permuted y"}
        ax.hlines(shown.index, smallest, shown["null_largest"], color=style.GREY, linewidth=1)
        ax.hlines(shown.index, shown["null_low"], shown["null_high"], **thick)
        full, hollow = shown[shown["passes"]], shown[~shown["passes"]]
        ax.plot(full["z_score"], full.index, "o", color=style.BLUE, markersize=8, label="passes")
        ax.plot(hollow["z_score"], hollow.index, "o", markersize=7, markeredgecolor="black",
                markerfacecolor="white", label="does not")  # fmt: skip
        if np.nanmax(shown["z_score"], initial=0.0) > FAR:
            _widen(ax, smallest, shown["z_score"])
        if self.z_threshold is not None and np.isfinite(self.z_threshold):
            ax.axvline(self.z_threshold, zorder=0, label="threshold", **style.DASHED)
        style.legend(ax, loc="lower left", bbox_to_anchor=(-0.02, 1.02), ncols=2)
        words = "score, in standard deviations of chance"
        if len(rest):
            n_passing = int(rest["passes"].sum())
            words += f"\nnot shown: {len(rest):,} features, {n_passing:,} of them pass"
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


COLOURS = {
    "strong": style.BLUE,
    "weak": style.ORANGE,
    "explained": style.SKY,
    "irrelevant": style.GREY,
}


class BoundsDisplay(style.FeatureRows):
    """Relevance bounds as a picture.

    A bar reaches from the smallest to the largest weight a feature has in a good model.  Strongly
    relevant features have bars that do not touch 0; what stays left of the dashed line is no
    larger than what noise reaches.  (Noise like a feature that a few samples carry reaches further:
    it has a line of its own.  Noise that is correlated with other noise reaches further, too: it
    has no line, but its label says so.)

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    intervals : ndarray of shape (n_features, 2)
        Lower and upper bounds.
    relevance : array-like of shape (n_features,)
        "strong", "weak", "explained" or "irrelevant".
    threshold : float or array-like of shape (n_features,)
        The upper bound that noise may reach, or noise like every feature.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon import RelevanceBounds
    >>> from echelon.datasets import make_relevance
    >>> from echelon.display import BoundsDisplay
    >>> X, y = make_relevance(150, 1, 2, 1, random_state=0)
    >>> display = BoundsDisplay.from_estimator(RelevanceBounds(random_state=0).fit(X, y))
    >>> display.frame()["relevance"].tolist()
    ['weak', 'weak', 'strong', 'irrelevant']
    """

    def __init__(self, names: Any, intervals: np.ndarray, relevance: Any, threshold: Any):
        self.names = style.read_names(list(names))
        self.intervals = style.numbers("intervals", intervals, (None, 2))
        self.relevance = np.asarray(list(relevance))
        style.one_per_name(self.names, intervals=self.intervals, relevance=self.relevance)
        shape = () if np.ndim(threshold) == 0 else (len(self.names),)
        threshold = style.numbers("threshold", threshold, shape)
        self.threshold = np.broadcast_to(threshold, self.names.shape)

    @classmethod
    def from_estimator(cls, estimator: Any, *, label: Any = None) -> BoundsDisplay:
        """The display of a fitted ``RelevanceBounds``.

        Parameters
        ----------
        estimator : RelevanceBounds
            Fitted.
        label : object, default=None
            With several unordered classes, which of them against the rest.  None: for every
            feature the class in which its upper bound is largest, relative to what noise reaches,
            among those in which it is most relevant.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "intervals_"):
            raise TypeError(
                f"`estimator` must be a fitted RelevanceBounds, got {type(estimator).__name__}, "
                "which bounds no weights. Show scores with ScoresDisplay."
            )
        intervals, threshold = estimator.intervals_, estimator.probe_thresholds_
        relevance = estimator.relevance_
        if intervals.ndim == 2 and label is not None:
            raise ValueError(
                f"`label` must be None, since there is one model for all classes, got {label!r}."
            )
        if intervals.ndim == 3:
            # Each class has its own threshold: show bounds in units of it.
            units = np.where(threshold > 0, threshold, 1.0)
            intervals = intervals / units[:, :, None]
            most = estimator.relevance_by_class_ == relevance
            chosen = np.where(most, intervals[:, :, 1], -1.0).argmax(axis=0)
            if label is not None:
                if label not in estimator.classes_:
                    known = estimator.classes_.tolist()
                    raise ValueError(f"`label` must be one of {known}, got {label!r}.")
                chosen[:] = np.flatnonzero(estimator.classes_ == label)[0]
                relevance = estimator.relevance_by_class_[chosen[0]]
            intervals, threshold = intervals[chosen, np.arange(intervals.shape[1])], 1.0
        return cls(style.names_in(estimator), intervals, relevance, threshold)

    def frame(self) -> pd.DataFrame:
        """One row per feature, weak and strong ones first, the one furthest above noise first."""
        lower, upper = self.intervals.T
        frame = pd.DataFrame(
            {
                "feature": self.names,
                "lower": lower,
                "upper": upper,
                "noise": self.threshold,
                "relevance": self.relevance,
            }
        )
        if (self.threshold > 0).all():
            upper = upper * (self.threshold.min() / self.threshold)
        kept = np.array([LABELS.index(kind) for kind in self.relevance]) >= WEAK
        order = np.lexsort([-upper.round(6), ~kept])  # by the last key first
        return frame.iloc[order].reset_index(drop=True)

    def _draw(self, ax: Any, shown: pd.DataFrame, rest: pd.DataFrame) -> None:
        rows, noise, furthest = shown.index, shown["noise"], shown["upper"].max()
        widths = np.maximum(shown["upper"] - shown["lower"], 0.004 * furthest)
        colours = shown["relevance"].map(COLOURS)
        ax.barh(rows, widths, left=shown["lower"], height=0.62, color=colours)
        ax.vlines(noise, rows - 0.5, rows + 0.5, **style.DASHED)
        end = 1.05 * max(furthest, noise.min())
        ax.set_xlim(0, end if end > 0 else 1)
        ax.set_xlabel("weight in good models, from bound to bound")
        kinds = [kind for kind in COLOURS if (self.relevance == kind).any()]
        named = [(kind, COLOURS[kind]) for kind in kinds]
        style.legend(ax, named, "reached by noise", loc="lower right")
        said = ["no dash: noise like it reaches further"] if (noise > end).any() else []
        if len(rest):
            counts = ", ".join(f"{(rest['relevance'] == kind).sum()} {kind}" for kind in kinds)
            said.append(f"not shown: {counts}")
        style.note(ax, "; ".join(said))
