"""RankCorrelation, ForwardLinear and ForwardAdditive against their definitions and other code."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression

import reference_forward as reference
from cases import draw_case
from echelon.data import read_columns
from echelon.filters import ForwardAdditive, ForwardLinear, RankCorrelation, _forward_additive
from echelon.filters._base import bootstrap, outputs
from echelon.filters._forward_additive import Additive, bin_columns
from echelon.filters._forward_linear import Design, Pursuit
from echelon.targets import read_target

SEEDS = range(200)
KINDS = ["ordinal", "classification", "regression"]
ONCE = [ForwardLinear(n_bags=0), ForwardAdditive(n_bags=0, n_rounds=20)]


def case_with_signal(seed):
    """A drawn case with features that go with the classes, and a target of the kind due."""
    case = draw_case(seed)
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % 3]
    y = case.y + (np.round(rng.normal(size=len(case.y)), 1) if kind == "regression" else 0)
    if seed % 2:
        noisy = case.y + np.where(rng.random(len(y)) < 0.3, rng.integers(0, 3, len(y)), 0)
        case.X = np.column_stack([case.X, noisy, case.y + rng.normal(size=len(y))])
        case.nominal = np.append(case.nominal, [seed % 4 == 1, False])
    return case, y, kind


def is_ordered(y, kind):
    return kind != "classification" or len(set(y.tolist())) == 2


def targets_of(y, kind):
    codes = y if kind == "regression" else np.unique(y, return_inverse=True)[1]
    return reference.outputs(codes.astype(float).tolist(), is_ordered(y, kind))


# ------------------------------------------------------------------- against the definitions


@pytest.mark.parametrize("measure", ["kendall", "spearman"])
def test_rank_correlation(measure):
    for seed in SEEDS:
        case, y, kind = case_with_signal(seed)
        selector = RankCorrelation(measure=measure, kind=kind, categorical_features=case.nominal)
        selector.fit(case.X, y)
        expected = [
            reference.association(
                case.X[:, f].tolist(), y.tolist(), bool(nominal), is_ordered(y, kind), measure
            )
            for f, nominal in enumerate(case.nominal)
        ]
        assert_allclose(selector.scores_, expected, atol=1e-9, err_msg=str(seed))
        signed = ~np.isnan(selector.correlations_)
        assert_allclose(np.abs(selector.correlations_[signed]), selector.scores_[signed])


def test_forward_linear():
    lengths = set()
    for seed in SEEDS:
        case, y, kind = case_with_signal(seed)
        X, _, nominal = case.lists
        features = [
            reference.model_columns([row[f] for row in X], nominal[f]) for f in range(len(nominal))
        ]
        params = {"n_bags": 0, "kind": kind, "categorical_features": case.nominal}
        for n_steps in (None, len(nominal)):
            path = ForwardLinear(n_steps, **params).fit(case.X, y).path_
            expected = reference.forward_linear(features, targets_of(y, kind), 2.0, n_steps)
            assert path.feature.tolist() == [f for f, _ in expected], seed
            assert_allclose(path.value, [value for _, value in expected], atol=1e-8)
            lengths.add(len(path))
    assert lengths >= {0, 1, 2, 3, 5}


def test_forward_linear_on_repeated_samples():
    """Weights are repetitions, but for the price, which allows for them."""
    for seed in range(60):
        case, y, kind = case_with_signal(seed)
        columns = read_columns(case.X, case.nominal, allow_nan=True)
        design, targets = Design(columns, "standard"), outputs(read_target(y, kind))
        weights = bootstrap(len(y), 1, np.random.RandomState(seed))[0]
        found = Pursuit(design, targets, 2.0, 30).run(weights)
        rows = np.repeat(np.arange(len(y)), weights.astype(int))
        repeated = Design(columns, "standard")
        repeated.rows = np.ascontiguousarray(design.rows[:, rows])
        price = 2 * (weights**2).sum() / weights.sum()
        expected = Pursuit(repeated, targets[rows], price, 30).run(np.ones(len(rows)))
        assert_array_equal(found.features, expected.features)
        assert_allclose(found.r_squared, expected.r_squared, atol=1e-9)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("bagged", [False, True])
def test_forward_additive(bagged, compiled, monkeypatch):
    monkeypatch.setattr(_forward_additive, "SMALL", 0 if compiled else _forward_additive.SMALL)
    for seed in SEEDS:
        case, y, kind = case_with_signal(seed)
        rng = np.random.RandomState(seed)
        columns = read_columns(case.X, case.nominal, allow_nan=True)
        n, n_bins = len(y), 2 + seed % 7
        weights = bootstrap(n, 1, rng)[0] if bagged else np.ones(n)
        directed = is_ordered(y, kind) and seed % 4 > 1
        directions = np.where(case.nominal | (not directed), 0, rng.randint(-1, 2, case.X.shape[1]))
        model = Additive(
            bin_columns(columns, n_bins),
            directions,
            outputs(read_target(y, kind)),
            n_rounds=12,
            rate=0.3,
            shrinkage=1.0,
        )
        found = model.run(weights)
        labels = [
            reference.bins_of(case.X[:, f].tolist(), nominal, n_bins)
            for f, nominal in enumerate(case.nominal.tolist())
        ]
        taken, r_squared, credit = reference.boost(
            labels, targets_of(y, kind), weights.tolist(), 12, 0.3, 1.0, directions.tolist()
        )
        assert found.features.tolist() == taken, seed
        assert_allclose(found.r_squared, r_squared, atol=1e-9)
        assert_allclose(found.credit, credit, atol=1e-9)


# -------------------------------------------------------------------------- against other code


def drawn(seed, n_values):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 80))
    x = rng.integers(0, n_values, n).astype(float) if n_values else rng.normal(size=n)
    y = rng.integers(0, 3, n)
    x[:2], y[:3] = (0, 1), (0, 1, 2)
    return x, y


@pytest.mark.parametrize("n_values", [0, 2, 5])
def test_p_values_are_those_of_scipy(n_values):
    for seed in range(70):
        x, y = drawn(seed, n_values)
        X = x[:, None]
        tau = RankCorrelation(kind="ordinal").fit(X, y)
        expected = stats.kendalltau(x, y, method="asymptotic")
        assert_allclose([tau.correlations_[0], tau.p_values_[0]], expected)
        rho = RankCorrelation(kind="ordinal", measure="spearman").fit(X, y)
        assert_allclose([rho.correlations_[0], rho.p_values_[0]], stats.spearmanr(x, y))
        groups = RankCorrelation(kind="classification").fit(X, y)
        assert_allclose(groups.p_values_, stats.kruskal(*[x[y == c] for c in range(3)]).pvalue)
        if n_values:
            labels = RankCorrelation(kind="ordinal", categorical_features=[0]).fit(X, y)
            expected = stats.kruskal(*[y[x == v] for v in np.unique(x)]).pvalue
            assert_allclose(labels.p_values_, expected)
            both = RankCorrelation(kind="classification", categorical_features=[0]).fit(X, y)
            table = pd.crosstab(x, y)
            assert_allclose(both.p_values_, stats.chi2_contingency(table, correction=False).pvalue)


def test_deviations_are_those_of_all_permutations():
    """With ties in both variables, and where a value is missing."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 3, 7).astype(float), rng.integers(0, 3, 7)
        x[:3], y[:3] = (0, 1, np.nan), (0, 1, 2)
        there = ~np.isnan(x)
        taus = [
            stats.kendalltau(x[there], order).statistic for order in permutations(y[there].tolist())
        ]
        selector = RankCorrelation(kind="ordinal").fit(x[:, None], y)
        z = np.abs(selector.correlations_) / np.std(taus)
        assert_allclose(selector.p_values_, 2 * stats.norm.sf(z))


