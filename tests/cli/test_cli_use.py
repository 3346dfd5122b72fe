"""``--save``, ``--code``, ``select`` and ``--config``: from the answer to its use."""

import json
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call
from echelon import Selection
from use_cases import printed_score

QUICK = ("-m", "rankcorrelation", "--cv", 2, "-n", 2)


@pytest.fixture
def selection(credit, tmp_path, capsys):
    path = tmp_path / "selection.json"
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, *QUICK, "--save", path)
    assert done.code == 0, done.err
    assert f"Wrote {path}" in done.out
    return path


@pytest.fixture
def german(tmp_path):
    """An export with semicolons, decimal commas, units and dates, in Windows-1252."""
    rng = np.random.default_rng(0)
    n, z = 90, rng.normal(size=90)
    days = pd.Timestamp("2020-02-01") + pd.to_timedelta((100 * z).round() + 400, "D")
    frame = pd.DataFrame(
        {
            "Kunde": [f"K{k:03d}" for k in range(n)],
            "Größe": [f"{1000 * (40 + 9 * v):,.2f} €".translate(str.maketrans(",.", ".,"))
                      for v in z],
            "seit": [day.strftime("%d.%m.%Y") for day in days],
            "Zufrieden": np.array(["nie", "selten", "oft"])[np.digitize(z, [-0.4, 0.4])],
            "PLZ": rng.integers(1, 4, n),
            "Note": np.array(["schlecht", "gut"])[(z + rng.normal(size=n) > 0).astype(int)],
        }
    )  # fmt: skip
    path = tmp_path / "kunden.csv"
    frame.to_csv(path, index=False, sep=";", encoding="cp1252")
    return path


def ranked(german, *more):
    read = ("--ordered", "Zufrieden=nie,selten,oft", "--categorical", "PLZ")
    return ("rank", german, "-t", "Note", "--class-order", "schlecht,gut", *read, "--cv", 2, *more)


# ------------------------------------------------------------------------------------ --save


def test_what_is_saved(credit, selection):
    held = Selection.read(selection).to_dict()
    assert held["source"] == "credit.csv"
    assert held["target"] == {"name": "grade", "kind": "ordinal",
                              "classes": ["low", "medium", "high"]}  # fmt: skip
    columns = {column["name"]: column for column in held["columns"]}
    assert list(columns) == ["customer", "income", "debt", "noise", "home", "country"]
    assert columns["customer"]["reason"] == ("excluded: 100 % of its values differ, as in an ID")
    assert columns["country"]["reason"] == "excluded: constant"
    assert columns["customer"]["rank"] is None
    assert "C0001" not in selection.read_text(), "names of customers are nobody's business"
    income = pd.read_csv(credit)["income"]
    assert columns["income"]["maximum"] == income.max()
    assert held["reading"]["delimiter"] == ","
    assert held["settings"]["n_features"] == "2"
    assert held["settings"]["seed"] == 0


def test_the_frequency_is_explained_where_it_is_printed(credit, tmp_path, capsys):
    asked = ("rank", credit, "-t", "grade", *ORDER, *QUICK)
    said = "frequency: the share of subsamples of half of the rows that select the feature."
    assert said not in call(capsys, *asked).out
    done = call(capsys, *asked, "--report", tmp_path / "report.html")
    assert done.out.count(said) == 1


def test_a_note_on_one_target_names_it_once(credit, capsys):
    rng = np.random.default_rng(0)
    frame = pd.read_csv(credit).assign(town=rng.choice(["Rome", "Oslo", "Lima"], 90))
    frame.to_csv(credit, index=False)
    done = call(capsys, "rank", credit, "-t", "income,town", *QUICK[:-2])
    assert done.code == 0, done.err
    [note] = [line for line in done.out.splitlines() if "classes without an order; if" in line]
    assert note.startswith("- town was read as classes without an order")


