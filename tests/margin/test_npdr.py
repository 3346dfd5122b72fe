"""NPDR against plain loops, its p-values, and covariates."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

import reference_margin
import reference_npdr
from cases import draw_case
from echelon import NPDR, MultiSURF, ReliefF, RReliefF
from echelon.margin._moments import SecondSums, mean_and_variance, third_moment
from echelon.margin._npdr import ClassResiduals, effects, number_residuals
from echelon.margin._pairs import block_thirds

SEEDS = range(12)


def outcome_of(case, kind):
    """The case's classes, or numbers in their place, and their distance."""
    if kind == "regression":
        y = case.y + np.random.default_rng(case.k).normal(size=len(case.y))
        return y, reference_margin.by_range(y.tolist())
    codes = np.unique(case.y, return_inverse=True)[1]
    ordered = kind == "ordinal"
    return codes, reference_margin.by_range(codes.tolist()) if ordered else reference_margin.unequal


def covariates_of(case, seed):
    """A number and a category of every sample, as a table and as the reference takes them."""
    rng = np.random.default_rng(seed)
    numbers, codes = rng.normal(size=len(case.y)), rng.integers(0, 3, len(case.y))
    table = pd.DataFrame({"sex": np.array(list("abc"))[codes], "age": numbers})
    return table, np.column_stack([codes, numbers]).tolist(), [True, False]


def expected_of(case, y, apart, fit, k, metric, ties, covariates, fixed_nominal):
    X, _, nominal = case.lists
    rows = reference_npdr.regressions(
        X, y.tolist(), k, apart, nominal, metric, ties, covariates, fixed_nominal
    )
    return [fit(part) if varies(part) else (0.0, np.inf) for part in rows]


def varies(rows):
    """Whether the feature differs in ways that the covariates do not explain."""
    if len(rows) < 12 or len({round(x[1], 9) for _, _, x, _ in rows}) < 2:
        return False
    return (
        sum(r * r for r in reference_npdr.less_its_fit(rows, [x[1] for _, _, x, _ in rows])[1])
        > 1e-9
    )


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("kind", ["regression", "ordinal"])
def test_least_squares_equal_reference(kind, metric):
    compared = 0
    for seed in SEEDS:
        case = draw_case(seed)
        y, apart = outcome_of(case, kind)
        table, covariates, fixed_nominal = covariates_of(case, seed)
        ties, k = ("share", "index")[seed % 2], None if seed % 3 == 0 else case.k
        found = NPDR(3 if case.X.shape[1] > 3 else 1, kind=kind, metric=metric, ties=ties,
                     n_neighbors=k or "radius", categorical_features=case.nominal,
                     engine=("numba", "numpy")[seed % 2])  # fmt: skip
        for given in (None, table):
            fixed = (covariates, fixed_nominal) if given is not None else ([[]] * len(y), [])
            expected = expected_of(case, y, apart, reference_npdr.least_squares,
                                   k and min(k, len(y)), metric, ties, *fixed)  # fmt: skip
            found.fit(case.X, y, covariates=given)
            for f, (slope, error) in enumerate(expected):
                if 1e-9 < error < np.inf:
                    compared += 1
                    assert_allclose(found.coefficients_[f], slope, atol=1e-7, err_msg=str(seed))
                    assert_allclose(found.scores_[f], slope / error, atol=1e-5, rtol=1e-6)
    assert compared > 50


def test_logistic_regression_equals_reference():
    compared = 0
    for seed in range(0, 40, 5):  # random numbers, where classes are not told apart exactly
        case = draw_case(seed, missing=(0, 0.1)[seed % 2], nominal=(0, 0.4)[seed % 2])
        y, apart = outcome_of(case, "classification")
        table, covariates, fixed_nominal = covariates_of(case, seed)
        case.k = max(case.k, 6)
        expected = expected_of(case, y, apart, reference_npdr.logistic, min(case.k, len(y)),
                               "manhattan", "share", covariates, fixed_nominal)  # fmt: skip
        found = NPDR(
            1, kind="classification", n_neighbors=case.k, categorical_features=case.nominal
        )
        found.fit(case.X, y, covariates=table)
        for f, (slope, error) in enumerate(expected):
            if error < np.inf:
                compared += 1
                assert_allclose(found.coefficients_[f], slope, atol=1e-6)
                assert_allclose(found.scores_[f], slope / error, atol=1e-5)
    assert compared > 10


def test_moments_over_class_residuals_equal_enumeration(rng):
    for n in (2, 4, 6):
        residuals = ClassResiduals(rng.normal(size=(n, 3)))
        matrix = -residuals.values @ residuals.values.T
        np.fill_diagonal(matrix, 0.0)
        weights = rng.normal(size=(n, n))
        np.fill_diagonal(weights, 0.0)
        weights = weights + weights.T - 2 * weights.sum() / (n * (n - 1))
        np.fill_diagonal(weights, 0.0)
        orders = map(list, itertools.permutations(range(n)))
        totals = np.array([(weights * matrix[np.ix_(order, order)]).sum() for order in orders])
        rows = weights.sum(axis=1)
        sums, thirds = residuals.sums(np.ones(n, bool))
        mean, variance = mean_and_variance(n, SecondSums.of(rows, (weights**2).sum()), sums)
        assert_allclose([mean, variance], [totals.mean(), totals.var()], atol=1e-9)
        if n > 2:
            found, _ = third_moment(n, block_thirds(weights, np.arange(n), rows), thirds)
            assert_allclose(found, ((totals - totals.mean()) ** 3).mean(), atol=1e-9)
        i, j = np.triu_indices(n, 1)
        assert_allclose(residuals.of_pairs(i, j), matrix[i, j])


