"""The benchmark of the default for numbers and for classes runs, and judges by the right loss."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from benchmarks.ordered import data as orders_data
from benchmarks.ordered import study
from benchmarks.ordered.data import Table, table
from benchmarks.targets import data, rankers
from benchmarks.targets.__main__ import main
from echelon.methods import CLASSES, CONTINUOUS


def _frame(kind: str, n: int = 45) -> pd.DataFrame:
    """Column b matters: for a number with a little of a, for a class in the middle of others."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    target = np.where(np.abs(frame.b) < 0.7, 2, (frame.b > 0).astype(int))
    return frame.assign(target=target if kind == CLASSES else 10.0 * frame.b + frame.a)


def test_the_page_shows_both_kinds(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "SIZES", (1,))
    monkeypatch.setattr(study, "n_folds", lambda y: 2)
    monkeypatch.setattr(orders_data, "LEAST_NOISE", 3)
    for kind in (CONTINUOUS, CLASSES):
        monkeypatch.setitem(data.SETS, kind, {kind: ("", "target", [])})
        quick = {name: rankers.RANKERS[kind][name] for name in ("all", "guess", "f_test", "forest")}
        monkeypatch.setitem(rankers.RANKERS, kind, quick)
        _frame(kind).to_csv(tmp_path / f"{kind}.csv", index=False)
    with redirect_stdout(StringIO()) as page:
        main(["--sets", str(tmp_path), "--cells", str(tmp_path / "cells")])
    assert page.getvalue().count("\n| F test |") == 2
    assert "Skipped: Nothing." in page.getvalue()


def test_missing_sets_are_named(tmp_path):
    with pytest.raises(SystemExit, match=r"must hold ames\.csv, auto\.csv"):
        data.find(tmp_path, CONTINUOUS)


@pytest.mark.parametrize("kind", [CONTINUOUS, CLASSES])
def test_the_guess_is_the_median_or_the_most_frequent_class(kind, tmp_path):
    _frame(kind).to_csv(tmp_path / "set.csv", index=False)
    found = table(tmp_path / "set.csv", noise=False, seed=0, kind=kind)
    train, test = np.arange(30), np.arange(30, 45)
    fold = study.Fold(Table(*found), train, test)
    y, truth = found.y[train], found.y[test]
    if kind == CONTINUOUS:
        expected = np.abs(truth - np.median(y)).mean()
    else:
        expected = np.mean(truth != np.bincount(y).argmax())
    assert_allclose(fold.errors([]), [expected] * 3)


@pytest.mark.parametrize("kind", [CONTINUOUS, CLASSES])
def test_every_ranking_puts_the_one_that_matters_first(kind):
    frame = _frame(kind, 90)
    X, y = frame[list("abc")].to_numpy(), frame.target.to_numpy()
    none = {"all", "guess", "random"}
    if kind == CLASSES:
        none |= {"logistic_l1"}  # a class in the middle is beyond lines, if others are noise
    for name, ranker in rankers.RANKERS[kind].items():
        if name not in none:
            assert ranker.rank(X, y, 0).order[0] == 1, name
