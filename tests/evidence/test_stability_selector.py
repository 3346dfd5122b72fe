"""Integrated path stability selection beside plain loops, and what it promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression

from echelon import ForwardLinear, RankCorrelation, StabilitySelector
from echelon.base import WeightingSelector
from echelon.evidence import _stability
from reference_evidence_stability import (
    expected_false_positives,
    integral_bound,
    path_score,
    q_value,
)


def table(rng, n=60, p=12, n_relevant=2, levels=0):
    X = rng.normal(size=(n, p))
    y = X[:, :n_relevant].sum(axis=1) + rng.normal(size=n)
    if levels:
        X = np.round(X)
        y = np.digitize(y, np.quantile(y, np.arange(1, levels) / levels))
    return X, y


@pytest.mark.parametrize("bound", ["gaussian", "integral"])
@pytest.mark.parametrize("exponent", [1, 2, 3])
@pytest.mark.parametrize("levels", [0, 3])
def test_scores_and_bounds_are_those_of_the_reference(rng, bound, exponent, levels):
    X, y = table(rng, levels=levels)
    selector = StabilitySelector(
        RankCorrelation(), bound=bound, exponent=exponent, n_pairs=8, random_state=0
    ).fit(X, y)
    frequencies = selector.selection_frequencies_
    expected = [path_score(frequencies[:, j].tolist(), exponent) for j in range(X.shape[1])]
    assert_allclose(selector.scores_, expected)
    found = selector.false_positives_
    if bound == "integral":
        total = integral_bound(frequencies.tolist(), 8, exponent)
        assert_allclose(found, [expected_false_positives(total, s, X.shape[1]) for s in expected])
    assert_allclose(selector.q_values_, [q_value(found.tolist(), j) for j in range(X.shape[1])])
    assert_array_equal(selector.support_, selector.q_values_ <= 0.1)
    assert_array_equal(np.diff(selector.scores_[selector.order_]) <= 0, True)


def test_the_gaussian_bound_is_what_halves_of_a_normal_statistic_do(rng):
    """Frequencies simulated pair by pair, for statistics whose chance is known."""
    shares = np.array([0.05, 0.1, 0.2])
    limits = norm.isf(shares / 2)
    for z in (2.0, 2.5, 3.0):
        noise = rng.normal(size=40000)
        halves = np.abs(np.append(z + noise, z - noise)) / np.sqrt(2)
        frequencies = (halves[:, None] > limits).mean(axis=0)
        score = path_score(frequencies.tolist(), 3)
        chance = _stability.chance_of(np.array([score]), shares, 3)[0]
        assert_allclose(norm.isf(chance / 2), z, atol=0.05)


def test_equal_features_are_not_told_apart_by_their_place(rng):
    """A selector that sees nothing ranks by the order of columns; none of them is stable."""

    class Blind(WeightingSelector):
        def __init__(self, n_features_to_select=None, threshold=None, random_state=None):
            self.n_features_to_select = n_features_to_select
            self.threshold = threshold
            self.random_state = random_state

        categorical_features, verbose = None, 0

        def _scores(self, features, target, random_state):
            return np.zeros(features.values.shape[1])

    X, y = table(rng, levels=3)
    for bound in ("gaussian", "integral"):
        selector = StabilitySelector(Blind(), bound=bound, n_pairs=3, random_state=0).fit(X, y)
        assert not selector.support_.any()
        assert (selector.false_positives_ >= 12 - 1e-9).all()


@pytest.mark.parametrize(
    "ranking", [ForwardLinear(n_bags=2), RFE(LinearRegression()), LinearRegression()]
)
def test_searches_and_models_are_rankings_too(rng, ranking):
    X, y = table(rng, n=120)
    selector = StabilitySelector(ranking, n_pairs=10, random_state=0).fit(X, y)
    assert set(selector.order_[:2]) == {0, 1}


def test_rates(rng):
    X, y = table(rng, n=100)
    make = StabilitySelector(RankCorrelation(), 2, threshold="false_positives", random_state=0)
    selector = make.fit(X, y)
    assert_array_equal(selector.support_, selector.false_positives_ <= 2)
    with pytest.raises(ValueError, match="`error_rate` must be below 1"):
        make.set_params(threshold="fdr").fit(X, y)
    with pytest.raises(ValueError, match="two samples of at least two classes"):
        StabilitySelector(RankCorrelation()).fit(X[:4], ["a", "a", "a", "b"])


def test_noise_passes_no_more_often_than_the_rate():
    """60 tables of noise: the expected number of false positives, and any discovery at 20 %."""
    counts, any_found = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 20)), rng.normal(size=80)
        selector = StabilitySelector(RankCorrelation(), 0.2, n_pairs=20, random_state=seed)
        selector.fit(X, y)
        counts.append((selector.false_positives_ <= 1).sum())
        any_found.append(selector.support_.any())
    assert np.mean(counts) < 1 + 2.5 * np.std(counts) / np.sqrt(60)
    assert np.mean(any_found) < 0.2 + 2.5 * np.sqrt(0.2 * 0.8 / 60)
    assert np.mean(counts) > 0.4  # not idle


def test_bounds_with_many_features(rng):
    """200 irrelevant features where 1 is expected: the integral bound fails, the other holds.

    Statistics of the halves are those of all rows plus and minus normal noise.
    """
    counts = {"gaussian": [], "integral": []}
    for _ in range(40):
        z, noise = rng.normal(size=200), rng.normal(size=(50, 200))
        places = (-np.abs(np.vstack([z + noise, z - noise]))).argsort(axis=1).argsort(axis=1) + 1
        frequencies = np.array([(places <= size).mean(axis=0) for size in range(1, 83)])
        for bound, found in counts.items():
            expected = StabilitySelector(RankCorrelation(), bound=bound)._judge(frequencies)[1]
            found.append((expected <= 1).sum())
    assert abs(np.mean(counts["gaussian"]) - 1) < 3 * np.std(counts["gaussian"]) / np.sqrt(40)
    assert np.mean(counts["integral"]) > 2


def test_results_do_not_depend_on_jobs(rng):
    X, y = table(rng)
    one, two = (
        StabilitySelector(RankCorrelation(), n_pairs=4, n_jobs=n, random_state=1).fit(X, y)
        for n in (1, 2)
    )
    assert_array_equal(one.selection_frequencies_, two.selection_frequencies_)
