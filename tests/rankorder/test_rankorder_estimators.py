"""Rank order: where elimination stops, the classifiers, the transformer, and bad input."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from echelon import BooleanOrder, RankOrderClassifier, RankOrderSelector
from echelon.datasets import make_rank_order
from echelon.rankorder import (
    boolean_order,
    class_centers,
    elimination_accuracy,
    kendall_distance,
    rank_order,
    spearman_distance,
    spoiler_counts,
    subset_divergence,
    tau_concordance,
)
from echelon.rankorder._classifier import kendall_kernel, squared_norms
from echelon.rankorder._orders import order_codes
from rankorder_cases import CLASSES_5, FIGURE_5, draw

# -------------------------------------------------------------------------- where to stop


def test_own_rule_keeps_the_smallest_set_that_loses_nothing():
    selector = RankOrderSelector().fit(FIGURE_5, CLASSES_5)
    assert selector.get_support(indices=True).tolist() == [0, 4, 5]
    assert selector.divergence_ == 0
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5, 6]
    assert selector.order_[::-1][:5].tolist() == selector.path_.feature.tolist()
    assert_array_equal(selector.ranking_[selector.order_], np.arange(1, 7))


def test_stopping_early_leaves_survivors_that_share_rank_1():
    selector = RankOrderSelector(4).fit(FIGURE_5, CLASSES_5)
    assert selector.path_.feature.tolist() == [1, 2]
    assert selector.ranking_.tolist() == [1, 3, 2, 1, 1, 1]
    assert selector.order_.tolist() == [0, 3, 4, 5, 2, 1]
    assert len(RankOrderSelector(6).fit(FIGURE_5, CLASSES_5).path_) == 0


def test_accuracy_after_every_removal():
    X, y = make_rank_order(3, 10, 4, 3, random_state=0)
    selector = RankOrderSelector(3).fit(X, y)
    accuracy = elimination_accuracy(selector, X, y, last=8)
    assert np.isnan(accuracy).tolist() == [True] * 2 + [False] * 6
    kept = np.delete(X, selector.path_.feature, axis=1)
    assert accuracy[-1] == cross_val_score(RankOrderClassifier(), kept, y, cv=5).mean()
    other = elimination_accuracy(selector, X, y, classifier=GaussianNB(), cv=3)
    assert other[0] == cross_val_score(GaussianNB(), X, y, cv=3).mean()
    with pytest.raises(NotFittedError):
        elimination_accuracy(RankOrderSelector(), X, y)
    with pytest.raises(ValueError, match="features"):
        elimination_accuracy(selector, X[:, 1:], y)


def test_max_divergence():
    whole = RankOrderSelector(1).fit(FIGURE_5, CLASSES_5).path_
    assert whole.divergence.round(3).tolist() == [0, 0, 0, 0.462, 1.099]
    for limit, n_left in ((0, 3), (0.4, 3), (0.4620981203732969, 2), (1, 2), (2, 1)):
        selector = RankOrderSelector(max_divergence=limit).fit(FIGURE_5, CLASSES_5)
        assert selector.support_.sum() == n_left
        assert_array_equal(selector.path_, whole[: 6 - n_left])
    both = RankOrderSelector(5, max_divergence=1).fit(FIGURE_5, CLASSES_5)
    assert both.support_.sum() == 5


def test_step_as_in_rfe():
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 30)), np.arange(20) % 2
    steps = RankOrderSelector(4, criterion="cdv", step=0.25).fit(X, y)  # seven at a time
    assert_array_equal(steps.path_, RankOrderSelector(4, criterion="cdv", step=7).fit(X, y).path_)
    assert (np.diff(steps.path_.value[:7]) >= 0).all()
    assert len(steps.path_) == 26
    one = RankOrderSelector(4, criterion="cdv").fit(X, y)
    assert_array_equal(RankOrderSelector(4, criterion="cdv", step=0.01).fit(X, y).path_, one.path_)


# ---------------------------------------------------------- the other estimators, and errors


def test_naive_bayes_equals_scikit_learn_on_the_columns():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 9)), rng.choice(["a", "b", "c"], 40, p=[0.5, 0.3, 0.2])
    for alpha in (1.0, 0.3):
        ours = RankOrderClassifier(alpha=alpha).fit(X[:30], y[:30])
        other = BernoulliNB(alpha=alpha).fit(boolean_order(X[:30]), y[:30])
        assert_allclose(
            ours.predict_log_proba(X), other.predict_log_proba(boolean_order(X)), atol=1e-9
        )
        assert_array_equal(ours.predict(X), other.predict(boolean_order(X)))
        assert_allclose(ours.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_naive_bayes_with_ties_and_gaps(seed):
    X, y = draw(seed)
    columns = boolean_order(X)
    scores = np.zeros((len(X), len(np.unique(y))))
    for c in range(scores.shape[1]):
        known = ~np.isnan(columns[y == c])
        p = (np.where(known, columns[y == c], 0).sum(axis=0) + 1) / (known.sum(axis=0) + 2)
        terms = columns * np.log(p) + (1 - columns) * np.log(1 - p)
        scores[:, c] = np.log((y == c).mean()) + np.nansum(terms, axis=1)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    assert_allclose(RankOrderClassifier().fit(X, y).predict_log_proba(X), scores, atol=1e-9)


def test_nearest_center():
    X, y = draw(2)
    model = RankOrderClassifier("center").fit(X, y)
    assert_array_equal(model.centers_, class_centers(X, y))
    distances = [[kendall_distance(row, center) for center in model.centers_] for row in X]
    assert_array_equal(model.predict(X), np.argmin(distances, axis=1))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_kendall_kernel_machine(seed):
    X, y = draw(seed)
    model = RankOrderClassifier("kernel", C=3.0).fit(X, y)
    signs = np.nan_to_num(2 * boolean_order(X) - 1)
    norms = np.sqrt(np.maximum((signs**2).sum(axis=1), 1))
    kernel = signs @ signs.T / norms / norms[:, None]
    expected = SVC(kernel="precomputed", C=3.0).fit(kernel, y)
    assert_allclose(model._kernel(order_codes(X)), kernel[:, np.argsort(y, kind="stable")])
    assert (model.predict(X) == expected.predict(kernel)).mean() >= 0.9  # rows in another order
    assert not hasattr(model, "predict_proba")


@parametrize_with_checks(
    [
        RankOrderClassifier("center"),
        RankOrderClassifier("kernel"),
        *(RankOrderSelector(criterion=criterion) for criterion in ("cdv", "kl", "ks")),
        RankOrderSelector(max_divergence=0.1),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_boolean_order_sparse_and_named():
    X, _ = draw(5)
    dense = BooleanOrder().fit_transform(X)
    assert_array_equal(dense, boolean_order(X))
    thin = BooleanOrder(sparse_output=True).fit_transform(X)
    assert thin.format == "csr"
    assert thin.nnz == np.count_nonzero(dense)
    assert_array_equal(thin.toarray(), dense)
    frame = pd.DataFrame([[1, 2, 2]], columns=["a", "b", "c"])
    out = BooleanOrder().set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["a<b", "a<c", "b<c"]
    assert out.to_numpy().tolist() == [[1, 1, 0.5]]
    with pytest.raises(ValueError, match="input_features should have length"):
        BooleanOrder().fit(X).get_feature_names_out(["a"])
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        BooleanOrder().fit(frame).get_feature_names_out(["u", "v", "w"])


GOOD = np.random.default_rng(0).random((8, 3))
LABELS = np.arange(8) % 2
GAP = np.where(np.arange(8)[:, None] == 3, np.nan, GOOD)
TAKING = [
    lambda X, y: RankOrderSelector().fit(X, y),
    lambda X, y: RankOrderClassifier().fit(X, y),
    lambda X, y: BooleanOrder().fit(X),
    lambda X, y: rank_order(X),
    lambda X, y: boolean_order(X),
    lambda X, y: tau_concordance(X),
    class_centers,
    spoiler_counts,
    lambda X, y: subset_divergence(X, y, [0]),
]


@pytest.mark.parametrize("function", TAKING)
def test_orders_that_are_none(function):
    with pytest.raises(ValueError, match="must have at least 2 features, got 1 feature"):
        function(GOOD[:, :1], LABELS)
    with pytest.raises(ValueError, match=r"known value in every row, got only NaN in row 3\."):
        function(GAP, LABELS)
    with pytest.raises(TypeError, match=r"Column 'b' of `X` holds labels.*Drop the column"):
        function(pd.DataFrame({"a": GOOD[:, 0], "b": "x"}), LABELS)
    with pytest.raises(ValueError, match="infinity"):
        function(np.where(GOOD[0, 0] == GOOD, np.inf, GOOD), LABELS)


def test_a_class_of_one_sample():
    with pytest.raises(ValueError, match="at least 2 samples of every class, got 1 of 'lone'"):
        RankOrderSelector().fit(GOOD, ["a"] * 7 + ["lone"])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "gini"}, "'criterion'.*'gini'"),
        ({"blanket_size": 0}, "'blanket_size'.*Got 0"),
        ({"max_divergence": -1}, "'max_divergence'.*Got -1"),
        ({"step": 0}, "'step'.*Got 0"),
        ({"step": 1.5}, r"'step'.*Got 1\.5"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        RankOrderSelector(**params).fit(GOOD, LABELS)


def test_bad_arguments():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        tau_concordance(GOOD[:1])
    with pytest.raises(ValueError, match=r"`y` has no samples\."):
        spoiler_counts(GOOD, [])
    with pytest.raises(ValueError, match="`n_jobs` must not be 0"):
        RankOrderClassifier("kernel", n_jobs=0).fit(GOOD, LABELS)


def test_features_of_a_divergence():
    frame = pd.DataFrame(GOOD, columns=list("abc"))
    expected = subset_divergence(GOOD, LABELS, [0, 1])
    for features in (["b", "a"], {"a", "b"}, {0, 1}, range(2), [True, True, False]):
        assert subset_divergence(frame, LABELS, features) == expected
    nothing = ([], [False] * 3, set())
    wrong = ([3], [-1], ["z"], [True], None, {"a": 1}, [[0, 1]], [["a"]], slice(2), [0.0])
    for features in (*nothing, *wrong, [0, 0], ["a", "a"]):
        with pytest.raises(ValueError, match=r"`features` must be a mask, .*, each once, got"):
            subset_divergence(frame, LABELS, features)


@pytest.mark.parametrize("distance", [kendall_distance, spearman_distance])
def test_orders_to_compare(distance):
    for a, b in (([1, 2], [1, 2, 3]), ([], []), (None, None)):
        with pytest.raises(ValueError, match=r"must order the same features, got \d and \d values"):
            distance(a, b)
    for a in (["a", "b"], [[1, 2]], {1, 2}):
        with pytest.raises(ValueError, match="`a` must be the values of one sample, got"):
            distance(a, [1, 2])
    known = distance([1, 3, 2], [1, 2, 3])
    for gap in (np.nan, None, pd.NA):
        assert distance([1, gap, 3, 2], [1, 1, 2, 3]) == known
    hidden = np.ma.masked_array([1, 9, 3, 2], [False, True, False, False])
    assert distance(hidden, [1, 1, 2, 3]) == known


def test_norms_are_the_kernel_of_a_sample_with_itself(rng):
    values = rng.integers(0, 6, (30, 8)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    codes = order_codes(values)
    np.testing.assert_array_equal(squared_norms(codes), np.diag(kendall_kernel(codes, codes)))
