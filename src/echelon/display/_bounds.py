"""The bounds of every feature as bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.relevance import LABELS, WEAK
from echelon.display import _parts
from echelon.display.style import (
    BLUE,
    GREY,
    ORANGE,
    SKY,
    Picture,
    label,
    legend,
    new_axes,
    note,
    plain,
)

COLOURS = {"strong": BLUE, "weak": ORANGE, "explained": SKY, "irrelevant": GREY}


class BoundsDisplay(Picture):
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
        self.names = _parts.names(list(names))
        self.intervals = _parts.numbers("intervals", intervals, (None, 2))
        self.relevance = np.asarray(list(relevance))
        _parts.one_per_name(self.names, intervals=self.intervals, relevance=self.relevance)
        shape = () if np.ndim(threshold) == 0 else (len(self.names),)
        threshold = _parts.numbers("threshold", threshold, shape)
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
        names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
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
                chosen[:] = _position(estimator.classes_, label)
                relevance = estimator.relevance_by_class_[chosen[0]]
            intervals, threshold = intervals[chosen, np.arange(intervals.shape[1])], 1.0
        return cls(names, intervals, relevance, threshold)

    def frame(self) -> pd.DataFrame:
        """One row per feature, weak and strong ones first, the one furthest above noise first."""
        order = self._order()
        return pd.DataFrame(
            {
                "feature": self.names[order],
                "lower": self.intervals[order, 0],
                "upper": self.intervals[order, 1],
                "noise": self.threshold[order],
                "relevance": self.relevance[order],
            }
        )

    def plot(self, ax: Any = None, *, n_features: int = 30) -> BoundsDisplay:
        """Draw the bars of the first features of the frame.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        n_features : int, default=30
            How many features to draw; a line says what was left out.
        """
        shown = self.frame().head(n_features)
        ax = new_axes(ax, (7.0, 1.4 + 0.3 * len(shown)))
        rows = np.arange(len(shown))
        widths = np.maximum(shown["upper"] - shown["lower"], 0.004 * shown["upper"].max())
        colours = shown["relevance"].map(COLOURS)
        ax.barh(rows, widths, left=shown["lower"], height=0.62, color=colours)
        noise = shown["noise"]
        ax.vlines(noise, rows - 0.5, rows + 0.5, color="black", linestyle="--", linewidth=1)
        ax.set_yticks(rows, [label(name) for name in shown["feature"]])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        largest = 1.05 * max(shown["upper"].max(), noise.min())
        ax.set_xlim(0, largest if largest > 0 else 1)
        ax.set_xlabel("weight in good models, from bound to bound")
        self._explain(ax, len(shown), beyond=bool((noise > largest).any()))
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _explain(self, ax: Any, n_shown: int, *, beyond: bool) -> None:
        """Legend, and what is not shown."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        kinds = [kind for kind in COLOURS if (self.relevance == kind).any()]
        handles: list[Any] = [Patch(color=COLOURS[kind], label=kind) for kind in kinds]
        handles.append(Line2D([], [], color="black", linestyle="--", label="reached by noise"))
        legend(ax, handles=handles, loc="lower right")
        rest = self.relevance[self._order()[n_shown:]]
        said = ["no dash: noise like it reaches further"] if beyond else []
        if len(rest):
            counts = ", ".join(f"{(rest == kind).sum()} {kind}" for kind in kinds)
            said.append(f"not shown: {counts}")
        if said:
            note(ax, "; ".join(said))

    def _order(self) -> np.ndarray:
        upper = self.intervals[:, 1]
        if (self.threshold > 0).all():
            upper = upper * (self.threshold.min() / self.threshold)
        kept = np.array([LABELS.index(kind) for kind in self.relevance]) >= WEAK
        return np.lexsort([-upper.round(6), ~kept])  # by the last key first


def _position(classes: np.ndarray, wanted: Any) -> int:
    matches = np.flatnonzero(classes == wanted)
    if len(matches) == 0:
        raise ValueError(f"`label` must be one of {classes.tolist()}, got {wanted!r}.")
    return int(matches[0])
