"""What reports are made of: features that say the same, numbers as text, ticks."""

import json

import numpy as np
import pandas as pd
import pytest

from echelon._core.by_class import Classes, describe
from echelon._core.words import counted, listed, number, plain, with_error
from echelon.profile._related import ALIKE, associations, groups_of
from echelon.report._layout import STRIP_WIDTH, cells_of, columns_of, round_ticks, strip
from reference_report import groups_alike, rank_correlation


def test_associations(rng):
    base = rng.normal(size=200)
    X = pd.DataFrame({
        "a": base, "b": -(base**3), "c": rng.normal(size=200),
        "sign": np.where(base > 0, "plus", "minus"),
        "sign again": np.where(base > 0, "p", "m"),
        "id": [f"row {k}" for k in range(200)],
    })  # fmt: skip
    X.loc[:9, "b"] = np.nan
    found = associations(X)
    np.testing.assert_array_equal(found, found.T)
    # Ranks are taken before gaps are left out, so not to the last digit.
    np.testing.assert_allclose(found[0, 1], 1.0, atol=1e-3)
    expected = abs(rank_correlation(base.tolist(), X["c"].tolist()))
    np.testing.assert_allclose(found[0, 2], expected)
    np.testing.assert_allclose(found[3, 4], 1.0, atol=0.01)
    assert 0.8 < found[0, 3] < 0.95
    assert found[5, :5].max() == 0, "what differs in every row tells nothing"


def test_groups(rng):
    for _ in range(20):
        factors = rng.normal(size=(60, 3))
        X = pd.DataFrame(factors[:, rng.integers(0, 3, 9)] + rng.normal(scale=0.5, size=(60, 9)))
        association = associations(X)
        assert groups_of(association) == groups_alike(association.tolist(), ALIKE)


def test_two_values_have_shares_class_by_class():
    classes = Classes(["a", "b"], np.array([0, 0, 0, 0, 1, 1, 1, 1]), False)
    found = describe(pd.Series([5, 5, 2, np.nan, 5, 2, 2, 2], name="x"), classes)
    assert found.labels == ["2", "5"]
    np.testing.assert_allclose(found.shares, [[1 / 3, 2 / 3], [0.75, 0.25]])
    assert found.present.tolist() == [3, 4]
    assert found.quantiles is not None
    for column in ([1, 2, 3, 1, 2, 3, 1, 2], [1.0] * 8):
        assert describe(pd.Series(column, name="x"), classes).shares is None
    truth = describe(pd.Series([True, False] * 4, name="x"), classes)
    np.testing.assert_allclose(truth.shares, 0.5)


@pytest.mark.parametrize(
    ("distribution", "ends"),
    [
        ({"kind": "numbers", "quantiles": [[0, 1, 2, 3, 4.5], [-1, 0, 1, 2, 3]]},
         ("-1", "", "4.50")),
        ({"kind": "numbers", "quantiles": [[2, 2, 2, 2, 2], [None] * 5]}, ("", "2", "")),
        ({"kind": "labels", "labels": ["no", "yes"], "shares": [[0.2, 0.8], [1, 0]]},
         ("0", "share of yes", "100 %")),
        ({"kind": "labels", "labels": ["a", "b", "c"], "shares": [[0.2, 0.7, 0.1], [1, 0, 0]]},
         ("0", "", "100 %")),
    ],
)  # fmt: skip
def test_axes_of_small_pictures(distribution, ends):
    drawn = strip({"distribution": distribution}, ["low", "high"])
    assert drawn["axis"] == ends
    assert drawn["height"] > drawn["base"]
    if ends[1].startswith("share"):
        bars = [[(x, width) for x, width, _ in row["bars"]] for row in drawn["rows"]]
        assert bars[0] == [(2.0, round(0.8 * (STRIP_WIDTH - 4), 1))], "of the second label alone"
        assert bars[1] == []


def test_plain_values():
    value = {1: np.float64("nan"), "x": [np.inf, np.int64(3), np.array([[1.5]]), None, {2}, object]}
    assert json.dumps(plain(value), allow_nan=False)
    assert plain(value)["1"] is None
    assert plain(value)["x"][:5] == [None, 3, [[1.5]], None, [2]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (12345, "12,345"), (0.12345, "0.123"), (1234.5, "1,234"), (1e-7, "1.00e-07"),
     (-0.5, "-0.500"), (None, "-"), (float("nan"), "-")],
)  # fmt: skip
def test_numbers_as_text(value, text):
    assert number(value) == text


def test_lists_and_errors_as_text():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed("abcdefg") == "a, b, c, d and 3 more"
    assert counted(1, "feature") == "1 feature"
    assert counted(1200, "feature") == "1,200 features"
    assert with_error(0.12345, 0.0101) == "0.123 ± 0.010"
    assert with_error(1234.5, 25.0) == "1,234 ± 25"
    assert with_error(None, 0.1) == "-"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 0.01), (0.8412, 0.8413), (1, 30)])
def test_ticks_are_round_and_within(low, high):
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert min(ticks) >= low - 1e-9
    assert max(ticks) <= high + 1e-9
    np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0])


def test_chosen_is_a_percentage_everywhere(simple):
    columns = columns_of(simple.summary())
    place = [column["key"] for column in columns].index("stability")
    for feature in simple.summary()["features"]:
        share = feature["stability"]
        assert cells_of(feature, columns)[place]["text"] == f"{100 * share:.0f} %"
    assert " 100 % |" in simple.to_markdown()
