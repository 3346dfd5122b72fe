"""Classes from the order of the features within a sample."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils import check_consistent_length, gen_batches
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import check_n_jobs, in_threads
from echelon.rankorder._loops import kendall, log_likelihoods
from echelon.rankorder._orders import (
    Orders,
    all_margins,
    as_orders,
    order_codes,
    rank_sums,
    read_orders,
    smallest_type,
    ties,
)
from echelon.targets import read_classes

_ROWS = 16


def _has_probabilities(estimator: RankOrderClassifier) -> bool:
    return estimator.method == "bayes"


class RankOrderClassifier(ClassifierMixin, BaseEstimator):
    """Classifiers that use only the order of the features within a sample.

    "bayes" is Bernoulli naive Bayes on the order of every pair of features, the classifier of
    [1]_, from counts of precedence: the n (n - 1) / 2 columns are never built.  "center" gives a
    sample the class whose center (see :func:`~echelon.rankorder.class_centers`) is nearest by
    Kendall's distance.  "kernel" is a support vector machine with the Kendall kernel [2]_,
    which weighs the samples instead of taking all pairs of features as independent.

    Parameters
    ----------
    method : {"bayes", "center", "kernel"}, default="bayes"
        The classifier.
    alpha : float, default=1.0
        Samples of either order added to every count of "bayes".
    C : float, default=10.0
        Cost of a training sample on the wrong side, for "kernel".
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    centers_ : ndarray of shape (n_classes, n_features)
        Ranks at the center of every class, if ``method="center"``.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log of the share of every class, if ``method="bayes"``.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    RankOrderSelector : Which features to select.

    Notes
    -----
    A tie counts as half of either order; an unknown order (NaN) counts for nothing, in fit and
    in predict.  Without ties and missing values "bayes" equals ``BernoulliNB(alpha=alpha)`` on
    :func:`~echelon.rankorder.boolean_order`.  Pairs of features are far from independent, so
    with many features its probabilities are near 0 and 1.  Predicting costs n^2 operations per
    sample and class, or training sample ("kernel"); "bayes" holds n^2 small integers per class.
    "kernel" uses Kendall's tau-b, tied and unknown pairs counting 0.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.
    .. [2] Y. Jiao, J.-P. Vert, "The Kendall and Mallows kernels for permutations", ICML 2015.

    Examples
    --------
    >>> from echelon import RankOrderClassifier
    >>> X, y = [[1, 2, 3], [1, 3, 2], [3, 1, 2], [3, 2, 1]], ["a", "a", "b", "b"]
    >>> RankOrderClassifier().fit(X, y).predict([[10, 70, 50], [70, 30, 50]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions({"bayes", "center", "kernel"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        method: str = "bayes",
        *,
        alpha: float = 1.0,
        C: float = 10.0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.C = C
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> RankOrderClassifier:
        """Count the orders of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, whose values are comparable within a row; NaN is unknown.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        check_n_jobs(self.n_jobs)
        values = read_orders(X)
        validate_data(self, X, y, skip_check_array=True)
        self.classes_, class_codes = read_classes(y)
        check_consistent_length(values, class_codes)
        orders = as_orders(values, class_codes)
        if self.method == "center":
            self.centers_ = rankdata(rank_sums(orders), axis=1)
        elif self.method == "kernel":
            self._train(orders)
        else:
            self._count(orders)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Class of every sample.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels; of equally likely, or equally near, classes the first.
        """
        codes = order_codes(read_orders(X, fitted=self))
        if self.method == "kernel":
            return self.classes_[self._machine.predict(self._kernel(codes))]
        return self.classes_[self._scores(codes).argmax(axis=1)]

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Log of the probability of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            By class, in the order of ``classes_``.
        """
        scores = self._scores(order_codes(read_orders(X, fitted=self)))
        return scores - logsumexp(scores, axis=1, keepdims=True)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            By class, in the order of ``classes_``.
        """
        return np.exp(self.predict_log_proba(X))

    def _count(self, orders: Orders) -> None:
        sizes = orders.class_sizes
        self.class_log_prior_ = np.log(sizes / sizes.sum())
        self._counts = pair_counts(orders, self.n_jobs)
        doubled = np.arange(2 * int(sizes.max()) + 1)
        self._logs = np.log(doubled / 2 + self.alpha)
        self._totals = np.log(doubled / 2 + 2 * self.alpha)

    def _train(self, orders: Orders) -> None:
        self._codes, self._norms = orders.low, squared_norms(orders.low)
        kernel = self._kernel(orders.low)
        self._machine = SVC(kernel="precomputed", C=self.C).fit(kernel, orders.classes)

    def _kernel(self, codes: np.ndarray) -> np.ndarray:
        """Kendall's tau-b of samples with those of the fit; 0 for samples without any order."""
        norms = np.maximum(squared_norms(codes), 1)[:, None] * np.maximum(self._norms, 1)
        return kendall_kernel(codes, self._codes) / np.sqrt(norms)

    def _scores(self, codes: np.ndarray) -> np.ndarray:
        """Joint log likelihood, or minus the distance, of every sample and class."""
        out = np.empty((len(codes), len(self.classes_)))
        bayes = self.method == "bayes"

        def fill(here: slice) -> None:
            if bayes:
                log_likelihoods(codes[here], self._counts, self._logs, self._totals, out[here])
            else:
                kendall(codes[here], order_codes(self.centers_), out[here])

        list(in_threads(fill, gen_batches(len(codes), _ROWS), self.n_jobs))
        return out + self.class_log_prior_ if bayes else -out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        # Only the order of features counts, so data that differ in level are all alike.
        tags.classifier_tags.poor_score = True
        return tags


def pair_counts(orders: Orders, n_jobs: int | None) -> np.ndarray:
    """Samples in which i comes before j, doubled, plus ties, by class, i and j; 0 where i is j.

    That is, the samples in which both are known, plus those before, less those after.
    """
    margins = all_margins(orders, n_jobs)
    counts = np.empty(margins.shape, smallest_type(2 * int(orders.class_sizes.max()), "u"))
    for c, (first, last) in enumerate(pairwise(orders.starts)):
        both = np.full(1, last - first)
        if orders.low is not orders.high:  # some are unknown
            known = (orders.low[first:last] >= 0).astype(np.float32)
            both = known.T @ known
        np.add(margins[c], both, out=counts[c], dtype=counts.dtype, casting="unsafe")
        np.fill_diagonal(counts[c], 0)
    return counts


# -------------------------------------------------------------------------- the Kendall kernel


def kendall_kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs of features ordered alike less those ordered oppositely, for every two samples.

    Parameters
    ----------
    a, b : ndarray of int, shape (n_samples, n_features)
        Codes as of :func:`~echelon.rankorder._orders.order_codes`.

    Notes
    -----
    The inner product of the orders of all pairs, as 1, -1 and 0 (tied or unknown); feature after
    feature, so that these columns are never held.
    """
    kernel = np.zeros((len(a), len(b)))
    for i in range(a.shape[1] - 1):
        # Sums of at most n_features ones: exact in single precision.
        kernel += _signs(a, i) @ _signs(b, i).T
    return kernel


def squared_norms(codes: np.ndarray) -> np.ndarray:
    """The kernel of every sample with itself: its pairs whose order is known and no tie."""
    known, tied = (codes >= 0).sum(axis=1), ties(codes)
    return (known * (known - 1) - (tied * (tied - 1)).sum(axis=1)) / 2


def _signs(codes: np.ndarray, i: int) -> np.ndarray:
    one, others = codes[:, [i]].astype(np.float32), codes[:, i + 1 :]
    return np.sign(others - one) * ((others >= 0) & (one >= 0))
