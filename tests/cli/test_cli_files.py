"""Files of every format, and broken ones: a right answer, or exit code 2 and one clear line."""

import gzip
import io
import json
import os

import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call, grades, run
from echelon.cli.files import Reading, read_table

WORDS = np.array(["low", "medium", "high"])


def arff(frame):
    kinds = {"home": "{rent, own}", "grade": "{low, medium, high}", "customer": "string"}
    lines = ["% made by a test", "@RELATION credit", ""]
    lines += [f"@ATTRIBUTE {name} {kinds.get(name, 'NUMERIC')}" for name in frame.columns]
    return "\n".join([*lines, "@DATA", *(frame.to_csv(index=False, header=False).splitlines())])


@pytest.fixture(scope="module")
def table():
    frame = grades().drop(columns="country")
    return frame.assign(grade=WORDS[frame["grade"]])


def write(frame, path):
    name = path.name
    if name.endswith(".arff"):
        path.write_text(arff(frame))
    elif name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".feather"):
        frame.to_feather(path)
    elif name.endswith(".xlsx"):
        frame.to_excel(path, index=False)
    else:
        sep = "\t" if ".tsv" in name else ","
        text = frame.to_csv(index=False, sep=sep).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


FORMATS = ("csv", "csv.gz", "tsv", "tsv.gz", "parquet", "feather", "arff", "xlsx")


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_is_read_alike(ending, table, tmp_path):
    path = write(table, tmp_path / f"credit.{ending}")
    read = read_table(str(path), Reading())
    assert read.source == f"credit.{ending}"
    assert list(read.frame.columns) == list(table.columns)
    for name in ("income", "debt", "noise"):
        np.testing.assert_allclose(read.frame[name], table[name])
    for name in ("home", "grade", "customer"):
        assert read.frame[name].astype(object).tolist() == table[name].tolist()


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet", "feather", "arff", "xlsx"])
def test_every_format_is_ranked(ending, table, tmp_path, capsys):
    """By the installed command, or (a process takes seconds to start) by the same function."""
    path = write(table, tmp_path / f"credit.{ending}")
    order = [] if ending == "arff" else ["--class-order", "low,medium,high"]
    out = tmp_path / "ranking.csv"
    options = ("-t", "grade", "-n", 2, *order, "-o", out, "--json")
    if ending == "csv":
        done = run("rank", path, *options)
    else:
        done = call(capsys, "rank", path, *options, "-m", "rankcorrelation")
    assert (done.code, done.err) == (0, "")
    summary = json.loads(done.out)
    assert summary["answer"]["keep"] == ["income", "debt"]
    counts = table["grade"].value_counts()
    assert summary["data"]["classes"] == {word: counts[word] for word in WORDS}
    assert summary["set_aside"] == {"customer": "looks like an ID"}
    ranking = pd.read_csv(out)
    assert ranking["feature"].tolist()[:2] == ["income", "debt"]
    assert ranking["keep"].tolist()[:4] == [True, True, False, False]


def test_standard_input_semicolons_and_decimal_commas(table):
    text = table.to_csv(index=False, sep=";", decimal=",").encode()
    done = run("rank", "-", "-t", "grade", *ORDER, "-m", "rankcorrelation", "-o", "-", stdin=text)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].startswith("1,income,True")


def test_ordered_categories_of_a_file_are_an_order(table, tmp_path, capsys):
    ordered = pd.Categorical(table["grade"], WORDS, ordered=True)
    path = write(table.assign(grade=ordered), tmp_path / "credit.parquet")
    done = call(capsys, "profile", path, "-t", "grade", "--json")
    found = json.loads(done.out)
    assert (found["kind"], found["order_from"]) == ("ordinal", "declared")
    assert list(found["classes"]) == WORDS.tolist()


def test_labels_listed_in_arff_are_an_order_for_the_target_only(table, tmp_path, capsys):
    path = write(table, tmp_path / "credit.arff")
    found = json.loads(call(capsys, "profile", path, "-t", "grade", "--json").out)
    assert (found["kind"], found["order_from"], found["nominal"]) == (
        "ordinal", "declared", ["home"],
    )  # fmt: skip


