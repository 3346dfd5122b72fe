"""Feature columns of every kind are read for what they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import DataConversionWarning

from echelon import ReliefF
from echelon._core.samples import unit_scale
from echelon.data import read_columns
from echelon.targets import read_ordered_classes

N = 30


@pytest.fixture
def frame(rng):
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, N),
            "colour": rng.choice(["red", "green", "blue"], N),
            "shape": pd.Categorical(rng.choice(["round", "square"], N)),
            "mood": pd.Categorical(
                rng.choice(["bad", "so", "good"], N), ["bad", "so", "good"], ordered=True
            ),
            "smoker": rng.integers(0, 2, N).astype(bool),
            "income": rng.random(N),
        }
    )


def test_kinds_by_dtype(frame):
    columns = read_columns(frame, "from_dtype", allow_nan=True)
    assert columns.nominal.tolist() == [False, True, True, False, False, False]
    assert_array_equal(columns.values[:, 3], frame["mood"].cat.codes)
    assert_array_equal(columns.values[:, 4], frame["smoker"].astype(float))
    assert columns.names.tolist() == list(frame.columns)


def test_polars_reads_the_same(frame):
    other = pl.DataFrame(
        {
            name: pl.Series(
                name,
                frame[name].astype(object).tolist(),
                dtype={"mood": pl.Enum(["bad", "so", "good"]), "shape": pl.Categorical}.get(name),
            )
            for name in frame
        }
    )
    expected = read_columns(frame, "from_dtype", allow_nan=True)
    found = read_columns(other, "from_dtype", allow_nan=True)
    assert_array_equal(found.nominal, expected.nominal)
    y = np.arange(N) % 2
    assert_array_equal(ReliefF().fit(other, y).scores_, ReliefF().fit(frame, y).scores_)


def test_nominal_by_mask_index_and_name_agree(frame):
    numbers = frame.assign(colour=frame["colour"].factorize()[0])[["age", "colour", "income"]]
    y = np.arange(N) % 2
    expected = ReliefF().fit(frame[["age", "colour", "income"]], y).scores_
    by_name = ReliefF(categorical_features=["colour"]).fit(numbers, y).scores_
    by_mask = ReliefF(categorical_features=[np.bool_(False), True, False]).fit(numbers, y).scores_
    by_index = ReliefF(categorical_features=[np.int64(1)]).fit(numbers.to_numpy(), y).scores_
    for scores in (by_name, by_mask, by_index):
        assert_array_equal(scores, expected)


def test_an_array_of_strings_with_a_mask(frame):
    mixed = frame[["age", "colour"]].to_numpy(dtype=object)
    y = np.arange(N) % 2
    assert_array_equal(
        ReliefF(categorical_features=[False, True]).fit(mixed, y).scores_,
        ReliefF().fit(frame[["age", "colour"]], y).scores_,
    )


def test_missing_values_of_every_kind(frame):
    frame.loc[0, ["colour", "shape", "mood"]] = None
    frame["age"] = frame["age"].astype("Int64")
    frame.loc[1, "age"] = pd.NA
    frame["smoker"] = frame["smoker"].astype("boolean")
    frame.loc[2, "smoker"] = pd.NA
    values = read_columns(frame, "from_dtype", allow_nan=True).values
    assert_array_equal(np.argwhere(np.isnan(values)), [[0, 1], [0, 2], [0, 3], [1, 0], [2, 4]])
    assert np.isfinite(ReliefF().fit(frame, np.arange(N) % 2).scores_).all()


def test_single_precision_stays_single(frame):
    values = frame[["income"]].astype(np.float32).assign(colour=frame["colour"])
    assert read_columns(values, "from_dtype", allow_nan=True).values.dtype == np.float32
    assert read_columns(frame, "from_dtype", allow_nan=True).values.dtype == np.float64
    assert read_columns(np.ones((3, 2), np.float16), None, allow_nan=True).values.dtype == float


def test_unit_scale():
    X = np.array([[1.0, 5, np.nan, -1e308, 3], [3, 5, np.nan, 1e308, 1], [2, 5, np.nan, 0, 2]])
    numeric = np.array([True, True, True, True, False])
    expected = [[0, 0, np.nan, 0, 3], [1, 0, np.nan, 1, 1], [0.5, 0, np.nan, 0.5, 2]]
    assert_array_equal(unit_scale(X, numeric), expected)


def test_single_precision_beside_nominal_columns(rng):
    X = (rng.integers(0, 7, (60, 4)) * 0.1).astype(np.float32)
    y = np.arange(60) % 3
    as_array = ReliefF(n_neighbors=3, categorical_features=[3]).fit(X, y)
    as_frame = ReliefF(n_neighbors=3, categorical_features=[3]).fit(pd.DataFrame(X), y)
    assert_array_equal(as_array.scores_, as_frame.scores_)
    assert read_columns(X, [3], allow_nan=True).values.dtype == np.float32


def test_masked_values_are_missing(rng):
    X = rng.random((N, 3))
    gaps = rng.random(X.shape) < 0.1
    y = np.arange(N) % 2
    masked = ReliefF().fit(np.ma.masked_array(X, gaps), y)
    assert_array_equal(masked.scores_, ReliefF().fit(np.where(gaps, np.nan, X), y).scores_)


def test_columns_named_by_tuples(rng):
    names = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")])
    frame = pd.DataFrame(rng.random((N, 3)), columns=names)
    columns = read_columns(frame, [("a", "y")], allow_nan=True)
    assert columns.nominal.tolist() == [False, True, False]
    assert columns.position(("b", "x"), "monotonic_cst") == 2


def test_labels_of_any_kind(rng):
    X = rng.random((N, 3))
    codes = np.arange(N) % 3
    expected = ReliefF().fit(X, codes).scores_
    for labels in (
        np.array([1, 2**63 + 5, 2**63 + 9], np.uint64),
        pd.interval_range(0, 3).to_numpy(),
        pd.period_range("2024-01", periods=3, freq="M").to_numpy(),
        pd.date_range("2024-01-01", periods=3).to_numpy(),
    ):
        selector = ReliefF().fit(X, labels[codes])
        assert_array_equal(selector.scores_, expected)
        assert_array_equal(selector.classes_, labels)


def test_ordered_targets_of_every_kind():
    names = ["low", "high", "low", "mid"]
    order = ["low", "mid", "high"]
    expected = [0, 2, 0, 1]
    for y, class_order in (
        (names, order),
        (pd.Categorical(names, order, ordered=True), None),
        (pd.Series(pd.Categorical(names, ["none", *order], ordered=True)), None),
        (pl.Series(names, dtype=pl.Enum(order)), None),
        ([1, 5, 1, 2], None),
        (np.array([1.0, 5.0, 1.0, 2.0]), None),
        (pd.Series([1, 5, 1, 2], dtype=object), None),
    ):
        labels, codes = read_ordered_classes(y, class_order)
        assert codes.tolist() == expected
        assert len(labels) == 3
    flags = np.array([True, False, True])
    for y, order in (
        (flags, None),
        (flags.astype(object), None),
        (flags, [False, True]),
        (pd.Categorical(flags, [False, True], ordered=True), None),
    ):
        labels, codes = read_ordered_classes(y, order)
        assert labels.tolist() == [False, True]
        assert codes.tolist() == [1, 0, 1]
    frame = pd.DataFrame({"y": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)})
    with pytest.warns(DataConversionWarning):
        assert read_ordered_classes(frame, None)[1].tolist() == [0, 1]
