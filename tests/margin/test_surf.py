"""RReliefF and the SURF family against the reference, on every engine, and against peers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine

import reference_margin
from cases import draw_case
from echelon import SURF, MultiSURF, MultiSURFStar, ReliefF, RReliefF, SURFStar
from echelon._core.samples import arrange
from echelon.data import Data
from echelon.engines import NumbaEngine, NumpyEngine
from echelon.engines.numba import _engine
from echelon.margin import _sums, rules
from echelon.margin._sums import margin_sums

METRICS = ("manhattan", "euclidean")
TIES = ("share", "index")
SEEDS = range(40)
RADIUS = {SURF: (False, False), SURFStar: (False, True), MultiSURF: (True, False),
          MultiSURFStar: (True, True)}  # fmt: skip
"""Whether limits are the sample's own, and whether far samples count."""

KINDS = {
    "classification": reference_margin.unequal,
    "ordinal": None,
    "regression": None,
}


def outcome_of(case, kind):
    """The case's classes, or numbers in their place, and their distance."""
    if kind == "regression":
        y = case.y + np.random.default_rng(case.k).normal(size=len(case.y))
        return y, reference_margin.by_range(y.tolist())
    codes = np.unique(case.y, return_inverse=True)[1]
    return codes, KINDS[kind] or reference_margin.by_range(codes.tolist())


class PairByPair(NumbaEngine):
    """The local engine with nothing but the primitives every engine has."""

    band_sums = NumbaEngine.__mro__[1].band_sums
    distance_sums = NumbaEngine.__mro__[1].distance_sums
    weighs_pairs = False


# ------------------------------------------------------------------------------------- RReliefF


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_rrelieff_equals_reference(kind, metric, ties):
    for seed in SEEDS:
        case = draw_case(seed)
        X, _, nominal = case.lists
        y, apart = outcome_of(case, kind)
        for decay in (None, 3.0):
            weights = {"neighbor_weights": "rank", "decay": decay} if decay else {}
            found = RReliefF(n_neighbors=case.k, metric=metric, ties=ties, kind=kind,
                             engine=("numba", "numpy")[seed % 2],
                             categorical_features=case.nominal, **weights)  # fmt: skip
            expected = reference_margin.rrelieff(
                X, y.tolist(), min(case.k, len(X)), nominal, metric, ties, apart, decay
            )
            assert_allclose(found.fit(case.X, y).scores_, expected, atol=1e-9, err_msg=str(seed))


def test_rrelieff_of_some_samples():
    case = draw_case(0, missing=0, nominal=0)
    y = np.random.default_rng(3).normal(size=len(case.y))
    selector = RReliefF(sample_size=5, random_state=7).fit(case.X, y)
    queries = np.random.RandomState(7).choice(len(y), 5, replace=False).tolist()
    expected = reference_margin.rrelieff(case.X.tolist(), y.tolist(), queries=queries)
    assert_allclose(selector.scores_, expected, atol=1e-9)


def test_rrelieff_of_classes_is_relieff_with_neighbours_of_any_class():
    X, y = load_wine(return_X_y=True)
    ours = RReliefF(n_neighbors=30, kind="classification").fit(X, y)
    expected = ReliefF(n_neighbors=10, neighbors="any").fit(X, y)
    assert_allclose(ours.scores_, expected.scores_)
    assert_allclose(ours.z_scores_, expected.z_scores_)


def test_the_unit_of_the_outcome_does_not_matter(rng):
    X, y = rng.random((60, 4)), rng.normal(size=60)
    for estimator in (RReliefF, *RADIUS):
        expected = estimator().fit(X, y)
        assert_allclose(estimator().fit(X, 7 - 1e9 * y).scores_, expected.scores_)
        assert expected.kind_ == "regression"
        assert not hasattr(expected, "classes_")


def test_z_scores_of_noise_have_deviation_one():
    """Permuted outcomes: known mean and deviation, whatever the feature's part in the distance."""
    z = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 20)), rng.normal(size=120)
        z.append([estimator().fit(X, y).z_scores_ for estimator in (RReliefF, SURF, MultiSURF)])
    z = np.moveaxis(np.array(z), 1, 0).reshape(3, -1)
    assert_allclose(z.mean(axis=1), 0, atol=0.25)
    assert_allclose(z.std(axis=1), 1, atol=0.15)


