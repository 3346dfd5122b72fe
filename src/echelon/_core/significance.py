"""Standard errors over folds, the test that uses them, and error rates of many p-values.

Scores of cross-validation folds are not independent: their training sets overlap.  The usual
standard error, s / sqrt(k), is 0.6 to 1.0 of the true one for five folds.  Nadeau and Bengio
correct it by the ratio of test to training samples, s sqrt(1/k + n_test / n_train): 0.9 to 1.5 of
the true one, rather too wide than too narrow (measured: ``docs/benchmarks/error_rates.md``).

References
----------
C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003, 239-281.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy.stats import t as student

LEVEL = 0.05
"""Of the test whether anything is gained."""
ROUNDING = 1e-12
"""Means that differ by less are the same."""


def share_of_test(folds: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """Test samples per training sample, on average over the folds."""
    return float(np.mean([len(test) / len(train) for train, test in folds]))


def usual_share(n_folds: int) -> float:
    """``share_of_test`` where every sample is tested once."""
    return 1 / max(n_folds - 1, 1)


def standard_error(scores: np.ndarray, share: float | None = None) -> np.ndarray:
    """Of the mean over folds, which are on the last axis; 0 for one fold."""
    n_folds = scores.shape[-1]
    if n_folds < 2:
        return np.zeros(scores.shape[:-1])
    share = usual_share(n_folds) if share is None else share
    return scores.std(axis=-1, ddof=1) * np.sqrt(1 / n_folds + share)


def clearly_positive(gains: np.ndarray, share: float | None = None, level: float = LEVEL) -> bool:
    """Whether gains, one per fold, are positive by a one-sided t test of that level."""
    bar = student.ppf(1 - level, max(len(gains) - 1, 1)) * standard_error(gains, share)
    return bool(gains.mean() > bar + ROUNDING)


def beyond_error(gains: np.ndarray, share: float | None = None) -> bool:
    """Whether gains, one per fold, are positive by more than one standard error."""
    return bool(gains.mean() > standard_error(gains, share) + ROUNDING)


def relative_gains(scores: np.ndarray, others: np.ndarray, larger_is_better: bool) -> np.ndarray:
    """Gains over other scores of the same folds, on a scale from -1 to 1.

    The score of a baseline can differ by orders of magnitude between folds: R² of the mean of the
    past, say, where the level drifts.  A t test of differences then sees the spread of the baseline
    alone.  With losses l, the distance of a score from the best possible one, the gain of a fold is
    (l_other - l) / (l_other + l).

    Parameters
    ----------
    scores, others : ndarray of shape (n_folds,)
        Scores, larger is better: losses are negated.
    larger_is_better : bool
        Whether the metric is no loss.  Then the best value is 1; that of a loss is 0.  Where scores
        exceed it, or none is known, the differences are returned as they are.

    Examples
    --------
    >>> relative_gains(np.array([0.9, 0.8]), np.array([-9.0, 0.0]), True).round(2).tolist()
    [0.98, 0.67]
    """
    best = 1.0 if larger_is_better else 0.0
    losses, baseline = best - scores, best - others
    if (losses < 0).any() or (baseline < 0).any():
        return scores - others
    total = losses + baseline
    return (baseline - losses) / np.where(total > 0, total, 1.0)


def false_discoveries(p_values: np.ndarray, rate: float, slack: float = 0.0) -> np.ndarray:
    """Mask of what passes at a false discovery rate (Benjamini, Hochberg 1995).

    ``slack`` is what p-values may exceed their limits by, where rounding could decide.

    Examples
    --------
    >>> false_discoveries(np.array([0.001, 0.02, 0.03, 0.6]), 0.05).tolist()
    [True, True, True, False]
    """
    ordered = np.sort(p_values)
    limits = np.arange(1, len(ordered) + 1) * rate / max(len(ordered), 1)
    passing = np.flatnonzero(ordered <= limits + slack)
    return p_values <= (ordered[passing[-1]] if len(passing) else -1.0)


def family_wise(p_values: np.ndarray, rate: float) -> np.ndarray:
    """Mask of what passes at a family-wise error rate (Holm 1979).

    Examples
    --------
    >>> family_wise(np.array([0.001, 0.02, 0.03, 0.6]), 0.05).tolist()
    [True, False, False, False]
    """
    ordered = np.sort(p_values)
    failing = np.flatnonzero(ordered > rate / np.arange(len(ordered), 0, -1))
    return p_values < (ordered[failing[0]] if len(failing) else np.inf)


def holm(p_values: np.ndarray) -> np.ndarray:
    """The smallest family-wise error rates at which p-values pass (Holm 1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.02, 0.03, 0.6])).tolist()
    [0.04, 0.06, 0.06, 0.6]
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(order), 0, -1)
    return _in_place(np.maximum.accumulate(stepped), order)


def benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    """The smallest false discovery rates at which p-values pass (Benjamini, Hochberg 1995).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.02, 0.03, 0.6])).round(9).tolist()
    [0.04, 0.04, 0.04, 0.6]
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * len(order) / np.arange(1, len(order) + 1)
    return _in_place(np.minimum.accumulate(stepped[::-1])[::-1], order)


def benjamini_yekutieli(p_values: np.ndarray) -> np.ndarray:
    """As ``benjamini_hochberg``, under any dependence (Benjamini, Yekutieli 2001).

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.9])).round(9).tolist()
    [0.03, 1.0]
    """
    harmonic = float(np.sum(1 / np.arange(1, len(p_values) + 1)))
    return np.minimum(benjamini_hochberg(p_values) * harmonic, 1.0)


def _in_place(ascending: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Adjusted p-values of the sorted ones, for the ones as given."""
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(ascending, 1.0)
    return adjusted


ADJUSTMENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "fdr": benjamini_hochberg,
    "family": holm,
}
"""Adjusted p-values by the name of the control: what is at most an error rate passes at it."""

CONTROLS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "fdr": false_discoveries,
    "family": family_wise,
}
"""Rules on p-values by name: what passes at an error rate."""
