"""The command given what it was not made for: one line and exit code 2, or the right answer."""

import bz2
import gc
import io
import lzma
import os
import socket
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from numba.core import caching

from cli_cases import call, grades
from echelon import kernels
from echelon.kernels import _compiler

ORDER = ("--class-order", "0,1,2", "-q")


@pytest.fixture(scope="module")
def text():
    return grades().drop(columns="customer").to_csv(index=False)


@pytest.fixture
def data(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text)
    return path


def echelon(*arguments, shell):
    """The command in a process of its own, as a shell starts it."""
    line = f"{sys.executable} -m echelon {' '.join(map(str, arguments))} {shell}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)


# ----------------------------------------------------------------------------- streams


def test_two_things_for_one_standard_output(data, capsys):
    done = call(capsys, "rank", data, "-t", "grade", *ORDER, "-o", "-", "--json")
    done.check_refused("--json and --output - both write to standard output")


def test_a_reader_that_has_seen_enough(data):
    done = echelon("profile", data, "-t grade", shell="| true; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_streams(data):
    done = echelon("profile", data, "-t grade", shell=">&-")
    assert done.returncode == 2
    assert done.stderr == (
        "echelon: Standard output is closed. Send it somewhere, as > /dev/null.\n"
    )
    done = echelon("profile nothing.csv -t grade", shell="2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


# ------------------------------------------------------------------------------- files


def test_homes_of_nobody_and_no_name(data, capsys):
    lost = "~nobody-has-this-name/x.csv"
    call(capsys, "profile", lost, "-t", "g").check_refused("There is no home folder for '~nobody")
    done = call(capsys, "profile", data, "-t", "grade", "-o", lost)
    done.check_refused("There is no home folder for '~nobody")
    call(capsys, "profile", "", "-t", "g").check_refused("name of the data file is empty")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf\r\n \n"], ids=str)
def test_a_file_of_nothing_but_a_mark(tmp_path, capsys, mark):
    path = tmp_path / "mark.csv"
    path.write_bytes(mark)
    call(capsys, "profile", path, "-t", "g").check_refused("mark.csv is empty.")


def test_an_arff_label_declared_twice(tmp_path, capsys):
    path = tmp_path / "twice.arff"
    path.write_text("@relation r\n@attribute a numeric\n@attribute g {x,x,y}\n@data\n1,x\n2,y\n")
    done = call(capsys, "profile", path, "-t", "g")
    done.check_refused("twice.arff declares 'x' twice among the values of 'g'")


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return stream.getvalue()


@pytest.mark.parametrize("ending", ["csv.xz", "csv.bz2", "zip", "csv"])
def test_compressed_files_are_read_whatever_their_name(tmp_path, capsys, text, ending):
    data = text.encode()
    pack = {"csv.xz": lzma.compress, "csv.bz2": bz2.compress}.get(ending, lambda d: zipped(a_csv=d))
    path = tmp_path / f"data.{ending}"
    path.write_bytes(pack(data))
    done = call(capsys, "profile", path, "-t", "grade")
    assert (done.code, done.err) == (0, "")
    assert "90" in done.out.splitlines()[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lzma.compress(b"a,g\n1,2\n" * 99)[:40], "d.csv is a damaged xz file"),
        (bz2.compress(b"a,g\n1,2\n" * 99)[:40], "d.csv is a damaged bzip2 file"),
        (zipped(a_csv="a,g\n1,2")[:40], "d.csv is a damaged zip file"),
        (zipped(a_csv="a,g\n1,2", b_csv="a,g\n1,2"), "d.csv must hold one file, got 2"),
        (zipped(), "d.csv must hold one file, got 0"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "compressed by Zstandard"),
    ],
    ids=["xz", "bz2", "zip", "two", "none", "zstd"],
)
def test_damaged_archives(tmp_path, capsys, content, said):
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    call(capsys, "profile", path, "-t", "g").check_refused(said)


def test_what_is_called_excel_but_is_not(tmp_path, capsys, text):
    path = tmp_path / "old.xls"
    path.write_text("garbage")
    call(capsys, "profile", path, "-t", "g").check_refused("old.xls has one column only")
    path.write_text(text.replace(",", "\t"))
    assert call(capsys, "profile", path, "-t", "grade").code == 0
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    call(capsys, "profile", path, "-t", "g").check_refused("Excel file of the old format")


def test_digits_of_another_script_are_the_example(tmp_path, capsys, text):
    frame = pd.read_csv(io.StringIO(text))
    frame["count"] = [*"123456789"] * 10
    frame.loc[3, "count"] = "\u0664\u0662"
    path = tmp_path / "digits.csv"
    frame.to_csv(path, index=False)
    done = call(capsys, "profile", path, "-t", "grade")
    assert "count: '\u0664\u0662' was read as 42." in done.out