def test_nothing_is_overwritten(credit, selection, tmp_path, capsys):
    before = selection.read_bytes()
    rank = ("rank", credit, "-t", "grade", *ORDER, *QUICK)
    call(capsys, *rank, "--save", selection).check_refused("exists already", "--force")
    call(capsys, *rank, "--save", tmp_path / "x.pkl").check_refused("--save must end in .json")
    call(capsys, *rank, "--code", tmp_path / "x.R").check_refused("--code must end in .py, .ipynb")
    both = ("--save", tmp_path / "x.json", "-o", tmp_path / "x.json")
    call(capsys, *rank, *both).check_refused("name the same file")
    assert selection.read_bytes() == before
    assert call(capsys, *rank, "--save", selection, "--force").code == 0


# ------------------------------------------------------------------------------------ select


def test_select_writes_the_selected_columns(credit, selection, tmp_path, capsys):
    out = tmp_path / "reduced.csv"
    done = call(capsys, "select", selection, credit, "-o", out, "--with-target", "--keep", "home")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == "credit.csv: 90 rows, 4 of 7 columns."
    found, source = pd.read_csv(out), pd.read_csv(credit)
    pd.testing.assert_frame_equal(found, source[["home", "income", "debt", "grade"]])
    call(capsys, "select", selection, credit, "-o", out).check_refused("exists already", "--force")
    assert call(capsys, "select", selection, credit, "-o", out, "--force").code == 0
    assert pd.read_csv(out).columns.tolist() == ["income", "debt"]


@pytest.mark.parametrize(("ending", "read"), [(".parquet", pd.read_parquet),
                                              (".xlsx", pd.read_excel)])  # fmt: skip
def test_other_formats(ending, read, credit, selection, tmp_path, capsys):
    out = tmp_path / f"reduced{ending}"
    assert call(capsys, "select", selection, credit, "-o", out, "--keep", "customer").code == 0
    expected = pd.read_csv(credit)[["customer", "income", "debt"]]
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False)


def test_standard_output_holds_the_table_only(credit, selection, capsys):
    done = call(capsys, "select", selection, credit, "-o", "-")
    assert done.out.splitlines()[0] == "income,debt"
    assert len(done.out.splitlines()) == 91


def test_a_later_file_is_read_as_the_first_one(german, tmp_path, capsys):
    """Decimal commas and the day first, also where the later file alone does not tell."""
    saved, out = tmp_path / "s.json", tmp_path / "reduced.csv"
    assert call(capsys, *ranked(german, "-n", 3, "--save", saved)).code == 0
    later = german.with_name("later.csv")
    rows = ["Kunde;Größe;seit;Zufrieden;PLZ", "K1;41.300;03.04.2021;oft;1", "K2;;05.06.2021;nie;2"]
    later.write_text("\n".join(rows), encoding="cp1252")
    keep = ("--keep", "Kunde,seit,Größe")
    done = call(capsys, "select", saved, later, "-o", out, *keep)
    assert done.code == 0, done.err
    found = pd.read_csv(out)
    assert found["Größe"].tolist()[0] == 41300
    assert found["seit"].tolist() == ["2021-04-03", "2021-06-05"]
    assert "may be day or month first" not in done.out


def test_notes_are_about_the_columns_that_are_written(german, tmp_path, capsys):
    saved, out = tmp_path / "s.json", tmp_path / "reduced.csv"
    assert call(capsys, *ranked(german, "-n", 1, "--keep", "seit", "--save", saved)).code == 0
    for keep, is_said in (((), False), (("--keep", "Größe"), True)):
        done = call(capsys, "select", saved, german, "-o", out, "--force", *keep)
        assert ("- Größe: " in done.out) == is_said, done.out


def test_drift_is_said_and_the_file_is_written(credit, selection, tmp_path, capsys):
    frame = pd.read_csv(credit)
    frame.loc[:2, "income"] = [99.0, 98.0, np.nan]
    frame.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "reduced.csv"
    done = call(capsys, "select", selection, tmp_path / "new.csv", "-o", out)
    assert done.code == 0
    assert "- Values differ from those seen: income (1 row, 1 %): missing values" in done.out
    assert "now -" in done.out
    assert "to 99" in done.out
    assert len(pd.read_csv(out)) == 90