def test_a_sheet_is_chosen_by_name(table, tmp_path, capsys):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"about": ["nothing"], "here": [1]}).to_excel(book, sheet_name="readme")
        table.to_excel(book, sheet_name="data", index=False)
    call(capsys, "profile", path, "-t", "grade").check_refused("no column 'grade'")
    call(capsys, "profile", path, "-t", "grade", "--sheet", "dat").check_refused("mean 'data'?")
    done = call(capsys, "profile", path, "-t", "grade", "--sheet", "data", "--unordered")
    assert done.code == 0


# ------------------------------------------------------------------ what is hidden in text


def read(text, tmp_path, **how):
    path = tmp_path / "data.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(str(path), Reading(**how))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (['"$1,200"', '"$900"', '"$12,000,000"'], [1200, 900, 12e6]),
        (["12%", "7.5%", "100%"], [12, 7.5, 100]),
        (['"1.234,5"', '"0,25"', '"7"'], [1234.5, 0.25, 7]),
        (["1e3", "-2", "?"], [1000, -2, np.nan]),
        (["2024-01-01", "2024-01-02", ""], ["2024-01-01", "2024-01-02", "NaT"]),
        (["31.12.2023", "01.01.2024", "02.01.2024"], ["2023-12-31", "2024-01-01", "2024-01-02"]),
        (["01/31/2024", "02/01/2024", "02/02/2024"], ["2024-01-31", "2024-02-01", "2024-02-02"]),
        (["01/02/2024", "03/04/2024", "05/06/2024"], ["01/02/2024", "03/04/2024", "05/06/2024"]),
        (["+", "-", "None"], ["+", "-", "None"]),
        ([" low ", "high", "low"], ["low", "high", "low"]),
    ],
)
def test_numbers_and_dates_are_recognised(cells, expected, tmp_path):
    rows = "\n".join(f"{k},{cell}" for k, cell in enumerate(cells))
    column = read(f"k,value\n{rows}\n", tmp_path).frame["value"]
    if column.dtype.kind == "M":
        expected = pd.to_datetime(pd.Series(expected), format="ISO8601").tolist()
        assert column.fillna(pd.Timestamp(0)).tolist() == [
            pd.Timestamp(0) if pd.isna(each) else each for each in expected
        ]
    elif column.dtype.kind in "if":
        np.testing.assert_array_equal(column, expected)
    else:
        assert column.tolist() == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["9/30/1990 0:00:00", "1/2/1990 0:00:00"], ["1990-09-30", "1990-01-02"]),
        (["26.07.2020 00:00", "01.02.2020 12:00"], ["2020-07-26", "2020-02-01 12:00"]),
        (["26.07.2020 07:30:15", ""], ["2020-07-26 07:30:15", None]),
        (["26-Jul-2020", "1-Feb-2020"], ["2020-07-26", "2020-02-01"]),
        (["26 July 2020", "1 Feb 2020"], ["2020-07-26", "2020-02-01"]),
        (["9/30/1990 1:05 PM", "1/2/1990 11:00 AM"], ["1990-09-30 13:05", "1990-01-02 11:00"]),
        (["Sunday, September 1, 2024", "Mon, Feb 5, 2024"], ["2024-09-01", "2024-02-05"]),
        (["So. 25.08.2024", "Mi 01.02.2023"], ["2024-08-25", "2023-02-01"]),
        (["2024-W35", "2020-W53", "2024W01"], ["2024-08-26", "2020-12-28", "2024-01-01"]),
        (["2024-W35-3", "2025-W01-1"], ["2024-08-28", "2024-12-30"]),
        (["2024Q3", "2023-Q1"], ["2024-07-01", "2023-01-01"]),
        (["Q4 2024", "Q1/2023"], ["2024-10-01", "2023-01-01"]),
    ],
)
def test_dates_with_a_time_or_a_month_in_words(cells, expected, tmp_path):
    rows = "\n".join(f"{k};{cell}" for k, cell in enumerate(cells))
    found = read(f"k;when\n{rows}\n", tmp_path)
    assert found.frame["when"].equals(pd.Series(pd.to_datetime(expected, format="mixed")))
    assert (found.notes, list(found.doubts)) == ([], [])


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["13/01/2024", "01/13/2024", "02/03/2024"],
         "'13/01/2024' has the day first and '01/13/2024' the month"),
        (["01/02/2024", "02/03/2024 0:00", "03/04/2024"],
         "'01/02/2024' may be day or month first"),
    ],
)  # fmt: skip
def test_dates_that_may_be_others_are_labels_and_doubted(cells, why, tmp_path):
    rows = "\n".join(f"{k},{cell}" for k, cell in enumerate(cells))
    found = read(f"k,when\n{rows}\n", tmp_path)
    assert found.frame["when"].tolist() == cells
    assert found.doubts == [f"when: {why}, so its dates are read as categories; write them as "
                            "2024-12-31."]  # fmt: skip


