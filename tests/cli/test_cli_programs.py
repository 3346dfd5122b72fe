"""Files of SPSS, Stata and SAS: labels, their order, and codes that are declared missing."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from cli_cases import call
from echelon.cli._terminal import InputError
from echelon.cli.files import Reading, _labelled, read_table

GRADES = {1: "poor", 2: "fair", 3: "good"}
LABELS = {
    "grade": {**GRADES, 8: "don't know", 9: "no answer"},
    "plan": {1: "basic", 2: "plus", 3: "pro"},
    "region": {1: "West", 2: "Ost", 3: "Süd"},
    "age": {998: "refused"},
    "liking": {0: "not at all", 10: "very much"},
}
DECLARED = {"grade": [9], "age": [{"lo": 990, "hi": 999}]}


def survey(n=150):
    """Answers as codes; two columns follow the grade."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "grade": np.digitize(z, [-0.5, 0.5]) + 1.0,
            "plan": np.digitize(z + rng.normal(size=n) / 2, [-0.5, 0.5]) + 1.0,
            "region": rng.integers(1, 4, n) * 1.0,
            "age": (40 + 9 * z + 4 * rng.normal(size=n)).round(),
            "liking": rng.integers(0, 11, n) * 1.0,
            "town": rng.choice(["Bonn", "Ulm"], n),
            "seen": pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
        }
    )
    frame.loc[:4, "grade"] = 9
    frame.loc[5:9, "age"] = 998
    frame.loc[10, "plan"] = np.nan
    return frame


def spss(path, frame=None, **more):
    settings = {"variable_value_labels": LABELS, "missing_ranges": DECLARED,
                "variable_measure": {"region": "nominal"}}  # fmt: skip
    frame = survey() if frame is None else frame
    pyreadstat.write_sav(frame, path, **{**settings, **more})
    return path


def stata(path):
    """As from SPSS, with the letters of Stata for what is missing."""
    frame = survey().astype({"grade": object, "age": object})
    frame["grade"] = frame["grade"].replace(9, "a")
    frame["age"] = frame["age"].replace(998, "b")
    labels = {
        "grade": {**GRADES, "a": "no answer"},
        **{name: LABELS[name] for name in ("plan", "region", "liking")},
    }
    missing = {"grade": ["a"], "age": ["b"]}
    pyreadstat.write_dta(
        frame, path, variable_value_labels=labels, missing_user_values=missing, version=15
    )
    return path


def sas(path):
    pyreadstat.write_xport(survey(), path)
    return path


def portable(path):
    frame = survey().drop(columns="seen").rename(columns=str.upper)
    pyreadstat.write_por(frame, path)
    return path


MADE = {"x.sav": spss, "x.zsav": lambda path: spss(path, compress=True), "x.dta": stata,
        "x.xpt": sas, "x.por": portable}  # fmt: skip


def read(path, **how):
    return read_table(str(path), Reading(**how))


# ----------------------------------------------------------------------------- what is read


@pytest.mark.parametrize("name", ["x.sav", "x.zsav", "x.dta"])
def test_labels_and_what_is_declared_missing(name, tmp_path):
    found, truth = read(MADE[name](tmp_path / name)), survey()
    frame = found.frame
    assert frame["grade"].cat.ordered
    assert frame["grade"].cat.categories[:3].tolist() == ["poor", "fair", "good"]
    assert "no answer" not in frame["grade"].cat.categories
    labels = truth["grade"].map(GRADES)
    pd.testing.assert_series_equal(
        frame["grade"].astype(object), labels.astype(object), check_dtype=False
    )
    assert frame["grade"].isna().sum() == 5
    assert frame["plan"].cat.categories.tolist() == ["basic", "plus", "pro"]
    assert frame["age"].tolist()[10:] == truth["age"].tolist()[10:]
    assert frame["age"].isna().tolist() == [5 <= k < 10 for k in range(150)]
    assert frame["liking"].tolist() == truth["liking"].tolist(), "two of eleven codes have labels"
    assert frame["town"].tolist() == truth["town"].tolist()
    assert frame["seen"].tolist() == truth["seen"].tolist()
    (missing,) = (note for note in found.notes if "declares missing" in note)
    assert "grade (" in missing
    assert "5 rows" in missing
    (order,) = (note for note in found.notes if note.startswith("plan"))
    assert "basic (1) < plus (2) < pro (3)" in order


