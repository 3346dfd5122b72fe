"""Relief, ReliefF and O-ReliefF against the reference, a peer and their definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import minmax_scale

import reference
import reference_margin
from cases import draw_case
from echelon import OReliefF, Relief, ReliefF
from echelon.data import read_columns

METRICS = ("manhattan", "euclidean")
TIES = ("share", "index")
SEEDS = range(40)
ENGINES = ("numba", "numpy")
"""Both local ones; small data would all go to the second."""


def printed(estimator, **params):
    """The estimator with the rule of its paper, and no second fit."""
    if estimator is OReliefF:
        params = {"rule": "paper", "monotonic_cst": None, **params}
    return estimator(threshold=0.0, **params)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", METRICS)
def test_relief_equals_reference(metric, ties):
    for seed in SEEDS:
        case = draw_case(seed)
        X, y, nominal = case.lists
        found = Relief(
            metric=metric, ties=ties, categorical_features=case.nominal, engine=ENGINES[seed % 2]
        )
        expected = reference.relief(X, y, nominal, metric, ties)
        assert_allclose(found.fit(case.X, case.y).scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", METRICS)
def test_relieff_equals_reference(metric, ties):
    for seed in SEEDS:
        case = draw_case(seed)
        X, y, nominal = case.lists
        found = ReliefF(
            n_neighbors=case.k,
            metric=metric,
            ties=ties,
            categorical_features=case.nominal,
            engine=ENGINES[seed % 2],
        )
        expected = reference.relieff(X, y, case.k, nominal, metric, ties)
        assert_allclose(found.fit(case.X, case.y).scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", METRICS)
def test_extreme_neighbours_equal_reference(metric, ties):
    for seed in SEEDS:
        case = draw_case(seed)
        X, y, nominal = case.lists
        expected = reference_margin.mu_relief(X, y, case.k, nominal, metric, ties)
        for engine in ENGINES:
            found = ReliefF(n_neighbors=case.k, neighbors="extreme", metric=metric, ties=ties,
                            categorical_features=case.nominal, engine=engine)  # fmt: skip
            scores = found.fit(case.X, case.y).scores_
            assert_allclose(scores, expected, atol=1e-9, err_msg=str(seed))


def test_extreme_neighbours_by_hand():
    """On a line, hits at 1, 2 and 6 (mean 3), misses at 4 and 10 (mean 7)."""
    X, y = np.array([[0.0], [1.0], [2.0], [6.0], [4.0], [10.0]]), [0, 0, 0, 0, 1, 1]

    class First(ReliefF):
        def _queries(self, n_samples, random_state):
            return np.array([0])

    # 6 is farthest from 3, then 1; 4 and 10 are as far from 7, and share the place.
    one = First(n_neighbors=1, neighbors="extreme", engine="numpy").fit(X, y)
    assert_allclose(one.scores_, 0.7 - 0.6, atol=1e-12)
    two = First(n_neighbors=2, neighbors="extreme", engine="numpy").fit(X, y)
    assert_allclose(two.scores_, 0.7 - (0.6 + 0.1) / 2, atol=1e-12)


@pytest.mark.parametrize("k", [1, 10, 60])
def test_extreme_neighbours_equal_skrebate(k):
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    X, y = load_breast_cancer(return_X_y=True)
    peer = skrebate.MuRelief(n_features_to_select=5, n_neighbors=k).fit(X, y)
    ours = ReliefF(n_neighbors=k, neighbors="extreme").fit(X, y)
    assert_allclose(ours.scores_, peer.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("dominance", ["prefer", "require", "ignore"])
@pytest.mark.parametrize("contradictions", ["ignore", "penalize"])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", METRICS)
def test_orelieff_equals_reference(metric, ties, dominance, contradictions):
    for seed in SEEDS:
        case = draw_case(seed)
        X, y, nominal = case.lists
        signs = np.random.default_rng(seed).integers(-1, 2, len(nominal))
        signs[case.nominal] = 0
        found = OReliefF(
            n_neighbors=case.k,
            metric=metric,
            ties=ties,
            rule="paper",
            dominance=dominance,
            contradictions=contradictions,
            monotonic_cst=signs,
            threshold=0.0,
            categorical_features=case.nominal,
            engine=ENGINES[seed % 2],
        ).fit(case.X, case.y)
        expected = reference.orelieff(
            X, y, case.k, nominal, metric, dominance, contradictions, signs.tolist(), ties
        )
        assert_allclose(found.scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("missing", [0, 0.1])
def test_float32_keeps_its_type_and_its_ties(metric, missing):
    for seed in SEEDS:
        case = draw_case(seed, missing=missing)
        X, y, nominal = case.lists
        single = case.X.astype(np.float32)
        columns = read_columns(single, case.nominal, allow_nan=True)
        assert columns.values.dtype == np.float32
        expected = reference.relieff(X, y, case.k, nominal, metric, tolerance=1e-5)
        found = ReliefF(n_neighbors=case.k, metric=metric, categorical_features=case.nominal)
        scores = found.fit(single, case.y).scores_
        assert scores.dtype == np.float64
        assert_allclose(scores, expected, atol=1e-5, err_msg=str(seed))


@pytest.mark.parametrize("estimator", [Relief, ReliefF, OReliefF])
def test_sampled_queries(estimator):
    case = draw_case(0, missing=0, nominal=0)
    X, y, _ = case.lists
    selector = printed(estimator, sample_size=4, random_state=7).fit(case.X, case.y)
    # The same draw: positions among the rows sorted by class.
    drawn = np.random.RandomState(7).choice(len(y), 4, replace=False)
    queries = np.argsort(case.y, kind="stable")[drawn].tolist()
    naive = {Relief: reference.relief, ReliefF: reference.relieff, OReliefF: reference.orelieff}
    assert_allclose(selector.scores_, naive[estimator](X, y, queries=queries), atol=1e-9)
    assert_array_equal(
        printed(estimator, sample_size=1.0, random_state=0).fit(case.X, case.y).order_,
        printed(estimator).fit(case.X, case.y).order_,
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("k", "rounding"), [(1, 1e-6), (10, 1e-6), (40, 1e-5)])
def test_relieff_equals_fast_select_on_wine(n_classes, k, rounding):
    from fast_select import ReliefF as Peer

    X, y = load_wine(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    # Sums of 13 such fractions are exact in single precision, the peer's: on every processor the
    # same samples are the nearest.  Each of its threads adds up in single precision, too: of one
    # thread's 14,000 differences for k = 40 the fifth digit is rounded.
    X = np.rint(2**18 * minmax_scale(X)) / 2**18
    peer = Peer(n_features_to_select=5, n_neighbors=k).fit(X, y)
    ours = ReliefF(n_neighbors=k).fit(X, y)
    assert_allclose(ours.scores_, peer.feature_importances_, atol=rounding)


def test_n_neighbors_log():
    X, y = load_wine(return_X_y=True)
    by_name = ReliefF(n_neighbors="log").fit(X, y)
    assert_array_equal(by_name.scores_, ReliefF(n_neighbors=5).fit(X, y).scores_)  # ln 178 = 5.2


def test_more_neighbours_than_samples():
    X, y = load_wine(return_X_y=True)
    largest = ReliefF(n_neighbors=71).fit(X, y)
    assert_allclose(ReliefF(n_neighbors=10**9).fit(X, y).scores_, largest.scores_)


def test_a_class_with_one_sample_counts_by_its_misses(rng):
    X = rng.random((20, 3))
    y = np.array([0] * 10 + [1] * 9 + [2])
    expected = reference.relieff(X.tolist(), y.tolist(), 3)
    assert_allclose(ReliefF(n_neighbors=3).fit(X, y).scores_, expected, atol=1e-9)


@pytest.mark.parametrize("estimator", [Relief, ReliefF, OReliefF])
def test_many_classes(estimator, rng):
    X, y = rng.random((900, 4)), np.arange(900) % 300
    naive = {Relief: reference.relief, ReliefF: reference.relieff, OReliefF: reference.orelieff}
    rows = np.argsort(y, kind="stable")
    drawn = np.random.RandomState(0).choice(900, 6, replace=False)
    some = rows[drawn].tolist()
    expected = naive[estimator](X.tolist(), y.tolist(), queries=some)
    selector = printed(estimator, sample_size=6, random_state=0).fit(X, y)
    assert_allclose(selector.scores_, expected, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_falling_features_with_a_heavy_tail_keep_their_order(dtype):
    """Most values are a tiny part of the range, where 1 - x would round them away."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = np.exp(rng.normal(0, 15 if dtype == np.float64 else 6, (60, 3))).astype(dtype)
        y = rng.integers(0, 3, 60)
        options = {"dominance": "require", "ties": "share"}
        tolerance = 1e-9 if dtype == np.float64 else 1e-5
        expected = reference.orelieff(
            X.astype(float).tolist(), y.tolist(), 3, signs=[-1] * 3, **options
        )
        found = printed(OReliefF, n_neighbors=3, monotonic_cst=[-1] * 3, **options)
        assert_allclose(found.fit(X, y).scores_, expected, atol=tolerance)


