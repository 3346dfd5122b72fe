"""The engine that compiles nothing, against the compiled one."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_nearest import everyone, find_all, make_samples

from echelon.engines import (
    ABOVE,
    ANY,
    BELOW,
    Classes,
    Found,
    NumbaEngine,
    NumpyEngine,
    Search,
    _numpy,
)

KINDS = {
    "dense": {},
    "single": {"dtype": np.float32},
    "nominal": {"nominal": 0.5},
    "only nominal": {"nominal": 1.0},
    "missing": {"missing": 0.1, "nominal": 0.2},
    "mostly missing": {"missing": 0.7},
    "levels": {"levels": 4},
    "likert": {"levels": 3, "dtype": np.float32},
}


def assert_finds_the_same(samples, metric, search):
    queries = np.arange(len(samples.values))
    compiled, plain = NumbaEngine(1), NumpyEngine(1)
    space, other = compiled.prepare(samples, metric), plain.prepare(samples, metric)
    expected = find_all(compiled, space, queries, search)
    found = find_all(plain, other, queries, search)
    assert_array_equal(found.counts, expected.counts)
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.distances, expected.distances, rtol=1e-12)
    coefs = np.linspace(-1, 1, len(queries))
    for by_index, direction in itertools.product((True, False), (0, 1, -1)):
        places = np.arange(len(queries)) % 5
        shares = plain.share(other, found, places, by_index=by_index)
        assert_allclose(shares, compiled.share(space, found, places, by_index=by_index), rtol=1e-14)
        pairs = queries, found.counts, found.indices, shares
        assert_allclose(
            plain.accumulate(other, pairs, coefs, direction),
            compiled.accumulate(space, pairs, coefs, direction),
            rtol=1e-9,
            atol=1e-11,
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_every_search(metric, kind, monkeypatch):
    monkeypatch.setattr(_numpy, "ROOM", 20_000)  # several calls per search
    monkeypatch.setattr(_numpy, "_CACHED", 10_000)
    for seed, (m, p) in enumerate([(300, 3), (150, 40), (2, 5)]):
        samples = make_samples(seed, m, p, **KINDS[kind])
        n = len(samples.class_sizes)
        wanted = [Classes.same(n), Classes.others(n), Classes.above(n), everyone(n)]
        for classes, relation in itertools.product(wanted, (ANY, ABOVE, BELOW)):
            k = (1, 10, 200)[(seed + relation) % 3]
            assert_finds_the_same(samples, metric, Search(classes, k, relation=relation))
        assert_finds_the_same(samples, metric, Search(everyone(n), radius=0.4))
        assert_finds_the_same(samples, metric, Search(everyone(n), 5, radius=0.4))


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_pairs_of_columns(missing):
    samples = make_samples(0, 200, 6)
    gaps = np.repeat(np.random.default_rng(0).random((200, 3)) < missing, 2, axis=1)
    samples.values[gaps] = np.nan
    samples = samples._replace(missing=missing > 0, n_ordered=0)
    assert_finds_the_same(samples, "paired", Search(everyone(3), 4))


def test_queries_in_any_order():
    samples = make_samples(0, 90, 3)
    queries = np.random.default_rng(0).permutation(90)[:40]
    search = Search(Classes.others(3), 4)
    found, expected = (
        Found(*engine.nearest(engine.prepare(samples, "manhattan"), queries, search))
        for engine in (NumpyEngine(1), NumbaEngine(1))
    )
    assert_array_equal(found.counts, expected.counts)
    assert_array_equal(found.indices, expected.indices)


def test_equal_columns_have_equal_sums():
    """To the last digit, so that their order does not hang on rounding."""
    samples = make_samples(1, 300, 7)
    samples.values[:] = samples.values[:, :1]
    engine = NumpyEngine(1)
    space = engine.prepare(samples._replace(n_ordered=0), "manhattan")
    queries = np.arange(300)
    found = engine.nearest(space, queries, Search(everyone(3), 10))
    shares = engine.share(space, found, np.full(300, 10), by_index=False)
    pairs = queries, found.counts, found.indices, shares
    assert len(set(engine.accumulate(space, pairs, np.linspace(0.1, 1, 300), 0))) == 1
