"""The score a feature reaches by chance, for any selector that scores features."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from echelon._core.error_rates import false_discoveries
from echelon._core.jobs import Jobs
from echelon._core.rows import draw_seeds, feature_names, read_data, seeded, take_rows
from echelon.rankings import ranking_copies, scores_of

ROUNDING = 1e-9
"""Scores closer than this, relative to the largest, are the same."""


@dataclass(frozen=True, eq=False)
class NullThreshold:
    """Scores beside what chance reaches.

    Attributes
    ----------
    threshold : float or ndarray of shape (n_features,)
        What a score must exceed; one value per feature with control="fdr".
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
    """

    threshold: float | np.ndarray
    support: np.ndarray
    p_values: np.ndarray
    scores: np.ndarray
    null: np.ndarray
    names: np.ndarray

    def frame(self) -> pd.DataFrame:
        """One row per feature, smallest p-value first."""
        frame = pd.DataFrame(
            {
                "feature": self.names,
                "score": self.scores,
                "threshold": self.threshold,
                "p_value": self.p_values,
                "passes": self.support,
            }
        )
        frame = frame.sort_values(["p_value", "score"], ascending=[True, False], kind="stable")
        return frame.reset_index(drop=True)


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
        "family": the probability that *any* irrelevant feature passes; a score is compared with
        the largest of every permutation.  "fdr": the expected share of irrelevant features among
        those that pass; Benjamini and Hochberg's procedure [1]_ on p-values from the scores of all
        features and permutations, each feature standardised by its own mean and deviation over
        the permutations.
    n_jobs : int, default=None
        Cores to use; -1: all.  None: all, in threads and without further processes, unless a
        context or worker of joblib says otherwise.  Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice, also of selectors and models whose own was left open.
    verbose : int, default=0
        Show a progress bar.

    Returns
    -------
    result : NullThreshold
        With ``threshold``, ``support``, ``p_values``, ``null`` and ``frame()``.

    Notes
    -----
    Permuted y has nothing to do with *any* feature.  If some features are relevant, the scores of
    the others can differ from what they are under permuted y, since a nearest neighbour is one in
    all features: the rates are exact when nothing is relevant, and a guide otherwise.

    A score of the null is standardised by the *other* permutations, as the observed one is, so
    that both vary alike.  p-values count the observed score among the permuted ones.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
       Statistical Society B 57 (1995).
    .. [2] V. Tusher, R. Tibshirani, G. Chu, "Significance analysis of microarrays", PNAS 98 (2001):
       null scores pooled over standardised features.

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
    _check(n_permutations, error_rate, control)
    random = check_random_state(random_state)
    orders = [np.arange(len(y)), *(random.permutation(len(y)) for _ in range(n_permutations))]
    seeds = draw_seeds(None if random_state is None else random, len(orders))
    arguments = ((selector, X, y, rows, seed) for rows, seed in zip(orders, seeds, strict=True))
    found = np.array(Jobs(n_jobs, verbose)("null_threshold", _scores, arguments))
    scores, null = found[0], found[1:]
    # Scores that are not defined, as of constant features, have no part in it.
    defined = np.isfinite(found).all(axis=0)
    judge = _family if control == "family" else _discoveries
    p_values, threshold = np.ones(len(scores)), np.full(len(scores), np.inf)
    support = np.zeros(len(scores), dtype=bool)
    support[defined], p_values[defined], threshold[defined] = judge(
        scores[defined], null[:, defined], error_rate
    )
    one = float(threshold[defined].max(initial=-np.inf)) if control == "family" else threshold
    return NullThreshold(one, support, p_values, scores, null, feature_names(X))


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


def _family(
    scores: np.ndarray, null: np.ndarray, rate: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Mask of what passes, p-values and the threshold, by the largest score of a permutation."""
    largest = np.sort(null.max(axis=1, initial=-np.inf))
    if rate * (len(largest) + 1) < 1 - ROUNDING:
        _warn_of_coarseness(math.ceil(1 / rate) - 1, len(null), "no feature can pass")
    p_values = _p_values(scores, largest)
    return p_values <= rate + ROUNDING, p_values, _cut(largest, rate)


def _discoveries(
    scores: np.ndarray, null: np.ndarray, rate: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with Benjamini and Hochberg's procedure on the pooled null."""
    n_features = max(len(scores), 1)
    centre, spread = null.mean(axis=0), null.std(axis=0, ddof=1)
    size = np.abs(null).max(axis=0)
    pool = np.sort(_against_others(null, size).ravel())
    if rate / n_features * (len(pool) + 1) < 1 - ROUNDING:
        needed = math.ceil(1 / rate - 1 / n_features)
        _warn_of_coarseness(needed, len(null), "no feature can pass alone, only several together")
    p_values = _p_values(_in_units(scores - centre, spread, size), pool)
    support = false_discoveries(p_values, rate, ROUNDING)
    # No p-value lies between the last that passes and this level, or it would pass as well.
    level = max(support.sum(), 1) * rate / n_features
    with np.errstate(invalid="ignore"):  # infinity times a spread of 0
        threshold = centre + _cut(pool, level) * spread
    return support, p_values, np.where(spread > 0, threshold, centre)


def _against_others(null: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Every score of the null, standardised by the other permutations of its feature."""
    n = len(null)
    gaps = null - null.mean(axis=0)
    squares = (gaps**2).sum(axis=0) - gaps**2 * n / (n - 1)
    return _in_units(gaps * n / (n - 1), np.sqrt(np.maximum(squares, 0) / (n - 2)), size)


def _in_units(gaps: np.ndarray, spread: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Gaps over spread; where nothing spreads, 0 for no gap and infinity for one."""
    flat = spread <= ROUNDING * size
    without = np.where(np.abs(gaps) <= ROUNDING * size, 0.0, np.copysign(np.inf, gaps))
    return np.where(flat, without, gaps / np.where(flat, 1.0, spread))


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


def _warn_of_coarseness(needed: int, n_permutations: int, consequence: str) -> None:
    warnings.warn(
        f"`n_permutations` must be at least {needed} for this `error_rate`, got "
        f"{n_permutations}: {consequence}. Permute more often.",
        UserWarning,
        stacklevel=4,
    )


def _check(n_permutations: Any, error_rate: Any, control: Any) -> None:
    if not isinstance(n_permutations, Integral) or n_permutations < 3:
        raise ValueError(f"`n_permutations` must be a whole number from 3, got {n_permutations!r}.")
    if not 0 < error_rate < 1:
        raise ValueError(f"`error_rate` must lie between 0 and 1, got {error_rate!r}.")
    if control not in ("family", "fdr"):
        raise ValueError(f'`control` must be "family" or "fdr", got {control!r}.')
