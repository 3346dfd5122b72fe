"""Orders of features whose answer is known: the two generators of Slotta et al."""

from __future__ import annotations

from math import factorial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from echelon.datasets._tables import check_count

_ATTEMPTS = 1000


def make_rank_order(
    n_classes: int = 3,
    n_per_class: int = 20,
    n_extraneous: int = 4,
    n_redundant: int = 4,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Orders in which the features that tell the classes apart are known.

    The first generator of section 5.1 of [1]_.  Each class has an order of its own of the fewest
    features that have that many orders.  An extraneous feature is put at a random place of every
    sample.  A redundant one is put right before or after the same other feature in every sample.

    Parameters
    ----------
    n_classes : int, default=3
        Number of classes.
    n_per_class : int, default=20
        Samples of every class.
    n_extraneous, n_redundant : int, default=4
        Number of features of each kind; the columns are the informative features, then these.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, n_features)
        Ranks 1, 2, ... of the features in every sample.
    y : ndarray of shape (n_classes * n_per_class,)
        Classes 0, 1, ...

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.datasets import make_rank_order
    >>> X, y = make_rank_order(2, 2, n_extraneous=1, n_redundant=0, random_state=0)
    >>> X[:, :2].argmin(axis=1).tolist(), y.tolist()
    ([1, 1, 0, 0], [0, 0, 1, 1])
    """
    check_count("n_classes", n_classes, 2)
    check_count("n_per_class", n_per_class, 1)
    check_count("n_extraneous", n_extraneous, 0)
    check_count("n_redundant", n_redundant, 0)
    rng = check_random_state(random_state)
    y = np.repeat(np.arange(n_classes), n_per_class)
    seeds = _distinct_orders(rng, n_classes)
    orders = [list(seeds[c]) for c in y]
    n_informative = len(seeds[0])
    n_inserted = n_informative + n_extraneous
    for feature in range(n_informative, n_inserted):
        for order in orders:
            order.insert(rng.randint(len(order) + 1), feature)
    for feature in range(n_inserted, n_inserted + n_redundant):
        twin = rng.randint(feature)
        for order in orders:
            order.insert(order.index(twin) + rng.randint(2), feature)
    # An order lists features by rank: the rank of a feature is its place.
    return np.argsort(np.array(orders), axis=1) + 1, y


def _distinct_orders(rng: Any, n_classes: int) -> list[tuple[int, ...]]:
    """An order for every class, of as few features as have so many orders."""
    n_features = 1
    while factorial(n_features) < n_classes:
        n_features += 1
    found: dict[tuple[int, ...], None] = {}  # a set that keeps the order of its entries
    while len(found) < n_classes:
        found[tuple(rng.permutation(n_features).tolist())] = None
    return list(found)


def make_concordant_ranks(
    n_features: int = 25,
    n_classes: int = 5,
    n_per_class: int = 100,
    max_between: float = 0.1,
    min_within: float = 0.3,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Orders that agree within a class and not between classes.

    The second generator of section 5.1 of [1]_.  Random orders whose concordance is at most
    ``max_between`` become the first samples of the classes; further orders join a class as long as
    its concordance is at least ``min_within``.

    Parameters
    ----------
    n_features : int, default=25
        Number of features.
    n_classes : int, default=5
        Number of classes.
    n_per_class : int, default=100
        Samples of every class.
    max_between : float, default=0.1
        Largest concordance (see :func:`~echelon.rankorder.tau_concordance`) of the first samples.
    min_within : float, default=0.3
        Least concordance of a class, at most 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, n_features)
        Ranks 1, 2, ... of the features in every sample.
    y : ndarray of shape (n_classes * n_per_class,)
        Classes 0, 1, ...

    Notes
    -----
    The paper proposes random orders until one fits, which hardly ever happens with many features.
    Here a proposal is the first order of the class, its ranks disturbed by noise of a random size,
    from none to more than the ranks themselves.

    References
    ----------
    .. [1] D. J. Slotta, J. P. C. Vergara, N. Ramakrishnan, L. S. Heath, "Algorithms for feature
       selection in rank-order spaces", 2005.

    Examples
    --------
    >>> from echelon.datasets import make_concordant_ranks
    >>> from echelon.rankorder import tau_concordance
    >>> X, y = make_concordant_ranks(10, 2, 20, min_within=0.5, random_state=0)
    >>> X.shape, bool(tau_concordance(X[y == 0]) >= 0.5)
    ((40, 10), True)
    """
    check_count("n_features", n_features, 2)
    check_count("n_classes", n_classes, 2)
    check_count("n_per_class", n_per_class, 1)
    if not isinstance(min_within, Real) or not float(min_within) <= 1:
        raise ValueError(f"`min_within` must be a number of at most 1, got {min_within!r}.")
    if not isinstance(max_between, Real):
        raise ValueError(f"`max_between` must be a number, got {max_between!r}.")
    rng = check_random_state(random_state)
    first = _discordant(rng, n_classes, n_features, max_between)
    samples = [_concordant(rng, seed, n_per_class, min_within) for seed in first]
    return np.vstack(samples), np.repeat(np.arange(n_classes), n_per_class)


def _discordant(rng: Any, n_classes: int, n_features: int, limit: float) -> np.ndarray:
    """Random orders, one per class, whose concordance is within a limit."""
    for _ in range(_ATTEMPTS):
        ranks = np.array([rng.permutation(n_features) + 1 for _ in range(n_classes)])
        margins = np.sum([_signs(row) for row in ranks], axis=0)
        if _concordance(margins, n_classes) <= limit:
            return ranks
    raise ValueError(
        f"`max_between` must leave room for {n_classes} random orders of {n_features} features, "
        f"got {limit!r}. Give a larger value."
    )


def _concordant(rng: Any, seed: np.ndarray, count: int, limit: float) -> np.ndarray:
    """Orders around one order, whose concordance together is within a limit."""
    found, margins = [seed], _signs(seed)
    while len(found) < count:
        noise = len(seed) * rng.random_sample() ** 2 * rng.normal(size=len(seed))
        ranks = np.argsort(np.argsort(seed + noise)) + 1
        together = margins + _signs(ranks)
        if _concordance(together, len(found) + 1) >= limit:
            found.append(ranks)
            margins = together
    return np.array(found)


def _signs(ranks: np.ndarray) -> np.ndarray:
    return np.sign(ranks[None] - ranks[:, None])


def _concordance(margins: np.ndarray, m: int) -> float:
    """Figure 6 of the paper, from the sums over its m samples; rounded once, so 1 is 1."""
    pairs = len(margins) * (len(margins) - 1)
    return int((margins**2).sum() - m * pairs) / (pairs * (m**2 - m))
