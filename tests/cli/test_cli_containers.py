"""Files that hold a table in a way of their own: read whole, or refused in one clear line."""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import zipfile
from types import SimpleNamespace

import openpyxl
import pandas as pd
import pytest
from openpyxl.chart import BarChart

from cli_cases import call, grades
from echelon.cli._terminal import InputError
from echelon.cli.files import Reading, _bytes, read_table


def test_a_short_row_is_refused_after_a_cell_of_any_length(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"a,note,grade\n1,{'x' * 140_000},0\n1,2,1\n3,1\n2,2,0\n")
    with pytest.raises(InputError, match=r"Line 4 of long\.csv has 2 fields"):
        read_table(str(path), Reading())


def test_a_cell_of_any_length_is_read_beside_missing_values(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"a,note,grade\n1,{'x' * 140_000},0\n1,2,\n2,2,0\n")
    frame = read_table(str(path), Reading()).frame
    assert len(frame["note"][0]) == 140_000


# ------------------------------------------------------------------------------ Excel


def workbook(rows, path, first=None):
    """Rows as the sheet "data", behind a first sheet that is a chart or holds other rows."""
    book = openpyxl.Workbook()
    book.active.title = "data"
    for row in rows:
        book.active.append(row)
    if first == "chart":
        book.create_chartsheet("first", 0).add_chart(BarChart())
    elif first is not None:
        sheet = book.create_sheet("first", 0)
        for row in first:
            sheet.append(row)
    book.save(path)
    return path