@pytest.mark.parametrize(
    "cell",
    ["Room 2024-0{}", "2024-W6{}", "2024Q{}", "Marc Sept {}", "Model 01.02.202{}", "2021-W53-{}"],
)
def test_labels_with_digits_are_no_dates(cell, tmp_path):
    cells = [cell.format(k) for k in (5, 6, 7, 8, 9)]
    found = read("\n".join(["k;label", *(f"{k};{each}" for k, each in enumerate(cells))]), tmp_path)
    assert found.frame["label"].tolist() == cells


@pytest.mark.parametrize("cell", ["4.{}±0.1", "1{} ± 2", "Sep-{}9", "Okt. {}3", "1{}/80"])
def test_numbers_of_a_style_that_is_not_known_are_named(cell, tmp_path):
    rows = "\n".join(["k;value", *(f"{k};{cell.format(k)}" for k in range(10))])
    found = read(rows, tmp_path)
    assert found.frame["value"].tolist() == [cell.format(k) for k in range(10)]
    assert f"value is read as categories: {cell.format(0)!r}" in found.notes[0]


def test_hours_as_in_france_and_lines_of_totals(tmp_path):
    rows = [f"r{k};{k % 24:02d}h{k:02d};{k}" for k in range(30)]
    rows[10] = "Subtotal;00h10;45"
    found = read("\n".join(["region;at;sales", *rows]), tmp_path)
    assert found.frame["at"].iloc[9] == pytest.approx(9.15)
    assert found.doubts == [
        "region: 'Subtotal' (1 row) looks like a line of totals; if it is no row of the table, "
        "remove it from the file."
    ]


def test_what_is_to_be_passed_is_quoted_where_it_ends_the_sentence(tmp_path):
    rows = [f"{k};{k / 8}" for k in range(40)]
    rows[::3] = [f"{k};k.o." for k in range(14)]
    found = read("\n".join(["k;value", *rows]), tmp_path)
    assert found.notes[0].endswith('pass --missing "k.o.".')


def test_a_few_stray_texts_are_missing_and_many_are_mentioned(tmp_path):
    few = "\n".join(["k,v", *(f"{k},{k * 1.5}" for k in range(50)), "50,unknown"])
    found = read(few, tmp_path)
    assert found.frame["v"].isna().sum() == 1
    assert found.notes == ["v: 'unknown' (1 row) was read as missing."]
    assert read(f"{few}\n51,-", tmp_path).notes == [
        "v: 'unknown', '-' (2 rows) were read as missing."
    ]
    many = "\n".join(["k,v", *(f"{k},{k * 1.5}" for k in range(50)), *["9,a b"] * 8])
    found = read(many, tmp_path)
    assert '--missing "a b"' in found.notes[0]
    assert read(many, tmp_path, missing=("a b",)).frame["v"].isna().sum() == 8


# ------------------------------------------------------------------------- broken files

GOOD = "a,b,grade\n" + "\n".join(f"{k % 7},{k % 5},{k % 3}" for k in range(60)) + "\n"


def broken_parquet():
    return b"PAR1" + bytes(range(200)) + b"PAR1"


