"""SWRF, MultiSWRF and their starred variants: SURF, its neighbours weighted by their distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from echelon._core.compat import Interval
from echelon.engines import Engine, Samples
from echelon.margin._surf import RadiusSelector
from echelon.margin.rules import Band, Term, radius


class SigmoidSelector(RadiusSelector):
    """Neighbours within a radius, with weights that rise as a sigmoid from 0 at its limits."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RadiusSelector._parameter_constraints,
        "dead_band": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        dead_band: float = 0.0,
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
            kind=kind,
            class_order=class_order,
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
        self.dead_band = dead_band

    def _rule(self, samples: Samples) -> list[Term]:
        bands = [replace(band, width=float(self.dead_band)) for band in self._bands]
        return radius(samples, bands)


class SWRF(SigmoidSelector):
    """SWRF: SURF with larger weights for closer neighbours.

    For every sample, the score of a feature falls by its weighted difference to the samples of the
    same class, and rises by that to samples of other classes, nearer than the mean distance of all
    pairs of samples.  Those near the limit hardly count, so its exact value matters little [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    dead_band : float, default=0.0
        Standard deviations from the mean distance to either limit.  0: the limits are the mean.
        0.5, with a limit for every sample: the samples that count are those of
        :class:`MultiSURF` and :class:`MultiSURFStar`.
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
    SURF : All neighbours weigh the same.
    MultiSWRF : A limit for every sample.

    Notes
    -----
    A sample x standard deviations from the limit weighs 2 / (1 + exp(-4 x)) - 1: next to nothing at
    the limit, 0.76 half a deviation away, 0.96 a whole one.  Mean and deviation are those of the
    distances of all pairs.
    Classes without an order: as :class:`SURF`, and the mean difference to the hits, or to
    the misses of a class, becomes the mean of weight times difference.  Ordered classes and
    continuous targets: as in :class:`RReliefF`, where the weights of a sample's neighbours add up
    to 1.
    Missing values (NaN) leave the feature out of the pair.  The cost grows with the square of the
    number of samples and linearly with the features.

    References
    ----------
    .. [1] M. E. Stokes, S. Visweswaran, "Application of a spatially-weighted Relief algorithm for
       ranking genetic predictors of disease", BioData Mining 5, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import SWRF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> SWRF(3).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']
    """

    _bands = (Band(-1, sigmoid=True),)


class SWRFStar(SigmoidSelector):
    """SWRF*: SWRF that also uses far samples, with the opposite sign.

    As :class:`SWRF`; and samples beyond the mean distance count too, the more the farther they are:
    a feature gains by its weighted difference to far samples of the same class, and loses by that
    to far samples of other classes [1]_.  It is for features that matter only in combination: a
    feature with an effect of its own also differs at far misses, which counts against it.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    dead_band : float, default=0.0
        Standard deviations from the mean distance to either limit.  0: the limits are the mean.
        0.5, with a limit for every sample: the samples that count are those of
        :class:`MultiSURF` and :class:`MultiSURFStar`.
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
    SWRF : Near samples only.
    MultiSWRFStar : A limit for every sample.

    Notes
    -----
    As :class:`SWRF`, with :class:`SURFStar` in the place of :class:`SURF`.  Far samples count the
    other way round, also for continuous targets.

    References
    ----------
    .. [1] M. E. Stokes, S. Visweswaran, "Application of a spatially-weighted Relief algorithm for
       ranking genetic predictors of disease", BioData Mining 5, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import SWRFStar
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> SWRFStar(3).fit(X, y).get_feature_names_out().tolist()
    ['mean fractal dimension', 'concavity error', 'fractal dimension error']
    """

    _bands = (Band(-1, sigmoid=True), Band(1, sigmoid=True))


class MultiSWRF(SigmoidSelector):
    """MultiSWRF: SWRF with a separate mean distance for every sample.

    A neighbour of a sample lies nearer than the mean of its distances to all others, and weighs
    more the nearer it is.  For every sample, the score of a feature falls by its weighted
    difference to neighbours of the same class, and rises by that to neighbours of other
    classes [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    dead_band : float, default=0.0
        Standard deviations from the mean distance to either limit.  0: the limits are the mean.
        0.5, with a limit for every sample: the samples that count are those of
        :class:`MultiSURF` and :class:`MultiSURFStar`.
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
    SWRF : One limit for all samples.
    MultiSURF : All neighbours weigh the same.

    Notes
    -----
    As :class:`SWRF`, with :class:`MultiSURF` in the place of :class:`SURF`; mean and deviation are
    those of the sample's distances to all others.

    References
    ----------
    .. [1] R. J. Urbanowicz et al., "scikit-rebate", version 0.8.4, 2026: MultiSWRF, and with
       ``dead_band=0.5`` MultiSWRFDB.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import MultiSWRF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> MultiSWRF(3).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter', 'worst concave points']
    """

    _bands = (Band(-1, own=True, sigmoid=True),)


class MultiSWRFStar(SigmoidSelector):
    """MultiSWRF*: MultiSWRF that also uses far samples, with the opposite sign.

    As :class:`MultiSWRF`; and samples farther than the mean of the distances count too, the more
    the farther they are: a feature gains by its weighted difference to far samples of the same
    class, and loses by that to far samples of other classes [1]_.  It is for features that matter
    only in combination: a feature with an effect of its own also differs at far misses, which
    counts against it.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    dead_band : float, default=0.0
        Standard deviations from the mean distance to either limit.  0: the limits are the mean.
        0.5, with a limit for every sample: the samples that count are those of
        :class:`MultiSURF` and :class:`MultiSURFStar`.
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
    MultiSWRF : Near samples only.
    SWRFStar : One limit for all samples.

    Notes
    -----
    As :class:`MultiSWRF`, with :class:`MultiSURFStar` in the place of :class:`MultiSURF`.  Far
    samples count the other way round, also for continuous targets.

    References
    ----------
    .. [1] R. J. Urbanowicz et al., "scikit-rebate", version 0.8.4, 2026: MultiSWRF*, and with
       ``dead_band=0.5`` MultiSWRFDB*.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from echelon import MultiSWRFStar
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> MultiSWRFStar(3).fit(X, y).get_feature_names_out().tolist()
    ['mean fractal dimension', 'concavity error', 'fractal dimension error']
    """

    _bands = (Band(-1, own=True, sigmoid=True), Band(1, own=True, sigmoid=True))
