"""The benchmark of rankings runs, goes on where it stopped, and says what came out."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from benchmarks.ordered import (
    data,
    growth,
    judges,
    kept,
    linear,
    orders,
    page,
    rankers,
    relief,
    results,
    study,
)
from benchmarks.ordered.__main__ import main
from benchmarks.ordered.orders import Ranking

METHODS = ["all", "guess", "relieff", "stepwise", "auto_selector"]


def _grades(seed: int, n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    target = rng.permutation(np.resize([1, 2, 4, 7], n))
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc")).assign(target=target)
    frame["a"] += target
    return frame


def _keeps_nothing(X, y, seed):
    return orders.kendall(X, y, seed)._replace(kept=[])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two small sets, few sizes, quick models, and a selector that keeps nothing."""
    made = tmp_path_factory.mktemp("sets")
    for number, name in enumerate(["esl", "adult"]):
        (made / data.HOMES[name]).mkdir()
        _grades(number).to_csv(made / data.HOMES[name] / f"{name}.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SIZES", (1, 2, 3, 5))
        quick = judges.JUDGES["ordinal"]._replace(models=lambda: (Ridge(1), Ridge(3), Ridge(9)))
        patch.setitem(judges.JUDGES, "ordinal", quick)
        patch.setattr(study, "n_folds", lambda y: 3)
        patch.setattr(data, "LEAST_NOISE", 3)
        nothing = rankers.Ranker("keeps nothing", _keeps_nothing)
        patch.setitem(rankers.RANKERS, "auto_selector", nothing)
        yield made


def _run(folder, *more: str) -> tuple[str, str]:
    """What the command prints: the page, and progress."""
    sets = ["--sets", "esl", "adult", "--methods", *METHODS]
    with redirect_stdout(StringIO()) as page, redirect_stderr(StringIO()) as progress:
        main(["--data", str(folder), "--cells", str(folder / "cells"), *sets, *more])
    return page.getvalue(), progress.getvalue()


@pytest.fixture(scope="module")
def first(folder):
    return _run(folder)


def _first_fold(folder, *, noise: bool) -> study.Fold:
    file = folder / data.HOMES["esl"] / "esl.csv"
    return study.folds(data.table(file, noise=noise, seed=0), 0)[0]


def test_a_page_of_both_halves_and_of_what_is_kept(first):
    text, progress = first
    for part in text.partition("## The sets it was designed with")[2].split("\n## ")[:3]:
        assert "| ReliefF | " in part
        assert "1.000 (1.000 to 1.000)" in part
    assert "2 data sets the default was designed with, and 0 that had no part in it" in text
    assert "one seed, five folds" in text
    assert "Unfinished; not run: affairs, ais, australian, " in text
    assert "| esl with noise | 0.0 of 6 | " in text
    assert "100% of folds" in text
    assert "The check fails on:" in text
    assert progress.splitlines()[-1].startswith("4 of 4: adult+noise-0 in")


def test_finished_cells_are_taken_over(folder, first, monkeypatch):
    monkeypatch.setattr(study, "ranked", None)  # cannot be called any more
    assert _run(folder) == (first[0], "")
    assert _run(folder, "--page", "--data", "nowhere") == (first[0], "")


def test_errors_of_equal_sets_are_shared_between_runs(folder, first):
    fold = _first_fold(folder, noise=False)
    cell = study.Store(folder / "cells", study.Unit("esl", False, 0)).of("relieff").values["0"]
    assert_allclose(fold.errors(cell["order"][:2]), cell["errors"]["2"])
    fold.remember({**cell, "errors": {"1": [9.0, 9.0, 9.0]}})
    assert fold.errors(cell["order"][:1]) == [9.0, 9.0, 9.0]


def _slow(X, y, seed):
    while True:
        np.sort(X, axis=0)


