"""CFS and Consistency: sets of discretised features, for classes whose order does not count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from echelon._core.choices import Step, best_first
from echelon._core.compat import StrOptions
from echelon.base import ForwardSelector
from echelon.data import Data
from echelon.filters._base import CUT_CONSTRAINTS, Labels, label_columns, some_missing
from echelon.filters._measures import (
    Patterns,
    Uncertainties,
)
from echelon.targets import Target

_SU_SCALE = 1 << 32
_MERIT_SCALE = 1 << 40


class BaselineSelector(ForwardSelector):
    """Discretises the data; a subclass writes the additions and its own rule."""

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        **CUT_CONSTRAINTS,
    }

    def _labels(self, columns: Data, target: Target) -> Labels:
        return label_columns(columns, target.class_codes, self.discretize, self.n_bins)

    def _varying(self, values: np.ndarray) -> np.ndarray:
        """Mask of the features with at least two values, where missing counts as one."""
        return super()._varying(values) | some_missing(values)


class CFS(BaselineSelector):
    """CFS: correlation-based feature selection.

    Features should be correlated with the classes but not with each other.  The merit of k features
    is k r_cf / sqrt(k + k (k - 1) r_ff), where r_cf is their mean
    symmetric uncertainty with the classes and r_ff that between two of them, after numeric
    features were cut into intervals ([1]_, [2]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    discretize : {"mdl", "quantile"}, default="mdl"
        How numeric features are cut: where it shortens the description of the classes ([3]_), or
        into intervals of equal frequency.
    n_bins : int, default=10
        Intervals of "quantile", at most: equal values are never separated.
    search : {"best_first", "forward"}, default="best_first"
        "forward" adds the best feature while the merit grows.  "best_first" extends the best set
        not yet extended by every single feature, and ends after five sets in a row that led to
        nothing better.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    must_keep : mask, indices or names, default=None
        Features that are always selected and ranked first; the others are evaluated beside them.
        They count towards ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features_to_select`` counts
        groups, and a group has the rank of its best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    path_ : recarray of shape (n_reached,)
        Steps of the search: the ``feature`` added, and the merit after it (``value``).  With
        ``search="forward"`` and no number given, the last step is the one that did not pay.
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    Consistency : As few features as tell the classes apart as well as all.

    Notes
    -----
    ``n_features_to_select=None`` keeps the set with the best merit found, one feature at least.  A
    number keeps the first so many of ``order_``; "best_first" puts the best set first, in the order
    it grew, and goes on forward.

    Missing values (NaN) are a category of their own.  Symmetric uncertainties are rounded
    to 32 binary digits and merits to 40, so that duplicated features tie; the lowest index (and
    the set found first) wins, since nothing in the data tells them apart: put features you prefer
    first.  Uncertainties are computed for features that enter a set only: the
    cost is samples times features for each.

    References
    ----------
    .. [1] M. A. Hall, "Correlation-based feature selection for machine learning", PhD thesis,
       University of Waikato, 1999.
    .. [2] M. A. Hall, "Correlation-based feature selection for discrete and numeric class machine
       learning", ICML 2000.
    .. [3] U. M. Fayyad, K. B. Irani, "Multi-interval discretization of continuous-valued
       attributes for classification learning", IJCAI 1993.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from echelon import CFS
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = CFS().fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.path_.value.round(3).tolist()
    [0.871, 0.898]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaselineSelector._parameter_constraints,
        "search": [StrOptions({"best_first", "forward"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        discretize: str = "mdl",
        n_bins: int = 10,
        search: str = "best_first",
        categorical_features: Any = "from_dtype",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.discretize = discretize
        self.n_bins = n_bins
        self.search = search
        self.categorical_features = categorical_features
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _search(
        self, features: Data, target: Target, varying: np.ndarray, n_wanted: int | None
    ) -> list[Step]:
        if self.search == "forward":
            return super()._search(features, target, varying, n_wanted)
        merit = _Merit(self._labels(features, target), target.class_codes)
        first = tuple(self._choice.first)

        def expand(chain: tuple[int, ...]) -> np.ndarray:
            return np.where(varying, merit.expand((*first, *chain)), -np.inf)

        start = float(merit.expand(first[:-1])[first[-1]]) if first else 0.0
        best = best_first(expand, start=start)
        if n_wanted is None:
            n_wanted = max(1, len(np.unique(self._choice.groups[[*first, *best]])))
        return self._forward(merit.add_best, varying, n_wanted, first=best)

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Step]:
        return _Merit(self._labels(features, target), target.class_codes).add_best

    def _ended(self, steps: list[Step]) -> bool:
        before = steps[-2].value if len(steps) > 1 else 0.0
        return steps[-1].value <= before

    def _n_kept(self, steps: list[Step]) -> int:
        # The best-first search leaves its best set; the forward search a step that did not pay.
        unpaid = self.search == "forward" and self._ended(steps)
        return max(1, len(steps) - unpaid)


class _Merit:
    """The merit of a set with one feature more, for all features at once.

    Sums are over integers, multiples of 1 / _SU_SCALE: exact, whatever order a set grew in.
    """

    def __init__(self, labels: Labels, classes: np.ndarray):
        self._uncertainties = Uncertainties(labels)
        self._relevance = self._scaled(classes)
        self._rows: dict[int, np.ndarray] = {}
        self._chosen: list[int] = []
        self._sums = 0, 0, np.zeros_like(self._relevance)

    def add_best(self, left: list[int]) -> Step:
        """Add the best of some features to the set."""
        relevance, within, linked = self._sums
        values = self._values(len(self._chosen), relevance, within, linked)[left]
        feature = left[int(np.argmax(values))]
        self._sums = (
            relevance + int(self._relevance[feature]),
            within + int(linked[feature]),
            linked + self._row(feature),
        )
        self._chosen.append(feature)
        return Step(feature, float(values.max()))

    def expand(self, chain: tuple[int, ...]) -> np.ndarray:
        """Merit of a set with every feature added, -inf for its own."""
        rows = [self._rows.setdefault(f, self._row(f)) for f in chain]
        linked = np.sum(rows, axis=0) if rows else np.zeros_like(self._relevance)
        chosen = list(chain)
        # Every pair is linked twice, and every feature with itself.
        itself = sum(int(row[f]) for row, f in zip(rows, chain, strict=True))
        within = (int(linked[chosen].sum()) - itself) // 2
        values = self._values(len(chain), int(self._relevance[chosen].sum()), within, linked)
        values[chosen] = -np.inf
        return values

    def _values(self, k: int, relevance: int, within: int, linked: np.ndarray) -> np.ndarray:
        """K r_cf / sqrt(k + k (k - 1) r_ff) from sums over features and over pairs of them."""
        spread = (k + 1) * _SU_SCALE + 2 * (within + linked)
        merits = (relevance + self._relevance) / np.sqrt(spread) / np.sqrt(_SU_SCALE)
        return np.floor(merits * _MERIT_SCALE + 0.5) / _MERIT_SCALE

    def _row(self, feature: int) -> np.ndarray:
        """Symmetric uncertainty of a feature with every feature."""
        if feature in self._rows:
            return self._rows[feature]
        return self._scaled(self._uncertainties.labels.codes[feature])

    def _scaled(self, codes: np.ndarray) -> np.ndarray:
        return np.rint(self._uncertainties.of(codes) * _SU_SCALE).astype(np.int64)


class Consistency(BaselineSelector):
    """Consistency-based selection: the smallest set whose patterns separate the classes.

    A pattern is the values of the chosen features of a sample, numeric ones cut into intervals.
    The inconsistency rate is the share of samples outside the majority class of their pattern
    ([1]_); the feature that lowers it most is added until it is that of all features.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    discretize : {"mdl", "quantile"}, default="mdl"
        How numeric features are cut: where it shortens the description of the classes ([2]_), or
        into intervals of equal frequency.
    n_bins : int, default=10
        Intervals of "quantile", at most: equal values are never separated.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    must_keep : mask, indices or names, default=None
        Features that are always selected and ranked first; the others are evaluated beside them.
        They count towards ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that are selected all together or not at all: a label per feature (None: not in a
        group), or a dict from labels to mask, indices or names.  ``n_features_to_select`` counts
        groups, and a group has the rank of its best feature.
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
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    CFS : Features correlated with the classes but not with each other.

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

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], Step]:
        patterns = Patterns(self._labels(features, target), target.class_codes)
        self.rate_ = patterns.n_inconsistent_with_all() / len(target)

        def add_best(left: list[int]) -> Step:
            counts = patterns.n_inconsistent_with(np.asarray(left))
            best = int(np.argmin(counts))
            patterns.add(left[best])
            return Step(left[best], int(counts[best]) / len(target))

        return add_best

    def _ended(self, steps: list[Step]) -> bool:
        # Both are a count over the number of samples: equal exactly if the counts are.
        return steps[-1].value == self.rate_

    def _n_kept(self, steps: list[Step]) -> int:
        return next((n for n, step in enumerate(steps, 1) if self._ended([step])), len(steps))