def changed(path, member, pattern, replacement):
    """Replace a text in one of the files of a workbook."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name).decode() for name in book.namelist()}
    parts[member], n_changes = re.subn(pattern, replacement, parts[member], count=1)
    assert n_changes == 1
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"
ROWS = [["a", "b", "grade"], *([k, k % 5, k % 3] for k in range(300))]


@pytest.mark.parametrize("size", ["A1:C100", "A1", "A1:B301", "A1:XFD1048576"])
def test_a_sheet_is_read_whole_whatever_it_says_of_its_size(size, tmp_path):
    path = workbook(ROWS, tmp_path / "book.xlsx")
    changed(path, SHEET, '<dimension ref="[^"]*"', f'<dimension ref="{size}"')
    frame = read_table(str(path), Reading()).frame
    assert frame.to_numpy().tolist() == ROWS[1:]
    assert frame.columns.tolist() == ROWS[0]


@pytest.mark.parametrize("first", ["chart", [["Made by the clinic"], ["in May"]], [["a", "b"]], []])
def test_a_first_sheet_that_is_no_table_names_the_others(first, tmp_path, capsys):
    path = workbook(ROWS, tmp_path / "book.xlsx", first)
    done = call(capsys, "profile", path, "-t", "grade")
    done.check_refused("'first' of book.xlsx holds no table", "--sheet: 'data'")
    done = call(capsys, "profile", path, "-t", "grade", "--sheet", "data")
    assert done.code == 0


def test_a_column_that_is_perhaps_on_another_sheet(tmp_path, capsys):
    path = workbook(ROWS, tmp_path / "book.xlsx", [["author", "date"], ["me", "May"]])
    done = call(capsys, "profile", path, "-t", "grade")
    done.check_refused("no column 'grade'", "'first' was read", "--sheet: 'data'")


@pytest.mark.parametrize("declared", [False, True])
def test_entities_in_a_worksheet_are_refused(declared, tmp_path, capsys):
    """One that nobody declared, and ten levels of ten, which would be ten thousand million."""
    path = workbook(ROWS, tmp_path / "book.xlsx")
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 11))
    if declared:
        head = f'<!DOCTYPE w [<!ENTITY e0 "7">{levels}]><worksheet'
        changed(path, SHEET, "<worksheet", head)
    changed(path, SHEET, "<v>4</v>", "<v>&e10;</v>")
    done = call(capsys, "profile", path, "-t", "grade")
    done.check_refused("book.xlsx cannot be read as Excel")


# ------------------------------------------------------------------- Parquet and Feather


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_days_without_a_time_are_dates(ending, tmp_path, capsys):
    frame = grades().drop(columns=["customer", "country"])
    days = pd.date_range("1700-01-01", periods=len(frame), unit="s").date.astype(object)
    frame["day"], frame["seen"] = days, [None, *days[1:]]
    path = tmp_path / f"credit.{ending}"
    getattr(frame, f"to_{ending}")(path)
    read = read_table(str(path), Reading()).frame
    assert read["day"].tolist() == pd.to_datetime(days).tolist()
    assert read["seen"].isna().tolist() == [True] + [False] * (len(frame) - 1)
    done = call(capsys, "profile", path, "-t", "grade", "--time", "day")
    assert (done.code, done.err) == (0, "")


def test_an_index_that_is_named_like_a_column_is_refused(tmp_path, capsys):
    frame = pd.DataFrame({"a": range(6), "grade": [0, 1] * 3}, index=pd.Index(range(6), name="a"))
    frame.to_parquet(tmp_path / "x.parquet")
    done = call(capsys, "profile", tmp_path / "x.parquet", "-t", "grade")
    done.check_refused("an index and a column that are both named 'a'")


# ------------------------------------------------------------------------------- ARFF


@pytest.mark.parametrize(
    "listed",
    [
        "{no, yes} % a comment",
        "{ no,yes }% of {all}",
        "{'no', 'yes'} % a comment",
        "{no, yes, don't, 'a}b'}",
    ],
)
def test_comments_after_the_labels_of_arff(listed, tmp_path):
    rows = "".join(f"{k},{['no', 'yes'][k % 2]}\n" for k in range(6))
    path = tmp_path / "x.arff"
    path.write_text(f"@relation r\n@attribute a real % years\n@attribute y {listed}\n@data\n{rows}")
    assert read_table(str(path), Reading()).frame["y"].tolist() == ["no", "yes"] * 3


def test_labels_of_arff_that_do_not_end_are_refused(tmp_path, capsys):
    path = tmp_path / "x.arff"
    path.write_text("@relation r\n@attribute a real\n@attribute y {no, yes\n@data\n1,no\n2,yes\n")
    done = call(capsys, "profile", path, "-t", "y")
    done.check_refused("x.arff declares values of 'y' that cannot be read: '{no, yes'")


def classes(path, *labels):
    """An ARFF file whose classes are listed so."""
    rows = "".join(f"{k},{k % 7},{labels[k % len(labels)]}\n" for k in range(60))
    head = "@relation r\n@attribute a real\n@attribute b real\n"
    path.write_text(f"{head}@attribute y {{{', '.join(labels)}}}\n@data\n{rows}")
    return path


SPECIES = ("virginica", "setosa", "versicolor")


def test_classes_that_arff_merely_lists_have_no_order(tmp_path, capsys):
    path = classes(tmp_path / "iris.arff", *SPECIES)
    found = json.loads(call(capsys, "profile", path, "-t", "y", "--json").out)
    assert found["kind"] == "classification"
    done = call(capsys, "rank", path, "-t", "y", "-m", "relieff", "-n", 1, "--cv", 2)
    assert "y was read as classes without an order; if they have one" in done.out
    done = call(capsys, "rank", path, "-t", "y", "-m", "orelieff")
    done.check_refused("What is the order of 'y'?", "--class-order")


@pytest.mark.parametrize(
    ("labels", "options", "kind", "order"),
    [
        (SPECIES, ("--class-order", ",".join(SPECIES)), "ordinal", SPECIES),
        (("low", "medium", "high"), (), "ordinal", ("low", "medium", "high")),
        (("low", "medium", "high"), ("--unordered",), "classification", None),
        (("1", "2", "10"), (), "ordinal", ("1", "2", "10")),
    ],
)
def test_classes_of_arff_with_an_order(labels, options, kind, order, tmp_path, capsys):
    path = classes(tmp_path / "x.arff", *labels)
    found = json.loads(call(capsys, "profile", path, "-t", "y", *options, "--json").out)
    assert found["kind"] == kind
    if order is not None:
        assert tuple(found["classes"]) == order


@pytest.mark.parametrize("order", [("low", "medium", "high"), ("1", "2", "3")])
def test_classes_of_arff_that_are_listed_in_another_order_are_asked_about(order, tmp_path, capsys):
    path = classes(tmp_path / "x.arff", order[2], *order[:2])
    done = call(capsys, "rank", path, "-t", "y")
    done.check_refused(f"Is {' < '.join(order)} the order of 'y'?")


# ----------------------------------------------------- compressed files, and other programs


def zipped(content, name="x.csv"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


GOOD = b"a,b,grade\n" + b"".join(b"%d,%d,%d\n" % (k % 7, k % 5, k % 3) for k in range(60))
ELSEWHERE = {
    "gz in gz": ("x.csv.gz", gzip.compress(gzip.compress(GOOD)), "compressed again"),
    "zip in zip": ("x.zip", zipped(zipped(GOOD), "x.zip"), "compressed again"),
    "gz in zip": ("x.zip", zipped(gzip.compress(GOOD), "x.gz"), "compressed again"),
    "zip in gz": ("x.gz", gzip.compress(zipped(GOOD)), "compressed again"),
    "r": ("x.rds", gzip.compress(b"X\n\x00\x00\x00\x03" + bytes(99)), "of R"),
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_what_is_not_read_is_named(case, tmp_path, capsys):
    name, content, words = ELSEWHERE[case]
    (tmp_path / name).write_bytes(content)
    call(capsys, "profile", tmp_path / name, "-t", "grade").check_refused(name, words)


def test_an_excel_file_in_a_compressed_file_is_read(tmp_path):
    book = workbook(ROWS, tmp_path / "book.xlsx").read_bytes()
    for name, content in (("book.xlsx.gz", gzip.compress(book)), ("x.zip", zipped(book, "b.xlsx"))):
        (tmp_path / name).write_bytes(content)
        assert len(read_table(str(tmp_path / name), Reading()).frame) == 300


# ---------------------------------------------------------- files that unpack to huge ones


def parquet(frame, **options):
    stream = io.BytesIO()
    frame.to_parquet(stream, **options)
    return stream.getvalue()


def feather(frame):
    stream = io.BytesIO()
    frame.to_feather(stream, compression="zstd")
    return stream.getvalue()


LONG = b"a,b,grade\n" + b"0,0,0\n" * 200_000  # 1.2 MB
ZEROS = pd.DataFrame(0.0, range(100_000), ["a", "b", "grade"])  # 2.4 MB
HUGE = {
    "plain": ("x.csv", lambda _: LONG),
    "gzip": ("x.csv.gz", lambda _: gzip.compress(LONG)),
    "bzip2": ("x.csv.bz2", lambda _: bz2.compress(LONG)),
    "xz": ("x.csv.xz", lambda _: lzma.compress(LONG)),
    "zip": ("x.zip", lambda _: zipped(LONG)),
    "parquet": ("x.parquet", lambda _: parquet(ZEROS)),
    "parquet, plain values": ("x.parquet", lambda _: parquet(ZEROS, use_dictionary=False)),
    "feather": ("x.feather", lambda _: feather(ZEROS)),
    "excel": ("x.xlsx", lambda path: workbook([ROWS[0]] + [[0, 0, 0]] * 9_000, path).read_bytes()),
    "excel in zip": ("x.zip", lambda path: zipped(HUGE["excel"][1](path), "x.xlsx")),
}


@pytest.mark.parametrize("case", HUGE)
def test_what_takes_more_memory_than_allowed_is_refused(case, tmp_path, capsys):
    name, made = HUGE[case]
    path = tmp_path / name
    path.write_bytes(made(path))
    if case != "plain":
        assert path.stat().st_size < 200_000
    ask = ("profile", path, "-t", "grade", "--max-memory")
    call(capsys, *ask, "500 kB").check_refused(
        f"{name} takes more than 500 KB of memory, the limit"
    )
    read = read_table(str(path), Reading(max_memory="1GB"))
    assert len(read.frame) in (200_000, 100_000, 9_000)


def test_unpacking_stops_early(tmp_path, capsys):
    """At the limit, whatever comes behind it: here a part that is damaged."""
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(bytes(1 << 25))[:-8])
    ask = ("profile", path, "-t", "grade", "--max-memory")
    call(capsys, *ask, "4MB").check_refused("takes more than 4 MB of memory")
    call(capsys, *ask, "1GB").check_refused("damaged gzip")


def test_a_device_without_an_end(capsys, monkeypatch):
    if not os.path.exists("/dev/zero"):
        pytest.skip("there is none")
    monkeypatch.setattr(_bytes, "free_memory", lambda: 2e7)
    done = call(capsys, "profile", "/dev/zero", "-t", "grade")
    done.check_refused("zero takes more than 10 MB of memory", "--max-memory")


def test_standard_input_without_an_end(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: False, buffer=Endless()))
    done = call(capsys, "profile", "-", "-t", "grade", "--max-memory", "3MB")
    done.check_refused("standard input takes more than 3 MB of memory")


class Endless:
    """A stream of zeros."""

    def read(self, size):
        return bytes(size)


def test_the_memory_that_is_free_is_a_number_of_bytes():
    assert 1e6 < _bytes.free_memory() < 1e15


@pytest.mark.parametrize("size", ["", "much", "-1GB", "0", "8 elephants", "1e9"])
def test_sizes_that_cannot_be_read(size, tmp_path, capsys):
    (tmp_path / "x.csv").write_bytes(GOOD)
    done = call(capsys, "profile", tmp_path / "x.csv", "-t", "grade", "--max-memory", size)
    done.check_refused("--max-memory must be a size such as 500MB or 8GB, got")
