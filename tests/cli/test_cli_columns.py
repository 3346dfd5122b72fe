"""Columns as they were read; names with signs that options use themselves."""

import json

import pandas as pd
import pytest

from cli_cases import ORDER, call, grades
from echelon.cli._options import as_name, as_toml, halves, missing_texts, names


def test_columns_without_a_target(tmp_path, capsys):
    frame = pd.DataFrame({
        "id": ["a1", "a2", None, "a4"], "day": pd.date_range("2024-01-01", periods=4),
        "size": [1.5, 2.5, None, 1.5], "often": ["never", "often", "rarely", "never"],
        "count": [3, 1, 2, 2],
    })  # fmt: skip
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    found = json.loads(call(capsys, "profile", path, "--json").out)
    assert (found["source"], found["n_rows"], found["doubts"]) == ("x.csv", 4, [])
    by_name = {each.pop("name"): each for each in found["columns"]}
    assert by_name["id"] == {"kind": "nominal", "missing": 1, "distinct": 3,
                             "examples": ["a1", "a2", "a4"], "values": ["a1", "a2", "a4"],
                             "looks_ordered": ["a1", "a2", "a4"]}  # fmt: skip
    assert by_name["day"]["kind"] == "date"
    assert by_name["day"]["examples"][0] == "2024-01-01"
    assert by_name["size"]["values"] == ["1.5", "2.5"]
    assert by_name["often"]["looks_ordered"] == ["never", "rarely", "often"]
    assert by_name["count"]["values"] == ["1", "2", "3"]
    table = call(capsys, "profile", path)
    assert (table.code, table.err) == (0, "")
    assert "x.csv: 4 rows, 5 columns" in table.out
    assert "--target COLUMN" in table.out
    out = tmp_path / "columns.csv"
    call(capsys, "profile", path, "-o", out, "--missing", "a1")
    assert pd.read_csv(out).set_index("column")["missing"].to_dict()["id"] == 2


def test_a_column_with_many_values_has_examples_only(tmp_path, capsys):
    path = tmp_path / "x.csv"
    pd.DataFrame({"a": range(31), "b": range(31)}).assign(b=lambda f: f["b"] % 30).to_csv(
        path, index=False
    )
    many, few = json.loads(call(capsys, "profile", path, "--json").out)["columns"]
    assert many["examples"] == ["0", "1", "2", "3"]
    assert "values" not in many
    assert len(few["values"]) == 30


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("a=x,y", ("a", "=", "x,y"), ("a", "=", "x,y")),
        ("a", ("a", "", ""), ("a", "", "")),
        ('"a=b",c=x', ('"a=b",c', "=", "x"), ('"a=b",c', "=", "x")),
        ("a=b=1", ("a", "=", "b=1"), ("a=b", "=", "1")),
        ('"a""=""b"="=c"', ('"a""=""b"', "=", '"=c"'), ('"a""=""b"', "=", '"=c"')),
    ],
)
def test_halves(text, first, last):
    assert halves(text) == first
    assert halves(text, at_last=True) == last


@pytest.mark.parametrize("name", ["a", "a=b", "=cmd()", "a,b", 'say "a"', '"', "a\nb", "=", ',"='])
def test_every_name_can_be_given(name):
    assert names(as_name(name)) == [name]
    assert names(halves(f"{as_name(name)}=low,{as_name(name)}")[0]) == [name]
    assert missing_texts([f"{as_name(name)}={as_name(name)}"]) == ([], {name: [name]})


def test_orders_of_columns_with_odd_names(tmp_path, capsys):
    frame = grades().assign(often=["never", "rarely", "often"] * 30)
    frame = frame.rename(columns={"often": "=often,1", "debt": "a=b"})
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    order = '"=often,1"=never,rarely,often'
    done = call(capsys, "profile", path, "-t", "grade", "--ordered", order, "--missing",
                '"a=b"=0.5', "--json")  # fmt: skip
    assert json.loads(done.out)["nominal"] == ["home"]


def test_lists_in_a_configuration(credit, tmp_path, capsys):
    """For every option that takes names, one text or several."""
    path = tmp_path / "study.toml"
    lists = {"drop": ["country", "noise"], "rises": ["income"], "falls": ["debt"],
             "not-missing": ["income", "debt"], "missing": ["x", "home=rent"]}  # fmt: skip
    path.write_text(as_toml(lists, "0"))
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--config", path, "--json", "--cv",
                "3", "-m", "rankcorrelation")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    used = json.loads(done.out)["how"]["configuration"]
    assert (used["rises"], used["falls"], used["drop"]) == ("income", "debt", "country,noise")
    assert used["missing"] == ["x", "home=rent"]
    plain = call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "rankcorrelation", "--cv",
                 "3", "--rises", "income", "--save-config", tmp_path / "used.toml")  # fmt: skip
    assert plain.code == 0
    assert 'rises = "income"' in (tmp_path / "used.toml").read_text()
