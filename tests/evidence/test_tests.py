"""The statistics of the conditional tests, and of clusters, against loops."""

import numpy as np
import pytest
from scipy.stats import f as fisher
from scipy.stats import norm, ttest_1samp
from scipy.stats import t as student

import reference_evidence as reference
from echelon._core.significance import (
    ADJUSTMENTS,
    CONTROLS,
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
)
from echelon.data import read_columns
from echelon.evidence import _tests
from echelon.evidence._conditional import encode
from echelon.evidence._curved import Curved
from echelon.evidence._outcome import Outcome, OutcomeModel
from echelon.evidence._related import (
    adjusted_in_tree,
    correlations,
    given_some,
    replacement,
    tree_of,
)
from echelon.targets import read_target


@pytest.mark.parametrize("seed", range(20))
def test_the_residual_test_is_the_sum_over_all_pairs_of_residuals(seed):
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(30, 1 + seed % 3)).round(1)
    own[rng.random(30) < 0.2] = 0.0
    others = rng.normal(size=(30, 1 + seed % 4))
    others[:, 0] += own[:, 0] * (seed % 2)
    if seed % 5 == 0:
        others[:, -1] = 0.0
    if not others.any():
        assert _tests.residual_p_value(own, others) == 1.0
        return
    mean_square, freedom, rows = reference.residual_statistic(own.tolist(), others.tolist())
    expected = fisher.sf(mean_square, freedom, rows)
    assert _tests.residual_p_value(own, others) == pytest.approx(expected)


def test_of_one_pair_of_residuals_it_is_a_t_test():
    rng = np.random.default_rng(0)
    own, others = rng.normal(size=(2, 40, 1))
    expected = ttest_1samp((own * others)[:, 0], 0).pvalue
    assert _tests.residual_p_value(own, others) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_the_importance_test_adds_up_what_rows_are_known_to_do(seed):
    rng = np.random.default_rng(seed)
    observed, predicted = rng.normal(size=(2, 15, 1 + seed % 3))
    drawn = predicted + rng.normal(size=(2 + seed % 3, *observed.shape)) * rng.uniform(0.1, 2)
    losses = ((observed - drawn) ** 2).sum(axis=2)
    rise = losses.mean(axis=0) - ((observed - predicted) ** 2).sum(axis=1)
    found = _tests.importance_p_value(rise, losses.var(axis=0, ddof=1), len(drawn))
    _, expected = reference.importance_statistic(
        observed.tolist(), predicted.tolist(), drawn.tolist()
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_in_wide_tables_the_observed_spread_of_rises_counts_too(seed):
    rng = np.random.default_rng(seed)
    observed, predicted = rng.normal(size=(2, 15, 1 + seed % 3))
    drawn = predicted + rng.normal(size=(3, *observed.shape)) * rng.uniform(0.1, 2)
    losses = ((observed - drawn) ** 2).sum(axis=2)
    rise = losses.mean(axis=0) - ((observed - predicted) ** 2).sum(axis=1)
    variance = losses.var(axis=0, ddof=1)
    found = _tests.importance_p_value(rise, variance, len(drawn), wide=True)
    score, freedom = reference.wide_importance_statistic(
        observed.tolist(), predicted.tolist(), drawn.tolist()
    )
    assert found == pytest.approx(min(1.0, 2 * student.sf(score, freedom)))


@pytest.mark.parametrize("n_alone", [1, 2, 7, 12])
@pytest.mark.parametrize("spread", [0.5, 1.3, 3.0])
def test_p_values_of_wide_tables_have_the_spread_of_the_middle_one(n_alone, spread):
    z_scores = spread * np.random.default_rng(n_alone).normal(size=12)
    found = _tests.as_wide_as_chance(2 * norm.sf(np.abs(z_scores)), n_alone)
    expected = reference.as_wide_as_chance(z_scores.tolist(), n_alone)
    np.testing.assert_allclose(found, 2 * norm.sf(np.abs(expected)))


def test_a_p_value_of_zero_stays_the_smallest():
    found = _tests.as_wide_as_chance(np.array([0.0, 0.0, 0.0, 0.3]), 4)
    assert np.isfinite(found).all()
    assert (found[:3] < found[3]).all()


def test_a_feature_the_model_does_not_use_has_no_importance():
    assert _tests.importance_p_value(np.zeros(9), np.zeros(9), 3) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_residuals_of_ordered_classes(n_classes):
    rng = np.random.default_rng(n_classes)
    codes = np.append(np.arange(n_classes), rng.integers(n_classes, size=30))
    outcome = Outcome.of(read_target(codes, "ordinal"))
    above = np.sort(rng.uniform(-0.2, 1.2, (len(codes), n_classes - 1)), axis=1)[:, ::-1]
    expected = [
        reference.probability_scale_residual(row, code)
        for row, code in zip(above.tolist(), codes.tolist(), strict=True)
    ]
    np.testing.assert_allclose(outcome.residuals(above)[:, 0], expected, atol=1e-12)


def test_columns_of_other_targets():
    labels = Outcome.of(read_target(list("abcab"), "classification"))
    np.testing.assert_array_equal(labels.columns[:3], np.eye(3))
    two = Outcome.of(read_target(list("abab"), "classification"))
    np.testing.assert_array_equal(two.columns[:, 0], [0, 1, 0, 1])
    numbers = Outcome.of(read_target([0.1, 100.5, 3.2, -7.1], "regression"))
    assert np.argsort(numbers.columns[:, 0]).tolist() == [3, 0, 2, 1]
    np.testing.assert_allclose(numbers.residuals(numbers.columns), 0.0)


def test_folds_hold_every_row_once_and_alike_shares_of_classes():
    outcome = Outcome.of(read_target(np.arange(40) % 4, "ordinal"))
    folds = _tests.split(outcome, np.random.RandomState(0), 5)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(40))
    for train, test in folds:
        assert not set(train) & set(test)
        assert outcome.codes is not None
        assert np.bincount(outcome.codes[test]).tolist() == [2, 2, 2, 2]
    labels = Outcome.of(read_target(list("abcd" * 10), "classification"))
    for _, test in _tests.split(labels, np.random.RandomState(0), 5):
        assert labels.columns[test].sum(axis=0).tolist() == [2, 2, 2, 2]


