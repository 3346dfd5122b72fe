"""The search by leaves: what it finds is what all pairs give, and it looks at few of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon import OReliefF, ReliefF, RReliefF
from echelon._core.samples import arrange
from echelon.engines import ABOVE, ANY, BELOW, Classes, Found, NumbaEngine, Search
from echelon.engines.numba import _compact
from echelon.engines.numba._compact import best_plan, compact_order, paying_plan
from echelon.engines.numba._leaves import lay_out
from echelon.engines.numba._visits import nearest_by_leaves
from echelon.validation import Columns

ENGINES = {way: NumbaEngine(1, search=way) for way in ("pairs", "leaves")}


def make_table(seed):
    """Values, which of them are nominal: continuous, tied, constant, repeated, with gaps."""
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(2, 900)), int(rng.integers(1, 30))
    X = rng.normal(size=(m, p))
    if rng.random() < 0.3:
        X = np.rint(X)
    if rng.random() < 0.3:
        X = X[rng.integers(0, max(1, m // 8), m)]
    X[:, rng.random(p) < 0.1] = 1.0
    nominal = rng.random(p) < rng.choice([0, 0.3, 1.0])
    X[:, nominal] = rng.integers(0, rng.choice([2, 5, 300]), (m, nominal.sum()))
    X[rng.random((m, p)) < rng.choice([0, 0, 0.1, 0.6])] = np.nan
    return X.astype(rng.choice([np.float32, np.float64])), nominal


def make_samples(seed):
    X, nominal = make_table(seed)
    rng = np.random.default_rng(seed)
    classes = np.unique(rng.integers(0, rng.choice([1, 2, 5]), len(X)), return_inverse=True)[1]
    directions = np.where(nominal, 0, rng.integers(-1, 2, X.shape[1]))
    return arrange(Columns(X, nominal, None), classes, directions)


def found_by(way, samples, metric, search):
    """Neighbours and distances of every query by original rows, in their order."""
    engine = ENGINES[way]
    queries = np.arange(len(samples.classes))
    samples, queries = engine.compact(samples, queries, metric, search.n_neighbors)
    assert samples.compact == (way == "leaves")
    space, parts = engine.prepare(samples, metric), []
    while len(queries):
        parts.append(engine.nearest(space, queries, search))
        queries = queries[len(parts[-1].counts) :]
    found = Found(*map(np.concatenate, zip(*parts, strict=True)))
    rows = samples.rows[found.indices]
    order = np.lexsort((rows, found.owners))
    return found.counts, rows[order], found.distances[order]


@pytest.mark.parametrize("seed", range(120))
def test_leaves_find_what_all_pairs_give(seed):
    samples = make_samples(seed)
    n = len(samples.class_sizes)
    everywhere = Classes.same(n), Classes.others(n), Classes.above(n), Classes.everyone(n)
    for which, classes in enumerate(everywhere):
        metric = ("manhattan", "euclidean")[(seed + which) % 2]
        k = (1, 10, 70)[(seed + which) % 3]
        radius = np.inf if seed % 5 else 0.5
        for relation in (ANY, ABOVE, BELOW):
            search = Search(classes, k, radius=radius, relation=relation)
            expected = found_by("pairs", samples, metric, search)
            found = found_by("leaves", samples, metric, search)
            assert_array_equal(found[0], expected[0])
            assert_array_equal(found[1], expected[1])
            assert_allclose(found[2], expected[2], rtol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_scores_and_z_scores_are_the_same(seed):
    X, nominal = make_table(seed + 1000)
    rng = np.random.default_rng(seed)
    X = X[: 40 + len(X) // 3] if len(X) > 40 else rng.normal(size=(60, X.shape[1])).round(1)
    nominal &= (np.rint(X) == X).all(axis=0)
    y = rng.permutation(np.arange(len(X)) % 3)
    options = {"categorical_features": nominal, "n_neighbors": 5}
    options["metric"] = ("manhattan", "euclidean")[seed % 2]
    options["ties"] = ("share", "index")[seed // 2 % 2]
    options["sample_size"] = (None, 0.5)[seed // 4 % 2]
    numbers = rng.normal(size=len(X))
    cases = [(ReliefF, y, {}), (OReliefF, y, {}), (RReliefF, numbers, {}),
             (ReliefF, y, {"neighbors": "any"}),
             (RReliefF, numbers, {"neighbor_weights": "rank"})]  # fmt: skip
    for estimator, target, more in cases:
        fits = [
            estimator(engine=ENGINES[way], random_state=0, **options, **more).fit(X, target)
            for way in ("pairs", "leaves")
        ]
        assert_allclose(fits[1].scores_, fits[0].scores_, rtol=1e-9, atol=1e-12)
        assert_allclose(fits[1].z_scores_, fits[0].z_scores_, rtol=1e-7, atol=1e-7)


def test_results_do_not_depend_on_the_threads():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 4)), rng.integers(0, 2, 3000)
    one, two = (ReliefF(engine=NumbaEngine(n, search="leaves")).fit(X, y).scores_ for n in (1, 3))
    assert_array_equal(one, two)


def uniform(m, p, seed=0):
    X = np.random.default_rng(seed).random((m, p))
    return arrange(Columns(X, np.zeros(p, bool), None), np.arange(m) % 2)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize(("p", "most"), [(1, 0.1), (2, 0.1), (4, 0.2)])
def test_few_leaves_are_visited_in_few_dimensions(metric, p, most):
    samples, queries = ENGINES["leaves"].compact(uniform(8192, p), np.arange(8192), metric, 10)
    leaves = lay_out(samples, squared=metric == "euclidean")
    same = tuple(Classes.same(2))
    visits = nearest_by_leaves(leaves, np.sort(queries), same, 10, np.inf, ANY, 1 + 1e-9)[3]
    assert visits < most * len(queries) * len(leaves.start) / 2


def test_the_order_holds_every_row_of_a_class_once():
    for seed in range(20):
        samples = make_samples(seed)
        order = compact_order(samples, squared=False)
        assert_array_equal(np.sort(order), np.arange(len(order)))
        assert_array_equal(samples.classes[order], samples.classes)


def test_leaves_of_low_dimensional_data_are_small():
    """An order that puts rows anywhere would leave every box as large as all."""
    samples = uniform(4096, 2)
    whole = samples.reordered(compact_order(samples, squared=False))
    values = whole.values.reshape(-1, LANES, 2)
    assert (values.max(axis=1) - values.min(axis=1)).mean() < 0.3


def test_a_look_at_a_few_rows_tells_where_leaves_are_passed_over(monkeypatch):
    assert visited_share(uniform(20_000, 2), "manhattan", 10) < 0.1
    assert visited_share(uniform(20_000, 50), "manhattan", 10) > 0.9
    monkeypatch.setattr(_compact, "FEWEST_PAIRS", 0)
    monkeypatch.setattr(_compact, "COMPILING", 0.0)
    few, many = uniform(60_000, 3), uniform(60_000, 50)
    assert order_pays(few, 60_000, "manhattan", 10)
    assert not order_pays(few, 60_000, "paired", 10)
    assert not order_pays(many, 60_000, "manhattan", 10)


def test_small_work_is_not_looked_at():
    assert not order_pays(uniform(2000, 2), 2000, "manhattan", 10)


def test_a_search_must_be_known():
    with pytest.raises(ValueError, match='`search` must be "auto"'):
        NumbaEngine(search="tree")
