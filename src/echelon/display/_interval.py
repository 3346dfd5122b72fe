"""Class prototypes of interval features, and how far the data spread around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon.display import _parts
from echelon.display.style import (
    Picture,
    class_colours,
    label,
    legend,
    new_axes,
    note,
    plain,
)
from echelon.intervals import read_intervals

SPREAD = (0.05, 0.95)
"""Quantiles of lower and of upper bounds between which the thin line of a class runs."""


class IntervalDisplay(Picture):
    """Prototypes of interval features as bars, the best feature on top.

    For every feature and class, the bar is the prototype, from the mean lower to the mean upper
    bound; the thin line shows the data, from the 5 % quantile of the lower bounds to the 95 %
    quantile of the upper bounds of that class.  Features are scaled by their ranges, so that they
    fit into one picture.  Bars of one feature that lie apart tell the classes apart.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    classes : array-like of shape (n_classes,)
        Labels of the classes.
    scores : array-like of shape (n_features,)
        Scores, larger is better.
    prototypes : ndarray of shape (n_classes, n_features, 2)
        Mean lower and upper bounds.
    spreads : ndarray of shape (n_classes, n_features, 2)
        Ends of the thin lines.
    ranges : ndarray of shape (n_features, 2)
        Values that stand at the left and right end of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import IntervalRelief
    >>> from echelon.display import IntervalDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = IntervalDisplay.from_estimator(IntervalRelief().fit(X, y), X, y)
    >>> display.frame()["feature"].unique().tolist()[:2]
    ['petal width (cm)', 'petal length (cm)']
    """

    def __init__(
        self,
        names: Any,
        classes: Any,
        scores: Any,
        prototypes: np.ndarray,
        spreads: np.ndarray,
        ranges: np.ndarray,
    ):
        self.names = _parts.names(names)
        self.classes = np.asarray(classes)
        n_classes, n_features = len(self.classes), len(self.names)
        self.scores = _parts.numbers("scores", scores, (None,))
        self.prototypes = _parts.numbers("prototypes", prototypes, (n_classes, n_features, 2))
        self.spreads = _parts.numbers("spreads", spreads, (n_classes, n_features, 2))
        self.ranges = _parts.numbers("ranges", ranges, (n_features, 2))
        _parts.one_per_name(self.names, scores=self.scores)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any) -> IntervalDisplay:
        """The display of a fitted ``IntervalRelief`` and the data it was fitted to.

        Parameters
        ----------
        estimator : IntervalRelief
            Fitted.
        X : array-like or DataFrame
            Samples: intervals or points.
        y : array-like of shape (n_samples,)
            Classes.
        """
        check_is_fitted(estimator, "prototypes_")
        names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
        values, labels = read_intervals(X, allow_nan=True).values, np.asarray(y)
        spreads = [_spread(values[labels == c]) for c in estimator.classes_]
        return cls(
            names,
            estimator.classes_,
            estimator.scores_,
            estimator.prototypes_,
            np.array(spreads),
            estimator.ranges_,
        )

    def frame(self) -> pd.DataFrame:
        """One row per feature and class, best feature first, in the units of the data."""
        order = np.argsort(-self.scores, kind="stable")
        n_classes = len(self.classes)
        bounds = np.concatenate([self.prototypes, self.spreads], axis=2)[:, order]
        ends = bounds.transpose(1, 0, 2).reshape(-1, 4)
        columns = ("lower", "upper", "spread_lower", "spread_upper")
        return pd.DataFrame(
            {
                "feature": np.repeat(self.names[order], n_classes),
                "score": np.repeat(self.scores[order], n_classes),
                "class": np.tile(self.classes, len(order)),
                **dict(zip(columns, ends.T, strict=True)),
            }
        )

    def plot(self, ax: Any = None, *, n_features: int = 15) -> IntervalDisplay:
        """Draw the bars of the features with the largest scores.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        n_features : int, default=15
            How many features to draw; a line says how many were left out.
        """
        order = np.argsort(-self.scores, kind="stable")[:n_features]
        n_classes = len(self.classes)
        ax = new_axes(ax, (8.0, 1.2 + len(order) * (0.25 + 0.14 * n_classes)))
        height = 0.8 / n_classes
        for c, colour in enumerate(class_colours(n_classes, ordered=False)):
            rows = np.arange(len(order)) + (c - (n_classes - 1) / 2) * height
            self._draw_class(ax, c, order, rows, height, colour)
        ax.set_yticks(np.arange(len(order)), [self._describe(f) for f in order])
        ax.set_ylim(len(order) - 0.45, -0.55)
        ax.set_xlim(-0.01, 1.01)
        ax.set_xlabel(
            "position in the range of the feature:\nprototypes, and 5 to 95 % of the data"
        )
        legend(ax, loc="upper left", bbox_to_anchor=(1, 1), title="class")
        if len(order) < len(self.scores):
            note(ax, f"not shown: {len(self.scores) - len(order)} features")
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_class(
        self, ax: Any, c: int, order: np.ndarray, rows: np.ndarray, height: float, colour: Any
    ) -> None:
        """Bars and thin lines of one class."""
        low, high = self.ranges[order].T
        span = np.where(high > low, high - low, 1.0)
        left, right = ((self.prototypes[c, order] - low[:, None]) / span[:, None]).T
        start, end = ((self.spreads[c, order] - low[:, None]) / span[:, None]).T
        ax.hlines(rows, start, end, color=colour, linewidth=1)
        # Prototypes of points have no width: still to be seen.
        widths = np.maximum(right - left, 0.006)
        ax.barh(rows, widths, left=left, height=0.8 * height, color=colour,
                label=label(self.classes[c]))  # fmt: skip

    def _describe(self, feature: int) -> str:
        return f"{label(self.names[feature])}\n{self.scores[feature]:+.3f}"


def _spread(values: np.ndarray) -> np.ndarray:
    """Quantile of the lower and of the upper bounds of every feature; NaN where none is there."""
    ends = np.full((values.shape[1], 2), np.nan)
    for f in range(values.shape[1]):
        there = values[~np.isnan(values[:, f, 0]), f]
        if len(there):
            ends[f] = np.quantile(there[:, 0], SPREAD[0]), np.quantile(there[:, 1], SPREAD[1])
    return ends
