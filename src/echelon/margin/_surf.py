"""SURF, MultiSURF and their starred variants: ReliefF without a number of neighbours to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from echelon.engines import Engine, Samples
from echelon.margin._base import OutcomeMixin, ReliefSelector
from echelon.margin.rules import Band, Term, radius


class RadiusSelector(OutcomeMixin, ReliefSelector):
    """ReliefF, or RReliefF, with the samples in ``_bands`` as neighbours; no place to tie for."""

    _bands: ClassVar[tuple[Band, ...]]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: c for name, c in ReliefSelector._parameter_constraints.items() if name != "ties"},
        **OutcomeMixin._target_constraints,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        kind: str = "auto",
        class_order: Sequence | None = None,
        metric: str = "manhattan",
        sample_size: float | None = None,
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
        self.kind = kind
        self.class_order = class_order

    def _rule(self, samples: Samples) -> list[Term]:
        return radius(samples, self._bands)


class SURF(RadiusSelector):
    """SURF: Relief with all samples closer than the mean distance as neighbours.

    For every sample, the score of a feature falls by its mean difference to the samples of the same
    class, and rises by that to samples of other classes, nearer than the mean distance of all pairs
    of samples [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
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
        the feature's values (of the outcomes, if y has an order) with fixed neighbours; 0 for
        constant features.
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
    MultiSURF : A limit for every sample.
    ReliefF : A number of neighbours instead.

    Notes
    -----
    Classes without an order: hits and misses as in :class:`ReliefF`, misses of class C weighted
    P(C) / (1 - P(class of the sample)); a class without a sample in reach counts nothing.  Ordered
    classes and continuous targets: as in :class:`RReliefF`, neighbours weighing the same.  A
    distance equal to the limit is neither nearer nor farther.  Missing values (NaN) leave the
    feature out of the pair.  The cost grows with the square of the number of samples and linearly
    with the features.

    References
    ----------
    .. [1] C. S. Greene, N. M. Penrod, J. Kiralis, J. H. Moore, "Spatially Uniform ReliefF (SURF)
       for computationally-efficient filtering of gene-gene interactions", BioData Mining 2, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import SURF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> SURF(3).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']
    """

    _bands = (Band(-1),)


class SURFStar(RadiusSelector):
    """SURF*: SURF that also uses far samples, with the opposite sign.

    As :class:`SURF`; and samples beyond the mean distance count too: a feature gains by its mean
    difference to far samples of the same class, and loses by that to far samples of other classes
    [1]_.  It is for features that matter only in combination: a feature with an effect of its own
    also differs at far misses, which counts against it.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
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
        the feature's values with fixed neighbours; 0 for constant features.
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
    SURF : Near samples only.
    MultiSURFStar : A limit for every sample.

    Notes
    -----
    As :class:`SURF`.  Far samples count the other way round, also for numbers.  (Some count 1 - d
    for far samples: that adds a constant which is 0 unless a sample lacks far hits or misses, and
    the same for all features.)

    References
    ----------
    .. [1] C. S. Greene, D. S. Himmelstein, J. Kiralis, J. H. Moore, "The informative extremes:
       using both nearest and farthest individuals can improve Relief algorithms in the domain of
       human genetics", EvoBIO 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import SURFStar
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> SURFStar(3).fit(X, y).get_feature_names_out().tolist()
    ['mean fractal dimension', 'compactness error', 'fractal dimension error']
    """

    _bands = (Band(-1), Band(1))


class MultiSURF(RadiusSelector):
    """MultiSURF: SURF with a separate radius for every sample.

    A neighbour of a sample lies nearer than the mean of its distances to all others less half their
    standard deviation.  For every sample, the score of a feature falls by its mean difference to
    neighbours of the same class, and rises by that to neighbours of other classes [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
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
        the feature's values (of the outcomes, if y has an order) with fixed neighbours; 0 for
        constant features.
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
    SURF : One limit for all samples.
    MultiSURFStar : Far samples too.

    Notes
    -----
    As :class:`SURF`.

    References
    ----------
    .. [1] R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker, J. H. Moore, "Benchmarking
       Relief-based feature selection methods for bioinformatics data mining", Journal of Biomedical
       Informatics 85, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import MultiSURF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> MultiSURF(3).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']
    """

    _bands = (Band(-1, 0.5, own=True),)


class MultiSURFStar(RadiusSelector):
    """MultiSURF*: MultiSURF that also uses far samples, with the opposite sign.

    As :class:`MultiSURF`; and samples farther than the mean distance and half a standard deviation
    count too: a feature gains by its mean difference to far samples of the same class, and loses by
    that to far samples of other classes [1]_.  It is for features that matter only in combination:
    a feature with an effect of its own also differs at far misses, which counts against it.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
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
        the feature's values with fixed neighbours; 0 for constant features.
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
    MultiSURF : Near samples only.
    SURFStar : One limit for all samples.

    Notes
    -----
    As :class:`SURFStar`.

    References
    ----------
    .. [1] D. Granizo-Mackenzie, J. H. Moore, "Multiple threshold spatially uniform ReliefF for the
       genetic analysis of complex human diseases", EvoBIO 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import MultiSURFStar
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> MultiSURFStar(3).fit(X, y).get_feature_names_out().tolist()
    ['mean fractal dimension', 'compactness error', 'fractal dimension error']
    """

    _bands = (Band(-1, 0.5, own=True), Band(1, 0.5, own=True))
