"""Scores against the number of features, kept by a ranking or left by backward elimination."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.significance import standard_error
from echelon.display import style

SIZE = (7.0, 4.0)


class FeatureCurveDisplay(style.Picture):
    """Mean score against the number of features, with its standard error.

    The band is one standard error to either side of the mean, corrected for overlapping training
    sets.  Lines mark the smallest size with the best mean, the smallest one within a standard
    error of it, and the one that was selected.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of features, ascending.
    scores : array-like of shape (n_sizes, n_folds)
        Scores of the folds.
    best_size, one_se_size : int, default=None
        Sizes to mark.
    test_share : float, default=None
        Test samples per training sample; None: as if every sample were tested once.
    n_selected : int, default=None
        The size that was selected, to mark.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.

    Examples
    --------
    >>> from echelon.display import FeatureCurveDisplay
    >>> display = FeatureCurveDisplay([1, 2, 3], [[0.6, 0.7], [0.8, 0.9], [0.8, 0.8]], 2, 2)
    >>> display.frame().round(3)
       n_features  mean_score  standard_error
    0           1        0.65           0.087
    1           2        0.85           0.087
    2           3        0.80           0.000
    """

    def __init__(
        self,
        sizes: Any,
        scores: Any,
        best_size: int | None = None,
        one_se_size: int | None = None,
        test_share: float | None = None,
        n_selected: int | None = None,
    ):
        self.scores = style.numbers("scores", scores, (None, None))
        counts = style.numbers("sizes", sizes, (len(self.scores),))
        if not (np.isfinite(counts) & (np.abs(counts) < 2**53)).all():
            raise ValueError(f"`sizes` must hold numbers of features, got {counts.tolist()}.")
        self.sizes = counts.astype(int)
        self.best_size = best_size
        self.one_se_size = one_se_size
        self.test_share = test_share
        self.n_selected = n_selected

    @classmethod
    def from_curve(cls, curve: Any) -> FeatureCurveDisplay:
        """The display of what :func:`echelon.evaluation.feature_curve` returned.

        Parameters
        ----------
        curve : FeatureCurve
            Sizes and scores.
        """
        parts = ("sizes", "scores", "best_size", "one_se_size", "test_share")
        return cls(*style.parts_of("curve", curve, "feature_curve", parts))

    def frame(self) -> pd.DataFrame:
        """One row per size."""
        return pd.DataFrame(
            {
                "n_features": self.sizes,
                "mean_score": self.scores.mean(axis=1),
                "standard_error": standard_error(self.scores, self.test_share),
            }
        )

    def plot(self, ax: Any = None) -> FeatureCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        """
        ax = style.new_axes(ax, SIZE)
        size, mean, error = self.frame().to_numpy().T
        ax.fill_between(size, mean - error, mean + error, color=style.BLUE, alpha=0.2, linewidth=0)
        ax.plot(size, mean, color=style.BLUE, marker=".", markersize=5)
        for chosen, colour, dashes, rule in (
            (self.best_size, style.GREY, "-", "best mean"),
            (self.one_se_size, style.VERMILION, "--", "within one standard error"),
            (self.n_selected, style.VERMILION, "-", "selected"),
        ):
            if chosen is not None:
                ax.axvline(chosen, color=colour, linestyle=dashes, linewidth=1, zorder=0,
                           label=f"{rule}: {chosen}")  # fmt: skip
        if ax.get_legend_handles_labels()[0]:
            style.legend(ax, loc="lower right")
        if len(size) > 1 and np.ptp(np.diff(size)) > 1:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            ax.xaxis.set_minor_formatter("")
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("features selected")
        ax.set_ylabel(f"score: mean of {self.scores.shape[1]} folds\nand standard error")
        return self._finish(ax)


