"""Classes from the order of the features within a sample."""

from __future__ import annotations

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
from echelon.engines import NumbaEngine
from echelon.kernels.precedence import kendall, log_likelihoods
from echelon.rankorder._counts import all_counts, rank_sums
from echelon.rankorder._kernel import kendall_kernel, normalised, squared_norms
from echelon.rankorder._orders import Orders, as_orders, order_codes, read_again, read_orders
from echelon.targets import read_classes

_ROWS = 16


def _has_probabilities(estimator: RankOrderClassifier) -> bool:
    return estimator.method == "bayes"


class RankOrderClassifier(ClassifierMixin, BaseEstimator):
    """Classes from the order of the features within samples, by one of three methods.

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
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.

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
    RankOrderSelector : Which features to keep.

    Notes
    -----
    A tie counts as half of either order; an unknown order (NaN) counts for nothing, in fit and
    in predict.  Without ties and gaps "bayes" equals ``BernoulliNB(alpha=alpha)`` on
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
        values = read_orders(X)
        validate_data(self, X, y, skip_check_array=True)
        self.classes_, codes = read_classes(y)
        check_consistent_length(values, codes)
        orders, engine = as_orders(values, codes), NumbaEngine(self.n_jobs)
        if self.method == "center":
            self.centers_ = rankdata(rank_sums(orders, engine)[0], axis=1)
        elif self.method == "kernel":
            self._train(orders)
        else:
            self._count(orders, engine)
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
        codes = order_codes(read_again(self, X))
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
        scores = self._scores(order_codes(read_again(self, X)))
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

    def _count(self, orders: Orders, engine: NumbaEngine) -> None:
        sizes = orders.class_sizes
        self.class_log_prior_ = np.log(sizes / sizes.sum())
        self._counts = all_counts(orders, engine)
        doubled = np.arange(2 * int(sizes.max()) + 1)
        self._logs = np.log(doubled / 2 + self.alpha)
        self._totals = np.log(doubled / 2 + 2 * self.alpha)

    def _train(self, orders: Orders) -> None:
        self._codes, self._norms = orders.low, squared_norms(orders.low)
        kernel = self._kernel(orders.low)
        self._machine = SVC(kernel="precomputed", C=self.C).fit(kernel, orders.classes)

    def _kernel(self, codes: np.ndarray) -> np.ndarray:
        """Kernel of samples with those of the fit."""
        return normalised(kendall_kernel(codes, self._codes), squared_norms(codes), self._norms)

    def _scores(self, codes: np.ndarray) -> np.ndarray:
        """Joint log likelihood, or minus the distance, of every sample and class."""
        out = np.empty((len(codes), len(self.classes_)))
        blocks = gen_batches(len(codes), _ROWS)
        fill = self._likelihoods if self.method == "bayes" else self._distances
        for _ in NumbaEngine(self.n_jobs).map(lambda here: fill(codes[here], out[here]), blocks):
            pass
        return out + self.class_log_prior_ if self.method == "bayes" else -out

    def _likelihoods(self, codes: np.ndarray, out: np.ndarray) -> None:
        log_likelihoods(codes, self._counts, self._logs, self._totals, out)

    def _distances(self, codes: np.ndarray, out: np.ndarray) -> None:
        kendall(codes, order_codes(self.centers_), out)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        # Only the order of features counts, so data that differ in level are all alike.
        tags.classifier_tags.poor_score = True
        return tags
