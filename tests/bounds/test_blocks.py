"""Probes of blocks: against programs written out, and on noise whose features are correlated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference_blocks
import reference_bounds
from bounds_cases import draw_case
from echelon import RelevanceBounds
from echelon._core.jobs import Jobs
from echelon.bounds import _analysis
from echelon.bounds._batch import Batch
from echelon.bounds._certificates import Certificate
from echelon.bounds._data import TrainingData
from echelon.bounds._probes import (
    GoodModels,
    OwnProbes,
    ProbeBlock,
    blocks_for,
    companions,
    compare,
    explained_part,
    n_own_probes,
    related,
)
from echelon.bounds._program import Objective, standardised
from echelon.bounds._solvers import solve
from echelon.datasets import make_relevance


def noise_block(seed, correlation, n=100, p=10):
    """One feature that matters, and noise that shares a hidden variable."""
    rng = np.random.default_rng(seed)
    shared = np.sqrt(correlation) * rng.normal(size=(n, 1))
    noise = shared + np.sqrt(1 - correlation) * rng.normal(size=(n, p))
    x = rng.normal(size=(n, 1))
    return np.hstack([x, noise]), 2 * x[:, 0] + rng.normal(size=n)


def good_models(case, tolerance, solver="interior-point", budget="joint", limits=None):
    data = TrainingData(case.X, case.y, case.problem == "regression")
    program = data.program(case.C)
    fit = solve([Objective(program)], solver)[0]
    models = program.within(fit, tolerance, budget).fixing(limits or {})
    return GoodModels(data, case.C, fit, models, tolerance, budget, solver)


def judge(good, columns, places, uppers):
    """Whether probes of these columns reach as far."""
    block = ProbeBlock(places, np.zeros_like(columns), columns)
    return compare(good, [(block, np.arange(len(columns)), places, uppers)])[0]


def rows_of(case):
    """The constraints of any table with the target of a case."""
    write = {
        "ordinal": reference_bounds.ordinal_rows,
        "binary": reference_bounds.classification_rows,
        "regression": lambda X, y: reference_bounds.regression_rows(X, y, 0.1),
    }[case.problem]
    return lambda X: write(X, case.y)


@pytest.mark.parametrize("solver", ["interior-point", "highs"])
@pytest.mark.parametrize("seed", range(18))
def test_what_a_probe_reaches_is_what_linprog_says(seed, solver):
    """Just below its largest weight the probe reaches, just above it does not."""
    rng = np.random.default_rng(seed)
    case = draw_case(seed, C=10 ** rng.uniform(-1.5, 0.5))
    tolerance = (0.003, 0.03, 0.2)[seed % 3]
    good = good_models(case, tolerance, solver)
    while good.fit.l1_norm < 1e-6:  # the model uses no feature
        case.C *= 10
        good = good_models(case, tolerance, solver)
    block = case.X[rng.permutation(len(case.X))][:, :2]
    for place in range(block.shape[1]):
        largest = reference_blocks.largest_weight_of_probe(
            rows_of(case), case.X, block, place, case.C, tolerance
        )
        share = largest / good.fit.l1_norm
        below, above = (
            judge(good, block, [place], np.array([level])).reached[0]
            for level in (share * 0.999 - 1e-5, share * 1.001 + 1e-5)
        )
        assert below
        assert not above


@pytest.mark.parametrize("budget", ["joint", "separate"])
def test_multipliers_prove_no_less_than_a_bound(budget):
    """What a fit proves about a weight is never below its largest value, and often close."""
    closest = np.inf
    for seed in range(20):
        case = draw_case(seed, kind="random", C=0.05)
        good = good_models(case, 0.05, budget=budget)
        for feature in range(case.X.shape[1]):
            for side in (1, -1):
                direction = np.zeros(case.X.shape[1])
                direction[feature] = -side
                largest = -solve([Objective(good.models, feature, -side)])[0].objective
                batch = Batch.of([good.models], [direction])
                proven = Certificate(batch).reach(*good.fit.multipliers)[0]
                assert proven >= largest - 1e-6 * good.fit.l1_norm
                if largest > 0.01:
                    closest = min(closest, proven / largest)
    assert closest < 1.2


def test_fixed_weights_hold_for_probes_too(rng):
    """With weights given the old budget counts, since a better optimum may exclude them."""
    case = draw_case(0, problem="ordinal", kind="random", C=0.5)
    free = good_models(case, 0.1)
    value = free.fit.weights[np.abs(free.fit.weights).argmax()]
    feature = int(np.abs(free.fit.weights).argmax())
    good = good_models(case, 0.1, limits={feature: 0.9 * value})
    assert good.given
    column = rng.permutation(case.X[:, 0])[:, None]
    table = np.hstack([case.X, column])
    budgets = [(1.0, case.C, good.models.budgets[0].limit)]
    rows, p = rows_of(case)(table), table.shape[1]
    limits = {feature: (0.9 * value, 0.9 * value)}
    largest = max(
        reference_bounds.extreme(rows, p, case.C, budgets, p - 1, sign, limits) for sign in (1, -1)
    )
    share = largest / good.fit.l1_norm
    assert judge(good, column, [0], np.array([share * 0.99])).reached == [True]
    assert judge(good, column, [0], np.array([share * 1.01 + 1e-5])).reached == [False]


def test_companions_and_blocks(rng):
    X = rng.normal(size=(120, 15))
    X[:, 1:14] += 2 * rng.normal(size=(120, 1))  # more than ten companions
    X[:, 14] = 3.0
    X = standardised(X)[0]
    correlations = np.abs(X.T @ X) / len(X)
    for feature in range(14):
        found = companions(correlations[feature], feature, related(len(X)))
        assert found == reference_blocks.companions(X, feature)
    alone, *shared = blocks_for(np.arange(14), X, np.zeros_like(X))
    assert alone.judged == [0]
    assert alone.moves.shape == (120, 1)
    assert sorted(f for block in shared for f in block.judged) == list(range(1, 14))
    for block in shared:
        assert_array_equal(block.moves[:, : len(block.judged)], X[:, block.judged])
        assert block.moves.shape[1] <= 11
    small = blocks_for(np.arange(1, 8), X[:, :8], np.zeros((120, 8)))
    assert [block.judged for block in small] == [list(range(1, 8))]  # one fit for all


def test_the_part_that_stays(rng):
    X = standardised(rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)))[0]
    strong = np.array([0, 2])
    stays = explained_part(X, strong)
    assert_allclose(stays, reference_blocks.explained(X, strong), atol=1e-10)
    (block,) = blocks_for(np.array([1]), X - stays, stays)
    rows = rng.permutation(50)
    expected = stays[:, 1] + (X - stays)[rows, 1]
    assert_allclose(block.probe(rows)[:, 0], expected, atol=1e-10)
    assert_allclose(X[:, strong].T @ (block.moves), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("rate", "n_probes", "expected"),
    [
        (0.05, "auto", (19, 0)),
        (0.01, "auto", (99, 0)),
        (0.03, "auto", (33, 0)),
        (0.5, "auto", (1, 0)),
        (0.05, 99, (99, 4)),
        (0.05, 100, (100, 4)),
        (0.01, 20, (20, 0)),  # a warning says that the rate is larger
    ],
)
def test_how_many_probes_a_rate_needs(rate, n_probes, expected):
    n, allowed = n_own_probes(rate, n_probes)
    assert (n, allowed) == expected
    if n >= 1 / rate - 1:
        assert (allowed + 1) / (n + 1) <= rate < (allowed + 2) / (n + 1)


@pytest.mark.slow
def test_a_rate_of_one_in_a_hundred():
    """What matters beats 99 probes of its own; the noise that passes lone probes does not."""
    X, y = noise_block(0, 0.95)
    options = {"problem": "regression", "false_positive_rate": 0.01, "random_state": 0}
    single, joint = (RelevanceBounds(probes=p, **options).fit(X, y) for p in ("single", "joint"))
    assert single.relevance_[0] == joint.relevance_[0] == "strong"
    assert single.support_[1:].any()
    assert not joint.support_[1:].any()


def test_no_probe_too_many():
    """A feature is done with once more probes reach it than allowed."""
    case = draw_case(1, kind="random", C=0.5)
    good = good_models(case, 0.05)
    p = case.X.shape[1]
    blocks = blocks_for(np.arange(p), case.X, np.zeros_like(case.X))
    for upper, allowed, n_beaten in ((0.0, 3, 0), (10.0, 0, p)):
        own = OwnProbes(good, np.full(p, upper), 16, allowed)
        beaten = own.beaten(blocks, "", Jobs(1), np.random.RandomState(0))
        assert len(beaten) == n_beaten
        # A level of 0 is reached by the fit; one out of reach needs no program, or the fit only.
        most = len(blocks) * ((1 + 2 + 4) if upper == 0 else 16)
        assert own.n_programs <= most


# ------------------------------------------------------------------------------------ the rates


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["regression", "ordinal"])
def test_correlated_noise_is_called_relevant_at_the_nominal_rate(problem):
    """A lone probe is no measure of ten noise features that trade weight; a block is."""
    called = {"single": [], "joint": []}
    for seed in range(20):
        X, y = noise_block(seed, 0.95)
        y = y if problem == "regression" else np.digitize(y, [-1.5, 0, 1.5])
        for probes, shares in called.items():
            selector = RelevanceBounds(
                problem=problem, probes=probes, false_positive_rate=0.05, random_state=seed
            ).fit(X, y)
            assert selector.relevance_[0] == "strong"
            shares.append(selector.support_[1:].mean())
    assert np.mean(called["single"]) > 0.25
    # Features of a block share their luck: 20 data sets count, not 200 features.
    assert np.mean(called["joint"]) < 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 20)


def beside_a_strong_one(seed, n=300):
    """A strong feature, three that repeat it with noise, one strong, two copies, one of noise."""
    rng = np.random.default_rng(seed)
    strong, hidden = rng.normal(size=(n, 2)), rng.normal(size=(n, 1))
    near = 0.9 * strong[:, :1] + np.sqrt(0.19) * rng.normal(size=(n, 3))
    X = np.hstack([strong, near, hidden, hidden, rng.normal(size=(n, 1))])
    values = strong.sum(axis=1) + hidden[:, 0] + rng.normal(size=n)
    return X, np.digitize(values, np.quantile(values, [0.2, 0.4, 0.6, 0.8]))


@pytest.mark.slow
def test_noise_beside_a_strong_feature_is_explained_by_it():
    called = {"single": [], "joint": []}
    for seed in range(5):
        X, y = beside_a_strong_one(seed)
        for probes, labels in called.items():
            selector = RelevanceBounds(
                probes=probes, false_positive_rate=0.05, random_state=seed
            ).fit(X, y)
            labels.append(selector.relevance_)
            assert selector.relevance_[[0, 1, 5, 6]].tolist() == ["strong"] * 2 + ["weak"] * 2
            kept = np.isin(selector.relevance_, ["strong", "weak"])
            assert_array_equal(selector.support_, kept)
            assert selector.scores_[kept].min() > selector.scores_[~kept].max(initial=0)
    single, joint = (np.array(called[probes])[:, 2:5] for probes in ("single", "joint"))
    assert (single != "irrelevant").mean() > 0.5
    assert not (single == "explained").any()
    assert (joint == "explained").mean() > 0.4
    assert np.isin(joint, ["weak", "strong"]).mean() < 0.2


def test_explained_by_a_weak_feature():
    """Where a feature and its shadows could all do, the best is kept, and none is irrelevant."""
    rng = np.random.default_rng(2)
    area, age = rng.normal(size=(2, 200))
    X = np.column_stack([area, age, area[:, None] + 0.4 * rng.normal(size=(200, 2))])
    selector = RelevanceBounds(random_state=0).fit(X, area - age + rng.normal(size=200))
    assert selector.relevance_.tolist() == ["weak", "strong", "explained", "explained"]
    assert selector.support_.tolist() == [True, True, False, False]


@pytest.mark.slow
def test_what_matters_is_found_by_joint_probes_too():
    for seed in range(3):
        X, y = make_relevance(150, 2, 4, 4, noise=0.3, weak_groups=[2, 2], random_state=seed)
        found = RelevanceBounds(random_state=seed).fit(X, y)
        assert found.relevance_[:6].tolist() == ["strong"] * 2 + ["weak"] * 4
        assert found.feature_groups() == [[2, 3], [4, 5]]


def test_single_probes_are_the_rule_of_the_paper():
    """A feature is relevant if its upper bound exceeds the threshold, and by nothing else."""
    X, y = noise_block(4, 0.95)
    selector = RelevanceBounds(probes="single", false_positive_rate=0.05, random_state=4).fit(X, y)
    above = selector.intervals_[:, 1] > selector.probe_thresholds_
    assert_array_equal(selector.support_, above)
    assert above[1:].any()


# --------------------------------------------------------------------- strong means above zero


@pytest.mark.parametrize("seed", range(12))
def test_a_strong_feature_has_a_lower_bound_above_rounding(seed):
    """Columns that are almost equal, of any scale, or rare: strong is proven, or not said."""
    rng = np.random.default_rng(seed)
    X, y = make_relevance(80, 2, 2, 2, noise=0.3, random_state=seed)
    X = np.column_stack([X, X[:, 0] + 10.0 ** -rng.integers(2, 12) * rng.normal(size=80)])
    X = X * 10.0 ** rng.integers(-6, 7, X.shape[1]) + 10.0 ** rng.integers(-3, 4)
    selector = RelevanceBounds(
        C=10 ** rng.uniform(-1, 1), false_positive_rate=0.5, random_state=0
    ).fit(X, y)
    strong = selector.relevance_ == "strong"
    assert strong[1]
    scaled = standardised(X)[0]
    rows, p, C = reference_bounds.ordinal_rows(scaled, y - 1), X.shape[1], selector.C_
    optimum, weights, _ = reference_bounds.fit(rows, p, C)
    budgets = [(1.0, C, (1 + selector.tolerance_) * optimum)]
    for feature in np.flatnonzero(strong):
        ends = [reference_bounds.extreme(rows, p, C, budgets, feature, s) for s in (1, -1)]
        least = max(-ends[0], -ends[1]) / np.abs(weights).sum()
        assert selector.intervals_[feature, 0] > 1e-6
        assert least > 0


def test_a_lower_bound_that_is_not_proven_is_none(monkeypatch):
    """Whatever a solver returns: without a proof there is no strong feature."""
    weight_bounds = _analysis.weight_bounds
    X, y = make_relevance(80, 2, 0, 2, noise=0.3, random_state=0)
    options = {"C": 0.5, "false_positive_rate": 0.5, "random_state": 0}
    assert (RelevanceBounds(**options).fit(X, y).relevance_[:2] == "strong").all()
    monkeypatch.setattr(
        _analysis,
        "weight_bounds",
        lambda *args: [each._replace(proven=0.0) for each in weight_bounds(*args)],
    )
    selector = RelevanceBounds(**options, n_jobs=1).fit(X, y)
    assert not (selector.relevance_ == "strong").any()
    assert not selector.intervals_[:, 0].any()