def broken_letters():
    """A whole Parquet file, with a text in it that is none."""
    stream = io.BytesIO()
    frame = pd.DataFrame({"a": ["good", "bad?"] * 9, "b": range(18), "grade": [0, 1] * 9})
    frame.to_parquet(stream, compression=None)
    return stream.getvalue().replace(b"bad?", b"b\xff\xfe?")


BROKEN = {
    "empty": ("x.csv", b"", "is empty"),
    "blank": ("x.csv", b"\n \n", "is empty"),
    "header only": ("x.csv", b"a,b,grade\n", "no rows"),
    "one column": ("x.csv", b"grade\n1\n2\n", "one column only"),
    "no header": ("x.csv", b"1,2,3\n4,5,6\n", "numbers, not column names"),
    "too long a row": ("x.csv", GOOD.encode() + b"1,2,3,4\n", "Line 62 of x.csv has 4 fields"),
    "too long a first row": ("x.csv", b"a,b,grade\n1,2,0,4\n1,2,1,4\n", "Line 2 of x.csv has 4"),
    "too short a row": ("x.csv", GOOD.encode() + b"1,2\n", "Line 62 of x.csv has 2 fields"),
    "open quotes": ("x.csv", GOOD.encode() + b'"1,2,0\n1,2,1\n', "quotation mark"),
    "nul bytes": ("x.csv", GOOD.replace("6,", "\0,").encode(), "NUL bytes"),
    "damaged utf-16": ("x.csv", b"\xff\xfe" + GOOD.encode("utf-16-le") + b"\x00", "utf-16"),
    "duplicate names": ("x.csv", GOOD.replace("a,b", "a,a").encode(), "2 columns named 'a'"),
    "binary": ("x.csv", bytes(range(1, 256)) * 9, "no text file"),
    "picture": ("x.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "NUL bytes"),
    "truncated gzip": ("x.csv.gz", gzip.compress(GOOD.encode())[:-20], "damaged gzip"),
    "no gzip": ("x.csv.gz", b"\x1f\x8b but not really", "damaged gzip"),
    "no parquet": ("x.parquet", GOOD.encode(), "cannot be read as Parquet"),
    "damaged parquet": ("x.parquet", broken_parquet(), "cannot be read as Parquet"),
    "damaged letters": ("x.parquet", broken_letters(), "cannot be read as Parquet"),
    "damaged feather": ("x.feather", b"ARROW1" + bytes(99), "cannot be read as Feather"),
    "damaged excel": ("x.xlsx", b"PK\x03\x04" + bytes(99), "cannot be read as Excel"),
    "old excel": ("x.xls", b"\xd0\xcf\x11\xe0" + bytes(99), "Save it as .xlsx"),
    "arff without data": ("x.arff", b"@relation r\n@attribute a numeric\n", "no line @data"),
    "arff without columns": ("x.arff", b"@relation r\n@data\n1,2\n", "no @attribute"),
    "arff unreadable": ("x.arff", b"@relation r\n@attribute\n@data\n", "Line 2 of x.arff"),
    "arff ragged": (
        "x.arff", b"@relation r\n@attribute a real\n@attribute grade real\n@data\n1,2\n3\n",
        "Line 6 of x.arff has 1",
    ),
    "arff unknown label": (
        "x.arff", b"@relation r\n@attribute a real\n@attribute grade {x,y}\n@data\n1,z\n",
        "holds 'z' in 'grade'",
    ),
    "arff text in numbers": (
        "x.arff", b"@relation r\n@attribute a real\n@attribute grade {x,y}\n@data\nq,x\n",
        "declared numeric",
    ),
    "arff sparse": ("x.arff", b"@relation r\n@attribute grade real\n@data\n{0 1}\n", "sparse"),
    "target missing": ("x.csv", GOOD.replace("grade", "Grade").encode(), "mean 'Grade'?"),
    "target empty": ("x.csv", b"a,b,grade\n" + b"1,2,\n" * 9, "'grade' of x.csv is empty"),
    "one class": ("x.csv", b"a,b,grade\n" + b"1,2,x\n2,1,x\n" * 9, "one class only"),
    "a class per row": (
        "x.csv", b"a,grade\n" + b"".join(b"%d,c%d\n" % (k % 5, k) for k in range(60)),
        "too many for classes",
    ),
    "infinity": ("x.csv", GOOD.encode() + b"inf,1,1\n", "'a' of x.csv holds infinity, first in row 61"),  # noqa: E501
    "infinite target": ("x.csv", GOOD.encode() + b"1,1,-inf\n", "contains infinity"),
    "nothing to rank": ("x.csv", b"a,grade\n" + b"1,0\n1,1\n" * 9, "no column to rank"),
    "target only": ("x.csv", b"grade;\n" + b"1;\n0;\n" * 9, "no column to rank"),
    "three rows": ("x.csv", b"a,b,grade\n1,2,0\n2,1,1\n3,3,2\n", "too few"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_in_one_line(case, tmp_path, capsys):
    name, content, fragment = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(content)
    call(capsys, "rank", path, "--target", "grade").check_refused(fragment)


ODD = {
    "bom": b"\xef\xbb\xbf" + GOOD.encode(),
    "utf-16": GOOD.encode("utf-16"),
    "utf-16 without a mark": GOOD.encode("utf-16-le"),
    "utf-32": GOOD.encode("utf-32"),
    "windows line ends": GOOD.replace("\n", "\r\n").encode(),
    "old mac line ends": GOOD.replace("\n", "\r").encode(),
    "semicolons": GOOD.replace(",", ";").encode(),
    "pipes": GOOD.replace(",", "|").encode(),
    "tabs": GOOD.replace(",", "\t").encode(),
    "spaces": GOOD.replace(",", " , ").encode(),
    "excel's hint": b"sep=;\n" + GOOD.replace(",", ";").encode(),
    "quotes": '"'.join(["", '","'.join(["a", "b", "grade"]), "\n"]).encode()
    + GOOD.encode().split(b"\n", 1)[1],
    "blank lines": b"\n\n" + GOOD.replace("\n", "\n\n").encode(),
    "no last line end": GOOD.rstrip("\n").encode(),
    "gzip by content": gzip.compress(GOOD.encode()),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_files_are_read_right(case, tmp_path):
    frame = read(ODD[case], tmp_path).frame
    assert frame.columns.tolist() == ["a", "b", "grade"]
    assert frame["a"].tolist() == [k % 7 for k in range(60)]
    assert frame["grade"].tolist() == [k % 3 for k in range(60)]


def test_text_that_is_not_utf8_is_read_and_mentioned(tmp_path):
    found = read("gr\u00f6\u00dfe,b\n1,2\n".encode("cp1252"), tmp_path)
    assert found.frame.columns[0] == "größe"
    assert "Windows-1252" in found.notes[0]


@pytest.mark.slow
def test_ten_thousand_columns_and_odd_names_are_ranked(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 10_000)).round(3)).rename(columns=lambda j: f"g{j}")
    frame["[red]x[/red] <b>\x1b[31m"] = np.repeat([0.0, 1, 2, 3], 10)
    frame["empty"] = np.nan
    frame["grade"] = np.repeat([0, 1, 2, 3], 10)
    path = tmp_path / "wide.csv"
    frame.to_csv(path, index=False)
    done = call(capsys, "rank", path, "-t", "grade", "-n", 1, "--cv", 2)
    assert done.code == 0
    assert "1   [red]x[/red] <b>\u241b[31m" in done.out
    assert "\x1b" not in done.out
    assert "Excluded (constant): empty." in done.out
    assert "10,001 features" in done.out


def test_places_that_hold_no_file(tmp_path, capsys):
    (tmp_path / "credit.csv").write_text(GOOD)
    (tmp_path / "empty").mkdir()
    refused = call(capsys, "rank", tmp_path / "empty", "-t", "grade")
    refused.check_refused("holds no Parquet or CSV file")
    wrong = tmp_path / "credits.csv"
    call(capsys, "rank", wrong, "-t", "grade").check_refused("no file", "mean 'credit.csv'?")
    call(capsys, "rank", "a\0b", "-t", "grade").check_refused("no file name")


def test_no_permission(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text(GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user, root say, may read all")
    call(capsys, "rank", path, "-t", "grade").check_refused("permission denied")
