"""Whether to trust selected features: would other samples, or chance, lead to them as well?"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.utils import check_consistent_length, check_random_state

from echelon._core.jobs import Jobs
from echelon._core.samples import (
    draw_rows,
    draw_seeds,
    feature_names,
    fit_weighted,
    read_data,
    read_weights,
    seeded,
    take_rows,
)
from echelon._core.significance import false_discoveries
from echelon.base import ranking_copies, scores_of
from echelon.display import NullDisplay, StabilityDisplay

ROUNDING = 1e-9
"""Scores closer than this, relative to the largest, are the same."""


@dataclass(frozen=True, eq=False)
class SelectionStability:
    """How much selections agree.

    Attributes
    ----------
    stability : float
        Nogueira's index: 1 if all selections are the same, 0 on average for random ones; NaN if
        every selection is empty, or everything.
    confidence_interval : tuple of two floats
        Of the stability.
    frequency : ndarray of shape (n_features,)
        Share of the resamples in which a feature was selected.
    selected : ndarray of shape (n_resamples, n_features)
        The selections.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import RankCorrelation
    >>> from echelon.evaluation import selection_stability
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> result = selection_stability(RankCorrelation(1), X, X[:, 0] > 0, random_state=0)
    >>> result.stability, result.frequency.tolist()
    (1.0, [1.0, 0.0, 0.0, 0.0])
    """

    stability: float
    confidence_interval: tuple[float, float]
    frequency: np.ndarray
    selected: np.ndarray
    names: np.ndarray

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first."""
        return StabilityDisplay.from_stability(self).frame()

    def plot(self, ax: Any = None, *, n_features: int = 30) -> StabilityDisplay:
        """Draw the frequencies; see :class:`echelon.display.StabilityDisplay`."""
        return StabilityDisplay.from_stability(self).plot(ax, n_features=n_features)


