"""A forest on cumulative indicators: what it computes, and that the order helps."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import cross_val_score

import reference_evaluation as reference
from echelon import OrdinalForest
from echelon.evaluation import rank_loss_scorer


def grades(rng, n=120, p=4, k=5):
    X = rng.normal(size=(n, p))
    return X, np.digitize(X[:, 0] + 0.5 * rng.normal(size=n), np.linspace(-1, 1, k - 1))


@pytest.mark.parametrize("trees", ["extra", "random"])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_are_shares_of_the_leaves(trees, k, weighted, rng):
    X, y = grades(rng, k=k)
    weights = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    model = OrdinalForest(7, trees=trees, random_state=0, max_depth=3)
    if trees == "random":  # without bags, so that every sample is in every tree
        model.fit(X, y, sample_weight=weights)
        model.forest_.set_params(bootstrap=False)
        above = (y[:, None] > np.arange(k - 1)).astype(float)
        model.forest_.fit(X, above if k > 2 else above[:, 0], weights)
    else:
        model.fit(X, y, sample_weight=weights if weighted else None)
    leaves = [tree.apply(X.astype(np.float32)).tolist() for tree in model.forest_.estimators_]
    expected = reference.forest_shares(leaves, y.tolist(), weights.tolist(), k)
    assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    median = [reference.median_class(shares) for shares in expected]
    assert_array_equal(model.predict(X), median)
    mode = model.set_params(answer="mode").predict(X)
    assert_array_equal(mode, np.argmax(expected, axis=1))


def test_the_criterion_is_ordinal_gini(rng):
    """The squared error of all indicators in a node is the ordinal Gini impurity of its classes."""
    for _ in range(50):
        y = rng.integers(0, 5, rng.integers(2, 30)).tolist()
        above = np.array(y)[:, None] > np.arange(4)
        assert_allclose(above.var(axis=0).sum(), reference.ordinal_gini(y, 5), atol=1e-12)


def test_the_order_helps(rng):
    X, y = grades(rng, 400, 6)
    model = OrdinalForest(50, random_state=0)
    unordered = ExtraTreesClassifier(50, min_samples_leaf=2, random_state=0)
    ours, theirs = (
        -cross_val_score(each, X, y, scoring=rank_loss_scorer).mean() for each in (model, unordered)
    )
    assert ours < theirs


def test_labels_missing_values_weights_and_threads(rng):
    X, y = grades(rng, k=3)
    X[rng.random(X.shape) < 0.1] = np.nan
    labels = pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True)
    model = OrdinalForest(20, random_state=0, n_jobs=1).fit(X, labels)
    assert model.classes_.tolist() == ["low", "mid", "high"]
    assert set(model.predict(X)) <= {"low", "mid", "high"}
    assert_allclose(model.feature_importances_.sum(), 1)
    assert model.feature_importances_.argmax() == 0
    again = OrdinalForest(20, random_state=0, n_jobs=2).fit(X, labels)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    given = OrdinalForest(20, random_state=0, class_order=["low", "mid", "high"])
    assert_array_equal(given.fit(X, np.asarray(labels)).predict(X), model.predict(X))
    # A row of weight 0 is not there.
    weights = (np.arange(len(y)) % 4 > 0).astype(float)
    there = weights > 0
    some = OrdinalForest(20, random_state=0).fit(X, labels, sample_weight=weights)
    same = OrdinalForest(20, random_state=0).fit(X[there], labels[there])
    assert_array_equal(some.predict_proba(X), same.predict_proba(X))


def test_labels_of_features_are_refused(rng):
    X = pd.DataFrame({"a": rng.normal(size=20), "b": ["u", "v"] * 10})
    with pytest.raises(TypeError, match="Column 'b' of `X` holds labels, but trees"):
        OrdinalForest().fit(X, np.arange(20) % 3)
