"""Rows equal in everything are searched once: scores, z-scores and p-values are those of all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference
import reference_margin
from echelon import (
    SURF,
    MultiSURFStar,
    MultiSWRF,
    OReliefF,
    Relief,
    ReliefF,
    RReliefF,
    SWRFStar,
)
from echelon._core.samples import arrange, equal_rows_once
from echelon.data import Data
from echelon.engines import NumbaEngine, NumpyEngine
from echelon.margin import _base

METHODS = {
    "Relief": Relief,
    "ReliefF": ReliefF,
    "ReliefF, few": lambda **params: ReliefF(n_neighbors=3, metric="euclidean", **params),
    "ReliefF, any": lambda **params: ReliefF(neighbors="any", **params),
    "ReliefF, extreme": lambda **params: ReliefF(neighbors="extreme", **params),
    "RReliefF": RReliefF,
    "RReliefF, rank": lambda **params: RReliefF(neighbor_weights="rank", decay=4, **params),
    "SURF": lambda **params: SURF(kind="classification", **params),
    "MultiSURFStar": lambda **params: MultiSURFStar(kind="classification", **params),
    "SWRFStar": SWRFStar,
    "MultiSWRF": lambda **params: MultiSWRF(kind="classification", **params),
    "OReliefF": lambda **params: OReliefF(rule="paper", threshold=0.0, **params),
}


@pytest.fixture(params=["numpy", "numba", "torch"])
def engine(request):
    """Every engine of this machine."""
    if request.param == "torch":
        torch = pytest.importorskip("echelon.engines.torch", exc_type=ImportError)
        return torch.TorchEngine("cpu", 1)
    return {"numpy": NumpyEngine(1), "numba": NumbaEngine(1)}[request.param]


def survey(seed, *, gaps=0.0, numbers=False):
    """Answers most of which several people gave, a nominal one among them; in any order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 6, (int(rng.integers(8, 30)), int(rng.integers(2, 6)))).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    X[:, 0] = rng.integers(0, 3, len(X))
    y = rng.normal(size=len(X)) if numbers else rng.integers(0, 3, len(X))
    y[:2] = 0, 1
    who = rng.permutation(np.append(np.arange(len(X)), rng.integers(0, len(X), 2 * len(X))))
    return X[who], y[who]


@pytest.fixture
def searched(monkeypatch):
    """Numbers of rows of the samples that were summed over, and a way to take all rows."""
    sizes = []
    sums = _base.margin_sums

    def noting(samples, *args, **options):
        sizes.append(len(samples.classes))
        return sums(samples, *args, **options)

    monkeypatch.setattr(_base, "margin_sums", noting)
    return sizes


@pytest.mark.parametrize("name", METHODS)
def test_as_with_all_rows(name, engine, searched, monkeypatch):
    for seed in range(8):
        X, y = survey(seed, gaps=0.1 * (seed % 2))
        selector = METHODS[name](categorical_features=[0], engine=engine)
        searched.clear()
        found = selector.fit(X, y)
        assert searched[0] <= len(X) / 2
        scores, evidence = found.scores_, (found.z_scores_, found.p_values_)
        with monkeypatch.context() as patch:
            patch.setattr(_base, "equal_rows_once", lambda samples: None)
            expected = selector.fit(X, y)
            assert_allclose(scores, expected.scores_, rtol=0, atol=1e-12)
            # To the last digit: they are those of all rows, found when they are read.
            assert_array_equal(evidence, (expected.z_scores_, expected.p_values_))


def test_numbers_as_the_target_equal_reference(engine, searched):
    for seed in range(6):
        X, y = survey(seed, gaps=0.1 * (seed % 2), numbers=True)
        nominal = np.arange(X.shape[1]) == 0
        options = {"categorical_features": nominal, "engine": engine, "kind": "regression"}
        table = X.tolist(), y.tolist()
        expected = reference_margin.rrelieff(*table, 10, nominal.tolist())
        assert_allclose(RReliefF(**options).fit(X, y).scores_, expected, atol=1e-9)
        apart = reference_margin.by_range(y.tolist())
        expected = reference_margin.sigmoid(*table, False, True, 0, nominal.tolist(), apart=apart)
        assert_allclose(SWRFStar(**options).fit(X, y).scores_, expected, atol=1e-9)
        assert max(searched[-2:]) <= len(X) / 2


def test_classes_equal_reference(engine, searched):
    for seed in range(6):
        X, y = survey(seed, gaps=0.1 * (seed % 2))
        nominal = np.arange(X.shape[1]) == 0
        found = ReliefF(n_neighbors=4, categorical_features=nominal, engine=engine)
        expected = reference.relieff(X.tolist(), y.tolist(), 4, nominal.tolist())
        assert_allclose(found.fit(X, y).scores_, expected, atol=1e-9)
        assert searched[-1] <= len(X) / 2


def test_p_values_asked_for_in_the_fit_are_those_of_all_rows(searched):
    X, y = survey(1)
    later = RReliefF().fit(X, y)
    found = RReliefF(threshold="fdr").fit(X, y)
    assert_array_equal(found.p_values_, later.p_values_)
    assert searched[1] == len(X)


@pytest.mark.parametrize("options", [{"ties": "index"}, {"sample_size": 0.9, "random_state": 0}])
def test_not_where_rows_are_told_apart(options, searched):
    X, y = survey(2)
    ReliefF(**options).fit(X, y)
    assert searched == [len(X)]


def test_not_with_weights(searched):
    X, y = survey(3)
    weights = np.arange(len(X)) % 3 + 0.5
    ReliefF().fit(X, y, sample_weight=weights)
    assert searched == [len(X)]


def test_what_is_equal():
    values = np.array([[1, 2], [1, 2], [1, 3], [1, 2], [np.nan, 2], [np.nan, 2], [1, 2], [1, 2.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    columns = Data(values, np.zeros(2, bool), None)
    once = equal_rows_once(arrange(columns, y))
    assert_array_equal(once.rows, [0, 2, 3, 4])
    assert_array_equal(once.weights, [3, 1, 2, 2])
    assert_array_equal(once.classes, [0, 0, 1, 1])
    by_number = equal_rows_once(arrange(columns, np.zeros(8, int), outcome=y / 1.0))
    assert_array_equal(by_number.weights, [3, 1, 2, 2])
    assert equal_rows_once(once) is None  # weighted already
    rng = np.random.default_rng(0)
    few = Data(rng.integers(0, 5, (40, 9)).astype(float), np.zeros(9, bool), None)
    assert equal_rows_once(arrange(few, np.zeros(40, int))) is None
    many = Data(rng.random((40, 9)), np.zeros(9, bool), None)
    assert equal_rows_once(arrange(many, np.zeros(40, int))) is None
