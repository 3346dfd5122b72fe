"""The page of promises: it runs, goes on where it stopped, and says which promise is broken."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pytest

import reference_evaluation as reference
from benchmarks.designs import Design, draw
from benchmarks.error_rates import curve, keep_none, margin, null
from benchmarks.error_rates.__main__ import main
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.rows import Row, interval


def _run(folder, *more: str) -> tuple[str, str]:
    """What the command prints: the page, and progress."""
    with redirect_stdout(StringIO()) as page, redirect_stderr(StringIO()) as progress:
        main(["--cells", str(folder), "--quick", *more])
    return page.getvalue(), progress.getvalue()


@pytest.mark.slow
def test_the_page(monkeypatch, tmp_path):
    """One kind of data each; the second run measures nothing."""
    monkeypatch.setattr(keep_none, "DESIGNS", keep_none.DESIGNS[-1:])
    monkeypatch.setattr(null, "SELECTORS", {"F test": null.SELECTORS["F test"]})
    monkeypatch.setattr(null, "KINDS", {"independent": {}})
    monkeypatch.setattr(margin, "NAMES", margin.NAMES[:1])
    monkeypatch.setattr(margin, "KINDS", margin.KINDS[:1])
    monkeypatch.setattr(curve, "SETUPS", curve.SETUPS[-1:])
    page, progress = _run(tmp_path)
    for heading in (
        "Nothing selected",
        "allow_none",
        "standard error",
        "null_threshold",
        "Relief",
        "bounds",
    ):
        assert heading in page
    assert "| numbers | 0.05 |" in page
    assert "keep none, numbers: 2 data sets" in progress
    again, nothing = _run(tmp_path)
    assert again == page
    assert nothing == ""
    with pytest.raises(SystemExit), redirect_stderr(StringIO()):
        _run(tmp_path, "--write")


def test_cells_go_on_where_they_stopped(tmp_path):
    seen = []

    def judge(seed):
        seen.append(seed)
        return [seed / 10, True]

    with redirect_stderr(StringIO()):
        Cells(tmp_path).measure("A promise: 10:90", judge, 3)
        Cells(tmp_path).measure("A promise: 10:90", judge, 5)
        found = Cells(tmp_path).measure("A promise: 10:90", judge, 2)  # what is there counts
    assert seen == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(found, [[seed / 10, 1] for seed in range(5)])
    assert json.loads((tmp_path / "a-promise-10-90.json").read_text())["4"] == [0.4, 1.0]


@pytest.mark.parametrize(
    ("broken", "verdict"), [(0, "below"), (5, "inside"), (9, "inside"), (10, "**above**")]
)
def test_verdicts(broken, verdict):
    row = Row("noise", 0.05, (np.arange(100) < broken).astype(float), np.array([1.0, 0.0]))
    low, high = reference.wilson(broken, 100)
    assert interval(row.outcomes) == pytest.approx((low, high))
    assert row.verdict() == verdict
    realised = f"{broken / 100:.3f} ({low:.3f} to {high:.3f})"
    assert row.cells() == ("noise", "0.05", realised, verdict, "100", "0.50")


def test_intervals_of_shares():
    shares = np.array([0.0, 0.5, 0.25, 0.25])
    half = 1.96 * shares.std(ddof=1) / 2
    assert interval(shares) == pytest.approx((0.25 - half, 0.25 + half))


def test_designs():
    X, y, nominal = draw(Design("", n=50, p=4, relevant=2, effect=9.0), 0)
    assert X.shape == (50, 6)
    assert not nominal.any()
    shift = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert (np.abs(shift[:4]) < 2).all()
    assert (shift[4:] > 7).all()
    _, labels, nominal = draw(
        Design("", n=50, p=4, n_classes=3, target="labels", kind="nominal"), 0
    )
    assert sorted(set(labels)) == ["a", "b", "c"]
    assert nominal.all()
    X, numbers, _ = draw(Design("", n=500, p=2, relevant=1, target="numbers", effect=3.0), 0)
    correlation = np.corrcoef(np.column_stack([X, numbers]).T)[-1, :3]
    assert correlation[2] > 0.9
    assert (np.abs(correlation[:2]) < 0.2).all()
