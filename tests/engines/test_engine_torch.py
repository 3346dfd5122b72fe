"""The torch engine: equal to the local engine on every kind of data.

On a GPU where there is one, else on the CPU.
"""

import itertools
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_nearest import awkward_samples, everyone, find_all, make_samples

from cases import draw_case
from echelon import (
    SURF,
    SWRF,
    IntervalRelief,
    IterativeRelief,
    MultiSURF,
    MultiSURFStar,
    MultiSWRF,
    MultiSWRFStar,
    OReliefF,
    Relief,
    ReliefF,
    RReliefF,
    Simba,
    SURFStar,
    SWRFStar,
)
from echelon.engines import ABOVE, ANY, BELOW, Classes, NumbaEngine, Search, resolve_engine

torch = pytest.importorskip("torch", reason='needs pip install "echelon[torch]"')

from echelon.engines import TorchEngine  # noqa: E402
from echelon.engines.torch import _engine as _torch  # noqa: E402
from echelon.engines.torch import _tiles  # noqa: E402
from echelon.engines.torch._encoding import Bytes, Floats, Products  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

KINDS = {
    "dense": {},
    "single": {"dtype": np.float32},
    "nominal": {"nominal": 0.5},
    "missing": {"missing": 0.1, "nominal": 0.2},
    "levels": {"levels": 4},
    "likert": {"levels": 3, "dtype": np.float32},
}


