"""Weights of evidence of the bins of features, for two classes."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as briefly
from typing import Any

import numpy as np
import pandas as pd

from echelon._core.words import bin_label
from echelon.display import style

COLUMNS = ("feature", "start", "category", "samples", "class", "weight_of_evidence", "information")
ROWS_BETWEEN = 1.3
"""Empty rows between two features."""


class WeightsOfEvidenceDisplay(style.Picture):
    """Weights of evidence as bars, bin by bin, for the features with the most information.

    Parameters
    ----------
    table : DataFrame
        As :meth:`echelon.InformationValue.frame` gives it, for two classes.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import InformationValue
    >>> from echelon.display import WeightsOfEvidenceDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, (200, 2))
    >>> fitted = InformationValue().fit(X, X[:, 1] + rng.normal(size=200) > 1)
    >>> shown = WeightsOfEvidenceDisplay.from_estimator(fitted).frame()
    >>> shown[["feature", "bin", "weight_of_evidence"]].head(3).round(1)
       feature           bin  weight_of_evidence
    0        1       below 1                -1.8
    1        1  1 to below 2                -0.1
    2        1     2 or more                 1.3
    """

    def __init__(self, table: pd.DataFrame):
        lacking = [name for name in COLUMNS if name not in getattr(table, "columns", ())]
        if lacking or not isinstance(table, pd.DataFrame):
            raise TypeError(
                f"`table` must be what InformationValue.frame returns, got {briefly(table)}, "
                f"without {', '.join(lacking) or 'pandas'}."
            )
        classes = table["class"].unique()
        if len(classes) > 1:
            raise ValueError(
                f"`table` must be of two classes, got weights of {len(classes)}. Fit to two of "
                "them."
            )
        self.table = table

    @classmethod
    def from_estimator(
        cls, estimator: Any, features: Sequence | None = None
    ) -> WeightsOfEvidenceDisplay:
        """The display of a fitted ``InformationValue``.

        Parameters
        ----------
        estimator : InformationValue
            Fitted, for two classes.
        features : sequence, default=None
            Names of the features to show (numbers, if they have none).  None: all of them.
        """
        if not hasattr(estimator, "weights_of_evidence_"):
            raise TypeError(
                f"`estimator` must be a fitted InformationValue, got {briefly(estimator)}. Show "
                "scores with ScoresDisplay."
            )
        table = estimator.frame()
        if features is None:
            return cls(table)
        unknown = [each for each in features if each not in set(table["feature"])]
        if unknown:
            raise ValueError(
                f"`features` must name features of the fit, got {unknown[0]!r}. Choose among "
                f"{', '.join(map(str, table['feature'].unique()))}."
            )
        return cls(table[table["feature"].isin(list(features))])

    def frame(self) -> pd.DataFrame:
        """One row per feature and bin, the feature with the most information first."""
        total = self.table.groupby("feature", sort=False)["information"].sum()
        order = total.sort_values(ascending=False, kind="stable").index
        parts = []
        for name in order:
            part = self.table[self.table["feature"] == name]
            starts = [None if pd.isna(start) else start for start in part["start"]]
            labels = [
                bin_label({"start": start, "end": end, "category": category}, place)
                for place, (start, end, category) in enumerate(
                    zip(starts, [*starts[1:], None], part["category"], strict=True)
                )
            ]
            parts.append(part.assign(bin=labels))
        return pd.concat(parts, ignore_index=True)

    def plot(self, ax: Any = None, *, n_features: int = 6) -> WeightsOfEvidenceDisplay:
        """Draw the bars of the features with the most information, one below the other.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        n_features : int, default=6
            Number of features to draw; a line states how many were omitted.
        """
        table = self.frame()
        names = table["feature"].unique()
        table = table[table["feature"].isin(names[:n_features])]
        gaps = (table["feature"] != table["feature"].shift()).cumsum() - 1
        rows = np.arange(len(table)) + ROWS_BETWEEN * gaps.to_numpy()
        ax = style.new_axes(ax, (7.0, 1.4 + 0.27 * (rows[-1] + 1)))
        weights = table["weight_of_evidence"].to_numpy()
        ax.barh(
            rows, weights, height=0.72, color=np.where(weights > 0, style.BLUE, style.VERMILION)
        )
        ax.axvline(0, color="black", linewidth=0.8)
        labels = [
            f"{style.short(label, 22)}  (n={n:,})"
            for label, n in zip(table["bin"], table["samples"], strict=True)
        ]
        ax.set_yticks(rows, labels, fontsize=style.NOTE_SIZE)
        for name, first in zip(names, rows[gaps.diff().fillna(1).to_numpy() > 0], strict=False):
            ax.text(-0.02, first - 0.82, style.short(name), ha="right", va="center", weight="bold",
                    transform=ax.get_yaxis_transform())  # fmt: skip
        ax.set_ylim(rows[-1] + 0.6, -1.6)
        ax.set_xlabel(f"weight of evidence of {table['class'].iloc[0]}")
        style.note(ax, style.not_shown(len(names) - n_features))
        return self._finish(ax)
