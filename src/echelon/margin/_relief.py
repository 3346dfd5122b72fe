"""Relief, ReliefF and O-ReliefF: each a rule and the parameters it needs."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from echelon._core.compat import Interval, StrOptions
from echelon.engines import Samples
from echelon.margin._base import ReliefSelector
from echelon.margin._order import OrderedClassesMixin
from echelon.margin.rules import Term, ordinal_relieff, relief, relieff

_N_NEIGHBORS = {"n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"log"})]}


class Relief(ReliefSelector):
    """Relief: a feature is good if it differs at the nearest miss and agrees at the nearest hit.

    For every sample, the score of a feature falls by the difference to the nearest sample of
    the same class and rises by the difference to the nearest sample of any other class
    (Algorithm 1 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those with a score above ``threshold``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number, or share, of samples drawn without replacement whose neighbours are looked up.
        None: all samples once.
    ties : {"share", "index"}, default="share"
        Samples equally far away share the place, so that the order of rows never matters;
        "index" gives it to the lowest row.
    threshold : float or "shuffle", default=None
        A kept feature scores more than this.  "shuffle": more than the best feature of one fit on
        permuted y.  None: more than 0, the paper's rule, which keeps nearly half of all noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, which differ by 0 or 1.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Draws the sample and permutes y.
    n_jobs : int, default=None
        Threads; None: all cores, or ``NUMBA_NUM_THREADS``.  Results do not depend on it.
    engine : {"auto", "numba", "torch", "dask"} or Engine, default="auto"
        Where the arithmetic runs.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    threshold_ : float or None
        The score a kept feature exceeds; None if ``n_features_to_select`` is given.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ReliefF : Several neighbours, and classes weighted by their size.

    Notes
    -----
    Missing values (NaN) leave the feature out of the pair.  A class with one sample has no hit
    and counts by its miss only.  The cost grows with the square of the number of samples.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import Relief
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> Relief(3).fit(X, y).get_feature_names_out().tolist()
    ['alcohol', 'color_intensity', 'proline']
    """

    def _rule(self, samples: Samples) -> list[Term]:
        return relief(len(samples.class_sizes))


class ReliefF(ReliefSelector):
    """ReliefF: Relief with several neighbours, and misses of every other class.

    For every sample, the score of a feature falls by the mean difference to the k nearest
    samples of the same class and rises, for each other class C, by the mean difference to its k
    nearest samples times P(C) / (1 - P(class of the sample)) (Algorithm 2 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those with a score above ``threshold``.
    n_neighbors : int or "log", default=10
        Neighbours per class; a smaller class gives those it has.  "log": the natural logarithm of
        the number of samples, rounded.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number, or share, of samples drawn without replacement whose neighbours are looked up.
        None: all samples once.
    ties : {"share", "index"}, default="share"
        All samples at the distance of the k-th neighbour share the places left, so that the order
        of rows never matters; "index" gives them to the lowest rows.
    threshold : float or "shuffle", default=None
        A kept feature scores more than this.  "shuffle": more than the best feature of one fit on
        permuted y.  None: more than 0, the paper's rule, which keeps nearly half of all noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, which differ by 0 or 1.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Draws the sample and permutes y.
    n_jobs : int, default=None
        Threads; None: all cores, or ``NUMBA_NUM_THREADS``.  Results do not depend on it.
    engine : {"auto", "numba", "torch", "dask"} or Engine, default="auto"
        Where the arithmetic runs.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    threshold_ : float or None
        The score a kept feature exceeds; None if ``n_features_to_select`` is given.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    OReliefF : For classes with an order.

    Notes
    -----
    Missing values (NaN) leave the feature out of the pair: the distance is scaled up to all
    features, and the mean difference of a feature is taken over the neighbours that have it.  A
    class with one sample has no hits and counts by its misses only.  The cost grows with the
    square of the number of samples and linearly with the features.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.
    .. [2] M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and
       RReliefF", Machine Learning 53, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ReliefF(3).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    >>> selector.scores_.round(3)[selector.order_[:3]].tolist()
    [0.181, 0.168, 0.162]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ReliefSelector._parameter_constraints,
        **_N_NEIGHBORS,
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_neighbors=10,
        metric="manhattan",
        sample_size=None,
        ties="share",
        threshold=None,
        categorical_features="from_dtype",
        random_state=None,
        n_jobs=None,
        engine="auto",
        verbose=0,
    ):
        super().__init__(
            n_features_to_select,
            metric=metric,
            sample_size=sample_size,
            ties=ties,
            threshold=threshold,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors

    def _rule(self, samples: Samples) -> list[Term]:
        return relieff(samples.class_sizes, self._k(samples))


class OReliefF(OrderedClassesMixin, ReliefSelector):
    """O-ReliefF: ReliefF for ordered classes, whose features should rise (or fall) with them.

    For every sample, misses are the nearest samples of the classes above and, separately, of the
    classes below; hits are samples of the same class that are no worse on any feature, and
    separately those that are no better (Equation 10 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those with a score above ``threshold``.
    n_neighbors : int or "log", default=10
        Neighbours of each of the four kinds.  "log": the natural logarithm of the number of
        samples, rounded.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    dominance : {"prefer", "require", "ignore"}, default="prefer"
        Must an upward hit be at least as good on all features (and a downward hit at most)?
        "require" is the paper's rule, but in many dimensions such hits hardly exist; "prefer"
        fills up with the nearest other samples of the class, "ignore" takes the nearest.
    contradictions : {"ignore", "penalize"}, default="ignore"
        "ignore" is the paper's rule: a difference between classes counts whichever way it
        points.  "penalize": it counts as negative where the better class has the worse value.
    monotonic_cst : array-like, dict, "auto" or None, default=None
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an
        array, or a dict or Series by feature name (those not named: 0).  "auto": the
        sign of Kendall's tau with y.  None: larger is better throughout.
    class_order : array-like, default=None
        Classes from lowest to highest.  Not needed if y holds integers or is an ordered pandas
        Categorical; required if it holds strings.
    sample_size : int or float, default=None
        Number, or share, of samples drawn without replacement whose neighbours are looked up.
        None: all samples once.
    ties : {"share", "index"}, default="share"
        All samples at the distance of the k-th neighbour share the places left, so that the order
        of rows never matters; "index" gives them to the lowest rows.
    threshold : float or "shuffle", default=None
        A kept feature scores more than this.  None or "shuffle": more than the best feature of
        one fit on permuted y, which takes as long again and depends on ``random_state``.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, which differ by 0 or 1 and have no order.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Draws the sample and permutes y.
    n_jobs : int, default=None
        Threads; None: all cores, or ``NUMBA_NUM_THREADS``.  Results do not depend on it.
    engine : {"auto", "numba", "torch", "dask"} or Engine, default="auto"
        Where the arithmetic runs.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    threshold_ : float or None
        The score a kept feature exceeds; None if ``n_features_to_select`` is given.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    classes_ : ndarray of shape (n_classes,)
        Class labels, lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ReliefF : For classes without an order.

    Notes
    -----
    A direction without a miss (upward for the top class, downward for the bottom class) counts
    nothing, its hits included.  Missing values (NaN) leave the feature out of the pair, of its
    distance as of its dominance.  The cost grows with the square of the number of samples.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import OReliefF
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["A", "B", "C", "D", "E"])  # ordered
    >>> selector = OReliefF(3, contradictions="penalize", monotonic_cst="auto").fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 's3', 's5']
    >>> selector.monotonic_cst_.tolist()
    [1, 1, 1, 1, 1, 1, -1, 1, 1, 1]
    """

    _own_threshold = "shuffle"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ReliefSelector._parameter_constraints,
        **OrderedClassesMixin._order_constraints,
        **_N_NEIGHBORS,
        "contradictions": [StrOptions({"ignore", "penalize"})],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_neighbors=10,
        metric="manhattan",
        dominance="prefer",
        contradictions="ignore",
        monotonic_cst=None,
        class_order=None,
        sample_size=None,
        ties="share",
        threshold=None,
        categorical_features="from_dtype",
        random_state=None,
        n_jobs=None,
        engine="auto",
        verbose=0,
    ):
        super().__init__(
            n_features_to_select,
            metric=metric,
            sample_size=sample_size,
            ties=ties,
            threshold=threshold,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors
        self.dominance = dominance
        self.contradictions = contradictions
        self.monotonic_cst = monotonic_cst
        self.class_order = class_order

    def _rule(self, samples: Samples) -> list[Term]:
        n_classes = len(samples.class_sizes)
        return ordinal_relieff(n_classes, self._k(samples), self.dominance, self.contradictions)
