"""Tables of other libraries, and numbers that no float holds: taken, or refused in one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

from echelon import (
    CurveSelector,
    ForestImportance,
    IntervalKMeans,
    IntervalRelief,
    LinearOrdinalClassifier,
    OrdinalDecomposition,
    OReliefF,
    RelevanceBounds,
    Relief,
    ReliefF,
    Simba,
)
from echelon.profile import profile
from echelon.report import summarize
from estimator_cases import SELECTORS, made

X = np.random.default_rng(0).normal(size=(24, 3))
Y = np.arange(24) % 3
FRAME = pd.DataFrame(X, columns=list("abc"))

# What some say of data that are small: a model without features, too few features for knockoffs.
quiet = pytest.mark.filterwarnings(
    "ignore:The best model at C|.*features or none, so none is selected:UserWarning"
)


class Stream:
    """A table that has nothing but the stream of Arrow."""

    columns = ("a", "b", "c")

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(FRAME).__arrow_c_stream__(requested_schema)


class Interchange:
    """A table that has nothing but the interchange of data frames."""

    def __dataframe__(self, **options):
        return FRAME.__dataframe__(**options)


@pytest.mark.filterwarnings("ignore:`X` has 3 features, but at `error_rate`:UserWarning")
@quiet
@pytest.mark.parametrize("estimator", SELECTORS)
def test_tables_of_arrow_are_read_as_frames(estimator):
    expected = made(estimator).fit(FRAME, Y)
    for table in (pa.table(FRAME), pa.record_batch(FRAME)):
        fitted = made(estimator).fit(table, pa.array(Y))
        np.testing.assert_array_equal(fitted.ranking_, expected.ranking_)
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore:The Dataframe Interchange Protocol:Warning")
@pytest.mark.parametrize("table", [Stream(), Interchange()])
def test_any_table_of_the_protocols_is_read(table):
    expected = ReliefF().fit(FRAME, Y).scores_
    np.testing.assert_array_equal(ReliefF().fit(table, Y).scores_, expected)


def test_ordered_categories_of_arrow_keep_their_order():
    grades = pd.Categorical.from_codes(Y, ["low", "mid", "high"], ordered=True)
    column = pa.Array.from_pandas(pd.Series(grades))
    assert column.type.ordered
    assert RelevanceBounds(C=1.0).fit(X, column).classes_.tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize("estimator", SELECTORS)
def test_arrow_columns_that_share_a_name(estimator):
    table = pa.table([X[:, 0], X[:, 1]], names=["a", "a"])
    with pytest.raises(ValueError, match="Two columns of `X` are named 'a'"):
        made(estimator).fit(table, Y)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_numbers_too_large_for_a_float(estimator):
    values = X.astype(object)
    values[0, 0] = 10**400
    for samples in (values, pd.DataFrame(values, columns=list("abc"), dtype=object)):
        with pytest.raises(ValueError, match="too large for a float"):
            made(estimator).fit(samples, Y)


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), RidgeClassifier()])
def test_numbers_too_large_for_the_classifier_of_a_decomposition(model):
    values = X.astype(object)
    values[0, 0] = 10**400
    fitted = OrdinalDecomposition(model).fit(X, Y)
    for refused in (lambda: clone(fitted).fit(values, Y), lambda: fitted.predict(values)):
        with pytest.raises(ValueError, match="Input X contains numbers too large for a float"):
            refused()


def test_numbers_too_large_for_the_trees_of_a_forest():
    huge = X * [2.0**1000, 1.0, -(2.0**130)]
    expected = ForestImportance(random_state=0).fit(X * [1, 1, -1], Y).scores_
    np.testing.assert_array_equal(ForestImportance(random_state=0).fit(huge, Y).scores_, expected)


def test_a_profile_of_numbers_near_the_largest():
    signs = np.where(np.arange(24) % 2, 1.0, -1.0)[:, None]
    huge = np.abs(X) * signs * 5e307
    found = profile(huge, Y)
    assert not found.identifiers
    assert found.constant == []


def test_coefficients_too_large_for_a_float():
    tiny = (X + Y[:, None]) * 1e-310
    with pytest.raises(ValueError, match="its coefficient is too large for a float"):
        LinearOrdinalClassifier(C=1.0).fit(tiny, Y)


@pytest.mark.parametrize("estimator", [Relief, ReliefF, OReliefF])
def test_na_in_an_array_of_objects_is_a_gap(estimator):
    values, gaps = X.astype(object), X.copy()
    values[0, 0], gaps[0, 0] = pd.NA, np.nan
    fitted, expected = made(estimator).fit(values, Y), made(estimator).fit(gaps, Y)
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)


ODD_TABLES = [
    (None, ValueError, "must have rows and columns"),
    (X[:, 0], ValueError, "must have rows and columns"),
    (pd.DataFrame(), ValueError, "0 sample"),
    (FRAME[[]], ValueError, "0 feature"),
    (sparse.csr_array(X), TypeError, r"Sparse `X`.*X\.toarray"),
    (pl.DataFrame(X).lazy(), TypeError, r"pass X\.collect\(\)"),
    ({"a": X[:, 0]}, TypeError, "a dict"),
    (pd.DataFrame(X, columns=list("aab")), ValueError, "Two columns of `X` are named 'a'"),
]


@pytest.mark.parametrize(("table", "error", "message"), ODD_TABLES)
def test_profiles_and_reports_say_the_same_as_estimators(table, error, message):
    with pytest.raises(error, match=message):
        profile(table, Y)
    with pytest.raises(error, match=message):
        summarize(table, Y, ReliefF())


@pytest.mark.parametrize(("table", "error", "message"), ODD_TABLES)
def test_curve_selector_says_the_same_as_the_selectors_within(table, error, message):
    with pytest.raises(error, match=message):
        CurveSelector(ReliefF(), LogisticRegression()).fit(table, Y)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_true_is_no_number(estimator):
    numbers = ("n_features_to_select", "sample_size", "n_restarts", "n_neighbors", "n_bins")
    for name in set(numbers) & set(estimator().get_params()):
        with pytest.raises(ValueError, match=f"'{name}'.*Got True"):
            made(estimator, **{name: True}).fit(X, Y)


def test_true_is_no_number_of_clusters():
    with pytest.raises(ValueError, match=r"'n_clusters'.*Got True"):
        IntervalKMeans(n_clusters=True).fit(X)
    with pytest.raises(ValueError, match=r"'n_restarts'.*Got True"):
        Simba(n_restarts=True).fit(X, Y)


@pytest.mark.parametrize("value", [np.nan, 0.0, 7.0])
@pytest.mark.parametrize("margin", ["prototype", "componentwise", "nearest"])
def test_intervals_that_never_vary_are_not_kept(value, margin):
    bounds = np.stack([X, X + 1], axis=2)
    bounds[:, 1] = value, value + 2
    assert IntervalRelief(margin=margin, threshold=-5.0).fit(bounds, Y).support_.tolist() == [
        True,
        False,
        True,
    ]
    nothing = np.full((24, 3, 2), value)
    assert not IntervalRelief(margin=margin).fit(nothing, Y).support_.any()


def test_intervals_of_no_feature_are_refused():
    with pytest.raises(ValueError, match="0 feature"):
        IntervalRelief().fit(np.zeros((24, 0, 2)), Y)


@quiet
def test_half_precision_and_a_frame_of_ordered_categories_as_targets():
    values = np.random.default_rng(1).normal(size=24)
    half = RelevanceBounds(C=1.0, random_state=0).fit(X, values.astype("f2"))
    single = RelevanceBounds(C=1.0, random_state=0).fit(X, values.astype("f2").astype(float))
    np.testing.assert_array_equal(half.intervals_, single.intervals_)
    grades = pd.DataFrame({"grade": pd.Categorical(Y, ordered=True)})
    with pytest.warns(UserWarning, match="column-vector"):
        assert RelevanceBounds(C=1.0).fit(X, grades).problem_ == "ordinal"


def test_a_rate_that_takes_too_many_probes():
    with pytest.raises(ValueError, match="`false_positive_rate` must be at least 1e-06"):
        RelevanceBounds(C=1.0, false_positive_rate=1e-320).fit(X, Y)


def test_dates_beside_numbers_are_refused_by_the_classifier():
    frame = FRAME.assign(when=pd.Timestamp("2024-01-01"))
    with pytest.raises(TypeError, match=r"^[^\n]+$"):
        OrdinalDecomposition(LogisticRegression()).fit(frame, Y)
