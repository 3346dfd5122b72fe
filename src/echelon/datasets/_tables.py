"""Generated data whose relevant features are known."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

# ------------------------------------------------------------------------------------ relevance


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
    """Samples of a linear model in which some features can replace each other.

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
        Seed of all random choices.
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
    if problem not in PROBLEMS:
        raise ValueError(f"`problem` must be one of {PROBLEMS}, got {problem!r}.")
    check_count("n_strong", n_strong, 0)
    check_count("n_irrelevant", n_irrelevant, 0)
    if n_strong + len(groups) == 0:
        raise ValueError("`n_strong` and `n_weak` must not both be 0: nothing would be relevant.")
    check_count("n_classes", n_classes, 2)
    check_count("n_samples", n_samples, n_classes if problem == "ordinal" else 2)
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
    check_count("n_weak", n_weak, 0)
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


# ------------------------------------------------------------------------------------ epistasis


def make_epistasis(
    n_samples: int = 1000,
    n_features: int = 20,
    *,
    heritability: float = 0.2,
    minor_allele_frequency: Any = 0.3,
    prevalence: float = 0.5,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Genotypes of which two decide on a disease together, and neither says anything alone.

    Every feature counts, from 0 to 2, the minor alleles of one gene in Hardy-Weinberg proportions.
    The probability of the disease depends on the first two by a random penetrance table in which
    every genotype of either, averaged over the other, has the same risk [1]_.  As many cases as
    controls are drawn.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_features : int, default=20
        Number of features; the first two interact, the others are noise.
    heritability : float, default=0.2
        Share of the variance of the disease, in the population, that the two genes explain.
    minor_allele_frequency : float or (float, float), default=0.3
        Frequency of the rarer allele, of both interacting genes or of each; noise has frequencies
        from 0.05 to 0.5.
    prevalence : float, default=0.5
        Share of the population that has the disease.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Minor alleles.
    y : ndarray of shape (n_samples,)
        1 for cases, 0 for controls.

    References
    ----------
    .. [1] R. J. Urbanowicz, J. Kiralis, N. A. Sinnott-Armstrong, T. Heberling, J. M. Fisher,
       J. H. Moore, "GAMETES: a fast, direct algorithm for generating pure, strict, epistatic models
       with random architectures", BioData Mining 5, 2012.

    Examples
    --------
    >>> from echelon.datasets import make_epistasis
    >>> X, y = make_epistasis(600, 10, heritability=0.3, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((600, 10), [300, 300])
    >>> np.round([X[y == label, 0].mean() for label in (0, 1)], 1).tolist()
    [0.6, 0.6]
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 2)
    _check_share("heritability", heritability)
    _check_share("prevalence", prevalence)
    frequencies = np.broadcast_to(np.asarray(minor_allele_frequency, float), 2)
    for frequency in frequencies.tolist():
        _check_share("minor_allele_frequency", frequency)
    rng = check_random_state(random_state)
    table = penetrance_table(frequencies, heritability, prevalence, rng)
    y = np.arange(n_samples) % 2
    pairs = np.outer(*(genotype_frequencies(f) for f in frequencies))
    X = np.empty((n_samples, n_features))
    for label, risk in ((0, 1 - table), (1, table)):
        given = (pairs * risk).ravel()
        drawn = rng.choice(9, size=(y == label).sum(), p=given / given.sum())
        X[y == label, :2] = np.column_stack(np.divmod(drawn, 3))
    noise = rng.uniform(0.05, 0.5, n_features - 2)
    X[:, 2:] = rng.binomial(2, noise, (n_samples, n_features - 2))
    rows = rng.permutation(n_samples)
    return X[rows], y[rows]


def genotype_frequencies(frequency: float) -> np.ndarray:
    """Share of samples with 0, 1 and 2 minor alleles."""
    return np.array([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2])


def penetrance_table(
    frequencies: np.ndarray, heritability: float, prevalence: float, rng: Any
) -> np.ndarray:
    """Risk by genotype of two genes, of shape (3, 3), without an effect of either alone.

    A random table less its weighted means by row and by column is an interaction; scaled to the
    variance heritability * prevalence * (1 - prevalence), it is added to the prevalence.
    """
    rows, columns = (genotype_frequencies(f) for f in frequencies)
    spread = np.sqrt(heritability * prevalence * (1 - prevalence))
    best = np.inf
    for _ in range(10_000):
        table = rng.uniform(-1, 1, (3, 3))
        table -= (table @ columns)[:, None]
        table -= rows @ table
        table *= spread / np.sqrt(rows @ table**2 @ columns)
        best = min(best, max(prevalence + table.max() - 1, -(prevalence + table.min())))
        if best <= 0:
            return prevalence + table
    raise ValueError(
        f"`heritability` must be small enough for risks between 0 and 1, got {heritability} with "
        f"minor allele frequencies {frequencies.tolist()} and prevalence {prevalence}. Use a "
        "smaller one, or frequencies nearer to 0.5."
    )


# --------------------------------------------------------------------------------------- checks


def check_count(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number, or one that is too small."""
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"`{name}` must be an integer of at least {least}, got {value!r}.")


def _check_noise(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"`{name}` must be a number of at least 0, got {value!r}.")


def _check_share(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"`{name}` must be a number between 0 and 1, got {value!r}.")
