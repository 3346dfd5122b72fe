"""Two genes that matter only together: pure epistasis of a given strength."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


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
        Seed of every random choice.

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
    _check_count("n_samples", n_samples, 2)
    _check_count("n_features", n_features, 2)
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


def _check_count(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"`{name}` must be an integer of at least {least}, got {value!r}.")


def _check_share(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"`{name}` must be a number between 0 and 1, got {value!r}.")
