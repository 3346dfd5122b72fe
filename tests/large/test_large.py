"""Samples of tables that are larger than memory, and what is known of all rows."""

import numpy as np
import pandas as pd
import pytest

from echelon import RankCorrelation
from echelon.data import read_columns
from echelon.large import Files, Frames, draw
from echelon.large import _columns as columns
from echelon.large import _draw as drawing
from echelon.large import _source as sources
from echelon.targets import read_target
from reference_large import samples, uniform

pytest.importorskip("pyarrow")
N = 6000


@pytest.fixture
def table(rng):
    """Columns of every kind, a rare class, and rows without a target."""
    y = rng.choice(4, N, p=[0.5, 0.3, 0.197, 0.003])
    levels = ["lo", "mid", "hi"]
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=N) + y,
            "single": rng.normal(size=N).astype(np.float32) - y,
            "few": rng.integers(0, 5, N).astype(float),
            "heavy": np.where(rng.random(N) < 0.5, 0.0, rng.exponential(size=N) + y),
            "label": rng.choice(list("uvwxyz"), N),
            "order": pd.Categorical(rng.choice(levels, N), levels, ordered=True),
            "flag": rng.random(N) < 0.3,
            "whole": rng.integers(0, 100_000, N),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D"),
            "grade": pd.Series(np.array(list("ABCR"))[y]),
        }
    )  # fmt: skip
    frame.loc[rng.random(N) < 0.1, "few"] = np.nan
    frame.loc[rng.random(N) < 0.1, "label"] = None
    frame.loc[[5, 4000], "grade"] = None
    return frame


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", 700)
    for k, (begin, end) in enumerate([(0, 2500), (2500, 2501), (2501, N)]):
        table.iloc[begin:end].to_parquet(tmp_path / f"part-{k}.parquet", row_group_size=900)
    return tmp_path


def parquet(folder):
    from pyarrow.dataset import dataset

    return Files(dataset(sorted(map(str, folder.glob("*.parquet"))), format="parquet"))


def numbers(X):
    """Dates as days, as the command reads them."""
    return X.assign(when=(X["when"] - X["when"].min()).dt.days)


def test_rows_are_those_with_the_smallest_numbers(table, folder):
    drawn = draw(parquet(folder), "grade", random_state=3)
    classes = [None if pd.isna(label) else label for label in table["grade"]]
    expected = samples(classes, 700, 5, 25, 3)
    for number, rows in enumerate(expected):
        own = drawn.frame[drawn.part == number].reset_index(drop=True)
        pd.testing.assert_series_equal(own["real"], table["real"].iloc[rows].reset_index(drop=True))
        assert own["grade"].tolist() == table["grade"].iloc[rows].tolist()
    assert sum(map(len, expected)) == len(drawn.frame) == len({*np.concatenate(expected).tolist()})
    rare = (table["grade"] == "R").sum()
    assert (drawn.frame["grade"][drawn.part == 0] == "R").sum() == min(rare, 25)
    np.testing.assert_array_equal(
        drawing.uniform(np.array([0, 1, 10**12]), 7), [uniform(r, 7) for r in (0, 1, 10**12)]
    )


def test_size_of_parts_does_not_matter(folder, monkeypatch):
    found = []
    for n_rows in (97, 977, 1 << 18):
        monkeypatch.setattr(sources, "MOST_ROWS", n_rows)
        monkeypatch.setattr(sources, "FEWEST_ROWS", 97)
        found.append(draw(parquet(folder), "grade"))
    for other in found[1:]:
        pd.testing.assert_frame_equal(other.frame, found[0].frame)
        for name, table in found[0].known.tables.items():
            np.testing.assert_array_equal(other.known.tables[name], table)
        for name, column in found[0].known.columns.items():
            own = other.known.columns[name]
            assert str(column._replace(values=None)) == str(own._replace(values=None)), name
            np.testing.assert_array_equal(column.values, own.values)
            assert column.distinct == own.distinct


def test_all_rows_say_what_they_say_in_memory(table, folder):
    drawn = draw(parquet(folder), "grade", random_state=1)
    there = table[table["grade"].notna()]
    assert drawn.known.n_rows == len(there)
    assert drawn.known.lacking == {"grade": 2}
    for name, column in drawn.known.columns.items():
        assert column.missing == there[name].isna().sum(), name
        exact = there[name].nunique()
        if exact > columns.MOST_VALUES:
            assert abs(column.distinct / exact - 1) < 0.15, name
        else:
            assert column.distinct == exact, name
    for order in (None, ["R", "C", "B", "A"]):
        target = read_target(drawn.frame["grade"], "auto", order)
        sample = drawn.sample(numbers(drawn.frame.drop(columns="grade")), target)
        assert sample.classes == read_target(there["grade"], "auto", order).counts
        found, errors = sample.associations(read_columns(sample.frame), sample.target)
        X = numbers(there.drop(columns="grade"))
        rows = RankCorrelation(class_order=order).fit(X, there["grade"])
        for j, name in enumerate(X):
            error = errors[name]
            exact = name not in ("real", "single", "heavy", "whole")
            assert (error == 0) == (exact or X[name].nunique() <= columns.MOST_VALUES), name
            assert error < (0.02 if order is None else 5e-4), name
            assert abs(found.strengths[j] - rows.scores_[j]) <= error + 1e-12, name
            if exact:
                np.testing.assert_allclose(found.p_values[j], rows.p_values_[j], rtol=1e-8)


