"""Properties that hold for any data."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from echelon import OReliefF, Relief, ReliefF

RULES = (
    Relief(),
    ReliefF(n_neighbors=3),
    ReliefF(n_neighbors=3, metric="euclidean"),
    OReliefF(n_neighbors=3, scale="range", monotonic_cst=None, threshold=0.0),
    OReliefF(n_neighbors=3, rule="paper", monotonic_cst=None, threshold=0.0),
    OReliefF(
        n_neighbors=3,
        rule="paper",
        contradictions="penalize",
        monotonic_cst=None,
        threshold=0.0,
    ),
)


@st.composite
def problems(draw, levels=st.sampled_from([0, 2, 5])):
    """X (continuous, binary or Likert) and y with two to four classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, p = draw(st.integers(8, 80)), draw(st.integers(1, 12))
    n_levels = draw(levels)
    X = rng.integers(0, n_levels, (m, p)).astype(float) if n_levels else rng.normal(size=(m, p))
    y = rng.integers(0, draw(st.integers(2, 4)), m)
    y[:2] = 0, 1
    return X, y, rng


@given(problems())
def test_permuting_columns_permutes_scores(problem):
    X, y, rng = problem
    columns = rng.permutation(X.shape[1])
    for rule in RULES:
        expected = rule.fit(X, y).scores_[columns]
        assert_allclose(rule.fit(X[:, columns], y).scores_, expected, atol=1e-9)


@given(problems(levels=st.just(5)))
def test_the_order_of_rows_does_not_matter_on_likert_data(problem):
    X, y, rng = problem
    rows = rng.permutation(len(X))
    for rule in RULES:
        assert_allclose(rule.fit(X[rows], y[rows]).scores_, rule.fit(X, y).scores_, atol=1e-9)


@given(problems())
def test_units_do_not_matter(problem):
    X, y, rng = problem
    unit = rng.choice([0.1, 2, 1000], X.shape[1])
    for rule in RULES:
        assert_array_equal(rule.fit(2 * X, y).scores_, rule.fit(X, y).scores_)
        assert_allclose(rule.fit(unit * X + 7, y).scores_, rule.fit(X, y).scores_, atol=1e-6)


@given(problems())
def test_turning_classes_and_features_round_changes_nothing(problem):
    X, y, _ = problem
    for rule in RULES[3:]:
        assert_allclose(rule.fit(-X, -y).scores_, rule.fit(X, y).scores_, atol=1e-9)


@given(problems())
def test_falling_features_equal_negated_ones(problem):
    X, y, rng = problem
    signs = rng.choice([-1, 1], X.shape[1])
    for rule in RULES[3:]:
        expected = rule.fit(X * signs, y).scores_
        turned = OReliefF(**{**rule.get_params(), "monotonic_cst": signs}).fit(X, y)
        assert_allclose(turned.scores_, expected, atol=1e-9)


@given(problems())
def test_without_ties_both_tie_rules_agree(problem):
    X, y, rng = problem
    X = X + rng.normal(size=X.shape)
    for rule in RULES:
        by_index = type(rule)(**{**rule.get_params(), "ties": "index"})
        assert_allclose(by_index.fit(X, y).scores_, rule.fit(X, y).scores_, atol=1e-12)


@given(problems())
def test_a_constant_feature_scores_zero_and_changes_nothing(problem):
    X, y, _ = problem
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    for rule in RULES:
        assert_allclose(rule.fit(constant, y).scores_[:-1], rule.fit(X, y).scores_, atol=1e-9)
        assert rule.fit(constant, y).scores_[-1] == 0


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.random((1500, 20)), rng.integers(0, 3, 1500)
    for rule in RULES:
        runs = [
            type(rule)(**{**rule.get_params(), "n_jobs": n}).fit(X, y).scores_ for n in (1, 2, 5)
        ]
        assert_array_equal(runs[0], runs[1])
        assert_array_equal(runs[0], runs[2])