def test_class_residuals_know_nothing_of_the_covariate(rng):
    age = rng.normal(size=600)
    classes = (age + rng.normal(size=600) > 0.5).astype(int) + (age > 1)
    by = effects(np.column_stack([age, age > 0]), 1)
    rest = ClassResiduals.of(classes, by).values
    assert_allclose(rest.mean(axis=0), 0, atol=1e-12)
    assert np.abs([np.corrcoef(age, r)[0, 1] for r in rest.T]).max() < 0.05
    assert_allclose((rest**2).sum(axis=1).mean(), 1, atol=0.1)
    left = number_residuals(age**2 + classes, by)
    assert_allclose(left @ by, 0, atol=1e-9)


def test_z_scores_without_covariates_are_those_of_the_contrast():
    X, y = load_wine(return_X_y=True)
    found = NPDR(n_neighbors=30, kind="classification").fit(X, y)
    expected = ReliefF(n_neighbors=10, neighbors="any").fit(X, y)
    assert_allclose(found.z_scores_, expected.z_scores_)
    assert_allclose(found.p_values_, expected.p_values_)
    found = NPDR(kind="ordinal").fit(X, y)
    expected = RReliefF(kind="ordinal").fit(X, y)
    assert_allclose(found.z_scores_, expected.z_scores_)


def test_neighbours_within_the_radius_of_multisurf(rng):
    X, y = rng.random((60, 5)), rng.normal(size=60)
    found, other = NPDR(n_neighbors="radius").fit(X, y), MultiSURF().fit(X, y)
    assert np.corrcoef(found.z_scores_, other.z_scores_)[0, 1] > 0.98


def test_what_a_covariate_explains_is_not_found():
    """Ten features that follow a covariate, which alone makes the outcome; and one that matters."""
    alone, held = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        age = rng.normal(size=150)
        X = rng.normal(size=(150, 16))
        X[:, :10] += age[:, None]
        y = 2 * age + 1.5 * X[:, 15] + 0.5 * rng.normal(size=150)
        alone.append(NPDR(n_neighbors="radius").fit(X, y).p_values_ < 0.05)
        held.append(NPDR(n_neighbors="radius").fit(X, y, covariates=age).p_values_ < 0.05)
    alone, held = np.mean(alone, axis=0), np.mean(held, axis=0)
    assert alone[:10].mean() > 0.2
    assert held[:10].mean() < 0.12
    assert held[15] > 0.8


def test_plain_p_values_are_too_small_and_ours_are_not():
    ours, plain = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = NPDR(n_neighbors="radius").fit(rng.normal(size=(100, 20)), rng.normal(size=100))
        ours.append((found.p_values_ < 0.05).mean())
        plain.append((found.pair_p_values_ < 0.05).mean())
    assert 0.02 < np.mean(ours) < 0.09
    assert np.mean(plain) > 0.2


def test_covariates_of_all_kinds(rng):
    X, y = rng.random((80, 4)), rng.normal(size=80)
    numbers = rng.normal(size=80)
    column = NPDR(2).fit(X, y, covariates=numbers)
    for given in (numbers[:, None], numbers.tolist(), pd.DataFrame({"age": 5 - 3 * numbers})):
        assert_allclose(NPDR(2).fit(X, y, covariates=given).scores_, column.scores_)
    names = np.where(numbers > 0, "old", "young")
    assert_allclose(
        NPDR(2).fit(X, y, covariates=pd.DataFrame({"age": names})).scores_,
        NPDR(2).fit(X, y, covariates=(numbers > 0).astype(float)).scores_,
    )
    assert not hasattr(column, "_covariates")
    with pytest.raises(ValueError, match="inconsistent"):
        NPDR(2).fit(X, y, covariates=numbers[:-1])
    with pytest.raises(ValueError, match="NaN"):
        NPDR(2).fit(X, y, covariates=np.where(numbers > 1, np.nan, numbers))


def test_a_covariate_that_is_the_feature_leaves_nothing(rng):
    X, y = rng.random((60, 3)), rng.normal(size=60)
    found = NPDR(1).fit(X, y, covariates=X[:, 0])
    assert found.scores_[0] == found.z_scores_[0] == found.coefficients_[0] == 0
    assert found.p_values_[0] == 1


def test_results_do_not_depend_on_threads(rng):
    X, y = rng.random((400, 12)), rng.normal(size=400)
    X[rng.random(X.shape) < 0.05] = np.nan
    age = rng.normal(size=400)
    one, two = (NPDR(3, n_jobs=n).fit(X, y, covariates=age) for n in (1, 2))
    assert_array_equal(one.scores_, two.scores_)
    assert_array_equal(one.p_values_, two.p_values_)


def test_thresholds(rng):
    X, y = rng.random((120, 6)), rng.normal(size=120)
    X[:, 2] += 0.5 * y
    age = rng.normal(size=120)
    assert NPDR().fit(X, y, covariates=age).get_support(indices=True).tolist() == [2]
    shuffled = NPDR(threshold="shuffle", random_state=0).fit(X, y, covariates=age)
    assert shuffled.support_[2]
    assert shuffled.threshold_ > 0
