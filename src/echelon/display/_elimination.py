"""What backward elimination loses, against the features removed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon.display import _parts
from echelon.display.style import BLUE, VERMILION, Picture, new_axes, note, plain


class EliminationDisplay(Picture):
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
        Number of features that were kept, marked by a line.
    guess : float, default=None
        Accuracy of guessing the most frequent class, marked by a line: below it, the order of the
        features left says nothing.

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
        self.n_features = _parts.whole("n_features", n_features, 1)
        self.divergence = _parts.numbers("divergence", divergence, (None,))
        self.accuracy = None
        if accuracy is not None:
            self.accuracy = _parts.numbers("accuracy", accuracy, (len(self.divergence) + 1,))
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
        frame = pd.DataFrame(
            {
                "removed": removed,
                "left": self.n_features - removed,
                "divergence": np.append(0.0, self.divergence),
            }
        )
        if self.accuracy is not None:
            frame["accuracy"] = self.accuracy
        return frame

    def plot(self, ax: Any = None, *, last: int | None = None) -> EliminationDisplay:
        """Draw the divergence and, on an axis of its own, the accuracy.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        last : int, default=None
            Draw sets of at most so many features; None: those with an accuracy, or all.
        """
        frame = self.frame()
        if last is None and self.accuracy is not None:
            measured = frame.loc[frame["accuracy"].notna(), "left"]
            last = int(measured.max()) if len(measured) else None
        shown = frame if last is None else frame[frame["left"] <= last]
        ax = new_axes(ax, (7.0, 4.0))
        ax.plot(shown["removed"], shown["divergence"], color=BLUE, marker=".", markersize=4)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(f"features removed, of {self.n_features}")
        ax.set_ylabel("divergence", color=BLUE)
        ax.set_ylim(bottom=0)
        self._mark(ax)
        plain(ax)
        self.ax_accuracy_ = None if self.accuracy is None else _beside(ax, shown, self.guess)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _mark(self, ax: Any) -> None:
        """A line where elimination could stop."""
        if self.n_kept is not None:
            ax.axvline(self.n_features - self.n_kept, color="black", linestyle="--", linewidth=1)
            note(ax, f"dashed: {self.n_kept} features kept")


def _beside(ax: Any, shown: pd.DataFrame, guess: float | None) -> Any:
    """The accuracy, on an axis at the right, and what guessing reaches."""
    other = ax.twinx()
    other.plot(shown["removed"], shown["accuracy"], color=VERMILION, marker=".", markersize=4)
    if guess is not None:
        other.axhline(guess, color=VERMILION, linestyle=":", linewidth=1.2)
        other.annotate(
            "guessing", (0.01, guess), (0, 2), color=VERMILION, fontsize="small",
            xycoords=("axes fraction", "data"), textcoords="offset points",
        )  # fmt: skip
    size = ax.yaxis.label.get_fontsize()
    other.set_ylabel("accuracy, cross-validated", color=VERMILION, fontsize=size)
    other.tick_params(labelsize=size)
    other.set_ylim(0, 1.02)
    other.spines[["top", "left"]].set_visible(False)
    return other