def test_jonckheere_and_terpstra():
    """Their statistic counts pairs of classes in order, ties for half; so does tau's numerator."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, 40).astype(float), rng.integers(0, 4, 40)
    statistic = sum(
        (a < b) + 0.5 * (a == b) for a, c in zip(x, y, strict=True)
        for b, d in zip(x, y, strict=True) if c < d
    )  # fmt: skip
    sizes = np.bincount(y)
    mean = (40**2 - (sizes**2).sum()) / 4
    tau = RankCorrelation(kind="ordinal").fit(x[:, None], y).correlations_[0]
    ties = [(np.unique(v, return_counts=True)[1] * 1.0) for v in (x, y)]
    pairs = [780 - (t * (t - 1) / 2).sum() for t in ties]
    assert_allclose(tau, 2 * (statistic - mean) / np.sqrt(pairs[0] * pairs[1]))


def test_two_labels_score_like_their_codes(rng):
    x, y = rng.integers(0, 2, 60).astype(float)[:, None], rng.integers(0, 4, 60)
    for measure in ("kendall", "spearman"):
        for kind, target in (("ordinal", y), ("classification", y > 1)):
            params = {"measure": measure, "kind": kind}
            coded = RankCorrelation(categorical_features=None, **params).fit(x, target)
            labelled = RankCorrelation(categorical_features=[0], **params).fit(x, target)
            assert_allclose(labelled.scores_, coded.scores_)


def test_many_labels_of_noise_score_no_more_than_few(rng):
    y = rng.integers(0, 4, 200)
    X = np.column_stack([rng.integers(0, k, (200, 200)) for k in (2, 40)])
    for kind in ("ordinal", "classification"):
        selector = RankCorrelation(kind=kind, categorical_features=list(range(400))).fit(X, y)
        few, many = np.split(selector.scores_**2, 2)
        assert many.mean() < 1.5 * few.mean() + 0.01


def test_error_rates(rng):
    """Noise alone is kept in about one of twenty tables; many real features are found."""
    y = np.arange(100) % 4
    kept = [RankCorrelation().fit(rng.random((100, 30)), y).support_.any() for _ in range(200)]
    assert np.mean(kept) < 0.1
    X = rng.normal(size=(100, 100))
    X[:, :40] += y[:, None]
    fdr = RankCorrelation().fit(X, y).support_
    family = RankCorrelation(threshold="family").fit(X, y).support_
    assert fdr[:40].all()
    assert fdr[40:].sum() <= 6
    assert_array_equal(family & ~fdr, False)
    order = RankCorrelation().fit(X, y).p_values_
    assert_array_equal(fdr, stats.false_discovery_control(order) <= 0.05)


def test_the_path_is_that_of_scikit_learn(rng):
    X = rng.normal(size=(80, 8)) @ rng.normal(size=(8, 8))
    y = X @ rng.normal(size=8) + 5 * rng.normal(size=80)
    path = ForwardLinear(4, n_bags=0).fit(X, y).path_
    for n in range(1, 5):
        other = SequentialFeatureSelector(LinearRegression(), n_features_to_select=n, cv=[ALL])
        assert set(path.feature[:n]) == set(np.flatnonzero(other.fit(X, y).get_support()))
        chosen = X[:, path.feature[:n]]
        assert_allclose(path.value[n - 1], LinearRegression().fit(chosen, y).score(chosen, y))


ALL = (np.arange(80), np.arange(80))


# -------------------------------------------------------------------------------- invariance


@pytest.mark.parametrize("selector", [RankCorrelation(), *ONCE])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_units_do_not_matter(selector, kind, rng):
    X = rng.normal(size=(60, 5))
    X[:, 3] = np.round(X[:, 3])
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.digitize(np.nan_to_num(X[:, 0] + X[:, 3]) + rng.normal(size=60), [-1, 1])
    selector.set_params(kind=kind)
    expected = selector.fit(X, y)
    scores, order = expected.scores_.copy(), expected.order_.copy()
    rows = rng.permutation(60)
    for A, b in ((X[rows], y[rows]), (X * [0.1, 3, 1e5, 2, 7] + 11, y)):
        selector.fit(A, b)
        assert_allclose(selector.scores_, scores, atol=1e-9)
        assert_array_equal(selector.order_, order)
    if kind == "regression":
        assert_allclose(selector.fit(X, 1e6 * y + 3).scores_, scores, atol=1e-9)


@pytest.mark.parametrize("estimator", [ForwardLinear, ForwardAdditive])
def test_threads_do_not_matter(estimator, rng):
    X, y = rng.random((80, 30)), rng.integers(0, 3, 80)
    one, two = (estimator(random_state=0, n_jobs=n).fit(X, y).scores_ for n in (1, 2))
    assert_array_equal(one, two)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("selector", ONCE)
def test_copies_tie_and_the_lowest_index_wins(selector, kind, rng):
    x = rng.normal(size=(90, 3))
    y = np.digitize(x.sum(axis=1) + rng.normal(size=90), [-1, 0, 1])
    selector.set_params(kind=kind).fit(np.column_stack([x, 2 * x + 1]), y)
    assert set(selector.path_.feature) <= {0, 1, 2}


# --------------------------------------------------------------------------------- behaviour


def bent(rng):
    """Feature 0 acts along a parabola, 1 along a line, 2 is a noisy copy of 1."""
    X = rng.normal(size=(400, 20))
    X[:, 2] = X[:, 1] + 0.5 * rng.normal(size=400)
    return X, np.digitize(X[:, 0] ** 2 + X[:, 1], [-1, 0, 1, 2])


def test_each_finds_what_it_is_for(rng):
    X, y = bent(rng)
    by_rank = RankCorrelation().fit(X, y)
    linear = ForwardLinear(random_state=0).fit(X, y)
    additive = ForwardAdditive(random_state=0).fit(X, y)
    assert by_rank.order_[:2].tolist() == [1, 2]
    assert linear.order_[0] == 1
    assert not linear.support_[2]
    assert set(additive.order_[:2]) == {0, 1}
    assert additive.support_[:2].all()
    assert additive.scores_[2:].max() < 0.02


def test_curves_may_be_told_to_rise(rng):
    X, y = bent(rng)
    free = ForwardAdditive(random_state=0).fit(X, y).scores_
    rising = ForwardAdditive(random_state=0, monotonic_cst=[1] * 20).fit(X, y).scores_
    falling = ForwardAdditive(random_state=0, monotonic_cst={"b": -1}).fit(
        pd.DataFrame(X[:, :3], columns=list("abc")), y
    )
    assert rising[0] < free[0] / 2
    assert rising[1] > 0.9 * free[1]
    assert falling.scores_[1] < 0.01
    assert falling.monotonic_cst_.tolist() == [0, -1, 0]
    assert ForwardAdditive(monotonic_cst="auto").fit(X, y).monotonic_cst_[1] == 1
    with pytest.raises(ValueError, match=r"`monotonic_cst` must be None for classes without"):
        ForwardAdditive(monotonic_cst="auto", kind="classification").fit(X, y)


def test_noise_is_credited_with_nothing(rng):
    """However many bins or labels it has."""
    X = pd.DataFrame(rng.normal(size=(150, 10)))
    for name in "abc":
        X[name] = rng.integers(0, 60, 150).astype(str)
    X.columns = X.columns.astype(str)
    y = rng.integers(0, 4, 150)
    for kind in KINDS[:2]:
        selector = ForwardAdditive(kind=kind, random_state=0).fit(X, y)
        assert selector.credits_.mean() < 0
        assert_array_equal(selector.scores_, np.maximum(selector.credits_, 0))
        assert selector.support_.sum() <= 2


def test_labels_enter_together(rng):
    label = rng.choice(list("abcd"), 120)
    step = np.array([0, 3, 1, 2])[np.array(["abcd".find(v) for v in label])]
    X = pd.DataFrame(
        {"noise": rng.normal(size=120), "label": label, "id": [f"#{i}" for i in range(120)]}
    )
    y = step + rng.integers(0, 2, 120)
    path = ForwardLinear(n_bags=0).fit(X, y).path_
    assert path.feature[0] == 1
    dummies = pd.get_dummies(label).to_numpy(float)
    assert_allclose(path.value[0], LinearRegression().fit(dummies, y).score(dummies, y))
    # An identifier never enters, not even where all features are asked for.
    assert 2 not in ForwardLinear(3, n_bags=0).fit(X, y).path_.feature


def test_ranks_are_not_misled_by_skew(rng):
    x = rng.normal(size=(200, 3))
    y = np.digitize(x[:, 0], [-1, 0, 1])
    X = np.exp(np.column_stack([4 * x[:, 0], x[:, 1:]]))
    value = {s: ForwardLinear(1, n_bags=0, scale=s).fit(X, y).path_.value[0] for s in SCALES}
    assert value["rank"] > 0.8 > 0.5 > value["standard"]


SCALES = ["standard", "rank"]


@pytest.mark.parametrize("selector", ONCE)
def test_nothing_to_choose(selector):
    X = np.column_stack([np.ones(12), np.full(12, np.nan)])
    selector.set_params(kind="auto").fit(X, np.arange(12) % 3)
    assert len(selector.path_) == 0
    assert not selector.support_.any()
    assert selector.order_.tolist() == [0, 1]


@pytest.mark.parametrize("estimator", [RankCorrelation, ForwardLinear, ForwardAdditive])
def test_targets_of_every_kind(estimator, rng):
    X = rng.normal(size=(90, 4))
    X[:, 2] *= 3
    level = np.digitize(X[:, 2] + rng.normal(size=90), [-2, 2])
    words = np.array(["low", "mid", "top"])[level]
    params = {} if estimator is RankCorrelation else {"random_state": 0}
    ordered = estimator(class_order=["low", "mid", "top"], **params).fit(X, words)
    plain = estimator(**params).fit(X, words)
    numbers = estimator(**params).fit(X, X[:, 2] + rng.normal(size=90))
    assert [s.kind_ for s in (ordered, plain, numbers)] == KINDS
    for selector in (ordered, plain, numbers):
        assert selector.order_[0] == 2
    assert_array_equal(ordered.scores_, estimator(**params).fit(X, level).scores_)
    assert not hasattr(numbers, "classes_")
    assert not hasattr(ordered.set_params(class_order=None).fit(X, X[:, 0]), "classes_")
