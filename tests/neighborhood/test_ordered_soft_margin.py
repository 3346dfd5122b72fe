"""OrderedSoftMargin: against plain loops, and what it promises."""

from contextlib import contextmanager, nullcontext

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine

import reference_ordered as reference
from cases import draw_case
from echelon import OrderedSoftMargin
from echelon.neighborhood import _ordered_soft_margin
from echelon.neighborhood._loops import last_distance

KINDS = ("ordinal", "classification", "regression")


def small_case(seed):
    """A case with a feature that varies, sometimes one twice, and a target of any kind."""
    case = draw_case(seed, max_samples=20)
    case.X = case.X[:, :4]
    case.nominal = case.nominal[:4]
    case.X[:2, 0] = 0, 1
    if seed % 3 == 0:
        case.X[:, -1] = case.X[:, 0]
        case.nominal[-1] = case.nominal[0]
    kind, answer = KINDS[seed % 7 % 3], ("mean", "median")[seed // 2 % 2]
    if kind == "regression":
        case.y = np.round(np.random.default_rng(seed).normal(size=len(case.y)), 1 + seed % 2 * 9)
    else:  # codes as the estimator numbers them
        case.y = np.unique(case.y, return_inverse=True)[1]
    return case, kind, answer


@contextmanager
def compiled():
    """Inputs of any size go to the compiled loops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ordered_soft_margin, "MOST_BY_ARRAYS", 0)
        yield patch


@pytest.fixture
def noisy(rng):
    """Rounded values with gaps and ties, 80 x 120; few columns tell something."""
    y = rng.integers(0, 4, 80)
    X = np.round(rng.normal(size=(80, 120)) + 0.5 * y[:, None] * (rng.random(120) < 0.1), 1)
    X[rng.random(X.shape) < 0.02] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(220))
def test_against_the_reference(seed):
    """Compiled, and then, if data are complete, by array operations."""
    case, kind, answer = small_case(seed)
    n = case.X.shape[1]
    selector = OrderedSoftMargin(
        n, n_neighbors=case.k, answer=answer, kind=kind, categorical_features=case.nominal
    )
    with compiled(), sklearn.config_context(working_memory=0 if seed % 5 == 0 else 1024):
        selector.fit(case.X, case.y)
    by_arrays = clone(selector).fit(case.X, case.y)
    assert_array_equal(by_arrays.order_, selector.order_)
    assert_allclose(by_arrays.path_.error, selector.path_.error, rtol=1e-9, atol=1e-12)
    assert_allclose(by_arrays.first_errors_, selector.first_errors_, rtol=1e-9, atol=1e-12)
    X, y, nominal = case.lists
    expected = reference.forward_answers(X, y, n, case.k, nominal, kind, answer)
    features, errors = zip(*expected, strict=True)
    assert_array_equal(selector.order_, features)
    assert_allclose(selector.path_.error, errors, rtol=1e-9, atol=1e-12)
    guess = reference.guess_error(y, kind, answer)
    assert_allclose(selector.guess_error_, guess)
    assert_allclose(selector.path_.gain, -np.diff([guess, *errors]) / guess, atol=1e-9)
    alone = [
        reference.leave_one_out_error(X, y, [f], case.k, nominal, kind, answer) for f in range(n)
    ]
    assert_allclose(selector.first_errors_, alone, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(24))
def test_shortlists_change_nothing(seed):
    """A list of near samples holds all neighbours, or all samples are looked at."""
    rng = np.random.default_rng(seed)
    digits = (0, 1, 9)[seed % 3]  # many ties, some, none
    X = np.round(rng.standard_t(2, size=(100, 14)), digits)
    nominal = rng.random(14) < 0.3 * (seed % 2)
    X[:, nominal] = np.round(X[:, nominal]) % 3
    kind = ("ordinal", "classification", "regression")[seed // 2 % 3]
    y = X[:, :3].sum(axis=1) + rng.normal(size=100)
    y = y if kind == "regression" else np.digitize(y, [-1, 0, 2])
    answer, n_neighbors = ("mean", "median")[seed // 3 % 2], 1 + seed % 9
    params = {"answer": answer, "n_neighbors": n_neighbors, "kind": kind}
    selector = OrderedSoftMargin(10, categorical_features=nominal, **params)
    with compiled() as patch:
        found = selector.fit(X, y).path_
        patch.setattr(_ordered_soft_margin, "FEW_CANDIDATES", 14)
        expected = selector.fit(X, y).path_
    assert_array_equal(found.feature, expected.feature)
    assert_allclose(found.error, expected.error, rtol=1e-12)


@pytest.mark.parametrize("places", [5, 40])
def test_the_last_place_is_among_the_samples_listed(places, rng):
    """Room that is left over from longer lists holds distances of others."""
    assert last_distance(rng.permutation(50) + 1.0, places, np.zeros(100)) == places


@pytest.mark.parametrize("n_neighbors", [9, 40])
@pytest.mark.parametrize("answer", ["mean", "median"])
def test_threads_memory_and_the_order_of_rows_do_not_matter(noisy, rng, answer, n_neighbors):
    X, y = noisy
    selector = OrderedSoftMargin(8, answer=answer, n_neighbors=n_neighbors)
    expected = selector.fit(X, y).path_
    assert_array_equal(selector.set_params(n_jobs=1).fit(X, y).path_, expected)
    with sklearn.config_context(working_memory=0):
        assert_array_equal(selector.set_params(n_jobs=4).fit(X, y).path_, expected)
    shuffled = rng.permutation(len(y))
    again = selector.fit(X[shuffled], y[shuffled]).path_
    assert_array_equal(again.feature, expected.feature)
    assert_allclose(again.error, expected.error)


def test_every_step_is_the_best_of_many(noisy):
    """Candidates that were given up were worse; the path is what the loops say."""
    X, y = noisy
    path = OrderedSoftMargin(3).fit(X, y).path_
    rows, nominal = X.tolist(), [False] * X.shape[1]
    for size in (1, 3):
        chosen = path.feature[:size].tolist()
        error = reference.leave_one_out_error(
            rows, y.tolist(), chosen, 9, nominal, "ordinal", "mean"
        )
        assert_allclose(path.error[size - 1], error)
    for other in np.setdiff1d(np.arange(120), path.feature)[:25].tolist():
        tried = [*path.feature[:2].tolist(), other]
        assert error <= 1e-12 + reference.leave_one_out_error(
            rows, y.tolist(), tried, 9, nominal, "ordinal", "mean"
        )


def test_reversed_classes_and_other_units_change_nothing(noisy):
    X, y = noisy
    for answer in ("mean", "median"):
        selector = OrderedSoftMargin(5, answer=answer)
        expected = selector.fit(X, y).path_
        for same in (selector.fit(X, 3 - y), selector.fit(7 - 1000 * X, y)):
            assert_array_equal(same.path_.feature, expected.feature)
            assert_allclose(same.path_.error, expected.error)


def test_single_precision_finds_the_ties_of_double(noisy):
    X, y = noisy
    expected = OrderedSoftMargin(6).fit(X, y)
    single = OrderedSoftMargin(6).fit(X.astype(np.float32), y)
    assert_array_equal(single.order_, expected.order_)
    assert_allclose(single.path_.error, expected.path_.error, rtol=1e-5)


def test_two_labels_count_as_much_as_their_codes(rng):
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    frame["home"] = rng.choice([0.0, 0.0, 1.0], 60)
    y = rng.integers(0, 4, 60)
    labels = frame.assign(home=frame["home"].map({0.0: "rent", 1.0: "own"}))
    expected = OrderedSoftMargin(3).fit(frame, y).path_
    found = OrderedSoftMargin(3).fit(labels, y).path_
    assert_array_equal(found.feature, expected.feature)
    assert_allclose(found.error, expected.error)


def test_features_that_act_together_are_found(rng):
    """Classes by the sum of two distances from the middle, which no trend shows."""
    X = rng.uniform(-1, 1, (300, 12))
    y = np.digitize(np.abs(X[:, 4]) + np.abs(X[:, 7]), [0.6, 1.0, 1.4])
    selector = OrderedSoftMargin().fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [4, 7]
    assert selector.kind_ == "ordinal"


def test_the_own_rule(rng):
    """The fewest features within ``min_gain`` of the smallest error met, with some patience."""
    X, y = load_diabetes(return_X_y=True)
    y = pd.qcut(y, 5, labels=False)
    selector = OrderedSoftMargin().fit(X, y)
    whole = OrderedSoftMargin(1.0).fit(X, y)
    n_kept, n_steps = selector.support_.sum(), len(selector.path_)
    assert_array_equal(selector.path_, whole.path_[:n_steps])
    errors = selector.path_.error / selector.guess_error_
    within = [k for k in range(1, n_steps + 1) if errors[:k].min() - errors.min() < 0.005]
    assert n_kept == within[0]
    assert n_steps in (min(n_kept + 4, 10), 10)
    assert (selector.ranking_ == n_steps + 1).sum() == X.shape[1] - n_steps
    two = OrderedSoftMargin(max_features=2).fit(X, y)
    assert two.order_.tolist() == whole.order_[:2].tolist()
    assert OrderedSoftMargin(min_gain=None, max_features=7).fit(X, y).support_.sum() == 7


def test_features_that_help_only_together_are_found(rng):
    """One alone is worse than a guess; the search does not end there."""
    X = rng.normal(size=(500, 20))
    y = np.digitize(X[:, :5].sum(axis=1) + 2 * rng.normal(size=500), [-3, -1, 1, 3])
    selector = OrderedSoftMargin().fit(X, y)
    assert selector.path_.gain[0] < 0.005
    assert set(range(5)) <= set(np.flatnonzero(selector.support_))


def test_noise_keeps_one(rng):
    noise = OrderedSoftMargin(min_gain=0.9).fit(rng.random((50, 4)), rng.integers(0, 3, 50))
    assert noise.support_.sum() == 1


def test_samples_are_drawn_where_there_are_more(rng):
    X = rng.normal(size=(1200, 6))
    y = np.digitize(X[:, 2] + 0.3 * rng.normal(size=1200), [-1, 0, 1])
    drawn = OrderedSoftMargin(2, random_state=0).fit(X, y)
    assert_array_equal(OrderedSoftMargin(2, random_state=0).fit(X, y).path_, drawn.path_)
    whole = OrderedSoftMargin(2, sample_size=None).fit(X, y)
    assert_array_equal(OrderedSoftMargin(2, sample_size=5000).fit(X, y).path_, whole.path_)
    assert drawn.path_.error[0] != whole.path_.error[0]
    assert drawn.order_[0] == whole.order_[0] == 2
    assert_allclose(drawn.path_.error, whole.path_.error, rtol=0.1)


def test_kinds_of_targets():
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert OrderedSoftMargin(2).fit(X, y).kind_ == "ordinal"
    named = y.map({0: "b", 1: "a", 2: "c"})
    unordered = OrderedSoftMargin(2).fit(X, named)
    assert unordered.kind_ == "classification"
    assert unordered.classes_.tolist() == ["a", "b", "c"]
    ordered = OrderedSoftMargin(2, class_order=["b", "a", "c"]).fit(X, named)
    assert_array_equal(ordered.path_, OrderedSoftMargin(2).fit(X, y).path_)
    assert ordered.classes_.tolist() == ["b", "a", "c"]
    numbers = unordered.fit(X.drop(columns="proline"), X["proline"])
    assert numbers.kind_ == "regression"
    assert not hasattr(numbers, "classes_")
    assert X.columns[numbers.order_[0]] in ("alcohol", "flavanoids", "color_intensity")


@pytest.mark.parametrize(
    ("n_samples", "n_features", "by_arrays"),
    [(500, 10, True), (500, 16, True), (500, 17, False), (1000, 4, True), (1000, 50, False)],
)
def test_arrays_or_loops_by_the_size_of_the_input_alone(
    n_samples, n_features, by_arrays, rng, monkeypatch
):
    class LoopedError(Exception):
        """The loops were called."""

    def refuse(*args):
        raise LoopedError

    monkeypatch.setattr(_ordered_soft_margin, "add_errors", refuse)
    X, y = rng.normal(size=(n_samples, n_features)), np.arange(n_samples) % 3
    with nullcontext() if by_arrays else pytest.raises(LoopedError):
        OrderedSoftMargin(1).fit(X, y)
    with pytest.raises(LoopedError):  # these are for the loops alone
        OrderedSoftMargin(1, answer="median").fit(X, y)
    X[0, 0] = np.nan
    with pytest.raises(LoopedError):
        OrderedSoftMargin(1).fit(X, y)


def test_thousands_of_columns(rng):
    y = np.arange(72) % 4
    X = rng.normal(size=(72, 7000))
    X[:, 4321] += 2 * y
    selector = OrderedSoftMargin(2).fit(X, y)
    assert selector.order_[0] == selector.first_errors_.argmin() == 4321


def test_gaps_do_not_look_good(rng):
    """Samples without a value get the guess, not a neighbour by luck."""
    y = rng.integers(0, 4, 100)
    X = np.column_stack([y + rng.normal(size=100), y + 0.1 * rng.normal(size=100)])
    X[5:, 1] = np.nan
    selector = OrderedSoftMargin(2).fit(X, y)
    assert selector.order_.tolist() == [0, 1]
    assert_allclose(selector.first_errors_[1], selector.guess_error_, rtol=0.15)


@pytest.mark.parametrize(
    ("params", "y", "message"),
    [
        ({"n_neighbors": 0}, [0, 1, 2] * 4, "'n_neighbors' parameter"),
        ({"answer": "mode"}, [0, 1, 2] * 4, "'answer' parameter"),
        ({"min_gain": -0.1}, [0, 1, 2] * 4, "'min_gain' parameter"),
        ({"sample_size": 1}, [0, 1, 2] * 4, "'sample_size' parameter"),
        ({"kind": "ordered"}, [0, 1, 2] * 4, "'kind' parameter"),
        ({"kind": "ordinal"}, ["a", "b", "c"] * 4, "labels without a known order"),
        ({"sample_size": 2, "random_state": 1}, [0] * 11 + [1], "`sample_size` must be large"),
        ({"n_features_to_select": 3}, [0, 1, 2] * 4, "`n_features_to_select` must be at most"),
    ],
)
def test_errors_name_the_parameter(params, y, message, rng):
    with pytest.raises(ValueError, match=message):
        OrderedSoftMargin(**params).fit(rng.random((12, 2)), y)
