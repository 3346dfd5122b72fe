"""CurveSelector: how many features by the curve, and none."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.feature_selection import (
    SelectKBest,
)
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import reference_evaluation as reference
from echelon import (
    CFS,
    CurveSelector,
    IntervalRelief,
    LinearOrdinalClassifier,
    OReliefF,
    ReliefF,
)
from echelon.evaluation import feature_curve, rank_loss_scorer


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("rule", ["best", "one_se"])
def test_curve_selector(rule, wine):
    X, y = wine
    selector = CurveSelector(ReliefF(), GaussianNB(), rule, random_state=0).fit(X, y)
    curve = selector.curve_
    assert selector.n_features_ == (curve.best_size if rule == "best" else curve.one_se_size)
    assert_array_equal(selector.order_, ReliefF().fit(X, y).order_)
    assert_array_equal(selector.ranking_[selector.order_], np.arange(1, 14))
    assert_array_equal(selector.support_, selector.ranking_ <= selector.n_features_)
    names = X.columns[selector.support_]
    assert_array_equal(selector.get_feature_names_out(), names)
    pd.testing.assert_frame_equal(selector.set_output(transform="pandas").transform(X), X[names])


def test_curve_selector_tries_some_sizes_only(wine):
    selector = CurveSelector(CFS(), GaussianNB(), sizes=[2, 4], random_state=0).fit(*wine)
    assert len(selector.order_) == 4
    assert np.bincount(selector.ranking_).tolist() == [0, 1, 1, 1, 1, 9]
    assert selector.support_.sum() in (2, 4)


def test_curve_selector_in_a_pipeline_with_groups(wine):
    X, y = wine
    groups = np.arange(178) // 4
    pipeline = make_pipeline(CurveSelector(ReliefF(), GaussianNB(), random_state=0), GaussianNB())
    pipeline.fit(X, y, curveselector__groups=groups)
    expected = feature_curve(
        ReliefF(), GaussianNB(), X, y, groups=groups,
        cv=StratifiedGroupKFold(5, shuffle=True, random_state=_after_one_seed(0)),
    )  # fmt: skip
    assert_array_equal(pipeline[0].curve_.scores, expected.scores)
    assert pipeline.score(X, y) > 0.9


def _after_one_seed(random_state):
    random = np.random.RandomState(random_state)
    random.randint(np.iinfo(np.int32).max, size=1)
    return random


def test_curve_selector_takes_what_its_parts_take(wine):
    X = wine[0].copy()
    X.iloc[::7, 3] = np.nan
    tree = DecisionTreeClassifier(random_state=0)
    assert CurveSelector(ReliefF(), tree, random_state=0).fit(X, wine[1]).n_features_ >= 1
    with pytest.raises(ValueError, match=r"In fold 0 of 5.*NaN"):
        CurveSelector(ReliefF(), GaussianNB(), sizes=[13], random_state=0).fit(X, wine[1])
    with pytest.raises(ValueError, match="rule"):
        CurveSelector(ReliefF(), tree, "median").fit(X, wine[1])


def test_curve_selector_finds_how_many(rng):
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 40))
    X[:, :3] += y[:, None] * [1.2, 1.0, 0.8]
    selector = CurveSelector(
        OReliefF(), LinearOrdinalClassifier(), "one_se", sizes=[1, 2, 3, 4, 8], cv=3, random_state=0
    ).fit(X, y)
    assert set(selector.order_[:3]) == {0, 1, 2}
    assert 2 <= selector.n_features_ <= 5


# ------------------------------------------------------------------------- keeping none


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rule", ["best", "one_se"])
def test_none_is_kept_as_the_reference_says(seed, rule, rng):
    """Weak signal, so that both answers occur; the guess and the choice fold by fold."""
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 5))
    X[:, 0] += 0.4 * y
    folds = list(StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y))
    options = {"cv": folds, "scoring": rank_loss_scorer, "random_state": 0}
    selector = CurveSelector(ReliefF(), GaussianNB(), rule, allow_none=True, **options).fit(X, y)
    usual = CurveSelector(ReliefF(), GaussianNB(), rule, **options).fit(X, y)
    helps = reference.beats_guessing(
        usual.curve_.sizes.tolist(), usual.curve_.scores.tolist(), y.tolist(), folds, rule
    )
    assert selector.helps_ == helps
    assert selector.n_features_ == (usual.n_features_ if helps else 0)
    assert_array_equal(selector.support_, usual.support_ & helps)
    assert not hasattr(usual, "helps_")


def test_both_answers_occur():
    kept = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 5)), np.arange(60) % 3
        X[:, 0] += (seed % 2) * 2 * y
        selector = CurveSelector(ReliefF(), GaussianNB(), allow_none=True, random_state=0)
        kept.append(selector.fit(X, y).support_.any())
    assert kept[1::2] == [True] * 4
    assert sum(kept[::2]) <= 1


def test_nothing_kept_is_an_empty_table(wine):
    X, y = wine[0], np.random.default_rng(0).permutation(wine[1])
    selector = CurveSelector(ReliefF(), GaussianNB(), allow_none=True, random_state=0).fit(X, y)
    assert not selector.support_.any()
    assert len(selector.get_feature_names_out()) == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (178, 0)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.set_output(transform="pandas").transform(X).shape == (178, 0)


def test_nothing_kept_of_intervals(rng):
    X, y = np.sort(rng.random((60, 3, 2)), axis=2), np.arange(60) % 2
    flat = FunctionTransformer(lambda values: values.reshape(len(values), -1))
    model = make_pipeline(flat, GaussianNB())
    selector = CurveSelector(IntervalRelief(), model, allow_none=True, random_state=1).fit(X, y)
    assert selector.n_features_ == 0
    assert selector.transform(X).shape == (60, 0, 2)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_the_guess_of_numbers_is_the_best_one(scoring):
    """A model that always answers the median gains over the mean, but is nothing but a guess."""
    from sklearn.dummy import DummyRegressor

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.exponential(size=200)
    median = DummyRegressor(strategy="median")
    selector = CurveSelector(
        LinearRegression(), median, scoring=scoring, allow_none=True, random_state=0
    ).fit(X, y)
    assert not selector.helps_
    signal = CurveSelector(
        LinearRegression(), LinearRegression(), scoring=scoring, allow_none=True, random_state=0
    ).fit(X, y + 2 * X[:, 1])
    assert signal.helps_
    assert signal.support_[1]


@pytest.mark.parametrize("labels", [["a", "b", "c"], [True, False], [10, 20, 30]])
def test_classes_of_every_type_can_keep_none(labels, rng):
    y = np.array(labels)[np.arange(90) % len(labels)]
    X = rng.normal(size=(90, 3))
    selector = CurveSelector(SelectKBest(), GaussianNB(), allow_none=True, random_state=0)
    X[:, 2] += 3 * (y == y[0])
    assert selector.fit(X, y).support_[2]
