"""Any classifier for ordered classes: one binary question per threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.compat import HasMethods, StrOptions, fit_context
from echelon._core.jobs import Jobs
from echelon._core.rows import fit_weighted, read_rows, weighted_rows
from echelon.data import numbers_that_fit
from echelon.targets import read_ordered_classes


def _gives_probabilities(self: OrdinalDecomposition) -> bool:
    getattr(self.estimator, "predict_proba")  # noqa: B009 - its own words if it has none
    return True


class OrdinalDecomposition(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Makes any classifier respect the order of the classes.

    For ordered classes ``c_0 < c_1 < ...`` one copy of the classifier is fitted per threshold, to
    the question "is y above c_k?" [1]_.  The probability of a class is the difference of the
    answers below and above it.

    Parameters
    ----------
    estimator : classifier
        For two classes.
    answer : {"median", "mode"}, default="median"
        What :meth:`predict` answers: the median class, which is best for the error in classes
        (the lowest class up to which the probabilities add up to one half), or the most probable
        one, which is best for accuracy.
    class_order : sequence, default=None
        Classes from lowest to highest.  Needed for labels that are neither integers nor ordered
        categories.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.

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
        edge = np.ones((len(above), 1))
        shares = np.hstack([edge, above]) - np.hstack([above, 0 * edge])
        # The differences add up to 1, so what is left after clipping is never 0.
        shares = np.maximum(shares, 0)
        return shares / shares.sum(axis=1, keepdims=True)

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
            shares = self.predict_proba(X)
            if self.answer == "median":
                # Half of the probability, but for rounding.
                return self.classes_[(shares.cumsum(axis=1) >= 0.5 - 1e-12).argmax(axis=1)]
            return self.classes_[shares.argmax(axis=1)]
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
