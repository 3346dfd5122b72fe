"""Which features are needed, beside which are selected: in summaries, pages and the command."""

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon import AutoSelector, RankCorrelation
from echelon._core.words._asked import needed
from echelon.report import summarize


@pytest.fixture(scope="module")
def table():
    """One feature that is needed, two near copies of another, and noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 5)), columns=["alone", "twin", "noise", "more", "rest"])
    y = X["alone"] + X["twin"] + 0.5 * rng.normal(size=200)
    X["other twin"] = X["twin"]
    return X, np.digitize(y, [-1.5, 0, 1.5])


@pytest.fixture(scope="module")
def report(table):
    return AutoSelector(random_state=0).fit(*table).report(n_resamples=0, evidence=True)


def test_every_feature_has_a_label(report):
    rows = {row["name"]: row for row in report.summary()["features"]}
    assert rows["alone"]["evidence"] == "needed"
    assert rows["alone"]["evidence_p"] < 0.05
    assert rows["twin"]["evidence"] == rows["other twin"]["evidence"] == "replaceable"
    assert rows["twin"]["replaced_by"] == ["other twin"]
    assert rows["noise"]["evidence"] == "none"


def test_the_words_say_where_both_differ(report):
    words = report.summary()["words"]
    assert words["lines"]["Evidence"].endswith(": alone")
    twins = [said for said in words["caveats"] if "prediction, but replaceable" in said]
    assert len(twins) == 1
    assert twins[0].endswith(": twin (by other twin).")
    assert ">replaceable<" in report.to_html()


def test_reasons_hold_the_evidence(report):
    summary = report.summary()
    names = [row["name"] for row in summary["features"]]
    said = dict(zip(names, summary["words"]["reasons"], strict=True))
    assert "; needed given all others (p = " in said["alone"]
    assert "; replaceable by other twin (p = " in said["twin"]
    assert "; no evidence given all others (p = " in said["noise"]


def test_not_unless_it_is_asked_for(table):
    summary = summarize(*table, RankCorrelation(), n_resamples=0).summary()
    assert "Evidence" not in summary["words"]["lines"]
    assert "evidence" not in summary["features"][0]
    assert not any("given all others" in said for said in summary["words"]["reasons"])


def test_rows_must_be_independent(table):
    X, y = table
    with pytest.raises(ValueError, match="`evidence` needs numbers or categories in independent"):
        summarize(X, y, RankCorrelation(), groups=np.arange(200) // 4, evidence=True)


def test_the_command_shows_it(table, tmp_path, capsys):
    X, y = table
    path = tmp_path / "data.csv"
    X.assign(y=y).to_csv(path, index=False)
    done = call(capsys, "rank", path, "-t", "y", "--class-order", "0,1,2,3", "-m",
                "rankcorrelation", "--evidence", "-q")  # fmt: skip
    assert done.code == 0
    assert any("alone" in line and "needed" in line for line in done.out.splitlines())
    refused = call(capsys, "rank", path, "-t", "y", "--class-order", "0,1,2,3", "-m",
                   "rankcorrelation", "--evidence", "--groups", "rest", "-q")  # fmt: skip
    assert refused.code == 2


@pytest.mark.parametrize(("n_samples", "promised"), [(3, True), (2, False)])
def test_with_more_features_than_samples_no_rate_is_promised(n_samples, promised):
    labels = {"a": "needed", "b": "none", "c": "replaceable"}
    rows = [{"name": name, "evidence": label} for name, label in labels.items()]
    said = needed(rows, n_samples)
    assert said.endswith("): a")
    assert ("the false discovery rate of 5 % is exceeded" in said) != promised
