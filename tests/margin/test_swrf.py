"""SWRF and its kin, neighbours weighted by their distance, against the reference and skrebate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from test_surf import KINDS, PairByPair, outcome_of

import reference_margin
import reference_weights
from cases import draw_case
from echelon import SWRF, MultiSWRF, MultiSWRFStar, SWRFStar
from echelon.engines import NumbaEngine, NumpyEngine
from echelon.margin import _sums

METRICS = ("manhattan", "euclidean")
SIGMOID = {SWRF: (False, False), SWRFStar: (False, True), MultiSWRF: (True, False),
           MultiSWRFStar: (True, True)}  # fmt: skip
"""Whether limits are the sample's own, and whether far samples count."""


# --------------------------------------------------------------------------------------- the loops


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", SIGMOID)
def test_equal_reference(estimator, kind, metric):
    for seed in range(40):
        case = draw_case(seed)
        X, _, nominal = case.lists
        y, apart = outcome_of(case, kind)
        band = (0.0, 0.5, 0.3)[seed % 3]
        expected = reference_margin.sigmoid(
            X, y.tolist(), *SIGMOID[estimator], band, nominal, metric,
            None if kind == "classification" else apart,
        )  # fmt: skip
        for engine in (NumbaEngine(1), NumpyEngine(1), PairByPair(1)):
            found = estimator(dead_band=band, metric=metric, kind=kind, engine=engine,
                              categorical_features=case.nominal).fit(case.X, y)  # fmt: skip
            assert_allclose(found.scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("estimator", SIGMOID)
def test_of_some_samples(estimator):
    case = draw_case(0, missing=0, nominal=0)
    X, y, _ = case.lists
    selector = estimator(sample_size=5, random_state=7, kind="classification")
    drawn = np.random.RandomState(7).choice(len(y), 5, replace=False)
    queries = np.argsort(case.y, kind="stable")[drawn].tolist()
    expected = reference_margin.sigmoid(X, y, *SIGMOID[estimator], queries=queries)
    assert_allclose(selector.fit(case.X, case.y).scores_, expected, atol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("own", [False, True])
def test_any_weights_equal_reference(own, metric):
    for seed in range(24):
        case = draw_case(seed, max_samples=25)
        weights = np.random.default_rng(seed).gamma(1.0, 1.0, len(case.y))
        X, y, nominal = case.lists
        expected = reference_weights.swrf(X, y, weights.tolist(), own, nominal, metric)
        for engine in (NumbaEngine(1), NumpyEngine(1)):
            selector = (MultiSWRF if own else SWRF)(
                metric=metric, kind="classification", categorical_features=case.nominal,
                engine=engine,
            ).fit(case.X, case.y, sample_weight=weights)  # fmt: skip
            assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("estimator", SIGMOID)
def test_all_pairs_at_once_equal_pair_by_pair(estimator, metric, weighted):
    """Several blocks of samples, nominal columns, many classes: scores and z-scores."""
    rng = np.random.default_rng(0)
    X = np.round(rng.random((700, 70)), 2)
    X[:, :5] = rng.integers(0, 3, (700, 5))
    y = np.minimum(rng.integers(0, 9, 700), 4)
    weights = rng.choice([0.3, 1.0, 2.0, 4.5], 700) if weighted else None
    options = {"kind": "classification", "metric": metric, "categorical_features": range(5)}
    for size in (None, 300):
        options.update(sample_size=size, random_state=0, dead_band=0.5 if size else 0.0)
        expected = estimator(engine=PairByPair(2), **options).fit(X, y, sample_weight=weights)
        found = estimator(engine=NumbaEngine(2), **options).fit(X, y, sample_weight=weights)
        assert_allclose(found.scores_, expected.scores_, atol=1e-12)
        assert_allclose(found.z_scores_, expected.z_scores_, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", SIGMOID)
def test_single_precision(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    expected = estimator(engine=PairByPair()).fit(X, y).scores_
    assert_allclose(estimator().fit(X, y).scores_, expected, atol=1e-6)


def test_results_do_not_depend_on_threads():
    X, y = load_breast_cancer(return_X_y=True)
    for estimator in SIGMOID:
        one, two = (estimator(n_jobs=n).fit(X, y) for n in (1, 2))
        assert_array_equal(one.scores_, two.scores_)
        assert_array_equal(one.z_scores_, two.z_scores_)


# ----------------------------------------------------------------------------------- what they are


def test_samples_equally_far_apart_are_neither_near_nor_far():
    X = np.eye(6)
    for estimator in SIGMOID:
        assert_array_equal(estimator().fit(X, [0, 1] * 3).scores_, 0)


def test_by_hand():
    """A query has hits at 1 and 3, misses at 2 and 6 of a line: mean 3, deviation 1.87."""
    X, y = np.array([[0.0], [1.0], [3.0], [2.0], [6.0]]), np.array([0, 0, 0, 1, 1])
    deviation = np.sqrt(3.5)
    hit, miss = (np.tanh(2 * (3 - d) / deviation) * d / 6 for d in (1, 2))
    engine = NumpyEngine(1)

    class First(MultiSWRF):
        def _queries(self, n_samples, random_state):
            return np.array([0])

    found = First(engine=engine, kind="classification").fit(X, y).scores_
    assert_allclose(found, miss - hit, atol=1e-12)  # the hit at 3 and the miss at 6 are not near


def test_units_of_distance_do_not_matter(rng):
    """Features that repeat stretch all distances."""
    X, y = rng.random((80, 5)), rng.integers(0, 2, 80)
    for estimator in SIGMOID:
        once = estimator().fit(X, y)
        thrice = estimator().fit(np.tile(X, 3), y)
        assert_allclose(thrice.scores_, np.tile(once.scores_, 3), atol=1e-12)


def test_noise_has_z_scores_of_mean_zero_and_deviation_one():
    z = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 20)), rng.normal(size=120)
        z.append([estimator().fit(X, y).z_scores_ for estimator in (SWRF, MultiSWRF)])
    z = np.moveaxis(np.array(z), 1, 0).reshape(2, -1)
    assert_allclose(z.mean(axis=1), 0, atol=0.25)
    assert_allclose(z.std(axis=1), 1, atol=0.15)


@pytest.mark.parametrize("kind", ["classification", "ordinal", "regression"])
def test_features_that_matter_together_are_found_with_p_values(kind, rng):
    X = rng.random((300, 12))
    y = (X[:, 2] - 0.5) * (X[:, 7] - 0.5)
    y = y if kind == "regression" else (y > 0).astype(int)
    for estimator in SIGMOID:
        found = estimator(threshold="family", kind=kind).fit(X, y)
        assert set(found.order_[:2].tolist()) == {2, 7}
        assert {2, 7} <= set(np.flatnonzero(found.support_).tolist())


@pytest.mark.parametrize("band", [-0.1, "half", None])
def test_a_dead_band_is_a_number_of_at_least_zero(band):
    with pytest.raises(ValueError, match="dead_band"):
        SWRF(dead_band=band).fit(np.eye(4), [0, 1, 0, 1])


def test_a_band_beyond_all_distances_leaves_nothing():
    X, y = load_wine(return_X_y=True)
    found = MultiSWRFStar(dead_band=50).fit(X, y)
    assert_array_equal(found.scores_, 0)
    assert_array_equal(found.p_values_, 1)


# ------------------------------------------------------------------------------------------- peers


def with_itself(monkeypatch, n):
    """Moments of all pairs as skrebate takes them: the distance 0 of every sample to itself too."""
    moments = _sums._moments

    def of_all(engine, space, *, spread):
        mean, deviation = moments(engine, space, spread=spread)
        square = (deviation**2 + mean**2) * (n - 1) / n
        mean = mean * (n - 1) / n
        return mean, np.sqrt(square - mean**2)

    monkeypatch.setattr(_sums, "_moments", of_all)


@pytest.mark.parametrize(
    ("estimator", "dead_band"),
    [*((each, 0.0) for each in SIGMOID), (MultiSWRF, 0.5), (MultiSWRFStar, 0.5)],
)
def test_two_classes_equal_skrebate(estimator, dead_band, monkeypatch):
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    star = SIGMOID[estimator][1]
    X, y = load_breast_cancer(return_X_y=True)
    name = estimator.__name__.removesuffix("Star") + "DB" * bool(dead_band) + "star" * star
    scores = getattr(skrebate, name)(n_features_to_select=5).fit(X, y).feature_importances_
    with_itself(monkeypatch, len(X))
    ours = estimator(dead_band=dead_band).fit(X, y).scores_
    shift = (scores - ours).mean() if star else 0.0  # far samples count 1 - weight * difference
    assert_allclose(ours + shift, scores, atol=1e-9)


@pytest.mark.parametrize("estimator", [SWRF, MultiSWRF])
def test_nominal_columns_equal_skrebate(estimator, monkeypatch):
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    rng = np.random.default_rng(13)  # no distance equals a mean, which rounding would decide there
    X, y = rng.integers(0, 3, (100, 9)).astype(float), rng.integers(0, 2, 100)
    scores = getattr(skrebate, estimator.__name__)(n_features_to_select=5).fit(X, y)
    with_itself(monkeypatch, len(X))
    ours = estimator(categorical_features=range(9), kind="classification").fit(X, y).scores_
    assert_allclose(ours, scores.feature_importances_, atol=1e-9)
