"""What a classifier of ordered classes answers, given probabilities."""

from __future__ import annotations

import numpy as np


def answered(shares: np.ndarray, answer: str) -> np.ndarray:
    """The median or the most probable class, as a code; the lowest one among equals.

    Examples
    --------
    >>> shares = np.array([[0.4, 0.1, 0.3, 0.2]])
    >>> answered(shares, "median").tolist(), answered(shares, "mode").tolist()
    ([1], [0])
    """
    if answer == "median":
        # Half of the probability, but for rounding.
        return (shares.cumsum(axis=1) >= 0.5 - 1e-12).argmax(axis=1)
    return shares.argmax(axis=1)