def test_what_takes_too_long_is_skipped_and_can_be_tried_again(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(rankers.RANKERS, "slow", rankers.Ranker("slow", _slow))
    monkeypatch.setattr(study, "_warm", lambda method: None)
    file, cells = folder / data.HOMES["esl"] / "esl.csv", tmp_path
    both = study.Study({name: rankers.RANKERS[name] for name in ("relieff", "slow")}, cells)
    for noise in (False, True):
        study.run_unit(both, file, study.Unit("esl", noise, 0), limit=0.05)
    frame = results.read(cells)
    assert set(frame[frame.method == "slow"].skipped) == {"more than 0.05 s"}
    assert set(results.finished(frame).method) == {"relieff"}
    study.forget_skipped(cells, ["slow"])
    assert json.loads((cells / "slow" / "esl-0.json").read_text())["cells"] == {}


def test_a_ranking_that_fails_does_not_end_the_run(folder):
    fold = _first_fold(folder, noise=True)
    for rank, why in [
        (lambda X, y, seed: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda X, y, seed: Ranking([0, 0]), "its order does not hold every feature once"),
    ]:
        assert study.ranked(rankers.Ranker("", rank), fold, 0, 5.0) == {"skipped": why}


def test_columns_the_target_was_made_of_are_no_features(tmp_path):
    frame = _grades(0).assign(PRP=1.0, vendor="x", part="train", word=["u", "v"] * 20)
    frame.loc[0, "b"] = np.nan
    frame.to_csv(tmp_path / "cpu.csv", index=False)
    X, y = data.load(tmp_path / "cpu.csv")
    assert X.shape == (40, 5)  # a, b, c, and the two words
    assert X[0, 1] == frame["b"].median()
    assert sorted(set(y)) == [0, 1, 2, 3]


def test_noise_is_permuted_and_mixed_with_the_real_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "LEAST_NOISE", 30)
    _grades(0).to_csv(tmp_path / "esl.csv", index=False)
    made = data.table(tmp_path / "esl.csv", noise=True, seed=3)
    X, _ = data.load(tmp_path / "esl.csv")
    assert made.X.shape == (40, 33)
    assert_allclose(np.sort(made.X[0, made.real]), np.sort(X[0]))
    assert_allclose(np.sort(made.X.sum(axis=0)), np.sort(np.tile(X.sum(axis=0), 11)))
    assert not made.real[:3].all()


def test_missing_data_are_named_in_one_sentence(tmp_path):
    with pytest.raises(SystemExit, match=r"must hold A_ordinal_orca/tae.csv, F_ordinal_surveys/"):
        data.find(tmp_path, ["tae", "esl"])
    with pytest.raises(SystemExit, match="ECHELON_DATA"):
        data.find(None, ["tae"])


def test_the_halves_are_fixed():
    assert len(data.TUNING) == len(data.HELD_OUT) == 12
    assert set(data.TUNING) | set(data.HELD_OUT) == set(data.NAMES)
    assert data.TUNING[:3] == ("student_math", "japan_credit_crx", "swd")


@pytest.mark.parametrize(
    "rank", [linear.stepwise, linear.lasso, linear.ordinal_l1, relief.rrelieff, relief.rank_mrmr]
)
def test_rankings_of_the_benchmark_find_the_feature_that_matters(rank):
    frame = _grades(0, 60)
    X, y = frame[["b", "a", "c"]].to_numpy(), frame["target"].rank(method="dense").to_numpy() - 1
    order = rank(np.column_stack([X, np.ones(60)]), y.astype(int), 0).order
    assert order[0] == 1
    assert sorted(order) == [0, 1, 2, 3]


def test_gains_are_judged_by_the_corrected_standard_error():
    gains = np.array([0.1, 0.3, 0.2, 0.4, 0.2])
    expected = gains.mean() / (gains.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4))
    assert_allclose(results.corrected_gain(gains, 5), expected)
    assert kept.SIGNAL == 2


def test_time_against_size_is_measured_once(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "SAMPLES", (20, 40))
    monkeypatch.setattr(growth, "FEATURES", (5,))
    assert growth.growth_table(tmp_path) is None
    growth.measure(tmp_path)
    text = growth.growth_table(tmp_path)
    assert text.splitlines()[0] == "| features | n = 20 | n = 40 | exponent in n |"
    growth.measure(tmp_path)
    assert growth.growth_table(tmp_path) == text


def test_a_set_kept_where_there_is_a_signal_passes_the_check(folder, first):
    frame = results.read(folder / "cells")
    assert "The check fails on:" in kept.check(frame)
    assert "the check passes" in kept.check(frame.assign(n_kept=1))
    assert kept.signals(frame).gain.min() > kept.SIGNAL  # both sets are easy


def test_fresh_sets_are_found_and_shown(folder, tmp_path, monkeypatch):
    for module in (data, page):
        monkeypatch.setattr(module, "FRESH", ("hitters",))
    with pytest.raises(SystemExit, match=r"must hold hitters.csv, .* does not; write them with"):
        data.find_fresh(tmp_path)
    _grades(3).to_csv(tmp_path / "hitters.csv", index=False)
    text, _ = _run(folder, "--fresh", str(tmp_path), "--cells", str(tmp_path / "cells"))
    part = text.partition("## Sets that had no part in the design")[2].split("\n## ")[0]
    assert "| stepwise, linear on codes | 1, 1 | " in part
    assert "and 1 that had no part in it" in text
