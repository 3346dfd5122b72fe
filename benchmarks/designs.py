"""Tables whose answer is known: noise of many kinds, and features that matter beside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Design(NamedTuple):
    """What noise is like, and how many features matter beside it."""

    name: str
    n: int = 200
    p: int = 30
    n_classes: int = 2
    minority: float | None = None
    kind: str = "normal"
    correlation: float = 0.0
    relevant: int = 0
    gaps: float = 0.0
    target: str = "codes"
    """ "codes" 0, 1, ..., "labels" without an order, or "numbers"."""
    effect: float = 0.7
    """Shift of a relevant feature from class to class, or its weight in a sum."""


def draw(design: Design, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, target and the mask of nominal features; those that matter come last."""
    rng = np.random.default_rng([seed, design.n, design.p, design.n_classes])
    y = np.arange(design.n) % design.n_classes
    if design.minority is not None:
        y = (np.arange(design.n) < design.minority * design.n).astype(int)
    noise = _noise(design, rng)
    relevant = rng.normal(size=(design.n, design.relevant))
    nominal = np.arange(design.p + design.relevant) < design.p * (design.kind == "nominal")
    if design.target == "numbers":
        numbers = design.effect * relevant.sum(axis=1) + rng.normal(size=design.n)
        return np.hstack([noise, relevant]), numbers, nominal
    X = np.hstack([noise, relevant + design.effect * y[:, None]])
    return X, np.array(list("abcdefg"))[y] if design.target == "labels" else y, nominal


def _noise(design: Design, rng: np.random.Generator) -> np.ndarray:
    shared = rng.normal(size=(design.n, 1))
    X = np.sqrt(1 - design.correlation) * rng.normal(size=(design.n, design.p))
    X += np.sqrt(design.correlation) * shared
    if design.kind == "nominal":
        X = np.floor(3 * rng.random(X.shape))
    elif design.kind == "mixed":
        X = _mixed(X, rng)
    X[rng.random(X.shape) < design.gaps] = np.nan
    return X


def _mixed(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Columns in turn as they are, skewed, heavy-tailed, binary, rare, and with an outlier."""
    X = X.copy()
    for f in range(X.shape[1]):
        column = X[:, f]
        outlier = np.where(np.arange(len(X)) == rng.integers(len(X)), 50.0, 0.0)
        X[:, f] = (
            column, np.exp(2 * column), np.sinh(2 * column), column > 0, column > 1.6,
            column + outlier,
        )[f % 6]  # fmt: skip
    return X
