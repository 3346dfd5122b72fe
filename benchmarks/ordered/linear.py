"""Rankings by linear models of the codes: stepwise, and the order of entry under an L1 penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, lars_path

from benchmarks.ordered.orders import Ranking, by, tau

MOST = 45
"""Features a path is followed for; the sizes judged end at 40."""


def standardised(X: np.ndarray) -> np.ndarray:
    """Mean 0 and deviation 1; a constant column is 0."""
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 1e-12, deviation, 1)


def stepwise(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Forward selection in a linear model (orthogonal matching pursuit), the rest by tau."""
    A, left = standardised(X), y - y.mean()
    total, chosen = (A**2).sum(axis=0), []
    while len(chosen) < min(MOST, X.shape[1]):
        gains = _gains(A, left, total)
        gains[chosen] = -1
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        chosen.append(best)
        unit = A[:, best] / np.linalg.norm(A[:, best])
        left = left - unit * (unit @ left)
        A = A - np.outer(unit, unit @ A)
    return Ranking.completed(chosen, X, y)


def _gains(A: np.ndarray, left: np.ndarray, total: np.ndarray) -> np.ndarray:
    """By how much each feature shortens what is left; -1 if the chosen ones explain it."""
    norms = (A**2).sum(axis=0)
    new = norms > 1e-6 * np.maximum(total, 1e-12)
    return np.where(new, np.abs(left @ A) / np.sqrt(np.where(new, norms, 1)), -1)


def lasso(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Features in the order in which they enter the path of the lasso, the rest by tau."""
    limit = 2 * min(MOST, X.shape[1])  # features may leave and come back
    path = lars_path(standardised(X), y - y.mean(), method="lasso", max_iter=limit)[2]
    enters = np.where(path.any(axis=1), (path != 0).argmax(axis=1), path.shape[1])
    return by(-enters, tau(X, y))


def ordinal_l1(X: np.ndarray, y: np.ndarray, seed: int) -> Ranking:
    """Logistic models of "above class k" with an L1 penalty: first to enter, then largest."""
    A, enters, sizes = standardised(X), np.full(X.shape[1], np.inf), np.zeros(X.shape[1])
    for strength in np.geomspace(2, 1000, 20):
        weights = sum(np.abs(_above(A, y > k, strength, seed)) for k in np.unique(y)[:-1])
        new = (weights > 0) & np.isinf(enters)
        enters[new], sizes[new] = strength, weights[new]
        if np.isfinite(enters).sum() >= MOST:
            break
    return by(-enters, sizes, tau(X, y))


def _above(A: np.ndarray, above: np.ndarray, strength: float, seed: int) -> np.ndarray:
    """Weights of one logistic model; the strength does not depend on the number of samples."""
    return sparse_logistic(strength / len(A), seed).fit(A, above).coef_[0]


def sparse_logistic(C: float, seed: int) -> LogisticRegression:
    """A logistic model with an L1 penalty, which scikit-learn before 1.8 asks for by name."""
    by_name = LogisticRegression().penalty == "l2"
    asked: dict[str, Any] = {"penalty": "l1"} if by_name else {"l1_ratio": 1}
    return LogisticRegression(C=C, solver="liblinear", random_state=seed, tol=1e-3, **asked)
