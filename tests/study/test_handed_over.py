"""Data that were read once are handed to selectors that take them, and to no others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_classif

from echelon import ConsensusSelector, ForwardLinear, RankCorrelation, ReliefF
from echelon._core.samples import fit_weighted, take_rows
from echelon.data import Data, read_columns
from echelon.report import summarize
from echelon.study import Settings, design
from echelon.targets import read_target


@pytest.fixture
def study(rng):
    X = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"))
    X["label"] = rng.choice(["u", "v", "w"], 90)
    X.loc[::9, "b"] = np.nan
    y = np.digitize(X["a"] + rng.normal(size=90), [-0.5, 0.5])
    return design(X, read_target(y, "ordinal"), Settings(cv=3))


@pytest.mark.parametrize("selector", [ReliefF(), RankCorrelation(), ForwardLinear(n_bags=0)])
def test_the_same_bits_as_from_the_table(selector, study):
    for train, _ in study.splits.folds:
        handed = fit_weighted(
            selector, take_rows(study.data, train), study.target.take(train), None
        )
        order, names = handed.order_.copy(), handed.feature_names_in_.tolist()
        read = selector.fit(study.X.iloc[train], study.y.iloc[train])
        np.testing.assert_array_equal(read.order_, order)
        assert names == list(study.X.columns)


class Own(ReliefF):
    """A selector of the user's own, which reads X in its own way."""

    def _read(self, X, y):
        assert isinstance(X, pd.DataFrame)
        return super()._read(X, y)


def test_others_are_given_the_table(study):
    assert Own(categorical_features=None)._reads_data is False
    assert ReliefF(categorical_features=["a"])._reads_data is False
    numbers = study.X[["a", "c", "d"]]
    for selector in (Own(), SelectKBest(f_classif, k=1), ConsensusSelector([Own(), ReliefF()])):
        found = summarize(numbers, study.y, selector, n_resamples=0, cv=3).summary()
        assert found["answer"]["of"] == 3


def test_rows_of_data(study):
    data = study.data
    part = data.take(np.array([5, 3, 8]))
    assert isinstance(part, Data)
    again = read_columns(study.X.iloc[[5, 3, 8]])
    np.testing.assert_array_equal(part.values, again.values)
    pd.testing.assert_frame_equal(part.frame, study.X.iloc[[5, 3, 8]])
    pd.testing.assert_frame_equal(part.take(np.array([2, 0])).frame, study.X.iloc[[8, 5]])
    assert data.some([0, 4]).frame.shape == (90, 2)


def test_rows_of_a_target():
    target = read_target(["low", "high", "mid", "low"], class_order=["low", "mid", "high"])
    part = target.take(np.array([1, 3]))
    assert (part.labels.tolist(), part.codes.tolist()) == (["low", "high"], [1, 0])
    with pytest.raises(ValueError, match="class"):
        read_target(target.take(np.array([0, 3])))
    assert read_target(target) is target
    assert read_target(target, "classification").kind == "classification"
    numbers = read_target(np.linspace(0, 1, 40))
    assert numbers.take(np.array([0, 39])).values.tolist() == [0.0, 1.0]
    with pytest.raises(TypeError, match="holds numbers, not classes"):
        numbers.class_codes  # noqa: B018
