"""One meaning of ``n_jobs``: threads unless told otherwise, processes when asked for."""

import os
import threading

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.parallel import get_active_backend
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from threadpoolctl import threadpool_info

from echelon import RelevanceBounds
from echelon._core.jobs import Jobs, n_threads
from echelon.engines import NumbaEngine
from echelon.evaluation import selection_stability

ALL = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.fixture(autouse=True)
def no_number_of_threads_is_set(monkeypatch):
    """As for a user; processes of these tests may be told to take one."""
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)


def threads_here(n_jobs=None):
    return n_threads(n_jobs)


def where(_):
    """The process, and the threads a compiled loop would get there."""
    return os.getpid(), threading.get_ident(), n_threads(None)


def test_numbers_are_counts_of_cores():
    assert n_threads(None) == ALL
    assert n_threads(3) == 3
    assert n_threads(-1) == cpu_count()
    assert n_threads(-100) == 1
    assert n_threads(np.int64(2)) == 2
    for bad in (n_threads, NumbaEngine, Jobs):
        with pytest.raises(ValueError, match="`n_jobs` must not be 0"):
            bad(0)


def test_a_context_of_joblib_is_heard():
    with parallel_config(n_jobs=3):
        assert n_threads(None) == 3
        assert NumbaEngine().n_threads == 3
        assert n_threads(1) == 1
    with parallel_config("threading"):
        assert n_threads(None) == ALL


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_of_joblib_share_the_cores(backend):
    """As many workers as cores: one thread in each."""
    workers = max(2, cpu_count())
    found = Parallel(workers, backend)(delayed(threads_here)() for _ in range(workers))
    assert found == [1] * workers
    assert Parallel(workers, backend)([delayed(threads_here)(2)]) == [2]


def test_a_worker_with_a_context_of_its_own():
    def inside():
        with parallel_config(n_jobs=2):
            return n_threads(None)

    assert Parallel(2, "threading")([delayed(inside)()]) == [2]


def test_no_process_unless_asked_for():
    arguments = [(i,) for i in range(4)]
    here = os.getpid(), threading.get_ident()
    in_turn = Jobs(None)("test", where, arguments)
    assert in_turn == [(*here, ALL)] * 4  # each job may use all cores
    assert Jobs(1)("test", where, arguments) == [(*here, 1)] * 4  # one core is one core
    compiled = Jobs(None, compiled=True)("test", where, arguments)
    assert {process for process, _, _ in compiled} == {here[0]}
    asked_for = Jobs(2)("test", where, arguments)
    assert here[0] not in {process for process, _, _ in asked_for}
    assert get_active_backend()[1] is None  # nothing is left behind


def test_compiled_jobs_take_threads(monkeypatch):
    monkeypatch.setattr("echelon._core.jobs._numba_threads", lambda: 4)
    together = threading.Barrier(4, timeout=60)
    Jobs(None, compiled=True)("test", lambda _: together.wait(), [(i,) for i in range(4)])


def test_compiled_jobs_in_a_worker_run_in_turn():
    def inside():
        return {thread for _, thread, _ in Jobs(None, compiled=True)("test", where, [(1,), (2,)])}

    for found in Parallel(2, "threading")(delayed(inside)() for _ in range(2)):
        assert len(found) == 1


def test_linear_algebra_gets_its_threads_back(monkeypatch):
    monkeypatch.setattr("echelon._core.jobs._numba_threads", lambda: 4)
    before = [library["num_threads"] for library in threadpool_info()]
    Jobs(None, compiled=True)("test", where, [(i,) for i in range(32)])
    assert [library["num_threads"] for library in threadpool_info()] == before


class Counting(SelectorMixin, BaseEstimator):
    """Keeps as many features as a compiled loop would have threads, two at most."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.kept_ = min(2, n_threads(None))
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) < self.kept_


def test_functions_pass_their_cores_on(rng):
    X, y = rng.random((20, 4)), np.arange(20) % 2
    one = selection_stability(Counting(), X, y, 3, n_jobs=1, random_state=0)
    assert one.frequency.tolist() == [1, 0, 0, 0]
    if ALL > 1:
        free = selection_stability(Counting(), X, y, 3, random_state=0)
        assert free.frequency.tolist() == [1, 1, 0, 0]


def test_bounds_use_no_processes_by_default(monkeypatch, rng):
    monkeypatch.setattr("echelon._core.jobs._numba_threads", lambda: 3)
    X, y = rng.random((30, 3)), np.arange(30) % 2
    X[:, 0] += y
    params = {"C": 0.2, "false_positive_rate": 0.5, "random_state": 0}
    threads = RelevanceBounds(**params).fit(X, y)
    one = RelevanceBounds(**params, n_jobs=1).fit(X, y)
    assert (threads.intervals_ == one.intervals_).all()
