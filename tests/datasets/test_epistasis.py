"""Pure epistasis: flat marginals, the heritability asked for, and frequencies as given."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon.datasets import make_epistasis
from echelon.datasets._tables import genotype_frequencies, penetrance_table


@pytest.mark.parametrize("frequencies", [(0.2, 0.2), (0.4, 0.3), (0.5, 0.1)])
@pytest.mark.parametrize("prevalence", [0.5, 0.3])
def test_neither_gene_says_anything_alone(frequencies, prevalence):
    for seed in range(10):
        rng = np.random.RandomState(seed)
        table = penetrance_table(np.array(frequencies), 0.05, prevalence, rng)
        first, second = (genotype_frequencies(f) for f in frequencies)
        assert ((table >= 0) & (table <= 1)).all()
        assert_allclose(table @ second, prevalence)
        assert_allclose(first @ table, prevalence)
        explained = first @ (table - prevalence) ** 2 @ second
        assert_allclose(explained / (prevalence * (1 - prevalence)), 0.05)


def test_samples_follow_the_table():
    X, y = make_epistasis(200_000, 4, heritability=0.2, minor_allele_frequency=(0.4, 0.25),
                          random_state=1)  # fmt: skip
    assert_array_equal(np.bincount(y), [100_000, 100_000])
    for f in range(4):
        shares = [np.bincount(X[y == c, f].astype(int), minlength=3) / 100_000 for c in (0, 1)]
        assert_allclose(*shares, atol=0.01)  # flat marginals
    assert_allclose(X[:, :2].mean(axis=0), [0.8, 0.5], atol=0.01)
    pairs = (3 * X[:, 0] + X[:, 1]).astype(int)
    sizes = np.bincount(pairs, minlength=9)
    risk = np.bincount(pairs, weights=y, minlength=9) / sizes
    assert_allclose(sizes @ (risk - 0.5) ** 2 / len(y) / 0.25, 0.2, atol=0.01)


def test_seeds():
    first, again, other = (make_epistasis(50, 5, random_state=s)[0] for s in (0, 0, 1))
    assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize(("params", "message"), [
    ({"n_features": 1}, "`n_features` must be an integer of at least 2"),
    ({"heritability": 0}, "`heritability` must be a number between 0 and 1"),
    ({"heritability": 0.9, "minor_allele_frequency": 0.1}, "`heritability` must be small enough"),
    ({"minor_allele_frequency": 1.0}, "`minor_allele_frequency` must be"),
])  # fmt: skip
def test_what_cannot_be(params, message):
    with pytest.raises(ValueError, match=message):
        make_epistasis(**params)
