"""Evidence left for later: when it is found, what is held until then, and that it is the same."""

import copy
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from echelon import SWRF, MultiSURF, OReliefF, Relief, ReliefF, RReliefF, SURFStar
from echelon.margin import _base

LATER = [Relief(), ReliefF(), RReliefF(), SURFStar(), MultiSURF(), SWRF(), OReliefF(rule="paper")]


@pytest.fixture
def data(rng):
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 6))
    X[:, 1] += y
    X[:, 4] = 2.0
    return X, y


@pytest.fixture
def found(monkeypatch):
    """Names of the selectors whose evidence was found, as it is."""
    names = []

    def spy(cls):
        evidence = cls._evidence

        def noting(self, sums):
            names.append(type(self).__name__)
            return evidence(self, sums)

        monkeypatch.setattr(cls, "_evidence", noting)

    spy(_base.ReliefSelector)
    return names


def find_at_once(monkeypatch):
    monkeypatch.setattr(_base, "can_wait", lambda samples, engine: False)


@pytest.mark.parametrize("estimator", LATER, ids=lambda e: type(e).__name__)
def test_found_once_when_first_read(estimator, data, found):
    fitted = clone(estimator).fit(*data)
    fitted.transform(data[0])
    assert found == []
    p_values = fitted.p_values_
    assert p_values is fitted.p_values_
    assert len(fitted.z_scores_) == 6
    assert found == [type(estimator).__name__]


@pytest.mark.parametrize("estimator", LATER, ids=lambda e: type(e).__name__)
def test_the_same_as_in_the_fit(estimator, data, monkeypatch):
    later = clone(estimator).fit(*data)
    find_at_once(monkeypatch)
    at_once = clone(estimator).fit(*data)
    assert not callable(at_once._by_feature)
    for name in ("scores_", "z_scores_", "p_values_", "order_", "support_"):
        assert_array_equal(getattr(later, name), getattr(at_once, name), err_msg=name)


def read_in_a_thread(fitted):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: (fitted.z_scores_, fitted.p_values_)).result()


def read_after_other_fits(fitted):
    rng = np.random.default_rng(1)
    for other in LATER:
        assert len(clone(other).fit(rng.random((300, 9)), np.arange(300) % 3).p_values_) == 9
    return fitted.z_scores_, fitted.p_values_


def read_from(twin):
    return lambda fitted: (twin(fitted).z_scores_, twin(fitted).p_values_)


WAYS = {
    "in the fit": None,
    "in a thread": read_in_a_thread,
    "after other fits": read_after_other_fits,
    "after pickling": read_from(lambda fitted: pickle.loads(pickle.dumps(fitted))),
    "pickled twice": read_from(lambda fitted: pickle.loads(pickle.dumps(copy.deepcopy(fitted)))),
    "of a copy": read_from(copy.copy),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("estimator", LATER, ids=lambda e: type(e).__name__)
def test_the_same_bits_however_it_is_read(estimator, way, data, monkeypatch):
    first = clone(estimator).fit(*data)
    z_scores, p_values = first.z_scores_, first.p_values_
    if WAYS[way] is None:
        find_at_once(monkeypatch)
    fitted = clone(estimator).fit(*data)
    assert callable(fitted._by_feature) == (WAYS[way] is not None)
    read = WAYS[way] or (lambda fitted: (fitted.z_scores_, fitted.p_values_))
    for found, expected in zip(read(fitted), (z_scores, p_values), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("n_samples", [120, 40_000])
def test_it_waits_whatever_the_size(n_samples, rng, found):
    X, y = rng.random((n_samples, 220), np.float32), np.arange(n_samples) % 2
    fitted = ReliefF(sample_size=10).fit(X, y)
    assert found == []
    assert callable(fitted._by_feature)


def test_thresholds_that_need_it_find_it_in_the_fit(data, found):
    ReliefF(threshold="family").fit(*data)
    assert found == ["ReliefF"]


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_hold_numbers_and_no_data(twin, data):
    original = ReliefF().fit(*data)
    same = twin(original)
    assert not callable(same._by_feature)
    assert_array_equal(same.p_values_, original.p_values_)
    assert len(pickle.dumps(same)) < data[0].nbytes / 2


def test_data_are_let_go_once_it_is_found(data):
    fitted = ReliefF().fit(*data)
    assert callable(fitted._by_feature)
    assert fitted.z_scores_ is not None
    assert not callable(fitted._by_feature)


def test_changing_the_data_after_the_fit_changes_nothing(data):
    X, y = data
    X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1.0)
    expected = ReliefF().fit(X.copy(), y).p_values_
    fitted = ReliefF().fit(X, y)
    X[:] = np.arange(120)[:, None]
    assert_array_equal(fitted.p_values_, expected)


def test_the_next_fit_forgets_the_last(data):
    X, y = data
    fitted = ReliefF().fit(X, y)
    before = fitted.p_values_
    fitted.fit(X[:, ::-1].copy(), y)
    assert not np.array_equal(fitted.p_values_, before)


def test_not_there_before_a_fit():
    for name in ("z_scores_", "p_values_"):
        assert not hasattr(ReliefF(), name)
        with pytest.raises(AttributeError, match=f"'ReliefF' object has no attribute '{name}'"):
            getattr(ReliefF(), name)


def test_a_generator_is_drawn_from_in_the_fit_only(data):
    random_state = np.random.RandomState(5)
    fitted = ReliefF(random_state=random_state).fit(*data)
    state = random_state.get_state()[2]
    assert len(fitted.p_values_) == 6
    assert random_state.get_state()[2] == state


def test_a_selector_no_one_needs_is_gone_at_once(data):
    fitted = ReliefF().fit(*data)
    held = weakref.ref(fitted)
    del fitted
    assert held() is None


def test_parameters_changed_after_the_fit_change_nothing(data):
    expected = OReliefF(rule="paper").fit(*data).p_values_
    fitted = OReliefF(rule="paper").fit(*data)
    fitted.set_params(rule="trend", monotonic_cst=None)
    assert_array_equal(fitted.p_values_, expected)


def test_many_threads_may_ask(data):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            fitted = ReliefF().fit(*data)
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda fitted: fitted.p_values_, [fitted] * 16))
            assert all(np.array_equal(found[0], each) for each in found)
    finally:
        sys.setswitchinterval(interval)