def test_squares_are_used_where_they_predict_better():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=400)
    outcome = Outcome.of(read_target(y, "regression"))
    table = Curved.of(encode(read_columns(X)))
    assert table.matrix.shape == (400, 6)
    model = OutcomeModel.fit(table, outcome.columns, 5, 0)
    assert model.ridge.weights[3, 0] > 0.5
    straight = Outcome.of(read_target(X[:, 0] + 0.1 * rng.normal(size=400), "regression"))
    bent = OutcomeModel.fit(table, straight.columns, 5, 0).ridge.weights[3:]
    assert np.abs(bent).max() < 0.05


def test_draws_change_the_squares_with_the_columns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    table = Curved.of(encode(read_columns(X)))
    models = [_tests.Conditionals(each) for each in table.tables()]
    drawn = table.drawn([table.best_model(models, 1, [1])], np.random.RandomState(0))
    assert (drawn.matrix[:, 1] != table.matrix[:, 1]).all()
    np.testing.assert_allclose(drawn.matrix[:, 4], (drawn.matrix[:, 1] ** 2 - 1) / np.sqrt(2))
    np.testing.assert_array_equal(drawn.matrix[:, [0, 2, 3, 5]], table.matrix[:, [0, 2, 3, 5]])


@pytest.mark.parametrize("seed", range(100))
def test_adjusted_p_values(seed):
    rng = np.random.default_rng(seed)
    p_values = (rng.uniform(size=1 + seed % 12) ** 3).round(1 + seed % 4)
    for function, method in (
        (holm, "holm"), (benjamini_hochberg, "hochberg"), (benjamini_yekutieli, "yekutieli"),
    ):  # fmt: skip
        expected = reference.adjusted(p_values.tolist(), method)
        np.testing.assert_allclose(function(p_values), expected)


@pytest.mark.parametrize("control", list(CONTROLS))
@pytest.mark.parametrize("seed", range(50))
def test_what_passes_is_adjusted_to_at_most_the_rate(control, seed):
    p_values = np.random.default_rng(seed).uniform(size=8) ** 4
    passes = ADJUSTMENTS[control](p_values) <= 0.1
    np.testing.assert_array_equal(CONTROLS[control](p_values, 0.1), passes)


@pytest.mark.parametrize("seed", range(30))
def test_clusters_are_adjusted_by_those_around_them(seed):
    rng = np.random.default_rng(seed)
    near = np.corrcoef(rng.normal(size=(8, 9)) + rng.normal(size=9))
    tree = tree_of(np.abs(near))
    of_nodes, of_units = rng.uniform(size=len(tree)) ** 4, rng.uniform(size=8) ** 4
    nodes, units = adjusted_in_tree(tree, of_nodes, of_units)
    sets = [*(node.units for node in tree), *((u,) for u in range(8))]
    expected = reference.adjusted_clusters(sets, [*of_nodes, *of_units], 8)
    np.testing.assert_allclose([*nodes, *units], expected)


def test_clusters_hold_what_is_correlated():
    near = np.eye(5)
    near[0, 1] = near[1, 0] = 0.9
    near[2, 3] = near[3, 2] = 0.8
    near[:2, 2:4] = near[2:4, :2] = 0.6
    tree = tree_of(near)
    assert [node.units for node in tree] == [(0, 1, 2, 3), (2, 3), (0, 1)]
    assert [node.parent for node in tree] == [-1, 0, 0]
    assert tree_of(np.eye(3)) == []
    assert tree_of(np.eye(1)) == []


def test_correlations_of_groups_are_the_largest_of_their_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    X[:, 3] += X[:, 0]
    encoded = encode(read_columns(X))
    alone = np.abs(np.corrcoef(encoded.matrix.T))
    np.testing.assert_allclose(correlations(encoded, [[f] for f in range(4)]), alone)
    groups = correlations(encoded, [[0, 1], [2, 3]])
    assert groups[0, 1] == pytest.approx(alone[:2, 2:].max())


def test_the_feature_that_carries_the_information_is_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    X[:, 1] = X[:, 0] + 0.5 * rng.normal(size=400)
    X[:, 2] = X[:, 0] + 0.5 * rng.normal(size=400)
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    encoded, outcome = encode(read_columns(X)), Outcome.of(read_target(y, "classification"))
    assert given_some(encoded, outcome, 1, [0]) > 0.05
    assert given_some(encoded, outcome, 1, [3]) < 1e-6
    assert replacement(encoded, outcome, 1, np.array([2, 0, 3]), 0.05) == [0]
    assert replacement(encoded, outcome, 0, np.array([3]), 0.05) == []
