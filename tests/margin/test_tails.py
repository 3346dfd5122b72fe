"""Skewness of scores under permutation, and what p-values make of it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, gamma, norm

from echelon import SURF, SWRF, MultiSURF, MultiSWRFStar, SURFStar
from echelon.engines import NumbaEngine
from echelon.margin import _pairs, _sums
from echelon.margin._evidence import Moments, upper_tail
from echelon.margin._moments import class_sums, differences, third_moment
from echelon.margin._pairs import block_thirds


def sums_of_third_order(matrix):
    """The five sums, from the definition: plain loops over the entries less their mean."""
    n = len(matrix)
    mean = sum(map(sum, matrix)) / (n * (n - 1))
    a = [[matrix[i][j] - mean if i != j else 0.0 for j in range(n)] for i in range(n)]
    rows = [sum(row) for row in a]
    squares = [sum(x * x for x in row) for row in a]
    pairs, samples = list(itertools.product(range(n), range(n))), range(n)
    return (
        sum(a[i][j] ** 3 for i, j in pairs),
        sum(squares[i] * rows[i] for i in samples),
        sum(a[i][j] * a[j][k] * a[k][i] for i, j in pairs for k in samples),
        sum(r**3 for r in rows),
        sum(a[i][j] * rows[i] * rows[j] for i, j in pairs),
    )


def symmetric(rng, n):
    matrix = rng.normal(size=(n, n))
    np.fill_diagonal(matrix, 0.0)
    return matrix + matrix.T


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_third_moment_equals_enumeration(n, rng):
    weights, x = symmetric(rng, n), np.round(rng.random(n), 1)
    apart = np.abs(x[:, None] - x)
    orders = map(list, itertools.permutations(range(n)))
    totals = np.array([(weights * apart[np.ix_(order, order)]).sum() for order in orders])
    of_pairs = block_thirds(weights, np.arange(n), weights.sum(axis=1))
    found, _ = third_moment(n, of_pairs, differences(x, nominal=False).thirds())
    assert_allclose(found, ((totals - totals.mean()) ** 3).mean(), atol=1e-9)


@pytest.mark.parametrize("values", ["random", "tied", "constant", "few"])
def test_sums_over_differences_equal_loops(values, rng):
    x = {
        "random": rng.normal(size=12),
        "tied": rng.integers(0, 4, 12).astype(float),
        "constant": np.full(12, 3.0),
        "few": rng.random(2),
    }[values]
    apart = np.abs(x[:, None] - x)
    expected = sums_of_third_order(apart.tolist())
    assert_allclose(differences(x, nominal=False).thirds(), expected, atol=1e-9)
    expected = sums_of_third_order((apart > 0).astype(float).tolist())
    assert_allclose(differences(x, nominal=True).thirds(), expected, atol=1e-9)


def test_sums_over_class_distances_equal_loops(rng):
    classes, apart = np.sort(rng.integers(0, 4, 12)), symmetric(rng, 4)
    expected = sums_of_third_order(apart[np.ix_(classes, classes)].tolist())
    assert_allclose(class_sums(classes, apart)[1], expected, atol=1e-9)


@pytest.mark.parametrize("n", [3, 4, 20])
def test_sums_over_weights_equal_loops(n, rng):
    weights = symmetric(rng, n)
    found = block_thirds(weights, np.arange(n), weights.sum(axis=1))
    assert_allclose(found, sums_of_third_order(weights.tolist()), atol=1e-8)


def dense_sums_of(estimator, X, y, monkeypatch):
    """What lies behind the scores of a selector that takes all pairs at once."""
    kept, evidence = [], _sums.DenseSums.evidence

    def keeping(self, terms):
        kept.append(self)
        return evidence(self, terms)

    monkeypatch.setattr(_sums.DenseSums, "evidence", keeping)
    assert np.isfinite(estimator.fit(X, y).z_scores_).all()
    return kept[0]


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("estimator", [SURF, SURFStar, MultiSURF, SWRF, MultiSWRFStar])
def test_weights_among_rows_add_up(estimator, metric, rng, monkeypatch):
    X, y = rng.random((90, 5)), rng.integers(0, 3, 90)
    X[:, 4] = rng.integers(0, 3, 90)
    selector = estimator(metric=metric, kind="classification", engine=NumbaEngine(1),
                         categorical_features=[4])  # fmt: skip
    sums = dense_sums_of(selector, X, y, monkeypatch)
    weights = sums.weights_among(np.arange(90))
    assert_allclose(weights.sum(axis=1), sums.found.rows / 90, atol=1e-12)
    assert_allclose((weights**2).sum(), sums.found.squares / 90**2)


def test_p_values_with_and_without_a_list_of_pairs(rng, monkeypatch):
    """All wedges, all rows: the same skewness either way."""
    X, y = rng.random((60, 6)), rng.integers(0, 2, 60)
    monkeypatch.setattr(_pairs, "WEDGES", 1 << 24)

    class PairByPair(NumbaEngine):
        band_sums = NumbaEngine.__mro__[1].band_sums

    for estimator in (SURF, SURFStar, MultiSURF, SWRF, MultiSWRFStar):
        options = {"kind": "classification"}
        expected = estimator(engine=PairByPair(1), **options).fit(X, y).p_values_
        found = estimator(engine=NumbaEngine(1), **options).fit(X, y).p_values_
        assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(("rows", "wedges"), [(60, 1 << 13), (256, 500)])
def test_a_random_part_gives_about_the_same_p_values(rows, wedges, rng, monkeypatch):
    X, y = rng.random((200, 20)), rng.integers(0, 2, 200)
    X[:, 0] += 0.4 * y
    selectors = [
        SURF(kind="classification", engine=NumbaEngine(1), random_state=0),
        MultiSURF(kind="ordinal", random_state=0),
    ]
    expected = [selector.fit(X, y).p_values_ for selector in selectors]
    monkeypatch.setattr(_pairs, "ROWS", rows)
    monkeypatch.setattr(_pairs, "WEDGES", wedges)
    for selector, p_values in zip(selectors, expected, strict=True):
        found = selector.fit(X, y).p_values_
        assert_allclose(found, p_values, atol=0.02)
        assert_array_equal(selector.fit(X, y).p_values_, found)


def test_tails_of_known_laws():
    z = np.linspace(-0.4, 8, 60)
    even = np.zeros_like(z)
    assert_allclose(upper_tail(z, even, even), norm.sf(z))
    assert_allclose(upper_tail(z, even - 1.0, even), norm.sf(z))
    shape = 9.0
    expected = gamma.sf(shape + z * shape**0.5, shape)
    skewness = even + 2 / shape**0.5
    assert_allclose(upper_tail(z, skewness, 1.5 * skewness**2), expected, rtol=0.01)
    expected = chi2.sf(1 + z * 2**0.5, 1)
    assert_allclose(upper_tail(z, even + 8**0.5, even + 12.0), expected, rtol=0.06)


def test_tail_of_a_square_beside_a_normal_variable():
    rng = np.random.default_rng(0)
    share, n = 0.4, 400_000
    drawn = np.sqrt(share / 2) * (rng.normal(size=n) ** 2 - 1)
    drawn += np.sqrt(1 - share) * rng.normal(size=n)
    moments = Moments.of(np.array([[0.0, 1.0, *[8**0.5 * share**1.5] * 2]]))
    for z in (1.0, 2.0, 3.0, 4.0, 5.0):
        found = upper_tail(np.array([z]), moments.skewness, moments.kurtosis)
        assert_allclose(found, (drawn > z).mean(), rtol=0.1)


def test_tails_fall_and_stay_within_bounds():
    z = np.linspace(-9, 9, 2001)
    for skewness in (0.002, 0.1, 0.7, 2.8):
        for kurtosis in (1.5 * skewness**2, 48 * (skewness / 8) ** (4 / 3)):
            tail = upper_tail(z, np.full(2001, skewness), np.full(2001, kurtosis))
            assert np.all(np.diff(tail) <= 1e-3)
            assert tail[0] > 0.99
            assert 0 < tail[-1] < 0.01


def test_tails_are_never_far_below_the_normal():
    """Also where one part is skewed to the right and others to the left."""
    skewness, form, z = np.meshgrid(
        np.linspace(-1, 1, 21), np.linspace(-1, 1, 21), np.linspace(0.01, 6, 40)
    )
    central = np.stack([0 * z, 1 + 0 * z, skewness, form], axis=-1).reshape(-1, 4)
    moments = Moments.of(central)
    tail = upper_tail(z.ravel(), moments.skewness, moments.kurtosis)
    assert np.all(tail > 0.75 * norm.sf(z.ravel()))


@pytest.mark.parametrize("estimator", [SURF, MultiSURF, SWRF])
def test_p_values_equal_permutations(estimator, monkeypatch):
    """Where the normal tail is far too thin: scores of 20,000 permuted columns."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 40)), np.arange(80) % 2
    selector = estimator(kind="classification", engine=NumbaEngine(1))
    sums = dense_sums_of(selector, X, y, monkeypatch)
    weights, x = sums.weights_among(np.arange(80)), sums.samples.values[:, 0]
    orders = np.argsort(rng.random((20_000, 80)), axis=1)
    drawn = np.array([(weights * np.abs(x[o][:, None] - x[o])).sum() for o in orders])
    moments = sums.moments(np.full(40, np.inf))
    z = (drawn - moments.mean[0]) / moments.deviation[0]
    p = upper_tail(z, *(np.full(20_000, of[0]) for of in moments[2:]))
    for rate in (0.05, 0.01, 0.002):
        assert_allclose((p < rate).mean(), rate, rtol=0.35)
    assert (norm.sf(z) < 0.002).mean() > 0.005
