"""Relevance bounds: against linear programs written out, and on data whose answer is known."""

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

import reference_bounds as reference
from echelon import RelevanceBounds
from echelon.bounds import _interior_point
from echelon.bounds._data import TrainingData
from echelon.bounds._probes import carried_by_few, chance_level
from echelon.datasets import make_relevance

RNG = np.random.default_rng(0)


def standardise(X):
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)


def expected_intervals(X, y, problem, C, tolerance, budget="joint", limits=None):
    """Bounds of |w| by linprog, as shares of the optimal L1 norm."""
    X = standardise(X)
    rows = {
        "ordinal": lambda: reference.ordinal_rows(X, y - y.min()),
        "classification": lambda: reference.classification_rows(X, y),
        "regression": lambda: reference.regression_rows(X, standardise(y[:, None])[:, 0], 0.1),
    }[problem]()
    p = X.shape[1]
    optimum, weights, loss = reference.fit(rows, p, C)
    norm = np.abs(weights).sum()
    limits = {f: (low * norm, high * norm) for f, (low, high) in (limits or {}).items()}
    budgets = [(1.0, C, (1 + tolerance) * optimum)]
    if budget == "separate":
        budgets = [(1.0, 0.0, (1 + tolerance) * norm), (0.0, 1.0, (1 + tolerance) * loss)]
    found = []
    for f in range(p):
        high = reference.extreme(rows, p, C, budgets, f, 1, limits)
        low = -reference.extreme(rows, p, C, budgets, f, -1, limits)
        found.append((max(0.0, low, -high) / norm, max(high, -low) / norm))
    return np.array(found)


def quick(**params):
    """Two probes: enough where only the intervals matter."""
    return RelevanceBounds(**{"random_state": 0, "false_positive_rate": 0.5, **params})


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("problem", ["ordinal", "classification", "regression"])
def test_intervals_equal_linprog(problem, seed):
    rng = np.random.default_rng(seed)
    C, tolerance = 10 ** rng.uniform(-1, 0.5), (0.01, 0.1, 0.001)[seed % 3]
    budget = ("joint", "separate")[seed % 2]
    n_classes = int(rng.integers(2, 7))
    X, y = make_relevance(
        60, 2, 2, 2, problem, float(rng.uniform(0.1, 1)), n_classes, random_state=seed
    )
    if seed % 4 == 3:
        X[:, 0] *= 1e4
    selector = quick(problem=problem, C=C, tolerance=tolerance, budget=budget).fit(X, y)
    expected = expected_intervals(X, y, problem, C, tolerance, budget)
    assert_allclose(selector.intervals_, expected, atol=1e-6)
    assert selector.C_ == C
    assert selector.tolerance_ == tolerance


def test_both_solvers_agree():
    X, y = make_relevance(80, 2, 3, 2, noise=0.4, random_state=1)
    first, second = (
        quick(C=0.5, tolerance=0.02, solver=solver).fit(X, y)
        for solver in ("interior-point", "highs")
    )
    assert_allclose(first.intervals_, second.intervals_, atol=1e-6)
    assert_allclose(first.probe_threshold_, second.probe_threshold_, atol=1e-6)
    assert_array_equal(first.relevance_, second.relevance_)


def test_fixed_weights_limit_the_others():
    X, y = make_relevance(80, 2, 2, 1, noise=0.3, random_state=2)
    params = {"C": 0.5, "tolerance": 0.1}
    free = quick(**params).fit(X, y)
    sign = np.sign(free.model_.coef_[0])
    fixed = {0: sign * free.intervals_[0].mean(), 2: (-0.05, 0.05)}
    selector = quick(fixed=fixed, **params).fit(X, y)
    limits = {0: (fixed[0], fixed[0]), 2: fixed[2]}
    expected = expected_intervals(X, y, "ordinal", 0.5, 0.1, limits=limits)
    assert_allclose(selector.intervals_, expected, atol=1e-6)
    assert_allclose(selector.intervals_[0], abs(fixed[0]), atol=1e-6)
    named = pd.DataFrame(X, columns=list("abcde"))
    by_name = quick(fixed={"a": fixed[0], "c": fixed[2]}, **params).fit(named, y)
    assert_allclose(by_name.intervals_, selector.intervals_)


@pytest.mark.parametrize("problem", ["ordinal", "classification", "regression"])
def test_known_answers(problem):
    """Strong, weak and irrelevant features are told apart, and the groups found."""
    X, y = make_relevance(200, 2, 4, 4, problem, 0.2, random_state=3, weak_groups=[2, 2])
    selector = RelevanceBounds(random_state=0).fit(X, y)
    assert selector.relevance_.tolist() == ["strong"] * 2 + ["weak"] * 4 + ["irrelevant"] * 4
    assert selector.feature_groups() == [[2, 3], [4, 5]]
    assert_array_equal(selector.support_, selector.relevance_ != "irrelevant")
    assert_array_equal(selector.scores_, selector.intervals_[:, 1])
    assert selector.model_.score(X, y) > 0.7


