"""LinearOrdinalClassifier: what it predicts, takes and refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import reference_bounds as reference
from echelon.bounds import LinearOrdinalClassifier
from echelon.evaluation import OrdinalDecomposition

MODELS = [
    LinearOrdinalClassifier(),
    LinearOrdinalClassifier("l2"),
    LinearOrdinalClassifier("elasticnet"),
    LinearOrdinalClassifier(solver="highs"),
]


@parametrize_with_checks(
    MODELS,
    expected_failed_checks=lambda _: {"check_classifiers_classes": "fits strings without order"},
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def graded(rng):
    X = rng.normal(size=(90, 4)) * [1.0, 10.0, 0.01, 1.0] + [0.0, 5.0, 0.0, -3.0]
    value = X[:, 0] + X[:, 1] / 10 + 0.3 * rng.normal(size=90)
    return X, np.digitize(value, np.quantile(value, [0.25, 0.5, 0.75]))


@pytest.mark.parametrize("solver", ["interior-point", "highs"])
def test_the_optimum_is_that_of_the_paper(graded, solver):
    X, y = graded
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    optimum, weights, _ = reference.fit(reference.ordinal_rows(scaled, y), 4, 0.5)
    model = LinearOrdinalClassifier(C=0.5, solver=solver).fit(X, y)
    assert model.objective_ == pytest.approx(optimum)
    assert_allclose(model.coef_ * model.scale_, weights, atol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_prediction_is_the_first_threshold_not_exceeded(graded, model):
    X, y = graded
    model.fit(X, y)
    value = X @ model.coef_
    expected = [next((k for k, b in enumerate(model.thresholds_) if v <= b), 3) for v in value]
    assert_array_equal(model.predict(X), expected)
    assert_array_equal(model.decision_function(X).argmax(axis=1), expected)
    assert (np.diff(model.thresholds_) >= 0).all()
    assert_allclose(model.intercept_, -model.thresholds_)
    assert model.score(X, y) > 0.75


def test_two_classes_have_one_distance(graded):
    X, y = graded
    model = LinearOrdinalClassifier().fit(X, y > 1)
    distance = model.decision_function(X)
    assert distance.shape == (90,)
    assert_allclose(distance, X @ model.coef_ + model.intercept_[0], atol=1e-9)
    assert_array_equal(model.predict(X), distance > 0)


def test_scale_and_shift_do_not_matter(graded):
    X, y = graded
    model = LinearOrdinalClassifier().fit(X, y)
    moved = LinearOrdinalClassifier().fit(X * 1e6 + 1e8, y)
    assert_allclose(moved.coef_ * moved.scale_, model.coef_ * model.scale_, atol=1e-4)
    assert_array_equal(moved.predict(X * 1e6 + 1e8), model.predict(X))


def test_labels_of_every_kind(graded):
    X, y = graded
    expected = LinearOrdinalClassifier().fit(X, y)
    names = np.array(["low", "fair", "good", "best"])
    gaps = np.array([-3, 0, 7, 100])
    for labels, order in (
        (gaps[y], None),
        (names[y], list(names)),
        (pd.Series(pd.Categorical(names[y], names, ordered=True)), None),
        (pl.Series(names[y].tolist(), dtype=pl.Enum(names.tolist())), None),
    ):
        model = LinearOrdinalClassifier(class_order=order).fit(X, labels)
        assert_allclose(model.coef_, expected.coef_)
        assert_array_equal(model.predict(X), model.classes_[expected.predict(X)])
    with pytest.raises(ValueError, match="labels without a known order"):
        LinearOrdinalClassifier().fit(X, names[y])


def test_frames_and_ordered_categories():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = LinearOrdinalClassifier().fit(X, y)
    assert_array_equal(model.feature_names_in_, X.columns)
    assert_array_equal(
        model.predict(X), LinearOrdinalClassifier().fit(X.to_numpy(), y).predict(X.to_numpy())
    )
    levels = pd.cut(X["proline"], 5, labels=list("abcde"))
    codes = levels.cat.codes.astype(float)
    as_levels, as_codes = X.assign(proline=levels), X.assign(proline=codes)
    assert_array_equal(
        LinearOrdinalClassifier().fit(as_levels, y).predict(as_levels),
        LinearOrdinalClassifier().fit(as_codes, y).predict(as_codes),
    )


def test_constant_features_have_no_weight(graded):
    X, y = graded
    X[:, 1] = 0.1
    for model in MODELS[:3]:
        assert model.fit(X, y).coef_[1] == 0
    alone = LinearOrdinalClassifier().fit(X[:, [1]], y)
    assert_array_equal(alone.coef_, [0.0])
    assert len(alone.predict(X[:, [1]])) == 90


def test_the_penalties_differ(graded):
    X, y = graded
    l1, l2, both = (
        LinearOrdinalClassifier(penalty, C=0.02).fit(X, y) for penalty in ("l1", "l2", "elasticnet")
    )
    assert (l1.coef_ == 0).any()
    assert (l2.coef_ != 0).all()
    assert (both.coef_ == 0).sum() <= (l1.coef_ == 0).sum()
    same = LinearOrdinalClassifier("elasticnet", C=0.02, l1_ratio=1.0).fit(X, y)
    assert_allclose(same.coef_, l1.coef_, atol=1e-6)
    same = LinearOrdinalClassifier("elasticnet", C=0.02, l1_ratio=0.0).fit(X, y)
    assert_allclose(same.coef_, l2.coef_, atol=1e-6)


def test_bad_options_are_named(graded):
    X, y = graded
    with pytest.raises(ValueError, match='`penalty` must be "l1" for solver="highs", got \'l2\''):
        LinearOrdinalClassifier("l2", solver="highs").fit(X, y)
    for params in ({"C": 0}, {"l1_ratio": 2.0}, {"penalty": "l0"}, {"solver": "simplex"}):
        with pytest.raises(ValueError, match=next(iter(params))):
            LinearOrdinalClassifier(**params).fit(X, y)


def test_a_fit_that_stalls_warns(graded, monkeypatch):
    monkeypatch.setattr("echelon.bounds._interior_point.MAX_ITERATIONS", 2)
    with pytest.warns(ConvergenceWarning, match="only known to be within"):
        LinearOrdinalClassifier("l2").fit(*graded)


def test_it_is_made_for_accuracy_and_not_for_the_error_in_classes():
    """What its notes say of weak features: more often right than the median class, further off.

    Three features of effect 0.3, five classes of equal size; mean over ten data sets.
    """
    rows = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2200, 6))
        value = 0.3 * X[:, :3].sum(axis=1) + rng.normal(size=2200)
        y = np.digitize(value, np.quantile(value, [0.2, 0.4, 0.6, 0.8]))
        train, test = slice(200), slice(200, None)
        models = LinearOrdinalClassifier(), OrdinalDecomposition(LogisticRegression())
        answers = [model.fit(X[train], y[train]).predict(X[test]) for model in models]
        answers.append(np.full(2000, np.median(y[train])))
        rows.append([np.abs(y[test] - each).mean() for each in answers])
        rows[-1] += [(y[test] == each).mean() for each in answers]
    linear, median, guess, linear_right, median_right, _ = np.mean(rows, axis=0)
    assert median < guess - 0.05
    assert linear > guess + 0.03
    assert linear_right > median_right + 0.01