def test_a_nominal_column_of_spss_has_no_order(tmp_path):
    found = read(spss(tmp_path / "x.sav"))
    assert set(found.frame["region"]) == {"West", "Ost", "Süd"}
    assert not isinstance(found.frame["region"].dtype, pd.CategoricalDtype)
    assert any(note.startswith("region: ") and "without an order" in note for note in found.notes)
    plans = {"variable_measure": {"grade": "nominal", "plan": "nominal"}}
    frame = read(spss(tmp_path / "y.sav", **plans)).frame
    assert frame["grade"].cat.ordered, "labels that look ordered are, whatever is declared"
    assert not isinstance(frame["plan"].dtype, pd.CategoricalDtype)


def test_very_many_labels_have_an_order_only_if_it_is_declared(tmp_path):
    frame = pd.DataFrame({"place": np.arange(60) % 30 + 1.0, "y": np.arange(60.0)})
    labels = {"variable_value_labels": {"place": {k: f"{17 * k % 31} km" for k in range(1, 31)}}}
    plain = read(spss(tmp_path / "x.sav", frame, missing_ranges=None, **labels)).frame
    assert not isinstance(plain["place"].dtype, pd.CategoricalDtype)
    ranked = {**labels, "variable_measure": {"place": "ordinal"}, "missing_ranges": None}
    assert read(spss(tmp_path / "y.sav", frame, **ranked)).frame["place"].cat.ordered


def test_sas_and_portable_files_hold_codes(tmp_path):
    for name in ("x.xpt", "x.por"):
        frame = read(MADE[name](tmp_path / name)).frame.rename(columns=str.lower)
        assert frame["plan"].tolist()[:10] == survey()["plan"].tolist()[:10]
        assert frame["town"].tolist() == survey()["town"].tolist()


def test_a_code_without_a_label_leaves_numbers(tmp_path):
    frame = survey()
    frame.loc[0, "plan"] = 7
    found = read(spss(tmp_path / "x.sav", frame))
    assert found.frame["plan"][0] == 7
    assert any("plan: 7 has no label" in note for note in found.notes)


def test_labels_that_several_codes_have(tmp_path):
    labels = {"plan": {1: "other", 2: "plus", 3: "other"}}
    frame = read(spss(tmp_path / "x.sav", variable_value_labels=labels)).frame
    assert frame["plan"].cat.categories.tolist() == ["other (1)", "plus", "other (3)"]


def test_labels_of_texts_have_no_order(tmp_path):
    frame = survey().assign(town=lambda f: f["town"].map({"Bonn": "b", "Ulm": "u"}))
    labels = {"town": {"b": "Bonn", "u": "Ulm"}}
    found = read(spss(tmp_path / "x.sav", frame, variable_value_labels=labels)).frame["town"]
    assert found.tolist() == survey()["town"].tolist()


# --------------------------------------------------------- codes that nobody declared missing


def test_codes_labelled_like_no_answer_are_named_before_the_answer(tmp_path, capsys):
    path = spss(tmp_path / "x.sav", missing_ranges=None)
    found = read(path)
    assert "grade: 9 is labelled 'no answer'; pass --missing grade=9 if that means missing." in (
        found.doubts
    )
    assert any(doubt.startswith("age: 998 is labelled 'refused'") for doubt in found.doubts)
    assert found.frame["grade"].cat.categories.tolist() == [*GRADES.values(), "no answer"]
    done = call(capsys, "profile", path, "-t", "grade", "--json")
    assert "grade: 9 is labelled" in done.out
    asked = read(path, missing_in={"grade": ["9"], "age": ["998"]})
    assert not asked.doubts
    assert asked.frame["grade"].cat.categories.tolist() == [*GRADES.values()]
    assert asked.frame["grade"].isna().sum() == asked.frame["age"].isna().sum() == 5


# ------------------------------------------------------------------------------- the command