def test_one_large_group():
    X, y = make_relevance(150, 1, 8, 3, noise=0.2, random_state=0)
    selector = RelevanceBounds(random_state=0).fit(pd.DataFrame(X).add_prefix("f"), y)
    assert selector.relevance_.tolist() == ["strong"] + ["weak"] * 8 + ["irrelevant"] * 3
    assert selector.feature_groups() == [[f"f{j}" for j in range(1, 9)]]


def test_any_weight_within_the_bounds_can_be_fixed():
    X, y = make_relevance(60, 2, 2, 2, random_state=0)
    free = quick().fit(X, y)
    signs = np.sign(free.model_.coef_)
    for feature in (0, 1):
        low, high = free.intervals_[feature]
        for value in (low + 0.02 * (high - low), high - 0.02 * (high - low)):
            fixed = {feature: signs[feature] * value}
            quick(fixed=fixed, C=free.C_, tolerance=free.tolerance_).fit(X, y)
    X[:, 5] = 1.0
    with pytest.raises(ValueError, match="`fixed` must name features that vary, each once, got 5"):
        quick(fixed={5: 0.0}).fit(X, y)


def test_refitting_and_names():
    X, y = make_relevance(60, 2, 0, 2, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    selector = quick(C=0.5).fit(frame, y)
    assert selector.problem_ == "ordinal"
    assert len(selector.classes_) == 5
    assert selector.model_.predict(frame).shape == (60,)  # no warning about names
    selector.fit(frame, y + X[:, 0])
    assert selector.problem_ == "regression"
    assert not hasattr(selector, "classes_")
    assert selector.model_.predict(frame).shape == (60,)


def test_many_integers_are_likely_quantities():
    X, _ = make_relevance(100, 2, 0, 2, random_state=0)
    y = np.round(7 * X[:, 0]).astype(int)
    assert len(np.unique(y)) > 20
    selector = quick(C=0.5).fit(X, y)
    assert (selector.problem_, selector.relevance_[0]) == ("regression", "strong")


def test_unordered_classes_are_bounded_one_by_one():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    with pytest.raises(ValueError, match=r'class_order=\["low".*problem="classification"'):
        quick().fit(X, names)
    selector = quick(problem="classification", C=0.5).fit(X, names)
    assert selector.intervals_.shape == (3, 4, 2)
    assert selector.tolerance_.shape == selector.probe_threshold_.shape == selector.C_.shape == (3,)
    one = quick(C=0.5, tolerance=selector.tolerance_[1]).fit(X, (y == 1).astype(int))
    assert_allclose(selector.intervals_[1], one.intervals_, atol=1e-6)
    assert selector.relevance_by_class_.shape == (3, 4)
    kept = np.isin(selector.relevance_by_class_, ["weak", "strong"])
    scores = selector.intervals_[:, :, 1]
    scores = np.where(kept, scores, np.minimum(scores, selector.probe_thresholds_))
    assert_array_equal(selector.scores_, scores.max(axis=0))
    with pytest.raises(ValueError, match="`fixed` must be None for several classes"):
        quick(problem="classification", fixed={0: 0.0}).fit(X, names)


def test_what_auto_takes_y_for():
    X, y = make_relevance(60, 2, 0, 2, random_state=0)
    for target in (y, pd.Categorical(y, ordered=True), y.astype(float), y.astype(object)):
        assert quick(C=0.5).fit(X, target).problem_ == "ordinal"
    assert quick(C=0.5, class_order=[5, 4, 3, 2, 1]).fit(X, y).problem_ == "ordinal"
    for target in (y > 3, np.where(y > 3, "yes", "no"), (y > 3).astype(float)):
        assert quick(C=0.5).fit(X, target).problem_ == "classification"
    for target in (y + 0.5 * X[:, 0], (y + 0.5 * X[:, 0]).astype(object)):
        assert quick(C=0.5).fit(X, target).problem_ == "regression"


# --------------------------------------------------------------------------- awkward data


def test_copies_are_weak_and_constants_irrelevant():
    X, y = make_relevance(120, 2, 0, 1, noise=0.2, random_state=0)
    X = np.column_stack([X, X[:, 0], np.full(120, 3.0)])
    selector = RelevanceBounds(random_state=0).fit(X, y)
    assert selector.relevance_.tolist() == ["weak", "strong", "irrelevant", "weak", "irrelevant"]
    assert selector.intervals_[4].tolist() == [0, 0]
    assert selector.feature_groups() == [[0, 3]]


def test_scale_does_not_matter():
    X, y = make_relevance(100, 2, 2, 2, noise=0.3, random_state=0)
    plain = quick(C=0.5).fit(X, y)
    scaled = quick(C=0.5).fit(X * [1e-5, 1e6, 1, 3, 1e3, 1e-2] + 1e3, y)
    assert_allclose(scaled.intervals_, plain.intervals_, atol=1e-5)
    values = X[:, 0] - X[:, 2] + RNG.normal(size=100)
    plain = quick(C=0.5).fit(X, values)
    assert_allclose(quick(C=0.5).fit(X, 1e6 * values).intervals_, plain.intervals_, atol=1e-6)


def test_extreme_scales_and_constant_data():
    X, y = make_relevance(60, 1, 0, 2, noise=0.2, random_state=0)
    for scale in (1e200, 1e-200):
        assert quick(C=0.5).fit(scale * X, y).relevance_[0] == "strong"
    with pytest.warns(UserWarning, match="Every feature of `X` is constant"):
        assert not quick(C=0.5).fit(np.ones((60, 3)), y).support_.any()


def test_separable_rare_and_gapped_classes():
    X, y = make_relevance(100, 2, 0, 3, noise=0.0, n_classes=3, random_state=0)
    expected = ["strong"] * 2 + ["irrelevant"] * 3
    assert RelevanceBounds(random_state=0).fit(X, y).relevance_.tolist() == expected
    gapped = np.array([0, 1, 2, 5])[y]
    assert RelevanceBounds(random_state=0).fit(X, gapped).relevance_.tolist() == expected
    order = np.argsort(X[:, 0] + X[:, 1])
    for size in (1, 2):  # of the top class
        rare = np.ones(100, dtype=int)
        rare[order[50:]] = 2
        rare[order[-size:]] = 3
        found = RelevanceBounds(random_state=0).fit(X, rare).relevance_
        assert found.tolist() == expected


def test_more_features_than_samples():
    X, y = make_relevance(40, 1, 2, 60, noise=0.1, n_classes=3, random_state=1)
    found = RelevanceBounds(random_state=0).fit(X, y).relevance_
    assert (found[:3] != "irrelevant").all()
    assert (found[3:] != "irrelevant").mean() < 0.1


def test_a_model_without_features_says_so():
    X = RNG.normal(size=(60, 4))
    y = RNG.integers(0, 3, 60)
    with pytest.warns(UserWarning, match="uses no feature at all, so every feature is called"):
        selector = RelevanceBounds(C=1e-4, random_state=0).fit(X, y)
    assert (selector.relevance_ == "irrelevant").all()
    assert selector.feature_groups() == []


def test_rates_that_probes_cannot_resolve():
    X, y = make_relevance(60, 2, 0, 2, random_state=0)
    with pytest.warns(UserWarning, match=r"0\.01 cannot be told from 20 probes.*Ask for 100"):
        RelevanceBounds(C=0.5, n_probes=20, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RelevanceBounds(C=0.5, n_probes=20, false_positive_rate=0.05, random_state=0).fit(X, y)


def test_chance_level_is_exceeded_at_the_rate():
    """The k-th largest of n, k = rate * n: noise exceeds it with probability k / (n + 1)."""
    values = list(range(1, 101))
    assert chance_level(values, 0.01) == 100
    assert chance_level(values, 0.05) == 96
    assert chance_level(values, 0.001) == 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The best model at C:UserWarning")
def test_pure_noise_is_called_relevant_at_the_nominal_rate():
    """30 data sets of 8 noise features at a rate of 5 %: 12 false calls expected."""
    calls = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 8)), rng.integers(0, 3, 80)
        selector = RelevanceBounds(C=1.0, false_positive_rate=0.05, random_state=seed)
        calls += (selector.fit(X, y).relevance_ != "irrelevant").sum()
    assert calls <= 27  # five standard deviations


