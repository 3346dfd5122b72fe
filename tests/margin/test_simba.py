"""Simba and O-Simba against the reference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

import reference
from cases import draw_case
from echelon import OSimba, Simba


def visits(y, random_state, n_epochs, restart=0, n_restarts=1):
    """The order in which a fit visits the samples, as row indices of X."""
    seeds = np.random.RandomState(random_state).randint(2**31, size=n_restarts)
    rng = np.random.default_rng(seeds[restart])
    rows = np.argsort(y, kind="stable")
    return [int(i) for _ in range(n_epochs) for i in rows[rng.permutation(len(y))]]


@pytest.mark.parametrize("n_epochs", [1, 3])
def test_simba_equals_reference(n_epochs):
    for seed in range(30):
        case = draw_case(seed, missing=0)
        X, y, nominal = case.lists
        found = Simba(n_epochs=n_epochs, random_state=seed, categorical_features=case.nominal).fit(
            case.X, case.y
        )
        expected = reference.simba(X, y, visits(case.y, seed, n_epochs), nominal)
        assert_allclose(found.scores_, expected, rtol=1e-6, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("dominance", ["prefer", "require", "ignore"])
def test_osimba_equals_reference(dominance):
    for seed in range(30):
        case = draw_case(seed, missing=0)
        X, y, nominal = case.lists
        signs = np.random.default_rng(seed).integers(-1, 2, len(nominal))
        signs[case.nominal] = 0
        found = OSimba(
            dominance=dominance,
            monotonic_cst=signs,
            random_state=seed,
            categorical_features=case.nominal,
        ).fit(case.X, case.y)
        expected = reference.simba(
            X, y, visits(case.y, seed, 1), nominal, True, dominance, signs.tolist()
        )
        assert_allclose(found.scores_, expected, rtol=1e-6, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("estimator", [Simba, OSimba])
def test_the_restart_with_the_largest_margin_is_kept(estimator):
    X, y = load_wine(return_X_y=True)
    X, y = X[::4], y[::4]
    ordered = estimator is OSimba
    runs = [
        reference.simba(X.tolist(), y.tolist(), visits(y, 3, 1, r, 4), ordered=ordered)
        for r in range(4)
    ]
    margins = [
        reference.margin_sum(X.tolist(), y.tolist(), np.sqrt(w).tolist(), ordered=ordered)
        for w in runs
    ]
    kept = estimator(n_restarts=4, random_state=3).fit(X, y)
    assert_allclose(kept.scores_, runs[int(np.argmax(margins))], rtol=1e-6)


@pytest.mark.parametrize("estimator", [Simba, OSimba])
def test_threads_do_not_matter(estimator):
    X, y = load_wine(return_X_y=True)
    one = estimator(n_restarts=3, n_jobs=1, random_state=0).fit(X, y)
    two = estimator(n_restarts=3, n_jobs=2, random_state=0).fit(X, y)
    assert_array_equal(one.scores_, two.scores_)


def test_scores_are_between_zero_and_one_and_the_mean_decides():
    X, y = load_wine(return_X_y=True)
    selector = Simba(random_state=0).fit(X, y)
    assert selector.scores_.max() == 1
    assert selector.scores_.min() >= 0
    assert_array_equal(selector.support_, selector.scores_ > selector.scores_.mean())


def test_equal_samples_leave_equal_weights():
    selector = Simba(random_state=0).fit(np.ones((10, 3)), np.arange(10) % 2)
    assert_array_equal(selector.scores_, 1)


@pytest.mark.parametrize("estimator", [Simba, OSimba])
def test_ties_are_broken_alike_whatever_the_dtype_and_the_order_of_columns(estimator):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, (40, 6)), rng.integers(0, 3, 40)
        expected = estimator(random_state=0).fit(X, y).scores_
        single = estimator(random_state=0).fit(X.astype(np.float32), y).scores_
        assert_array_equal(single, expected)
        columns = rng.permutation(6)
        turned = estimator(random_state=0).fit(X[:, columns].astype(np.float32), y).scores_
        assert_allclose(turned, expected[columns], rtol=1e-6, atol=1e-9)
