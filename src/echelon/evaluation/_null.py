"""Whether chance would lead to the same scores: a fit to permuted targets."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from echelon._core.jobs import Jobs
from echelon._core.samples import (
    draw_seeds,
    feature_names,
    read_data,
    seeded,
    take_rows,
)
from echelon._core.significance import false_discoveries
from echelon.base import ranking_copies, scores_of
from echelon.display import NullDisplay
from echelon.evaluation._stability import check_number, check_shares

ROUNDING = 1e-9
"""Scores closer than this, relative to the largest, are the same."""


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
    check_number("n_permutations", n_permutations, 3)
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


def _check_rule(error_rate: Any, control: Any) -> None:
    check_shares(error_rate=error_rate)
    if control not in ("family", "fdr"):
        raise ValueError(f'`control` must be "family" or "fdr", got {control!r}.')
