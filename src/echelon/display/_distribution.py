"""How the best features are distributed in every class."""

from __future__ import annotations

from collections.abc import Sequence
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
from echelon.targets import read_target
from echelon.validation import as_frame


class DistributionDisplay(Picture):
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
        _parts.one_per_name(self.names, features=self.features)
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
            Where to draw; None: a new figure.
        n_features : int, default=12
            How many features to draw; a line says how many were left out.
        """
        shown = list(zip(self.names, self.features, strict=True))[:n_features]
        drawn = drawn_classes(self.classes)
        ax = new_axes(ax, (8.5, 1.3 + len(shown) * (0.28 + 0.13 * len(drawn))))
        height = 0.82 / len(drawn)
        colours = class_colours(len(drawn), ordered=self.classes.ordered)
        for place, (c, colour) in enumerate(zip(drawn, colours, strict=True)):
            shift = (place - (len(drawn) - 1) / 2) * height
            for row, (_, feature) in enumerate(shown):
                _draw(ax, feature, c, row + shift, height, colour)
        ax.set_yticks(np.arange(len(shown)), [_row_name(*each) for each in shown])
        ax.set_ylim(len(shown) - 0.45, -0.55)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xticks([0, 1], ["lowest", "highest"])
        self._explain(ax, drawn, colours, self.n_features - len(shown))
        plain(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _explain(self, ax: Any, drawn: list[int], colours: list, n_hidden: int) -> None:
        from matplotlib.patches import Patch

        handles = [
            Patch(color=colour, label=label(self.classes.labels[c], 20))
            for c, colour in zip(drawn, colours, strict=True)
        ]
        title = "class" if len(drawn) == len(self.classes.labels) else "class (some)"
        legend(ax, handles=handles, loc="upper left", bbox_to_anchor=(1, 1), title=title)
        ax.set_xlabel("median, middle half and 5 to 95 % of every class")
        if n_hidden > 0:
            note(ax, f"not shown: {n_hidden:,} features")


def _row_name(name: Any, feature: ByClass) -> str:
    """The name, and for a nominal feature its labels from strong to faint."""
    if feature.labels is None:
        return label(name)
    return label(name) + "\n" + label(" | ".join(feature.labels))


def _draw(ax: Any, feature: ByClass, c: int, row: float, height: float, colour: str) -> None:
    """One class of one feature."""
    if feature.quantiles is None:
        _draw_shares(ax, feature.shares[c], row, height, colour)  # type: ignore[index]
        return
    low, q1, median, q3, high = scaled(feature.quantiles)[c]
    if np.isnan(median):
        return
    ax.hlines(row, low, high, color=colour, linewidth=1)
    ax.barh(row, max(q3 - q1, 0.004), left=q1, height=0.75 * height, color=colour)
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
