"""A selector that keeps as many features as the feature curve says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from echelon._core.choices import shared_ranks
from echelon._core.compat import HasMethods, StrOptions, fit_context
from echelon._core.folds import best_guess
from echelon._core.samples import draw_seeds, read_data, seeded, take_columns
from echelon._core.significance import clearly_positive
from echelon.base import fit_ranking
from echelon.data import as_table
from echelon.evaluation._curve import FeatureCurve, feature_curve, read_folds, read_sizes
from echelon.intervals import holds_intervals
from echelon.targets import read_target


class CurveSelector(MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """Select the number of features of a ranking by the cross-validated score of a model.

    Like scikit-learn's ``RFECV``, but with any ranking: :func:`~echelon.evaluation.feature_curve`
    determines how many features to select, and the selector, fitted to all rows, which ones.

    Parameters
    ----------
    selector : selector
        Ranks the features; how many it would select does not matter.
    estimator : estimator
        Model to score.
    rule : {"best", "one_se"}, default="best"
        The smallest size with the best mean score, or the smallest within one standard error of
        it.
    sizes : sequence of int, default=None
        Numbers of features to try.  None: all up to 30 features, else 30 on a geometric grid.
    allow_none : bool, default=False
        Select no features if the model with them is not better than the baseline, the best constant
        prediction (the most frequent class, the median of ordered ones, the mean or the median of
        numbers).  What counts is the score of every fold with the size that the *other* folds
        choose, by a one-sided t test over the folds.  It is nominally of 5 %, and approximate: 0 to
        9 % of tables of noise keep some, and 10 % where all features are correlated.
    cv : int, splitter or iterable, default=5
        Folds.  A number: shuffled, and stratified for classifiers.
    scoring : str or callable, default=None
        As in scikit-learn.  None: ``estimator.score``.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    curve_ : FeatureCurve
        Scores against sizes; ``curve_.plot()`` draws them.
    n_features_ : int
        Number of features selected.
    helps_ : bool
        Whether the selected features are significantly better than the baseline (one-sided t test
        over the folds, 5 %); with ``allow_none=True`` only.
    selector_ : object
        The selector, fitted to all rows.
    order_ : ndarray of shape (largest size tried,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best; features that were never reached share the last rank.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen in fit, if X has them.

    See Also
    --------
    echelon.evaluation.feature_curve : The curve alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from echelon import CurveSelector, ReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = CurveSelector(ReliefF(), GaussianNB(), "one_se", random_state=0).fit(X, y)
    >>> selector.n_features_
    6
    >>> shuffled = np.random.default_rng(0).permutation(y)
    >>> none = CurveSelector(ReliefF(), GaussianNB(), allow_none=True, random_state=0)
    >>> none.fit(X, shuffled).n_features_
    0
    >>> pipeline = make_pipeline(selector, GaussianNB())
    >>> cross_val_score(pipeline, X, y).mean().round(2)
    np.float64(0.93)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selector": [HasMethods(["fit"])],
        "estimator": [HasMethods(["fit"])],
        "rule": [StrOptions({"best", "one_se"})],
        "sizes": ["array-like", None],
        "allow_none": ["boolean"],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "n_jobs": [int, np.integer, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: Any,
        estimator: Any,
        rule: str = "best",
        *,
        sizes: Sequence[int] | None = None,
        allow_none: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.rule = rule
        self.sizes = sizes
        self.allow_none = allow_none
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> CurveSelector:
        """Rank the features and find out how many to select.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples, of any kind that selector and estimator take.
        y : array-like of shape (n_samples,)
            Target.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group are never in both parts of a fold.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which the selector, the score and, if it takes any, the estimator are given.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        validate_data(self, X, y, skip_check_array=True)
        X, y = read_data(X, y, groups)
        if sample_weight is not None and self.allow_none:
            raise ValueError(
                "`allow_none` must be False with `sample_weight`, got True: the baseline, "
                "which features must improve on, takes no weights. Leave out one of them."
            )
        random = None if self.random_state is None else check_random_state(self.random_state)
        sizes = read_sizes(self.sizes, X.shape[1])
        # First on all rows: what is wrong with X or y is said here, not in a fold.
        ranker = seeded(self.selector, draw_seeds(random, 1)[0])
        self.selector_, self.order_ = fit_ranking(ranker, X, y, sizes, sample_weight)
        folds = read_folds(self.estimator, X, y, groups, self.cv, random)
        self.curve_ = feature_curve(
            self.selector,
            self.estimator,
            X,
            y,
            sizes=sizes,
            cv=folds,
            scoring=self.scoring,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
            random_state=random,
            verbose=self.verbose,
        )
        self.n_features_ = self._size_of(self.curve_)
        if self.allow_none:
            self.helps_ = self._beats_guessing(X, y, folds)
            self.n_features_ *= self.helps_
        self.ranking_ = shared_ranks(self.order_, X.shape[1])
        self.support_ = self.ranking_ <= self.n_features_
        return self

    def _size_of(self, curve: FeatureCurve) -> int:
        return curve.best_size if self.rule == "best" else curve.one_se_size

    def _beats_guessing(self, X: Any, y: Any, folds: list[tuple]) -> bool:
        """Whether every fold, with the size chosen on the others, improves on the baseline."""
        kind = "auto" if is_classifier(self.estimator) else "regression"
        target = read_target(y, kind)
        if kind == "auto" and target.kind == "regression":  # many different numbers as classes
            target = read_target(y, "classification")
        guess = best_guess(target, X, y, folds, check_scoring(self.estimator, self.scoring))
        sizes = self.curve_.sizes.tolist()
        chosen = [self._size_of(self.curve_.without(fold)) for fold in range(len(folds))]
        held_out = [self.curve_.scores[sizes.index(size), i] for i, size in enumerate(chosen)]
        return clearly_positive(np.array(held_out) - guess.scores, self.curve_.test_share)

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        X_selected : array or DataFrame
            The selected features; intervals stay intervals.
        """
        check_is_fitted(self)
        if not holds_intervals(X):
            return super().transform(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return take_columns(X, np.flatnonzero(self.support_))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        parts = [get_tags(part).input_tags for part in (self.selector, self.estimator)]
        tags.input_tags.allow_nan = all(part.allow_nan for part in parts)
        return tags
