"""The search engine against brute force, at sizes that cross its blocks, tiles and chunks."""

import itertools
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon import ReliefF
from echelon._core.samples import arrange
from echelon.data import Data
from echelon.engines import Classes, Found, NumbaEngine, Search
from echelon.engines.numba import _engine
from echelon.engines.numba._engine import pack
from echelon.engines.numba._nearest import _complete_sums, _partial_sums
from echelon.kernels.pairs import ABOVE, ANY, BELOW
from echelon.margin import _base

SHAPES = [(700, 3), (300, 70), (90, 130), (1100, 1), (2, 5)]


def everyone(n):
    """All classes, the query's own included."""
    return Classes(np.zeros(n, int), np.full(n, n), True)


def make_samples(seed, m, p, *, nominal=0.0, missing=0.0, levels=None, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.random((m, p)) if levels is None else rng.integers(0, levels, (m, p)) / (levels - 1)
    is_nominal = rng.random(p) < nominal
    X[:, is_nominal] = rng.integers(0, 4, (m, is_nominal.sum()))
    X[rng.random((m, p)) < missing] = np.nan
    classes = rng.integers(0, 3, m)
    classes[:2] = 0, 1
    directions = np.where(is_nominal, 0, rng.integers(0, 2, p))
    return arrange(Data(X.astype(dtype), is_nominal, None), classes, directions)


def brute_force(samples, i, metric):
    """All distances from row i, with NumPy."""
    values = samples.values.astype(np.float64)
    gaps = np.abs(values - values[i])
    gaps[:, samples.n_numeric :] = np.where(
        np.isnan(gaps[:, samples.n_numeric :]), np.nan, gaps[:, samples.n_numeric :] > 0
    )
    there = ~np.isnan(gaps)
    total = np.nansum(gaps if metric == "manhattan" else gaps**2, axis=1)
    n_shared = there.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.where(n_shared > 0, total * gaps.shape[1] / n_shared, np.inf)
    return total if metric == "manhattan" else np.sqrt(total)


def related(samples, i, relation):
    a, b = samples.values[i, : samples.n_ordered], samples.values[:, : samples.n_ordered]
    with np.errstate(invalid="ignore"):
        if relation == ABOVE:
            return ~(b < a).any(axis=1)
        if relation == BELOW:
            return ~(b > a).any(axis=1)
    return np.ones(len(b), bool)


def find_all(engine, space, queries, search):
    """All pieces of a search."""
    pieces = []
    while len(queries):
        pieces.append(engine.nearest(space, queries, search))
        queries = queries[len(pieces[-1].counts) :]
    return Found(*map(np.concatenate, zip(*pieces, strict=True)))


@pytest.fixture(params=["pairs", pytest.param("leaves", marks=pytest.mark.slow)])
def assert_found(request):
    """Either way to search finds what brute force finds; leaves take long to compile."""
    if request.param == "leaves":
        request.getfixturevalue("searches_compiled")
    return partial(assert_found_by, NumbaEngine(1, search=request.param))


def assert_found_by(engine, samples, metric, search, tolerance):
    queries = np.arange(len(samples.values))
    samples, _ = engine.compact(samples, queries, metric, search.n_neighbors or 1)
    space = engine.prepare(samples, metric)
    found = find_all(engine, space, queries, search)
    for i in queries[:: max(1, len(queries) // 60)]:
        start = found.counts[:i].sum()
        got = found.indices[start : start + found.counts[i]]
        d = brute_force(samples, i, metric)
        first, last, own = search.classes
        c = samples.classes[i]
        allowed = (first[c] <= samples.classes) & (samples.classes < last[c])
        allowed &= own | (samples.classes != c)
        allowed = allowed & related(samples, i, search.relation) & (d < np.inf)
        allowed[i] = False
        cut = search.radius
        k = search.n_neighbors
        if k is not None and k <= allowed.sum():
            cut = min(cut, np.sort(d[allowed])[k - 1] * (1 + tolerance))
        # Either side of the cut within rounding may be in or out.
        must = np.flatnonzero(allowed & (d <= cut * (1 - 1e-12)))
        may = np.flatnonzero(allowed & (d <= cut * (1 + 1e-12)))
        assert set(must) <= set(got) <= set(may)
        assert (np.diff(got) > 0).all()


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize(("m", "p"), SHAPES)
@pytest.mark.parametrize("kind", ["dense", "nominal", "missing", "levels"])
def test_every_layout_finds_the_nearest(metric, m, p, kind, assert_found):
    options = {
        "dense": {},
        "nominal": {"nominal": 0.5},
        "missing": {"missing": 0.1, "nominal": 0.2},
        "levels": {"levels": 5},
    }[kind]
    samples = make_samples(1, m, p, **options)
    n = samples.classes.max() + 1
    kinds = (Classes.same(n), Classes.others(n), Classes.above(n), Classes.below(n))
    for classes, k, relation in itertools.product(kinds, (1, 10, 200), (ANY, ABOVE, BELOW)):
        assert_found(samples, metric, Search(classes, k, relation=relation), 1e-9)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_all_within_a_radius(metric, missing, assert_found):
    samples = make_samples(2, 400, 4, missing=missing)
    for radius in (0.0, 0.4, 1.0, 10.0):
        assert_found(samples, metric, Search(everyone(3), radius=radius), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_single_precision(metric, assert_found):
    samples = make_samples(3, 500, 20, dtype=np.float32)
    assert_found(samples, metric, Search(everyone(3), 7), 1e-5)


def test_values_far_from_their_mean_stay_within_their_bounds(assert_found):
    """One outlier per column squeezes all other rows together, where rounding matters most."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 6)) * 1e-5
    X[0] = 1.0
    samples = arrange(Data(X, np.zeros(6, bool), None), rng.integers(0, 2, 300))
    for metric in ("manhattan", "euclidean"):
        assert_found(samples, metric, Search(everyone(2), 5), 1e-9)


def test_more_categories_than_codes(monkeypatch, assert_found):
    """Categories that share a code hide a mismatch; the upper bounds must allow for it."""
    samples = make_samples(5, 400, 6, nominal=1.0)
    samples.values[:] = np.random.default_rng(5).integers(0, 40, samples.values.shape)
    for encoding in (_engine._Maxima, _engine._Products, _engine._Partial):
        monkeypatch.setattr(encoding, "n_codes", 8)
    for metric in ("manhattan", "euclidean"):
        assert_found(samples, metric, Search(everyone(3), 3), 1e-9)
        assert_found(samples._replace(missing=True), metric, Search(everyone(3), 3), 1e-9)


@pytest.mark.parametrize("k", [1, 10, 100])
def test_sorted_ties_fill_block_after_block(k, assert_found):
    """All lanes of a block, and of the next, are candidates of one query."""
    rng = np.random.default_rng(0)
    for p, m in ((1, 2560), (2, 520), (3, 3000)):
        X = rng.integers(0, 2, (m, p)).astype(float)
        X = X[np.lexsort(X.T)]
        samples = arrange(Data(X, np.zeros(p, bool), None), np.arange(m) % 2)
        assert_found(samples, "manhattan", Search(everyone(2), k), 1e-9)
    X = np.zeros((1280, 1))
    X[140:256] = 1
    samples = arrange(Data(np.vstack([X, X]), np.zeros(1, bool), None), np.repeat([0, 1], 1280))
    assert_found(samples, "manhattan", Search(Classes.same(2), k), 1e-9)


def test_many_neighbours_come_in_pieces(monkeypatch):
    """Tied data: a call ends early rather than fill the memory, and the sum is the same."""
    X = np.random.default_rng(0).integers(0, 2, (3000, 2)).astype(float)
    y = np.arange(3000) % 2
    engine = NumbaEngine(1)
    space = engine.prepare(arrange(Data(X, np.zeros(2, bool), None), y), "manhattan")
    assert len(engine.nearest(space, np.arange(3000), Search(everyone(2), 1500)).counts) < 3000
    # With 100 rows per corner of the square, every query has 99 equal hits and 100 misses.
    X = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 1]], 200, axis=0)
    y = np.arange(800) % 2
    monkeypatch.setattr(_base, "equal_rows_once", lambda samples: None)
    assert_array_equal(ReliefF(n_neighbors=99, engine="numba").fit(X, y).scores_, 0)
    expected = ReliefF(n_neighbors=350, engine="numba").fit(X, y).scores_
    whole = NumbaEngine.nearest

    def ten_queries(self, space, queries, search):
        return whole(self, space, queries[:10], search)

    monkeypatch.setattr(NumbaEngine, "nearest", ten_queries)
    assert_allclose(ReliefF(n_neighbors=350, engine="numba").fit(X, y).scores_, expected)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_distance_lies_within_its_bounds(squared, missing):
    """The heart of exactness: lower <= distance <= upper for all pairs of a block."""
    for seed in range(60):
        p = (1, 4, 64, 65, 128, 700)[seed % 6]
        samples = awkward_samples(seed, p, missing)
        packed = pack(samples, squared=squared)
        m, n_lanes = len(samples.values), packed.blocks.shape[2]
        rows = np.ascontiguousarray(packed.blocks[0].T[:m])
        totals = np.empty((m, n_lanes), np.int32)
        live = np.ones(m, bool)
        if packed.missing:
            _partial_sums(packed, rows, packed.blocks[0], live, totals)
        else:
            sums = np.empty((4, n_lanes), packed.blocks.dtype)
            _complete_sums(packed, rows, packed.blocks[0], (0, n_lanes), live, sums, totals)
        for i in range(m):
            d = brute_force(samples, i, "euclidean" if squared else "manhattan")
            d = packed.steps * (d**2 if squared else d)
            twice = 2.0 * totals[i, :m]
            here = np.isfinite(d)
            assert (twice + packed.low + packed.low[i] <= d)[here].all()
            assert (twice + packed.high + packed.high[i] >= d)[here].all()


def awkward_samples(seed, p, missing, m=64):
    """Uniform, squeezed, at the edge of rounding, or heavy-tailed; one class, some nominal."""
    rng = np.random.default_rng(seed)
    X = (
        lambda: rng.random((m, p)),
        lambda: np.vstack([np.ones(p), rng.random((m - 1, p)) * 1e-3]),
        lambda: np.rint(rng.random((m, p)) * 1022) / 1022 + 0.4999999 / 1022,
        lambda: np.exp(4 * rng.normal(size=(m, p))),
    )[seed % 4]()
    nominal = rng.random(p) < rng.choice([0, 0.5])
    X[:, nominal] = rng.integers(0, 9, (m, nominal.sum()))
    X[rng.random((m, p)) < missing] = np.nan
    directions = np.where(nominal, 0, rng.integers(-1, 2, p))
    dtype = np.float32 if seed % 5 == 0 else np.float64
    return arrange(Data(X.astype(dtype), nominal, None), np.zeros(m, int), directions)


def test_more_features_than_steps_fit_in(assert_found):
    samples = make_samples(4, 20, 140_000)
    assert pack(samples, squared=False).steps < 1022
    assert_found(samples, "manhattan", Search(everyone(3), 3), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("m", "p"), [(1100, 2), (700, 6), (300, 70), (90, 130), (3, 2)])
@pytest.mark.parametrize("levels", [None, 4])
def test_pairs_of_columns(m, p, levels, dtype, missing):
    """Norms of pairs of differences: exact distances, and every one of the nearest found."""
    samples = make_samples(m, m, p, levels=levels, dtype=dtype)
    gaps = np.random.default_rng(0).random((m, p // 2)) < missing
    samples.values[np.repeat(gaps, 2, axis=1)] = np.nan
    samples = samples._replace(missing=missing > 0)
    engine = NumbaEngine(1)
    space = engine.prepare(samples, "paired")
    n_classes = len(samples.class_sizes)
    found = find_all(engine, space, np.arange(m), Search(everyone(n_classes), 3))
    pairs = samples.values.astype(float).reshape(m, -1, 2)
    tolerance = 1 + (1e-9 if dtype == np.float64 else 1e-5)
    end = 0
    for i, count in enumerate(found.counts):
        norms = np.sqrt(((pairs - pairs[i]) ** 2).sum(axis=2))
        n_shared = (~np.isnan(norms)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.where(n_shared > 0, np.nansum(norms, axis=1) * (p // 2) / n_shared, np.inf)
        far[i] = np.inf
        start, end = end, end + count
        expected = np.flatnonzero((far <= np.sort(far)[min(3, m) - 1] * tolerance) & (far < np.inf))
        finite = np.isfinite(found.distances[start:end])
        assert_array_equal(found.indices[start:end][finite], expected)
        assert_allclose(found.distances[start:end][finite], far[expected], rtol=1e-12)
