"""Classifiers for ordered classes: any classifier, one question per threshold; and a forest."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import HasMethods, Interval, StrOptions, fit_context
from echelon._core.jobs import Jobs, n_threads
from echelon._core.samples import fit_weighted, read_rows, weighted_rows
from echelon.base import note_features
from echelon.data import as_table, numbers_that_fit, read_numbers
from echelon.filters import ExtraTrees
from echelon.targets import answered, read_ordered_classes


def _shares(above: np.ndarray) -> np.ndarray:
    """Probabilities of the classes from those of being above each of them but the highest."""
    edge = np.ones((len(above), 1))
    # The differences add up to 1, so what is left after clipping is never 0.
    shares = np.maximum(np.hstack([edge, above]) - np.hstack([above, 0 * edge]), 0)
    return shares / shares.sum(axis=1, keepdims=True)


def _gives_probabilities(self: OrdinalDecomposition) -> bool:
    getattr(self.estimator, "predict_proba")  # noqa: B009 - its own words if it has none
    return True


class OrdinalDecomposition(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Make any classifier use the order of the classes.

    For ordered classes ``c_0 < c_1 < ...``, one copy of the classifier is fitted per threshold, to
    "y is above c_k" [1]_.  The probability of a class is the difference between the probabilities
    of the thresholds below and above it.

    Parameters
    ----------
    estimator : classifier
        For two classes.
    answer : {"median", "mode"}, default="median"
        What :meth:`predict` answers: the median class, which is best for the MAE in classes
        (the lowest class up to which the probabilities add up to one half), or the most probable
        one, which is best for accuracy.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    estimators_ : list of n_classes - 1 classifiers
        The k-th tells the classes above ``classes_[k]`` (1) from the others (0).
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    Notes
    -----
    The copies are fitted apart, so their answers need not fall from threshold to threshold, and a
    difference may be negative.  Such a class is given probability 0 and the others are divided by
    their sum, which is then larger than 1.

    A classifier without ``predict_proba`` is asked for its predictions: the class is the lowest
    one plus as many as the thresholds that are passed.

    References
    ----------
    .. [1] E. Frank, M. Hall, "A simple approach to ordinal classification", ECML 2001, 145-156.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from echelon import OrdinalDecomposition
    >>> from echelon.evaluation import rank_loss_scorer
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> model = OrdinalDecomposition(LogisticRegression(C=10))
    >>> model.fit(X, grade).classes_.tolist()
    ['mild', 'low', 'medium', 'high', 'severe']
    >>> for each in (model, LogisticRegression(C=10)):
    ...     print(-cross_val_score(each, X, grade, scoring=rank_loss_scorer).mean().round(2))
    0.81
    0.9
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "answer": [StrOptions({"median", "mode"})],
        "class_order": [None, "array-like"],
        "n_jobs": [int, np.integer, None],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        answer: str = "median",
        class_order: Sequence | None = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.answer = answer
        self.class_order = class_order
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalDecomposition:
        """Fit one classifier per threshold.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that the classifier takes.
        y : array-like of shape (n_samples,)
            Ordered classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which the classifiers are given; a row of weight 0 is not there.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y, sample_weight = weighted_rows(X, y, sample_weight)
        X = read_rows(X)
        validate_data(self, X, y, skip_check_array=True)
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        check_consistent_length(X, codes)
        questions = (
            (clone(self.estimator), X, (codes > k).astype(np.int64), sample_weight)
            for k in range(len(self.classes_) - 1)
        )
        with numbers_that_fit("X"):
            self.estimators_ = Jobs(self.n_jobs)("thresholds", fit_weighted, questions)
        return self

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Not negative, every row adding up to 1.
        """
        X = self._checked(X)
        with numbers_that_fit("X"):
            above = np.column_stack([each.predict_proba(X)[:, 1] for each in self.estimators_])
        return _shares(above)

    def predict(self, X: Any) -> np.ndarray:
        """The median or the most probable class (see ``answer``), the lowest one among equals.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        classes : ndarray of shape (n_samples,)
            Predicted classes.
        """
        check_is_fitted(self)
        if hasattr(self, "predict_proba"):
            return self.classes_[answered(self.predict_proba(X), self.answer)]
        X = self._checked(X)
        with numbers_that_fit("X"):
            return self.classes_[np.sum([each.predict(X) for each in self.estimators_], axis=0)]

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        X = read_rows(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags


class OrdinalForest(ClassifierMixin, BaseEstimator):
    """A forest for ordered classes: trees on the cumulative indicators of the classes.

    Every tree predicts whether y is above each class but the highest, all at once.  The sum of the
    squared errors of these indicators in a node is the ordinal Gini criterion, the sum over
    thresholds q of C_q (1 - C_q), where C_q is the share of samples up to class q.  So splits
    respect the order and no distance between classes is assumed.  Trees are scikit-learn's.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    trees : {"extra", "random"}, default="extra"
        Extremely randomised trees, or a random forest.
    max_features : int or float, default=1.0
        Number or share of the columns that every split chooses among; all, where there are no more
        than the number.
    max_depth : int, default=None
        Splits above a leaf, at most; None: until leaves are small or pure.
    min_samples_leaf : int, default=2
        Minimum number of samples in a leaf.
    max_samples : int, default=None
        Where there are more samples, every tree is grown on so many, drawn with replacement.  Trees
        of a random forest always draw; None: as many as there are.
    answer : {"median", "mode"}, default="median"
        What :meth:`predict` answers: the median class, which is best for the MAE in classes
        (the lowest class up to which the probabilities add up to one half), or the most probable
        one, which is best for accuracy.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    forest_ : ExtraTreesRegressor or RandomForestRegressor
        The trees, with one output per class but the highest.
    feature_importances_ : ndarray of shape (n_features,)
        Share of the decrease of the criterion that every feature is responsible for.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    OrdinalDecomposition : Any classifier, one copy per threshold.
    ForestImportance : A ranking of features by a forest.

    Notes
    -----
    The indicators of a leaf fall from class to class, and so do their means over trees: the
    probabilities need no correction.  Missing values are taken as scikit-learn's trees take them.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> from echelon import OrdinalForest
    >>> from echelon.evaluation import rank_loss_scorer
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> unordered = ExtraTreesClassifier(min_samples_leaf=2, random_state=0)
    >>> for each in (OrdinalForest(random_state=0), unordered):
    ...     print(-cross_val_score(each, X, grade, scoring=rank_loss_scorer).mean().round(2))
    0.84
    0.91
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "trees": [StrOptions({"extra", "random"})],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "answer": [StrOptions({"median", "mode"})],
        "class_order": [None, "array-like"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        trees: str = "extra",
        max_features: int | float = 1.0,
        max_depth: int | None = None,
        min_samples_leaf: int = 2,
        max_samples: int | None = None,
        answer: str = "median",
        class_order: Sequence | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_estimators = n_estimators
        self.trees = trees
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_samples = max_samples
        self.answer = answer
        self.class_order = class_order
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalForest:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Ordered classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which the trees are given; a row of weight 0 is not there.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y, sample_weight = weighted_rows(as_table(X), y, sample_weight)
        note_features(self, X, y)
        values = self._numbers(X)
        self.classes_, codes = read_ordered_classes(y, self.class_order)
        check_consistent_length(values, codes)
        above = (codes[:, None] > np.arange(len(self.classes_) - 1)).astype(float)
        kind = ExtraTrees if self.trees == "extra" else RandomForestRegressor
        fewer = self.max_samples is not None and self.max_samples < len(values)
        drawn = self.max_samples if fewer else None
        self.forest_ = kind(
            self.n_estimators,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=self.trees == "random" or drawn is not None,
            max_samples=drawn,
            random_state=self.random_state,
            n_jobs=n_threads(self.n_jobs),
        )
        self.forest_.fit(values, above if above.shape[1] > 1 else above[:, 0], sample_weight)
        self.forest_.n_jobs = 1  # threads would add up predictions in any order
        return self

    @property
    def feature_importances_(self) -> np.ndarray:
        """The forest's, computed when they are read: most forests are only asked to predict."""
        check_is_fitted(self)
        return self.forest_.feature_importances_

    def _numbers(self, X: Any, min_samples: int = 2) -> np.ndarray:
        reason = "trees of scikit-learn split numbers"
        return read_numbers(X, allow_nan=True, reason=reason, min_samples=min_samples).values

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Not negative, every row adding up to 1.
        """
        check_is_fitted(self)
        X = read_rows(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        values = self._numbers(X, min_samples=1)
        return _shares(self.forest_.predict(values).reshape(len(values), -1))

    def predict(self, X: Any) -> np.ndarray:
        """The median or the most probable class (see ``answer``), the lowest one among equals.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        classes : ndarray of shape (n_samples,)
            Predicted classes.
        """
        shares = self.predict_proba(X)
        return self.classes_[answered(shares, self.answer)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags
