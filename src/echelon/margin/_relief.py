"""Relief, ReliefF and RReliefF: each a rule and the parameters it needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon.engines import Engine, Samples
from echelon.margin._base import N_NEIGHBORS, OutcomeMixin, ReliefSelector
from echelon.margin.rules import (
    Term,
    class_distances,
    contrast,
    mu_relief,
    relief,
    relieff,
    rrelieff,
)


class Relief(ReliefSelector):
    """Relief: scores from the nearest hit and the nearest miss.

    For every sample, the score of a feature falls by the difference to the nearest sample of
    the same class and rises by the difference to the nearest sample of any other class
    (Algorithm 1 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number or share of samples, drawn at random without replacement, whose neighbours are
        searched.  None: all samples.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: scores above 0, the rule of
        the paper, which selects nearly half of all noise.
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
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
        Scores, larger is better.
    z_scores_ : ndarray of shape (n_features,)
        Mean difference to nearest samples of other classes minus that to those of the same class,
        in units of its standard deviation over all permutations of the classes; 0 for constant
        features.  The nearest samples are those of any class, 20 times the number of classes (see
        Notes).
    p_values_ : ndarray of shape (n_features,)
        Probability of a larger z-score if the feature were unrelated to y, from a distribution with
        the skewness of that difference over permutations; 1 for constant features.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if p-values or ``n_features_to_select``
        decide.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
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
    and counts by its miss only.  z-scores and p-values are those of :class:`ReliefF`, with ten
    neighbours of every class.  The cost grows with the square of the number of samples.

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

    def _by_contrast(self) -> bool:
        return True

    def _k(self, samples: Samples) -> int:
        """Neighbours of every class for the evidence, as those of ReliefF; the score takes one."""
        return min(10, math.ceil(self._n_rows(samples)))


class ReliefF(ReliefSelector):
    """ReliefF: Relief with several neighbours, and misses of every other class.

    For every sample, the score of a feature falls by the mean difference to the k nearest
    samples of the same class and rises, for each other class C, by the mean difference to its k
    nearest samples times P(C) / (1 - P(class of the sample)) (Algorithm 2 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_neighbors : int or "log", default=10
        Neighbours per class; a smaller class gives those it has.  "log": the natural logarithm of
        the number of samples, rounded.
    neighbors : {"per_class", "any", "extreme"}, default="per_class"
        "per_class": the nearest of every class, Algorithm 2.  "any": the nearest whatever their
        class, k times the number of classes (10 at most), and the mean difference to those of other
        classes less that to those of the same class (RReliefF [2]_ for classes).  Hits and misses
        then lie equally far, so that noise scores 0 on average also where classes differ in size.
        "extreme": the k samples of every class whose distances differ most from the mean distance
        to the class, be they near or far (mu-Relief [4]_).
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number or share of samples, drawn at random without replacement, whose neighbours are
        searched.  None: all samples.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: scores above 0, the rule of
        the paper, which selects nearly half of all noise.
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
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
        Scores, larger is better.
    z_scores_ : ndarray of shape (n_features,)
        Mean difference to nearest samples of other classes minus that to those of the same class,
        in units of its standard deviation over all permutations of the classes; 0 for constant
        features.  The nearest samples are those of any class: those of the score with
        ``neighbors="any"``, else twice k times the number of classes (see Notes).
    p_values_ : ndarray of shape (n_features,)
        Probability of a larger z-score if the feature were unrelated to y, from a distribution with
        the skewness of that difference over permutations; 1 for constant features.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if p-values or ``n_features_to_select``
        decide.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    OReliefF : For classes with an order.

    Notes
    -----
    With neighbours per class, hits and misses lie as far away as classes are large, and noise
    scores the higher the more it has to do with the distances.  So z-scores and p-values compare
    hits and misses among the nearest samples of any class (a third of the samples at most; of at
    most 4,000 samples drawn by ``random_state``), where noise is exactly centred, whatever the
    sizes of the classes: they are evidence on the feature, not a standardised score, and may order
    features otherwise (``docs/margin.md``).

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
    .. [3] N. Mantel, "The detection of disease clustering and a generalized regression approach",
       Cancer Research 27, 1967: mean and variance under permutation.
    .. [4] N. Aggarwal, U. Shukla, G. J. Saxena, M. Rawat, A. S. Bafila, S. Singh, A. Pundir, "Mean
       based relief: An improved feature selection method based on ReliefF", Applied Intelligence
       53, 2023.

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
        **N_NEIGHBORS,
        "neighbors": [StrOptions({"per_class", "any", "extreme"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int | str = 10,
        neighbors: str = "per_class",
        metric: str = "manhattan",
        sample_size: float | None = None,
        ties: str = "share",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        super().__init__(
            n_features_to_select,
            metric=metric,
            sample_size=sample_size,
            ties=ties,
            threshold=threshold,
            error_rate=error_rate,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            must_keep=must_keep,
            feature_groups=feature_groups,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors

    def _rule(self, samples: Samples) -> list[Term]:
        if self.neighbors != "any":
            rule = relieff if self.neighbors == "per_class" else mu_relief
            return rule(samples.class_masses, self._k(samples))
        apart = class_distances(len(samples.class_sizes), ordered=False)
        return contrast(apart, self._k_any(samples))

    def _by_contrast(self) -> bool:
        return self.neighbors != "any"


class RReliefF(OutcomeMixin, ReliefSelector):
    """RReliefF: Relief for continuous targets and ordered classes.

    Every sample gives weights w, which add up to 1, to its nearest samples.  With d the difference
    in a feature and dy that in the outcome, both from 0 to 1, N_C = sum w dy, N_A = sum w d and
    N_CA = sum w dy d over the pairs of m samples and their neighbours; the score is
    N_CA / N_C - (N_A - N_CA) / (m - N_C): the mean difference in the feature where outcomes differ
    less that where they agree [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_neighbors : int or "log", default=10
        Neighbours of every sample, whatever their outcome.  "log": the natural logarithm of the
        number of samples, rounded.
    neighbor_weights : {"flat", "rank"}, default="flat"
        "flat": neighbours weigh the same.  "rank": the r-th nearest weighs exp(-(r / decay)^2).
    decay : float, default=20.0
        Rank at which the weight has fallen to 37 % of that of the nearest, with
        ``neighbor_weights="rank"``.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    sample_size : int or float, default=None
        Number or share of samples, drawn at random without replacement, whose neighbours are
        searched.  None: all samples.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: scores above 0.
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    engine : {"auto", "numpy", "numba", "torch", "dask"} or Engine, default="auto"
        The backend that does the computing.
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
        Scores, larger is better.
    z_scores_ : ndarray of shape (n_features,)
        Scores minus their mean, in units of their standard deviation, both over all permutations of
        the outcomes with fixed neighbours; 0 for constant features.
    p_values_ : ndarray of shape (n_features,)
        Probability of a larger z-score if the feature were unrelated to y, from a distribution with
        the skewness of the scores over permutations; 1 for constant features.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if p-values or ``n_features_to_select``
        decide.
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
    OReliefF : For ordered classes with which features rise or fall.
    MultiSURF : Without a number of neighbours to choose.

    Notes
    -----
    dy is the absolute difference of numbers, or of the codes of ordered classes, by its range; for
    classes without an order it is 0 or 1, and the method is ``ReliefF(neighbors="any")``.  Missing
    values (NaN) leave the feature out of the pair.  The cost grows with the square of the number of
    samples and linearly with the features.

    References
    ----------
    .. [1] M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and
       RReliefF", Machine Learning 53, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = RReliefF(n_neighbors=70, neighbor_weights="rank", threshold="fdr").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 's5']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ReliefSelector._parameter_constraints,
        **OutcomeMixin._target_constraints,
        **N_NEIGHBORS,
        "neighbor_weights": [StrOptions({"flat", "rank"})],
        "decay": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int | str = 10,
        neighbor_weights: str = "flat",
        decay: float = 20.0,
        kind: str = "auto",
        class_order: Sequence | None = None,
        metric: str = "manhattan",
        sample_size: float | None = None,
        ties: str = "share",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        super().__init__(
            n_features_to_select,
            metric=metric,
            sample_size=sample_size,
            ties=ties,
            threshold=threshold,
            error_rate=error_rate,
            categorical_features=categorical_features,
            random_state=random_state,
            n_jobs=n_jobs,
            engine=engine,
            must_keep=must_keep,
            feature_groups=feature_groups,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors
        self.neighbor_weights = neighbor_weights
        self.decay = decay
        self.kind = kind
        self.class_order = class_order

    def _rule(self, samples: Samples) -> list[Term]:
        k, worth = self._k(samples), None
        if self.neighbor_weights == "rank":
            worth = np.exp(-(np.arange(1, k + 1) ** 2) / self.decay**2)
        return rrelieff(samples, k, worth)
