"""The search by leaves: what it finds is what all pairs give, and it looks at few of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon import OReliefF, ReliefF, RReliefF
from echelon._core.samples import arrange
from echelon.data import Data
from echelon.engines import ABOVE, ANY, BELOW, Classes, Found, NumbaEngine, Search
from echelon.engines.numba.leaves import (
    _order,
    best_plan,
    compact_order,
    lay_out,
    nearest_by_leaves,
    paying_plan,
)
from echelon.engines.numba.leaves._layout import choose_codes, possible_axes

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("searches_compiled")]

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
    return arrange(Data(X, nominal, None), classes, directions)


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


KINDS = ["answers", "numbers", "labels", "gaps in labels", "gaps", "copies"]


def make_many(kind, m=14_000, p=7):
    """A table of so many rows that limits are looked up ahead, in two classes."""
    rng = np.random.default_rng(KINDS.index(kind))
    X, nominal = rng.random((m, p)), np.zeros(p, bool)
    if kind in ("answers", "copies"):
        X = rng.integers(0, 5, (m, p)) / 4
    if kind == "copies":
        X = X[rng.integers(0, 3 * m // 4, m)]
    if "labels" in kind:
        nominal[3:] = True
        X[:, 3:] = rng.integers(0, 4, (m, p - 3))
    if "gaps" in kind:
        holes = rng.random((m, p)) < 0.05
        X[holes & (nominal if "labels" in kind else True)] = np.nan
    return arrange(Data(X.astype(np.float32), nominal, None), rng.integers(0, 2, m))


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("kind", KINDS)
def test_limits_looked_up_ahead(kind, metric):
    samples = make_many(kind)
    for k, classes in ((1, Classes.same(2)), (10, Classes.others(2)), (31, Classes.everyone(2))):
        search = Search(classes, k)
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
    return arrange(Data(X, np.zeros(p, bool), None), np.arange(m) % 2)


def survey(m, p, shared, seed=0, levels=5):
    """Answers that share so much of their variance with two factors, one of them turned round."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(m, 2))[:, np.arange(p) % 2] * np.where(np.arange(p) % 3, 1, -1)
    answers = np.sqrt(shared) * factors + np.sqrt(1 - shared) * rng.normal(size=(m, p))
    X = np.clip(np.rint(answers * levels / 4 + (levels + 1) / 2), 1, levels)
    return arrange(Data(X, np.zeros(p, bool), None), rng.integers(0, 2, m))


def visits_of(samples, metric="manhattan", k=10):
    """How often, and how often at most, queries visit leaves of their own class."""
    m, n_classes = len(samples.classes), len(samples.class_sizes)
    samples, queries = ENGINES["leaves"].compact(samples, np.arange(m), metric, k)
    leaves, same = lay_out(samples, squared=metric == "euclidean"), tuple(Classes.same(n_classes))
    visits, done, queries = 0, 0, np.sort(queries)
    while done < m:
        found = nearest_by_leaves(leaves, queries[done:], same, k, np.inf, ANY, 1 + 1e-9)
        visits, done = visits + found[3], done + len(found[0])
    return visits, len(queries) * len(leaves.start) / n_classes


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize(("p", "most"), [(1, 0.15), (2, 0.25), (4, 0.4)])
def test_few_leaves_are_visited_in_few_dimensions(metric, p, most):
    visits, all_visits = visits_of(uniform(16_384, p), metric)
    assert visits < most * all_visits


def test_few_leaves_are_visited_where_answers_go_together():
    """Boxes by single columns would rule out nothing."""
    visits, all_visits = visits_of(survey(16_384, 16, shared=0.8))
    assert visits < 0.5 * all_visits


def test_equal_rows_are_looked_at_once():
    samples = survey(4000, 6, shared=0.5, levels=7)
    drawn = np.random.default_rng(1).integers(0, 300, 4000)
    repeated = samples._replace(values=samples.values[drawn])
    ordered, _ = ENGINES["leaves"].compact(repeated, np.arange(4000), "manhattan", 10)
    leaves = lay_out(ordered, squared=False)
    different = {
        (c, *row) for c, row in zip(repeated.classes, repeated.values.tolist(), strict=True)
    }
    assert len(leaves.first_row) - 1 == len(different)
    assert_array_equal(ordered.values[leaves.first_row[leaves.place_of]], ordered.values)


