"""Long files are read in parts: the same table, in little more memory than its numbers take."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from echelon._core.jobs import watched
from echelon.cli.files import Reading, _read, _text, read_table
from echelon.cli.files._bytes import Limit

N = 3000


def columns(rng):
    """Columns of every kind, some of which change their kind in the last part."""
    late = rng.normal(size=N).round(3).astype(str)
    late[-1] = "k. A."
    doubtful = [f"{v:.3f}" for v in rng.uniform(1, 9, N)]
    sure = [*doubtful[:-1], "12.5"]
    codes = [f"{int(v)}" for v in rng.integers(1000, 9000, N - 1)] + ["0123"]
    gaps = np.where(rng.random(N) < 0.1, "", rng.integers(0, 9, N).astype(str))
    return {
        "x": rng.normal(size=N).round(4),
        "whole": rng.integers(-5, 5, N),
        "mixed": [str(k) if k < N - 1 else "0.5" for k in range(N)],
        "late": late,
        "doubtful": doubtful,
        "sure": sure,
        "codes": codes,
        "gaps": gaps,
        "label": rng.choice(["a", "b, c", 'd "e"'], N),
        "yes": rng.choice(["true", "false"], N),
        "when": pd.date_range("2020-01-01", periods=N, freq="D").strftime("%d.%m.%Y"),
    }


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_parts_are_the_whole(delimiter, tmp_path, monkeypatch, rng):
    path = tmp_path / "long.csv"
    pd.DataFrame(columns(rng)).to_csv(path, index=False, sep=delimiter)
    whole = read_table(str(path), Reading())
    monkeypatch.setattr(_text, "CELLS", 1000)
    monkeypatch.setattr(_text, "FEWEST_ROWS", 10)
    told = []
    with watched(lambda expected, done: told.append((expected, done))):
        parts = read_table(str(path), Reading())
    assert sum(expected for expected, _ in told) == sum(done for _, done in told) > 30
    assert (parts.notes, list(parts.doubts)) == (whole.notes, list(whole.doubts))
    for name in whole.frame:
        a, b = parts.frame[name], whole.frame[name]
        if pd.api.types.is_numeric_dtype(b) or name == "when":
            pd.testing.assert_series_equal(a, b)
        else:
            assert a.astype(object).tolist() == b.astype(object).tolist(), name
    assert parts.frame["codes"].iloc[-1] == "0123"
    assert np.isnan(parts.frame["late"].iloc[-1])


@pytest.mark.parametrize("last", ["1,2", "1,2,3,4", '1,"2,3'])
def test_rows_that_do_not_fit_are_found_in_the_last_part(last, tmp_path, monkeypatch):
    monkeypatch.setattr(_text, "CELLS", 300)
    monkeypatch.setattr(_text, "FEWEST_ROWS", 10)
    path = tmp_path / "long.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 999 + last + "\n")
    with pytest.raises(ValueError, match=r"Line 1001 of long.csv|quotation mark"):
        read_table(str(path), Reading())


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing.csv"
    path.write_text("a,b\n" + "1,2\n" * 99)
    read = Limit.read

    def slowly(limit, stream):
        data = read(limit, stream)
        with path.open("a") as file:
            file.write("3,4\n")
        return data

    monkeypatch.setattr(Limit, "read", slowly)
    with pytest.raises(ValueError, match="changed while it was read"):
        read_table(str(path), Reading())


@pytest.mark.parametrize("kind", ["plain", "numbered", "index", "dotted"])
def test_parquet_read_some_columns_at_a_time_is_the_whole(kind, tmp_path, monkeypatch, rng):
    n = 40
    frame = pd.DataFrame(rng.normal(size=(n, 6)), columns=[*"abcdef"])
    frame["label"] = np.array(["low", "high"])[rng.integers(0, 2, n)]
    frame["grade"] = pd.Categorical(frame["label"], ["low", "high"], ordered=True)
    frame["day"] = pd.date_range("2024-01-01", periods=n).date
    frame["count"] = pd.array([None, *range(1, n)], dtype="Int64")
    if kind == "numbered":
        frame.columns = range(frame.shape[1])
    if kind == "index":
        frame.index = pd.Index(np.arange(n) * 3, name="person")
    if kind == "dotted":
        frame = frame.rename(columns={"e": "a.b"})
    path = tmp_path / "wide.parquet"
    frame.to_parquet(path)
    whole = read_table(str(path), Reading()).frame
    monkeypatch.setattr(_read, "CELLS", 3 * n)
    pd.testing.assert_frame_equal(read_table(str(path), Reading()).frame, whole)
    assert pd.api.types.is_datetime64_any_dtype(whole.iloc[:, whole.shape[1] - 2])
    assert whole.shape == (n, frame.shape[1] + (kind == "index"))


def test_a_parquet_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing.parquet"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(path)
    read = _read._parquet

    def slowly(file):
        frame = read(file)
        with path.open("ab") as more:
            more.write(b"PAR1")
        return frame

    monkeypatch.setattr(_read, "_parquet", slowly)
    with pytest.raises(ValueError, match="changed while it was read"):
        read_table(str(path), Reading())


MEASURED = """
import resource, sys
from echelon.cli.files import Reading, read_table
import pandas, pyarrow
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
frame = read_table(sys.argv[1], Reading()).frame
print((peak() - before) / frame.memory_usage().sum())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is counted in other units")
def test_reading_takes_three_times_the_memory_of_the_table(tmp_path, rng):
    path = tmp_path / "numbers.csv"
    frame = pd.DataFrame(rng.normal(size=(300_000, 20)).round(4)).add_prefix("x")
    frame.to_csv(path, index=False)
    done = subprocess.run([sys.executable, "-c", MEASURED, path], capture_output=True, check=True)
    assert float(done.stdout) <= 3.2, done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is counted in other units")
def test_reading_wide_parquet_takes_three_times_the_memory_of_the_table(tmp_path, rng):
    path = tmp_path / "wide.parquet"
    pd.DataFrame(rng.normal(size=(5_000, 8_000))).add_prefix("x").to_parquet(path)
    done = subprocess.run([sys.executable, "-c", MEASURED, path], capture_output=True, check=True)
    assert float(done.stdout) <= 3.0, done.stdout
