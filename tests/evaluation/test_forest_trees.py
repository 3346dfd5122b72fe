"""Our forests are scikit-learn's, tree by tree."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import ExtraTreesRegressor

from echelon import OrdinalForest
from echelon.filters import ExtraTrees


@pytest.fixture
def table(rng):
    X = rng.normal(size=(80, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.column_stack([np.nan_to_num(X[:, 0]) > 0, np.nan_to_num(X[:, 1]) > 0]).astype(
        float
    )


@pytest.mark.parametrize("params", [{}, {"max_samples": 30, "bootstrap": True}])
def test_trees_equal_those_of_scikit_learn(table, rng, params):
    X, y = table
    params |= {"max_features": 3, "min_samples_leaf": 2, "max_depth": 4, "random_state": 5}
    weights = rng.integers(1, 3, len(X)).astype(float)
    ours = ExtraTrees(12, **params).fit(X, y, weights)
    theirs = ExtraTreesRegressor(12, **params).fit(X, y, weights)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_array_equal(ours.feature_importances_, theirs.feature_importances_)
    for own, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert own.get_params() == other.get_params()


def test_a_number_of_columns_is_no_share(table):
    """One column, all columns, and a number of columns above all of them."""
    X, _ = table
    y = np.digitize(np.nan_to_num(X[:, 0]), [-0.5, 0.5])
    one, share, every, more = (
        OrdinalForest(10, max_features=each, random_state=0).fit(X, y)
        for each in (1, 1 / 6, 1.0, 200)
    )
    assert_array_equal(one.predict_proba(X), share.predict_proba(X))
    assert_array_equal(every.predict_proba(X), more.predict_proba(X))
    assert not np.array_equal(one.predict_proba(X), every.predict_proba(X))