@pytest.mark.parametrize("n_bins", [20, 500])
def test_numbers_as_targets_are_binned_too(n_bins, table, folder, monkeypatch):
    monkeypatch.setattr(drawing, "MOST_TABLE", n_bins**2)
    drawn = draw(parquet(folder), "real")
    target = read_target(drawn.frame["real"])
    sample = drawn.sample(numbers(drawn.frame.drop(columns="real")), target)
    found, errors = sample.associations(read_columns(sample.frame), sample.target)
    rows = RankCorrelation().fit(numbers(table.drop(columns="real")), table["real"])
    assert sample.classes == {}
    np.testing.assert_array_less(
        np.abs(found.strengths - rows.scores_), np.array([*errors.values()]) + 1e-12
    )
    assert max(errors.values()) > 0
    assert np.abs(found.strengths - rows.scores_).max() < (0.03 if n_bins == 20 else 0.003)


def test_too_many_labels_are_left_to_the_sample(table, folder, monkeypatch):
    monkeypatch.setattr(columns, "MOST_VALUES", 4)
    drawn = draw(parquet(folder), "grade")
    target = read_target(drawn.frame["grade"])
    sample = drawn.sample(numbers(drawn.frame.drop(columns="grade")), target)
    assert sample.facts()["from_sample"] == ["label"]
    found, errors = sample.associations(read_columns(sample.frame), sample.target)
    alone = RankCorrelation().fit(sample.frame[["label"]], sample.target)
    place = sample.frame.columns.get_loc("label")
    assert found.strengths[place] == alone.scores_[0]
    assert "label" not in errors


def test_values_read_as_missing_are_missing_in_all_rows(folder, table):
    drawn = draw(parquet(folder), "grade", special={"whole": [77.0]})
    X = numbers(drawn.frame.drop(columns="grade"))
    X["few"] = X["few"].where(X["few"] != 3)
    X["label"] = X["label"].where(X["label"] != "v")
    sample = drawn.sample(X, read_target(drawn.frame["grade"], "auto", list("ABCR")))
    found, _ = sample.associations(read_columns(sample.frame), sample.target)
    whole = numbers(table[table["grade"].notna()])
    whole["few"] = whole["few"].where(whole["few"] != 3)
    whole["label"] = whole["label"].where(whole["label"] != "v")
    rows = RankCorrelation(class_order=list("ABCR")).fit(
        whole.drop(columns="grade"), whole["grade"]
    )
    for name in ("few", "label"):
        place = X.columns.get_loc(name)
        np.testing.assert_allclose(found.strengths[place], rows.scores_[place], atol=1e-12)


def test_few_rows_are_all_drawn(folder, table, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", N)
    drawn = draw(parquet(folder), "grade")
    assert (drawn.part == 0).all()
    there = table[table["grade"].notna()].reset_index(drop=True)
    pd.testing.assert_series_equal(drawn.frame["real"], there["real"])
    sample = drawn.sample(drawn.frame.drop(columns="grade"), read_target(drawn.frame["grade"]))
    assert sample.is_whole


def test_identifiers_are_told_by_all_rows():
    def merged(values):
        found = None
        for part in np.array_split(values, 7):
            own = columns.column_of(columns.Held(part, None, None))
            found = own if found is None else columns.merged(found, own)
        return found

    n = 50_000
    rng = np.random.default_rng(0)
    assert merged(rng.permutation(n).astype(float)).is_identifier
    assert not merged(rng.integers(0, n, n).astype(float)).is_identifier  # values repeat
    assert not merged(rng.normal(size=n)).is_identifier
    distinct = merged(np.repeat(rng.normal(size=n // 10), 10)).distinct
    assert abs(distinct / (n / 10) - 1) < 0.1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([np.nan] * 40, "Column 'y' is empty"),
        (pd.Series([f"name {k}" for k in range(40)]), "more than 30 different categories"),
        (pd.IntervalIndex.from_breaks(range(41)), "neither numbers nor categories"),
    ],
)
def test_targets_that_are_none(values, said, monkeypatch):
    dask = pytest.importorskip("dask.dataframe")
    monkeypatch.setattr(drawing, "MOST_STRATA", 30)
    frame = pd.DataFrame({"x": np.arange(40.0), "y": values})
    with pytest.raises((ValueError, TypeError), match=said):
        draw(Frames(dask.from_pandas(frame, npartitions=2)), "y")


def test_infinity_is_refused(tmp_path):
    frame = pd.DataFrame({"x": [1.0, np.inf] * 20, "y": [0, 1] * 20})
    frame.to_parquet(tmp_path / "part.parquet")
    with pytest.raises(ValueError, match="'x' holds infinity in 20 of the rows"):
        draw(parquet(tmp_path), "y")
    with pytest.raises(ValueError, match="'x' holds infinity"):
        draw(parquet(tmp_path), "x")
