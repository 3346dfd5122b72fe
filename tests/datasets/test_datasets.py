"""Generators: sizes, what depends on what, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon.datasets import make_concordant_ranks, make_rank_order, make_relevance
from echelon.rankorder import subset_divergence, tau_concordance


@pytest.mark.parametrize("problem", ["ordinal", "classification", "regression"])
def test_make_relevance(problem):
    X, y = make_relevance(120, 2, 5, 3, problem, noise=0.0, random_state=0, weak_groups=[2, 3])
    assert X.shape == (120, 10)
    correlations = np.abs(np.corrcoef(X.T))
    assert_allclose(correlations[2, 3], 1)
    assert_allclose(correlations[4:7, 4:7], 1)
    assert correlations[2, 4] < 0.5
    again = make_relevance(120, 2, 5, 3, problem, noise=0.0, random_state=0, weak_groups=[2, 3])
    assert_array_equal(X, again[0])
    # Without noise the target is a function of one feature of every kind.
    columns = X[:, [0, 1, 2, 4]]
    if problem == "regression":
        fit = columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
        assert_allclose(fit, y)
    else:
        assert set(np.bincount(y).tolist()) == {0, 24} if problem == "ordinal" else {60}


def test_weak_noise_makes_similar_features():
    X, _ = make_relevance(500, 1, 3, 0, weak_noise=0.3, random_state=0)
    correlations = np.abs(np.corrcoef(X[:, 1:].T))[np.triu_indices(3, 1)]
    assert ((correlations > 0.8) & (correlations < 0.99)).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_strong": -1}, "`n_strong` must be an integer of at least 0, got -1"),
        ({"n_strong": 0, "n_weak": 0}, "must not both be 0"),
        ({"n_weak": 4, "weak_groups": [3]}, r"add up to n_weak, 4, got \[3\]"),
        ({"weak_groups": 3}, r"add up to n_weak, 4, got \[3\]"),
        ({"weak_groups": [2.5, 1.5]}, "sizes of at least 2"),
        ({"n_weak": 1}, "A feature alone in its group is a strong one"),
        ({"problem": "ranking"}, "`problem` must be one of"),
        ({"noise": -1}, "`noise` must be a number of at least 0, got -1"),
        ({"n_classes": 1}, "`n_classes` must be an integer of at least 2, got 1"),
        ({"n_samples": 3}, "`n_samples` must be an integer of at least 5, got 3"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        make_relevance(**params)


@pytest.mark.parametrize(("n_classes", "n_informative"), [(2, 2), (3, 3), (6, 3), (7, 4)])
def test_make_rank_order(n_classes, n_informative):
    X, y = make_rank_order(n_classes, 5, 3, 2, random_state=0)
    n = n_informative + 5
    assert X.shape == (5 * n_classes, n)
    assert_array_equal(np.sort(X, axis=1), np.tile(np.arange(1, n + 1), (len(X), 1)))
    # One order of the informative features per class, another for every class.
    orders = {(c, *np.argsort(X[r, :n_informative]).tolist()) for r, c in enumerate(y)}
    assert len(orders) == len({order[1:] for order in orders}) == n_classes
    assert subset_divergence(X, y, range(n_informative)) == 0
    # The last feature stands beside one other in every sample.
    apart = np.abs(X[:, :-1] - X[:, [-1]])
    assert (apart == 1).all(axis=0).any()
    assert_array_equal(make_rank_order(n_classes, 5, 3, 2, random_state=0)[0], X)


def test_make_concordant_ranks():
    X, y = make_concordant_ranks(12, 3, 30, max_between=0.05, min_within=0.4, random_state=0)
    assert X.shape == (90, 12)
    assert_array_equal(np.sort(X, axis=1), np.tile(np.arange(1, 13), (90, 1)))
    assert all(tau_concordance(X[y == c]) >= 0.4 for c in range(3))
    assert tau_concordance(X[[0, 30, 60]]) <= 0.05
    same, _ = make_concordant_ranks(4, 2, 60, max_between=0, min_within=1, random_state=0)
    assert len(np.unique(same[:60], axis=0)) == 1


@pytest.mark.parametrize(
    ("make", "params", "message"),
    [
        (make_rank_order, {"n_classes": 1}, "`n_classes` must be an integer of at least 2, got 1"),
        (make_rank_order, {"n_redundant": -1}, "`n_redundant` must be an integer of at least 0"),
        (make_concordant_ranks, {"n_features": 1}, "`n_features` must be an integer of at least 2"),
        (make_concordant_ranks, {"min_within": 2}, "`min_within` must be a number of at most 1"),
        (make_concordant_ranks, {"max_between": -0.9}, "Give a larger value"),
        (
            make_concordant_ranks,
            {"max_between": "low"},
            "`max_between` must be a number, got 'low'",
        ),
    ],
)
def test_bad_parameters_of_orders(make, params, message):
    with pytest.raises(ValueError, match=message):
        make(**params)
