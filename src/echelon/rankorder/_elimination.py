"""Backward elimination of features by the order they keep within samples, and its accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import check_is_fitted

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import track
from echelon.base import BaseSelector
from echelon.data import Data
from echelon.rankorder._classifier import RankOrderClassifier
from echelon.rankorder._criteria import (
    CenterDistances,
    Criterion,
    GreedyKL,
    KollerSahami,
    Projection,
    Spoilers,
    on_grid,
)
from echelon.rankorder._orders import Orders, as_orders, read_orders
from echelon.targets import Target

_PATH = np.dtype([("feature", int), ("value", float), ("divergence", float)])
"""A removed feature, the criterion it went by, and the divergence of the features left."""


class RankOrderSelector(BaseSelector):
    """Backward elimination that uses only the order of the features within a sample.

    For measurements whose level is not comparable between samples (ratings by different people,
    sensors with a drifting base), not for others: :func:`echelon.profile.check_rank_order` tries
    out which they are.  Samples are read as rankings of their features, and features are removed
    one at a time by one of the four criteria of [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    criterion : {"spoilers", "cdv", "kl", "ks"}, default="spoilers"
        What goes first: the feature with most inversions within the classes ("spoilers"); the one
        whose removal changes the distances between the centers of the classes least ("cdv", center
        distance vector); the one with the smallest divergence of the rest ("kl"); or the one that
        adds least to its Markov blanket ("ks", Koller and Sahami).
    blanket_size : int, default=5
        Features in a Markov blanket of "ks".
    max_divergence : float, default=None
        Stop before the divergence of the features left exceeds this.
    step : int or float, default=1
        Features removed at a time; below 1, as a share of all features, rounded down.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    path_ : recarray of shape (n_removed,)
        Steps of the search: the ``feature`` removed, the criterion it went by (``value``), and the
        ``divergence`` of the features left.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; those never removed share the first.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    divergence_ : float
        Divergence of the selected features.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    RankOrderClassifier : Classes from the order of the features.

    Notes
    -----
    With ``n_features_to_select=None`` elimination goes as far as ``max_divergence`` allows; without
    that, down to one feature, and the smallest subset on the way with divergence 0 is kept.  A
    number stops it there.

    Features are never scaled.  Tied values are "=", NaN is an unknown order; neither is an
    inversion.  Features that are equally good to remove go by index, lowest first (put features you
    prefer last); for "kl" first by their spoiler count, since on wide data the divergence is 0
    until few features are left.  "cdv" compares centers by Spearman's rho, features with tied sums
    of ranks at their average rank.

    With n features, m samples and c classes, "spoilers" costs n^2 m for counts and then n a step;
    "cdv" the same and then about c n^2 a step (use ``step=0.02`` for thousands of features); "kl"
    n m a step; "ks" n^2 m and then little.  "spoilers" and "kl" hold n^2 small integers, "cdv"
    c n^2.  Orders are compared by 64-bit hashes.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon import RankOrderSelector
    >>> from echelon.datasets import make_rank_order
    >>> X, y = make_rank_order(3, 10, n_extraneous=5, n_redundant=0, random_state=1)
    >>> selector = RankOrderSelector().fit(X, y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1, 2]
    >>> selector.path_.divergence.round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.46, 1.1]
    """

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": BaseSelector._parameter_constraints["n_features_to_select"],
        "criterion": [StrOptions({"spoilers", "cdv", "kl", "ks"})],
        "blanket_size": [Interval(Integral, 1, None, closed="left")],
        "max_divergence": [None, Interval(Real, 0, None, closed="left")],
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        criterion: str = "spoilers",
        blanket_size: int = 5,
        max_divergence: float | None = None,
        step: float = 1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.blanket_size = blanket_size
        self.max_divergence = max_divergence
        self.step = step
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> RankOrderSelector:
        """Remove features one by one and choose how many to select.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, whose values are comparable within a row; NaN is unknown.
        y : array-like of shape (n_samples,)
            Classes, of at least two samples each.

        Returns
        -------
        self : object
            The fitted selector.
        """
        features, target, n_wanted = self._begin(X, y)
        class_codes = target.class_codes
        self._check_class_sizes(class_codes)
        removals = self._removals(as_orders(features.values, class_codes), n_wanted or 1)
        n_most = features.values.shape[1] - (n_wanted or 1)
        steps = track(
            removals,
            total=n_most if self.max_divergence is None else None,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        self.path_ = np.array(list(steps), dtype=_PATH).view(np.recarray)
        self._choose(features.values.shape[1], n_wanted)
        return self

    def _read(self, X: Any, y: Any) -> tuple[Data, Target]:
        values = read_orders(X, min_samples=2)
        return Data(values, np.zeros(values.shape[1], bool), None), self._read_target(y)

    def _check_class_sizes(self, class_codes: np.ndarray) -> None:
        sizes = np.bincount(class_codes)
        if sizes.min() < 2:
            label = self.classes_.tolist()[sizes.argmin()]
            raise ValueError(
                f"`y` must have at least 2 samples of every class, got 1 of {label!r}. Orders "
                "are compared within classes: add samples, or drop the class."
            )

    def _removals(self, orders: Orders, n_wanted: int) -> Iterator[tuple[int, float, float]]:
        """Remove features down to a number, or until the divergence would be too large."""
        projection = Projection(orders, look_ahead=self.criterion == "kl")
        criterion = self._criterion(orders, projection)
        limit = np.inf if self.max_divergence is None else on_grid(self.max_divergence)
        left = np.arange(orders.n_features)
        step = self._step(len(left))
        while len(left) > n_wanted:
            candidates = criterion.candidates(left)
            chosen = candidates.first(min(step, len(left) - n_wanted))
            for feature, value in zip(left[chosen], candidates.values[chosen], strict=True):
                projection.remove(int(feature))
                divergence = projection.divergence
                if on_grid(divergence) > limit:
                    return
                criterion.remove(int(feature))
                yield int(feature), float(value), divergence
            left = np.delete(left, chosen)

    def _criterion(self, orders: Orders, projection: Projection) -> Criterion:
        if self.criterion == "spoilers":
            return Spoilers(orders, self.n_jobs)
        if self.criterion == "cdv":
            return CenterDistances(orders, self.n_jobs)
        if self.criterion == "kl":
            return GreedyKL(orders, projection, self.n_jobs)
        return KollerSahami(orders, int(self.blanket_size), self.n_jobs)

    def _step(self, n_features: int) -> int:
        """Features removed at a time, as in scikit-learn's RFE."""
        if isinstance(self.step, Integral):
            return int(self.step)
        return max(1, int(self.step * n_features))

    def _choose(self, n_features: int, n_wanted: int | None) -> None:
        """Order, ranks and the features selected, from the path."""
        removed = self.path_.feature
        never = np.setdiff1d(np.arange(n_features), removed)
        self.order_ = np.concatenate([never, removed[::-1]])
        self.ranking_ = np.maximum(np.argsort(self.order_) + 2 - len(never), 1)
        n_removed = len(removed)
        if n_wanted is None and self.max_divergence is None:
            # Divergence never falls: what fewer features tell, more of them tell too.
            n_removed = int((self.path_.divergence == 0).sum())
        self.support_ = np.ones(n_features, bool)
        self.support_[removed[:n_removed]] = False
        self.divergence_ = float(self.path_.divergence[n_removed - 1]) if n_removed else 0.0


