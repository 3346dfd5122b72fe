"""Stability, chance and monotonicity: whether to trust a selection."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import reference_evaluation as reference
from cases import draw_case
from echelon import IntervalRelief, NeighborhoodRoughSet, OReliefF, ReliefF, Simba
from echelon.evaluation import monotonicity_violations, null_threshold, selection_stability
from echelon.evaluation._null import _judge
from echelon.evaluation._stability import nogueira


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


# ------------------------------------------------------------------------- stability


@pytest.mark.parametrize("seed", range(12))
def test_nogueira(seed):
    rng = np.random.default_rng(seed)
    selected = rng.random((rng.integers(2, 12), rng.integers(2, 9))) < rng.random()
    selected[0, 0], selected[1, 1] = True, False
    expected = reference.stability(selected.astype(int).tolist())
    assert_allclose(nogueira(selected), expected, atol=1e-12)


def test_stability_of_extremes():
    same = np.tile([True, False, True, False], (10, 1))
    assert nogueira(same) == (1.0, 0.0)
    rng = np.random.default_rng(0)
    random = np.array([rng.permutation(20) < 5 for _ in range(400)])
    value, variance = nogueira(random)
    assert abs(value) < 3 * np.sqrt(variance) < 0.02


def test_the_confidence_interval_holds():
    """95 % intervals of 60 random sets hold the stability of very many in 90 to 99 % of 300."""
    rng = np.random.default_rng(1)
    chances = np.array([0.95, 0.9, 0.6, 0.5, 0.2, 0.1, 0.05, 0.0])
    true = nogueira(rng.random((200_000, 8)) < chances)[0]
    inside = 0
    for _ in range(300):
        value, variance = nogueira(rng.random((60, 8)) < chances)
        inside += abs(value - true) <= 1.96 * np.sqrt(variance)
    assert 0.90 <= inside / 300 <= 0.99


def test_selection_stability(wine):
    X, y = wine
    result = selection_stability(ReliefF(4), X, y, 20, random_state=0)
    assert result.selected.shape == (20, 13)
    assert_array_equal(result.selected.sum(axis=1), 4)
    assert_allclose(result.frequency, result.selected.mean(axis=0))
    assert result.stability == nogueira(result.selected)[0]
    low, high = result.confidence_interval
    assert low < result.stability < high <= 1
    narrow = selection_stability(ReliefF(4), X, y, 20, confidence=0.5, random_state=0)
    assert low < narrow.confidence_interval[0]
    frame = result.frame()
    assert frame["frequency"].is_monotonic_decreasing
    assert sorted(frame["feature"]) == sorted(X.columns)


def test_samples_hold_half_of_every_class(wine):
    seen = []

    class Spy(SelectKBest):
        def fit(self, X, y):
            seen.append(pd.Series(y).value_counts().sort_index().tolist())
            assert not X.index.has_duplicates
            return super().fit(X, y)

    selection_stability(Spy(k=3), *wine, 4, n_jobs=1, random_state=0)
    assert seen == [[30, 36, 24]] * 4


def test_whole_groups_are_drawn(wine):
    X, y = wine
    groups = np.arange(178) % 30
    seen = []

    class Spy(SelectKBest):
        def fit(self, X, y):
            seen.append(set(X.index % 30))
            assert len(X) == sum((groups == g).sum() for g in seen[-1])
            return super().fit(X, y)

    selection_stability(Spy(k=3), X, y, 5, groups=groups, n_jobs=1, random_state=0)
    assert [len(each) for each in seen] == [15] * 5
    assert len({frozenset(each) for each in seen}) > 1


@pytest.mark.parametrize("selector", [Simba(3), SelectKBest(k=4)])
def test_stability_does_not_depend_on_jobs(selector, wine):
    one = selection_stability(selector, *wine, 6, random_state=2)
    two = selection_stability(selector, *wine, 6, random_state=2, n_jobs=2)
    assert_array_equal(one.selected, two.selected)


def test_stability_falls_with_noise(rng):
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 10))
    strong = X + np.outer(y, [3, 3, 3] + [0] * 7)
    assert selection_stability(ReliefF(3), strong, y, 20, random_state=0).stability > 0.95
    assert selection_stability(ReliefF(3), X, y, 20, random_state=0).stability < 0.5


def test_stability_that_is_not_defined(wine):
    with pytest.warns(UserWarning, match="Every resample selected all features"):
        result = selection_stability(ReliefF(13), *wine, 3, random_state=0)
    assert np.isnan(result.stability)
    assert_array_equal(result.frequency, 1)


def test_stability_of_a_numeric_target(rng):
    X = rng.normal(size=(60, 4))
    from sklearn.feature_selection import f_regression

    result = selection_stability(
        SelectKBest(f_regression, k=1), X, X[:, 2] + 0.1 * X[:, 0], 8, random_state=0
    )
    assert result.frequency.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_resamples": 1}, ValueError, "`n_resamples` must be a whole number from 2, got 1"),
        ({"sample_share": 1.5}, ValueError, "`sample_share` must lie between 0 and 1, got 1.5"),
        ({"confidence": 0}, ValueError, "`confidence` must lie between 0 and 1"),
        ({"selector": StandardScaler()}, TypeError, "must have get_support, got StandardScaler"),
    ],
)
def test_stability_of_bad_input(change, error, message, wine):
    given = {"selector": ReliefF(2), "X": wine[0], "y": wine[1]}
    with pytest.raises(error, match=message):
        selection_stability(**{**given, **change})


# ---------------------------------------------------------------------------- chance


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("discrete", [False, True])
def test_null_thresholds_are_those_of_the_reference(seed, discrete):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(20, 60), rng.integers(1, 12)
    sizes = rng.uniform(0.1, 5, p)
    scores = (rng.normal(size=p) + 4 * (rng.random(p) < 0.3)) * sizes
    null = rng.normal(size=(n, p)) * sizes
    if discrete:  # many scores are reached exactly
        scores, null = np.round(scores), np.round(null)
        null[:2] = [[-9.0] * p, [9.0] * p]  # no feature is constant
        null[2:, 0] = scores[0] = -9.0  # and one differs in a single row
    rate = rng.choice([0.05, 0.1, 0.3])
    family = _judge(scores, null, np.arange(p), rate, "family")
    assert_allclose(family.p_values, reference.family_p_values(scores.tolist(), null.tolist()))
    assert_array_equal(family.support, family.p_values <= rate + 1e-9)
    found = family.judged(rate, "fdr")
    assert_allclose(found.p_values, reference.pooled_p_values(scores.tolist(), null.tolist()))
    expected = reference.benjamini_hochberg(found.p_values.tolist(), rate)
    assert_array_equal(found.support, expected)
    z = np.array(reference.standardised(scores.tolist(), null.tolist()))
    for result in (family, found):
        assert_allclose(np.vstack([result.z_scores, result.z_null]), z, atol=1e-12)
        slack = 1e-9 * (1 + np.abs(result.threshold))
        assert_array_equal(result.support, scores > result.threshold + slack)
        assert_array_equal(result.support, result.z_scores > result.z_threshold + 1e-9)


def test_a_feature_of_small_spread_passes_beside_wide_chance():
    """Its score is five of its own deviations, and far below what chance reaches elsewhere."""
    rng = np.random.default_rng(0)
    sizes = np.array([0.01, 10, 10, 10])
    rows = rng.normal(size=(100, 4)) * sizes
    rows[0] = [0.05, 0, 0, 0]
    result = _judge(rows[0], rows[1:], np.arange(4), 0.05, "family")
    assert result.support.tolist() == [True, False, False, False]
    assert rows[0, 0] < np.median(rows[1:].max(axis=1))


@pytest.mark.parametrize("control", ["family", "fdr"])
def test_what_passes_does_not_depend_on_units(control, rng):
    rows = rng.normal(size=(60, 5)) + np.eye(60, 5) * 6
    result = _judge(rows[0], rows[1:], np.arange(5), 0.1, control)
    units, origins = np.array([1e-6, 3, 40, 1, 1e5]), np.array([0, -2, 5, 0, 1e4])
    other = rows * units + origins
    again = _judge(other[0], other[1:], np.arange(5), 0.1, control)
    assert_allclose(again.p_values, result.p_values)
    assert_allclose(again.threshold, result.threshold * units + origins)
    assert result.support[0]


@pytest.mark.parametrize("control", ["family", "fdr"])
def test_scores_that_never_change_or_are_not_defined(control, rng):
    rows = rng.normal(size=(60, 4))
    rows[:, 1], rows[7, 2] = 3.0, np.nan
    alone = _judge(rows[0, [0, 3]], rows[1:, [0, 3]], np.arange(2), 0.1, control)
    result = _judge(rows[0], rows[1:], np.arange(4), 0.1, control)
    assert_array_equal(result.p_values[[0, 3]], alone.p_values)
    assert result.p_values[[1, 2]].tolist() == [1, 1]
    assert result.threshold[[1, 2]].tolist() == [np.inf, np.inf]
    assert np.isnan(result.z_scores[[1, 2]]).all()
    assert not result.support[[1, 2]].any()


@pytest.mark.parametrize("control", ["family", "fdr"])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_the_error_rate_on_noise(control, correlation):
    """Of 2000 data sets in which y is nothing but one more permutation, 10 % have a feature pass.

    Correlated features pass together, so the rate of false discoveries may be lower.
    """
    rng = np.random.default_rng(0)
    sizes, n_wrong = np.array([1, 1, 2, 2, 5, 5, 9, 9]), 0
    for _ in range(2000):
        shared, own = rng.normal(size=(200, 1)), rng.normal(size=(200, 8))
        rows = sizes * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)
        n_wrong += _judge(rows[0], rows[1:], np.arange(8), 0.1, control).support.any()
    low, high = reference.wilson(n_wrong, 2000)
    assert low <= 0.1
    assert high >= (0.1 if correlation == 0 or control == "family" else 0.06)


def test_the_rate_is_exact_whatever_the_scores_are():
    """Every row in the place of the observed one: at most 10 % of the 40 have a feature pass.

    This is the argument itself: no row is treated apart.
    """
    rng = np.random.default_rng(3)
    for draw in (
        rng.normal,
        rng.standard_cauchy,
        rng.exponential,
        lambda size: rng.integers(0, 3, size),
    ):
        rows = np.asarray(draw(size=(40, 6)), dtype=float) * [1, 1, 5, 9, 0.1, 100]
        passed = [
            _judge(rows[i], np.delete(rows, i, axis=0), np.arange(6), 0.1, "family").support.any()
            for i in range(40)
        ]
        assert sum(passed) <= 4


@pytest.mark.parametrize("control", ["family", "fdr"])
def test_noise_hardly_passes(control):
    """The same from end to end: at a rate of 0.05, at most 6 of 40 data sets (99.9 %)."""
    n_wrong = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 8)), np.arange(40) % 2
        n_wrong += null_threshold(
            SelectKBest(), X, y, 20, control=control, random_state=seed
        ).support.any()
    assert n_wrong <= 6


@pytest.mark.parametrize("control", ["family", "fdr"])
@pytest.mark.parametrize(
    "selector", [ReliefF(), OReliefF(threshold="shuffle"), SelectKBest(k=1), IntervalRelief()]
)
def test_relevant_features_pass(selector, control, rng):
    y = np.arange(120) % 3
    X = pd.DataFrame(rng.normal(size=(120, 6)), columns=list("abcdef"))
    X["c"] += 2 * y
    X["e"] += 1.5 * y
    result = null_threshold(selector, X, y, 39, control=control, random_state=0)
    assert result.support[[2, 4]].all()
    assert result.support.sum() <= 3
    assert result.null.shape == (39, 6)
    frame = result.frame()
    assert frame["feature"].tolist()[:2] == ["c", "e"]
    assert frame["passes"].tolist()[:2] == [True, True]
    assert_array_equal(result.support, result.scores > result.threshold)


def test_scores_of_models_and_of_constant_features(wine):
    X = StandardScaler().fit_transform(wine[0])
    for model in (DecisionTreeClassifier(random_state=0), LogisticRegression()):
        assert null_threshold(model, X, wine[1], 20, random_state=0).support.any()
    X = np.hstack([np.ones((178, 1)), X])
    for control in ("family", "fdr"):
        result = null_threshold(ReliefF(), X, wine[1], 20, control=control, random_state=0)
        assert not result.support[0]
        assert result.support[1:].sum() > 5
    with np.errstate(invalid="ignore"), pytest.warns(UserWarning, match="constant"):
        result = null_threshold(SelectKBest(), X, wine[1], 20, control="fdr", random_state=0)
    assert not result.support[0]
    assert result.support[1:].sum() > 5


@pytest.mark.parametrize("control", ["family", "fdr"])
def test_too_few_permutations(control, wine):
    with pytest.warns(UserWarning, match=r"`n_permutations` must be at least (99|100) .* got 20"):
        result = null_threshold(
            ReliefF(), *wine, 20, error_rate=0.01, control=control, random_state=0
        )
    if control == "family":
        assert not result.support.any()
        assert (result.threshold == np.inf).all()
    else:  # together they may
        assert result.support.sum() != 1
    enough = 99 if control == "family" else 100
    enough = null_threshold(
        SelectKBest(), *wine, enough, error_rate=0.01, control=control, random_state=0
    )
    assert enough.support.any()


def test_null_threshold_does_not_depend_on_jobs(wine):
    one, two = (
        null_threshold(Simba(), *wine, 20, error_rate=0.1, random_state=1, n_jobs=n) for n in (1, 2)
    )
    assert_array_equal(one.null, two.null)
    assert_array_equal(one.threshold, two.threshold)


@pytest.mark.parametrize("control", ["family", "fdr"])
def test_scores_that_never_change_pass_by_no_rule(control):
    rows = np.zeros((100, 3))
    result = _judge(rows[0], rows[1:], np.arange(3), 0.05, control)
    assert not result.support.any()
    assert (result.p_values == 1).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_permutations": 2}, ValueError, "`n_permutations` must be a whole number from 3"),
        ({"error_rate": 1}, ValueError, "`error_rate` must lie between 0 and 1, got 1"),
        ({"control": "bonferroni"}, ValueError, '`control` must be "family" or "fdr"'),
        ({"selector": NeighborhoodRoughSet()}, TypeError, "`selector` must score features, got N"),
    ],
)
def test_null_threshold_of_bad_input(change, error, message, wine):
    given = {"selector": ReliefF(2), "X": wine[0], "y": wine[1]}
    with pytest.raises(error, match=message):
        null_threshold(**{**given, **change})


# ---------------------------------------------------------------------- monotonicity


@pytest.mark.parametrize("seed", range(40))
def test_violations_are_those_of_the_reference(seed):
    case = draw_case(seed, nominal=0)
    X, y = case.X[:, :4], case.y
    found = monotonicity_violations(X, y)
    features, together, equal = reference.violations(X.tolist(), y.tolist())
    features = np.array(features)
    assert_array_equal(found.n_pairs_per_feature, features.sum(axis=1))
    with np.errstate(invalid="ignore"):
        assert_allclose(found.per_feature, features[:, 1] / features.sum(axis=1))
    assert found.n_pairs == sum(together)
    assert found.n_conflicts == equal
    if found.n_pairs:
        assert found.together == pytest.approx(together[1] / sum(together))
    else:
        assert np.isnan(found.together)


def test_violations_over_several_blocks(rng):
    X = rng.integers(0, 6, (700, 2)).astype(float)
    y = rng.integers(0, 4, 700)
    X[rng.random(X.shape) < 0.1] = np.nan
    _, together, equal = reference.violations(X.tolist(), y.tolist())
    for n_jobs in (1, 2):
        found = monotonicity_violations(X, y, n_jobs=n_jobs)
        assert (found.n_pairs, found.n_conflicts) == (sum(together), equal)


def test_violations_follow_directions(rng):
    y = np.repeat([0, 1, 2], 50)
    X = pd.DataFrame({"up": y + 0.1 * rng.random(150), "down": -y + 0.1 * rng.random(150)})
    X["colour"] = rng.choice(["red", "green"], 150)
    plain = monotonicity_violations(X, y)
    assert plain.per_feature.tolist()[:2] == [0, 1]
    assert np.isnan(plain.per_feature[2])
    assert plain.monotonic_cst.tolist() == [1, 1, 0]
    assert plain.n_pairs == 0
    for given in ("auto", {"up": 1, "down": -1}, [1, -1, 0]):
        found = monotonicity_violations(X, y, monotonic_cst=given)
        assert found.per_feature.tolist()[:2] == [0, 0]
        assert (found.together, found.n_pairs) == (0, 7500)
    only = monotonicity_violations(X, y, monotonic_cst={"down": 1})
    assert only.together == 1
    assert only.frame()["feature"].tolist() == ["up", "down", "colour"]


def test_violations_with_one_feature_are_those_of_the_feature(rng):
    X, y = rng.integers(0, 5, (200, 1)), rng.integers(0, 3, 200)
    found = monotonicity_violations(X, y)
    assert found.together == found.per_feature[0]
    assert found.n_pairs == found.n_pairs_per_feature[0]
    assert 0.4 < found.together < 0.6


def test_violations_of_ordered_labels_and_bad_input(rng):
    X, codes = rng.random((30, 2)), np.arange(30) % 3
    names = np.array(["low", "medium", "high"])
    expected = monotonicity_violations(X, codes).together
    assert monotonicity_violations(X, names[codes], class_order=names).together == expected
    ordered = pd.Categorical(names[codes], names, ordered=True)
    assert monotonicity_violations(X, ordered).together == expected
    with pytest.raises(ValueError, match="labels without a known order"):
        monotonicity_violations(X, names[codes])
    with pytest.raises(ValueError, match="inconsistent"):
        monotonicity_violations(X, codes[:-1])
    with pytest.raises(ValueError, match="`monotonic_cst` must have one entry per feature"):
        monotonicity_violations(X, codes, monotonic_cst=[1])
