"""Knockoffs: exchangeable with their features, and filtered as the papers say."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression

from echelon import ForestImportance, ForwardLinear, KnockoffSelector
from echelon.data import read_columns
from echelon.evidence._conditional import Conditionals, encode
from echelon.evidence._knockoffs import e_values, passing
from echelon.evidence._sequential import GrowingConditionals, SequentialKnockoffs
from reference_evidence_knockoffs import e_bh, knockoff_e_values, knockoff_threshold


def mixed_table(rng, n=200, p=40):
    """Correlated columns, in turn continuous, ordered and nominal."""
    latent = rng.normal(size=(n, p))
    for j in range(1, p):
        latent[:, j] = 0.7 * latent[:, j - 1] + 0.7 * latent[:, j]
    X = pd.DataFrame({f"x{j}": latent[:, j] for j in range(p)})
    for j in range(1, p, 3):
        X[f"x{j}"] = np.digitize(latent[:, j], [-1, 0, 1])
    for j in range(2, p, 3):
        X[f"x{j}"] = np.array(["red", "blue", "green"])[np.digitize(latent[:, j], [-0.5, 0.5])]
    return X, latent


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5])
@pytest.mark.parametrize("tied", [False, True])
def test_the_filter_is_that_of_the_reference(rng, rate, tied):
    for _ in range(100):
        w = rng.normal(loc=rng.uniform(0, 2), size=rng.integers(1, 40))
        w = np.round(w) if tied else w
        found = e_values(w, rate)
        assert_allclose(found, knockoff_e_values(w.tolist(), rate))
        # Of one draw the e-values select what the filter selects.
        assert_array_equal(passing(found, rate), w >= knockoff_threshold(w.tolist(), rate))
        several = np.mean([e_values(rng.permutation(w), 0.8 * rate) for _ in range(3)], axis=0)
        assert_array_equal(passing(several, rate), e_bh(several.tolist(), rate))


def test_models_that_grow_are_those_fitted_anew(rng):
    encoded = encode(read_columns(mixed_table(rng, 60, 6)[0]))
    growing, more = GrowingConditionals(encoded.matrix), rng.normal(size=(60, 4)) + 1
    growing.append(more[:, :1])
    growing.append(more[:, 1:])
    anew = Conditionals(np.hstack([encoded.matrix, more]))
    for feature in encoded.features:
        given = np.setdiff1d(np.arange(anew.train.shape[1]), feature.block)
        for found, expected in zip(
            growing.model(feature, given).ridge, anew.model(feature, given).ridge, strict=True
        ):
            assert_allclose(found, expected, atol=1e-9)


def test_knockoffs_are_exchangeable_with_their_features(rng):
    """Means, levels and correlations stay what they are where a feature and its knockoff swap."""
    X, _ = mixed_table(rng, 2000, 9)
    sampler = SequentialKnockoffs(read_columns(X))
    columns = sampler.columns(sampler.draw(np.random.RandomState(0)))
    d = columns.shape[1] // 2
    own, copy = columns[:, :d], columns[:, d:]
    assert_allclose(copy.mean(axis=0), own.mean(axis=0), atol=0.1)
    assert_allclose(copy.std(axis=0), own.std(axis=0), atol=0.1)
    block = np.concatenate(
        [np.full(len(f.columns), k) for k, f in enumerate(sampler.encoded.features)]
    )
    others = block[:, None] != block
    expected = np.cov(own.T)[others]
    assert np.abs(expected).max() > 0.4
    assert_allclose(np.cov(copy.T)[others], expected, atol=0.12)
    assert_allclose(((copy - copy.mean(0)).T @ own / len(own))[others], expected, atol=0.12)


def test_knockoffs_hold_values_of_their_feature(rng):
    X, _ = mixed_table(rng, 100, 6)
    X.loc[:9, "x0"] = np.nan
    X.loc[5:14, "x2"] = None
    X["constant"] = 1.0
    data = read_columns(X)
    rows = SequentialKnockoffs(data).draw(np.random.RandomState(0))
    copies = np.take_along_axis(data.values, rows, axis=0)
    assert_array_equal(np.isnan(copies), np.isnan(data.values))
    assert (copies[:, -1] == 1).all()
    assert (rows[20:, :6] != np.arange(20, 100)[:, None]).mean() > 0.5


@pytest.mark.parametrize("target", ["ordinal", "classification", "regression"])
@pytest.mark.parametrize("selector", [None, ForestImportance(n_estimators=30)])
def test_relevant_features_are_found(rng, target, selector):
    X, latent = mixed_table(rng, 600, 40)
    score = latent[:, 1::3] @ np.tile([1, -1], 7)[:13] + rng.normal(size=600)
    y = {
        "ordinal": np.digitize(score, [-2, 0, 2]),
        "classification": np.array(["a", "b", "c"])[np.digitize(score, [-1.5, 1.5])],
        "regression": score,
    }[target]
    found = KnockoffSelector(selector=selector, error_rate=0.2, random_state=0).fit(X, y)
    relevant = np.arange(40) % 3 == 1
    best = found.order_[:13]
    assert relevant[best].mean() > 0.6
    assert found.kind_ == target
    assert found.support_.sum() in (0, *range(5, 40))


@pytest.mark.parametrize(
    "ranking", [ForwardLinear(n_bags=1, criterion="bic"), RFE(LinearRegression(), step=5)]
)
def test_searches_without_scores_are_rankings_too(rng, ranking):
    X = rng.normal(size=(300, 30))
    y = X[:, :12].sum(axis=1) + rng.normal(size=300)
    found = KnockoffSelector(selector=ranking, n_knockoffs=1, random_state=0).fit(X, y)
    assert found.support_[:12].sum() >= 10
    assert found.support_[12:].sum() <= 3


def test_several_knockoffs(rng):
    X = rng.normal(size=(300, 40))
    y = X[:, :24].sum(axis=1) + rng.normal(size=300)
    five = {"error_rate": 0.2, "n_knockoffs": 5, "random_state": 0}
    found = KnockoffSelector(**five).fit(X, y)
    assert found.statistics_.shape == (5, 40)
    expected = np.mean([knockoff_e_values(w.tolist(), 0.16) for w in found.statistics_], axis=0)
    assert_allclose(found.e_values_, expected)
    assert_array_equal(found.support_, e_bh(expected.tolist(), 0.2))
    again = KnockoffSelector(**five, n_jobs=2).fit(X, y)
    assert_array_equal(again.statistics_, found.statistics_)


def test_it_says_where_nothing_can_be_found(rng):
    X, y = rng.normal(size=(60, 9)), np.arange(60) % 3
    with pytest.warns(UserWarning, match="at least 13 features or none"):
        KnockoffSelector(n_knockoffs=5, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KnockoffSelector(error_rate=0.2, random_state=0).fit(X, y)
        KnockoffSelector(3, random_state=0).fit(X, y)


def test_noise_is_seldom_selected():
    """With nothing to find the false discovery rate is the probability of any selection."""
    any_found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, _ = mixed_table(rng, 100, 30)
        selector = KnockoffSelector(error_rate=0.2, random_state=seed).fit(X, rng.normal(size=100))
        any_found.append(selector.support_.any())
    assert np.mean(any_found) < 0.2 + 2.5 * np.sqrt(0.2 * 0.8 / 40)