class EliminationDisplay(style.Picture):
    """Divergence, and accuracy, against the number of features removed.

    Parameters
    ----------
    n_features : int
        Number of features before elimination.
    divergence : array-like of shape (n_removed,)
        Divergence of the features left after each removal.
    accuracy : array-like of shape (n_removed + 1,), default=None
        Accuracy with all features and after each removal; NaN where it was not measured.
    n_kept : int, default=None
        Number of features that were selected, marked by a line.
    guess : float, default=None
        Accuracy of the baseline, the most frequent class, marked by a line: below it, the order of
        the features left says nothing.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by :meth:`plot`.
    ax_accuracy_ : matplotlib axes or None
        The axes of the accuracy, set by :meth:`plot`.

    Examples
    --------
    >>> from echelon import RankOrderSelector
    >>> from echelon.datasets import make_rank_order
    >>> from echelon.display import EliminationDisplay
    >>> X, y = make_rank_order(3, 10, 5, 0, random_state=1)
    >>> selector = RankOrderSelector().fit(X, y)
    >>> EliminationDisplay.from_estimator(selector, X, y).frame().tail(4).round(2)
       removed  left  divergence  accuracy
    4        4     4        0.00      0.97
    5        5     3        0.00      1.00
    6        6     2        0.46      0.67
    7        7     1        1.10       NaN
    """

    def __init__(
        self,
        n_features: int,
        divergence: Any,
        accuracy: Any = None,
        n_kept: int | None = None,
        guess: float | None = None,
    ):
        self.n_features = style.whole("n_features", n_features, 1)
        self.divergence = style.numbers("divergence", divergence, (None,))
        self.accuracy = None
        if accuracy is not None:
            self.accuracy = style.numbers("accuracy", accuracy, (len(self.divergence) + 1,))
        self.n_kept = n_kept
        self.guess = guess

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        classifier: Any = None,
        cv: Any = 5,
        last: int = 80,
    ) -> EliminationDisplay:
        """The display of a fitted ``RankOrderSelector``.

        Parameters
        ----------
        estimator : RankOrderSelector
            Fitted.
        X, y : array-like, default=None
            Samples and classes on which to measure the accuracy.  If they are those of the fit,
            the features have seen the test folds, and the accuracy is too high.
        classifier : classifier, default=None
            What is cross-validated; None: ``RankOrderClassifier()``.
        cv : int or splitter, default=5
            Folds of the cross-validation.
        last : int, default=80
            Measure the accuracy of sets of at most so many features, and of at least two, with a
            known value in every sample.
        """
        from echelon.rankorder import elimination_accuracy

        check_is_fitted(estimator, "path_")
        accuracy = guess = None
        if X is not None:
            if y is None:
                raise ValueError("`y` must be given with `X`, got None. Pass the classes.")
            accuracy = elimination_accuracy(
                estimator, X, y, classifier=classifier, cv=cv, last=last
            )
            counts = np.unique(np.asarray(y), return_counts=True)[1]
            guess = float(counts.max() / counts.sum())
        kept = int(estimator.support_.sum())
        return cls(estimator.n_features_in_, estimator.path_.divergence, accuracy, kept, guess)

    def frame(self) -> pd.DataFrame:
        """One row per number of features removed."""
        removed = np.arange(len(self.divergence) + 1)
        divergence = np.append(0.0, self.divergence)
        left = self.n_features - removed
        frame = pd.DataFrame({"removed": removed, "left": left, "divergence": divergence})
        return frame if self.accuracy is None else frame.assign(accuracy=self.accuracy)

    def plot(self, ax: Any = None, *, last: int | None = None) -> EliminationDisplay:
        """Draw the divergence and, on an axis of its own, the accuracy.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; None: a new figure.
        last : int, default=None
            Draw sets of at most so many features; None: those with an accuracy, or all.
        """
        shown = self.frame()
        if last is None and self.accuracy is not None:
            last = max(shown["left"][shown["accuracy"].notna()], default=None)
        if last is not None:
            shown = shown[shown["left"] <= last]
        ax = style.new_axes(ax, SIZE)
        ax.plot(shown["removed"], shown["divergence"], color=style.BLUE, marker=".", markersize=4)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(f"features removed, of {self.n_features}")
        ax.set_ylabel("divergence", color=style.BLUE)
        ax.set_ylim(bottom=0)
        if self.n_kept is not None:
            ax.axvline(self.n_features - self.n_kept, **style.DASHED)
            style.note(ax, f"dashed: {self.n_kept} features selected")
        self.ax_accuracy_ = None if self.accuracy is None else _beside(ax, shown, self.guess)
        return self._finish(ax)


def _beside(ax: Any, shown: pd.DataFrame, guess: float | None) -> Any:
    """The accuracy, on an axis at the right, and the baseline."""
    other = ax.twinx()
    other.plot(shown["removed"], shown["accuracy"], color=style.VERMILION, marker=".", markersize=4)
    if guess is not None:
        other.axhline(guess, color=style.VERMILION, linestyle=":", linewidth=1.2)
        other.annotate(
            "baseline", (0.01, guess), (0, 2), color=style.VERMILION, fontsize="small",
            xycoords=("axes fraction", "data"), textcoords="offset points",
        )  # fmt: skip
    size = ax.yaxis.label.get_fontsize()
    other.set_ylabel("accuracy, cross-validated", color=style.VERMILION, fontsize=size)
    other.tick_params(labelsize=size)
    other.set_ylim(0, 1.02)
    other.spines[["top", "left"]].set_visible(False)
    return other