def test_errors_name_the_column_as_one_writes_it(tmp_path, capsys):
    path = tmp_path / "one.csv"
    path.write_text("a,g\n" + "1,x\n2,x\n" * 9)
    done = call(capsys, "profile", path, "-t", "g")
    done.check_refused("echelon: Column 'g' has one class only ('x')")
    path.write_text("a,g\n" + "1,x\n2,y\n3,z\n" * 9)
    done = call(capsys, "rank", path, "-t", "g", "-m", "orelieff")
    assert "Column" not in done.err.removeprefix("echelon: Column")


# ----------------------------------------------------------------------------- options


def test_no_jobs_at_all(data, capsys):
    call(capsys, "rank", data, "-t", "grade", *ORDER, "-j", 0).check_refused("'--jobs'", "-1")


def test_one_method_written_twice(data, capsys):
    done = call(capsys, "compare", data, "-t", "grade", *ORDER, "-m", "ReliefF,relieff")
    done.check_refused("must name two or more methods, got 'relieff'")


@pytest.mark.parametrize("rows", [5, 9])
def test_too_few_rows_are_too_few_for_all(tmp_path, capsys, text, rows):
    path = tmp_path / "few.csv"
    path.write_text("\n".join(text.splitlines()[: rows + 1]))
    for command in ("rank", "bounds"):
        done = call(capsys, command, path, "-t", "grade", *ORDER)
        done.check_refused(f"few.csv: There are {rows} samples, too few")


# ------------------------------------------------------------------- names that would act


def test_formulas_of_names_do_not_reach_a_spreadsheet(tmp_path, capsys, text):
    path, out = tmp_path / "names.csv", tmp_path / "out.csv"
    path.write_text(text.replace("income", "=cmd|x", 1).replace("debt", "-3.5", 1))
    quick = ("rank", path, "-t", "grade", *ORDER, "-m", "relieff", "-o", out, "--force")
    assert call(capsys, *quick).code == 0
    excluded = {"customer", "country"}  # they come last
    found = set(pd.read_csv(out, dtype=str)["feature"])
    assert {"'=cmd|x", "-3.5", "noise", "home"} == found - excluded
    assert call(capsys, *quick, "--raw").code == 0
    found = set(pd.read_csv(out, dtype=str)["feature"])
    assert {"=cmd|x", "-3.5", "noise", "home"} == found - excluded


@pytest.mark.parametrize("start", [*"=+-@\t\r", "\uff1d"])
def test_every_start_of_a_formula_is_text(start):
    from echelon.cli._outputs import as_cell

    assert as_cell(f"{start}1+2") == f"'{start}1+2"
    assert as_cell(1.5) == 1.5


def test_errors_show_what_would_act_unseen(capsys):
    done = call(capsys, "profile", "no\x1b[31m\u202esuch.csv", "-t", "g")
    assert done.code == 2
    assert not set(done.err) & {"\x1b", "\u202e"}


# ------------------------------------------------------------------------ read-only places


@pytest.fixture
def nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    _compiler.say_where_to_keep.cache_clear()
    yield
    _compiler.say_where_to_keep.cache_clear()


@pytest.mark.usefixtures("nothing_can_be_kept")
def test_a_hint_where_compiled_code_can_be_kept_and_only_once():
    with pytest.warns(UserWarning, match="Set NUMBA_CACHE_DIR") as said:
        answers = [kernels.kernel(lambda x: x + 1)(np.float64(1)) for _ in range(3)]
    assert len(said) == 1
    assert answers == [2, 2, 2]


def test_the_command_shows_warnings_of_ours_in_one_line(capsys):
    from echelon.cli._main import _show_warning

    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        warnings.simplefilter("always")
        warnings.warn_explicit("ours", UserWarning, os.path.join("echelon", "a.py"), 1)
        warnings.warn_explicit("theirs", UserWarning, os.path.join("other", "a.py"), 1)
    assert capsys.readouterr().err == "echelon: ours\n"


@pytest.mark.parametrize("address", ["foo", "http://127.0.0.1:9", "tcp://127.0.0.1:9", "silent"])
def test_an_address_without_a_scheduler_is_refused_at_once(address, capfd, monkeypatch, tmp_path):
    """Before the data are read, with no word of a client that was never connected."""
    pytest.importorskip("distributed", reason='needs pip install "echelon[dask]"')
    monkeypatch.setattr("echelon.engines.dask._engine.TIMEOUT", 0.5)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        if address == "silent":
            address = "tcp://127.0.0.1:{1}".format(*listening.getsockname())
        begin = time.monotonic()
        done = call(capfd, "rank", tmp_path / "none.csv", "-t", "y", "--scheduler", address)
        gc.collect()
    assert time.monotonic() - begin < 5
    done.check_refused(f"No Dask scheduler answers at {address!r}")
    assert capfd.readouterr().err == ""
