"""z-scores, p-values and thresholds as selectors show them; neighbours of any class."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

import reference
import reference_margin
from cases import draw_case
from echelon import OReliefF, Relief, ReliefF
from echelon._core.significance import false_discoveries, family_wise
from echelon.margin import _base, _sums

RELIEF = [Relief, ReliefF, OReliefF]


@pytest.fixture
def mixed(rng):
    """Noise of all spreads, a constant column and one that rises with three ordered classes."""
    y = np.arange(150) % 3
    X = rng.normal(size=(150, 12)) * 10.0 ** np.arange(-6, 6)
    X[:, 3] = 7.0
    X[:, 5] += 0.1 * y
    return X, y


def naive_any(X, y, k, apart, nominal):
    """Mean difference over pairs of neighbours, weighted by class distance, less that by 1 - d."""
    X = reference.scale_columns(X, nominal)
    pairs = []
    for i in range(len(X)):
        far = {
            j: reference.distance(X[i], X[j], nominal, "manhattan") for j in range(len(X)) if j != i
        }
        near = reference.places(far, k, "share", 1e-9)
        pairs += [(i, j, share, apart(y[i], y[j])) for j, share in near.items()]
    scores = []
    for f in range(len(X[0])):
        gaps = [reference.difference(X[i][f], X[j][f], nominal[f]) for i, j, _, _ in pairs]
        far = sum(w * d * g for (_, _, w, d), g in zip(pairs, gaps, strict=True))
        near = sum(w * (1 - d) * g for (_, _, w, d), g in zip(pairs, gaps, strict=True))
        n_far = sum(w * d for _, _, w, d in pairs)
        n_near = sum(w * (1 - d) for _, _, w, d in pairs)
        scores.append((far / n_far if n_far else 0) - (near / n_near if n_near else 0))
    return scores


def test_neighbours_of_any_class_equal_reference():
    for seed in range(20):
        case = draw_case(seed, missing=0)
        X, y, nominal = case.lists
        k = min(case.k * (max(y) + 1), len(y))
        found = ReliefF(neighbors="any", n_neighbors=case.k, categorical_features=case.nominal)
        expected = naive_any(X, y, k, lambda a, b: float(a != b), nominal)
        assert_allclose(found.fit(case.X, case.y).scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("estimator", RELIEF)
def test_every_feature_has_a_z_score_and_a_p_value(estimator, mixed):
    X, y = mixed
    selector = estimator(3).fit(X, y)
    assert np.isfinite(selector.z_scores_).all()
    assert ((selector.p_values_ >= 0) & (selector.p_values_ <= 1)).all()
    assert selector.z_scores_[3] == 0
    assert selector.p_values_[3] == 1
    if estimator is not OReliefF:
        below = selector.z_scores_ < 0  # above, skewness has a say
        assert_allclose(selector.p_values_[below], norm.sf(selector.z_scores_[below]))


@pytest.mark.parametrize("estimator", RELIEF)
@pytest.mark.parametrize("control", ["fdr", "family"])
def test_thresholds_by_p_value(estimator, control, rng):
    X, y = rng.random((200, 15)), np.arange(200) % 2
    X[:, [2, 7]] += 0.8 * y[:, None]
    selector = estimator(threshold=control, error_rate=0.01).fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [2, 7]
    assert selector.threshold_ is None


def test_error_rates_of_known_p_values():
    p = np.array([0.6, 0.001, 0.03, 0.011, 1.0])
    assert_array_equal(false_discoveries(p, 0.049), [False, True, False, True, False])
    assert_array_equal(false_discoveries(p, 0.0501), [False, True, True, True, False])
    assert_array_equal(family_wise(p, 0.05), [False, True, False, True, False])
    assert not false_discoveries(np.ones(3), 0.05).any()
    assert family_wise(np.zeros(3), 0.05).all()


def test_a_bad_error_rate_is_refused(mixed):
    with pytest.raises(ValueError, match="error_rate"):
        ReliefF(error_rate=1.5).fit(*mixed)


@pytest.mark.parametrize("rule", ["either", "trend", "contrast"])
def test_scores_do_not_depend_on_the_scale_of_a_feature(rule, mixed):
    X, y = mixed
    found = OReliefF(rule=rule).fit(X, y)
    bent = np.sinh((X - X.mean(axis=0)) / X.std(axis=0).clip(1e-9))
    again = OReliefF(rule=rule).fit(bent, y)
    assert_allclose(found.scores_, again.scores_)
    assert_array_equal(found.scores_, found.z_scores_)


def test_either_is_the_larger_of_trend_and_contrast(mixed):
    X, y = mixed
    trend, contrast = (OReliefF(3, rule=kind).fit(X, y) for kind in ("trend", "contrast"))
    either = OReliefF(3).fit(X, y)
    assert_allclose(either.z_scores_, np.maximum(trend.z_scores_, contrast.z_scores_))
    # A trend could have come from two sides, and either from three.
    by_trend = trend.z_scores_ > contrast.z_scores_
    expected = np.where(by_trend, 1.5 * trend.p_values_, 3 * contrast.p_values_)
    assert_allclose(either.p_values_, np.minimum(1, expected))


def test_a_contrast_is_no_evidence_against_a_given_direction():
    found_against = 0
    for seed in range(40):
        case = draw_case(seed)
        X, y, nominal = case.lists
        signs = np.random.default_rng(seed).integers(-1, 2, len(nominal)) * ~case.nominal
        options = {"n_neighbors": case.k, "scale": "range", "categorical_features": case.nominal}
        options["n_features_to_select"] = 1
        naive = np.array(reference_margin.trend(X, y, case.k, nominal, signs.tolist()))
        trend = OReliefF(rule="trend", monotonic_cst=signs, **options).fit(case.X, case.y).scores_
        contrast = OReliefF(rule="contrast", **options).fit(case.X, case.y).scores_
        either = OReliefF(monotonic_cst=signs, **options).fit(case.X, case.y).scores_
        against = naive < -1e-9
        assert_array_equal(trend < 0, against, err_msg=str(seed))
        assert_array_equal(either[against], trend[against], err_msg=str(seed))
        free = signs == 0
        assert_allclose(either[free], contrast[free], err_msg=str(seed))
        along = naive > 1e-9
        expected = np.maximum(trend, contrast)
        assert_allclose(either[along], expected[along], err_msg=str(seed))
        found_against += int((contrast[against] > 0).sum())
    assert found_against > 10


@pytest.mark.parametrize(("sign", "kept"), [(1, True), (0, True), (-1, False)])
def test_a_feature_that_goes_against_its_direction_is_not_kept(sign, kept, rng):
    y = np.arange(150) % 3
    X = pd.DataFrame({"a": y + rng.normal(0, 0.5, 150), "b": rng.normal(size=150)})
    selector = OReliefF(monotonic_cst={"a": sign}).fit(X, y)
    assert selector.support_[0] == kept
    assert (selector.scores_[0] > 0) == kept


def test_a_contrast_refuses_directions(mixed):
    with pytest.raises(ValueError, match=r'`monotonic_cst` .* for 1.* rule="either"'):
        OReliefF(rule="contrast", monotonic_cst=[1, *[0] * 11]).fit(*mixed)


def test_features_without_an_order_have_no_trend(mixed):
    X, y = mixed
    frame = pd.DataFrame(X).assign(c=np.array(list("abc"))[(y + 1) % 3]).rename(columns=str)
    assert OReliefF(1, rule="trend").fit(frame, y).z_scores_[-1] == 0
    selector = OReliefF().fit(frame, y)
    assert selector.support_[-1]
    assert_allclose(selector.z_scores_[-1], OReliefF(rule="contrast").fit(frame, y).z_scores_[-1])


@pytest.mark.parametrize("threshold", [None, "fdr"])
def test_a_constant_feature_comes_last_among_equals(threshold):
    y = np.array([0, 0, 1, 1, 1])
    X = np.column_stack([np.ones(5), y, [0, 0, 0, 0, 1], np.ones(5)]).astype(float)
    selector = ReliefF(n_neighbors=1, threshold=threshold).fit(X, y)
    assert selector.scores_.tolist() == [0, 1, 0, 0]
    assert selector.order_.tolist() == [1, 2, 0, 3]


def test_noise_is_centred_where_classes_differ_in_size():
    shares = {}
    for neighbors in ("per_class", "any"):
        above = []
        for seed in range(10):
            X = np.random.default_rng(seed).normal(size=(150, 20))
            found = ReliefF(neighbors=neighbors).fit(X, np.arange(150) < 15)
            above.append((found.scores_ > 0).mean())
        shares[neighbors] = np.mean(above)
    assert shares["per_class"] > 0.85
    assert 0.35 < shares["any"] < 0.65


def test_scores_by_class_are_tested_among_neighbours_of_any_class(mixed):
    X, y = mixed
    for selector, n, k in ((ReliefF(n_neighbors=5), 150, 10), (Relief(), 90, 10)):
        selector.fit(X[:n], y[:n])  # 2 x 3 classes x 5, and a third of 90 rows instead of 60
        expected = ReliefF(neighbors="any", n_neighbors=k).fit(X[:n], y[:n])
        assert_allclose(selector.z_scores_, expected.z_scores_)
        assert_allclose(selector.p_values_, expected.p_values_)


@pytest.mark.parametrize("kind", ["nominal", "normal"])
def test_noise_is_no_evidence_where_a_class_is_rare(kind):
    passed = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (100, 10)) if kind == "nominal" else rng.normal(size=(100, 10))
        nominal = np.full(10, kind == "nominal")
        found = ReliefF(categorical_features=nominal).fit(X.astype(float), np.arange(100) < 10)
        passed.append((found.p_values_ < 0.05).mean())
    assert np.mean(passed) < 0.1  # with the values of features permuted: 0.98 and 0.34


def test_many_rows_are_tested_by_some_of_them(monkeypatch, mixed):
    every = ReliefF().fit(*mixed).z_scores_
    monkeypatch.setattr(_base, "MOST_QUERIES", 100)
    some, again = (ReliefF(random_state=0).fit(*mixed) for _ in range(2))
    assert_array_equal(some.z_scores_, again.z_scores_)
    assert_array_equal(some.scores_, ReliefF().fit(*mixed).scores_)
    assert 0 < np.abs(some.z_scores_ - every).max() < 3


def test_too_many_pairs_to_keep(monkeypatch, mixed):
    monkeypatch.setattr(_sums, "MAX_PAIRS", 100)
    assert np.isnan(ReliefF().fit(*mixed).z_scores_).all()
    for selector in (ReliefF(threshold="fdr"), OReliefF(3)):
        with pytest.raises(ValueError, match='ties="index"'):
            selector.fit(*mixed)


def test_ranks_are_not_for_dask_collections():
    dask = pytest.importorskip("dask.array")
    from distributed import Client

    X, y = np.random.default_rng(0).random((80, 4)), np.arange(80) % 3
    with Client(processes=False, dashboard_address=":0"):
        parts = dask.from_array(X, chunks=(30, 4))
        with pytest.raises(ValueError, match="scale"):
            OReliefF(2, scale="rank", engine="dask").fit(parts, y)
        found = OReliefF(2, engine="dask").fit(parts, y)
    local = OReliefF(2, scale="range").fit(X, y)
    assert_allclose(found.z_scores_, local.z_scores_)
    assert_allclose(found.p_values_, local.p_values_)


@pytest.mark.parametrize("params", [{}, {"neighbors": "any"}])
def test_engines_agree(params):
    torch = pytest.importorskip("echelon.engines.torch")
    for seed in range(4):
        case = draw_case(seed)
        options = {"categorical_features": case.nominal, "n_neighbors": case.k, **params}
        local = ReliefF(2 if case.X.shape[1] > 1 else 1, **options).fit(case.X, case.y)
        other = local.set_params(engine=torch.TorchEngine("cpu"))
        expected = local.z_scores_.copy()
        assert_allclose(other.fit(case.X, case.y).z_scores_, expected, atol=1e-8)
