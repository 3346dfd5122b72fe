"""Weights of samples through pipelines, searches and our own selectors around selectors."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from echelon import (
    CFS,
    SURF,
    AutoSelector,
    ConsensusSelector,
    CurveSelector,
    RankCorrelation,
    ReliefF,
)
from echelon.evaluation import feature_curve
from estimator_cases import ESTIMATORS, made

WEIGHTED = [e for e in ESTIMATORS if "sample_weight" in inspect.signature(e.fit).parameters]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, y, np.random.default_rng(0).integers(0, 4, len(y))


@pytest.mark.parametrize("estimator", WEIGHTED)
def test_weights_can_be_requested(estimator):
    with config_context(enable_metadata_routing=True):
        asking = made(estimator).set_fit_request(sample_weight=True)
        requests = asking.get_metadata_routing().fit.requests
    assert requests["sample_weight"] is True


@pytest.mark.parametrize("estimator", WEIGHTED)
def test_routing_changes_nothing(estimator, wine):
    X, y, weights = wine[0], wine[1], wine[2] / 2  # the median sample is itself, once
    params = {"allow_none": False} if estimator is CurveSelector else {}
    if "estimator" in inspect.signature(estimator).parameters and estimator is not AutoSelector:
        params["estimator"] = GaussianNB()  # one that takes weights
    if "selectors" in inspect.signature(estimator).parameters:
        params["selectors"] = [ReliefF(), SURF()]
    plain = made(estimator, **params).fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        routed = made(estimator, **params).fit(X, y, sample_weight=weights)
    for name in ("scores_", "support_", "score_"):
        if hasattr(plain, name):
            assert_array_equal(getattr(plain, name), getattr(routed, name))
    if hasattr(plain, "predict"):
        assert_array_equal(plain.predict(X), routed.predict(X))


def test_a_pipeline_passes_weights_on(wine):
    X, y, weights = wine
    alone = ReliefF(3).fit(X, y, sample_weight=weights)
    by_step = make_pipeline(ReliefF(3), GaussianNB()).fit(X, y, relieff__sample_weight=weights)
    assert_array_equal(by_step[0].scores_, alone.scores_)
    with config_context(enable_metadata_routing=True):
        routed = Pipeline(
            [
                ("select", ReliefF(3).set_fit_request(sample_weight=True)),
                ("model", LogisticRegression(max_iter=5000).set_fit_request(sample_weight=False)),
            ]
        ).fit(X, y, sample_weight=weights)
    assert_array_equal(routed[0].scores_, alone.scores_)
    assert not np.array_equal(alone.scores_, ReliefF(3).fit(X, y).scores_)


def test_a_grid_search_passes_weights_on(wine):
    X, y, weights = wine
    with config_context(enable_metadata_routing=True):
        pipeline = Pipeline(
            [
                ("select", ReliefF(3).set_fit_request(sample_weight=True)),
                ("model", GaussianNB().set_fit_request(sample_weight=True)),
            ]
        )
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        search = GridSearchCV(pipeline, {"select__n_features_to_select": [1, 3]}, scoring=scorer)
        search.fit(X, y, sample_weight=weights)
    best = search.best_estimator_[0]
    expected = ReliefF().fit(X, y, sample_weight=weights).scores_
    assert_array_equal(best.scores_, expected)


def test_a_consensus_gives_weights_to_all(wine):
    X, y, weights = wine
    rows = np.arange(len(y)).repeat(weights)
    consensus = ConsensusSelector([ReliefF(), SURF(kind="classification")])
    found = consensus.fit(X, y, sample_weight=weights).scores_
    assert_allclose(found, consensus.fit(X[rows], y[rows]).scores_)
    with pytest.raises(TypeError, match="CFS takes no weights"):
        ConsensusSelector([ReliefF(), CFS()]).fit(X, y, sample_weight=weights)


def test_a_curve_weighs_selector_model_and_score(wine):
    X, y, weights = wine
    folds = [(np.arange(0, 178, 2), np.arange(1, 178, 2))]
    curve = feature_curve(
        ReliefF(), GaussianNB(), X, y, sizes=[2, 4], cv=folds, sample_weight=weights
    )
    (train, test), size = folds[0], 4
    selector = ReliefF(size).fit(X[train], y[train], sample_weight=weights[train])
    kept = selector.order_[:size]
    model = GaussianNB().fit(X[train][:, np.sort(kept)], y[train], sample_weight=weights[train])
    expected = model.score(X[test][:, np.sort(kept)], y[test], sample_weight=weights[test])
    assert_array_equal(curve.orders[0], kept)
    assert curve.scores[1, 0] == expected


def test_a_curve_selector_fits_with_weights(wine):
    X, y, weights = wine
    # Nearest neighbours take no weights themselves.
    selector = CurveSelector(ReliefF(), KNeighborsClassifier(3), cv=3, random_state=0)
    selector.fit(X, y, sample_weight=weights)
    expected = ReliefF().fit(X, y, sample_weight=weights).order_
    assert_array_equal(selector.order_, expected[: len(selector.order_)])
    with pytest.raises(ValueError, match="`allow_none` must be False with"):
        selector.set_params(allow_none=True).fit(X, y, sample_weight=weights)


def test_the_automatic_choice_leaves_out_what_takes_no_weights(wine):
    X, y, weights = wine
    selector = AutoSelector(cv=3, weights_are="survey", random_state=0)
    members = selector.fit(X, y, sample_weight=weights).ranker_.selectors
    assert "neighbours" not in members
    assert "rank correlation" in members
    assert "neighbours" in AutoSelector().ranker("classification", len(X)).selectors
    assert RankCorrelation in WEIGHTED


@pytest.mark.slow
def test_the_automatic_choice_is_given_groups_and_weights_by_a_search(wine):
    """In a pipeline within a grid search: the folds of the selector keep groups whole, too."""
    X, y, weights = wine[0][::2, :3], wine[1][::2], wine[2][::2] + 1
    groups = np.arange(len(y)) // 3
    survey = {"cv": 2, "random_state": 0, "weights_are": "survey"}
    with config_context(enable_metadata_routing=True):
        selector = AutoSelector(n_features_to_select=2, **survey)
        selector.set_fit_request(groups=True, sample_weight=True)
        model = GaussianNB().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        search = GridSearchCV(
            Pipeline([("select", selector), ("model", model)]),
            {"select__n_features_to_select": [1, 2]},
            scoring=scorer,
            cv=GroupKFold(2),
        ).fit(X, y, groups=groups, sample_weight=weights)
    found = search.best_estimator_[0]
    alone = AutoSelector(n_features_to_select=found.support_.sum(), **survey)
    alone.fit(X, y, groups=groups, sample_weight=weights)
    assert_array_equal(found.support_, alone.support_)
    assert found.score_ == alone.score_
    assert found.score_ != AutoSelector(**alone.get_params()).fit(X, y).score_
