"""What is seen in a table before any method runs, and the table as numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from echelon import as_intervals
from echelon.profile import constant_columns, is_nominal, is_number, text_columns
from echelon.profile._columns import has_common_scale, identifier_columns
from echelon.profile._scales import guess_order
from echelon.report import TableEncoder, profile


@pytest.mark.parametrize(
    "order",
    [
        ["low", "medium", "high"],
        ["Very low", "LOW", "moderate", "High", "very_high"],
        ["low risk", "medium risk", "high risk"],
        ["mild", "low", "medium", "high", "severe"],
        ["D", "C", "B", "A"],
        ["stage I", "stage II", "stage IV"],
        ["T1", "T2", "T10"],
        ["<18", "18-25", "26-35", "65+"],
        ["never", "sometimes", "always"],
    ],
)
def test_orders_are_guessed_from_any_permutation(order):
    for seed in range(5):
        assert guess_order(np.random.default_rng(seed).permutation(order).tolist()) == order


@pytest.mark.parametrize(
    "labels", [["setosa", "virginica"], ["red", "blue"], ["low", "tall"], ["A", "low"], ["I", "x1"]]
)
def test_other_labels_are_not_taken_for_ordered(labels):
    assert guess_order(labels) is None


@pytest.fixture
def table(rng):
    n = 60
    y = np.arange(n) % 3
    return pd.DataFrame(
        {
            "customerID": rng.permutation(n) + 5000,
            "row": np.arange(n),
            "name": [f"n{k}" for k in range(n)],
            "constant": 1,
            "empty": np.nan,
            "x": rng.normal(size=n),
            "twin": 0.0,
            "home": np.where(y == 0, "rent", np.where(y == 1, "own", "none")),
            "grade": y,
        }
    ).assign(twin=lambda t: t["x"])


def test_columns_that_tell_nothing_or_too_much(table):
    found = profile(table.drop(columns="grade"), table["grade"])
    assert found.constant == ["constant", "empty"]
    assert found.identifiers == ["customerID", "row", "name"]
    assert found.duplicated == [["x", "twin"]]
    assert found.giveaways == ["home"]
    assert found.nominal == ["home"]
    assert found.missing == {"empty": 60}
    said = " ".join(found.caveats)
    for text in ("x and twin are the same", "values of empty are missing"):
        assert text in said
    assert "home predicts the target almost perfectly: is it known in advance?" in found.warnings[0]
    assert found.method == "autoselector"
    assert found.selector(random_state=1).random_state == 1
    counted = dict(found.frame().itertuples(index=False, name=None))["features"]
    assert counted == "3, 1 of them categorical; 5 columns excluded"
    assert found.as_dict()["classes"] == {"0": 20, "1": 20, "2": 20}


def test_pairs_of_bounds_are_seen_unless_they_contradict(rng):
    low = rng.normal(size=(30, 2))
    X = pd.DataFrame({"min_a": low[:, 0], "max_a": low[:, 0] + 1, "min_b": low[:, 1]})
    X["max_b"] = low[:, 1] + rng.random(30)
    y = np.arange(30) % 2
    found = profile(X, y)
    assert (found.intervals, found.interval_pattern) == (["a", "b"], ("min_{}", "max_{}"))
    assert found.method == "intervalrelief"
    assert profile(as_intervals(X, "min_{}", "max_{}"), y).method == "intervalrelief"
    X.loc[3, "max_b"] = -99  # one mistake, which is refused when the intervals are made
    assert profile(X, y).intervals == ["a", "b"]
    X.loc[:9, "max_b"] = -99
    assert profile(X, y).intervals == ["a"]
    X.loc[:9, "max_a"] = -99
    assert profile(X, y).method == "autoselector"


def test_a_common_scale_is_not_one_made_by_scaling(rng):
    raw = pd.DataFrame(rng.gamma(2, 100, (40, 60)) * rng.gamma(2, 1, (40, 1)))
    assert has_common_scale(raw)
    assert profile(raw.rename(columns=str), np.arange(40) % 2).common_scale
    assert not has_common_scale((raw - raw.mean()) / raw.std(ddof=0))
    assert not has_common_scale((raw - raw.min()) / (raw.max() - raw.min()))
    assert not has_common_scale(raw * 10.0 ** np.arange(60))


def test_the_encoder_scales_fills_and_splits(rng):
    X = pd.DataFrame(
        {
            "number": [1.0, 3.0, np.nan, 5.0],
            "level": pd.Categorical(["lo", "hi", None, "hi"], ["lo", "hi"], ordered=True),
            "label": ["a", "b", "a", None],
            "objects": pd.Series([1, 2, 3, 4], dtype=object),
        }
    )
    encoder = TableEncoder().fit(X)
    encoded = encoder.transform(X)
    assert encoded.shape == (4, 5)
    assert_allclose(encoded.mean(axis=0), 0, atol=1e-12)
    assert_allclose(encoded[:, 0], np.array([-2, 0, 0, 2]) / np.sqrt(8 / 3))
    assert_array_equal(encoded[2, :2], 0)
    other = X.iloc[:1].assign(label="never seen")
    assert_allclose(encoder.transform(other)[0, :3], encoded[0, [0, 1, 2]])
    assert np.isfinite(encoder.transform(other)).all()
    assert TableEncoder(max_labels=1).fit_transform(X).shape == (4, 4)


def test_the_encoder_sees_intervals_as_middle_and_width():
    X = as_intervals(pd.DataFrame({"t_min": [0.0, 2.0, 4.0], "t_max": [2.0, 2.0, 12.0]}))
    encoder = TableEncoder().fit(X)
    assert_allclose(encoder.mean_, [np.mean([1, 2, 8]), np.mean([2, 0, 8])])


def test_numbers_that_never_repeat_where_chance_would_are_identifiers(rng):
    given_out = pd.DataFrame({"x": rng.permutation(3000)[:200]})  # 200 of 3,000: 6.6 repeats
    assert identifier_columns(given_out) == []
    assert identifier_columns(given_out[:0]) == []
    for many in (rng.permutation(60) + 17, rng.permutation(1500)[:200] * 1.0):
        assert identifier_columns(pd.DataFrame({"x": many})) == ["x"]
    assert identifier_columns(pd.DataFrame({"x": rng.permutation(60) / 10})) == []
    measured = np.append(rng.permutation(60), 3)
    assert identifier_columns(pd.DataFrame({"x": measured})) == []


# ------------------------------------------------------------------------------------- raw input


def test_helpers_take_what_a_user_passes():
    values = np.array([[1.0, 2.0, np.nan], [1.0, 3.0, np.nan], [1.0, 2.0, np.nan]])
    remarks = [[f"no {k}", "own" if k % 2 else "rent"] for k in range(60)]
    for made in (np.asarray, np.ndarray.tolist, pl.DataFrame, pd.DataFrame):
        names = getattr(made(values), "columns", range(3))
        assert constant_columns(made(values)) == [names[0], names[2]]
    assert text_columns(remarks) == [0]
    assert text_columns(pl.DataFrame(remarks, schema=["a", "b"], orient="row")) == ["a"]


@pytest.mark.parametrize("helper", [constant_columns, text_columns])
def test_helpers_refuse_in_one_sentence(helper):
    with pytest.raises(ValueError, match="must have rows and columns"):
        helper([1, 2, 3])
    with pytest.raises(TypeError, match="`X` is a dict"):
        helper({"a": [1, 2]})
    with pytest.raises(TypeError, match="when"):
        helper(pd.DataFrame({"when": pd.date_range("2024-01-01", periods=3)}))


@pytest.mark.parametrize("helper", [is_nominal, is_number])
def test_helpers_of_one_column_need_one(helper):
    with pytest.raises(TypeError, match=r"must be a pandas Series, got list\. Pass"):
        helper([1, 2])