# ---------------------------------------------------------------------------------- SURF family


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", RADIUS)
def test_radius_equals_reference(estimator, kind, metric):
    for seed in SEEDS:
        case = draw_case(seed)
        X, _, nominal = case.lists
        y, apart = outcome_of(case, kind)
        expected = reference_margin.radius(
            X, y.tolist(), *RADIUS[estimator], nominal, metric,
            None if kind == "classification" else apart,
        )  # fmt: skip
        for engine in (NumbaEngine(1), NumpyEngine(1), PairByPair(1)):
            found = estimator(metric=metric, kind=kind, categorical_features=case.nominal,
                              engine=engine).fit(case.X, y)  # fmt: skip
            assert_allclose(found.scores_, expected, atol=1e-9, err_msg=str(seed))


@pytest.mark.parametrize("estimator", RADIUS)
def test_radius_of_some_samples(estimator):
    case = draw_case(0, missing=0, nominal=0)
    X, y, _ = case.lists
    selector = estimator(sample_size=5, random_state=7, kind="classification")
    drawn = np.random.RandomState(7).choice(len(y), 5, replace=False)
    queries = np.argsort(case.y, kind="stable")[drawn].tolist()
    expected = reference_margin.radius(X, y, *RADIUS[estimator], queries=queries)
    assert_allclose(selector.fit(case.X, case.y).scores_, expected, atol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("estimator", RADIUS)
def test_all_pairs_at_once_equal_pair_by_pair(estimator, metric):
    """Several blocks of samples, nominal columns, many classes: scores and z-scores."""
    rng = np.random.default_rng(0)
    X = np.round(rng.random((700, 70)), 2)
    X[:, :5] = rng.integers(0, 3, (700, 5))
    y = np.minimum(rng.integers(0, 9, 700), 4)
    options = {"kind": "classification", "metric": metric, "categorical_features": range(5)}
    for size in (None, 300):
        options.update(sample_size=size, random_state=0)
        expected = estimator(engine=PairByPair(2), **options).fit(X, y)
        found = estimator(engine=NumbaEngine(2), **options).fit(X, y)
        assert_allclose(found.scores_, expected.scores_, atol=1e-12)
        assert_allclose(found.z_scores_, expected.z_scores_, atol=1e-7)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("estimator", RADIUS)
def test_all_weighted_pairs_at_once_equal_pair_by_pair(estimator, metric):
    """Whole and broken weights; own copies are neighbours too."""
    rng = np.random.default_rng(1)
    X = np.round(rng.random((300, 20)), 2)
    y, weights = np.sort(rng.integers(0, 3, 300)), rng.choice([0.3, 1.0, 2.0, 4.5], 300)
    options = {"kind": "classification", "metric": metric, "categorical_features": range(3)}
    for size in (None, 100):
        options.update(sample_size=size, random_state=0)
        expected = estimator(engine=PairByPair(2), **options).fit(X, y, sample_weight=weights)
        found = estimator(engine=NumbaEngine(2), **options).fit(X, y, sample_weight=weights)
        assert_allclose(found.scores_, expected.scores_, atol=1e-12)
        assert_allclose(found.z_scores_, expected.z_scores_, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_too_many_to_keep_are_found_again(most, dtype, monkeypatch):
    """Nothing kept of 300 samples, one byte of every pair (bands), or two (distances)."""
    rng = np.random.default_rng(2)
    X, y = np.round(rng.random((300, 70)), 2).astype(dtype), rng.integers(0, 2, 300)
    for estimator in (SURFStar, MultiSURFStar):
        expected = estimator(engine=NumbaEngine(2)).fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(_engine, "MOST_KEPT", most * 300 * 299 // 2)
            found = estimator(engine=NumbaEngine(2)).fit(X, y)
        assert_array_equal(found.scores_, expected.scores_)
        assert_array_equal(found.z_scores_, expected.z_scores_)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", RADIUS)
def test_single_precision(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    expected = estimator(engine=PairByPair()).fit(X, y).scores_
    assert_allclose(estimator().fit(X, y).scores_, expected, atol=1e-6)


def test_results_do_not_depend_on_threads():
    X, y = load_breast_cancer(return_X_y=True)
    for estimator in RADIUS:
        one, two = (estimator(n_jobs=n).fit(X, y) for n in (1, 2))
        assert_array_equal(one.scores_, two.scores_)
        assert_array_equal(one.z_scores_, two.z_scores_)


def test_samples_equally_far_apart_are_neither_near_nor_far():
    X = np.eye(6)
    for estimator in RADIUS:
        assert_array_equal(estimator().fit(X, [0, 1] * 3).scores_, 0)


def test_ordered_labels_by_name():
    rng = np.random.default_rng(0)
    X, codes = rng.random((60, 3)), rng.integers(0, 3, 60)
    names = np.array(["low", "mid", "top"])[codes]
    for estimator in (RReliefF, *RADIUS):
        expected = estimator(kind="ordinal").fit(X, codes).scores_
        given = estimator(class_order=["low", "mid", "top"]).fit(X, names)
        declared = estimator().fit(X, pd.Categorical(names, ["low", "mid", "top"], ordered=True))
        assert_array_equal(given.scores_, expected)
        assert_array_equal(declared.scores_, expected)
        assert given.classes_.tolist() == ["low", "mid", "top"]


# ---------------------------------------------------------------------------------------- peers


@pytest.mark.slow
@pytest.mark.parametrize("estimator", RADIUS)
def test_two_classes_equal_fast_select(estimator):
    fast_select = pytest.importorskip("fast_select")
    X, y = load_breast_cancer(return_X_y=True)
    own, star = RADIUS[estimator]
    peer = (fast_select.MultiSURF if own else fast_select.SURF)(5, use_star=star, backend="cpu")
    scores = peer.fit(X.astype(np.float32), y).feature_importances_
    ours = estimator().fit(X, y).scores_
    # Far samples count 1 - d there, in MultiSURF*: the same constant for all features.
    shift = (scores - ours).mean() if own and star else 0.0
    assert_allclose(ours + shift, scores, atol=3e-6)  # single precision there


@pytest.mark.parametrize("estimator", RADIUS)
def test_two_classes_equal_skrebate(estimator, monkeypatch):
    skrebate = pytest.importorskip("skrebate", reason="needs the dependency group bench")
    X, y = load_breast_cancer(return_X_y=True)
    name = estimator.__name__.replace("Star", "star")
    scores = getattr(skrebate, name)(n_features_to_select=5).fit(X, y).feature_importances_
    mean = _sums._moments

    def with_itself(engine, space):
        """The mean of all pairs there counts the distance 0 of every sample to itself."""
        moments = mean(engine, space)
        return moments[0] * (len(X) - 1) / len(X), moments[1]

    monkeypatch.setattr(_sums, "_moments", with_itself)
    ours = estimator().fit(X, y).scores_
    shift = (scores - ours).mean() if RADIUS[estimator][1] else 0.0  # far samples count 1 - d
    assert_allclose(ours + shift, scores, atol=1e-9)


def test_numbers_equal_orange_but_for_a_fifth():
    """Weights of a sample's neighbours add up to 1/5 there, of samples drawn with replacement."""
    orange = pytest.importorskip("Orange.preprocess.score", reason="needs the group bench")
    from Orange.data import ContinuousVariable, Domain, Table

    rng = np.random.default_rng(0)
    X = rng.random((150, 5))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.random(150)
    names = [ContinuousVariable(f"x{f}") for f in range(5)]
    table = Table.from_numpy(Domain(names, ContinuousVariable("y")), X, y)
    scores = orange.RReliefF(n_iterations=400, k_nearest=20, random_state=0)(table)
    outcome = (y - y.min()) / np.ptp(y)
    samples = arrange(Data(X, np.zeros(5, bool), None), np.zeros(150, int), outcome=outcome)
    drawn = np.random.RandomState(0).randint(150, size=400)
    sums = margin_sums(samples, rules.rrelieff(samples, 20, None), drawn, NumbaEngine(1),
                       metric="manhattan", ties="share")  # fmt: skip
    far, near = sums.totals
    n_far = sums.weights[0]
    assert_allclose(far / n_far + near / (5 * 400 - n_far), scores, atol=1e-9)