def test_wrong_columns_are_one_sentence(credit, selection, tmp_path, capsys):
    frame, new, out = pd.read_csv(credit), tmp_path / "new.csv", tmp_path / "reduced.csv"
    frame.drop(columns="income").to_csv(new, index=False)
    asked = ("select", selection, new, "-o", out)
    call(capsys, *asked).check_refused("new.csv: the table lacks 'income', 1 of 2 selected")
    frame.assign(debt="none of it").to_csv(new, index=False)
    call(capsys, *asked).check_refused("'debt' held numbers", "'none of it'")
    call(capsys, *asked, "--keep", "custommer").check_refused("Did you mean 'customer'?")
    frame.drop(columns="grade").to_csv(new, index=False)
    call(capsys, *asked, "--with-target").check_refused("no column 'grade' (--with-target)")
    assert not out.exists()


def test_no_input_is_written_over(credit, selection, tmp_path, capsys):
    asked = ("select", selection, credit, "--force", "-o")
    call(capsys, *asked, credit).check_refused("the data file itself")
    call(capsys, *asked, selection).check_refused("--output must end in")
    link = tmp_path / "link.csv"
    link.symlink_to(selection)
    call(capsys, *asked, link).check_refused("the selection file itself")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON"),
        (pickle.dumps({"a": 1}), "no JSON"),
        ("größe;alter\n1;2\n".encode("cp1252"), "Name the file that 'echelon rank --save' wrote"),
        (b'{"format": ', "no JSON that can be read"),
        (b'{"answer": 1}', "this is another file"),
        (b'{"format": "echelon selection", "schema": 99}', "Install a later version"),
    ],
)
def test_what_is_no_selection_is_refused(content, said, credit, tmp_path, capsys):
    path = tmp_path / "given.json"
    path.write_bytes(content)
    out = tmp_path / "reduced.csv"
    call(capsys, "select", path, credit, "-o", out).check_refused("given.json", said)


def test_formulas_are_not_run(credit, tmp_path, capsys):
    """A text that a spreadsheet would run: guarded in CSV, text in Excel, as it is with --raw."""
    frame = pd.read_csv(credit).assign(home=lambda f: f["home"].replace("own", "=1+1"))
    frame.to_csv(credit, index=False)
    saved = tmp_path / "s.json"
    rank = ("rank", credit, "-t", "grade", *ORDER, *QUICK, "--keep", "home", "--save", saved)
    assert call(capsys, *rank).code == 0
    out = tmp_path / "a.csv"
    done = call(capsys, "select", saved, credit, "-o", out)
    assert "--raw writes them as they are" in done.out
    assert set(pd.read_csv(out)["home"]) == {"'=1+1", "rent"}
    call(capsys, "select", saved, credit, "-o", out, "--raw", "--force")
    assert set(pd.read_csv(out)["home"]) == {"=1+1", "rent"}
    call(capsys, "select", saved, credit, "-o", tmp_path / "a.xlsx")
    assert set(pd.read_excel(tmp_path / "a.xlsx")["home"]) == {"=1+1", "rent"}


# ------------------------------------------------------------------------------------ --code


def saved_score(path):
    return json.loads(path.read_text())["scores"]["selected"]["mean"]


@pytest.mark.parametrize("ending", [".py", ".ipynb"])
def test_the_code_prints_the_score_that_was_saved(ending, credit, tmp_path, capsys):
    saved, path = tmp_path / "s.json", tmp_path / f"pipeline{ending}"
    out = ("--save", saved, "--code", path)
    assert call(capsys, "rank", credit, "-t", "grade", *ORDER, "--cv", 2, *out).code == 0
    code = path.read_text()
    assert "pd.read_csv(FILE)" in code, "a plain file is read by pandas alone"
    assert printed_score(code) == pytest.approx(saved_score(saved), abs=1e-6)


@pytest.mark.parametrize("estimator", ["linear", "forest", "knn"])
def test_the_code_reads_a_messy_file_in_the_same_way(estimator, german, tmp_path, capsys):
    saved, path = tmp_path / "s.json", tmp_path / "pipeline.py"
    out = ("--save", saved, "--code", path, "-n", 4, "--estimator", estimator)
    done = call(capsys, *ranked(german, *out))
    assert done.code == 0, done.err
    code = path.read_text()
    assert "read_table(FILE, Reading())" in code
    assert "pd.Timestamp('20" in code
    assert "['nie', 'selten', 'oft']" in code
    assert printed_score(code) == pytest.approx(saved_score(saved), abs=1e-6)


