"""The one standard error over folds, and the one test that uses it.

Scores of cross-validation folds are not independent: their training sets overlap.  The usual
standard error, s / sqrt(k), is 0.6 to 1.0 of the true one for five folds.  Nadeau and Bengio
correct it by the ratio of test to training samples, s sqrt(1/k + n_test / n_train): 0.9 to 1.5 of
the true one, rather too wide than too narrow (measured: ``docs/benchmarks/error_rates.md``).

References
----------
C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003, 239-281.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.stats import t as student

LEVEL = 0.05
"""Of the test whether anything is gained."""


def share_of_test(folds: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """Test samples per training sample, on average over the folds."""
    return float(np.mean([len(test) / len(train) for train, test in folds]))


def usual_share(n_folds: int) -> float:
    """The same where every sample is tested once."""
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
    return bool(gains.mean() > bar + 1e-12)
