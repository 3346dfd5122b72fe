"""The bounds of every feature as bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.words import LABELS, WEAK
from echelon.display import style

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
