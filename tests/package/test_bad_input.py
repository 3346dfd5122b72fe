"""Wrong input: one sentence that names the parameter or value and says what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from test_contract import META, SELECTORS, WEIGHTING, taking

from echelon import (
    AutoSelector,
    ConsensusSelector,
    OReliefF,
    OSimba,
    RelevanceBounds,
    ReliefF,
    Simba,
)

X = np.random.default_rng(0).random((12, 3))
Y = np.arange(12) % 3
WITH_NAN, WITH_INF = X.copy(), X.copy()
WITH_NAN[0, 0], WITH_INF[0, 0] = np.nan, np.inf

ANY_TARGET = [RelevanceBounds, *taking("kind")]
CLASSES_ONLY = [selector for selector in SELECTORS if selector not in ANY_TARGET]

# (estimators, parameters, X, y, error, message)
BAD = [
    (SELECTORS, {}, X, np.zeros(12, int), ValueError, r"`y` has one class only \(.*0.*\)"),
    (SELECTORS, {}, X, Y[:-1], ValueError, "inconsistent numbers of samples"),
    (CLASSES_ONLY, {}, X, np.linspace(0, 1, 12), ValueError, "continuous"),
    (SELECTORS, {}, X, np.where(Y == 0, np.nan, Y), ValueError, "y contains NaN"),
    (SELECTORS, {}, X, np.where(Y == 0, np.inf, Y), ValueError, "y contains infinity"),
    (SELECTORS, {}, X, None, ValueError, "requires y to be passed"),
    (SELECTORS, {}, X[:0], Y[:0], ValueError, "0 sample"),
    (SELECTORS, {}, X[:, :0], Y, ValueError, "0 feature"),
    (SELECTORS, {}, X[0], Y, ValueError, "Expected 2D array|must have rows and col"),
    (SELECTORS, {}, X[:, :, None], Y, ValueError, "dim 3|3 dim"),
    (SELECTORS, {}, WITH_INF, Y, ValueError, "infinity"),
    ([Simba, OSimba, RelevanceBounds], {}, WITH_NAN, Y, ValueError, "contains NaN.*use ReliefF"),
    (SELECTORS, {}, sparse.csr_array(X), Y, TypeError, r"Sparse `X`.*X\.toarray\(\)"),
    (SELECTORS, {}, X.astype(str).astype(object) + "a", Y, ValueError, "could not convert"),
    (SELECTORS, {"n_features_to_select": 0}, X, Y, ValueError, "'n_features_to_select'.*Got 0"),
    (SELECTORS, {"n_features_to_select": 1.5}, X, Y, ValueError, r"'n_features_to_select'.*1\.5"),
    (WEIGHTING, {"threshold": "best"}, X, Y, ValueError, "'threshold'.*'best'"),
    (taking("engine"), {"engine": "abacus"}, X, Y, ValueError, "'engine'.*'abacus'"),
    (taking("n_jobs"), {"n_jobs": 0}, X, Y, ValueError, "n_jobs.*0"),
    ([ReliefF, OReliefF], {"n_neighbors": 0}, X, Y, ValueError, "'n_neighbors'.*Got 0"),
    ([ReliefF, OReliefF], {"n_neighbors": "ln"}, X, Y, ValueError, "'n_neighbors'.*'ln'"),
    ([ReliefF, OReliefF], {"metric": "cosine"}, X, Y, ValueError, "'metric'.*'cosine'"),
    ([ReliefF, OReliefF], {"ties": "random"}, X, Y, ValueError, "'ties'.*'random'"),
    ([ReliefF, OReliefF], {"sample_size": 13}, X, Y, ValueError, "`sample_size`.*12, got 13"),
    ([ReliefF, OReliefF], {"sample_size": 0}, X, Y, ValueError, "'sample_size'.*Got 0"),
    ([Simba, OSimba], {"n_epochs": 0}, X, Y, ValueError, "'n_epochs'.*Got 0"),
    ([Simba, OSimba], {"n_restarts": -1}, X, Y, ValueError, "'n_restarts'.*Got -1"),
    ([OReliefF, OSimba], {"dominance": "maybe"}, X, Y, ValueError, "'dominance'.*'maybe'"),
    ([OReliefF], {"contradictions": "x"}, X, Y, ValueError, "'contradictions'.*'x'"),
    (
        [OReliefF, OSimba],
        {"monotonic_cst": [1, 0]},
        X,
        Y,
        ValueError,
        r"shape \(3,\), got shape \(2,\)",
    ),
    ([OReliefF, OSimba], {"monotonic_cst": [1, 0, 2]}, X, Y, ValueError, "1, -1 and 0 only"),
    ([OReliefF, OSimba], {"monotonic_cst": [[1, 0, 1]]}, X, Y, ValueError, r"shape \(1, 3\)"),
    ([OReliefF, OSimba], {"monotonic_cst": [1, 0, "up"]}, X, Y, ValueError, "1, -1 and 0 only"),
    ([OReliefF, OSimba], {"class_order": [[0], [1]]}, X, Y, ValueError, "must be a flat list"),
    (SELECTORS, {}, {"a": [1, 2]}, Y, TypeError, r"a dict; pass a table"),
    (SELECTORS, {}, pl.LazyFrame({"a": [1, 2]}), Y, TypeError, r"pass X.collect\(\)"),
    (SELECTORS, {}, X.astype("M8[s]"), Y, TypeError, "convert dates and times to numbers"),
    (SELECTORS, {}, pd.DataFrame(X * 1j), Y, TypeError, "Column 0 of `X` has dtype complex"),
    ([OReliefF, OSimba], {"monotonic_cst": {"a": 1}}, X, Y, ValueError, "no column names"),
    ([OReliefF, OSimba], {"monotonic_cst": "up"}, X, Y, ValueError, "'monotonic_cst'.*'up'"),
    (
        [OReliefF, OSimba],
        {"monotonic_cst": [1, 0, 0], "categorical_features": [True, False, False]},
        X,
        Y,
        ValueError,
        "feature 0 is nominal",
    ),
    ([OReliefF, OSimba], {"class_order": [0, 1]}, X, Y, ValueError, r"it lacks \[2\]"),
    ([OReliefF, OSimba], {"class_order": [0, 1, 1]}, X, Y, ValueError, "must not repeat a class"),
    (
        taking("categorical_features"),
        {"categorical_features": [True]},
        X,
        Y,
        ValueError,
        "got 1 for 3 columns",
    ),
    (
        taking("categorical_features"),
        {"categorical_features": [5]},
        X,
        Y,
        ValueError,
        "from 0 to 2, got 5",
    ),
    (
        taking("categorical_features"),
        {"categorical_features": ["a"]},
        X,
        Y,
        ValueError,
        "no column names",
    ),
    (
        taking("categorical_features"),
        {"categorical_features": "auto"},
        X,
        Y,
        ValueError,
        "'categorical_features'",
    ),
]


@pytest.mark.parametrize(("estimators", "params", "samples", "y", "error", "message"), BAD)
def test_bad_input(estimators, params, samples, y, error, message):
    for estimator in estimators:
        with pytest.raises(error, match=message) as caught:
            estimator(**params).fit(samples, y)
        assert "\n" not in str(caught.value).strip() or "Reshape" in str(caught.value)


@pytest.mark.parametrize("estimator", [AutoSelector, ConsensusSelector])
@pytest.mark.parametrize(
    ("params", "samples", "y", "error", "message"), [row[1:] for row in BAD if row[0] is SELECTORS]
)
def test_bad_input_of_selectors_made_of_others(estimator, params, samples, y, error, message):
    with pytest.raises(error, match=message) as caught:
        META[estimator]().set_params(**params).fit(samples, y)
    assert "\n" not in str(caught.value).strip() or "Reshape" in str(caught.value)


@pytest.mark.parametrize("estimator", [OReliefF, OSimba])
def test_strings_without_an_order_are_refused(estimator):
    names = np.array(["low", "medium", "high"])[Y]
    for labels in (names, names.astype(object), pd.Series(names), pd.Categorical(names)):
        with pytest.raises(
            ValueError, match=r"`y` holds labels without a known order.*class_order=\[\"low\""
        ):
            estimator().fit(X, labels)


def test_methods_without_order_take_any_labels():
    names = np.array(["low", "medium", "high"])[Y]
    codes = np.array([1, 2, 0])[Y]  # alphabetical
    expected = ReliefF().fit(X, codes).scores_
    for labels in (names, names.astype(object), pd.Categorical(names), pd.Series(names)):
        np.testing.assert_array_equal(ReliefF().fit(X, labels).scores_, expected)


@pytest.mark.filterwarnings("ignore:`X` has 3 features, but at `error_rate`:UserWarning")
@pytest.mark.filterwarnings("ignore:The best model at C:UserWarning")
@pytest.mark.filterwarnings("ignore:.*features or none, so none is selected:UserWarning")
@pytest.mark.parametrize("estimator", SELECTORS)
def test_a_column_of_labels_warns(estimator):
    with pytest.warns(DataConversionWarning):
        estimator().fit(X, Y[:, None])


@pytest.mark.parametrize("estimator", taking("categorical_features"))
def test_columns_that_are_not_numbers_are_named(estimator):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["when"] = pd.Timestamp("2024-01-01")
    with pytest.raises(TypeError, match="Column 'when' of `X` has dtype datetime"):
        estimator().fit(frame, Y)
    frame["when"] = [None, "x", 3, *[2.5] * 9]
    with pytest.raises(TypeError, match="Column 'when'"):
        estimator().fit(frame, Y)
    frame["when"] = "text"
    with pytest.raises(TypeError, match="`categorical_features` says is nominal"):
        estimator(categorical_features=None).fit(frame, Y)
    with pytest.raises(ValueError, match="'z', which X does not have"):
        estimator(categorical_features=["z"]).fit(frame, Y)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_columns_that_share_a_name(estimator):
    with pytest.raises(ValueError, match="Two columns of `X` are named 'a'"):
        estimator().fit(pd.DataFrame(X, columns=["a", "a", "b"]), Y)
