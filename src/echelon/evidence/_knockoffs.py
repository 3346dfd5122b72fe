"""KnockoffSelector: a false discovery rate for features that are needed beside all others."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from echelon._core.choices import shared_ranks
from echelon._core.compat import HasMethods, Interval, fit_context
from echelon._core.jobs import Jobs, check_n_jobs
from echelon._core.samples import draw_seeds, fit_weighted, seeded
from echelon.base import BaseSelector, ranking_copies, ranks_of, scores_of
from echelon.data import Data
from echelon.evidence._sequential import SequentialKnockoffs
from echelon.methods import CLASSES
from echelon.targets import Target, TargetReader

N_FOLDS = 5
"""Folds by which the penalty of the lasso is chosen."""

PENALTIES = np.logspace(0, -2, 20)
"""Of the lasso, in units of the smallest one that selects nothing."""

DRAW_RATE = 0.8
"""Of several knockoffs, each is asked for this share of the error rate.

The rate holds whatever the share.  With less, more features must be found before any is; with more,
all draws must agree.
"""


class KnockoffSelector(TargetReader, BaseSelector):
    r"""Features that are needed given all others, with a controlled false discovery rate.

    A knockoff is a column that is related to the other features as the original is, but not to y
    [1]_.  A feature that is more important than its knockoff carries information of its own.  An
    irrelevant feature is as likely to be less important than its knockoff, so the number of
    knockoffs that win estimates the number of false discoveries.  Knockoffs are drawn one feature
    after the other, for ordered, nominal and continuous features.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number or share of features to select.  None: those that pass at ``error_rate``.
    selector : selector, default=None
        What scores features and knockoffs together: anything that has ``scores_``, ``order_``,
        ``ranking_``, ``feature_importances_`` or ``coef_`` after its fit.  None: the lasso, which
        sees additive linear effects; its penalty is chosen by
        cross-validation.
    error_rate : float, default=0.1
        The expected share of features not needed among the features selected.
    n_knockoffs : int, default=1
        Knockoffs of every feature, each with a fit of its own.  With several the result depends
        less on chance, but fewer features are found; their e-values are averaged [3]_.
    kind : {"auto", "ordinal", "classification", "regression"}, default="auto"
        Type of the target: ordered classes, unordered classes, or continuous.  "auto" infers it
        (:func:`echelon.targets.read_target`); a few different numbers are ordered classes.
    class_order : sequence, default=None
        The classes from lowest to highest; the target is then ordinal.
    categorical_features : "from_dtype", None, mask, indices or names, default="from_dtype"
        Nominal features, whose values are either equal or not.  "from_dtype": the string and
        unordered categorical columns of a DataFrame; ordered categoricals are used as codes.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    verbose : int, default=0
        Show a progress bar.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Scores, larger is better: mean of ``statistics_``.
    statistics_ : ndarray of shape (n_knockoffs, n_features)
        What every feature scores above its knockoff, as a share of the largest difference.
    e_values_ : ndarray of shape (n_features,)
        Evidence that the feature is needed, averaged over the knockoffs; those of features that
        are not add up to at most the number of features, on average.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
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
    ConditionalEvidence : p-values of the same question, also for few features.
    StabilitySelector : Any ranking, with an expected number of false positives.

    Notes
    -----
    The knockoff filter selects features whose statistic reaches the smallest threshold t with

    .. math:: \frac{1 + |\{j : W_j \le -t\}|}{|\{j : W_j \ge t\}|} \le q

    so at ``error_rate`` q it selects at least 1 / q features or none (1.25 / q with several
    knockoffs): use it from some 30 features on, a dozen of them relevant.  With fewer features than
    that a warning says so.

    The rate holds for any target, any effect and any selector that treats all columns alike, if the
    knockoffs are exchangeable with their features.  The models behind them are linear in normal
    scores, so that the rate is approximate where features depend
    on each other in ways that are not monotone, or by interactions.

    A missing value is missing in the knockoff, too.  The selector sees features and knockoffs in
    random order: parameters of it that name columns cannot be used.

    References
    ----------
    .. [1] E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high
       dimensional controlled variable selection", Journal of the Royal Statistical Society B 80,
       2018.
    .. [2] R. F. Barber, E. J. Candès, "Controlling the false discovery rate via knockoffs", Annals
       of Statistics 43, 2015.
    .. [3] Z. Ren, R. F. Barber, "Derandomised knockoffs: leveraging e-values for false discovery
       rate control", Journal of the Royal Statistical Society B 86, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import KnockoffSelector
    >>> X = np.random.default_rng(0).normal(size=(400, 40))
    >>> X[:, 1::2] += X[:, ::2]
    >>> y = np.digitize(X[:, :30:2].sum(axis=1), [-4, 0, 4])
    >>> selector = KnockoffSelector(error_rate=0.1, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True).tolist()
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29]
    """

    _allow_nan = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: constraint
            for name, constraint in BaseSelector._parameter_constraints.items()
            if name not in ("must_keep", "feature_groups")
        },
        **TargetReader._target_constraints,
        "selector": [HasMethods(["fit"]), None],
        "error_rate": [Interval(Real, 0, 1, closed="neither")],
        "n_knockoffs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        selector: Any = None,
        error_rate: float = 0.1,
        n_knockoffs: int = 1,
        kind: str = "auto",
        class_order: Sequence | None = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.selector = selector
        self.error_rate = error_rate
        self.n_knockoffs = n_knockoffs
        self.kind = kind
        self.class_order = class_order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> KnockoffSelector:
        """Draw knockoffs, score them beside the features, and choose which features to select.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.

        Returns
        -------
        self : object
            The fitted selector.
        """
        features, target, n_wanted = self._begin(X, y)
        n_features = features.shape[1]
        rate = self.error_rate * (1.0 if self.n_knockoffs == 1 else DRAW_RATE)
        check_n_jobs(self.n_jobs)
        if n_wanted is None:
            self._warn_of_few(n_features, rate)
        self.statistics_ = self._statistics(features, target)
        self.scores_ = self.statistics_.mean(axis=0)
        self.e_values_ = np.mean([e_values(w, rate) for w in self.statistics_], axis=0)
        self.order_ = np.lexsort([-self.scores_, -self.e_values_])
        self.ranking_ = shared_ranks(self.order_, n_features)
        if n_wanted is None:
            self.support_ = passing(self.e_values_, self.error_rate)
        else:
            self.support_ = self.ranking_ <= n_wanted
        return self

    def _warn_of_few(self, n_features: int, rate: float) -> None:
        least = math.ceil(1 / rate - 1e-9)
        if n_features < least:
            warnings.warn(
                f"`X` has {n_features} features, but at `error_rate` {self.error_rate} knockoffs "
                f"select at least {least} features or none, so none is selected. Use "
                "ConditionalEvidence, whose p-values have no such limit, or a larger error rate.",
                UserWarning,
                stacklevel=4,
            )

    def _statistics(self, features: Data, target: Target) -> np.ndarray:
        """Statistics of every draw, shape (n_knockoffs, n_features)."""
        sampler = SequentialKnockoffs(features)
        random = check_random_state(self.random_state)
        seeds = draw_seeds(random, self.n_knockoffs)
        arguments = ((sampler, features, target, self.selector, seed) for seed in seeds)
        jobs = Jobs(self.n_jobs, self.verbose)
        return np.array(jobs(type(self).__name__, statistics, arguments, steps=True))


def statistics(
    sampler: SequentialKnockoffs, features: Data, target: Target, selector: Any, seed: int
) -> np.ndarray:
    """What features score above their knockoffs, as a share of the largest difference."""
    random = np.random.RandomState(seed)
    rows = sampler.draw(random)
    if selector is None:
        differences = lasso_statistics(sampler, rows, target, random)
    else:
        differences = ranking_statistics(features, rows, target, seeded(selector, seed), random)
    largest = np.abs(differences).max()
    return differences / largest if largest > 0 else differences


# -------------------------------------------------------------------------------- statistics


def lasso_statistics(
    sampler: SequentialKnockoffs, rows: np.ndarray, target: Target, random: Any
) -> np.ndarray:
    """Differences of the absolute coefficients of features and knockoffs, columns added up."""
    columns = sampler.columns(rows)
    columns -= columns.mean(axis=0)
    spread = columns.std(axis=0)
    columns /= np.where(spread > 1e-12, spread, 1.0)
    sizes = np.sum([lasso(columns, y, random) for y in responses(target).T], axis=0)
    of_features, of_copies = np.split(sizes, 2)
    above = of_features - of_copies
    return np.array([above[feature.columns].sum() for feature in sampler.encoded.features])


def responses(target: Target) -> np.ndarray:
    """What the lasso predicts: mid-ranks, or indicators of classes without an order."""
    numbers = target.numbers
    if target.kind == CLASSES:
        return (numbers[:, None] == np.arange(numbers.max() + 1)).astype(float)[:, 1:]
    return rankdata(numbers)[:, None] / len(numbers)


def lasso(columns: np.ndarray, y: np.ndarray, random: Any) -> np.ndarray:
    """Absolute coefficients at the penalty that cross-validation chooses."""
    # Cyclic coordinate descent favours the first of equal columns.
    order = random.permutation(columns.shape[1])
    largest = np.abs(columns.T @ (y - y.mean())).max() / len(y)
    sizes = np.zeros(columns.shape[1])
    if largest < 1e-12:
        return sizes
    folds = KFold(min(N_FOLDS, len(y)), shuffle=True, random_state=random)
    model = LassoCV(alphas=largest * PENALTIES, cv=folds, tol=1e-3, precompute=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        sizes[order] = np.abs(model.fit(columns[:, order], y).coef_)
    return sizes


def ranking_statistics(
    features: Data, rows: np.ndarray, target: Target, selector: Any, random: Any
) -> np.ndarray:
    """Differences of the scores of features and knockoffs, or of their ranks without scores."""
    n_features = features.shape[1]
    order = random.permutation(2 * n_features)
    copies = np.take_along_axis(features.values, rows, axis=0)
    both = beside(features, copies, order)
    fitted = fit_weighted(next(ranking_copies(selector, n_features)), both, target, None)
    found = scores_of(fitted)
    sizes = np.empty(2 * n_features)
    if found is not None and len(found) == len(order):  # RFE has those of the last features
        sizes[order] = np.nan_to_num(found)
        return sizes[:n_features] - sizes[n_features:]
    sizes[order] = 2 * n_features + 1 - rankdata(ranks_of(fitted), method="max")
    feature, copy = sizes[:n_features], sizes[n_features:]
    return np.sign(feature - copy) * np.maximum(feature, copy)


def beside(features: Data, copies: np.ndarray, order: np.ndarray) -> Data:
    """Features and knockoffs as one table, columns in this order."""
    values = np.hstack([features.values, copies])[:, order]
    nominal = np.tile(features.nominal, 2)[order]
    columns = [pd.Categorical(v) if n else v for v, n in zip(values.T, nominal, strict=True)]
    table = pd.DataFrame({f"x{j}": column for j, column in enumerate(columns)})
    return replace(features, values=values, nominal=nominal, names=None, table=table, rows=None)


# ------------------------------------------------------------------------------- the filter


def e_values(statistics: np.ndarray, rate: float) -> np.ndarray:
    """E-values of one draw, whose selection at the rate is that of the knockoff filter [2]_.

    >>> e_values(np.array([3.0, 2.0, -1.0, 0.5]), 0.5).tolist()
    [4.0, 4.0, 0.0, 0.0]
    """
    thresholds = np.unique(np.abs(statistics[statistics != 0]))
    for threshold in thresholds:
        n_against = np.count_nonzero(statistics <= -threshold)
        if 1 + n_against <= rate * np.count_nonzero(statistics >= threshold):
            return len(statistics) * (statistics >= threshold) / (1 + n_against)
    return np.zeros(len(statistics))


def passing(e_values: np.ndarray, rate: float) -> np.ndarray:
    """Mask of what passes at a false discovery rate, by e-values (Wang, Ramdas 2022).

    >>> passing(np.array([8.0, 4.0, 0.0, 4.0]), 0.4).tolist()
    [True, True, False, True]
    """
    n = len(e_values)
    ordered = np.sort(e_values)[::-1]
    enough = np.flatnonzero(ordered * rate * np.arange(1, n + 1) >= n * (1 - 1e-9))
    return e_values >= ordered[enough[-1]] if len(enough) else np.zeros(n, bool)