def test_a_nominal_feature_that_never_repeats_scores_zero():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.column_stack([np.arange(50), rng.random((50, 2))])
        selector = ReliefF(categorical_features=[0]).fit(X, rng.integers(0, 3, 50))
        assert selector.scores_[0] == 0
        assert not selector.support_[0]


def test_all_samples_equal():
    X, y = np.ones((300, 2)), np.arange(300) % 2
    for estimator in (Relief, ReliefF, OReliefF):
        assert_array_equal(estimator(random_state=0).fit(X, y).scores_, 0)


def test_a_feature_that_is_always_missing_scores_zero(rng):
    X = rng.random((40, 3))
    X[:, 1] = np.nan
    y = np.arange(40) % 2
    without = ReliefF().fit(X[:, [0, 2]], y).scores_
    scores = ReliefF().fit(X, y).scores_
    assert scores[1] == 0
    assert_allclose(scores[[0, 2]], without)


def test_equal_rows_dominate_both_ways():
    # Two equal hits, one miss above: the hits are at distance 0 in either direction.
    X, y = [[0.0], [0.0], [1.0]], [0, 0, 1]
    expected = reference.orelieff(X, y, 1, dominance="require")
    found = printed(OReliefF, n_neighbors=1, dominance="require").fit(X, y)
    assert_allclose(found.scores_, expected)
    assert expected[0] > 0


