"""Which p-values pass when many are looked at: false discovery rate and family-wise error rate."""

from __future__ import annotations

import numpy as np


def false_discoveries(p_values: np.ndarray, rate: float) -> np.ndarray:
    """Mask of what passes at a false discovery rate (Benjamini, Hochberg 1995).

    Examples
    --------
    >>> false_discoveries(np.array([0.001, 0.02, 0.03, 0.6]), 0.05).tolist()
    [True, True, True, False]
    """
    ordered = np.sort(p_values)
    passing = np.flatnonzero(ordered <= np.arange(1, len(ordered) + 1) * rate / len(ordered))
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
