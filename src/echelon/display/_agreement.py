"""How far selections agree: rankings of several methods, and sets selected from resamples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from echelon.display import style


class AgreementDisplay(style.Picture):
    """Agreement between the rankings of several methods, every pair a cell.

    Above the diagonal the rank correlation over all features (Spearman's rho, ties sharing their
    mean rank), below it the overlap of the best features: how many the two sets have in common,
    divided by how many there are in either (Jaccard's index).

    Parameters
    ----------
    methods : sequence of str
        Names of the methods.
    correlation : ndarray of shape (n_methods, n_methods)
        Rank correlations; NaN where a ranking is constant.
    overlap : ndarray of shape (n_methods, n_methods)
        Overlaps of the best features.
    n_best : int
        How many features the overlap is about.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import AgreementDisplay
    >>> rankings = {"a": [1, 2, 3, 4], "b": [2, 1, 3, 4], "c": [4, 3, 2, 1]}
    >>> AgreementDisplay.from_rankings(rankings, n_best=2).frame().round(2)
      method other  rank_correlation  overlap
    0      a     b               0.8      1.0
    1      a     c              -1.0      0.0
    2      b     c              -0.8      0.0
    """

    def __init__(self, methods: Any, correlation: Any, overlap: Any, n_best: int):
        self.methods = list(methods)
        square = (len(self.methods), len(self.methods))
        self.correlation = style.numbers("correlation", correlation, square)
        self.overlap = style.numbers("overlap", overlap, square)
        self.n_best = style.whole("n_best", n_best, 1)

    @classmethod
    def from_rankings(cls, rankings: Mapping[str, Any], *, n_best: int = 10) -> AgreementDisplay:
        """The display of rankings such as ``ranking_`` of fitted selectors.

        Parameters
        ----------
        rankings : dict of str to array-like of shape (n_features,)
            Ranks of the features by every method, 1 = best.
        n_best : int, default=10
            How many of the best features to compare; with fewer features, half of them.
        """
        if not isinstance(rankings, Mapping):
            raise TypeError(f"`rankings` must be a dict of rankings by name, got {rankings!r}.")
        n_best = style.whole("n_best", n_best, 1)
        shapes = {np.shape(ranking) for ranking in rankings.values()}
        if len(shapes) != 1 or len(*shapes) != 1:
            raise ValueError(
                "`rankings` must hold one ranking or more, all of the same features, got "
                f"{ {name: np.shape(ranking) for name, ranking in rankings.items()} } as shapes."
            )
        ranks = np.array([rankdata(ranking) for ranking in rankings.values()])
        n_features = ranks.shape[1]
        if n_best >= n_features:
            n_best = max(1, n_features // 2)
        best = np.zeros(ranks.shape, dtype=bool)
        np.put_along_axis(best, np.argsort(ranks, axis=1, kind="stable")[:, :n_best], True, axis=1)
        common = best.astype(int) @ best.T.astype(int)
        centred = ranks - ranks.mean(axis=1, keepdims=True)
        products = centred @ centred.T
        norms = np.sqrt(np.outer(np.diag(products), np.diag(products)))
        correlation = np.divide(products, norms, where=norms > 0, out=np.full(norms.shape, np.nan))
        return cls(list(rankings), correlation, common / (2 * n_best - common), n_best)

    def frame(self) -> pd.DataFrame:
        """One row per pair of methods."""
        pairs = np.triu_indices(len(self.methods), k=1)
        names = np.array(self.methods, dtype=object)
        return pd.DataFrame(
            {
                "method": names[pairs[0]],
                "other": names[pairs[1]],
                "rank_correlation": self.correlation[pairs],
                "overlap": self.overlap[pairs],
            }
        )

    def plot(self, ax: Any = None) -> AgreementDisplay:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        """
        n_methods = len(self.methods)
        ax = style.new_axes(ax, (3.4 + 0.75 * n_methods, 2.2 + 0.62 * n_methods))
        cells = np.where(np.triu(np.ones(self.overlap.shape, bool)), self.correlation, self.overlap)
        lowest = np.fmin.reduce(cells, axis=None, initial=0.0)
        image = ax.imshow(cells, cmap="cividis", vmin=lowest, vmax=1, aspect="auto")
        for (row, column), value in np.ndenumerate(cells):
            if row != column and not np.isnan(value):
                ink = "white" if image.norm(value) < 0.55 else "black"
                ax.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink,
                        fontsize=style.NOTE_SIZE)  # fmt: skip
        names = [style.short(name, 26) for name in self.methods]
        ax.set_xticks(range(n_methods), names, rotation=40, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(n_methods), names)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.03)
        style.note(ax, f"above: rank correlation\nbelow: overlap of the best {self.n_best}")
        return self._finish(ax)


class StabilityDisplay(style.FeatureRows):
    """Selection frequencies as bars, the most frequent feature on top.

    Parameters
    ----------
    names : array-like of shape (n_features,)
        Names of the features.
    frequency : array-like of shape (n_features,)
        Share of the resamples in which a feature was selected.
    stability : float, default=None
        Nogueira's index, for the title.
    confidence_interval : tuple of two floats, default=None
        Its confidence interval.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import StabilityDisplay
    >>> StabilityDisplay(["age", "bmi", "bp"], [0.1, 1.0, 0.6]).frame()
      feature  frequency
    0     bmi        1.0
    1      bp        0.6
    2     age        0.1
    """

    def __init__(
        self,
        names: Any,
        frequency: Any,
        stability: float | None = None,
        confidence_interval: tuple[float, float] | None = None,
    ):
        self.names = style.read_names(names)
        self.frequency = style.numbers("frequency", frequency, (None,))
        style.one_per_name(self.names, frequency=self.frequency)
        self.stability = None if stability is None else float(stability)
        self.confidence_interval = confidence_interval
        if confidence_interval is not None:
            style.numbers("confidence_interval", confidence_interval, (2,))

    @classmethod
    def from_stability(cls, result: Any) -> StabilityDisplay:
        """The display of what :func:`echelon.evaluation.selection_stability` returned.

        Parameters
        ----------
        result : SelectionStability
            Frequencies and stability.
        """
        parts = ("names", "frequency", "stability", "confidence_interval")
        return cls(*style.parts_of("result", result, "selection_stability", parts))

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first."""
        return style.largest_first(
            {"feature": self.names, "frequency": self.frequency}, "frequency"
        )

    def _draw(self, ax: Any, shown: pd.DataFrame, rest: pd.DataFrame) -> None:
        ax.barh(shown.index, shown["frequency"], height=0.62, color=style.BLUE)
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of the resamples that select it")
        said = [style.not_shown(len(rest))]
        if self.confidence_interval is not None:
            said.insert(0, "({:.2f} to {:.2f})".format(*self.confidence_interval))
        if self.stability is not None:
            said.insert(0, f"stability {self.stability:.2f}")
        style.note(ax, "  ".join(filter(None, said)))