def test_the_code_runs_in_a_process_of_its_own(german, tmp_path, capsys, monkeypatch):
    """In another process that is given nothing but the two files."""
    monkeypatch.chdir(tmp_path)
    out = ("--save", "s.json", "--code", "pipeline.py", "-n", 4, "--estimator", "linear")
    assert call(capsys, *ranked(german.name, *out)).code == 0
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    for name in (german.name, "pipeline.py"):
        shutil.copy(tmp_path / name, fresh)
    done = subprocess.run([sys.executable, "-I", "pipeline.py"], cwd=fresh, env={},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) == pytest.approx(
        saved_score(tmp_path / "s.json"), abs=1e-6
    )


def test_code_of_groups_and_weights(credit, tmp_path, capsys):
    frame = pd.read_csv(credit)
    frame["who"], frame["much"] = np.arange(90) // 4, 1 + np.arange(90) % 3
    frame.loc[5, "grade"] = None
    frame.to_csv(credit, index=False)
    saved, path = tmp_path / "s.json", tmp_path / "pipeline.py"
    rows = ("--groups", "who", "--weights", "much", "--weights-are", "survey", "--drop", "customer")
    out = ("--save", saved, "--code", path)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, *QUICK, *rows, *out)
    assert done.code == 0, done.err
    assert printed_score(path.read_text()) == pytest.approx(saved_score(saved), abs=1e-6)


# ---------------------------------------------------------------------------------- --config


def test_a_study_is_repeated_from_its_configuration(credit, tmp_path, capsys):
    config, page = tmp_path / "study.toml", tmp_path / "report.json"
    given = ("rank", credit, "-t", "grade", *ORDER, *QUICK, "--seed", 7, "--missing", "home=x,y")
    first = call(capsys, *given, "--save-config", config, "--report", page, "--json")
    assert first.code == 0, first.err
    again = call(capsys, "rank", "--config", config, "--json")
    one, two = (json.loads(done.out) for done in (first, again))
    assert one["answer"] == two["answer"]
    assert two["how"]["seed"] == 7
    assert two["how"]["configuration"] == one["how"]["configuration"]
    assert two["how"]["configuration"]["missing"] == ["home=x,y"]
    assert json.loads(page.read_text())["how"]["configuration"]["cv"] == 2


def test_the_command_line_comes_first(credit, tmp_path, capsys):
    config = tmp_path / "study.toml"
    config.write_text(
        f'data = "{credit}"\ntarget = "grade"\nclass-order = ["low", "medium", "high"]\n'
        'method = "rankcorrelation"\ncv = 2\nn-features = 1\ndrop = ["home"]\n'
    )
    found = json.loads(call(capsys, "rank", "--config", config, "-n", 2, "--json").out)
    assert found["answer"]["n_features"] == 2
    assert found["how"]["folds"] == 2
    assert "home" not in {feature["name"] for feature in found["features"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class_ordr = 'a,b'", "Did you mean 'class-order'?"),
        ("target = ", "no TOML that can be read"),
        ("target = {a = 1}", "must be a text, a number"),
        ("config = 'other.toml'", "'config' that is not known"),
    ],
)
def test_what_is_wrong_with_a_configuration(text, said, credit, tmp_path, capsys):
    config = tmp_path / "study.toml"
    config.write_text(text)
    call(capsys, "rank", credit, "--config", config).check_refused(said)


def test_any_text_survives_a_configuration():
    import tomllib

    from echelon.cli._options import as_toml

    held = {"drop": 'a"b\\c\n\x7f\u202e', "missing": ["=1", "é"], "cv": 3, "unordered": True}
    assert tomllib.loads(as_toml(held, "0")) == held


def test_without_a_selected_feature_there_is_an_answer_and_no_code(tmp_path, capsys):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcy"))
    frame.to_csv(tmp_path / "noise.csv", index=False)
    code, saved = tmp_path / "pipeline.py", tmp_path / "s.json"
    out = ("--code", code, "--save", saved)
    done = call(capsys, "rank", tmp_path / "noise.csv", "-t", "y", "--cv", 3, *out)
    assert done.code == 0
    assert "pipeline.py was not written: No feature was selected" in done.out
    assert not code.exists()
    assert Selection.read(saved).features_ == []
