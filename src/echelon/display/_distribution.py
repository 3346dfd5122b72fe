"""How features are distributed in every class: values, labels, or intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.by_class import (
    QUANTILES,
    ByClass,
    Classes,
    classes_of,
    describe,
    drawn_classes,
    scaled,
)
from echelon.data import as_frame
from echelon.display import style
from echelon.intervals import read_intervals
from echelon.targets import read_target

SPREAD = (0.05, 0.95)
"""Quantiles of lower and of upper bounds between which the thin line of a class runs."""
FILLED = 0.82
"""Share of the height of a row that its classes fill."""


class DistributionDisplay(style.Picture):
    """Distributions of features, class by class.

    A bar covers the middle half of the values of a class, a line 5 to 95 % of them, a dot is the
    median; every feature has its own scale.  Ordered classes go from dark to light.  For a nominal
    feature a bar is divided by the shares of its labels.  A numeric target is divided into
    quarters.

    Parameters
    ----------
    names : sequence
        Names of the features, best first.
    classes : Classes
        Labels of the classes, lowest first, and the class of every sample.
    features : sequence of ByClass
        What every feature is in every class.
    n_features : int, default=None
        How many features there are in the data; None: as many as names.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon.display import DistributionDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = DistributionDisplay.from_data(X, y, features=["petal width (cm)"])
    >>> display.frame()[["feature", "class", "present", "q25", "q50", "q75"]]
                feature  class  present  q25  q50  q75
    0  petal width (cm)      0       50  0.2  0.2  0.3
    1  petal width (cm)      1       50  1.2  1.3  1.5
    2  petal width (cm)      2       50  1.8  2.0  2.3
    """

    def __init__(
        self,
        names: Sequence[Any],
        classes: Classes,
        features: Sequence[ByClass],
        n_features: int | None = None,
    ):
        self.names = list(names)
        if not isinstance(classes, Classes):
            raise TypeError(
                f"`classes` must be what from_data makes of y, got {classes!r}. Use from_data."
            )
        self.classes = classes
        self.features = list(features)
        style.one_per_name(self.names, features=self.features)
        self.n_features = len(self.names) if n_features is None else n_features

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, features: Sequence | None = None, class_order: Any = None
    ) -> DistributionDisplay:
        """The display of some columns of a table.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Classes, or numbers.
        features : sequence, default=None
            Columns to show, best first: names, or numbers if X is an array.  None: the first 12.
        class_order : sequence, default=None
            Classes from lowest to highest.
        """
        table = as_frame(X)
        shown = list(table.columns[:12] if features is None else features)
        unknown = [name for name in shown if name not in table.columns]
        if unknown:
            raise ValueError(f"`features` must be columns of `X`, got {unknown[0]!r}.")
        check_consistent_length(table, y)
        classes = classes_of(read_target(y, class_order=class_order))
        described = [describe(table[name], classes) for name in shown]
        return cls(shown, classes, described, table.shape[1])

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_features: int = 12
    ) -> DistributionDisplay:
        """The display of the best features of a fitted selector.

        Parameters
        ----------
        estimator : selector
            Fitted, with ``order_``.
        X : DataFrame or array of shape (n_samples, n_features)
            The samples it was fitted to.
        y : array-like of shape (n_samples,)
            Classes, or numbers.
        n_features : int, default=12
            How many of the best features to show.
        """
        check_is_fitted(estimator, "order_")
        table = as_frame(X)
        validate_data(estimator, X, reset=False, skip_check_array=True)
        best = table.columns[estimator.order_[:n_features]]
        class_order = getattr(estimator, "class_order", None)
        return cls.from_data(table, y, features=best.tolist(), class_order=class_order)

    def frame(self) -> pd.DataFrame:
        """One row per feature and class: quantiles of numbers; per label too for labels."""
        rows: list[dict[str, Any]] = []
        for name, feature in zip(self.names, self.features, strict=True):
            for c, class_label in enumerate(self.classes.labels):
                row = {"feature": name, "class": class_label, "present": feature.present[c]}
                if feature.quantiles is not None:
                    columns = [f"q{round(100 * q):02d}" for q in QUANTILES]
                    rows.append(row | dict(zip(columns, feature.quantiles[c], strict=True)))
                else:
                    shares = zip(feature.labels, feature.shares[c], strict=True)  # type: ignore[arg-type,index]
                    rows += [row | {"label": text, "share": share} for text, share in shares]
        return pd.DataFrame(rows)

    def plot(self, ax: Any = None, *, n_features: int = 12) -> DistributionDisplay:
        """Draw the first features.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        n_features : int, default=12
            Number of features to draw; a line states how many were omitted.
        """
        shown = list(zip(self.names, self.features, strict=True))[:n_features]
        drawn = drawn_classes(self.classes)
        ax, rows = _class_rows(ax, [_row_name(*each) for each in shown], len(drawn))
        colours = style.class_colours(len(drawn), ordered=self.classes.ordered)
        height = FILLED / len(drawn)
        for c, colour, places in zip(drawn, colours, rows, strict=True):
            for row, (_, feature) in zip(places, shown, strict=True):
                _draw(ax, feature, c, row, height, colour)
        ax.set_xticks([0, 1], ["lowest", "highest"])
        ax.set_xlabel("median, middle half and 5 to 95 % of every class")
        title = "class" if len(drawn) == len(self.classes.labels) else "class (some)"
        _class_legend(ax, [self.classes.labels[c] for c in drawn], colours, title)
        style.note(ax, style.not_shown(self.n_features - len(shown)))
        return self._finish(ax)


class IntervalDisplay(style.Picture):
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
        self.names = style.read_names(names)
        self.classes = np.asarray(classes)
        n_classes, n_features = len(self.classes), len(self.names)
        self.scores = style.numbers("scores", scores, (None,))
        self.prototypes = style.numbers("prototypes", prototypes, (n_classes, n_features, 2))
        self.spreads = style.numbers("spreads", spreads, (n_classes, n_features, 2))
        self.ranges = style.numbers("ranges", ranges, (n_features, 2))
        style.one_per_name(self.names, scores=self.scores)

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
        values, labels = read_intervals(X, allow_nan=True).values, np.asarray(y)
        spreads = [_spread(values[labels == c]) for c in estimator.classes_]
        return cls(
            style.names_in(estimator),
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
            Axes to draw on; None: a new figure.
        n_features : int, default=15
            Number of features to draw; a line states how many were omitted.
        """
        order = np.argsort(-self.scores, kind="stable")[:n_features]
        n_classes = len(self.classes)
        names = [f"{style.short(self.names[f])}\n{self.scores[f]:+.3f}" for f in order]
        ax, rows = _class_rows(ax, names, n_classes)
        colours = style.class_colours(n_classes, ordered=False)
        low, high = self.ranges[order].T[:, :, None]
        span = np.where(high > low, high - low, 1.0)
        for c, colour in enumerate(colours):
            bars = ((self.prototypes[c, order] - low) / span).T
            lines = ((self.spreads[c, order] - low) / span).T
            _draw_ranges(ax, rows[c], bars, lines, FILLED / n_classes, colour)
        ax.set_xlabel(
            "position in the range of the feature:\nprototypes, and 5 to 95 % of the data"
        )
        _class_legend(ax, self.classes, colours, "class")
        style.note(ax, style.not_shown(len(self.scores) - len(order)))
        return self._finish(ax)


