"""Relevance bounds: how large and how small the weight of a feature can be in a good model."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from echelon._core.choices import shared_ranks
from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import Jobs
from echelon._core.words import LABELS, WEAK, listed
from echelon.base import BaseSelector
from echelon.bounds._analysis import Analysis, BoundsSettings, replaceable_groups
from echelon.bounds._data import TrainingData, read_outcome
from echelon.bounds._models import NUMBERS_ONLY, LinearEpsilonRegressor, LinearOrdinalClassifier
from echelon.bounds._program import standardised
from echelon.bounds._solvers import SOLVERS
from echelon.data import Data, read_numbers
from echelon.targets import Target, read_target

KINDS = np.array(LABELS)

NUMBERS_FOR_THREADS = 30_000
"""In smaller tables array operations are so short that threads wait for each other."""


class RelevanceBounds(BaseSelector):
    """Bounds of the weight every feature can have in a good linear model.

    Among all models whose ``||w||_1 + C * loss`` is within a tolerance of the optimum, the
    absolute weight of a feature has a smallest and a largest value [1]_.  A feature that no good
    model can do without is *strongly* relevant.  One that some good models use and others replace
    is *weakly* relevant: :meth:`feature_groups` says by what.  One that is correlated with these,
    and reaches no further than such noise would, is *explained* by them.  The rest is irrelevant.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: the strongly and weakly relevant ones.
    problem : {"auto", "ordinal", "classification", "regression"}, default="auto"
        What y is.  "auto": two classes are classification; integers, ordered categories or a
        given ``class_order`` are ordinal (with a warning beyond 20 integers); other numbers are
        regression.  Classification with more
        classes bounds every class against the rest.
    C : float, default=None
        What a unit of loss costs; the loss is a sum over samples.  None: chosen by
        cross-validation among 1, 3, 10, ... 1000, divided by the number of samples.
    tolerance : float or "auto", default="auto"
        By what share a good model may exceed the optimum.  "auto": by as much as chance lowers it,
        measured with probes.
    probes : {"joint", "single"}, default="joint"
        What noise is like.  "single": a feature with its values permuted, the same probes for all
        features, as in the paper; no feature is called explained.  "joint": to be relevant, a
        feature also has to beat probes of its own, permuted together with the features it is
        correlated with, since correlated noise reaches further than a lone probe.
    n_probes : int or "auto", default="auto"
        Number of probes, permuted features added to the data.  "auto": as many as
        ``false_positive_rate`` needs.  As many again for features that a few samples carry, such
        as indicators that are seldom 1, and up to as many for every block of correlated features.
    false_positive_rate : float, default=0.01
        Share of irrelevant features that may be called weak or strong.  It holds for features that
        are independent of all others and, with joint probes, for blocks of correlated features
        that are independent of the rest; see the notes.
    epsilon : float, default=0.1
        Regression: error without loss, in standard deviations of y.
    budget : {"joint", "separate"}, default="joint"
        Whether the tolerance holds for ``||w||_1 + C * loss`` (the paper), or for the two terms
        one by one.
    fixed : dict, default=None
        Weights known beforehand: ``{feature: value}`` or ``{feature: (low, high)}``, features by
        name or index, values signed and in the unit of ``intervals_``.  The bounds of the other
        features then hold given these.
    cv : int or splitter, default=5
        Folds of the cross-validation; fewer if a class is smaller.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    solver : {"interior-point", "highs"}, default="interior-point"
        Both find the same optimum.  "interior-point" is faster, and turns to HiGHS where it stalls,
        which ``verbose`` mentions.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    intervals_ : ndarray of shape (n_features, 2)
        Smallest and largest absolute weight of each standardised feature, divided by the L1 norm
        of the optimum.  Several unordered classes: shape (n_classes, n_features, 2).
    relevance_ : ndarray of shape (n_features,)
        "strong", "weak", "explained" or "irrelevant"; several unordered classes: the strongest of
        them.  A strong feature has a lower bound above 0 that no rounding of a solver accounts for.
    relevance_by_class_ : ndarray of shape (n_classes, n_features)
        The same for every class against the rest; several unordered classes only.
    problem_ : str
        What y was taken for: "ordinal", "classification" or "regression".
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: upper bounds; several unordered classes: the largest of them.
        Those of features carried by a few samples are scaled by what noise of their kind reaches;
        those of explained and irrelevant features are at most ``probe_threshold_``.
    probe_threshold_ : float
        The upper bound that noise exceeds at the ``false_positive_rate``.
    probe_thresholds_ : ndarray of shape (n_features,)
        The same for every feature: another one for those carried by a few samples.  Several
        unordered classes: shape (n_classes, n_features).
    C_, tolerance_ : float
        The cost of loss and the tolerance used.  Like ``probe_threshold_`` and ``model_``, one per
        class for several unordered classes.
    model_ : estimator
        The model at the optimum.
    n_programs_, n_settled_ : int
        Programs solved (fits and bounds), and those of them that could be left early.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.  Not for regression.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    Notes
    -----
    A feature is relevant if its upper bound exceeds that of the probes.  It is strongly relevant
    if, in addition, its lower bound is above 0 and, with its values permuted, most of the time no
    model is within the tolerance.  The tolerance decides both, so it has to follow the noise; see
    docs/bounds.md for the evidence.

    The rate is approximate: a feature is bounded without its probes, and a probe beside the
    feature.  Realised at 0.05 with joint probes: 0.01 to 0.05 of independent noise, 0.01 to 0.09 of
    blocks of correlated noise, but 0.11 of a block where one class has a tenth of 100 samples, and
    0.04 (500 samples) to 0.20 (200) of noise correlated 0.9 with a strong feature.  With single
    probes 0.13 to 0.84 of correlated noise is called relevant.

    A constant feature has bounds of 0.  Every fit and every bound is a linear program; their number
    grows with features and probes, the cost of each with samples * features^2.

    References
    ----------
    .. [1] L. Pfannschmidt, J. Jakob, M. Biehl, P. Tino, B. Hammer, "Feature relevance bounds for
       ordinal regression", ESANN 2019.

    Examples
    --------
    >>> from echelon import RelevanceBounds
    >>> from echelon.datasets import make_relevance
    >>> X, y = make_relevance(150, 2, 2, 2, random_state=0)
    >>> selector = RelevanceBounds(random_state=0).fit(X, y)
    >>> selector.relevance_.tolist()
    ['strong', 'strong', 'weak', 'weak', 'irrelevant', 'irrelevant']
    >>> selector.feature_groups()
    [[2, 3]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": BaseSelector._parameter_constraints["n_features_to_select"],
        "problem": [StrOptions({"auto", "ordinal", "classification", "regression"})],
        "C": [Interval(Real, 0, None, closed="neither"), None],
        "tolerance": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "probes": [StrOptions({"joint", "single"})],
        "n_probes": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "false_positive_rate": [Interval(Real, 0, 1, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "budget": [StrOptions({"joint", "separate"})],
        "fixed": [dict, None],
        "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
        "class_order": ["array-like", None],
        "solver": [StrOptions(set(SOLVERS))],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        problem: str = "auto",
        C: float | None = None,
        tolerance: float | str = "auto",
        probes: str = "joint",
        n_probes: int | str = "auto",
        false_positive_rate: float = 0.01,
        epsilon: float = 0.1,
        budget: str = "joint",
        fixed: dict[Any, Any] | None = None,
        cv: Any = 5,
        class_order: Sequence | None = None,
        solver: str = "interior-point",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.problem = problem
        self.C = C
        self.tolerance = tolerance
        self.probes = probes
        self.n_probes = n_probes
        self.false_positive_rate = false_positive_rate
        self.epsilon = epsilon
        self.budget = budget
        self.fixed = fixed
        self.cv = cv
        self.class_order = class_order
        self.solver = solver
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> RelevanceBounds:
        """Bound the weight of every feature.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples; numbers only.
        y : array-like of shape (n_samples,)
            Classes or values.

        Returns
        -------
        self : object
            The fitted selector.
        """
        columns, _, n_wanted = self._begin(X, y)
        X, _, _ = standardised(columns.values)
        fixed = self._fixed_weights(columns)
        random_state = check_random_state(self.random_state)
        regression = self._target.kind == "regression"
        self._analyses = [
            Analysis(TrainingData(X, target, regression, self.epsilon), self._settings()).run(
                fixed, self._jobs(X), random_state
            )
            for target in self._target.one_vs_rest()
        ]
        self._warn_of_idle_models()
        self._summarise(columns.values, n_wanted)
        return self

    def _warn_of_idle_models(self) -> None:
        """Say why nothing is relevant, or nothing to some of several classes."""
        idle = [k for k, each in enumerate(self._analyses) if each.idle]
        if not idle:
            return
        if len(idle) < len(self._analyses):
            labels = [repr(self._target.labels.tolist()[k]) for k in idle]  # type: ignore[union-attr]
            reason = f"No feature tells {listed(labels)} from the rest; other classes have some."
        elif len(self._analyses[0].free) == 0:
            reason = "Every feature of `X` is constant, so every feature is called irrelevant."
        else:
            reason = (
                f"The best model at C = {self._analyses[0].C:.3g} uses no feature at all, so every "
                "feature is called irrelevant. Give a larger `C` if you know better."
            )
        warnings.warn(reason, UserWarning, stacklevel=3)

    def feature_groups(self) -> list[list[Any]]:
        """Sets of relevant features that can replace each other.

        Two weakly relevant features belong together if the upper bound of one collapses once the
        other has taken its share.  One feature after the other is forced in, and all features
        whose bound collapses form its group.

        Returns
        -------
        groups : list of lists
            Names (indices if X had none) of the features of every group with at least two.
            Several unordered classes: the groups of every class, without repetitions.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        groups: list[list[Any]] = []
        for each in self._analyses:
            for group in replaceable_groups(each, self._jobs(each.data.X)):
                named = group if names is None else names[group].tolist()
                if named not in groups:
                    groups.append(named)
        return groups

    def _jobs(self, X: np.ndarray) -> Jobs:
        return Jobs(self.n_jobs, self.verbose, compiled=X.size >= NUMBERS_FOR_THREADS)

    # ------------------------------------------------------------------------- input

    def _read(self, X: Any, y: Any) -> tuple[Data, Target]:
        columns = read_numbers(X, allow_nan=False, reason=NUMBERS_ONLY)
        return columns, self._read_target(y)

    def _read_target(self, y: Any) -> Target:
        target = read_target(y, self.problem, self.class_order)
        self._target = read_outcome(target, self.problem)
        self.problem_ = self._target.kind
        self.__dict__.pop("classes_", None)
        if self._target.labels is not None:
            self.classes_ = self._target.labels
        return target

    def _fixed_weights(self, columns: Data) -> dict[int, tuple[float, float]]:
        """``fixed`` by index, every weight as a pair of limits."""
        fixed = self.fixed or {}
        if fixed and len(self._target.one_vs_rest()) > 1:
            raise ValueError(
                "`fixed` must be None for several classes without an order, which have a model "
                "each. Give class_order, or bound one class at a time."
            )
        found: dict[int, tuple[float, float]] = {}
        for name, limit in fixed.items():
            index = self._index(name, columns)
            if index in found or np.ptp(columns.values[:, index]) == 0:
                raise ValueError(
                    f"`fixed` must name features that vary, each once, got {name!r}. Leave it out."
                )
            found[index] = _limits(name, limit)
        return found

    @staticmethod
    def _index(name: Any, columns: Data) -> int:
        """A feature of ``fixed``, given by name or index."""
        n_features = columns.values.shape[1]
        known = columns.names is not None and name in columns.names.tolist()
        if known or not isinstance(name, Integral) or isinstance(name, bool):
            return columns.position(name, "fixed")
        if not 0 <= int(name) < n_features:
            raise ValueError(
                f"`fixed` must name features from 0 to {n_features - 1}, got {name!r}."
            )
        return int(name)

    def _settings(self) -> BoundsSettings:
        return BoundsSettings(
            self.C,
            self.tolerance,
            self.probes,
            self.n_probes,
            float(self.false_positive_rate),
            self.budget,
            self.cv,
            self.solver,
        )

    # ------------------------------------------------------------------------ output

    def _summarise(self, X: np.ndarray, n_wanted: int | None) -> None:
        """Fitted attributes, from the analysis of every class."""
        analyses: list[Analysis] = self._analyses
        several = len(analyses) > 1
        intervals = np.array([each.intervals for each in analyses])
        kinds = np.max([each.relevance for each in analyses], axis=0)
        self.relevance_ = KINDS[kinds]
        self.__dict__.pop("relevance_by_class_", None)
        if several:
            self.relevance_by_class_ = KINDS[np.array([each.relevance for each in analyses])]
        self.scores_ = np.max([each.scores for each in analyses], axis=0)
        self.intervals_ = intervals if several else intervals[0]
        thresholds = np.array([each.probe_thresholds for each in analyses])
        self.probe_thresholds_ = thresholds if several else thresholds[0]
        for name in ("C", "tolerance", "probe_threshold"):
            values = np.array([getattr(each, name) for each in analyses])
            setattr(self, f"{name}_", values if several else float(values[0]))
        models = [self._model(X, each) for each in analyses]
        if hasattr(self, "feature_names_in_"):
            for model in models:
                model.feature_names_in_ = self.feature_names_in_
        self.model_ = models if several else models[0]
        self.n_programs_ = sum(each.n_programs for each in analyses)
        self.n_settled_ = sum(each.n_settled for each in analyses)
        n_fallbacks = sum(each.n_fallbacks for each in analyses)
        if self.verbose and n_fallbacks:
            message = f"HiGHS stepped in for {n_fallbacks} of {self.n_programs_} programs."
            print(message, file=sys.stderr)
        # Copies of a feature have equal bounds but for the last digits of a solver.
        self.order_ = np.argsort(-self.scores_.round(6), kind="stable")
        self.ranking_ = shared_ranks(self.order_, len(self.order_))
        self.support_ = kinds >= WEAK if n_wanted is None else self.ranking_ <= n_wanted

    def _model(self, X: np.ndarray, analysis: Analysis) -> Any:
        """The model at the optimum, fitted to the features and target as they are."""
        labels = self._target.labels
        if labels is None:
            return LinearEpsilonRegressor(analysis.C, self.epsilon).fit(X, self._target.original)
        target = analysis.data.target
        if target is self._target.values:
            return LinearOrdinalClassifier(C=analysis.C, class_order=list(labels)).fit(
                X, labels[target]
            )
        return LinearOrdinalClassifier(C=analysis.C).fit(X, target)


def _limits(name: Any, limit: Any) -> tuple[float, float]:
    """A weight of ``fixed`` as a pair of limits."""
    pair = (limit, limit) if isinstance(limit, Real) else limit
    try:
        low, high = (float(value) for value in pair)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (np.isfinite([low, high]).all() and low <= high):
        raise ValueError(
            f"`fixed` must map a feature to a number or a pair (low, high), got {limit!r} for "
            f"{name!r}. Give signed weights in the unit of `intervals_`."
        )
    return low, high
