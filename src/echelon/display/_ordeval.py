"""Reinforcement factors of the values of ordered features, beside those of shuffled values."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as briefly
from typing import Any

import numpy as np
import pandas as pd

from echelon.display import style

COLUMNS = ("feature", "value", "n", "kind", "factor", "low", "median", "high")
KINDS = ("downward", "upward", "anchoring")
"""From left to right."""
COLOURS = (style.VERMILION, style.BLUE, style.APART[2])
WIDTH, GAP = 1.0, 0.18
"""Of one kind of factor, and between two of them."""
STARTS = [place * (WIDTH + GAP) for place in range(len(KINDS))]
"""Where the axis of every kind begins."""
ROWS_BETWEEN = 1.3
"""Empty rows between two features."""


class OrdEvalDisplay(style.Picture):
    """Factors as bars, value by value; lines show what shuffled values reach.

    Three columns: how often the outcome falls when the feature steps down to a value, rises when
    it steps up to it, and stays when it stays.  A full bar ends beyond the line, a pale one does
    not; the tick on the line is the median of shuffled values.  A feature that goes against the
    outcome is marked as reversed.

    Parameters
    ----------
    table : DataFrame
        As :meth:`echelon.OrdEval.frame` gives it: ``feature``, ``value``, ``n``, ``kind``,
        ``factor``, ``low``, ``median``, ``high``, and ``reversed`` (without it, nothing is marked).

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import OrdEval
    >>> from echelon.display import OrdEvalDisplay
    >>> X = np.random.default_rng(0).integers(1, 6, (200, 3))
    >>> analysis = OrdEval(random_state=0).fit(X, X[:, 0] + (X[:, 1] > 4))
    >>> OrdEvalDisplay.from_estimator(analysis).frame()["feature"].unique().tolist()
    [0, 1, 2]
    """

    def __init__(self, table: pd.DataFrame):
        lacking = [name for name in COLUMNS if name not in getattr(table, "columns", ())]
        if lacking or not isinstance(table, pd.DataFrame):
            raise TypeError(
                f"`table` must be what OrdEval.frame returns, got {briefly(table)}, without "
                f"{', '.join(lacking) or 'pandas'}."
            )
        self.table = table

    @classmethod
    def from_estimator(cls, estimator: Any, features: Sequence | None = None) -> OrdEvalDisplay:
        """The display of a fitted ``OrdEval``.

        Parameters
        ----------
        estimator : OrdEval
            Fitted.
        features : sequence, default=None
            Names of the features to show (numbers, if they have none), in this order.  None: all
            with factors, as they come in the data.
        """
        if not hasattr(estimator, "frame"):
            raise TypeError(
                f"`estimator` must be a fitted OrdEval, got {briefly(estimator)}. Show scores with "
                "ScoresDisplay."
            )
        table = estimator.frame()
        if features is None:
            return cls(table)
        unknown = [each for each in features if each not in set(table["feature"])]
        if unknown:
            raise ValueError(
                f"`features` must name features that have factors, got {unknown[0]!r}. Choose "
                f"among {', '.join(map(str, table['feature'].unique()))}."
            )
        return cls(pd.concat([table[table["feature"] == each] for each in features]))

    def frame(self) -> pd.DataFrame:
        """One row per feature, value and factor, with the quantiles of shuffled values."""
        return self.table.reset_index(drop=True)

    def plot(self, ax: Any = None, *, n_features: int = 6) -> OrdEvalDisplay:
        """Draw the bars of some features, one below the other.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        n_features : int, default=6
            Number of features to draw; a line states how many were omitted.
        """
        names = self.table["feature"].unique()
        rows = self._rows(names[:n_features])
        ax = style.new_axes(ax, (8.0, 1.4 + 0.27 * (rows["row"].max() if len(rows) else 1)))
        for kind, colour, start in zip(KINDS, COLOURS, STARTS, strict=True):
            part = rows[rows["kind"] == kind].dropna(subset="factor")
            self._draw(ax, part, start, colour)
            ax.text(start, -1.6, kind, color=colour, va="center")
        self._label(ax, rows)
        style.note(ax, style.not_shown(len(names) - n_features))
        return self._finish(ax)

    def _rows(self, names: np.ndarray) -> pd.DataFrame:
        """The table with the row of the picture every value stands in."""
        parts, first = [], 0.0
        for name in names:
            part = self.table[self.table["feature"] == name]
            values = list(dict.fromkeys(part["value"]))
            parts.append(part.assign(row=[first + values.index(v) for v in part["value"]]))
            first += len(values) + ROWS_BETWEEN
        return pd.concat(parts) if parts else self.table.assign(row=0.0)

    def _draw(self, ax: Any, part: pd.DataFrame, left: float, colour: str) -> None:
        """One kind of factor: bars from its own zero, and the lines of shuffled values."""
        beyond = part["factor"] > part["high"]
        for stands_out, alpha in ((True, 1.0), (False, 0.35)):
            some = part[beyond == stands_out]
            ax.barh(some["row"], some["factor"], left=left, height=0.72, color=colour, alpha=alpha)
        lines = part.dropna(subset="low")
        ax.hlines(lines["row"], left + lines["low"], left + lines["high"], "black", linewidth=1.2)
        ax.plot(left + lines["median"], lines["row"], "|", color="black", markersize=6)
        ax.axvline(left, color=style.GREY, linewidth=0.8)

    def _label(self, ax: Any, rows: pd.DataFrame) -> None:
        """Values on the left, names above them, and one scale per kind."""
        values = rows.drop_duplicates("row")
        names = [style.short(value, 18) for value in values["value"]]
        ax.set_yticks(values["row"], names, fontsize=style.NOTE_SIZE)
        for name, part in values.groupby("feature", sort=False):
            above = part["row"].min() - 0.82
            turned = "reversed" in part and part["reversed"].any()
            shown = style.short(name) + (" (reversed)" if turned else "")
            ax.text(-0.02, above, shown, ha="right", va="center", weight="bold")
        ax.set_ylim(values["row"].max() + 0.6 if len(values) else 1, -2.1)
        ticks = [start + x for start in STARTS for x in (0, 0.5, 1)]
        ax.set_xticks(ticks, ["0", ".5", "1"] * len(KINDS), fontsize=style.NOTE_SIZE)
        ax.set_xlim(-0.02, STARTS[-1] + WIDTH + 0.02)
        ax.set_xlabel("share of steps that the outcome takes too;\nlines: shuffled values")
