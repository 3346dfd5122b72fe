"""The Dask engine on a cluster of processes: equal to the local engine, whatever happens to it."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cli_cases import call
from echelon import (
    SURF,
    SWRF,
    IntervalRelief,
    IterativeRelief,
    MultiSURF,
    MultiSURFStar,
    MultiSWRF,
    NeighborhoodRoughSet,
    NeighborhoodSoftMargin,
    OReliefF,
    OSimba,
    RankOrderSelector,
    RelevanceBounds,
    Relief,
    ReliefF,
    RReliefF,
    Simba,
    SURFStar,
    SWRFStar,
)
from echelon.engines import resolve_engine

distributed = pytest.importorskip("distributed", reason='needs pip install "echelon[dask]"')
dask_array = pytest.importorskip("dask.array")

import dask  # noqa: E402

from echelon.engines import DaskEngine  # noqa: E402
from echelon.engines.dask._cluster import Patience  # noqa: E402

pytestmark = pytest.mark.slow  # clusters take seconds to start, and compile for themselves

M = 120


def start_cluster(n_workers, **options):
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **options
    )


@pytest.fixture(scope="module")
def client():
    with start_cluster(2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def engine(client):
    return DaskEngine(client, block_rows=50)


def draw(kind, m=M, p=5, seed=0):
    """Samples of a kind, three classes, and which columns are nominal."""
    rng = np.random.default_rng(seed)
    X = rng.random((m, p))
    nominal = np.zeros(p, bool)
    if kind == "tied":
        X = rng.integers(0, 3, (m, p)).astype(float)
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    if kind == "nominal":
        nominal[:2] = True
        X[:, :2] = rng.integers(0, 4, (m, 2))
    return X, np.resize([0, 1, 2, 1], m), nominal


def assert_same_scores(selector, engine, X, y, same=None):
    expected = selector.set_params(engine="numba").fit(X if same is None else same, y)
    scores = expected.scores_
    found = selector.set_params(engine=engine).fit(X, y).scores_
    assert_allclose(found, scores, rtol=1e-9, atol=1e-14)


SELECTORS = {
    "random": [ReliefF(), Relief(sample_size=40, random_state=0), MultiSURF(kind="classification")],
    "tied": [
        ReliefF(n_neighbors=70, metric="euclidean", ties="index"),
        ReliefF(neighbors="extreme"),
        OReliefF(n_neighbors=4),
        RReliefF(n_neighbors=7, neighbor_weights="rank"),
        SURFStar(),
        SWRFStar(kind="classification"),
    ],
    "missing": [
        ReliefF(),
        RReliefF(),
        SURF(kind="classification"),
        MultiSWRF(kind="classification"),
        OReliefF(rule="paper", n_neighbors=4, contradictions="penalize"),
    ],
    "nominal": [
        ReliefF(metric="euclidean"),
        MultiSURFStar(metric="euclidean"),
        SWRF(metric="euclidean"),
        OReliefF(rule="paper", dominance="require"),
    ],
}


@pytest.mark.parametrize("kind", SELECTORS)
def test_scores_equal_those_of_the_local_engine(engine, kind):
    X, y, nominal = draw(kind)
    for selector in SELECTORS[kind]:
        selector.set_params(categorical_features=nominal, threshold=0.0)
        assert_same_scores(selector, engine, X, y)


def test_distances_that_weigh_features(engine):
    X, y, nominal = draw("nominal")
    expected, found = (
        IterativeRelief(
            ReliefF(categorical_features=nominal, engine=each), strategy="iter", n_iter=3
        ).fit(X, y)
        for each in ("numba", engine)
    )
    assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-14)


def test_single_precision_and_the_current_client(client):
    X, y, _ = draw("tied")
    assert_same_scores(ReliefF(), "dask", X.astype(np.float32), y)


def test_torch_inside_the_workers(client):
    pytest.importorskip("torch", reason='needs pip install "echelon[torch]"')
    X, y, nominal = draw("nominal")
    selector = ReliefF(categorical_features=nominal)
    assert_same_scores(selector, DaskEngine(client, local="torch", block_rows=70), X, y)


def test_intervals(engine):
    X, y, _ = draw("missing")
    bounds = np.stack([X, X + 0.1], axis=2)
    assert_same_scores(IntervalRelief(margin="nearest"), engine, bounds, y)
    assert_same_scores(IntervalRelief(), engine, bounds, y)


def test_restarts_and_candidates_run_on_the_workers(engine):
    X, y, nominal = draw("nominal")
    for selector in (Simba(n_restarts=3, random_state=0), OSimba(random_state=0)):
        selector.set_params(categorical_features=nominal)
        assert_same_scores(selector, engine, X, y)
    X, y, nominal = draw("missing", p=12)
    for selector in (NeighborhoodSoftMargin(3), NeighborhoodRoughSet(3)):
        expected = selector.set_params(engine="numba").fit(X, y).path_
        assert_array_equal(selector.set_params(engine=engine).fit(X, y).path_, expected)


def test_probes_run_through_joblib(client):
    X, y, _ = draw("random", m=40, p=3)
    X[:, 0] += y
    bounds = RelevanceBounds(C=1.0, false_positive_rate=0.5, random_state=0)
    expected = bounds.fit(X, y).intervals_
    with joblib.parallel_config("dask"):
        assert_allclose(bounds.fit(X, y).intervals_, expected, atol=1e-9)


# ---------------------------------------------------------------------- Dask collections


@pytest.mark.parametrize("dtype", [np.float32, int])
def test_arrays_in_blocks(engine, dtype):
    X, y, _ = draw("tied", p=6)
    X = X.astype(dtype)
    blocks = dask_array.from_array(X, chunks=(47, 3))
    assert_same_scores(ReliefF(), engine, blocks, y, X)
    nominal = np.arange(6) == 1
    selector = OReliefF(scale="range", categorical_features=nominal, threshold=0.0)
    for signs in ([-1, 0, 1, 0, 1, -1], "auto"):
        assert_same_scores(selector.set_params(monotonic_cst=signs), engine, blocks, y, X)


def test_weights_of_rows_in_blocks(engine):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(M, 4)), rng.integers(0, 3, M), rng.gamma(1.0, 1.0, M)
    blocks = dask_array.from_array(X, chunks=(50, 4))
    for selector in (ReliefF(), RReliefF(), MultiSURF(kind="classification")):
        expected = selector.set_params(engine="numpy").fit(X, y, sample_weight=weights).scores_
        for given in (X, blocks):
            found = selector.set_params(engine=engine).fit(given, y, sample_weight=weights)
            assert_allclose(found.scores_, expected, atol=1e-12)
    with pytest.raises(ValueError, match="0 for some rows of a Dask collection"):
        ReliefF(engine=engine).fit(blocks, y, sample_weight=np.arange(M))
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="missing values do not go together in a Dask"):
        ReliefF(engine=engine).fit(dask_array.from_array(X), y, sample_weight=1 + weights)


def test_frames_in_blocks(engine):
    dask_frame = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    X, y, _ = draw("missing", p=3)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["color"] = rng.choice(["red", "green", "blue"], M)
    frame.loc[3, "color"] = None
    grades = ["low", "mid", "high"]
    frame["grade"] = pd.Categorical(rng.choice(grades, M), grades, ordered=True)
    frame["city"] = pd.Categorical(rng.choice(["x", "y"], M))
    blocks = dask_frame.from_pandas(frame, npartitions=4)
    blocks = dask_frame.concat([blocks, blocks.partitions[:1].query("a > 9")])  # an empty one
    labels = dask_frame.from_pandas(pd.Series(y), npartitions=2)
    expected = ReliefF(2).fit(frame, y)
    found = ReliefF(2, engine=engine).fit(blocks, labels)
    assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-14)
    assert_array_equal(found.get_feature_names_out(), expected.get_feature_names_out())
    assert_array_equal(found.feature_names_in_, frame.columns)
    unknown = blocks.astype({"city": object}).astype({"city": "category"})
    with pytest.raises(ValueError, match=r"'city' of `X` are not known.*categorize"):
        ReliefF(engine=engine).fit(unknown, y)


def test_blocks_are_checked(engine):
    X, y, _ = draw("random")
    blocks = dask_array.from_array(X, chunks=(50, 5))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ReliefF(engine=engine).fit(blocks, y[:-1])
    with pytest.raises(ValueError, match="infinity"):
        ReliefF(engine=engine).fit(dask_array.where(blocks > 0.9, np.inf, blocks), y)
    with pytest.raises(ValueError, match="0 sample"):
        ReliefF(engine=engine).fit(blocks[:0], y[:0])
    with pytest.raises(ValueError, match="2D"):
        ReliefF(engine=engine).fit(blocks[0], y)


def test_methods_that_take_no_blocks_say_so(client):
    X, y, _ = draw("random")
    blocks = dask_array.from_array(X, chunks=(50, 5))
    for selector in (Simba(), NeighborhoodSoftMargin(), RankOrderSelector(), IntervalRelief()):
        with pytest.raises(TypeError, match=r"only AutoSelector and .*X\.compute\(\)"):
            selector.fit(blocks, y)
    with pytest.raises(TypeError, match=r'NumbaEngine does not take.*engine="dask"'):
        ReliefF().fit(blocks, y)


# ------------------------------------------------------------------------------ accidents


class Interrupted(DaskEngine):
    """Does something once, between the two passes over the first blocks."""

    def __init__(self, client, accident, **options):
        super().__init__(client, **options)
        self.accident, self.lock = accident, threading.Lock()

    def accumulate(self, *args):
        with self.lock:
            accident, self.accident = self.accident, None
            if accident is not None:
                accident()
        return super().accumulate(*args)


@pytest.mark.parametrize("n_killed", [1, 2])
def test_workers_that_die_are_replaced_and_their_data_are_sent_again(client, n_killed):
    X, y, _ = draw("missing", m=200)
    pids = list(client.run(os.getpid).values())

    def kill():
        for pid in pids[:n_killed]:
            os.kill(pid, signal.SIGKILL)

    assert_same_scores(ReliefF(), Interrupted(client, kill, block_rows=60), X, y)
    client.wait_for_workers(2)
    assert not set(client.run(os.getpid).values()) & set(pids[:n_killed])


def test_a_task_that_no_worker_survives():
    said = "Several Dask workers died one after the other"
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        start_cluster(1) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(MemoryError, match=said),
    ):
        Patience(client, 60).result(lambda: client.submit(os._exit, 1, pure=False))


@contextmanager
def no_thread_stays():
    """Threads that wait for the cluster end with the fit.  (Dask has threads of its own.)"""
    yield
    pools = [each for each in threading.enumerate() if each.name.startswith("ThreadPoolExecutor")]
    deadline = time.monotonic() + 10
    for thread in pools:
        thread.join(max(0, deadline - time.monotonic()))
    assert not [thread for thread in pools if thread.is_alive()]


def test_a_client_that_disappears(client):
    X, y, _ = draw("random", m=200)
    said = r"of tcp://\S+ is clos\w+: .*repeat the fit"
    with no_thread_stays():
        for _ in range(10):
            other = distributed.Client(client.scheduler.address, set_as_default=False)
            engine = Interrupted(other, other.close, block_rows=60)
            with pytest.raises(ConnectionError, match=said):
                ReliefF(engine=engine).fit(X, y)
    with pytest.raises(ConnectionError, match="is closed"):
        ReliefF(engine=engine).fit(X, y)


@pytest.mark.parametrize("collection", [False, True])
def test_a_client_that_disappears_at_any_moment(client, collection):
    X, y, _ = draw("random", m=200)
    X = dask_array.from_array(X, chunks=(60, 5)) if collection else X
    with no_thread_stays():
        for moment in np.linspace(0, 0.3, 16):
            other = distributed.Client(client.scheduler.address, set_as_default=False)
            timer = threading.Timer(moment, other.close)
            timer.start()
            # Before it is closed the fit may be done; another error than this is none we say.
            with suppress(ConnectionError):
                ReliefF(engine=DaskEngine(other, block_rows=60)).fit(X, y)
            timer.join()


@pytest.mark.slow
def test_a_scheduler_that_is_lost():
    """In the middle of a fit: an error that says so, and nothing waits for ever."""
    X, y, _ = draw("random", m=200)
    with scheduler_alone() as (scheduler, address):
        client = distributed.Client(address, set_as_default=False)
        try:
            client.wait_for_workers(1, timeout=60)
            engine = Interrupted(client, scheduler.kill, block_rows=60)
            with pytest.raises(ConnectionError, match="or its scheduler is gone"):
                ReliefF(engine=engine).fit(X, y)
        finally:
            client.close(timeout=5)


@contextmanager
def scheduler_alone():
    """A scheduler, and a worker, each in a process of its own."""
    options = ["--port", "0", "--no-dashboard", "--dashboard-address", "", "--host", "127.0.0.1"]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    processes = [scheduler]
    try:
        found = (re.search(r"tcp://127\.0\.0\.1:\d+", line) for line in scheduler.stderr)
        address = next(each.group() for each in found if each)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
        processes.append(subprocess.Popen([*worker, "--no-nanny"], stderr=subprocess.DEVNULL))
        yield scheduler, address
    finally:
        for process in processes:
            process.kill()
            process.wait()
        scheduler.stderr.close()


def test_a_fit_that_is_interrupted_while_the_workers_are_busy(client):
    X, y, _ = draw("random", m=200)
    leave, busy = distributed.Event(), []

    def press_keys():
        for worker in client.nthreads():
            task = client.submit(leave.wait, 60, workers=worker, priority=9, pure=False)
            busy.append(task)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # A process of pytest-xdist ignores the key.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.siginterrupt(signal.SIGINT, False)  # as pyarrow leaves it behind
    try:
        with no_thread_stays(), pytest.raises(KeyboardInterrupt):
            ReliefF(engine=Interrupted(client, press_keys, block_rows=60)).fit(X, y)
        assert {task.status for task in busy} == {"pending"}
    finally:
        signal.signal(signal.SIGINT, before)
        signal.siginterrupt(signal.SIGINT, True)
        leave.set()


def test_a_fit_in_the_event_loop_of_its_client(client):
    X, y, _ = draw("random")
    expected = ReliefF().fit(X, y).scores_

    async def use(address):
        async with distributed.Client(address, asynchronous=True, set_as_default=False) as mine:
            selector = ReliefF(engine=DaskEngine(mine))
            with pytest.raises(ValueError, match=r"`client` belongs to the event loop.*to_thread"):
                selector.fit(X, y)
            return await asyncio.to_thread(selector.fit, X, y)

    assert_allclose(asyncio.run(use(client.scheduler.address)).scores_, expected, rtol=1e-9)


def test_samples_larger_than_the_memory_of_the_workers():
    """Blocks made on the workers, more than both may hold: the rest goes to their disks."""
    m, p, size = 400_000, 50, 16_000
    limit, share = 800 * 2**20, 0.05  # a worker takes half of the limit for what it imports
    assert m * p * 8 > 1.5 * 2 * share * limit

    def block(seed):
        return np.random.default_rng(seed).random((size, p))

    def make(block_info=None):
        return block(block_info[None]["chunk-location"][0])

    X = dask_array.map_blocks(make, chunks=((size,) * (m // size), (p,)), dtype=float)
    whole = np.vstack([block(seed) for seed in range(m // size)])
    with (
        dask.config.set({"distributed.worker.memory.target": share}),
        start_cluster(2, memory_limit=limit) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        X = client.persist(X)
        with client.as_current():
            distributed.wait(X)
        # The scheduler may give all blocks to one worker: what is too much for both is on a disk.
        assert sum(client.run(lambda dask_worker: len(dask_worker.data.disk)).values()) > 0
        y = np.arange(m) % 2
        selector = ReliefF(sample_size=2, random_state=0)
        assert_same_scores(selector, DaskEngine(client), X, y, whole)


def test_a_cluster_that_starts_without_workers():
    X, y, _ = draw("random")
    with start_cluster(0) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        with pytest.raises(RuntimeError, match=r"no worker for 0 seconds.*`patience`"):
            ReliefF(engine=DaskEngine(client, patience=0)).fit(X, y)
        cluster.adapt(minimum=0, maximum=1, interval="200ms")
        assert_same_scores(ReliefF(), DaskEngine(client), X, y)


def test_without_a_cluster(monkeypatch):
    X, y, _ = draw("random")
    monkeypatch.setattr("echelon.engines.dask._engine.default_client", _no_client)
    with pytest.raises(ValueError, match=r"needs a client.*distributed\.Client"):
        ReliefF(engine="dask").fit(X, y)
    monkeypatch.setattr("echelon.engines.dask._engine.TIMEOUT", 0.2)
    with pytest.raises(ConnectionError, match="No Dask scheduler answers at 'tcp://"):
        ReliefF(engine=DaskEngine("tcp://127.0.0.1:9")).fit(X, y)
    for block_rows in (0, 2.5, True):
        with pytest.raises(ValueError, match="`block_rows` must be"):
            DaskEngine(block_rows=block_rows)


def _no_client():
    raise ValueError("No clients found")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "echelon\[dask\]"'):
        resolve_engine("dask", None)


def test_the_command_line_on_a_cluster(client, capsys, tmp_path):
    X, y, _ = draw("random")
    file = tmp_path / "data.csv"
    pd.DataFrame(X).assign(y=y).to_csv(file, index=False)
    ask = ("rank", str(file), "-t", "y", "--unordered", "--method", "relieff", "--json")
    here = json.loads(call(capsys, *ask).out)
    there = json.loads(call(capsys, *ask, "--scheduler", client.scheduler.address).out)
    scores = [[row["score"] for row in each["features"]] for each in (here, there)]
    assert_allclose(*scores, rtol=1e-12)
    assert there["how"]["parameters"]["ReliefF"]["engine"].startswith("DaskEngine('tcp://")
    other = (*ask[:-2], "cfs", "--scheduler", client.scheduler.address)
    assert "CFS has no part that runs on a cluster; it ran here." in call(capsys, *other).out
    bounds = ("bounds", *ask[1:5], "--scheduler", client.scheduler.address)
    assert "RelevanceBounds has no part that runs on a cluster" in call(capsys, *bounds).out


def test_the_command_line_without_a_cluster(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("echelon.engines.dask._engine.TIMEOUT", 0.5)
    X, y, _ = draw("random")
    file = tmp_path / "data.csv"
    pd.DataFrame(X).assign(y=y).to_csv(file, index=False)
    ask = ("rank", str(file), "-t", "y", "--unordered", "--scheduler", "tcp://127.0.0.1:1")
    relief = (*ask, "--method", "relieff")
    for arguments in (relief, (*ask, "--method", "cfs"), ask):
        done = call(capsys, *arguments)
        done.check_refused("No Dask scheduler answers at 'tcp://127.0.0.1:1'")
    call(capsys, *relief, "--jobs", "2").check_refused("--jobs and --scheduler exclude each other")


def test_a_worker_is_no_scheduler(client):
    address = next(iter(client.scheduler_info()["workers"]))
    with pytest.raises(ConnectionError, match="it is a Worker"):
        DaskEngine(address).connect()