@pytest.mark.parametrize("name", ["x.sav", "x.dta"])
def test_a_labelled_target_needs_no_question(name, tmp_path, capsys):
    path, code = MADE[name](tmp_path / name), tmp_path / "code.py"
    saved = tmp_path / "s.json"
    done = call(capsys, "rank", path, "-t", "grade", "-m", "rankcorrelation", "--cv", 2, "-n", 3,
                "--save", saved, "--code", code)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "x." in done.out
    assert "grade: poor < fair < good" in done.out
    assert "poor (1) < fair (2) < good (3)" in done.out
    held = json.loads(saved.read_text())
    assert held["target"] == {"name": "grade", "kind": "ordinal", "classes": [*GRADES.values()]}
    (plan,) = (column for column in held["columns"] if column["name"] == "plan")
    assert (plan["kind"], plan["selected"]) == ("ordered", True)
    score = held["scores"]["selected"]["mean"]
    ran = subprocess.run([sys.executable, code], capture_output=True, text=True, check=True)
    assert float(ran.stdout.split()[-1]) == pytest.approx(score, abs=1e-6)
    out = tmp_path / "reduced.csv"
    done = call(capsys, "select", saved, path, "-o", out, "--with-target")
    assert (done.code, done.err) == (0, "")
    assert set(pd.read_csv(out)["grade"].dropna()) == {*GRADES.values()}


def test_what_has_no_order_can_be_said(tmp_path, capsys):
    path = spss(tmp_path / "x.sav")
    asked = ("profile", path, "-t", "grade", "--unordered", "--categorical", "plan", "--json")
    found = json.loads(call(capsys, *asked).out)
    assert found["kind"] == "classification"


def test_a_compressed_file_of_spss_is_read(tmp_path):
    path = tmp_path / "x.sav.gz"
    path.write_bytes(gzip.compress(spss(tmp_path / "x.sav").read_bytes()))
    assert len(read(path).frame) == 150


# ------------------------------------------------------------------------- damaged and huge


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("share", [0.3, 0.97])
def test_files_that_are_cut_off_are_refused(name, share, tmp_path):
    """Never part of the rows, or codes without their labels, as if they were all."""
    path = MADE[name](tmp_path / name)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content)) | 1])
    with pytest.raises(InputError, match=rf"{name} cannot be read as a file of \w+: "):
        read(path)


def test_a_reader_that_crashes_ends_nothing(tmp_path, monkeypatch):
    path = spss(tmp_path / "x.sav")
    monkeypatch.setattr(_labelled, "_TRIAL", "import os, signal; os.kill(os.getpid(), 11)")
    with pytest.raises(InputError, match=r"x\.sav cannot be read as a file of SPSS: it is damaged"):
        read(path)


@pytest.mark.parametrize("name", MADE)
def test_files_that_take_too_much_memory(name, tmp_path):
    path = MADE[name](tmp_path / name)
    refused = rf"{name} takes more than 5 KB of memory"
    with pytest.raises(InputError, match=refused):
        read(path, max_memory="5 kB")


def test_an_unpacked_size_is_limited_before_it_is_read(tmp_path, capsys):
    frame = pd.DataFrame(0.0, range(40_000), ["a", "b", "grade"])
    path = spss(tmp_path / "x.zsav", frame, compress=True, variable_value_labels={},
                missing_ranges=None)  # fmt: skip
    assert path.stat().st_size < 50_000
    done = call(capsys, "profile", path, "-t", "grade", "--max-memory", "500 kB")
    done.check_refused("x.zsav takes more than 500 KB of memory")


def test_texts_in_another_encoding_than_stated(tmp_path):
    frame = pd.DataFrame({"town": ["Köln", "Jülich"] * 4, "y": range(8)})
    path = tmp_path / "x.sav"
    pyreadstat.write_sav(frame, path)
    content = path.read_bytes()
    for letter in "öü":
        content = content.replace(letter.encode(), letter.encode("cp1252") + b"_")
    path.write_bytes(content)
    found = read(path)
    assert found.frame["town"].tolist() == ["Kö_ln", "Jü_lich"] * 4
    assert any("was read as Windows-1252" in note for note in found.notes)


def test_what_only_begins_like_a_file_of_spss(tmp_path):
    path = tmp_path / "x.sav"
    path.write_bytes(b"$FL2@(#) SPSS DATA FILE" + bytes(200))
    with pytest.raises(InputError, match=r"x\.sav cannot be read as a file of SPSS: "):
        read(path)
