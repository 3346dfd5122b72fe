"""Features that must be kept, and features that stand or fall together, in every selector."""

import inspect

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from echelon import (
    CFS,
    MRMR,
    Consistency,
    ForwardAdditive,
    ForwardLinear,
    NeighborhoodRoughSet,
    NeighborhoodSoftMargin,
    OrderedSoftMargin,
    RankCorrelation,
    ReliefF,
)
from echelon._core.choices import read_choice
from echelon.base import WeightingSelector
from echelon.evaluation import feature_curve
from estimator_cases import SELECTORS, made

CHOOSING = [e for e in SELECTORS if "must_keep" in inspect.signature(e).parameters]
FORWARD = [MRMR, CFS, Consistency, NeighborhoodRoughSet, NeighborhoodSoftMargin, OrderedSoftMargin]


@pytest.fixture(scope="module")
def wine():
    """Wine with two columns of noise, 13 and 14, and a copy of proline (12), 15."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    X["noise 1"], X["noise 2"] = rng.normal(size=(2, len(X)))
    X["copy"] = X["proline"]
    return X, y


def groups_of(mask, labels):
    """Labels of the features in a mask, if all of every label are."""
    inside = set(labels[mask])
    assert_array_equal(mask, [label in inside for label in labels])
    return inside


# ------------------------------------------------------------------------------------- must_keep


@pytest.mark.parametrize("estimator", CHOOSING)
def test_what_must_be_kept_is_kept_and_ranked_first(estimator, wine):
    X, y = wine
    names = ["noise 2", "malic_acid"]
    for selector in (made(estimator, must_keep=names), made(estimator, must_keep=names,
                                                            n_features_to_select=4)):  # fmt: skip
        selector.fit(X, y)
        assert selector.get_support()[[14, 1]].all()
        assert set(selector.ranking_[[14, 1]]) == {1, 2}
        assert set(selector.order_[:2]) == {14, 1}
    assert selector.get_support().sum() == 4


@pytest.mark.parametrize("estimator", CHOOSING)
def test_what_is_kept_can_be_said_in_three_ways(estimator, wine):
    X, y = wine
    mask = X.columns == "ash"
    ways = [["ash"], [2], mask]
    rankings = [made(estimator, n_features_to_select=3, must_keep=way).fit(X, y).ranking_
                for way in ways]  # fmt: skip
    for ranking in rankings[1:]:
        assert_array_equal(ranking, rankings[0])


@pytest.mark.parametrize("estimator", [e for e in CHOOSING if issubclass(e, WeightingSelector)])
def test_scores_do_not_depend_on_what_is_kept(estimator, wine):
    X, y = wine
    free, bound = made(estimator).fit(X, y), made(estimator, must_keep=["ash"]).fit(X, y)
    assert_array_equal(free.scores_, bound.scores_)
    assert_array_equal([f for f in free.order_ if f != 2], bound.order_[1:])


@pytest.mark.parametrize("estimator", FORWARD)
def test_a_search_that_must_keep_its_own_first_choice_is_the_same(estimator, wine):
    X, y = wine
    free = made(estimator, n_features_to_select=5).fit(X, y)
    bound = made(estimator, n_features_to_select=5, must_keep=[int(free.path_["feature"][0])])
    if estimator is CFS:
        free.set_params(search="forward").fit(X, y)
        bound.set_params(search="forward", must_keep=[int(free.path_["feature"][0])])
    assert_array_equal(bound.fit(X, y).path_, free.path_)


@pytest.mark.parametrize(
    "selector",
    [MRMR(), CFS(), OrderedSoftMargin(), ForwardLinear(n_bags=0), ForwardLinear(random_state=0),
     ForwardAdditive(n_bags=0), ForwardAdditive(random_state=0)],
    ids=str,
)  # fmt: skip
def test_what_is_kept_makes_its_copies_redundant(selector, wine):
    X, y = wine
    selector = clone(selector).set_params(must_keep=["copy"])
    assert not selector.fit(X, y).support_[12] or isinstance(selector, MRMR)
    selector.set_params(n_features_to_select=2).fit(X, y)
    assert selector.support_[15]
    assert not selector.support_[12]


def test_a_linear_search_begins_with_what_is_kept(wine):
    X, y = wine
    selector = ForwardLinear(n_bags=0, must_keep=["noise 1", "ash"]).fit(X, y)
    assert_array_equal(selector.path_["feature"][:2], [2, 13])
    Z = np.column_stack([np.ones(len(X)), X["ash"], X["noise 1"]])
    target = (np.asarray(y)[:, None] == [0, 1, 2]).astype(float)
    if selector.kind_ == "ordinal":
        target = np.asarray(y, float)[:, None]
    residual = target - Z @ np.linalg.lstsq(Z, target, rcond=None)[0]
    spread = ((target - target.mean(axis=0)) ** 2).sum()
    assert selector.path_["value"][1] == pytest.approx(1 - (residual**2).sum() / spread)


def test_a_constant_feature_can_be_kept(wine):
    X, y = wine
    X = X.assign(constant=1.0)
    for selector in (MRMR(), CFS(), ForwardLinear(n_bags=0), ForwardAdditive(n_bags=0), ReliefF()):
        selector.set_params(must_keep=["constant"]).fit(X, y)
        assert selector.support_[16]
        assert selector.support_.sum() > 1


def test_p_values_of_what_is_kept_do_not_help_others():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 12)), np.arange(200) % 2
    X[:, :8] += 2 * y[:, None]
    free = RankCorrelation().fit(X, y)
    bound = RankCorrelation(must_keep=range(8)).fit(X, y)
    others = free.p_values_[8:]
    ordered = np.sort(others)
    passing = [p for i, p in enumerate(ordered, 1) if p <= 0.05 * i / 4]
    assert_array_equal(bound.support_[8:], others <= max(passing, default=-1))


# -------------------------------------------------------------------------------- feature_groups


@pytest.mark.parametrize("estimator", CHOOSING)
def test_groups_stand_or_fall_together(estimator, wine):
    X, y = wine
    labels = np.arange(16) // 3
    made(estimator, feature_groups=labels).fit(X, y)
    selector = made(estimator, feature_groups=labels, n_features_to_select=2).fit(X, y)
    assert len(groups_of(selector.get_support(), labels)) == 2
    for label in range(6):
        assert len(set(selector.ranking_[labels == label])) == 1
    assert set(selector.ranking_[selector.get_support()]) == {1, 2}


@pytest.mark.parametrize("estimator", CHOOSING)
def test_groups_of_one_are_none(estimator, wine):
    X, y = wine
    free = made(estimator, n_features_to_select=4).fit(X, y)
    grouped = made(estimator, n_features_to_select=4, feature_groups=list(X.columns)).fit(X, y)
    assert_array_equal(grouped.ranking_, free.ranking_)
    assert_array_equal(grouped.order_, free.order_)
    assert_array_equal(grouped.get_support(), free.get_support())


@pytest.mark.parametrize("estimator", CHOOSING)
def test_own_rules_keep_whole_groups(estimator, wine):
    X, y = wine
    labels = np.arange(16) % 5
    groups_of(made(estimator, feature_groups=labels).fit(X, y).get_support(), labels)


def test_a_group_is_as_good_as_its_best_feature(wine):
    X, y = wine
    labels = np.arange(16) // 2
    free, grouped = ReliefF().fit(X, y), ReliefF(feature_groups=labels).fit(X, y)
    best = [free.scores_[labels == label].max() for label in range(8)]
    for label, rank in enumerate(np.argsort(np.argsort(-np.array(best))) + 1):
        assert set(grouped.ranking_[labels == label]) == {rank}
    assert_array_equal(grouped.scores_, free.scores_)
    kept = {labels[f] for f in range(16) if free.support_[f]}
    assert_array_equal(grouped.support_, [label in kept for label in labels])


def test_p_values_of_groups_pay_for_their_size():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 30)), np.arange(120) % 3
    X[:, :3] += 0.4 * y[:, None]
    labels = np.arange(30) // 3
    for threshold in ("fdr", "family"):
        grouped = RankCorrelation(threshold=threshold, feature_groups=labels).fit(X, y)
        p = [min(1.0, 3 * min(grouped.p_values_[labels == label])) for label in range(10)]
        order = sorted(range(10), key=p.__getitem__)
        kept = set()
        if threshold == "fdr":
            last = max((i for i, g in enumerate(order) if p[g] <= 0.05 * (i + 1) / 10), default=-1)
            kept = set(order[: last + 1])
        else:
            for i, g in enumerate(order):
                if p[g] > 0.05 / (10 - i):
                    break
                kept.add(g)
        assert groups_of(grouped.support_, labels) == kept
        assert kept


def test_groups_can_be_named_by_their_columns(wine):
    X, y = wine
    by_name = ReliefF(2, feature_groups={"q": ["ash", "noise 1"], "r": [0, 3]}).fit(X, y)
    labels = [None] * 16
    labels[2] = labels[13] = "q"
    labels[0] = labels[3] = "r"
    by_label = ReliefF(2, feature_groups=labels).fit(X, y)
    assert_array_equal(by_name.ranking_, by_label.ranking_)
    assert by_name.ranking_.max() == 14


def test_a_group_with_one_that_must_be_kept_is_kept(wine):
    X, y = wine
    for estimator in (ReliefF, MRMR, ForwardLinear):
        selector = estimator(3, feature_groups=np.arange(16) // 3, must_keep=["ash"]).fit(X, y)
        assert selector.support_[:3].all()
        assert set(selector.ranking_[:3]) == {1}
        assert selector.support_.sum() in (7, 9)


def test_kept_groups_that_interleave():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    groups = ["a", "b", "a", "c", "d", "e"]
    selector = MRMR(3, feature_groups=groups, must_keep=[0, 1]).fit(X, y)
    assert_array_equal(selector.path_["feature"][:3], [0, 2, 1])
    assert selector.support_[:3].all()


def test_dummies_of_one_question(wine):
    _, y = wine
    rng = np.random.default_rng(5)
    answers = pd.Series(np.where(rng.random(len(y)) < 0.7, y, rng.integers(0, 3, len(y))))
    dummies = pd.get_dummies(answers.map({0: "u", 1: "v", 2: "w"}), prefix="q").astype(float)
    X = pd.concat([dummies, pd.DataFrame(rng.normal(size=(len(y), 4))).add_prefix("n")], axis=1)
    selector = ReliefF(1, feature_groups={"q": list(dummies.columns)}).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["q_u", "q_v", "q_w"]


def test_a_curve_over_groups_takes_whole_groups(wine):
    X, y = wine
    selector = ReliefF(feature_groups=np.arange(16) // 4)
    curve = feature_curve(selector, GaussianNB(), X, y, sizes=[4, 8], cv=2, random_state=0)
    assert curve.sizes.tolist() == [4, 8]
    with pytest.raises(ValueError, match="`sizes` must not part features of the same rank"):
        feature_curve(selector, GaussianNB(), X, y, sizes=[3], cv=2)


# -------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"must_keep": ["age"]}, "`must_keep` names the column 'age', which X does not have"),
        ({"must_keep": ["ash", "ash"]}, "`must_keep` has column 'ash' twice"),
        ({"must_keep": [99]}, "`must_keep` must hold column indices from 0 to 15, got 99"),
        ({"must_keep": [True, False]}, "`must_keep` must have one entry per column"),
        (
            {"must_keep": [0, 1], "n_features_to_select": 1},
            "`n_features_to_select` must be at least 2, the number of features in `must_keep`",
        ),
        ({"feature_groups": [0, 1]}, "`feature_groups` must have one label per feature, 16"),
        ({"feature_groups": {"a": ["ash"], "b": [2]}}, "column 'ash' in two groups"),
        ({"feature_groups": {"a": ["age"]}}, "`feature_groups` names the column 'age'"),
        (
            {"feature_groups": [0] * 16, "n_features_to_select": 2},
            "at most the number of groups of features, 1",
        ),
    ],
)
def test_odd_choices_are_refused(params, words, wine):
    for estimator in (ReliefF, MRMR):
        with pytest.raises(ValueError, match=words):
            estimator(**params).fit(*wine)


def test_groups_need_labels():
    with pytest.raises(TypeError, match="`feature_groups` must hold labels"):
        read_choice(None, [[0], [1]], 2, None)
