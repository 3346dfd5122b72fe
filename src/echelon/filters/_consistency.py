"""Consistency: the fewest patterns that tell the classes apart as well as all features do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from echelon._core.search import Step
from echelon.filters._base import BaselineSelector
from echelon.filters._measures import Patterns
from echelon.validation import Columns


class Consistency(BaselineSelector):
    """Consistency-based selection: features whose patterns hardly mix the classes.

    A pattern is the values of the chosen features of a sample, numeric ones cut into intervals.
    The inconsistency rate is the share of samples outside the majority class of their pattern
    ([1]_); the feature that lowers it most is added until it is that of all features.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: as many as the search finds, by the rule in
        the Notes.
    discretize : {"mdl", "quantile"}, default="mdl"
        How numeric features are cut: where it shortens the description of the classes ([2]_), or
        into intervals of equal frequency.
    n_bins : int, default=10
        Intervals of "quantile", at most: equal values are never separated.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    must_keep : mask, indices or names, default=None
        Features that are kept in any case and ranked first; others are chosen beside them.  They
        count in ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that stand or fall together: a label for every feature (None: on its own), or a
        dict from labels to mask, indices or names.  ``n_features_to_select`` counts groups, and
        ``ranking_`` is that of groups, as good as their best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, and the inconsistency rate after it (``value``).
    rate_ : float
        Inconsistency rate of all features.
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best; those never reached share the last.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    CFS : Features that go with the classes but not with each other.

    Notes
    -----
    ``n_features_to_select=None`` keeps the first set with the rate of all features, one feature at
    least; a number keeps the first so many of ``order_``.

    Missing values (NaN) are a category of their own.  Among features that lower the rate alike the
    lowest index is added, also where none lowers it alone: put features you prefer first.  With
    many features or intervals nearly every sample has a pattern of its own, so few features reach
    the rate of all by chance; "mdl" is less prone to it than "quantile".  The cost is samples times
    features for each step.

    References
    ----------
    .. [1] M. Dash, H. Liu, "Consistency-based search in feature selection", Artificial
       Intelligence 151, 2003.
    .. [2] U. M. Fayyad, K. B. Irani, "Multi-interval discretization of continuous-valued
       attributes for classification learning", IJCAI 1993.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import Consistency
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = Consistency().fit(X, y)
    >>> X.columns[selector.order_].tolist()
    ['flavanoids', 'alcohol', 'color_intensity', 'ash', 'alcalinity_of_ash']
    >>> selector.path_.value.round(3).tolist()
    [0.174, 0.045, 0.017, 0.006, 0.0]
    """

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        discretize: str = "mdl",
        n_bins: int = 10,
        categorical_features: Any = "from_dtype",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.discretize = discretize
        self.n_bins = n_bins
        self.categorical_features = categorical_features
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _additions(self, features: Columns, codes: np.ndarray) -> Callable[[list[int]], Step]:
        patterns = Patterns(self._labels(features, codes), codes)
        self.rate_ = patterns.n_inconsistent_with_all() / len(codes)

        def add_best(left: list[int]) -> Step:
            counts = patterns.n_inconsistent_with(np.asarray(left))
            best = int(np.argmin(counts))
            patterns.add(left[best])
            return Step(left[best], int(counts[best]) / len(codes))

        return add_best

    def _ended(self, steps: list[Step]) -> bool:
        # Both are a count over the number of samples: equal exactly if the counts are.
        return steps[-1].value == self.rate_

    def _n_kept(self, steps: list[Step]) -> int:
        return next((n for n, step in enumerate(steps, 1) if self._ended([step])), len(steps))
