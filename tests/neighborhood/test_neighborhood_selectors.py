"""Forward selection by neighborhoods: against plain loops, and what the paper promises."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

import reference
from cases import draw_case
from echelon import NeighborhoodRoughSet, NeighborhoodSoftMargin
from echelon.neighborhood import dependency, soft_margin

SETTINGS = [
    {"vote": "leave_one_out"},
    {"vote": "inclusive", "penalty": 1.0},
    {"penalty": 0.3, "step": 0.05, "max_radius": 0.4},
    {"penalty": 40.0, "step": 0.1, "max_radius": 1.0, "vote": "inclusive"},
]


def small_case(seed):
    """A case with at least one feature that varies, and sometimes a duplicated one."""
    case = draw_case(seed, max_samples=22)
    case.X = case.X[:, :5]
    case.nominal = case.nominal[:5]
    case.X[:2, 0] = 0, 1
    if seed % 3 == 0:
        case.X[:, -1] = case.X[:, 0]
        case.nominal[-1] = case.nominal[0]
    return case


@pytest.fixture(params=[1024, 0], ids=["stored", "blocked"])
def memory(request):
    with sklearn.config_context(working_memory=request.param):
        yield


@pytest.mark.parametrize("seed", range(40))
def test_soft_margin_against_the_reference(seed, memory):
    case = small_case(seed)
    settings = SETTINGS[seed % len(SETTINGS)]
    n = case.X.shape[1]
    selector = NeighborhoodSoftMargin(n, categorical_features=case.nominal, **settings)
    selector.fit(case.X, case.y)
    X, y, nominal = case.lists
    expected = reference.forward_soft_margin(X, y, n, nominal, **settings)
    features, values, radii, errors = zip(*expected, strict=True)
    assert_array_equal(selector.order_, features)
    assert_allclose(selector.path_.value, values, rtol=1e-12)
    assert_allclose(selector.path_.radius, radii, rtol=1e-12)
    assert_array_equal(selector.path_.errors, errors)


@pytest.mark.parametrize("seed", range(60))
def test_rough_set_against_the_reference(seed, memory):
    case = small_case(seed)
    n, radius = case.X.shape[1], (0.05, 0.15, 0.3, 0.7)[seed % 4]
    selector = NeighborhoodRoughSet(n, radius=radius, categorical_features=case.nominal)
    selector.fit(case.X, case.y)
    X, y, nominal = case.lists
    features, impure, conflicts = zip(
        *reference.forward_rough_set(X, y, n, radius, nominal), strict=True
    )
    assert_array_equal(selector.order_, features)
    assert_array_equal(selector.path_.errors, impure)
    assert_array_equal(selector.path_.conflicts, conflicts)
    assert_allclose(selector.path_.value, 1 - np.array(impure) / len(y))


@pytest.mark.parametrize("shape", [(60, 70), (150, 40)])
def test_larger_data_agree_with_the_measures(shape, rng):
    """Enough candidates for several tasks; the path is what the plain functions say."""
    y = rng.integers(0, 3, shape[0])
    X = rng.normal(size=shape) + 0.8 * (rng.random(shape[1]) < 0.2) * y[:, None]
    X[:, -10:] = X[:, :10]
    selector = NeighborhoodSoftMargin(6).fit(X, y)
    rough = NeighborhoodRoughSet(6, radius=0.2).fit(X, y)
    for size in range(1, 7):
        chosen = selector.order_[:size]
        assert_allclose(selector.path_[size - 1].tolist()[1:], soft_margin(X[:, chosen], y))
        others = [[*chosen[:-1], f] for f in range(shape[1]) if f not in chosen[:-1]]
        best = min(soft_margin(X[:, columns], y)[0] for columns in others)
        assert_allclose(selector.path_.value[size - 1], best)
        assert_allclose(rough.path_.value[size - 1], dependency(X[:, rough.order_[:size]], y, 0.2))


def test_results_do_not_depend_on_threads_memory_or_row_order(rng):
    y = rng.integers(0, 3, 80)
    X = np.round(rng.normal(size=(80, 120)) + 0.5 * y[:, None] * (rng.random(120) < 0.1), 1)
    X[rng.random(X.shape) < 0.02] = np.nan
    shuffled = rng.permutation(80)
    for selector in (NeighborhoodSoftMargin(8), NeighborhoodRoughSet(8)):
        expected = selector.fit(X, y).path_.tolist()
        assert selector.set_params(n_jobs=1).fit(X, y).path_.tolist() == expected
        assert (
            selector.set_params(n_jobs=4).fit(X[shuffled], y[shuffled]).path_.tolist() == expected
        )
        with sklearn.config_context(working_memory=0):
            assert selector.fit(X, y).path_.tolist() == expected


def test_the_own_rule_is_the_shortest_prefix_within_one_error(rng):
    X, y = load_wine(return_X_y=True)
    noisy = np.hstack([X, rng.random((len(X), 17))])
    selector = NeighborhoodSoftMargin().fit(noisy, y)
    values = selector.path_.value
    n_kept = selector.support_.sum()
    assert values[n_kept - 1] <= values.min() + 4
    assert (values[: n_kept - 1] > values.min() + 4).all()
    lows = np.minimum.accumulate(values)
    assert lows[-11] - lows[-1] < 4
    assert all(lows[t - 10] - lows[t] >= 4 for t in range(10, len(lows) - 1))
    assert 11 <= len(values) < 30
    unreached = np.setdiff1d(np.arange(30), selector.order_)
    assert (selector.ranking_[unreached] == len(values) + 1).all()


def test_the_own_rule_keeps_less_noise_than_the_bare_minimum():
    """As docs/neighborhood.md says: fewer noise features, though not none."""
    X, y = load_wine(return_X_y=True)
    kept, bare = [], []
    for seed in range(10):
        noise = np.random.default_rng(seed).random((len(X), 17))
        selector = NeighborhoodSoftMargin().fit(np.hstack([X, noise]), y)
        kept.append(selector.support_[13:].sum())
        bare.append((selector.order_[: selector.path_.value.argmin() + 1] >= 13).sum())
    assert np.mean(kept) < 3 < 4 < np.mean(bare)


def test_rough_set_stops_when_the_dependency_no_longer_grows(rng):
    X, y = load_wine(return_X_y=True)
    selector = NeighborhoodRoughSet().fit(X, y)
    assert selector.path_.value[-1] == 1
    assert (np.diff(selector.path_.value) > 0).all()
    assert selector.support_.sum() == len(selector.order_)
    stopped = 0
    for _ in range(20):
        X = rng.integers(0, 3, (60, 6)) / 2  # equal rows of different classes are never parted
        y = np.where(rng.random(60) < 0.1, 0, (X[:, 0] + X[:, 1] > 1).astype(int))
        whole = NeighborhoodRoughSet(1.0, radius=0.2).fit(X, y).path_
        selector = NeighborhoodRoughSet(radius=0.2).fit(X, y)
        n_kept = selector.support_.sum()
        assert_array_equal(selector.path_, whole[: len(selector.path_)])
        values = selector.path_.value[:n_kept]
        assert (np.diff(values[values > 0]) > 0).all()
        if n_kept < len(selector.order_):
            stopped += 1
            assert whole.value[n_kept] == whole.value[n_kept - 1] > 0
        else:
            assert n_kept == 6 or selector.path_.value[-1] == 1
    assert 0 < stopped < 20


def test_rough_set_goes_on_while_the_dependency_is_zero(rng):
    """On large data no single feature has a pure ball; the conflicts lead the search."""
    X = rng.random((400, 6))
    y = (X[:, 2] + X[:, 4] > 1).astype(int)
    selector = NeighborhoodRoughSet(radius=0.15).fit(X, y)
    assert selector.path_.value[0] < 0.6
    flipped = np.where(rng.random(400) < 0.15, 1 - y, y)
    selector = NeighborhoodRoughSet(radius=0.3).fit(X, flipped)
    zero = selector.path_.value == 0
    assert zero[0]
    assert (np.diff(selector.path_.conflicts[zero]) < 0).all()
    assert len(selector.order_) > zero.sum() or len(selector.order_) == 6


def test_a_class_of_one_sample():
    """Left out of its own vote it can never be recognised: one error at every radius."""
    X, y = load_wine(return_X_y=True)
    alone = np.where(np.arange(len(y)) == 5, 9, y)
    selector = NeighborhoodSoftMargin(3).fit(X, alone)
    assert (selector.path_.errors >= 1).all()
    NeighborhoodRoughSet(3).fit(X, alone)


def test_nominal_columns_of_a_frame(rng):
    y = rng.integers(0, 3, 90)
    frame = pd.DataFrame(
        {
            "noise": rng.random(90),
            "kind": np.array(["a", "b", "c"])[np.where(rng.random(90) < 0.1, 0, y)],
            "level": pd.Categorical(rng.choice(["lo", "hi"], 90), ["lo", "hi"], ordered=True),
        }
    )
    for selector in (NeighborhoodSoftMargin(1), NeighborhoodRoughSet(1, radius=0.5)):
        assert selector.fit(frame, y).get_feature_names_out().tolist() == ["kind"]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (NeighborhoodRoughSet(radius=0), "'radius'"),
        (NeighborhoodRoughSet(radius=-1), "'radius'"),
        (NeighborhoodRoughSet(radius=np.nan), "'radius'"),
        (NeighborhoodSoftMargin(penalty=0), "'penalty'"),
        (NeighborhoodSoftMargin(step=0), "'step'"),
        (NeighborhoodSoftMargin(max_radius=-0.5), "'max_radius'"),
        (NeighborhoodSoftMargin(vote="loo"), "'vote'.*'loo'"),
        (NeighborhoodSoftMargin(step=0.3), r"`step` must be at most .* 0\.25, got 0\.3"),
        (NeighborhoodSoftMargin(step=2e-6), r"`step` must leave at most 100000 radii.*got 2e-06"),
        (NeighborhoodSoftMargin(step=1e-310, max_radius=1e-309), "'step'"),
        (NeighborhoodSoftMargin(max_radius=1e308), "'max_radius'"),
        (NeighborhoodSoftMargin(penalty=1e308), "'penalty'"),
        (NeighborhoodRoughSet(radius=1e155), "'radius'"),
    ],
)
def test_bad_parameters(selector, message):
    with pytest.raises(ValueError, match=message):
        selector.fit(*load_wine(return_X_y=True))


def test_single_precision_does_not_open_the_ball():
    X, y = np.arange(11.0)[:, None], [0] * 6 + [1] * 5
    for selector in (NeighborhoodRoughSet(radius=0.1), NeighborhoodSoftMargin(step=0.1)):
        expected = selector.fit(X, y).path_.tolist()
        assert selector.fit(X.astype(np.float32), y).path_.tolist() == expected
    assert dependency(X.astype(np.float32), y, 0.1) == dependency(X, y, 0.1) < 1


def test_steps_of_any_type(rng):
    X, y = np.round(rng.random((60, 5)), 2), rng.integers(0, 2, 60)
    expected = NeighborhoodSoftMargin(3, step=float(np.float32(0.01))).fit(X, y).path_.tolist()
    single = NeighborhoodSoftMargin(3, step=np.float32(0.01)).fit(X, y)
    assert single.path_.tolist() == expected


@pytest.mark.parametrize("penalty", [1e-300, 1e-16, 1e-13, 1e100])
def test_penalties_lost_in_rounding_change_nothing_between_threads(penalty, rng):
    X, y = rng.integers(0, 3, (30, 300)).astype(float), rng.integers(0, 3, 30)
    paths = [
        NeighborhoodSoftMargin(3, penalty=penalty, n_jobs=n).fit(X, y).path_.tolist()
        for n in (1, 2, 4, 4)
    ]
    assert all(path == paths[0] for path in paths)
    singles = [soft_margin(X[:, [f]], y, penalty)[0] for f in range(300)]
    assert paths[0][0][0] == np.argmin(singles)