def with_rare_columns(seed, n_samples=200):
    """Three features that matter, five of noise, five indicators of two samples each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 13))
    X[:, 8:] = 0
    for f in range(8, 13):
        X[rng.choice(n_samples, 2, replace=False), f] = 1
    return X, X[:, :3].sum(axis=1) + rng.normal(size=n_samples)


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [[0.5], [0.25, 0.5, 0.75], [0.85]])
def test_rare_values_hide_no_other_feature(cuts):
    """An indicator of a few samples reaches any weight at no loss, and so do its probes."""
    for seed in range(4):
        X, values = with_rare_columns(seed)
        y = np.digitize(values, np.quantile(values, cuts))
        selector = RelevanceBounds(random_state=0).fit(X, y)
        assert set(selector.relevance_[:3]) == {"strong"}
        assert set(selector.ranking_[:3]) == {1, 2, 3}
        assert (selector.relevance_[3:] != "irrelevant").sum() <= 1
        common, rare = selector.probe_thresholds_[:8], selector.probe_thresholds_[8:]
        assert set(common) == {selector.probe_threshold_}
        assert len(set(rare)) == 1


def test_scores_where_noise_of_one_kind_reaches_nothing():
    X, values = with_rare_columns(0)
    y = (values > 0).astype(int)
    analysis = RelevanceBounds(random_state=0, false_positive_rate=0.5).fit(X, y)._analyses[0]
    assert_allclose(analysis.scores[:8], analysis.intervals[:8, 1])
    expected = analysis.intervals[8:, 1] * analysis.probe_threshold / analysis.probe_thresholds[8:]
    assert_allclose(analysis.scores[8:], expected)
    analysis.probe_thresholds[:8] = analysis.probe_threshold = 0.0
    assert_array_equal(analysis.scores, analysis.intervals[:, 1])


def test_features_carried_by_few_samples():
    X = np.zeros((1000, 4))
    X[:6, 0], X[:8, 1], X[:, 2], X[:, 3] = 1, 1, np.arange(1000), np.arange(1000) // 500
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    balanced, common = np.arange(1000) % 2, (np.arange(1000) % 10 > 0).astype(int)
    assert carried_by_few(TrainingData(X, balanced), 0.01).tolist() == [True, False, False, False]
    assert carried_by_few(TrainingData(X, balanced), 0.1).tolist() == [False, False, False, False]
    assert carried_by_few(TrainingData(X, common), 0.01).tolist() == [True, True, False, False]
    rarer = np.arange(1000) == 0  # as few as it takes, but never a normal feature
    assert carried_by_few(TrainingData(X, rarer.astype(int)), 0.01).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert not carried_by_few(TrainingData(X, balanced.astype(float), regression=True), 0.01).any()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_results_do_not_depend_on_jobs(backend):
    X, y = make_relevance(60, 2, 2, 2, noise=0.3, random_state=0)
    alone = quick().fit(X, y)
    with parallel_config(backend):
        together = quick(n_jobs=2).fit(X, y)
    assert_array_equal(together.intervals_, alone.intervals_)
    assert together.tolerance_ == alone.tolerance_
    assert together.probe_threshold_ == alone.probe_threshold_
    assert together.n_programs_ == alone.n_programs_


def test_a_stalled_solver_is_mentioned(monkeypatch, capsys):
    """Where the interior point gives up, HiGHS answers, and verbose says so."""
    X, y = make_relevance(60, 2, 0, 2, noise=0.3, random_state=0)
    expected = quick(C=0.5, tolerance=0.05).fit(X, y)
    monkeypatch.setattr(_interior_point, "MAX_ITERATIONS", 3)
    found = quick(C=0.5, tolerance=0.05, verbose=1).fit(X, y)
    assert_allclose(found.intervals_, expected.intervals_, atol=1e-6)
    assert "HiGHS stepped in for" in capsys.readouterr().err


# ------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tolerance": -0.1}, "'tolerance'.*-0.1"),
        ({"tolerance": "small"}, "'tolerance'.*'small'"),
        ({"problem": "ranking"}, "'problem'.*'ranking'"),
        ({"C": 0}, "'C'.*Got 0"),
        ({"n_probes": 0}, "'n_probes'.*Got 0"),
        ({"false_positive_rate": 1.0}, "'false_positive_rate'.*1.0"),
        ({"budget": "none"}, "'budget'.*'none'"),
        ({"cv": 1}, "'cv'.*Got 1"),
        ({"fixed": {13: 0.1}}, "`fixed` must name features from 0 to 12, got 13"),
        ({"fixed": {"alcohol": 0.1}}, "`fixed` names the column 'alcohol', but X has no"),
        ({"fixed": {0: "a"}}, "number or a pair.*got 'a' for 0"),
        ({"fixed": {0: (0, 1, 2)}}, r"number or a pair.*got \(0, 1, 2\)"),
        ({"fixed": {0: (0.2, 0.1)}}, r"number or a pair.*got \(0.2, 0.1\)"),
        ({"fixed": {0: np.inf}}, "number or a pair.*got inf"),
        ({"fixed": {True: 0.1}}, "`fixed` names the column True, but X has no"),
        ({"fixed": {0: 40.0}, "C": 0.1}, "no model keeps the budget"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        quick(**params).fit(*load_wine(return_X_y=True))


def test_bad_data():
    frame = pd.DataFrame({"a": RNG.random(20), "b": ["x", "y"] * 10})
    with pytest.raises(TypeError, match=r"Column 'b' of `X` holds labels.*OneHotEncoder"):
        quick().fit(frame, np.arange(20) % 2)
    with pytest.raises(ValueError, match="`y` is constant"):
        quick(problem="regression").fit(frame[["a"]], np.full(20, 0.5))
    with pytest.raises(ValueError, match="y contains infinity"):
        quick().fit(frame[["a"]], [np.inf, *range(19)])
