"""The large-margin paper: its tables are copied right, and ours are measured right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.data import Data
from papers.large_margin import _methods, _noise, _real, _tables
from papers.large_margin._printed import COLUMNS, ERROR, LOSS, RAW, TABLES, printed

TWO_CLASSES = ("australian", "japan", "german", "adult", "wdbc")


@pytest.mark.parametrize(
    ("measure", "averages"),
    [
        ("error", [25.6, 23.8, 26.1, 24.4, 26.8, 24.9, 31.3]),
        ("number", [10.6, 7.5, 9.8, 7.3, 6.7, 4.9]),
    ],
)
def test_copied_tables_have_the_averages_the_paper_prints(measure, averages):
    methods = (*COLUMNS, RAW)[: len(averages)]
    found = [printed(measure, method).mean() for method in methods]
    np.testing.assert_allclose(found, averages, atol=0.0501)


def test_copied_tables_agree_with_each_other():
    assert all(list(table) == list(ERROR) for table in TABLES.values())
    assert all(ERROR[name] == LOSS[name] for name in TWO_CLASSES)


def test_nominal_values_become_codes_and_missing_numbers_the_median(monkeypatch):
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 5.0], "b": ["y", None, "x", "y"]})
    monkeypatch.setattr(Data, "load", lambda self, name: (frame, pd.Series([3, 3, 8, 5])))
    X, nominal, y = _real.read(Data.stand_ins(), "any")
    assert X.T.tolist() == [[1, 3, 3, 5], [1, -1, 0, 1]]
    assert nominal.tolist() == [False, True]
    assert y.tolist() == [0, 0, 2, 1]


def test_every_fold_is_measured_with_the_first_features_of_its_own_order():
    asked = []

    def measured(fold, features):
        asked.append((fold, features))
        return _real.Measures(fold, len(features), 0.0)

    found = _real.scored(measured, [np.array([2, 0, 1]), np.array([1, 2, 0])])
    assert asked == [(0, (2,)), (0, (0, 2)), (0, (0, 1, 2)), (1, (1,)), (1, (1, 2)), (1, (0, 1, 2))]
    assert found["error"].tolist() == [[0, 1]] * 3
    assert found["loss"].tolist() == [[1, 1], [2, 2], [3, 3]]


def test_selecting_on_pure_noise_looks_good_outside_only(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.random((60, 8))), pd.Series(np.arange(60) % 2)
    monkeypatch.setattr(Data, "load", lambda self, name: (X, y))
    found = {
        f"tables/noise/ReliefF (1)/{r}": _real.cell(Data.stand_ins(), "noise", "ReliefF (1)", r)
        for r in range(2)
    }
    error = {
        p: _tables.values(found, "noise", "ReliefF (1)", "error", p).mean()
        for p in ("outside", "inside")
    }
    assert error["outside"] < error["inside"] - 5
    assert 40 < error["inside"] < 60


def test_a_ranking_that_never_changes_gives_the_same_either_way():
    arguments = (Data.stand_ins(), "pasture", _methods.RANDOM, 0)
    inside = _real.cell(*arguments)["inside"]
    assert inside == pytest.approx(_real.same_ranking(*arguments))


def test_the_best_number_is_that_of_the_error_and_f_has_its_own():
    curves = {"error": [0.5, 0.2, 0.2], "loss": [0.6, 0.3, 0.1], "F": [0.1, 0.2, 0.9]}
    assert [_tables._at_best(curves, m) for m in ("error", "number", "loss", "F")] == [
        0.2, 2, 0.3, 0.9,
    ]  # fmt: skip


def test_a_comparison_holds_if_it_is_better_by_more_than_its_error():
    theirs = np.array([10.0, 20.0, 30.0, 40.0])
    gain = np.array([1.0, 1.0, 1.0, 0.0])
    small = _tables.MEASURES["error"]
    assert _tables.Comparison(theirs - gain, theirs, small).holds
    assert not _tables.Comparison(theirs + gain, theirs, small).holds
    assert not _tables.Comparison(theirs - [9, -1, -1, 0], theirs, small).holds
    assert _tables.Comparison(theirs + gain, theirs, _tables.MEASURES["F"]).holds


def test_class_noise_changes_as_many_classes_as_it_should():
    y = np.arange(200) % 3
    noisy = _noise.with_class_noise(y, 0.1, np.random.default_rng(0))
    assert (noisy != y).sum() == 20
    assert set(noisy) == {0, 1, 2}


def test_features_and_noise_in_order():
    apart = np.concatenate([np.ones(4), np.zeros(_noise.N_NOISE)])
    weights = np.array([apart, 1 - apart, np.full(len(apart), 0.5)])
    assert _noise.in_order(weights).tolist() == [1, 0, 0.5]
    assert _noise.on_top(weights[:2]).tolist() == [1, 0]


def test_a_random_order_goes_by_its_seed():
    X, y = np.zeros((6, 4)), np.arange(6) % 2
    assert _methods.RandomOrder(3).fit(X, y).order_.tolist() != [0, 1, 2, 3]


def test_single_entries_agree_within_two_standard_errors():
    def found(error):
        curves = {"error": [error], "loss": [error], "F": [1 - error]}
        return {"tables/wdbc/Simba/0": {"outside": curves}}

    printed_error, error_of_it = 0.065, np.sqrt(0.065 * 0.935 / 569)
    for distance, expected in ((1.9, True), (2.1, False), (-1.9, True), (-2.1, False)):
        here = found(printed_error + distance * error_of_it)
        assert _tables.agrees(here, "wdbc", "Simba", "error") is expected


def test_the_large_data_are_drawn(monkeypatch):
    frame = pd.DataFrame({"a": np.arange(_real.ROWS + 500.0)})
    y = pd.Series(np.arange(len(frame)) % 2)
    monkeypatch.setattr(Data, "load", lambda self, name: (frame, y))
    X, _, codes = _real.read(Data.stand_ins(), _real.LARGE)
    assert len(X) == len(np.unique(X)) == _real.ROWS
    assert (codes == X[:, 0] % 2).all()
    assert len(_real.read(Data.stand_ins(), "german")[0]) == len(frame)