@pytest.mark.parametrize("seed", range(30))
def test_surveys_are_searched_as_all_pairs_are(seed):
    """Answers on one or several scales, repeated, with nominal columns and gaps in these."""
    rng = np.random.default_rng(seed)
    p, m = int(rng.integers(1, 30)), int(rng.integers(20, 1500))
    X = np.column_stack([rng.integers(0, rng.choice([2, 3, 5, 7]), m) for _ in range(p)]) * 1.0
    if seed % 3 == 0:
        X = X[rng.integers(0, max(2, m // 5), m)]
    nominal = rng.random(p) < rng.choice([0, 0.3, 1.0])
    if seed % 2:
        X[(rng.random((m, p)) < 0.1) & nominal] = np.nan
    samples = arrange(
        Data(X.astype(rng.choice([np.float32, np.float64])), nominal, None),
        np.unique(rng.integers(0, 3, m), return_inverse=True)[1],
        np.where(nominal, 0, rng.integers(-1, 2, p)),
    )
    n = len(samples.class_sizes)
    for classes, relation in ((Classes.same(n), ANY), (Classes.others(n), ANY),
                              (Classes.everyone(n), ABOVE)):  # fmt: skip
        search = Search(classes, 10, relation=relation)
        expected = found_by("pairs", samples, "manhattan", search)
        found = found_by("leaves", samples, "manhattan", search)
        assert_array_equal(found[0], expected[0])
        assert_array_equal(found[1], expected[1])
        assert_allclose(found[2], expected[2], rtol=1e-12)


@pytest.mark.parametrize(
    ("levels", "nominal", "dtype"),
    [(5, False, np.uint8), (7, True, np.uint8), (1000, False, np.uint16), (1000, True, np.uint16)],
)
def test_codes_are_as_short_as_they_can_be(levels, nominal, dtype):
    X = np.random.default_rng(0).integers(0, levels, (3000, 6)).astype(float)
    which = np.arange(6) > 3 if nominal else np.zeros(6, bool)
    X[:, which] %= 4
    codes = choose_codes(arrange(Data(X, which, None), np.arange(3000) % 2), squared=False)
    assert codes.dtype is dtype
    assert codes.steps % 2 == 0


def test_codes_differ_as_values_do():
    """Within the slack: nothing that could be a neighbour is passed over."""
    for seed in range(20):
        samples = make_samples(seed)
        codes = choose_codes(samples, squared=False)
        n, coded = samples.n_numeric, codes.encode(samples.values).astype(float)
        values, coded = samples.values[:50, :n].astype(float), coded[:50, :n]
        far = np.abs(values[:, None] - values).sum(axis=2) * codes.steps
        near = np.abs(coded[:, None] - coded).sum(axis=2)
        there = ~np.isnan(far)
        assert (np.abs(far - near)[there] <= codes.slack).all()


@pytest.mark.parametrize("squared", [False, True])
def test_axes_bound_distances_from_below(squared):
    for seed in range(20):
        samples = make_samples(seed)
        n = samples.n_numeric
        values = samples.values[:60].astype(float)
        gaps = np.abs(values[:, None] - values)
        gaps[..., n:] = gaps[..., n:] > 0
        far = np.nansum(gaps**2 if squared else gaps, axis=2)
        for axes in possible_axes(samples, squared=squared):
            along = axes.along(values)
            gaps = np.abs(along[:, None] - along)
            gaps[..., axes.n_numeric :] = gaps[..., axes.n_numeric :] > 0
            assert (np.nansum(gaps**2 if squared else gaps, axis=2) <= far + 1e-9).all()


def test_columns_that_go_together_share_an_axis():
    axes = possible_axes(survey(2000, 16, shared=0.8), squared=False)[-1]
    assert len(axes.scale) == 4
    for axis in range(4):
        columns = np.flatnonzero(axes.of_column == axis)
        assert len(set(columns % 2)) == 1  # of one factor
        turned = np.where(columns % 3, 1, -1) * axes.signs[columns]
        assert len(set(turned)) == 1


def test_the_order_holds_every_row_of_a_class_once():
    for seed in range(20):
        samples = make_samples(seed)
        plan = best_plan(samples, "manhattan", 10)
        order = compact_order(samples, plan, squared=False)
        assert_array_equal(np.sort(order), np.arange(len(order)))
        assert_array_equal(samples.classes[order], samples.classes)


def test_leaves_of_low_dimensional_data_are_small():
    """An order that puts rows anywhere would leave every box as large as all."""
    samples = uniform(16_384, 2)
    plan = best_plan(samples, "manhattan", 10)
    whole = samples.reordered(compact_order(samples, plan, squared=False))
    values = whole.values.reshape(-1, plan.codes.lanes, 2)
    assert (values.max(axis=1) - values.min(axis=1)).mean() < 0.3


def test_a_look_at_a_few_rows_tells_where_leaves_are_passed_over(monkeypatch):
    few, many = uniform(60_000, 3), uniform(60_000, 120)
    assert best_plan(few, "manhattan", 10).nanoseconds < 0.7
    monkeypatch.setattr(_order, "FEWEST_PAIRS", 0)
    assert paying_plan(few, 60_000, "manhattan", 10) is not None
    assert paying_plan(few, 60_000, "paired", 10) is None
    assert paying_plan(many, 60_000, "euclidean", 10) is None


def test_small_work_is_not_looked_at():
    assert paying_plan(uniform(2000, 2), 2000, "manhattan", 10) is None


def test_a_search_must_be_known():
    with pytest.raises(ValueError, match='`search` must be "auto"'):
        NumbaEngine(search="tree")