def test_penalised_contradictions_rank_the_monotone_feature_first():
    """Section 4.1 of the paper: the printed rule likes the non-monotone feature as well."""
    from papers.large_margin._synthetic import monotone_and_not

    shares = {}
    for contradictions in ("ignore", "penalize"):
        runs = []
        for seed in range(5):
            X, y = monotone_and_not(100, seed)
            selector = printed(OReliefF, n_neighbors="log", contradictions=contradictions)
            selector.fit(X, y)
            runs.append((selector.scores_ - selector.scores_.min()) / np.ptp(selector.scores_))
        mean = np.mean(runs, axis=0)
        shares[contradictions] = mean[1] / mean[0]
        assert mean[:2].min() > mean[2:].max()
    assert shares["penalize"] < 0.7
    assert shares["ignore"] > 0.9


def test_automatic_directions_equal_given_ones():
    X, y = load_wine(return_X_y=True)
    X = X * np.where(np.arange(13) % 2, 1, -1)
    auto = OReliefF(monotonic_cst="auto", threshold=0.0).fit(X, y)
    given = OReliefF(monotonic_cst=auto.monotonic_cst_, threshold=0.0).fit(X, y)
    assert_array_equal(auto.scores_, given.scores_)
    assert {-1, 1} == set(auto.monotonic_cst_)


def test_directions_by_name_leave_the_rest_free(rng):
    frame = pd.DataFrame(rng.random((30, 3)), columns=["a", "b", "c"])
    selector = OReliefF(monotonic_cst={"c": -1}, threshold=0.0).fit(frame, np.arange(30) % 3)
    assert selector.monotonic_cst_.tolist() == [0, 0, -1]


def test_classes_by_name_and_by_integer_agree(rng):
    X = rng.random((40, 4))
    codes = rng.integers(0, 3, 40)
    names = np.array(["low", "medium", "high"])[codes]
    order = ["low", "medium", "high"]
    expected = OReliefF(threshold=0.0).fit(X, codes)
    by_order = OReliefF(class_order=order, threshold=0.0).fit(X, names)
    by_dtype = OReliefF(threshold=0.0).fit(X, pd.Categorical(names, order, ordered=True))
    assert_array_equal(by_order.scores_, expected.scores_)
    assert_array_equal(by_dtype.scores_, expected.scores_)
    assert by_order.classes_.tolist() == order
