"""Data whose relevant, interchangeable and irrelevant features are known."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

PROBLEMS = ("ordinal", "classification", "regression")


def make_relevance(
    n_samples: int = 150,
    n_strong: int = 3,
    n_weak: int = 4,
    n_irrelevant: int = 3,
    problem: str = "ordinal",
    noise: float = 0.1,
    n_classes: int = 5,
    random_state: Any = None,
    *,
    weak_groups: Any = None,
    weak_noise: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Samples of a linear model in which some features can stand in for each other.

    After section 4 of [1]_: a random hyperplane over hidden variables gives a continuous target.
    A strongly relevant feature is one of these variables.  The weakly relevant features of a group
    are multiples of one variable, so that any of them will do but none is needed.  Irrelevant
    features are noise.

    Parameters
    ----------
    n_samples : int, default=150
        Number of samples.
    n_strong : int, default=3
        Number of strongly relevant features, the first columns.
    n_weak : int, default=4
        Number of weakly relevant features, the columns after these.
    n_irrelevant : int, default=3
        Number of irrelevant features, the last columns.
    problem : {"ordinal", "classification", "regression"}, default="ordinal"
        Target: classes 1, 2, ... of equal frequency, two classes 0 and 1, or the continuous
        value.
    noise : float, default=0.1
        Standard deviation of the Gaussian noise added to the target, relative to that of the
        target without it.
    n_classes : int, default=5
        Number of ordered classes.
    random_state : int, RandomState instance or None, default=None
        Seed of every random choice.
    weak_groups : list of int, default=None
        Sizes of the groups of interchangeable features, at least 2 each and ``n_weak`` together.
        None: one group.
    weak_noise : float, default=0.0
        Standard deviation of noise added to each weakly relevant feature, relative to its own.
        With it the features of a group are similar rather than interchangeable.

    Returns
    -------
    X : ndarray of shape (n_samples, n_strong + n_weak + n_irrelevant)
        Samples.
    y : ndarray of shape (n_samples,)
        Target.

    References
    ----------
    .. [1] L. Pfannschmidt, J. Jakob, M. Biehl, P. Tino, B. Hammer, "Feature relevance bounds for
       ordinal regression", ESANN 2019.

    Examples
    --------
    >>> from echelon.datasets import make_relevance
    >>> X, y = make_relevance(100, 2, 3, 4, n_classes=4, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((100, 9), [0, 25, 25, 25, 25])
    """
    groups = _groups(n_weak, weak_groups)
    _check(n_samples, n_strong, n_irrelevant, len(groups), problem, n_classes)
    _check_noise("noise", noise)
    _check_noise("weak_noise", weak_noise)
    rng = check_random_state(random_state)
    hidden = rng.normal(size=(n_samples, n_strong + len(groups)))
    weak = [
        _copies(rng, hidden[:, n_strong + g], size, weak_noise) for g, size in enumerate(groups)
    ]
    irrelevant = rng.normal(size=(n_samples, n_irrelevant))
    # Weights bounded away from 0, so that every strong feature can be seen at all.
    weights = rng.uniform(0.5, 1, hidden.shape[1]) * rng.choice([-1, 1], hidden.shape[1])
    signal = hidden @ weights
    target = signal / signal.std() + noise * rng.normal(size=n_samples)
    return np.hstack([hidden[:, :n_strong], *weak, irrelevant]), _labels(target, problem, n_classes)


def _copies(rng: Any, variable: np.ndarray, size: int, noise: float) -> np.ndarray:
    """Multiples of a variable, each with noise of its own."""
    factors = rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size)
    return (variable[:, None] + noise * rng.normal(size=(len(variable), size))) * factors


def _labels(target: np.ndarray, problem: str, n_classes: int) -> np.ndarray:
    """The target as it is, or cut into classes of equal frequency."""
    if problem == "regression":
        return target
    n_classes = 2 if problem == "classification" else n_classes
    ranks = np.argsort(np.argsort(target))
    codes = ranks * n_classes // len(target)
    return codes if problem == "classification" else codes + 1


def _groups(n_weak: int, groups: Any) -> list[int]:
    _check_count("n_weak", n_weak)
    if groups is None:
        groups = [n_weak] if n_weak else []
    groups = list(groups) if isinstance(groups, Iterable) else [groups]
    whole = all(isinstance(size, Integral) and int(size) >= 2 for size in groups)
    if not whole or sum(groups) != n_weak:
        raise ValueError(
            f"`weak_groups` must be sizes of at least 2 that add up to n_weak, {n_weak}, got "
            f"{groups}. A feature alone in its group is a strong one."
        )
    return groups


def _check(
    n_samples: int, n_strong: int, n_irrelevant: int, n_groups: int, problem: str, n_classes: int
) -> None:
    _check_count("n_strong", n_strong)
    _check_count("n_irrelevant", n_irrelevant)
    if problem not in PROBLEMS:
        raise ValueError(f"`problem` must be one of {PROBLEMS}, got {problem!r}.")
    if n_strong + n_groups == 0:
        raise ValueError("`n_strong` and `n_weak` must not both be 0: nothing would be relevant.")
    least = n_classes if problem == "ordinal" else 2
    if not isinstance(n_classes, Integral) or n_classes < 2:
        raise ValueError(f"`n_classes` must be an integer of at least 2, got {n_classes!r}.")
    if not isinstance(n_samples, Integral) or n_samples < least:
        raise ValueError(f"`n_samples` must be an integer of at least {least}, got {n_samples!r}.")


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or value < 0:
        raise ValueError(f"`{name}` must be an integer of at least 0, got {value!r}.")


def _check_noise(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"`{name}` must be a number of at least 0, got {value!r}.")
