"""Weights that are frequencies: a table of counts gives the answer of the rows it stands for."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon import AutoSelector, RankCorrelation
from echelon.report import summarize
from echelon.study import Prepared, Rows, are_ambiguous, repeated_rows

FREQUENCIES = {"weights_are": "frequencies"}


@pytest.fixture(scope="module")
def cells():
    """72 cells of 900 households: satisfaction by influence, contact and kind of house."""
    rng = np.random.default_rng(0)
    influence, contact, house = (rng.integers(0, n, 900) for n in (3, 2, 4))
    wished = 0.8 * influence + 0.6 * contact + np.array([0.9, 0.0, 0.5, -0.6])[house]
    levels = {"influence": 3, "contact": 2, "house": 4, "satisfaction": 3}
    satisfaction = np.digitize(wished + rng.logistic(size=900), [0.4, 1.8])
    rows = pd.DataFrame(dict(zip(levels, (influence, contact, house, satisfaction), strict=True)))
    every = pd.MultiIndex.from_product([range(n) for n in levels.values()], names=list(levels))
    table = rows.groupby([*levels]).size().reindex(every, fill_value=0)
    table = table.rename("count").reset_index()
    table["house"] = np.array(["tower", "atrium", "flat", "terrace"])[table["house"]]
    return table


def split(table):
    return table[["influence", "contact", "house"]], table["satisfaction"]


def test_counted_cells_are_the_rows_they_stand_for(cells):
    assert len(cells) == 72
    (X, y), counts = split(cells), cells["count"]
    rows = cells.loc[cells.index.repeat(counts)].reset_index(drop=True)
    expanded = AutoSelector(random_state=0).fit(*split(rows))
    counted = AutoSelector(random_state=0, **FREQUENCIES).fit(X, y, sample_weight=counts)
    assert expanded.get_support().all()
    for name in ("support_", "order_", "scores_", "score_", "baselines_", "helps_"):
        np.testing.assert_equal(getattr(counted, name), getattr(expanded, name))
    assert counted.report(n_resamples=0).summary()["data"]["n_samples"] == counts.sum()


def test_a_report_counts_alike(cells):
    (X, y), counts = split(cells), cells["count"]
    rows = cells.loc[cells.index.repeat(counts)]
    settings = {"cv": 3, "n_resamples": 0}
    ranking = Prepared(RankCorrelation())
    expanded = summarize(*split(rows), ranking, **settings).summary()
    counted = summarize(X, y, ranking, sample_weight=counts, **FREQUENCIES, **settings).summary()
    assert counted["answer"] == expanded["answer"]


def test_groups_and_times_are_repeated_too():
    days = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]), name="day")
    rows = Rows(["a", "b", "b"], days, [2, 0, 1])
    X, y, found = repeated_rows(np.arange(3)[:, None], np.array([5, 6, 7]), rows)
    assert X[:, 0].tolist() == [0, 0, 2]
    assert y.tolist() == [5, 5, 7]
    assert list(found.groups) == ["a", "a", "b"]
    assert found.time.dt.day.tolist() == [1, 1, 3]
    assert found.time.name == "day"
    assert found.weights is None


def test_whole_weights_are_named(cells):
    (X, y), counts = split(cells), cells["count"] + 1
    selector = AutoSelector(cv=2, random_state=0)
    with pytest.warns(UserWarning, match="weights_are='frequencies' if every row was seen so"):
        selector.fit(X, y, sample_weight=counts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.set_params(weights_are="survey").fit(X, y, sample_weight=counts)
        for weights in ([1, 0, 1], [2, 2, 2], [0.5, 1.0, 2.0]):
            assert not are_ambiguous(weights)
    assert not are_ambiguous(None)
    assert are_ambiguous([1, 2, 1])


@pytest.mark.parametrize(
    ("weights", "fragment"), [([1, 1.5, 2], "whole numbers .*got 1.5"), ([1e7, 1, 1], "10,000,002")]
)
def test_what_cannot_be_frequencies(weights, fragment):
    with pytest.raises(ValueError, match=fragment):
        repeated_rows(np.arange(3)[:, None], np.arange(3), Rows(weights=weights))


def test_weights_are_nothing_else(cells):
    X, y = split(cells)
    with pytest.raises(ValueError, match="`weights_are` must be 'survey', 'frequencies' or None"):
        summarize(X, y, RankCorrelation(), sample_weight=cells["count"], weights_are="counts")


def test_the_command_asks_and_counts(cells, tmp_path, capsys):
    path = tmp_path / "cells.csv"
    cells.to_csv(path, index=False)
    given = ("rank", path, "-t", "satisfaction", "--weights", "count")
    call(capsys, *given).check_refused(
        "Does 'count' say how often every row was seen? Then pass --weights-are frequencies",
        "--weights-are survey",
    )
    done = call(capsys, *given, "--weights-are", "frequencies")
    assert (done.code, done.err) == (0, "")
    assert "cells.csv: 900 rows, 3 features" in done.out
    assert "72 rows of the file stand for 900, counted by count." in done.out
    assert "Selected all 3" in done.out
    seen = call(capsys, "profile", path, "-t", "satisfaction", "--weights", "count")
    assert "--weights-are frequencies" in seen.out
    survey = call(capsys, *given, "--weights-are", "survey", "-m", "rankcorrelation")
    assert "Rows are weighted by count in rankings, models and scores." in survey.out
    for wrong, fragment in (
        ((*given, "--weights-are", "counts"), "--weights-are must be survey or frequencies"),
        ((*given[:4], "--weights-are", "survey"), "Pass --weights as well"),
        ((*given[:5], "part", "--weights-are", "frequencies"), "Column 'part' must hold whole"),
    ):
        cells.assign(part=cells["count"] / 2).to_csv(path, index=False)
        call(capsys, *wrong).check_refused(fragment)
