"""From tables to intervals."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from echelon import as_intervals, intervals_from_groups


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "date": ["a", "b", "c"],
            "temp_min": [1, 2, 3],
            "temp_max": [4, 5, 3],
            "wind_min": [0.5, np.nan, 1.0],
            "wind_max": [1.0, 2.0, 2.5],
        },
        index=["x", "y", "z"],
    )


def test_pairs_of_columns(table):
    found = as_intervals(table)
    assert found.columns.tolist() == ["temp", "wind"]
    assert found.index.tolist() == ["x", "y", "z"]
    assert found["temp"].tolist() == [
        pd.Interval(*pair, "both") for pair in ((1, 4), (2, 5), (3, 3))
    ]
    assert found["wind"].isna().tolist() == [False, True, False]
    pd.testing.assert_frame_equal(as_intervals(table, features=["wind"]), found[["wind"]])
    named = table.rename(columns=lambda name: f"low {name[:-4]}" if name.endswith("_min") else name)
    pd.testing.assert_frame_equal(as_intervals(named, lower="low {}"), found)


def test_polars(table):
    found = as_intervals(pl.from_dict(table.to_dict("list")))
    assert found["temp"].tolist() == as_intervals(table)["temp"].tolist()


def test_nullable_columns(table):
    nullable = table.convert_dtypes()
    assert as_intervals(nullable)["wind"].isna().tolist() == [False, True, False]


def test_reversed_bounds_are_named(table):
    table.loc["y", "temp_min"] = 9
    with pytest.raises(ValueError, match="got 9 and 5 in row 'y' of feature 'temp'"):
        as_intervals(table)


def test_pairs_that_were_not_found_are_named(table):
    with pytest.raises(ValueError, match=r"not found: \('wind_min', 'wind_max'\)"):
        as_intervals(table.drop(columns="wind_max"))
    with pytest.raises(ValueError, match=r"not found: \('temp_min', 'temp_max'\)"):
        as_intervals(table.drop(columns="temp_min"))
    with pytest.raises(ValueError, match=r"not found: \('rain_min', 'rain_max'\)"):
        as_intervals(table, features=["temp", "rain"])
    with pytest.raises(ValueError, match="no pair was found"):
        as_intervals(table, lower="{} low", upper="{} high")
    for pattern in ("min", "{}", "{}{}"):
        with pytest.raises(ValueError, match=r"`lower` must be text around one \{\}"):
            as_intervals(table, lower=pattern)


@pytest.fixture
def hourly():
    rng = np.random.default_rng(0)
    time = pd.date_range("2024-01-01", periods=72, freq="h")
    return pd.DataFrame({"time": time, "temp": rng.normal(size=72), "wind": rng.random(72)})


def test_groups(hourly):
    by_day = intervals_from_groups(hourly, by=pd.Grouper(key="time", freq="D"))
    assert by_day.shape == (3, 2)
    assert by_day["temp"].iloc[0].left == hourly["temp"][:24].min()
    assert by_day["wind"].iloc[2].right == hourly["wind"][48:].max()
    by_date = intervals_from_groups(hourly.drop(columns="time"), by=hourly["time"].dt.date)
    assert by_date["temp"].tolist() == by_day["temp"].tolist()
    by_name = intervals_from_groups(
        hourly.assign(day=hourly["time"].dt.day, half=hourly["time"].dt.hour // 12).drop(
            columns="time"
        ),
        by=["day", "half"],
    )
    assert by_name.columns.tolist() == ["temp", "wind"]
    assert len(by_name) == 6


def test_quantiles_and_gaps(hourly):
    hourly = hourly.assign(time=hourly["time"].dt.day)
    hourly.loc[:23, "wind"] = np.nan
    hourly.loc[30, "wind"] = np.nan
    found = intervals_from_groups(hourly, by="time", how=(0.1, 0.9))
    assert found["wind"].isna().tolist() == [True, False, False]
    assert found["temp"].iloc[1].left == pytest.approx(hourly["temp"][24:48].quantile(0.1))
    half = intervals_from_groups(hourly, by="time", how=("min", 0.5))
    assert half["temp"].iloc[1].right == pytest.approx(hourly["temp"][24:48].median())


def test_bad_groups(hourly):
    with pytest.raises(TypeError, match=r"Column 'time' of `df` has dtype datetime64.*Drop"):
        intervals_from_groups(hourly, by=hourly["time"].dt.day)
    hourly = hourly.assign(time=1)
    for how in (("max", "min"), (0.1,), (0.2, 1.2), ("mean", "max"), (0.9, 0.1)):
        with pytest.raises(ValueError, match="`how` must be two of"):
            intervals_from_groups(hourly, by="time", how=how)


def test_groups_by_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="`by` must name columns of `df`, got 'day'"):
        intervals_from_groups(pd.DataFrame({"v": [1.0, 2.0]}), by="day")
