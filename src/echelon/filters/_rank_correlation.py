"""RankCorrelation: every feature by itself, by the ranks of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from echelon._core.compat import StrOptions
from echelon._core.progress import track
from echelon.base import ErrorRateMixin, SampleWeightMixin, WeightingSelector
from echelon.filters._association import associations, blocks_of, codes_of, sorted_block
from echelon.filters._outcome import AnyTargetMixin, has_order
from echelon.validation import Columns


class RankCorrelation(SampleWeightMixin, ErrorRateMixin, AnyTargetMixin, WeightingSelector):
    """Features that rise or fall with the target, each by itself.

    Kendall's tau-b between feature and target counts the pairs of samples that both put in the
    same order less those they put in opposite ones; for ordered classes it is the test of
    Jonckheere and Terpstra for a trend over the classes ([1]_).  Nothing but the order of values
    matters, so neither units nor outliers do.  p-values say which correlations are no chance.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number, or share, of features to keep.  None: those that ``threshold`` keeps.
    measure : {"kendall", "spearman"}, default="kendall"
        Tau-b, or the correlation of mid-ranks.  They rank features nearly alike.
    threshold : float, "fdr", "family" or "shuffle", default=None
        A kept feature scores more than this.  "fdr", "family": its p-value passes Benjamini and
        Hochberg's, or Holm's, procedure at ``error_rate``.  "shuffle": it scores more than the best
        feature of one fit on permuted y.  None: "fdr" ([2]_).
    error_rate : float, default=0.05
        Of "fdr": the expected share of noise among the features kept.  Of "family": the probability
        to keep any.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is: ordered classes, classes without an order, or numbers.  "auto": as
        :func:`echelon.targets.read_target` reads it; a few different numbers are ordered classes.
    class_order : sequence, default=None
        Classes from lowest to highest.  Given, y is ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are equal or not.  "from_dtype": the string and unordered
        categorical columns of a DataFrame; ordered categoricals count as their codes.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice.
    must_keep : mask, indices or names, default=None
        Features that are kept in any case and ranked first; others are chosen beside them.  They
        count in ``n_features_to_select``.
    feature_groups : array-like or dict, default=None
        Features that stand or fall together: a label for every feature (None: on its own), or a
        dict from labels to mask, indices or names.  ``n_features_to_select`` counts groups, and
        ``ranking_`` is that of groups, as good as their best feature.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: tau or rho without its sign, or what corresponds to it (see
        Notes).  0 for a constant feature.
    correlations_ : ndarray of shape (n_features,)
        Tau or rho, positive if the feature rises with the target; NaN where feature or target
        has no order.
    p_values_ : ndarray of shape (n_features,)
        Probability of so strong an association by chance, from tie-corrected approximations.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 = best.
    support_ : ndarray of shape (n_features,)
        Mask of the kept features.
    threshold_ : float or None
        The score a kept feature exceeds; None if kept by number or by p-value.
    kind_ : str
        What y was read as.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    ForwardLinear : Features that add to each other in a linear model.
    ForwardAdditive : Features that act along any curve.

    Notes
    -----
    Samples in which a feature is missing do not count for it.  Between a nominal feature and a
    target with an order, or a numeric feature and three or more classes without one, the measure
    comes from the Kruskal-Wallis statistic; between a nominal feature and such classes, from
    Pearson's chi-squared (a squared correlation ratio and Cramer's V).  What more labels gain by
    chance is taken off ([3]_), so that noise scores alike in all columns; with two labels the
    score is the correlation of the column coded 0 and 1.  The cost is n log n per feature.
    A feature that acts only together with others, or along a curve that rises and falls, has no
    rank correlation, and copies of one feature all score alike.

    References
    ----------
    .. [1] M. G. Kendall, "Rank correlation methods", 4th edition, Griffin, 1970.
    .. [2] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
       Statistical Society B 57, 1995.
    .. [3] W. Bergsma, "A bias-correction for Cramer's V and Tschuprow's T", Journal of the Korean
       Statistical Society 42, 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from echelon import RankCorrelation
    >>> X, progression = load_diabetes(return_X_y=True, as_frame=True)
    >>> grade = pd.qcut(progression, 5, labels=["mild", "low", "medium", "high", "severe"])
    >>> selector = RankCorrelation().fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['age', 'bmi', 'bp', 's1', 's2', 's3', 's4', 's5', 's6']
    >>> dict(zip(X.columns, selector.correlations_.round(2).tolist()))["s3"]
    -0.3
    """

    _own_threshold = "fdr"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **AnyTargetMixin._target_constraints,
        "measure": [StrOptions({"kendall", "spearman"})],
        **ErrorRateMixin._error_rate_constraints,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: str = "kendall",
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.threshold = threshold
        self.error_rate = error_rate
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _scores(self, features: Columns, codes: Any, random_state: Any) -> np.ndarray:
        parts = blocks_of(features)
        name = type(self).__name__
        shown = track(parts, total=len(parts), description=name, verbose=self.verbose)
        blocks = (sorted_block(features, part) for part in shown)
        target = codes_of(codes.numbers)
        found = associations(features, target, has_order(codes), self.measure, blocks)
        self.correlations_, scores, self.p_values_ = found
        return scores
