"""A report on several targets: facts, table, and pages in which names are no markup."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from echelon import RankCorrelation
from echelon.report import Reports, summarize

HOSTILE = "<script>alert(1)</script>|*x*"


@pytest.fixture(scope="module")
def reports():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", HOSTILE, "c"])
    targets = {"first": X["a"] + rng.normal(size=80) / 2, HOSTILE: X[HOSTILE] > 0}
    made = {
        name: summarize(X, y, RankCorrelation(), n_features=1, cv=2, n_resamples=0)
        for name, y in targets.items()
    }
    return Reports(made, notes=[f"About {HOSTILE}."])


def test_the_facts(reports):
    held = json.loads(reports.to_json())
    assert held == reports.summary()
    assert [each["selected"] for each in held["targets"]] == [["a"], [HOSTILE]]
    best = next(each for each in held["features"] if each["feature"] == "a")
    assert best["ranks"]["first"] == 1
    assert best["selected"] == ["first"]
    first = held["reports"]["first"]["answer"]["score"]
    assert held["targets"][0]["score"] == first["held_out"]
    assert held["targets"][0]["baseline"]["mean"] == first["guess"]["mean"]


def test_the_table(reports):
    frame = reports.frame()
    assert frame.columns.tolist() == ["first", HOSTILE, "selected"]
    assert frame["selected"].tolist() == [1, 1, 0]
    assert frame.loc["a", "first"] == frame.loc[HOSTILE, HOSTILE] == 1


def test_names_are_no_markup(reports):
    page, text = reports.to_html(), reports.to_markdown()
    assert page.count("<section") == 4
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\\<script\\>" in text
    assert not re.search(r"(?<!\\)<script", re.sub("`[^`]*`", "", text))
    assert text.count("\n## ") == 2
    assert "\n# " not in text


def test_it_is_written_whole(reports, tmp_path):
    for ending in (".html", ".md", ".json"):
        path = reports.write(tmp_path / f"report{ending}")
        assert path.read_text()
    with pytest.raises(FileExistsError):
        reports.write(tmp_path / "report.md")
    with pytest.raises(ValueError, match=r"`reports` must hold a report"):
        Reports({})
