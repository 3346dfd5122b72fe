"""How good a model is with the best 1, 2, 3, ... features, without looking at the test fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_consistent_length, check_random_state

from echelon._core.folds import fold_scores, make_splitter
from echelon._core.jobs import Jobs
from echelon._core.samples import (
    draw_seeds,
    read_data,
    read_weights,
    seeded,
    take_columns,
    take_rows,
)
from echelon._core.significance import ROUNDING, share_of_test, standard_error
from echelon.base import fit_ranking, n_worthwhile
from echelon.display import FeatureCurveDisplay

ALL_SIZES = 30
"""Up to so many features every size is tried, beyond so many sizes on a geometric grid."""


@dataclass(frozen=True, eq=False)
class FeatureCurve:
    """Scores of nested sets of features, fold by fold.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of features, ascending.
    scores : ndarray of shape (n_sizes, n_folds)
        Score on the test fold, larger is better.
    orders : ndarray of shape (n_folds, largest size)
        Features in the order in which every fold ranked them, best first.
    test_share : float, default=None
        Test samples per training sample; None: as if every sample were tested once.
    limits : ndarray of shape (n_folds,), default=None
        How many features the ranking of every fold itself finds worth keeping; None: it does not
        say.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.evaluation import FeatureCurve
    >>> scores = np.array([[0.6, 0.7], [0.8, 0.9], [0.8, 0.9]])
    >>> curve = FeatureCurve(np.array([1, 2, 4]), scores, np.array([[0, 1, 2, 3], [0, 2, 1, 3]]))
    >>> curve.best_size, curve.mean_scores.round(2).tolist()
    (2, [0.65, 0.85, 0.85])
    """

    sizes: np.ndarray
    scores: np.ndarray
    orders: np.ndarray
    test_share: float | None = None
    limits: np.ndarray | None = None

    @property
    def mean_scores(self) -> np.ndarray:
        """Mean over the folds, for every size."""
        return self.scores.mean(axis=1)

    def at(self, size: int) -> np.ndarray:
        """Scores of the folds with so many features.

        Parameters
        ----------
        size : int
            One of ``sizes``.
        """
        return self.scores[self.sizes.tolist().index(size)]

    @property
    def std_scores(self) -> np.ndarray:
        """Standard deviation over the folds (ddof=0, as in scikit-learn), for every size."""
        return self.scores.std(axis=1)

    @property
    def standard_errors(self) -> np.ndarray:
        """Standard error of the mean, for every size, corrected for overlapping training sets.

        s sqrt(1 / n_folds + test_share), where s is the standard deviation with ddof=1: Nadeau and
        Bengio, Machine Learning 52, 2003, 239-281.
        """
        return standard_error(self.scores, self.test_share)

    @property
    def best_size(self) -> int:
        """The smallest size with the largest mean score."""
        means = np.where(np.isnan(self.mean_scores), -np.inf, self.mean_scores)
        if means.max() == -np.inf:
            raise ValueError("Every score is NaN, so no size is best. Use another `scoring`.")
        return int(self.sizes[np.argmax(means >= means.max() - ROUNDING)])

    @property
    def one_se_size(self) -> int:
        """The smallest size within one standard error of the best mean score.

        What is within reach is evaluated by the difference to the best size, fold by fold, and its
        own standard error: folds that are hard for all sizes say nothing about any of them.
        """
        return self.smallest_within(None)

    def smallest_within(
        self, tolerance: float | None = None, limits: tuple[float, float] = (0.0, np.inf)
    ) -> int:
        """The smallest size that loses at most so much against the best mean score.

        Parameters
        ----------
        tolerance : float or None, default=None
            Loss in the units of the score; None: one standard error of the loss itself.
        limits : tuple of (float, float), default=(0.0, inf)
            With ``tolerance=None``: losses up to the first always pass, beyond the second never.
        """
        return int(self.sizes_within(self.at(self.best_size), tolerance, limits)[0])

    def sizes_within(
        self,
        reference: np.ndarray,
        tolerance: float | None = None,
        limits: tuple[float, float] = (0.0, np.inf),
    ) -> np.ndarray:
        """Sizes that lose at most so much against other scores of the same folds.

        Parameters
        ----------
        reference : ndarray of shape (n_folds,)
            Scores to compare with.
        tolerance : float or None, default=None
            Loss in the units of the score; None: one standard error of the loss itself.
        limits : tuple of (float, float), default=(0.0, inf)
            With ``tolerance=None``: losses up to the first always pass, beyond the second never.
        """
        losses = reference - self.scores
        allowed: Any = tolerance
        if tolerance is None:
            allowed = np.clip(standard_error(losses, self.test_share), *limits)
        return self.sizes[losses.mean(axis=1) <= allowed + ROUNDING]

    def without(self, fold: int) -> FeatureCurve:
        """The curve as the other folds see it, to choose a size in which this one is held out.

        Parameters
        ----------
        fold : int
            The fold to leave out.
        """
        scores = np.delete(self.scores, fold, axis=1)
        orders = np.delete(self.orders, fold, axis=0)
        limits = None if self.limits is None else np.delete(self.limits, fold)
        return replace(self, scores=scores, orders=orders, limits=limits)

    def frame(self) -> pd.DataFrame:
        """One row per size: ``n_features, mean_score, standard_error, score_0, ...``."""
        folds = {f"score_{fold}": column for fold, column in enumerate(self.scores.T)}
        drawn = FeatureCurveDisplay(self.sizes, self.scores, test_share=self.test_share)
        return drawn.frame().assign(**folds)

    def plot(self, ax: Any = None) -> FeatureCurveDisplay:
        """Draw the curve; see :class:`echelon.display.FeatureCurveDisplay`."""
        return FeatureCurveDisplay.from_curve(self).plot(ax)


def feature_curve(
    selector: Any,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> FeatureCurve:
    """Cross-validated score against the number of features, selected again within every fold.

    In every fold the features are ranked once, on its training rows; then the estimator is fitted
    to the best 1, 2, 3, ... of them on the same rows and scored on the test rows, which neither
    has seen.

    Parameters
    ----------
    selector : selector
        Anything that ranks features when fitted: with ``order_``, ``ranking_``, ``scores_``,
        ``feature_importances_`` or ``coef_``.  How many features it would keep does not matter.
    estimator : estimator
        Model to score, for example a Pipeline.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, of any kind that both take.
    y : array-like of shape (n_samples,)
        Target.
    sizes : sequence of int, default=None
        Numbers of features to try.  None: all up to 30 features, else 30 on a geometric grid.
    cv : int, splitter or iterable, default=5
        Folds.  A number: shuffled, and stratified for classifiers; whole groups if ``groups`` are
        given.
    scoring : str or callable, default=None
        As in scikit-learn.  None: ``estimator.score``.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group (a patient, a household) are never in both parts of a fold.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which the selector, the score and, if it takes any, the estimator are given.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    curve : FeatureCurve
        With ``frame()``, ``plot()``, ``best_size`` and ``one_se_size``.

    Notes
    -----
    The score of the best size is a maximum over sizes, and so a little too good for that size: for
    the score of the whole procedure cross-validate a Pipeline with a
    :class:`~echelon.CurveSelector`.

    Where the selector searches forwards it is asked for the largest of ``sizes``, where it searches
    backwards for one feature, so that all sizes come from one fit.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from echelon import ReliefF
    >>> from echelon.evaluation import feature_curve
    >>> X, y = load_wine(return_X_y=True)
    >>> curve = feature_curve(ReliefF(), GaussianNB(), X, y, sizes=[1, 2, 4, 8], random_state=0)
    >>> curve.frame()[["n_features", "mean_score", "standard_error"]].round(3)
       n_features  mean_score  standard_error
    0           1       0.651           0.060
    1           2       0.854           0.035
    2           4       0.950           0.031
    3           8       0.961           0.010
    >>> curve.best_size, curve.one_se_size
    (8, 4)
    """
    if not hasattr(estimator, "fit"):
        raise TypeError(f"`estimator` must be a model with a fit, got {estimator!r}.")
    X, y = read_data(X, y, groups)
    weights = None if sample_weight is None else read_weights(sample_weight)
    check_consistent_length(y, weights)
    tried = read_sizes(sizes, X.shape[1])
    random = None if random_state is None else check_random_state(random_state)
    folds = read_folds(estimator, X, y, groups, cv, random)
    scorer = check_scoring(estimator, scoring)

    def score(model: Any, columns: np.ndarray, place: int) -> float:
        kept = take_columns(X, columns)
        return float(fold_scores(model, kept, y, [folds[place]], scorer, weights)[0])

    seeds, jobs = draw_seeds(random, len(folds)), Jobs(n_jobs, verbose)
    ranked = rank_folds(selector, X, y, weights, tried, folds, seeds, jobs)
    return score_folds([(estimator, tried)], ranked, folds, seeds, score, jobs)[0]


class FoldRanking(NamedTuple):
    """How the training rows of one fold rank the features."""

    order: np.ndarray
    """Features, best first."""
    worthwhile: int | None
    """How many of them the ranking itself finds worth keeping; None: it does not say."""


def rank_folds(
    selector: Any,
    X: Any,
    y: Any,
    weights: np.ndarray | None,
    sizes: list[int],
    folds: list[tuple[np.ndarray, np.ndarray]],
    seeds: list[int | None],
    jobs: Jobs,
) -> list[FoldRanking]:
    """The ranking of every fold, by its training rows alone."""
    arguments = (
        (selector, X, y, weights, sizes, train, (place, len(folds)), seed)
        for place, ((train, _), seed) in enumerate(zip(folds, seeds, strict=True))
    )
    return jobs("rankings of the folds", _rank_fold, arguments, steps=True)


def _rank_fold(
    selector: Any,
    X: Any,
    y: Any,
    weights: np.ndarray | None,
    sizes: list[int],
    train: np.ndarray,
    place: tuple[int, int],
    seed: int | None,
) -> FoldRanking:
    with _naming(place):
        rows = (take_rows(X, train), take_rows(y, train))
        to_selector = None if weights is None else weights[train]
        fitted, order = fit_ranking(seeded(selector, seed), *rows, sizes, to_selector)
    return FoldRanking(order, n_worthwhile(fitted))


def score_folds(
    models: Sequence[tuple[Any, list[int]]],
    ranked: Sequence[FoldRanking],
    folds: list[tuple[np.ndarray, np.ndarray]],
    seeds: list[int | None],
    score: Callable[[Any, np.ndarray, int], float],
    jobs: Jobs,
) -> list[FeatureCurve]:
    """One curve per model, all from the same rankings.

    Parameters
    ----------
    models : sequence of (estimator, list of int)
        Models, each with the numbers of features that it is tried with.
    ranked : sequence of FoldRanking
        What ``rank_folds`` returned.
    folds : list of (ndarray, ndarray)
        Training and test rows.
    seeds : list of int or None
        One per fold.
    score : callable
        ``score(model, columns, place)`` is the score on the test rows of a fold.
    jobs : Jobs
        What runs the folds.
    """
    arguments = (
        (models, ranking.order, (place, len(folds)), seed, score)
        for place, (ranking, seed) in enumerate(zip(ranked, seeds, strict=True))
    )
    scores = jobs("feature_curve", _score_fold, arguments, steps=True)
    orders, share = np.array([ranking.order for ranking in ranked]), share_of_test(folds)
    limits = [ranking.worthwhile for ranking in ranked]
    most = None if None in limits else np.array(limits)
    return [
        FeatureCurve(
            np.array(sizes), np.array([fold[place] for fold in scores]).T, orders, share, most
        )
        for place, (_, sizes) in enumerate(models)
    ]


def _score_fold(
    models: Sequence[tuple[Any, list[int]]],
    order: np.ndarray,
    place: tuple[int, int],
    seed: int | None,
    score: Callable[[Any, np.ndarray, int], float],
) -> list[list[float]]:
    """The scores of every model on the test rows of one fold."""
    with _naming(place):
        copies = [(seeded(model, seed), sizes) for model, sizes in models]
        return [[score(model, order[:size], place[0]) for size in sizes] for model, sizes in copies]


@contextmanager
def _naming(place: tuple[int, int]) -> Iterator[None]:
    """Errors name the fold in which they happened."""
    try:
        yield
    except Exception as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"In fold {place[0]} of {place[1]} (from 0): {error}") from error


def read_folds(
    estimator: Any, X: Any, y: Any, groups: Any, cv: Any, random: Any
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of every fold."""
    splitter = make_splitter(cv, y, is_classifier(estimator), groups is not None, random)
    return list(splitter.split(X, y, groups))


def read_sizes(sizes: Any, n_features: int) -> list[int]:
    """Numbers of features to try, ascending, each once."""
    if sizes is None:
        if n_features <= ALL_SIZES:
            return list(range(1, n_features + 1))
        return np.unique(np.geomspace(1, n_features, ALL_SIZES).round().astype(int)).tolist()
    tried = sorted(set(np.ravel(sizes).tolist()))
    if not tried or not all(isinstance(k, int) and 1 <= k <= n_features for k in tried):
        raise ValueError(
            f"`sizes` must hold whole numbers from 1 to the number of features, {n_features}, got "
            f"{sizes!r}. Leave it out to try sizes over the whole range."
        )
    return tried