def _spread(values: np.ndarray) -> np.ndarray:
    """Quantile of the lower and of the upper bounds of every feature; NaN where none is there."""
    ends = np.full((values.shape[1], 2), np.nan)
    for f in range(values.shape[1]):
        there = values[~np.isnan(values[:, f, 0]), f]
        if len(there):
            ends[f] = np.quantile(there[:, 0], SPREAD[0]), np.quantile(there[:, 1], SPREAD[1])
    return ends


# ------------------------------------------------------------------------------ what both draw


def _class_rows(ax: Any, names: Sequence[str], n_classes: int) -> tuple[Any, np.ndarray]:
    """Axes with a row per feature, and where in it every class is: (n_classes, n_features)."""
    ax = style.new_axes(ax, (8.5, 1.3 + len(names) * (0.28 + 0.13 * n_classes)))
    style.label_rows(ax, names)
    ax.set_xlim(-0.02, 1.02)
    shifts = (np.arange(n_classes) - (n_classes - 1) / 2) * FILLED / n_classes
    return ax, shifts[:, None] + np.arange(len(names))


def _class_legend(ax: Any, labels: Iterable[Any], colours: Sequence[str], title: str) -> None:
    named = zip([style.short(each, 20) for each in labels], colours, strict=True)
    style.legend(ax, named, loc="upper left", bbox_to_anchor=(1, 1), title=title)


def _draw_ranges(ax: Any, rows: Any, bar: Any, line: Any, height: float, colour: str) -> None:
    """Thick bars on thin lines; a bar without a width is still to be seen."""
    ax.hlines(rows, *line, color=colour, linewidth=1)
    ax.barh(rows, np.maximum(bar[1] - bar[0], 0.005), left=bar[0], height=0.75 * height,
            color=colour)  # fmt: skip


def _row_name(name: Any, feature: ByClass) -> str:
    """The name, and for a nominal feature its labels from strong to faint."""
    if feature.labels is None:
        return style.short(name)
    return style.short(name) + "\n" + style.short(" | ".join(feature.labels))


def _draw(ax: Any, feature: ByClass, c: int, row: float, height: float, colour: str) -> None:
    """One class of one feature."""
    if feature.quantiles is None:
        _draw_shares(ax, feature.shares[c], row, height, colour)  # type: ignore[index]
        return
    low, q1, median, q3, high = scaled(feature.quantiles)[c]
    if np.isnan(median):
        return
    _draw_ranges(ax, row, (q1, q3), (low, high), height, colour)
    ax.plot(median, row, "o", markersize=3.5, color="white", markeredgecolor="black",
            markeredgewidth=0.6)  # fmt: skip


def _draw_shares(ax: Any, shares: np.ndarray, row: float, height: float, colour: str) -> None:
    """A bar divided by the shares of the labels, fainter from label to label."""
    left = 0.0
    for place, share in enumerate(shares):
        strength = 1 - 0.8 * place / max(len(shares) - 1, 1)
        ax.barh(row, share, left=left, height=0.75 * height, color=colour, alpha=strength,
                edgecolor="white", linewidth=0.8)  # fmt: skip
        left += share
