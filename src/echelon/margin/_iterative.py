"""Relief again and again: until weights settle, without the worst features, or in random parts."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.choices import CHOICE_CONSTRAINTS, Choice, read_choice
from echelon._core.compat import Interval, StrOptions, fit_context
from echelon._core.jobs import track
from echelon._core.samples import draw_seeds, fit_weighted, read_data, seeded, take_columns
from echelon.base import SampleWeightMixin, groups_to_keep, number_to_keep, scores_of
from echelon.data import as_table
from echelon.engines import Engine, Samples, resolve_engine
from echelon.margin._base import NUMBER_OR_SHARE, MarginSelector, ReliefSelector
from echelon.margin._loops import soft_margins
from echelon.margin._sums import column_totals, n_pairs
from echelon.margin._surf import MultiSURF

QUERIES_PER_TASK = 128
"""Fixed, so that results do not depend on the number of threads."""

Part = tuple[np.ndarray, np.ndarray | None]
"""Features to score, and their weights in distances; None: 1 each."""


class IRelief(SampleWeightMixin, MarginSelector):
    """I-Relief: Relief with soft neighbours and iterated feature weights.

    The nearest hit and the nearest miss are replaced by all hits and all misses, each with a
    probability that decreases with its distance; samples surrounded by misses count less.  The
    expected margins of the features, truncated at 0 and scaled to norm 1, are the next weights of
    the distance, until they converge [1]_.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass ``threshold``.
    width : float, default=0.2
        Width of the kernel exp(-distance / width), as a share of the mean distance under equal
        weights: the smaller, the fewer samples count as neighbours.
    max_iter : int, default=100
        Rounds at most.
    tol : float, default=0.0001
        Weights have settled when they move less than this, in Euclidean norm.
    threshold : float or "shuffle", default=None
        Selected features have larger scores than this.  "shuffle": larger scores than the best
        feature of one fit to permuted y.  None: scores above the mean.
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
        Scores, larger is better: expected margins, of which the weights are the positive part.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    threshold_ : float or None
        The score that selected features exceed; None if ``n_features_to_select`` is given.
    n_iter_ : int
        Rounds until the weights settled.
    classes_ : ndarray of shape (n_classes,)
        Class labels; ordered ones lowest first.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    Simba : One sample at a time, by gradient steps.
    IterativeRelief : Another selector, asked again without the worst features.

    Notes
    -----
    There are no z-scores: a feature's weight is part of the distance from which it comes, so that
    its moments under permutation are not those of a sum over given pairs.  Missing values are not
    supported.  The cost of a round grows with the square of the number of samples.

    References
    ----------
    .. [1] Y. Sun, "Iterative RELIEF for feature weighting: algorithms, theories, and applications",
       IEEE Transactions on Pattern Analysis and Machine Intelligence 29, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import IRelief
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> IRelief(3).fit(X, y).get_feature_names_out().tolist()
    ['alcohol', 'color_intensity', 'proline']
    """

    _own_threshold = "mean"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MarginSelector._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        width: float = 0.2,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | str | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        engine: str | Engine = "auto",
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.n_features_to_select = n_features_to_select
        self.width = width
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    def _weights(self, samples: Samples, random_state: Any) -> np.ndarray:
        engine = resolve_engine(self.engine, self.n_jobs)
        p = samples.values.shape[1]
        weights = np.full(p, p**-0.5)
        far = float(weights @ column_totals(samples, engine)) / n_pairs(samples)
        width = self.width * (far or 1.0)  # 1 if no samples differ
        rounds = track(
            range(self.max_iter), total=self.max_iter, description="I-Relief", verbose=self.verbose
        )
        self.n_iter_, settled = 0, False
        for _ in rounds:
            if settled:
                continue
            margins = _margins(samples, weights, width, engine)
            self.n_iter_ += 1
            positive = np.maximum(margins, 0.0)
            norm = np.linalg.norm(positive)
            after = positive / norm if norm > 0 else weights
            settled = bool(np.linalg.norm(after - weights) < self.tol) or norm == 0
            weights = after
        return samples.per_feature(margins)


def _margins(samples: Samples, weights: np.ndarray, width: float, engine: Engine) -> np.ndarray:
    """Mean margin of every column under soft neighbours."""
    n, counts = len(samples.classes), samples.mass
    data = samples.values, samples.classes, counts, samples.n_numeric

    def task(queries: np.ndarray) -> np.ndarray:
        return soft_margins(*data, weights, width, queries)

    tasks = np.array_split(np.arange(n), range(QUERIES_PER_TASK, n, QUERIES_PER_TASK))
    return sum(engine.map(task, tasks), np.zeros(len(weights))) / counts.sum()


class IterativeRelief(MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """A selector applied repeatedly, for data with many irrelevant features.

    Irrelevant features blur distances between samples.  TuRF [1]_ drops the worst share of the
    features and scores the rest again, until few are left; distances become more informative and
    cheaper.  VLS [2]_ scores random subsets of the features, in which two interacting ones are
    among few others, and uses the largest score of each.  Iterative Relief [3]_ scores all features
    repeatedly, with each weighted in the distance by its previous score.

    Parameters
    ----------
    selector : selector, default=None
        What scores the features: anything that has ``scores_``, ``feature_importances_`` or
        ``coef_`` after its fit.  None: :class:`MultiSURF`.
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that the selector selects by its rule,
        in the last round or in more than half of the parts; with "iter", all that score more than
        0.
    strategy : {"turf", "vls", "iter"}, default="turf"
        "turf": drop the worst, score again.  "vls": score random parts.  "iter": weigh features in
        the distance by their scores, score again; for Relief-type selectors and complete data.
    drop : float, default=0.5
        Share of the features (or groups) left that a round of "turf" drops; the rounds together
        cost 1 / drop times the first.
    min_features : int, default=10
        No more is dropped when so many features (or groups) are left.
    subset_size : int or float, default=0.5
        Number or share of features (or groups) in a part of "vls".
    n_deals : int, default=10
        How often "vls" deals all features out to parts.
    n_iter : int, default=10
        How often "iter" scores the features, first with equal weights.
    step_size : float, default=0.1
        Share of the way that weights move towards the new scores in a round of "iter".
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
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
        Scores, larger is better: in the last round in which the feature took part, or the largest
        of all parts.
    rounds_ : ndarray of shape (n_features,)
        How many fits the feature took part in.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    selector_ : object
        The selector as fitted last.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    IRelief : Soft neighbours under weighted distances, until the weights settle.

    Notes
    -----
    "turf" ranks features dropped later before those dropped earlier, whatever their scores, which
    come from different rounds; features to be selected take part in all of them.  A group is
    dropped, or dealt, as a whole.  "iter" takes the scores of the first round, cut at 0 and divided
    by the largest, as weights; later ones move them by ``step_size``.  It ends early if no
    score is above 0; scores fall as the distance comes to rest on few features, whose neighbours
    agree in them.  ``selector_.p_values_`` are those of the last fit: they take no account of
    earlier rounds, in which the same y dropped or weighed features.  The selector sees some columns
    of X only: name categorical features by dtype, not by position, and features to select and
    groups here, not there.

    References
    ----------
    .. [1] J. H. Moore, B. C. White, "Tuning ReliefF for genome-wide genetic analysis", EvoBIO 2007.
    .. [2] M. J. Eppstein, P. Haake, "Very large scale ReliefF for genome-wide association
       analysis", CIBCB 2008.
    .. [3] B. Draper, C. Kaito, J. Bins, "Iterative Relief", CVPR Workshop 2003; weights move as
       those of ``Iter`` of scikit-rebate 0.8.4.

    Examples
    --------
    >>> from echelon import IterativeRelief, MultiSURF
    >>> from echelon.datasets import make_epistasis
    >>> X, y = make_epistasis(400, 200, heritability=0.4, random_state=0)
    >>> selector = IterativeRelief(MultiSURF(), 2, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True).tolist()
    [0, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [None, BaseEstimator],
        "n_features_to_select": [None, *NUMBER_OR_SHARE],
        "strategy": [StrOptions({"turf", "vls", "iter"})],
        "drop": [Interval(Real, 0, 1, closed="neither")],
        "min_features": [Interval(Integral, 1, None, closed="left")],
        "subset_size": NUMBER_OR_SHARE,
        "n_deals": [Interval(Integral, 1, None, closed="left")],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "step_size": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
        **CHOICE_CONSTRAINTS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: Any = None,
        n_features_to_select: int | float | None = None,
        *,
        strategy: str = "turf",
        drop: float = 0.5,
        min_features: int = 10,
        subset_size: int | float = 0.5,
        n_deals: int = 10,
        n_iter: int = 10,
        step_size: float = 0.1,
        random_state: Any = None,
        must_keep: Any = None,
        feature_groups: Any = None,
        verbose: int = 0,
    ):
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.strategy = strategy
        self.drop = drop
        self.min_features = min_features
        self.subset_size = subset_size
        self.n_deals = n_deals
        self.n_iter = n_iter
        self.step_size = step_size
        self.random_state = random_state
        self.must_keep = must_keep
        self.feature_groups = feature_groups
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> IterativeRelief:
        """Score the features again and again, and choose which to keep.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that the selector takes.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which every fit of the selector is given.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        validate_data(self, X, y, skip_check_array=True)
        X, y = read_data(X, y, sample_weight)
        n_features, names = X.shape[1], getattr(self, "feature_names_in_", None)
        choice = read_choice(self.must_keep, self.feature_groups, n_features, names)
        wanted = groups_to_keep(self.n_features_to_select, choice)
        random_state = check_random_state(self.random_state)
        self.scores_ = np.full(n_features, -np.inf)
        self.rounds_ = np.zeros(n_features, dtype=int)
        kept = np.zeros(n_features, dtype=int)
        vls = self.strategy == "vls"
        parts, total = self._parts(choice, random_state)
        show: dict[str, Any] = {"description": "Iterated scores", "verbose": self.verbose}
        for part, weights in track(parts, total=total, **show):
            scores, chosen = self._score(X, y, sample_weight, part, weights, random_state)
            if vls:
                self.scores_[part] = np.maximum(self.scores_[part], scores)
            else:
                self.scores_[part], kept[:] = scores, 0
            self.rounds_[part] += 1
            kept[part] += chosen
        survival = np.zeros(n_features) if vls else self.rounds_
        self.order_, self.ranking_ = choice.ranked(np.lexsort((-self.scores_, -survival)))
        least = 0.5 * (self.rounds_ if vls else 1)
        self.support_ = choice.whole(kept > least) if wanted is None else self.ranking_ <= wanted
        return self

    def _parts(self, choice: Choice, random_state: Any) -> tuple[Iterator[Part], int | None]:
        """What the selector is asked for, round by round, and how many rounds, if that is known."""
        if self.strategy == "turf":
            return ((part, None) for part in self._falling(choice)), None
        if self.strategy == "vls":
            parts = self._dealt(choice, random_state)
            return ((part, None) for part in parts), self.n_deals * self._n_parts(choice)
        return self._weighed(len(choice.groups)), self.n_iter

    def _score(
        self, X: Any, y: Any, sample_weight: Any, part: np.ndarray, weights: Any, random_state: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores of some features, and which of them are selected."""
        base = MultiSURF() if self.selector is None else self.selector
        seed = draw_seeds(None if self.random_state is None else random_state, 1)[0]
        copy = clone(seeded(base, seed))
        if self.strategy == "iter":
            if not isinstance(copy, ReliefSelector):
                raise TypeError(
                    '`selector` must be of the Relief type with strategy="iter", which weighs '
                    f"features in its distance, got {type(base).__name__}. Use "
                    'strategy="turf".'
                )
            # Weights of features and missing values do not go together.
            copy._feature_weights, copy._allow_nan = weights, False
        fitted = fit_weighted(copy, take_columns(X, part), y, sample_weight)
        scores = scores_of(fitted)
        if scores is None:
            raise TypeError(
                f"`selector` must score features, got {type(base).__name__}, which has none of "
                "scores_, feature_importances_ and coef_ after its fit. Use one that does."
            )
        self.selector_ = fitted
        if self.strategy == "iter":
            return scores, scores > 0
        ruled = hasattr(fitted, "get_support")
        return scores, fitted.get_support() if ruled else np.ones(len(part), bool)

    def _falling(self, choice: Choice) -> Iterator[np.ndarray]:
        """All features, then those of the groups left, ascending, until few are."""
        left, n = np.arange(len(choice.groups)), choice.n_groups
        least = max(self.min_features, choice.n_kept)
        yield left
        while n > least:
            n = max(least, min(n - 1, round(n * (1 - self.drop))))
            best_first = left[np.argsort(-self.scores_[left], kind="stable")]
            left = np.flatnonzero(choice.ranked(best_first)[1] <= n)
            yield left

    def _weighed(self, n_features: int) -> Iterator[Part]:
        """All features, and their weights, which follow the scores."""
        weights = None
        for _ in range(self.n_iter):
            yield np.arange(n_features), weights
            positive = np.maximum(self.scores_, 0.0)
            if not positive.any():
                return
            target = positive / positive.max()
            last = target if weights is None else weights
            weights = last + self.step_size * (target - last)

    def _n_parts(self, choice: Choice) -> int:
        size = number_to_keep(min(self.subset_size, choice.n_groups), choice.n_groups)
        return -(-choice.n_groups // size)  # type: ignore[operator]

    def _dealt(self, choice: Choice, random_state: Any) -> Iterator[np.ndarray]:
        """All groups dealt out at random, to parts of about the same size, several times."""
        for _ in range(self.n_deals):
            order = random_state.permutation(choice.n_groups)
            for part in np.array_split(order, self._n_parts(choice)):
                yield np.flatnonzero(np.isin(choice.groups, part))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        base = MultiSURF() if self.selector is None else self.selector
        tags.input_tags.allow_nan = get_tags(base).input_tags.allow_nan and self.strategy != "iter"
        return tags