def selection_stability(
    selector: Any,
    X: Any,
    y: Any,
    n_resamples: int = 50,
    *,
    sample_share: float = 0.5,
    confidence: float = 0.95,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> SelectionStability:
    """How much the selected features depend on the rows that happened to be there.

    The selector is fitted to many random samples of the rows, and the sets of features it selects
    are compared by the index of Nogueira, Sechidis and Brown [1]_, which corrects for chance and
    for the number of features selected.

    Parameters
    ----------
    selector : selector
        With ``get_support``; ours or scikit-learn's.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target.
    n_resamples : int, default=50
        How many samples to draw.
    sample_share : float, default=0.5
        Share of the rows of every class (of the groups, if given) in a sample.
    confidence : float, default=0.95
        Of the interval.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are drawn together.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which the selector is given.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    result : SelectionStability
        With ``stability``, ``confidence_interval``, ``frequency``, ``frame()`` and ``plot()``.

    Notes
    -----
    Samples are drawn without replacement: in a bootstrap sample a row would be its own nearest
    neighbour.  Half of the rows vary about as much as a bootstrap sample does [2]_.  What is
    measured is the stability with that many rows; with all of them it is usually higher.

    The interval says how far the index would move with other resamples of the same rows.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms",
       Journal of Machine Learning Research 18 (2018), definition 4 and theorem 7.
    .. [2] J. Friedman, P. Hall, "On bagging and nonlinear estimation", Journal of Statistical
       Planning and Inference 137 (2007).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.evaluation import selection_stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = selection_stability(ReliefF(4), X, y, random_state=0)
    >>> round(result.stability, 2)
    0.73
    >>> result.frame()["feature"].tolist()[:2]
    ['od280/od315_of_diluted_wines', 'flavanoids']
    """
    X, y = read_data(X, y, groups)
    _check_number("n_resamples", n_resamples, 2)
    _check_shares(sample_share=sample_share, confidence=confidence)
    weights = None if sample_weight is None else read_weights(sample_weight)
    check_consistent_length(y, weights)
    random = check_random_state(random_state)
    draws = [draw_rows(y, groups, sample_share, random) for _ in range(n_resamples)]
    seeds = draw_seeds(None if random_state is None else random, n_resamples)
    arguments = ((selector, X, y, weights, *each) for each in zip(draws, seeds, strict=True))
    jobs = Jobs(n_jobs, verbose)
    selected = np.array(jobs("selection_stability", _selection, arguments, steps=True))
    return stability_of(selected, feature_names(X), confidence)


def stability_of(
    selected: np.ndarray, names: np.ndarray, confidence: float = 0.95
) -> SelectionStability:
    """How stable a selection is, of what was selected on several samples.

    Parameters
    ----------
    selected : ndarray of shape (n_samples, n_features)
        Mask of the features selected on every sample.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.
    confidence : float, default=0.95
        Of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.evaluation import stability_of
    >>> selected = np.array([[True, False, True], [True, False, True], [True, True, False]])
    >>> round(stability_of(selected, np.arange(3)).stability, 2)
    0.0
    """
    stability, variance = nogueira(selected)
    reach = float(norm.ppf((1 + confidence) / 2) * np.sqrt(variance))
    return SelectionStability(
        stability,
        (stability - reach, min(stability + reach, 1.0)),
        selected.mean(axis=0),
        selected,
        names,
    )


def nogueira(selected: np.ndarray) -> tuple[float, float]:
    """Stability of the sets in the rows of a mask, and its variance."""
    n_sets, n_features = selected.shape
    frequency, sizes = selected.mean(axis=0), selected.sum(axis=1) / n_features
    size = sizes.mean()
    by_chance = size * (1 - size)
    if by_chance == 0:
        warnings.warn(
            f"Every resample selected {'all' if size else 'no'} features, so stability is not "
            "defined. Give the selector a number of features to select, or another threshold.",
            UserWarning,
            stacklevel=3,
        )
        return np.nan, np.nan
    spread = n_sets / (n_sets - 1) * frequency * (1 - frequency)
    stability = 1 - spread.mean() / by_chance
    # Theorem 7: what every set contributes.
    agreement = selected @ frequency / n_features - sizes * size
    parts = agreement + stability / 2 * (2 * sizes * size - sizes - size + 1)
    variance = 4 / n_sets * np.var(parts / by_chance)
    return float(stability), float(variance)


def _selection(
    selector: Any, X: Any, y: Any, weights: Any, rows: np.ndarray, seed: int | None
) -> np.ndarray:
    copy = seeded(selector, seed)
    if not hasattr(copy, "get_support"):
        raise TypeError(
            f"`selector` must have get_support, got {type(selector).__name__}. Use a selector, for "
            "example sklearn.feature_selection.SelectFromModel around a model."
        )
    drawn = None if weights is None else weights[rows]
    return fit_weighted(copy, take_rows(X, rows), take_rows(y, rows), drawn).get_support()


@dataclass(frozen=True, eq=False)
class NullThreshold:
    """Scores beside what chance reaches.

    Scores become z-scores by the mean and standard deviation that their feature has over all rows,
    the observed one and those of permuted y alike, its largest score left out; these are compared.

    Attributes
    ----------
    threshold : ndarray of shape (n_features,)
        What the score of every feature must exceed; infinite where a score is not defined or never
        changes.
    support : ndarray of shape (n_features,)
        Mask of the features that exceed it.
    p_values : ndarray of shape (n_features,)
        With control="family", already corrected for the number of features; with "fdr", not yet.
    scores : ndarray of shape (n_features,)
        Scores on y as it is.
    null : ndarray of shape (n_permutations, n_features)
        Scores on permuted y.
    names : ndarray of shape (n_features,)
        Names of the features, or their numbers.
    z_scores : ndarray of shape (n_features,)
        Scores as z-scores; NaN where a score is not defined or never changes.
    z_null : ndarray of shape (n_permutations, n_features)
        Scores on permuted y likewise.
    z_threshold : float
        What a z-score must exceed, the same for all features.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import RankCorrelation
    >>> from echelon.evaluation import null_threshold
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> result = null_threshold(RankCorrelation(), X, X[:, 0] > 0, random_state=0)
    >>> result.support.tolist()
    [True, False, False, False]
    >>> result.judged(control="fdr").support.tolist()  # another rule, nothing permuted again
    [True, False, False, False]
    """

    threshold: np.ndarray
    support: np.ndarray
    p_values: np.ndarray
    scores: np.ndarray
    null: np.ndarray
    names: np.ndarray
    z_scores: np.ndarray
    z_null: np.ndarray
    z_threshold: float

    def frame(self) -> pd.DataFrame:
        """One row per feature, smallest p-value first."""
        frame = pd.DataFrame(
            {
                "feature": self.names,
                "score": self.scores,
                "threshold": self.threshold,
                "z_score": self.z_scores,
                "p_value": self.p_values,
                "passes": self.support,
            }
        )
        frame = frame.sort_values(["p_value", "z_score"], ascending=[True, False], kind="stable")
        return frame.reset_index(drop=True)

    def judged(self, error_rate: float = 0.05, control: str = "family") -> NullThreshold:
        """Evaluate the scores by another rate or control, without permuting again.

        Parameters
        ----------
        error_rate : float, default=0.05
            What ``control`` keeps below this.
        control : {"family", "fdr"}, default="family"
            As in :func:`null_threshold`.
        """
        _check_rule(error_rate, control)
        return _judge(self.scores, self.null, self.names, error_rate, control)

    def plot(self, ax: Any = None, *, n_features: int = 30) -> NullDisplay:
        """Draw scores and chance; see :class:`echelon.display.NullDisplay`."""
        return NullDisplay.from_null(self).plot(ax, n_features=n_features)


def null_threshold(
    selector: Any,
    X: Any,
    y: Any,
    n_permutations: int = 99,
    *,
    error_rate: float = 0.05,
    control: str = "family",
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> NullThreshold:
    """Which features score better than they would if y had nothing to do with X.

    The selector is fitted again and again to permuted y, which is what chance looks like.

    Parameters
    ----------
    selector : selector
        With ``scores_`` after its fit (or importances or coefficients); larger is better.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target.
    n_permutations : int, default=99
        How often y is permuted.  ``error_rate`` needs about ``1 / error_rate``; with fewer no
        feature can pass (with "fdr": none alone), and a warning says so.  With few more, "fdr"
        keeps well below the rate.
    error_rate : float, default=0.05
        What ``control`` keeps below this.
    control : {"family", "fdr"}, default="family"
        "family": the probability that *any* irrelevant feature passes; a z-score is compared with
        the largest of every permutation [3]_.  "fdr": the expected share of irrelevant features
        among those that pass; Benjamini and Hochberg's procedure [1]_ on p-values from the
        z-scores of all features and permutations [2]_.
    n_jobs : int, default=None
        Number of cores; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib sets another number.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices, including those of selectors and models without a seed.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    result : NullThreshold
        With ``threshold``, ``support``, ``p_values``, ``null``, ``frame()`` and ``plot()``;
        ``judged()`` asks for another rate without permuting again.

    Notes
    -----
    Permuted y has nothing to do with *any* feature.  If some features are relevant, the scores of
    the others can differ from what they are under permuted y, since a nearest neighbour is one in
    all features.  The promise is that of no relevant feature: the rates are exact when nothing is
    relevant, and a guide otherwise (beside two strong features of six, ReliefF let noise pass in
    30 % of tables at a nominal 10 %).  Where some features are known to be relevant, use p-values
    that the selector has itself: ``ReliefF(threshold="family")`` let noise pass in 1 % of
    100 such data sets, and found both features in all of them.

    Features whose chance spreads widely would set the bar for all others, so every feature is
    measured standardised by its permutation distribution: its mean and standard deviation over the
    permuted rows of scores *and* the observed one, without its largest score, whichever row that is
    in.  If y has nothing to do with X, the observed row is one more permuted row, and since no row
    is treated apart, its largest z-score is among the ``error_rate * (n_permutations + 1)`` largest
    with at most that probability, whatever the correlations, class sizes and scales: "family" is
    exact. "fdr" rests on pooled p-values, which are exact on average over the features only.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
       Statistical Society B 57 (1995).
    .. [2] V. Tusher, R. Tibshirani, G. Chu, "Significance analysis of microarrays", PNAS 98 (2001):
       null scores pooled over standardised features.
    .. [3] P. Westfall, S. Young, "Resampling-based multiple testing", Wiley (1993): the largest
       statistic of a permutation.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon import ReliefF
    >>> from echelon.evaluation import null_threshold
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.random((150, 5)), np.arange(150) % 2
    >>> X[:, 3] += 0.4 * y
    >>> null_threshold(ReliefF(), X, y, random_state=0).support.tolist()
    [False, False, False, True, False]
    """
    X, y = read_data(X, y)
    _check_number("n_permutations", n_permutations, 3)
    _check_rule(error_rate, control)
    random = check_random_state(random_state)
    orders = [np.arange(len(y)), *(random.permutation(len(y)) for _ in range(n_permutations))]
    seeds = draw_seeds(None if random_state is None else random, len(orders))
    arguments = ((selector, X, y, *each) for each in zip(orders, seeds, strict=True))
    found = np.array(Jobs(n_jobs, verbose)("null_threshold", _scores, arguments))
    return _judge(found[0], found[1:], feature_names(X), error_rate, control)


def _scores(selector: Any, X: Any, y: Any, rows: np.ndarray, seed: int | None) -> np.ndarray:
    """Scores of one fit with y in the order of the rows given."""
    copy = next(ranking_copies(seeded(selector, seed), 1))
    scores = scores_of(copy.fit(X, take_rows(y, rows)))
    if scores is None:
        raise TypeError(
            f"`selector` must score features, got {type(selector).__name__}, which has none of "
            "scores_, feature_importances_ and coef_ after its fit. Use one that does."
        )
    return scores


def _judge(
    scores: np.ndarray, null: np.ndarray, names: np.ndarray, rate: float, control: str
) -> NullThreshold:
    """What passes, by z-scores over all rows: the observed one and the permuted ones."""
    rows = np.vstack([scores, null])
    centre, spread, usable = _units(rows)
    z = np.full(rows.shape, np.nan)
    z[:, usable] = (rows[:, usable] - centre[usable]) / spread[usable]
    pool = _pool(z[1:, usable], rate, control)
    p_values, support = np.ones(len(scores)), np.zeros(len(scores), dtype=bool)
    p_values[usable] = _p_values(z[0, usable], pool)
    level = rate
    if control == "family":
        support[usable] = p_values[usable] <= rate + ROUNDING
    else:
        support[usable] = false_discoveries(p_values[usable], rate, ROUNDING)
        # No p-value lies between the last that passes and this level, or it would pass as well.
        level = max(support.sum(), 1) * rate / max(usable.sum(), 1)
    cut = _cut(pool, level)
    threshold = np.where(usable, centre + cut * np.where(usable, spread, 1.0), np.inf)
    return NullThreshold(threshold, support, p_values, scores, null, names, z[0], z[1:], cut)


def _units(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and deviation of every column, and which columns are defined and change at all.

    Without the largest score, whichever row it is in: that of a relevant feature would widen its
    column.  Where all others are equal, with it.
    """
    defined = np.isfinite(rows).all(axis=0)
    known = np.sort(np.where(defined, rows, 0.0), axis=0)
    least = ROUNDING * np.abs(known).max(axis=0)
    centre, spread = known[:-1].mean(axis=0), known[:-1].std(axis=0, ddof=1)
    lone = spread <= least
    centre = np.where(lone, known.mean(axis=0), centre)
    spread = np.where(lone, known.std(axis=0, ddof=1), spread)
    return centre, spread, defined & (spread > least)


def _pool(z_null: np.ndarray, rate: float, control: str) -> np.ndarray:
    """What an observed z-score is compared with, ascending."""
    n_permutations, n_features = z_null.shape
    family = control == "family"
    n_tests = 1 if family else max(n_features, 1)
    if rate * (n_permutations * n_tests + 1) < n_tests * (1 - ROUNDING):
        needed = math.ceil(1 / rate - 1 / n_tests - ROUNDING)
        warnings.warn(
            f"`n_permutations` must be at least {needed} for this `error_rate`, got "
            f"{n_permutations}: no feature can pass"
            f"{'' if family else ' alone, only several together'}. Permute more often.",
            UserWarning,
            stacklevel=4,
        )
    return np.sort(z_null.max(axis=1, initial=-np.inf) if family else z_null.ravel())


def _p_values(values: np.ndarray, pool: np.ndarray) -> np.ndarray:
    """Share of an ascending pool, and of the value itself, that reaches the value."""
    finite = pool[np.isfinite(pool)]
    slack = ROUNDING * np.abs(finite).max(initial=0.0)
    reaching = len(pool) - np.searchsorted(pool, values - slack)
    return (1 + reaching) / (1 + len(pool))


def _cut(pool: np.ndarray, level: float) -> float:
    """The value of an ascending pool that must be exceeded for a p-value of at most the level."""
    allowed = math.floor(level * (len(pool) + 1) + ROUNDING) - 1
    if allowed < 0:
        return math.inf
    return float(pool[-1 - allowed]) if allowed < len(pool) else -math.inf


# -------------------------------------------------------------------------------------- checks


def _check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"`{name}` must be a whole number from {least}, got {value!r}.")


def _check_shares(**shares: Any) -> None:
    for name, value in shares.items():
        if not 0 < value < 1:
            raise ValueError(f"`{name}` must lie between 0 and 1, got {value!r}.")


def _check_rule(error_rate: Any, control: Any) -> None:
    _check_shares(error_rate=error_rate)
    if control not in ("family", "fdr"):
        raise ValueError(f'`control` must be "family" or "fdr", got {control!r}.')
