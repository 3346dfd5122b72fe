"""The papers' experiments run, can be stopped and go on, and say what data are missing."""

from __future__ import annotations

import json
from functools import partial

import pytest

from papers.__main__ import NAMES, main, run
from papers.cells import Cells
from papers.data import SOURCES, Data
from papers.pages import FOLDER, Claim, claims_of, index, table


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_quick_run_gives_a_page_of_claims(name, tmp_path):
    text = run(name, Data.stand_ins(), quick=True, results=tmp_path, jobs=1)
    assert "mean nothing" in text
    assert all(row[-1].startswith(("holds", "does not", "cannot")) for row in claims_of(text))
    assert len(claims_of(text)) > 3


@pytest.mark.parametrize("name", NAMES)
def test_committed_pages_say_how_they_were_made(name):
    text = (FOLDER / f"{name}.md").read_text()
    assert f"Made by `python -m papers {name}` with Python" in text
    assert claims_of(text)


def _broken():
    raise ValueError("no luck")


def test_finished_cells_are_kept_and_not_run_again(tmp_path):
    file = tmp_path / "cells.json"
    tasks = {"one": partial(int, "1"), "two": partial(int, "2")}
    with pytest.raises(RuntimeError, match="three: no luck"):
        Cells(file).run({**tasks, "three": _broken}, n_jobs=1)
    assert json.loads(file.read_text())["cells"] == {"one": 1, "two": 2}
    again = Cells(file).run({"one": _broken, "two": _broken, "three": partial(int, "3")}, n_jobs=1)
    assert again == {"one": 1, "two": 2, "three": 3}
    assert list(tmp_path.iterdir()) == [file]


def test_cells_of_other_versions_are_refused(tmp_path):
    file = tmp_path / "cells.json"
    file.write_text(json.dumps({"made with": "Python 2", "cells": {"one": 1}}))
    with pytest.raises(SystemExit, match="--fresh"):
        Cells(file)
    assert Cells(file, fresh=True).values == {}


def test_missing_data_are_named_with_their_origin(tmp_path, monkeypatch):
    with pytest.raises(SystemExit) as stop:
        main(["interval", "--data", str(tmp_path)])
    for source in SOURCES.values():
        assert f"{source.file}  ({source.origin})" in str(stop.value)
    monkeypatch.delenv("ECHELON_DATA", raising=False)
    with pytest.raises(SystemExit, match="--data FOLDER"):
        main(["interval"])


@pytest.mark.parametrize("name", SOURCES)
def test_data_have_the_size_their_entry_says(name, paper_data):
    X, y = Data.folder(paper_data).load(name)
    assert (X.shape[1], y.nunique()) == (SOURCES[name].n_features, SOURCES[name].n_classes)


def test_index_collects_the_claims_of_all_pages(tmp_path):
    rows = [Claim.judged("a | b", "1", "2", False, "small"), Claim.untested("c", "3", "no data")]
    page = f"# Title\n\n## Claims\n\n{table(Claim._fields, rows)}\n\nrest\n"
    (tmp_path / "one.md").write_text(page)
    text = index(tmp_path, ["one"])
    assert "Of 2 claims 0 hold, 1 do not, and\n1 cannot be tested" in text
    assert "[Title](one.md)" in text
    assert claims_of(page) == [list(row) for row in rows]
    assert table(Claim._fields, rows).splitlines()[2:] == text.strip().splitlines()[-2:]
