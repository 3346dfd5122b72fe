"""O-ReliefF: trend and contrast along ordered classes, or the rule as printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import StrOptions
from echelon._core.samples import weighted_mid_ranks
from echelon.data import Data
from echelon.engines import Engine, Samples
from echelon.margin._base import N_NEIGHBORS, OrderedClassesMixin, ReliefSelector
from echelon.margin._evidence import Evidence, larger
from echelon.margin._sums import Sums
from echelon.margin.rules import Term, class_distances, contrast, ordinal_relieff, trend
from echelon.targets import Target


class OReliefF(OrderedClassesMixin, ReliefSelector):
    """O-ReliefF: ReliefF for ordered classes.

    Two kinds of evidence count.  *Trend*: a feature is larger in the nearest samples of the classes
    above than in the sample itself, and smaller in those of the classes below.  *Contrast*: among
    the nearest samples of any class, it differs more where the classes lie further apart.  Both are
    z-scores, so that neither the spread of a feature nor its unit matters, and noise is centred
    at 0; the score is the larger one.  ``rule="paper"`` is the rule as printed: misses above and
    below less hits that are no worse, or no better, on any feature (Equation 10 of [1]_).

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    n_neighbors : int or "log", default=10
        Misses above and below, and hits of the printed rule; the contrast takes as many times the
        number of classes (10 at most), of any class.  "log": the natural logarithm of the number
        of samples, rounded.
    rule : {"either", "trend", "contrast", "paper"}, default="either"
        What ``scores_`` are.  "either": the larger of the two z-scores.  "trend", "contrast": that
        z-score alone (a feature without an order has no trend, 0).  "paper": the sums of
        Equation (10), which depend on the spread of a feature.  Given directions
        (``monotonic_cst``) are enforced by "either" and "trend", and refused by "contrast", which
        does not see them.
    scale : {"rank", "range"}, default=None
        "rank": values count by their mid-ranks, so that outliers and units do not matter.  "range":
        scaled by their range.  None: "rank", but "range" for "paper" and for Dask collections.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between samples, over features scaled to [0, 1].
    dominance : {"prefer", "require", "ignore"}, default="prefer"
        Must an upward hit be at least as good on all features (and a downward hit at most)?  For
        "paper" only: "require" is its rule, but in many dimensions such hits hardly exist; "prefer"
        fills up with the nearest other samples of the class, "ignore" takes the nearest.
    contradictions : {"ignore", "penalize"}, default="ignore"
        For "paper".  "ignore" is its rule: a difference between classes counts whichever way it
        points.  "penalize": it counts as negative where the better class has the worse value.
    monotonic_cst : array-like, dict, "auto" or None, default="auto"
        For every feature 1 (larger is better), -1 (smaller is better) or 0 (no order), as an array,
        or a dict or Series by feature name (those not named: 0).  "auto": the sign of Kendall's tau
        with y.  None: larger is better throughout.  Where a trend goes against a given direction,
        "either" does not count the contrast: the score is that of the trend, below 0.
    class_order : sequence, default=None
        The classes from lowest to highest.  Required for classes that are neither integers nor an
        ordered categorical.
    sample_size : int or float, default=None
        Number or share of samples, drawn at random without replacement, whose neighbours are
        searched.  None: all samples.
    ties : {"share", "index"}, default="share"
        With "share", samples at equal distances share the remaining places, so results do not
        depend on the order of rows; with "index", the first rows are used.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: "fdr", or "shuffle" with
        "paper".
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.  Both hold approximately with neighbours of any class;
        with neighbours per class and classes of unequal size they are exceeded by far.
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
        the feature's values (for a contrast: of the classes) with fixed neighbours; 0 for constant
        features.
    p_values_ : ndarray of shape (n_features,)
        Probability of a larger z-score if the feature were unrelated to y, from a distribution with
        the skewness of the scores over permutations, times the number of ways in which a feature
        could have reached it (trend, either way with ``monotonic_cst="auto"``, and contrast); 1 for
        constant features.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if p-values or ``n_features_to_select``
        decide.
    monotonic_cst_ : ndarray of shape (n_features,)
        Direction of every feature, as used.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ReliefF : For classes without an order.

    Notes
    -----
    In contrast, with d the distance of two classes by their places, from 0 to 1, a pair weighs
    d / sum d - (1 - d) / sum (1 - d) over all pairs: RReliefF [2]_ with the class as a number.
    A direction without a miss (upward for the top class, downward for the bottom class) counts
    nothing, its hits included.  Missing values (NaN) leave the feature out of the pair, of its
    distance as of its dominance.  p-values are close to nominal for a contrast, and too large for a
    trend where few features, or correlated ones, choose the neighbours (``docs/margin.md``).
    The cost grows with the square of the number of samples.

    References
    ----------
    .. [1] Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
       classification", Knowledge-Based Systems 31, 2012.
    .. [2] M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and
       RReliefF", Machine Learning 53, 2003.
    .. [3] N. Mantel, "The detection of disease clustering and a generalized regression approach",
       Cancer Research 27, 1967: mean and variance under permutation.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import OReliefF
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["A", "B", "C", "D", "E"])  # ordered
    >>> selector = OReliefF().fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['bmi', 'bp', 's3', 's5']
    >>> selector.z_scores_.round(1)[selector.order_[:4]].tolist()
    [8.5, 7.9, 3.6, 2.6]
    >>> selector.monotonic_cst_.tolist()
    [1, 1, 1, 1, 1, 1, -1, 1, 1, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ReliefSelector._parameter_constraints,
        **OrderedClassesMixin._order_constraints,
        **N_NEIGHBORS,
        "contradictions": [StrOptions({"ignore", "penalize"})],
        "rule": [StrOptions({"either", "trend", "contrast", "paper"})],
        "scale": [StrOptions({"rank", "range"}), None],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int | str = 10,
        rule: str = "either",
        scale: str | None = None,
        metric: str = "manhattan",
        dominance: str = "prefer",
        contradictions: str = "ignore",
        monotonic_cst: Any = "auto",
        class_order: Sequence | None = None,
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
        self.rule = rule
        self.scale = scale
        self.dominance = dominance
        self.contradictions = contradictions
        self.monotonic_cst = monotonic_cst
        self.class_order = class_order

    @property
    def _own_threshold(self) -> str:  # type: ignore[override]
        return "shuffle" if self.rule == "paper" else "fdr"

    def _arrange(self, columns: Data, target: Target) -> Samples:
        local = isinstance(columns.values, np.ndarray)
        scale = self.scale or ("rank" if local and self.rule != "paper" else "range")
        if scale == "rank" and not local:
            raise ValueError(
                '`scale` must be "range" or None for a Dask collection, whose columns are not '
                'ranked, got "rank". Leave it out, or pass X.compute() if it fits into memory.'
            )
        return super()._arrange(mid_ranks(columns) if scale == "rank" else columns, target)

    def _directions(self, columns: Data, codes: np.ndarray) -> np.ndarray:
        """Which features rise or fall; given ones are refused by a rule that does not see them."""
        signs = super()._directions(columns, codes)
        if self.rule == "contrast" and not isinstance(self.monotonic_cst, str) and signs.any():
            raise ValueError(
                '`monotonic_cst` must be "auto" with rule="contrast", which does not see '
                f'directions, got directions for {np.count_nonzero(signs)}. Use rule="either" '
                'or "trend".'
            )
        return signs

    def _rule(self, samples: Samples) -> list[Term]:
        n_classes, k = len(samples.class_sizes), self._k(samples)
        if self.rule == "paper":
            return ordinal_relieff(n_classes, k, self.dominance, self.contradictions)
        apart = class_distances(n_classes, ordered=True)
        rising = trend(n_classes, k) if self.rule != "contrast" else []
        differing = contrast(apart, self._k_any(samples)) if self.rule != "trend" else []
        return [*rising, *differing]

    def _needs_z(self) -> bool:
        return self.rule != "paper" or super()._needs_z()

    def _evidence(self, sums: Sums) -> Evidence:
        ordered = np.arange(len(sums.samples.columns)) < sums.samples.n_ordered
        directed = [t for t, term in enumerate(sums.rule) if term.direction]
        others = [t for t, term in enumerate(sums.rule) if not term.direction]
        # Where tau chose the direction, a score could have come from either side.
        ways = np.where(ordered & bool(directed) & isinstance(self.monotonic_cst, str), 2, 1)
        if self.rule == "paper":
            return super()._evidence(sums)._replace(ways=ways)
        kinds = [sums.evidence(directed).only(ordered)._replace(ways=ways)] if directed else []
        kinds += [sums.evidence(others)] if others else []
        if len(kinds) == 2 and not isinstance(self.monotonic_cst, str):
            # A contrast does not see which way a feature goes: it is no evidence for the other one.
            kinds[1] = kinds[1].only(~(ordered & (kinds[0].z < 0)))
        found = reduce(larger, kinds)
        return found._replace(scores=found.z)


def mid_ranks(columns: Data) -> Data:
    """Numeric columns as mid-ranks among the values present, in the order of the values."""
    ranks = columns.values.copy()
    for f in np.flatnonzero(~columns.nominal).tolist():
        ranks[:, f] = weighted_mid_ranks(ranks[:, f], columns.weights)
    return replace(columns, values=ranks)
