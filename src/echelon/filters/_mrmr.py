"""MRMR: features associated with the target but not with each other, by any measure of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from echelon._core.compat import StrOptions
from echelon._core.directions import directions
from echelon.base import ForwardSelector, SampleWeightMixin
from echelon.data import Data
from echelon.filters._base import (
    CUT_CONSTRAINTS,
    AnyTargetMixin,
    check_order,
    codes_of,
    has_order,
    label_columns,
    some_missing,
)
from echelon.filters._measures import Uncertainties
from echelon.filters._rank_correlation import Associations
from echelon.filters._rank_mutual_information import rank_informations
from echelon.targets import Target

BY_RANKS = ("kendall", "spearman")
BY_LABELS = ("mutual_information", "symmetric_uncertainty")

LEAST_REDUNDANCY = 1e-3
"""Quotients divide by no less."""

_DIGITS = 12
"""Decimals of the values compared: copies of a feature tie, whatever rounding left."""

_AT_A_TIME = 256
"""Features compared with the chosen ones together, at first; then twice as many, and so on."""


Association = Callable[[np.ndarray, int | None], np.ndarray]
"""Association of some features with the target (None) or with a feature; never below 0.

Both are of one scale, so that what a feature says of the target can be set against what it says of
another feature.
"""


class MRMRStep(NamedTuple):
    """A feature added: the criterion, and what it is made of."""

    feature: int
    value: float
    relevance: float
    redundancy: float


class MRMR(SampleWeightMixin, AnyTargetMixin, ForwardSelector):
    """MRMR: features with maximum relevance and minimum redundancy.

    Features are added one at a time, each time the one whose association with the target
    (relevance) exceeds most its mean association with the features already chosen (redundancy),
    by difference or by quotient ([1]_, [2]_).  The association is any of five measures.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: determined by the search, as described in the
        Notes.
    measure : {"kendall", "spearman", "mutual_information", "symmetric_uncertainty", \
"rank_mutual_information"}, default="spearman"
        Association of two variables: the strength of rank correlation, as in
        :class:`RankCorrelation`; information of discretised columns; or that of orders, as in
        :class:`RankMutualInformation`.
    scheme : {"difference", "quotient"}, default="difference"
        Relevance less redundancy, or divided by it (a redundancy below 0.001 counts as 0.001).
    discretize : {"mdl", "quantile"}, default="quantile"
        How numeric features are cut: where it shortens the description of the classes ([3]_), or
        into intervals of equal frequency.
    n_bins : int, default=10
        Intervals of "quantile", at most: equal values are never separated.
    monotonic_cst : array-like, dict, "auto" or None, default="auto"
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
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
        Steps of the search: the ``feature`` added, the criterion (``value``), and the
        ``relevance`` and ``redundancy`` it is made of; the redundancy of the first is 0.
    order_ : ndarray of shape (n_reached,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    relevances_ : ndarray of shape (n_features,)
        Association of every feature with the target.
    kind_ : str
        Type of the target, as given or inferred.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    CFS : The same idea, as the merit of a set.
    RankCorrelation : Relevance alone, with p-values.

    Notes
    -----
    ``n_features_to_select=None`` searches among the features that say more of the target than the
    best one says of the target permuted, ends at the first that says more of the features chosen
    than of the target, and keeps those before, one at least.  A number searches among all.
    Redundancy is a mean: the more features are chosen, the less it counts that one of them is a
    copy.

    ``discretize`` and ``n_bins`` are of use to the two measures of information, which take a
    missing value for a category of its own; numbers to predict are cut into ``n_bins`` too.  Rank
    measures leave such samples out, pair by pair.  ``monotonic_cst`` is of use to
    "rank_mutual_information", which takes neither nominal features nor classes without an order.
    Criteria are compared to 12 decimals, so that copies of a feature tie; the lowest index wins.
    Features are compared with those chosen only when their relevance, less what is known of their
    redundancy, is the largest left: the answer is that of all comparisons, most of which are never
    made where noise abounds.

    References
    ----------
    .. [1] C. Ding, H. Peng, "Minimum redundancy feature selection from microarray gene expression
       data", Journal of Bioinformatics and Computational Biology 3, 2005.
    .. [2] H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern Analysis
       and Machine Intelligence 27, 2005.
    .. [3] U. M. Fayyad, K. B. Irani, "Multi-interval discretization of continuous-valued
       attributes for classification learning", IJCAI 1993.

    Examples
    --------
    >>> from echelon import MRMR
    >>> from echelon.datasets import load_grades
    >>> X, grade = load_grades()
    >>> selector = MRMR(3).fit(X, grade)
    >>> [X.columns[f] for f in selector.order_]
    ['s5', 'bmi', 'bp']
    >>> selector.path_.redundancy.round(2).tolist()
    [0.0, 0.49, 0.4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForwardSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "measure": [StrOptions({*BY_RANKS, *BY_LABELS, "rank_mutual_information"})],
        "scheme": [StrOptions({"difference", "quotient"})],
        **CUT_CONSTRAINTS,
        "monotonic_cst": [StrOptions({"auto"}), "array-like", dict, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: str = "spearman",
        scheme: str = "difference",
        discretize: str = "quantile",
        n_bins: int = 10,
        monotonic_cst: Any = "auto",
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.scheme = scheme
        self.discretize = discretize
        self.n_bins = n_bins
        self.monotonic_cst = monotonic_cst
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _search(
        self, features: Data, target: Target, varying: np.ndarray, n_wanted: int | None
    ) -> list[MRMRStep]:
        add_best = self._additions(features, target)
        if n_wanted is None:
            varying = varying & self._beyond_chance(features, target, varying)
        return self._forward(add_best, varying, n_wanted)

    def _additions(self, features: Data, target: Target) -> Callable[[list[int]], MRMRStep]:
        association = self._association(features, target)
        self.relevances_ = association(np.arange(len(features.nominal)), None)
        return _Additions(self.relevances_, association, self.scheme)

    def _beyond_chance(self, features: Data, target: Target, varying: np.ndarray) -> np.ndarray:
        """Features more relevant than any is to the target permuted, and the best one."""
        draw = check_random_state(self.random_state)
        permuted = target.take(draw.permutation(len(target)))
        association = self._association(features, permuted)
        by_chance = association(np.arange(len(varying)), None)[varying].max()
        best = self.relevances_ >= self.relevances_[varying].max()
        return (self.relevances_ > by_chance) | best

    def _association(self, columns: Data, target: Target) -> Association:
        if self.measure in BY_RANKS:
            return _rank_correlation(columns, target, self.measure)
        if self.measure == "rank_mutual_information":
            return self._order_information(columns, target)
        return self._label_information(columns, target)

    def _label_information(self, columns: Data, target: Target) -> Association:
        """Mutual information in bits, or symmetric uncertainty, of discretised columns."""
        classes = target.codes
        if classes is None:  # numbers, in bins of equal frequency
            column = Data(target.numbers[:, None], np.zeros(1, bool), None, columns.weights)
            classes = label_columns(column, np.zeros(len(target), int), "quantile", self.n_bins)[0][
                0
            ]
        labels = label_columns(columns, classes, self.discretize, self.n_bins)
        found = Uncertainties(labels, columns.weights)
        measure = found.of if self.measure == "symmetric_uncertainty" else found.information
        return lambda features, other: measure(
            classes if other is None else labels.codes[other], features
        )

    def _order_information(self, columns: Data, target: Target) -> Association:
        """Rank mutual information of numeric columns, 0 where it is negative."""
        check_order(target, f"`measure` {self.measure!r}")
        if columns.nominal.any():
            raise TypeError(
                f"`measure` {self.measure!r} needs features with an order, and feature "
                f"{np.flatnonzero(columns.nominal)[0]} of `X` is nominal. Encode or drop it, or "
                "choose another measure."
            )
        classes = codes_of(target.numbers)
        signs = directions(self.monotonic_cst, columns, classes)

        def association(features: np.ndarray, other: int | None) -> np.ndarray:
            codes, sign = classes, 1
            if other is not None:
                codes, sign = codes_of(columns.values[:, other]), int(signs[other])
            found = rank_informations(columns.some(features), signs[features], codes, sign)
            return np.maximum(found, 0)

        return association

    def _varying(self, values: np.ndarray) -> np.ndarray:
        """Mask of the features with at least two values."""
        found = super()._varying(values)
        return found | some_missing(values) if self.measure in BY_LABELS else found

    def _ended(self, steps: list[MRMRStep]) -> bool:
        return len(steps) > 1 and steps[-1].relevance <= steps[-1].redundancy

    def _n_kept(self, steps: list[MRMRStep]) -> int:
        return len(steps) - self._ended(steps)


def _rank_correlation(columns: Data, target: Target, measure: str) -> Association:
    """Strength of rank correlation, whatever the kinds of the two variables."""
    found = Associations(columns, measure)

    def association(features: np.ndarray, other: int | None) -> np.ndarray:
        values, ordered = target.numbers, has_order(target)
        if other is not None:
            values, ordered = columns.values[:, other], not columns.nominal[other]
        return found.of(codes_of(values), ordered, features).strengths

    return association


class _Additions:
    """The features chosen so far, and what the others are known to say of them.

    Associations are never negative, so that redundancies known in part make criteria too large
    only: a feature is compared with the chosen ones when nothing better is left.
    """

    def __init__(self, relevance: np.ndarray, association: Association, scheme: str):
        self._relevance, self._association = relevance, association
        self._quotient = scheme == "quotient"
        self._chosen: list[int] = []
        self._shared = np.zeros_like(relevance)
        self._n_known = np.zeros(len(relevance), int)  # of the chosen features, by feature

    def __call__(self, left: list[int]) -> MRMRStep:
        """Add the best of some features."""
        remaining, n_more = np.array(left), _AT_A_TIME
        while True:
            values = self._values()
            feature = int(remaining[np.argmax(values[remaining])])
            if self._n_known[feature] == len(self._chosen):
                break
            self._learn(remaining[np.argsort(-values[remaining])[:n_more]])
            n_more *= 2
        redundancy = self._redundancy()[feature]
        self._chosen.append(feature)
        parts = values[feature], self._relevance[feature], redundancy
        return MRMRStep(feature, *map(float, parts))

    def _learn(self, features: np.ndarray) -> None:
        """Compare some features with all chosen ones, in the order they were chosen."""
        for position, chosen in enumerate(self._chosen):
            new = features[self._n_known[features] == position]
            if len(new):
                self._shared[new] += self._association(new, chosen)
                self._n_known[new] += 1

    def _redundancy(self) -> np.ndarray:
        return self._shared / max(len(self._chosen), 1)

    def _values(self) -> np.ndarray:
        """The criterion of every feature, or more."""
        if not self._chosen:
            return self._relevance.round(_DIGITS)
        if self._quotient:
            quotient = self._relevance / np.maximum(self._redundancy(), LEAST_REDUNDANCY)
            return quotient.round(_DIGITS)
        return (self._relevance - self._redundancy()).round(_DIGITS)
