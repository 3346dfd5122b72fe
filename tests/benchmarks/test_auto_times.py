"""The page of AutoSelector's times: what is measured, what is left out, and what it says."""

import json

import pytest

from benchmarks import auto_times
from benchmarks.auto_times import AUTO, LADDERS, METHODS, cell, fill, growth, key, measure, page


def test_a_fit_is_measured_in_a_process_of_its_own():
    found = measure("rfecv", (200, 8), 60)
    assert set(found) == {"seconds", "selected", "megabytes"}, found
    assert set(found["selected"]) <= set(range(8))
    assert {0, 1} <= set(found["selected"])
    assert 0 < found["seconds"] < 60
    assert found["megabytes"] > 50


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import resource as r; r.setrlimit(r.RLIMIT_CPU, (1, 6))\nwhile True: pass", {"limit": 7}),
        ("import os; os.kill(os.getpid(), 15)", {"failed": "ended with -15"}),
        ("raise KeyError('rule')", {"failed": "KeyError: 'rule'"}),
    ],
)
def test_a_limit_is_told_from_a_failure(code, found, monkeypatch):
    monkeypatch.setattr(auto_times, "CODE", code)
    assert measure("abess", (50, 6), 7) == found


def every_key():
    """All cells."""
    return [key(name, size) for name in METHODS for size in auto_times.sizes()]


@pytest.fixture
def measured(monkeypatch):
    """What was asked for; tables of more than 60,000 values take too long."""
    asked = []

    def stand_in(name, size, limit):
        asked.append((name, size))
        if size[0] * size[1] > 60_000:
            return {"limit": limit}
        return {"seconds": size[0] ** 2 * size[1] / 1e6, "megabytes": 100, "selected": [0, 1, 9]}

    monkeypatch.setattr(auto_times, "measure", stand_in)
    return asked


def test_larger_tables_are_left_out_and_stopped_runs_go_on(measured, tmp_path):
    file, cells = tmp_path / "cells.json", {}
    fill(cells, ["boruta"], file)
    tried = [size for _, size in measured]
    assert (2_000, 50) in tried  # and took too long
    assert (4_000, 500) not in tried
    assert cells[key("boruta", (4_000, 500))] == {"limit": auto_times.OF_OTHERS}
    assert json.loads(file.read_text()) == cells
    measured.clear()
    fill(cells, ["boruta", "abess"], file)
    assert {name for name, _ in measured} == {"abess"}


def test_what_the_page_says(measured):
    cells = {}
    fill(cells, [AUTO], None)
    assert growth(cells, AUTO, "rows") == ""  # two sizes are too few
    for size in LADDERS["rows"]:
        cells[key(AUTO, size)] = {"seconds": size[0] ** 1.5, "megabytes": 90, "selected": [0]}
    assert growth(cells, AUTO, "rows") == "1.50 (between the two largest 1.50)"
    assert cell({"seconds": 1.26, "megabytes": 1200, "selected": [0, 5, 6]}) == (
        "1.3 s, 1,200 MB, 3 (2)"
    )
    assert (cell({"limit": 7}), cell(None)) == ("> 7 s", "")
    text = page(cells)
    row = next(line for line in text.splitlines() if line.startswith("| 4,000 x 500"))
    assert row == f"| 4,000 x 500 | 60 s | > {auto_times.LIMIT} s |  |  |  |"
    assert all(auto_times.RULES[name].label in text for name in METHODS)
    n_missing = (len(METHODS) - 1) * len(auto_times.sizes())
    assert f"**Unfinished: {n_missing} fits are missing.**" in text
    assert "Unfinished" not in page({each: {"limit": 1} for each in every_key()})
