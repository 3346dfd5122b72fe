"""Several targets of one file: read once, one report, the others no features."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon.cli import _targets

LEVELS = np.array(["low", "mid", "high"])
QUICK = ("-m", "rankcorrelation", "--cv", 2, "-n", 2)
ORDER = ("--class-order", "low,mid,high")


def items(n=90):
    """Two answers in words and a number, each after another column; one column of an odd name."""
    rng = np.random.default_rng(0)
    z, w = rng.normal(size=(2, n))
    frame = pd.DataFrame(
        {
            "age": (40 + 10 * z).round(),
            "income": (2000 + 500 * w).round(),
            "noise": rng.normal(size=n).round(3),
            "q1": LEVELS[np.digitize(z + rng.normal(size=n) / 3, [-0.5, 0.5])],
            "q2": LEVELS[np.digitize(w + rng.normal(size=n) / 3, [-0.5, 0.5])],
            "total": (z + w).round(2),
            "a,b": rng.choice([0, 1], n),
        }
    )
    frame.loc[:4, "q2"] = None
    return frame


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    items().to_csv(path, index=False)
    return path


def facts(capsys, *arguments):
    done = call(capsys, "rank", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def names(summary):
    return {feature["name"] for feature in summary["features"]}


@pytest.mark.parametrize("asked", ["q1,q2,total", "q*,total", "q?,tot*"])
def test_each_target_is_studied_as_alone(asked, survey, capsys):
    found = facts(capsys, survey, "--targets", asked, *ORDER, *QUICK)
    assert list(found)[:3] == ["source", "targets", "features"]
    assert [each["target"] for each in found["targets"]] == ["q1", "q2", "total"]
    for name, summary in found["reports"].items():
        others = {"q1", "q2", "total"} - {name}
        order = ORDER if name != "total" else ()
        drop = ("--drop", ",".join(others))
        alone = facts(capsys, survey, "-t", name, *order, *QUICK, *drop)
        assert summary["answer"] == alone["answer"]
        assert names(summary) == {"age", "income", "noise", "a,b"}
    first, second, third = found["targets"]
    assert "age" in first["selected"]
    assert "income" in second["selected"]
    assert set(third["selected"]) == {"age", "income"}
    assert (first["kind"], third["kind"]) == ("ordinal", "regression")
    ranks = {each["feature"]: each["ranks"] for each in found["features"]}
    assert ranks["age"]["q1"] == ranks["income"]["q2"] == 1
    counts = [each["n_selected"] for each in found["features"]]
    assert counts == sorted(counts, reverse=True)


def test_the_file_is_read_once(survey, capsys, monkeypatch):
    read, calls = _targets.read_table, []
    monkeypatch.setattr(_targets, "read_table", lambda *a: calls.append(a) or read(*a))
    monkeypatch.setattr("echelon.cli._prepare.read_table", None)
    facts(capsys, survey, "-t", "q1,q2", *ORDER, *QUICK)
    assert len(calls) == 1


def test_a_name_with_a_comma_is_one_column(survey, capsys):
    found = facts(capsys, survey, "-t", "a,b", *QUICK)
    assert found["data"]["target"] == "a,b"
    found = facts(capsys, survey, "-t", '"a,b",q1', *ORDER, *QUICK)
    assert [each["target"] for each in found["targets"]] == ["a,b", "q1"]
    found = facts(capsys, survey, "-t", "tot*", *QUICK)
    assert found["data"]["target"] == "total"


def test_other_targets_are_features_where_that_is_asked_for(survey, capsys):
    asked = (survey, "-t", "q1,q2", *ORDER, *QUICK)
    found = facts(capsys, *asked, "--targets-as-features", "--ordered", "q1,q2=low,mid,high")
    assert "q2" in names(found["reports"]["q1"])
    assert "q1" in names(found["reports"]["q2"])
    assert any("used as features" in note for note in found["notes"])
    found = facts(capsys, *asked, "--keep", "q2")
    assert "q2" in names(found["reports"]["q1"])
    assert "q1" not in names(found["reports"]["q2"])


def test_what_is_printed_and_written(survey, tmp_path, capsys):
    table, page = tmp_path / "ranking.csv", tmp_path / "report.html"
    done = call(capsys, "rank", survey, "-t", "q1,q2", *ORDER, *QUICK, "-o", table,
                "--report", page, "--reasons")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    (row,) = (line for line in done.out.splitlines() if line.split()[:2] == ["age", "1*"])
    assert row.split()[-1] in "12"
    assert "survey.csv: 90 rows, 5 features; q1: low < mid < high" in done.out
    assert "survey.csv: 85 rows, 5 features; q2: low < mid < high" in done.out
    assert "- Other targets are not used as features: q1 and q2." in done.out
    assert "- q2: 5 rows without q2 left out." in done.out
    assert "- age: selected" in done.out
    frame = pd.read_csv(table)
    assert frame.columns.tolist()[:3] == ["target", "rank", "feature"]
    assert frame["target"].value_counts().to_dict() == {"q1": 5, "q2": 5}
    text = page.read_text()
    assert text.count("<section") == 4
    assert "Which features predict q2?" in text


@pytest.mark.parametrize(
    ("order", "kinds"),
    [
        ("q1:low,mid,high;answer:no,maybe,yes", ["ordinal", "ordinal"]),
        ('q1:high,mid,low;"answer":yes,maybe,no', ["ordinal", "ordinal"]),
    ],
)
def test_every_target_has_its_order(order, kinds, survey, capsys):
    words = {"low": "no", "mid": "maybe", "high": "yes"}
    items().assign(answer=lambda f: f["q2"].map(words)).to_csv(survey, index=False)
    found = facts(capsys, survey, "-t", "q1,answer", "--class-order", order, *QUICK)
    assert [each["kind"] for each in found["targets"]] == kinds
    for part, (name, summary) in zip(order.split(";"), found["reports"].items(), strict=True):
        assert list(summary["data"]["classes"]) == part.split(":")[1].split(","), name


def test_an_order_that_is_not_known_is_asked_for(survey, capsys):
    asked = ("rank", survey, *QUICK, "-t")
    done = call(capsys, *asked, "q1,q2")
    done.check_refused("order of 'q1'?", "pass --class-order low,mid,high,")
    done = call(capsys, *asked, "total,q1,q2")
    done.check_refused("order of 'q1'?", "pass --class-order q1,q2:low,mid,high,")
    assert call(capsys, *asked, "total,q1,q2", "--class-order", "q1,q2:low,mid,high").code == 0
    done = call(capsys, *asked, "q1,q2", "--class-order", "no,yes")
    done.check_refused("--class-order must name every class of a target", "'no,yes'")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-t", "q1,q9"), "no column 'q9' (--target). There are: age"),
        (("-t", "z*,q1"), "no column 'z*' (--target)"),
        (("-t", "q1,q2", "--save", "s.json"), "--save is of one target, and --target names 2"),
        (("-t", "q1,q2", "--code", "s.py"), "--code is of one target"),
        (("-t", "q1,q2", "--plot", "s.png"), "--plot is of one target"),
        (("-t", "q1,q2", "--groups", "q2"), "--target and --groups name the same column, 'q2'"),
    ],
)
def test_what_cannot_be_done_with_several(more, said, survey, capsys, monkeypatch):
    monkeypatch.chdir(survey.parent)
    call(capsys, "rank", survey, *ORDER, *QUICK, *more).check_refused(said)


def test_a_study_of_several_is_repeated(survey, tmp_path, capsys):
    config = tmp_path / "study.toml"
    asked = (survey, "-t", "q1,q2", *ORDER, *QUICK)
    first = facts(capsys, *asked, "--save-config", config)
    again = facts(capsys, "--config", config)
    assert again["targets"] == first["targets"]
    text = config.read_text().replace('target = "q1,q2"', 'target = ["q1", "q2"]')
    config.write_text(text)
    assert facts(capsys, "--config", config)["targets"] == first["targets"]


def test_a_pattern_takes_no_column_that_has_another_use(survey, capsys):
    found = facts(capsys, survey, "-t", "q*,t*", "--drop", "q2", *ORDER, *QUICK)
    assert [each["target"] for each in found["targets"]] == ["q1", "total"]
    assert "q2" not in names(found["reports"]["q1"])
