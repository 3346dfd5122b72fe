"""Which p-values pass when many are looked at: false discovery rate and family-wise error rate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


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


CONTROLS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "fdr": false_discoveries,
    "family": family_wise,
}
"""Rules on p-values by name: what passes at an error rate."""