@pytest.fixture(autouse=True)
def _one_thread():
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def assert_finds_the_same(samples, metric, search):
    queries = np.arange(len(samples.values))
    here, there = NumbaEngine(1), TorchEngine(DEVICE)
    space, other = here.prepare(samples, metric), there.prepare(samples, metric)
    expected = find_all(here, space, queries, search)
    found = find_all(there, other, queries, search)
    assert_array_equal(found.counts, expected.counts)
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.distances, expected.distances, rtol=1e-12)
    shares = there.share(other, found, np.full(len(queries), 3), by_index=True)
    coefs = np.linspace(-1, 1, len(queries))
    pairs = queries, found.counts, found.indices, shares
    for direction in (0, 1, -1):
        assert_allclose(
            there.accumulate(other, pairs, coefs, direction),
            here.accumulate(space, pairs, coefs, direction),
            rtol=1e-9,
            atol=1e-11,
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_every_search(metric, kind):
    for seed, (m, p) in enumerate([(300, 3), (150, 40), (2, 5)]):
        samples = make_samples(seed, m, p, **KINDS[kind])
        n = len(samples.class_sizes)
        wanted = [Classes.same(n), Classes.others(n), Classes.above(n), everyone(n)]
        for classes, relation in itertools.product(wanted, (ANY, ABOVE, BELOW)):
            k = (1, 10, 200)[(seed + relation) % 3]
            assert_finds_the_same(samples, metric, Search(classes, k, relation=relation))
        assert_finds_the_same(samples, metric, Search(everyone(n), radius=0.4))
        assert_finds_the_same(samples, metric, Search(everyone(n), 5, radius=0.4))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_pairs_of_columns(missing):
    samples = make_samples(0, 200, 6)
    gaps = np.repeat(np.random.default_rng(0).random((200, 3)) < missing, 2, axis=1)
    samples.values[gaps] = np.nan
    samples = samples._replace(missing=missing > 0, n_ordered=0)
    assert_finds_the_same(samples, "paired", Search(everyone(3), 4))


@pytest.mark.parametrize("encoding", [Floats, Products, Bytes])
def test_no_encoding_overstates_a_distance(encoding):
    """The heart of exactness: every pair has a bound that its distance allows."""
    for seed in range(24):
        samples = awkward_samples(seed, (1, 4, 65, 300)[seed % 4], 0.0)
        if encoding is not Floats:  # they take no labels
            values = np.ascontiguousarray(samples.values[:, : samples.n_numeric])
            samples = samples._replace(values=values)
        if not samples.values.shape[1]:
            continue
        metric = "euclidean" if encoding is Products else "manhattan"
        space = TorchEngine(DEVICE).prepare(samples, metric)
        tiles = _tiles.lay_out(space, _tiles.encoded_as(space, encoding))
        rows = torch.arange(len(samples.values), device=DEVICE)
        queries = _tiles.QueryTiles(space, tiles, rows, ANY)
        bounds = queries.dense(0, len(tiles.blocks))
        gaps = np.abs(samples.values[:, None].astype(float) - samples.values)
        gaps[:, :, samples.n_numeric :] = gaps[:, :, samples.n_numeric :] > 0
        far = torch.as_tensor(
            (gaps**2 if encoding is Products else gaps).sum(axis=2), device=DEVICE
        )
        for lane, row in enumerate(tiles.rows[: len(rows)].tolist()):
            other = rows != row
            assert (bounds[:, lane] <= queries.bounds_for(far[:, row]))[other].all()


def test_methods():
    for seed in range(12):
        case = draw_case(seed, n_classes=3)
        for selector in (
            Relief(categorical_features=case.nominal),
            ReliefF(n_neighbors=case.k, metric="euclidean", categorical_features=case.nominal),
            OReliefF(threshold=0.0, categorical_features=case.nominal, n_neighbors=case.k),
            ReliefF(sample_size=0.5, random_state=0, ties="index"),
            ReliefF(n_neighbors=case.k, neighbors="extreme", categorical_features=case.nominal),
            RReliefF(n_neighbors=case.k, neighbor_weights="rank"),
            SURFStar(metric="euclidean", categorical_features=case.nominal),
            MultiSURFStar(kind="classification", categorical_features=case.nominal),
            MultiSURF(kind="classification", sample_size=0.5, random_state=0),
            SWRFStar(kind="classification", categorical_features=case.nominal),
            MultiSWRF(metric="euclidean", categorical_features=case.nominal),
        ):
            expected = selector.set_params(engine="numba").fit(case.X, case.y).scores_
            found = selector.set_params(engine="torch").fit(case.X, case.y).scores_
            assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


def test_distances_that_weigh_features():
    for seed in range(8):
        case = draw_case(seed, missing=0, n_classes=2)
        expected, found = (
            IterativeRelief(
                ReliefF(n_neighbors=case.k, categorical_features=case.nominal, engine=engine),
                strategy="iter",
            ).fit(case.X, case.y)
            for engine in ("numba", "torch")
        )
        assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize(
    "estimator", [SURF, SURFStar, MultiSURF, MultiSURFStar, SWRF, SWRFStar, MultiSWRFStar]
)
def test_bands_without_lists_of_pairs(estimator, metric, monkeypatch):
    """Complete data: all pairs at once, in blocks that are smaller than the data."""
    monkeypatch.setattr(_tiles, "ROOM", 64)
    for seed in range(10):
        case = draw_case(seed, missing=0)
        selector = estimator(
            metric=metric,
            categorical_features=case.nominal,
            sample_size=5 if seed % 2 else None,
            random_state=0,
        )
        expected = selector.set_params(engine="numba").fit(case.X, case.y)
        scores, z_scores = expected.scores_, expected.z_scores_
        found = selector.set_params(engine="torch").fit(case.X, case.y)
        assert_allclose(found.scores_, scores, rtol=1e-9, atol=1e-12)
        assert_allclose(found.z_scores_, z_scores, rtol=1e-6, atol=1e-6)


def test_intervals_and_restarts(rng):
    bounds = np.sort(rng.random((60, 4, 2)), axis=2)
    y = np.arange(60) % 3
    for selector, X in (
        (IntervalRelief(margin="nearest"), bounds),
        (IntervalRelief(margin="nearest", distance="linf"), bounds),
        (IntervalRelief(), bounds),
        (Simba(n_restarts=2, random_state=0), bounds[:, :, 0]),
    ):
        expected = selector.set_params(engine="numba").fit(X, y).scores_
        assert_allclose(selector.set_params(engine="torch").fit(X, y).scores_, expected, atol=1e-13)


# ------------------------------------------------------------------------------- memory


def test_blocks_are_halved_when_memory_runs_out(monkeypatch, rng):
    X, y = rng.random((300, 4)), np.arange(300) % 2
    expected = ReliefF(engine="torch").fit(X, y).scores_
    dense, tried = _tiles.QueryTiles.dense, []

    def small_device(self, first, last):
        tried.append(self.n)
        if self.n > 40:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return dense(self, first, last)

    monkeypatch.setattr(_torch, "_tells_apart", lambda space: True)
    monkeypatch.setattr(_tiles.QueryTiles, "dense", small_device)
    assert_allclose(ReliefF(engine="torch").fit(X, y).scores_, expected)
    assert max(tried) > 40 >= min(tried)
    weighted_sum = _torch.weighted_sum

    def small_sums(space, pairs, *args):
        if len(pairs[0]) > 9:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return weighted_sum(space, pairs, *args)

    monkeypatch.setattr(_torch, "weighted_sum", small_sums)
    assert_allclose(ReliefF(engine="torch").fit(X, y).scores_, expected)
    monkeypatch.setattr(_torch, "weighted_sum", _never)
    with pytest.raises(MemoryError, match="out of memory even for a single query"):
        ReliefF(engine="torch").fit(X, y)
    monkeypatch.setattr(_tiles.QueryTiles, "dense", _never)
    with pytest.raises(MemoryError, match="out of memory even for a single query"):
        ReliefF(engine="torch").fit(X, y)


def _never(*_):
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize("kind", ["dense", "missing", "likert"])
def test_samples_are_streamed_when_they_do_not_fit(monkeypatch, kind):
    tells_apart, tried = _torch._tells_apart, []

    def small_device(space):
        tried.append(space.streamed)
        if not space.streamed:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return tells_apart(space)

    monkeypatch.setattr(_torch, "_tells_apart", small_device)
    monkeypatch.setattr(_tiles, "ROOM", 1 << 15)
    monkeypatch.setattr(_tiles, "LEAST_ROOM", 1 << 14)
    samples = make_samples(0, 300, 4, **KINDS[kind])
    for metric, relation in (("manhattan", ANY), ("euclidean", ANY), ("manhattan", ABOVE)):
        assert_finds_the_same(samples, metric, Search(everyone(3), 5, relation=relation))
    assert tried == 3 * [False, False, True]


def test_an_encoding_that_does_not_fit_is_streamed(monkeypatch):
    """Of dominance, say, whose encoding is laid out when it is first asked for."""
    lay_out, tried = _tiles.lay_out, []

    def small_device(space, encoding):
        if tried and not space.streamed:
            raise torch.OutOfMemoryError("CUDA out of memory")
        tried.append(space.streamed)
        return lay_out(space, encoding)

    monkeypatch.setattr(_tiles, "lay_out", small_device)
    monkeypatch.setattr(_torch, "_tells_apart", lambda space: bool(space.tiles(ANY)) and False)
    samples = make_samples(0, 100, 4)
    assert_finds_the_same(samples, "manhattan", Search(everyone(3), 5))
    assert tried == [False, True]


def test_a_single_query_needs_room_too(monkeypatch):
    found = _torch._found

    def small_device(space, queries, search):
        if space.room > 1 << 10:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return found(space, queries, search)

    monkeypatch.setattr(_torch, "_found", small_device)
    engine, samples = TorchEngine(DEVICE), make_samples(0, 100, 4)
    search = Search(everyone(3), 5)
    assert engine.nearest(engine.prepare(samples, "manhattan"), np.arange(1), search).counts[0] == 5


def test_a_device_without_any_room(monkeypatch, rng):
    monkeypatch.setattr(_torch, "_tells_apart", _never)
    with pytest.raises(MemoryError, match=f"The device {DEVICE} is out of memory"):
        ReliefF(engine="torch").fit(rng.random((30, 2)), np.arange(30) % 2)


def test_many_neighbours_come_in_pieces(monkeypatch):
    monkeypatch.setattr(_torch, "MAX_PAIRS", 1000)
    X = np.random.default_rng(0).integers(0, 2, (200, 2)).astype(float)
    y = np.arange(200) % 2
    expected = ReliefF(n_neighbors=30).fit(X, y).scores_
    assert_allclose(ReliefF(n_neighbors=30, engine="torch").fit(X, y).scores_, expected, atol=1e-13)


def test_rounding_that_tells_nothing_apart_is_given_up():
    """One outlier per column squeezes all other rows into a few whole numbers."""
    X = np.random.default_rng(0).random((600, 6)) * 1e-3
    X[0] = 1.0
    samples = make_samples(0, 600, 6)._replace(values=X, n_ordered=0)
    space = TorchEngine(DEVICE).prepare(samples, "manhattan")
    assert _torch._tells_apart(space)
    space.known[Floats] = _tiles.lay_out(space, _tiles.encoded_as(space, Bytes))
    assert not _torch._tells_apart(space)


# ------------------------------------------------------------------------------- errors


def test_devices_that_are_not_there():
    X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    for device in ("cuda:99", "abacus"):
        with pytest.raises(ValueError, match=f"`device` must be a device.*got '{device}'"):
            ReliefF(engine=TorchEngine(device)).fit(X, y)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'pip install "echelon\[torch\]"'):
        resolve_engine("torch", None)
