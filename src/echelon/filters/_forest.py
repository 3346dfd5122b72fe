"""ForestImportance: what extremely random trees split by, on any data set and any target."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.tree import ExtraTreeRegressor

from echelon._core.compat import Interval
from echelon._core.jobs import n_threads, track
from echelon.base import SampleWeightMixin, WeightingSelector
from echelon.data import Data
from echelon.filters._base import AnyTargetMixin, outputs
from echelon.targets import Target

MOST_LABELS = 20
"""The most frequent labels of a nominal column that trees may tell apart."""


class ForestImportance(SampleWeightMixin, AnyTargetMixin, WeightingSelector):
    """Importance of features in a forest of extremely randomised trees.

    The decrease of the squared error over all splits by a feature, in scikit-learn's
    ``ExtraTreesRegressor`` ([1]_), fitted to the codes of ordered classes, which uses their order,
    the indicators of unordered classes, or a continuous target.  Unlike univariate filters it finds
    interactions, but it favours features with many values, and noise scores above 0.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_estimators : int, default=100
        Trees.
    max_features : float, default=0.33
        Share of the columns that every split chooses among.
    min_samples_leaf : int, default=1
        Minimum number of samples in a leaf.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: scores above the mean.
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
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
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
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: shares of the total decrease, those of all labels of a nominal
        feature added up.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
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
    RankCorrelation : Every feature by itself.

    Notes
    -----
    Missing values go to the side of a split where they fit best, as in scikit-learn.

    References
    ----------
    .. [1] P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       2006, 3-42.

    Examples
    --------
    >>> from echelon import ForestImportance
    >>> from echelon.datasets import load_grades
    >>> X, grade = load_grades()
    >>> selector = ForestImportance(3, random_state=0).fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    _own_threshold = "mean"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [Interval(Real, 0, 1, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 100,
        max_features: float = 0.33,
        min_samples_leaf: int = 1,
        threshold: float | str | None = None,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.threshold = threshold
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _scores(self, features: Data, target: Target, random_state: Any) -> np.ndarray:
        values, owners = _as_numbers(features)
        least: dict[str, Any] = {"min_samples_leaf": self.min_samples_leaf}
        if features.weights is not None and self.min_samples_leaf > 1:  # by weight, not by row
            share = (self.min_samples_leaf - 1e-9) / features.weights.sum()
            least = {"min_weight_fraction_leaf": min(share, 0.5)}
        forest = ExtraTrees(
            self.n_estimators,
            max_features=float(self.max_features),
            **least,
            random_state=random_state.randint(np.iinfo(np.int32).max),
            n_jobs=n_threads(self.n_jobs),
        )
        y = outputs(target)
        name = type(self).__name__
        for trees in track([forest], total=1, description=name, verbose=self.verbose):
            # scikit-learn's threads reset and restore warning filters by turns: one may find them
            # empty, which it takes for a mistake in the use of ``delayed``, or may leave them so.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "`sklearn.utils.parallel.delayed`", UserWarning)
                trees.fit(values, y if y.shape[1] > 1 else y[:, 0], sample_weight=features.weights)
        return np.bincount(owners, forest.feature_importances_, len(features.nominal))


def _as_numbers(columns: Data) -> tuple[np.ndarray, np.ndarray]:
    """Numeric columns as they are and labels as 0/1, with the feature each comes from."""
    parts, owners = [], []
    for f, nominal in enumerate(columns.nominal):
        column = columns.values[:, f]
        part = _indicators(column, columns.weights) if nominal else _in_range(column)[:, None]
        parts.append(part)
        owners += [f] * part.shape[1]
    return np.hstack(parts).astype(np.float32), np.array(owners)


def _in_range(column: np.ndarray) -> np.ndarray:
    """A column that single precision holds; trees split one that is scaled down the same way."""
    largest = float(np.max(np.abs(column), initial=0.0, where=np.isfinite(column)))
    if largest <= float(np.finfo(np.float32).max):
        return column
    return np.ldexp(column, -int(np.frexp(largest)[1]))


def _indicators(codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    present = ~np.isnan(codes)
    labels, inverse = np.unique(codes[present], return_inverse=True)
    counts = np.bincount(inverse, None if weights is None else weights[present])
    frequent = labels[np.argsort(-counts, kind="stable")[:MOST_LABELS]]
    if len(frequent) == 0:
        return np.zeros((len(codes), 1))
    return (codes[:, None] == frequent).astype(float)


class ExtraTrees(ExtraTreesRegressor):
    """Extremely randomised trees for numbers: equal to scikit-learn's, made faster.

    scikit-learn copies a tree for every tree of a forest and asks it for its parameters by
    inspection, which takes longer than to grow a small one.
    """

    def _make_estimator(self, append: bool = True, random_state: Any = None) -> ExtraTreeRegressor:
        params = {name: getattr(self, name) for name in self.estimator_params}
        if random_state is not None:
            params["random_state"] = random_state.randint(np.iinfo(np.int32).max)
        tree = ExtraTreeRegressor(**params)
        if append:
            self.estimators_.append(tree)
        return tree