def elimination_accuracy(
    estimator: Any, X: Any, y: Any, *, classifier: Any = None, cv: Any = 5, last: int = 80
) -> np.ndarray:
    """Accuracy of a classifier with all features, and after every removal.

    Parameters
    ----------
    estimator : RankOrderSelector
        Fitted.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.  If they are those of
        the fit, the features have seen the test folds, and the accuracy is too high.
    y : array-like of shape (n_samples,)
        Classes.
    classifier : classifier, default=None
        What is cross-validated; None: ``RankOrderClassifier()``.
    cv : int or splitter, default=5
        Folds of the cross-validation.
    last : int, default=80
        Measure the accuracy of sets of at most so many features, and of at least two, with a
        known value in every sample.

    Returns
    -------
    accuracy : ndarray of shape (n_removed + 1,)
        Mean over the folds; NaN where it was not measured.

    See Also
    --------
    echelon.display.EliminationDisplay : The same as a plot.

    Examples
    --------
    >>> from echelon import RankOrderSelector
    >>> from echelon.datasets import make_rank_order
    >>> from echelon.rankorder import elimination_accuracy
    >>> X, y = make_rank_order(3, 10, 5, 0, random_state=1)
    >>> selector = RankOrderSelector().fit(X, y)
    >>> elimination_accuracy(selector, X, y, last=4).round(2)
    array([ nan,  nan,  nan,  nan, 0.97, 1.  , 0.67,  nan])
    """
    check_is_fitted(estimator, "path_")
    values, removed = read_orders(X, fitted=estimator), estimator.path_.feature
    model = RankOrderClassifier() if classifier is None else classifier
    accuracy = np.full(len(removed) + 1, np.nan)
    for step in range(len(accuracy)):
        left = np.delete(values, removed[:step], axis=1)
        if 2 <= left.shape[1] <= last and not np.isnan(left).all(axis=1).any():
            accuracy[step] = cross_val_score(clone(model), left, y, cv=cv).mean()
    return accuracy
