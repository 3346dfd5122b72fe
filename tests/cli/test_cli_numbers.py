"""Numbers as people write them: one style for a file, from all its columns and its delimiter."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from cli_cases import call
from echelon.cli.files import Reading, read_table
from echelon.cli.files._numbers import decide, read_number, style_of


def read(text, tmp_path, **how):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(str(path), Reading(**how))


def semicolons(tmp_path, how=None, **columns):
    """A file with semicolons of these columns and of labels, as it is read."""
    frame = pd.DataFrame({**columns, "label": pd.Series(["a", "b"] * 99)[: len(columns["x"])]})
    return read(frame.to_csv(index=False, sep=";"), tmp_path, **(how or {}))


# ------------------------------------------------- files in a known style, the truth beside them

STYLES = {
    "german": (";", ".", ","),
    "swiss": (";", "'", "."),
    "french": (";", "\u00a0", ","),
    "us": (",", ",", "."),
    "plain": (",", "", "."),
    "plain with semicolons": (";", "", "."),
    "german with tabs": ("\t", ".", ","),
}


def written(value, digits, thousands, decimal):
    """A number as it is written with these signs, by the most naive way there is."""
    text = f"{value:,.{digits}f}"
    return text.replace(",", "T").replace(".", "D").replace("T", thousands).replace("D", decimal)


def random_file(rng, style, settles=True):
    """Text of a file, and the truth: numbers of all sizes, and perhaps some that settle it."""
    delimiter, thousands, decimal = STYLES[style]
    n = int(rng.integers(5, 40))
    shapes = [(10.0 ** rng.integers(0, 6), int(rng.integers(0, 4))) for _ in range(4)]
    truth = {
        f"x{j}": np.round(rng.normal(size=n) * size, digits)
        for j, (size, digits) in enumerate(shapes)
    }
    digits = [digits for _, digits in shapes] + [2]
    if settles:
        truth["sure"] = np.round(rng.uniform(1, 9000, n), 2)
    cells = [
        [written(value, d, thousands, decimal) for value in values]
        for d, values in zip(digits, truth.values(), strict=False)
    ]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow([*truth, "label"])
    writer.writerows([*row, f"l{k % 3}"] for k, row in enumerate(zip(*cells, strict=True)))
    return out.getvalue(), truth


@pytest.mark.parametrize("style", STYLES)
def test_files_in_a_known_style_are_read_right(style, tmp_path):
    rng = np.random.default_rng(sorted(STYLES).index(style))
    for _ in range(30):
        text, truth = random_file(rng, style)
        found = read(text, tmp_path)
        for name, values in truth.items():
            np.testing.assert_allclose(found.frame[name], values, atol=1e-12, err_msg=text)
        assert not found.doubts
        assert found.frame["label"].tolist()[:2] == ["l0", "l1"]


@pytest.mark.parametrize("style", STYLES)
def test_what_is_read_wrong_without_evidence_is_named_in_a_doubt(style, tmp_path):
    rng = np.random.default_rng(100 + sorted(STYLES).index(style))
    for _ in range(30):
        text, truth = random_file(rng, style, settles=False)
        found = read(text, tmp_path)
        for name, values in truth.items():
            right = np.allclose(found.frame[name], values, atol=1e-12)
            assert right or any(name in doubt for doubt in found.doubts), text


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1.234,5", ",", 1234.5),
        ("1.234,5", ".", None),
        ("1,234.5", ".", 1234.5),
        ("1.244", ",", 1244),
        ("1.244", ".", 1.244),
        ("0,531", ".", None),
        ("-0,132", ",", -0.132),
        ("\u22120,3", ",", -0.3),
        ("2,50E+04", ",", 25000),
        ("1'133.98", ".", 1133.98),
        ("1 133,98 \u20ac", ",", 1133.98),
        ("1\u00a0133,98\u00a0\u20ac", ",", 1133.98),
        ("1\u202f133", ".", 1133),
        ("EUR 113,40", ",", 113.4),
        ("$-5", ".", -5),
        ("-$5", ".", -5),
        ("171 cm", ".", 171),
        ("7,5 mg/dl", ",", 7.5),
        ("1.2.3", ".", None),
        ("1,2,3", ",", None),
        ("26.07.2020", ",", None),
        ("192.168.0.1", ".", None),
        ("12,34,567", ".", None),
        ("--5", ".", None),
        ("12a", ".", None),
        ("", ".", None),
        (".", ".", None),
    ],
)
def test_one_cell(cell, decimal, value):
    found = read_number(cell, style_of(decimal))
    assert (None if found is None else found.value) == value


# ------------------------------------------------------------------------ one style for a file


def test_thousands_points_beside_small_numbers(tmp_path):
    found = semicolons(tmp_path, x=["1.244", "961", "3.120", "87", "12.007"])
    assert found.frame["x"].tolist() == [1244, 961, 3120, 87, 12007]
    assert found.doubts == [
        "x: '1.244' was read as 1244; pass --decimal . if it means 1.244, or --decimal , if not."
    ]
    found = semicolons(tmp_path, {"decimal": "."}, x=["1.244", "961", "3.120"])
    assert (found.frame["x"].tolist(), list(found.doubts)) == ([1.244, 961, 3.12], [])
    for how in ({"decimal": ","}, {"thousands": "."}):
        found = semicolons(tmp_path, how, x=["1.244", "961", "3.120"])
        assert (found.frame["x"].tolist(), list(found.doubts)) == ([1244, 961, 3120], [])


def test_one_column_settles_the_others(tmp_path):
    found = semicolons(tmp_path, x=["1.244", "2.531"], y=["0,531", "-0,132"], z=["3.000 €", "2 €"])
    assert found.frame["x"].tolist() == [1244, 2531]
    assert found.frame["y"].tolist() == [0.531, -0.132]
    assert found.frame["z"].tolist() == [3000, 2]
    assert not found.doubts
    found = semicolons(tmp_path, x=["1.244", "2.531"], y=["0.531", "-0.132"])
    assert found.frame["x"].tolist() == [1.244, 2.531]
    assert (list(found.doubts), found.notes) == ([], [])


def test_commas_before_three_digits_are_decimals_between_semicolons(tmp_path):
    found = semicolons(tmp_path, x=["5,531", "7,132"])
    assert found.frame["x"].tolist() == [5.531, 7.132]
    assert "--decimal ." in found.doubts[0]


def test_a_long_number_without_a_sign_means_that_thousands_are_not_parted():
    decision = decide({"x": ["1.244", "1961", "3.120"]}, ";")
    assert (decision.columns["x"].decimal, decision.guessed) == (".", {})
    decision = decide({"x": ["12.345", "1961", "13.120"]}, ";")  # as in Spain
    assert decision.columns["x"].decimal == ","


def test_columns_that_contradict_each_other_are_read_as_each_must_be(tmp_path):
    found = semicolons(tmp_path, x=["48.1371", "47.5"], y=["0,5", "1,5"], z=["1.244", "2.531"])
    assert found.frame["x"].tolist() == [48.1371, 47.5]
    assert found.frame["y"].tolist() == [0.5, 1.5]
    assert "z: '1.244' was read as 1244" in found.doubts[0]


def test_ordinary_files_raise_no_doubt(tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(50):
        frame = pd.DataFrame(rng.normal(5, 2, size=(20, 3))).round(3).add_prefix("x")
        found = read(frame.to_csv(index=False), tmp_path)
        np.testing.assert_array_equal(found.frame, frame)
        assert (list(found.doubts), found.notes) == ([], [])


def test_doubts_are_said_before_the_answer_and_once(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.integers(200, 9000, 60)
    cells = [f"{each:,}".replace(",", ".") for each in x]
    frame = pd.DataFrame({"x": cells, "noise": rng.integers(0, 9, 60), "grade": x // 3000})
    path = tmp_path / "shop.csv"
    frame.to_csv(path, index=False, sep=";")
    options = ("rank", path, "-t", "grade", "-m", "rankcorrelation", "-q")
    out = call(capsys, *options).out
    assert out.count("pass --decimal .") == 1
    assert out.index("Warning: x:") < out.index("feature  ")
    assert "rises" in out
    assert "--decimal" not in call(capsys, *options, "--decimal", ",").out


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (("--decimal", ";"), "--decimal must be , or . but got ';'"),
        (("--thousands", "x"), "--thousands must be , or . or ' or space, but got 'x'"),
        (("--thousands", ".", "--decimal", "."), "both '.'"),
    ],
)
def test_signs_that_are_none_are_refused(options, fragment, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("a,grade\n1,0\n2,1\n")
    call(capsys, "profile", path, "-t", "grade", *options).check_refused(fragment)


# ------------------------------------------------------- texts, units and currencies among numbers


@pytest.mark.parametrize("gap", ["#NV", "-", "k. A.", "#DIV/0!", "#WERT!", "n. v."])
def test_texts_that_mean_missing_among_comma_numbers(gap, tmp_path):
    """However many of them there are."""
    for n in (1, 4, 12):
        cells = [f"{k},{k}" for k in range(1, 8)] + [gap] * n
        found = semicolons(tmp_path, x=cells)
        np.testing.assert_allclose(found.frame["x"], [k * 1.1 for k in range(1, 8)] + [np.nan] * n)
        rows = f"{n} row{'s' * (n > 1)}"
        assert f"x: {gap!r} ({rows}) was read as missing." in found.notes


def test_texts_that_mean_missing_among_labels_are_labels(tmp_path):
    cells = ["-", "+", "-", "+", "0", "1"]
    assert semicolons(tmp_path, x=cells).frame["x"].tolist() == cells


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["2,50E+04", "1,00E-02", "3,75E+00"], [25000, 0.01, 3.75]),
        (["EUR 113,40", "EUR 1.250,00", "EUR 7"], [113.4, 1250, 7]),
        (["1'133.98", "12.50", "1'000'000.00"], [1133.98, 12.5, 1e6]),
        (["1\u00a0133,98\u00a0€", "12,50 €", "1 000,00 €"], [1133.98, 12.5, 1000]),
        (["171 cm", "165 cm", "180 cm"], [171, 165, 180]),
        (["171cm", "165cm", "180cm"], [171, 165, 180]),
        (["36,6 °C", "38,1 °C", "40 °C"], [36.6, 38.1, 40]),
        (["\u22120,3", "0,25", "1,5"], [-0.3, 0.25, 1.5]),
        (["CHF 5.50", "CHF 1'200.00", "CHF -3.00"], [5.5, 1200, -3]),
    ],
)
def test_dressed_numbers_are_read_and_mentioned(cells, values, tmp_path):
    found = semicolons(tmp_path, x=cells)
    np.testing.assert_allclose(found.frame["x"], values)
    shown = " ".join(cells[0].split())
    assert found.notes[0].startswith(f"x: {shown!r} was read as {values[0]:.15g}")
    assert not found.doubts


@pytest.mark.parametrize(
    "cells",
    [["10a", "10b", "12c", "7a"], ["3 a", "3 b", "4 c", "5 d"], ["1.2.3", "2.0.1"], ["5G", "4G"],
     ["12:30", "13:45"], ["A-1", "A-2"], ["1-2", "3-4"], ["1/2", "3/4"], ["$5", "€5", "£7"]],
)  # fmt: skip
def test_labels_with_digits_stay_labels(cells, tmp_path):
    assert semicolons(tmp_path, x=cells).frame["x"].tolist() == cells


def test_labels_most_of_which_are_numbers_are_named(tmp_path):
    cells = [f"{k},5" for k in range(12)] + ["low", "mid", "high", "top"]
    found = semicolons(tmp_path, x=cells)
    assert found.frame["x"].tolist() == cells
    assert found.notes == [
        "x is read as categories because of 'low', 'mid', 'high' (4 rows); if that means missing, "
        "pass --missing low,mid,high."
    ]
    found = semicolons(tmp_path, x=["171 cm", "1,80 m", "165 cm", "178 cm"])
    assert "because of '1,80 m' (1 row)" in found.notes[0]
