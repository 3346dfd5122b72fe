"""ConditionalEvidence: which features are needed given all others, and which are replaceable."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from echelon._core.compat import Interval, StrOptions
from echelon._core.significance import (
    ADJUSTMENTS,
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
)
from echelon.base import ErrorRateMixin, WeightingSelector
from echelon.data import Data
from echelon.evidence._conditional import Encoded, encode
from echelon.evidence._outcome import Outcome
from echelon.evidence._related import (
    Cluster,
    Node,
    adjusted_in_tree,
    correlations,
    replacement,
    tree_of,
)
from echelon.evidence._tests import SMALLEST, PValues, conditional_tests, is_wide
from echelon.filters import RankCorrelation
from echelon.targets import Target, TargetReader

NEEDED, REPLACEABLE, NONE = "needed", "replaceable", "none"


class ConditionalEvidence(ErrorRateMixin, TargetReader, WeightingSelector):
    """Features that carry information about the target given all other features.

    Every feature gets two p-values: *conditional*, of the hypothesis that it carries no information
    beyond all other features, and *marginal*, that it is not associated with the target by itself.
    A feature is *needed* if the first is significant; *replaceable* if only the second is:
    others carry the same information, and ``replaced_by_`` says which; for the rest there is no
    evidence.  Rank correlations call every feature relevant that is correlated with a relevant one;
    of these, the conditional tests reject a share of at most the error rate.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    threshold : float, "fdr", "family" or "shuffle", default=None
        Selected features have larger scores than this.  "fdr", "family": p-values that pass the
        procedure of Benjamini and Hochberg, or of Holm, at ``error_rate``.  "shuffle": larger
        scores than the best feature of one fit to permuted y.  None: "fdr".  Labels follow the
        procedure, "fdr" if another threshold is given.
    error_rate : float, default=0.05
        With "fdr": the expected share of noise among the selected features.  With "family": the
        probability of selecting any noise.  Noise is what tells nothing beyond the others; marginal
        p-values are adjusted to the same rate.
    n_estimators : int, default=50
        Trees.
    n_draws : int, default=3
        How often a feature is drawn again, given the others.
    clusters : bool or "auto", default="auto"
        Whether clusters of correlated features are tested together as well: see ``clusters_``.
        "auto": where there are at least half as many features as samples.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
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
    labels_ : ndarray of shape (n_features,)
        "needed", "replaceable" or "none".
    p_values_ : ndarray of shape (n_features,)
        Conditional p-values: twice the smaller one of both tests, at most 1.
    adjusted_p_values_ : ndarray of shape (n_features,)
        The smallest error rates at which ``threshold`` accepts the features as needed.
    marginal_p_values_ : ndarray of shape (n_features,)
        p-values of :class:`RankCorrelation`, of every feature by itself.
    residual_p_values_, importance_p_values_ : ndarray of shape (n_features,)
        The two conditional tests: see Notes.
    replaced_by_ : list of lists of int
        For every replaceable feature those given which it tells nothing more; empty for others,
        and where none were found.
    clusters_ : list of Cluster
        The smallest clusters of correlated features that are needed as a whole, with adjusted
        p-values: no part of them, and no feature in them, is significant by itself.  Empty where
        clusters were not tested.
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: minus the decimal logarithm of the conditional p-values.
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
    RelevanceBounds : Strong and weak relevance in linear models.
    RankCorrelation : Every feature by itself.

    Notes
    -----
    Five folds; per fold one model of the target from all features (ridge regression, and a forest
    on what it leaves: of the indicators of ordered classes, y above each class, those of classes
    without an order, or of the normal scores of numbers) and one of every feature given all others
    (ridge regression for continuous ones; for ordered and nominal ones logits of it).  With the
    held-out rows two tests are made, neither of which fits the target again:

    - the *residual test* ([1]_, [2]_): is the residual of the feature correlated with that of the
      target?  It finds what rises or falls;
    - the *importance test* ([3]_): does the error of the model rise where the feature is replaced
      by draws given the others?  It finds any shape, and what acts with other features.

    ``feature_groups`` are tested together and have one p-value, as the indicators of one question.

    Of copies, none is needed: each tells what the others do.  Where a needed feature has missing
    values, what is correlated with it does tell more in these rows, and may rightly be needed too.
    The error rates rest on the models of features given the others: relations between features
    that no line in the normal scores describes, and few rows, weaken them.  With at least half as
    many features as rows, models fit the training rows closely, and statistics spread more than
    their distributions say.  There the p-values of the residual test are those of statistics
    divided by their spread, which the median over all features shows ([5]_; it rests on at most
    half of the features being needed), and the importance test uses the observed spread where it is
    larger.  The error rates then hold, at a cost in power.
    docs/benchmarks/evidence shows what was measured.  Rows have to be independent.

    The cost is that of five forests, n p log n, p predictions and p regressions, n p^2.

    References
    ----------
    .. [1] R. D. Shah, J. Peters, "The hardness of conditional independence testing and the
       generalised covariance measure", Annals of Statistics 48, 2020.
    .. [2] C. Li, B. E. Shepherd, "Test of association between two ordinal variables while adjusting
       for covariates", Journal of the American Statistical Association 105, 2010.
    .. [3] E. Candes, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high
       dimensional controlled variable selection", Journal of the Royal Statistical Society B 80,
       2018.
    .. [4] N. Meinshausen, "Hierarchical testing of variable importance", Biometrika 95, 2008.
    .. [5] B. Devlin, K. Roeder, "Genomic control for association studies", Biometrics 55, 1999.

    Examples
    --------
    >>> from echelon import ConditionalEvidence
    >>> from echelon.datasets import load_grades
    >>> X, grade = load_grades()
    >>> selector = ConditionalEvidence(random_state=0).fit(X, grade)
    >>> selector.get_feature_names_out().tolist()
    ['sex', 'bmi', 'bp', 's5']
    >>> facts = selector.frame().set_index("feature")
    >>> facts.loc["s2", ["label", "replaced_by"]].tolist()
    ['replaceable', ['s5']]
    """

    _own_threshold = "fdr"
    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightingSelector._parameter_constraints,
        **TargetReader._target_constraints,
        **ErrorRateMixin._error_rate_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_draws": [Interval(Integral, 2, None, closed="left")],
        "clusters": ["boolean", StrOptions({"auto"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        threshold: float | str | None = None,
        error_rate: float = 0.05,
        n_estimators: int = 50,
        n_draws: int = 3,
        clusters: bool | str = "auto",
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.error_rate = error_rate
        self.n_estimators = n_estimators
        self.n_draws = n_draws
        self.clusters = clusters
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConditionalEvidence:
        super()._fit(X, y, sample_weight)
        encoded, outcome = self.__dict__.pop("_encoded")
        self.labels_ = self._labels()
        self.replaced_by_ = self._replacements(encoded, outcome)
        return self

    # ---------------------------------------------------------------------------------- tests

    def _scores(self, features: Data, target: Target, random_state: Any) -> np.ndarray:
        encoded, outcome = self._encoded = encode(features), Outcome.of(target)
        n, place = self._choice.n_groups, self._choice.groups
        tree = self._tree(encoded)
        units = self._units
        together = [[f for u in node.units for f in units[u]] for node in tree]
        tests = self._test(encoded, outcome, [*units, *together], random_state)
        self.residual_p_values_ = tests.residual[:n][place]
        self.importance_p_values_ = tests.importance[:n][place]
        self.p_values_ = tests.p_values[:n][place]
        self.adjusted_p_values_ = ADJUSTMENTS[self._label_control](tests.p_values[:n])[place]
        self.marginal_p_values_ = RankCorrelation().fit(features, target).p_values_
        self.clusters_ = self._finest(tree, together, tests.p_values)
        return _scores_of(self.p_values_)

    def _test(
        self, encoded: Encoded, outcome: Outcome, units: list[list[int]], random_state: Any
    ) -> PValues:
        return conditional_tests(
            encoded,
            outcome,
            units,
            n_alone=self._choice.n_groups,
            n_estimators=self.n_estimators,
            n_draws=self.n_draws,
            random_state=random_state,
            n_jobs=self.n_jobs,
            progress=(type(self).__name__, self.verbose),
        )

    def _chance_score(self, features: Data, shuffled: Target, random_state: Any) -> float:
        tests = self._test(encode(features), Outcome.of(shuffled), self._units, random_state)
        return float(_scores_of(tests.p_values).max())

    @property
    def _units(self) -> list[list[int]]:
        """The features of every group."""
        groups = self._choice.groups
        return [np.flatnonzero(groups == u).tolist() for u in range(self._choice.n_groups)]

    # ------------------------------------------------------------------------------- clusters

    def _tree(self, encoded: Encoded) -> list[Node]:
        """The clusters to test."""
        wanted = self.clusters
        if isinstance(wanted, str):
            wanted = is_wide(self._choice.n_groups, len(encoded.matrix))
        return tree_of(correlations(encoded, self._units)) if wanted else []

    def _finest(
        self, tree: list[Node], together: list[list[int]], p_values: np.ndarray
    ) -> list[Cluster]:
        """Significant clusters of which no part is significant."""
        n = self._choice.n_groups
        of_nodes, of_units = adjusted_in_tree(tree, p_values[n:], p_values[:n])
        significant = of_nodes <= self.error_rate
        coarse = {tree[i].parent for i in np.flatnonzero(significant)}
        return [
            Cluster(tuple(sorted(together[i])), float(p_values[n + i]), float(of_nodes[i]))
            for i in np.flatnonzero(significant)
            if i not in coarse and (of_units[list(tree[i].units)] > self.error_rate).all()
        ]

    # --------------------------------------------------------------------------------- labels

    @property
    def _label_control(self) -> str:
        """The control that labels follow."""
        control = self._control()
        return control if control in ADJUSTMENTS else "fdr"

    def _best_first(self) -> np.ndarray:
        return np.lexsort((self.marginal_p_values_, -self.scores_))

    def _passes(self, threshold: float | None) -> np.ndarray:
        if threshold is None:
            return self.adjusted_p_values_ <= self.error_rate
        return self.scores_ > threshold

    def _labels(self) -> np.ndarray:
        alone = ADJUSTMENTS[self._label_control](self.marginal_p_values_) <= self.error_rate
        alone[[f for cluster in self.clusters_ for f in cluster.features]] = True
        needed = self.adjusted_p_values_ <= self.error_rate
        return np.where(needed, NEEDED, np.where(alone, REPLACEABLE, NONE))

    def _replacements(self, encoded: Encoded, outcome: Outcome) -> list[list[int]]:
        """What carries the information of every replaceable feature."""
        near = correlations(encoded, [[f] for f in range(len(self.labels_))])
        np.fill_diagonal(near, 0.0)
        near[:, self.labels_ == NONE] = 0.0
        near[near < 2 / np.sqrt(len(encoded.matrix))] = 0.0
        found: list[list[int]] = [[] for _ in self.labels_]
        for f in np.flatnonzero(self.labels_ == REPLACEABLE):
            related = np.argsort(-near[f], kind="stable")[: np.count_nonzero(near[f])]
            found[f] = replacement(encoded, outcome, int(f), related, self.error_rate)
        return found

    # ---------------------------------------------------------------------------------- facts

    def frame(self) -> pd.DataFrame:
        """One row per feature, best first.

        Returns
        -------
        frame : DataFrame
            Columns ``feature``, ``label``, ``p_value`` (conditional), ``p_holm``, ``p_fdr``
            (Benjamini and Hochberg), ``p_fdr_any`` (Benjamini and Yekutieli, for any dependence),
            ``marginal_p_value``, ``replaced_by`` (a list of names) and ``selected``.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        first = np.unique(self._choice.groups, return_index=True)[1]
        by_group = self.p_values_[first]
        columns = {
            "feature": names,
            "label": self.labels_,
            "p_value": self.p_values_,
            "p_holm": holm(by_group)[self._choice.groups],
            "p_fdr": benjamini_hochberg(by_group)[self._choice.groups],
            "p_fdr_any": benjamini_yekutieli(by_group)[self._choice.groups],
            "marginal_p_value": self.marginal_p_values_,
            "replaced_by": [names[others].tolist() for others in self.replaced_by_],
            "selected": self.support_,
        }
        return pd.DataFrame(columns).iloc[self.order_].reset_index(drop=True)


def _scores_of(p_values: np.ndarray) -> np.ndarray:
    """Minus the decimal logarithm; 0 and not -0 for 1."""
    return 0.0 - np.log10(np.maximum(p_values, SMALLEST))
