"""Losses for ordered classes, and any classifier made to respect the order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mean_absolute_error, zero_one_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import reference_evaluation as reference
from echelon import OrdinalDecomposition
from echelon.evaluation import (
    f_measure_of_support,
    macro_mean_absolute_error,
    macro_mean_absolute_error_scorer,
    rank_loss,
    rank_loss_scorer,
)

ORDER = ["low", "medium", "high"]


@pytest.mark.parametrize("seed", range(8))
def test_losses(seed):
    rng = np.random.default_rng(seed)
    known, predicted = rng.integers(1, 6, (2, 30))
    for p in (0, 0.5, 1, 2):
        expected = reference.rank_loss(known.tolist(), predicted.tolist(), p)
        assert rank_loss(known, predicted, p=p) == pytest.approx(expected)
    assert rank_loss(known, predicted) == pytest.approx(mean_absolute_error(known, predicted))
    assert rank_loss(known, predicted, p=0) == pytest.approx(zero_one_loss(known, predicted))
    assert macro_mean_absolute_error(known, predicted) == pytest.approx(
        reference.macro_mean_absolute_error(known.tolist(), predicted.tolist())
    )


@pytest.mark.parametrize("loss", [rank_loss, macro_mean_absolute_error])
def test_labels_with_an_order(loss, rng):
    codes, predicted = rng.integers(0, 3, (2, 40))
    labels, guesses = np.array(ORDER)[codes], np.array(ORDER)[predicted]
    expected = loss(codes, predicted)
    assert loss(labels, guesses, class_order=ORDER) == expected
    assert loss(pd.Series(pd.Categorical(labels, ORDER, ordered=True)), guesses) == expected
    assert loss(pl.Series(labels, dtype=pl.Enum(ORDER)), guesses) == expected
    # A class without samples keeps its place.
    two = np.isin(labels, ["low", "high"])
    only = pd.Categorical(labels[two], ORDER, ordered=True)
    assert loss(only, guesses[two]) == loss(codes[two], predicted[two])
    with pytest.raises(ValueError, match="labels without a known order"):
        loss(labels, guesses)
    with pytest.raises(ValueError, match=r"`class_order` must list every class.*lacks"):
        loss(labels, guesses, class_order=ORDER[:2])


def test_errors_are_counted_in_classes_where_an_order_is_known(rng):
    codes, predicted = rng.integers(0, 5, (2, 40))
    classes = np.array([10, 20, 50, 80, 90])
    known = pd.Series(pd.Categorical(classes[codes], classes, ordered=True))
    assert rank_loss(known, classes[predicted]) == rank_loss(codes, predicted)
    assert rank_loss(known[:1], classes[codes[:1]] + 0.0) == 0
    # Numbers of a regression lie between classes, and not beyond them.
    four = pd.Categorical([10, 20, 50, 90], classes, ordered=True)
    assert rank_loss(four, [5.5, 15.0, 35.0, 95.0]) == pytest.approx((0 + 0.5 + 0.5 + 0) / 4)
    with pytest.raises(ValueError, match=r"must list every class.*lacks"):
        rank_loss(known, np.full(40, 11))
    assert rank_loss([10, 20], [10, 30]) == 5


def test_losses_of_bad_input():
    with pytest.raises(ValueError, match="`p` must be 0 or larger, got -1"):
        rank_loss([1], [1], p=-1)
    with pytest.raises(ValueError, match="inconsistent"):
        rank_loss([1, 2], [1])
    with pytest.raises(ValueError, match="at least one class"):
        rank_loss([], [])
    with pytest.raises(ValueError, match="contains NaN"):
        rank_loss([1.0, np.nan], [1.0, 2.0])


def test_scorers(rng):
    X = rng.normal(size=(90, 2))
    y = pd.Series(pd.Categorical(np.array(ORDER)[(np.argsort(np.argsort(X[:, 0])) // 30)], ORDER,
                                 ordered=True))  # fmt: skip
    model = LogisticRegression(C=1.0).fit(X, y)
    assert rank_loss_scorer(model, X, y) == -rank_loss(y, model.predict(X))
    for scorer in (rank_loss_scorer, macro_mean_absolute_error_scorer):
        search = GridSearchCV(model, {"C": [1e-4, 1.0]}, scoring=scorer, cv=3).fit(X, y)
        assert search.best_params_["C"] == 1.0


@pytest.mark.parametrize("seed", range(10))
def test_f_measure(seed):
    relevant, support = np.random.default_rng(seed).random((2, 6)) < 0.4
    expected = reference.f_measure(relevant.tolist(), support.tolist())
    assert f_measure_of_support(relevant, support) == pytest.approx(expected)
    assert f_measure_of_support(relevant, relevant) == 1


def test_f_measure_of_bad_input():
    with pytest.raises(ValueError, match="must be masks of True and False"):
        f_measure_of_support([0, 2], [True, False])
    with pytest.raises(ValueError, match="inconsistent"):
        f_measure_of_support([True, False, True], [True, False])


# --------------------------------------------------------------- OrdinalDecomposition


@pytest.fixture
def graded(rng):
    X = rng.normal(size=(200, 3))
    codes = np.digitize(X[:, 0] + 0.5 * rng.normal(size=200), [-1, 0, 0.8])
    return X, codes


def test_probabilities_are_those_of_the_reference(graded):
    X, codes = graded
    model = OrdinalDecomposition(GaussianNB()).fit(X, codes)
    above = [GaussianNB().fit(X, codes > k).predict_proba(X)[:, 1] for k in range(3)]
    expected = reference.class_probabilities(np.transpose(above).tolist())
    assert_allclose(model.predict_proba(X), expected)
    medians = [next(k for k in range(4) if sum(row[: k + 1]) >= 0.5 - 1e-12) for row in expected]
    assert_array_equal(model.predict(X), medians)
    model.set_params(answer="mode")
    assert_array_equal(model.predict(X), np.argmax(expected, axis=1))
    assert len(model.estimators_) == 3


def test_probabilities_are_valid_where_thresholds_disagree(graded):
    class Contrary(GaussianNB):
        """Sure of the higher thresholds, not of the lower ones."""

        def predict_proba(self, X):
            above = np.full(len(X), 1 - self.class_prior_[1])
            return np.column_stack([1 - above, above])

    X, codes = graded
    shares = OrdinalDecomposition(Contrary()).fit(X, codes).predict_proba(X)
    assert (shares >= 0).all()
    assert (shares == 0).any()
    assert_allclose(shares.sum(axis=1), 1)


def test_the_order_helps(rng):
    """A linear model cannot single out the middle of a line; its thresholds can."""
    X = rng.normal(size=(400, 1))
    y = np.digitize(X[:, 0], [-0.1, 0.1])
    ordered = OrdinalDecomposition(LogisticRegression(C=1000)).fit(X, y)
    assert ordered.score(X, y) > 0.95
    assert ordered.predict_proba(X).shape == (400, 3)


def test_without_probabilities(graded):
    X, codes = graded
    model = OrdinalDecomposition(LinearSVC()).fit(X, codes)
    assert not hasattr(model, "predict_proba")
    assert_array_equal(model.predict(X), sum(each.predict(X) for each in model.estimators_))
    assert model.score(X, codes) > 0.5


def test_class_orders(graded):
    X, codes = graded
    names = np.array(["d", "a", "c", "b"])
    expected = OrdinalDecomposition(GaussianNB()).fit(X, codes).predict(X)
    categories = pd.Series(pd.Categorical(names[codes], names, ordered=True))
    given = OrdinalDecomposition(GaussianNB(), class_order=names)
    for model in (
        given.fit(X, names[codes]),
        OrdinalDecomposition(GaussianNB()).fit(X, categories),
    ):
        assert_array_equal(model.classes_, names)
        assert_array_equal(model.predict(X), names[expected])
    with pytest.raises(ValueError, match="labels without a known order"):
        OrdinalDecomposition(GaussianNB()).fit(X, names[codes])


def test_around_a_pipeline_in_a_grid_search(graded):
    X, codes = graded
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = OrdinalDecomposition(make_pipeline(StandardScaler(), LogisticRegression()), n_jobs=2)
    name = "estimator__logisticregression__C"
    search = GridSearchCV(model, {name: [1e-5, 1.0]}, scoring=rank_loss_scorer).fit(frame, codes)
    assert search.best_params_[name] == 1.0
    assert_array_equal(search.best_estimator_.feature_names_in_, ["a", "b", "c"])
    with pytest.raises(ValueError, match="feature names"):
        search.predict(frame[["b", "a", "c"]])
