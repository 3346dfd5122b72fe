"""Tables of databases, SQLite and DuckDB, and JSON lines."""

import gzip
import json
import os
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call, grades
from echelon.cli._terminal import InputError
from echelon.cli.files import Reading, read_table
from use_cases import printed_score

ODD = 'visits"; DROP TABLE kept; --'
"""A name that would end a statement in which it is not quoted."""


def words():
    return grades().assign(grade=lambda f: f["grade"].map({0: "low", 1: "medium", 2: "high"}))


def sqlite(path, **tables):
    with closing(sqlite3.connect(path)) as base:
        for name, frame in (tables or {"credit": words()}).items():
            frame.to_sql(name, base, index=False)
    return path


def duck(path, *statements, **tables):
    with duckdb.connect(str(path)) as base:
        for name, frame in (tables or {"credit": words()}).items():
            base.register("given", frame)
            quoted = name.replace('"', '""')
            base.sql(f'CREATE TABLE "{quoted}" AS SELECT * FROM given')
            base.unregister("given")
        for statement in statements:
            base.sql(statement)
    return path


def lines(path, frame=None):
    frame = words() if frame is None else frame
    frame.to_json(path, orient="records", lines=True)
    return path


BASES = {"x.sqlite": sqlite, "x.duckdb": duck}
MADE = {**BASES, "x.jsonl": lines, "x.ndjson": lines}


def read(path, **how):
    return read_table(str(path), Reading(**how))


@pytest.mark.parametrize("name", MADE)
def test_a_table_is_read_as_it_is(name, tmp_path):
    found = read(MADE[name](tmp_path / name)).frame
    pd.testing.assert_frame_equal(found, words(), check_dtype=False)


@pytest.mark.parametrize("name", MADE)
def test_compressed_and_by_its_content(name, tmp_path):
    """Whatever the name says."""
    content = MADE[name](tmp_path / name).read_bytes()
    (tmp_path / "x.gz").write_bytes(gzip.compress(content))
    (tmp_path / "x.data").write_bytes(content)
    for other in ("x.gz", "x.data"):
        assert len(read(tmp_path / other).frame) == 90


@pytest.mark.parametrize("name", BASES)
def test_several_tables_are_named(name, tmp_path, capsys):
    path = BASES[name](tmp_path / name, kept=words().head(7), credit=words())
    done = call(capsys, "profile", path, "-t", "grade")
    done.check_refused(f"{name} has 2 tables", "kept", "credit", f"as {name}::")
    for source, how in ((f"{path}::kept", {}), (str(path), {"sheet": "kept"})):
        found = read_table(source, Reading(**how))
        assert len(found.frame) == 7
    assert read_table(f"{path}::kept", Reading()).source == f"{name}::kept"
    done = call(capsys, "profile", f"{path}::crdit", "-t", "grade")
    done.check_refused("no table 'crdit'", "Did you mean 'credit'?")
    done = call(capsys, "profile", f"{path}::kept", "-t", "grade", "--sheet", "credit")
    done.check_refused("name two tables")


@pytest.mark.parametrize("name", BASES)
def test_a_name_is_no_statement(name, tmp_path, capsys):
    path = BASES[name](tmp_path / name, **{ODD: words(), "kept": words().head(7)})
    assert len(read_table(f"{path}::{ODD}", Reading()).frame) == 90
    done = call(capsys, "profile", f'{path}::kept"; DROP TABLE kept; --', "-t", "grade")
    done.check_refused("no table")
    assert len(read_table(f"{path}::kept", Reading()).frame) == 7


@pytest.mark.parametrize("name", BASES)
def test_nothing_is_written(name, tmp_path):
    path = BASES[name](tmp_path / name)
    before = path.read_bytes()
    path.chmod(0o400)
    read(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [name]


def test_a_text_that_only_has_the_letters_of_a_database(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,name,DUCKS\n" + "1,Ada,2\n2,Bo,3\n" * 5)
    assert read(path).frame.columns.tolist() == ["id", "name", "DUCKS"]


@pytest.mark.parametrize("name", BASES)
def test_views_are_read_where_they_are_named(name, tmp_path):
    path = BASES[name](tmp_path / name)
    base = sqlite3.connect(path) if name == "x.sqlite" else duckdb.connect(str(path))
    base.execute("CREATE VIEW rich AS SELECT * FROM credit WHERE income > 0")
    base.close()
    assert len(read(path).frame) == 90, "the only table"
    found = read_table(f"{path}::rich", Reading()).frame
    assert 0 < len(found) < 90
    assert (found["income"] > 0).all()


def test_a_view_of_duckdb_sees_no_other_file(tmp_path, capsys):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,grade\n1,2\n2,1\n")
    view = f"CREATE VIEW thief AS SELECT * FROM read_csv('{secret}')"
    path = duck(tmp_path / "x.duckdb", view)
    done = call(capsys, "profile", f"{path}::thief", "-t", "grade")
    done.check_refused("x.duckdb cannot be read as DuckDB", "disabled by configuration")


def test_a_schema_of_duckdb_is_part_of_the_name(tmp_path):
    path = duck(tmp_path / "x.duckdb", "CREATE SCHEMA lab",
                "CREATE TABLE lab.credit AS SELECT * FROM main.credit LIMIT 5")  # fmt: skip
    assert len(read_table(f"{path}::lab.credit", Reading()).frame) == 5
    assert len(read_table(f"{path}::credit", Reading()).frame) == 90


def test_types_of_duckdb(tmp_path):
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as base:
        base.sql("CREATE TYPE mood AS ENUM ('sad', 'glad')")
        base.sql("CREATE TABLE t (m mood, d DATE, h HUGEINT, p DECIMAL(9, 2), l INTEGER[], b BLOB)")
        base.sql("INSERT INTO t VALUES ('glad', '2020-01-31', 5, 1.5, [1], 'x'), "
                 "('sad', NULL, NULL, 2.25, NULL, NULL)")  # fmt: skip
    found = read(path)
    assert found.frame.columns.tolist() == ["m", "d", "h", "p"]
    assert found.frame["m"].tolist() == ["glad", "sad"]
    assert found.frame["d"][0] == pd.Timestamp("2020-01-31")
    assert found.frame["p"].tolist() == [1.5, 2.25]
    assert found.frame["h"][0] == 5
    assert found.notes == ["l and b left out: not numbers, texts or dates."]


def test_values_of_sqlite_are_of_any_type(tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE t (a, day, photo, y)")
        rows = [(k if k % 4 else None, f"2020-01-{k + 1:02}", b"\x00" if k == 5 else None, k)
                for k in range(20)]  # fmt: skip
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        base.commit()
    found = read(path)
    assert found.frame["a"].isna().sum() == 5
    assert found.frame["a"].dtype.kind == "f"
    assert found.frame["day"].dtype.kind == "M"
    assert "photo" not in found.frame
    assert found.notes == ["photo left out: not numbers, texts or dates."]


def test_rows_that_another_program_has_just_written(tmp_path):
    """They stand in a log beside the file."""
    path = sqlite(tmp_path / "x.sqlite")
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("INSERT INTO credit SELECT * FROM credit LIMIT 9")
        base.commit()
        assert len(read(path).frame) == 99


# ------------------------------------------------------------------------------- JSON lines


def test_lines_may_lack_keys(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n\n{"b": "y", "c": NaN}\n{"a": null, "c": 2.5}\n')
    frame = read(path).frame
    assert frame.columns.tolist() == ["a", "b", "c"]
    assert frame["a"].isna().tolist() == [False, True, True]
    assert frame["b"].tolist()[:2] == ["x", "y"]
    assert frame["c"].tolist()[2] == 2.5
    assert frame["c"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"a": {"b": 1}}', "Line 3 of x.jsonl holds an object in 'a'"),
        ('{"a": [1, 2]}', "Line 3 of x.jsonl holds a list in 'a'"),
        ("[1, 2]", "Line 3 of x.jsonl is no JSON object"),
        ('{"a": 1, "a": 2}', "Line 3 of x.jsonl has 'a' twice"),
        ('{"a": 1', "Line 3 of x.jsonl is no JSON: "),
        ('{"a": ' * 100_000, "Line 3 of x.jsonl is no JSON: "),
    ],
)
def test_lines_that_are_no_row(line, said, tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1, "b": 2}\n{"a": 2, "b": 2}\n' + line)
    call(capsys, "profile", path, "-t", "a").check_refused(said)


# -------------------------------------------------------------------------- damaged and huge


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_files_that_are_cut_off_are_refused(name, share, tmp_path, capsys):
    path = MADE[name](tmp_path / name)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    call(capsys, "profile", path, "-t", "grade").check_refused(f"{name} ")


@pytest.mark.parametrize("name", MADE)
def test_tables_that_take_too_much_memory(name, tmp_path):
    frame = pd.DataFrame(np.zeros((40_000, 3)), columns=["a", "b", "grade"])
    path = lines(tmp_path / name, frame) if "json" in name else None
    path = path or BASES[name](tmp_path / name, credit=frame)
    with pytest.raises(InputError, match=f"{name} takes more than 500 KB of memory"):
        read(path, max_memory="500 kB")
    assert len(read(path, max_memory="1GB").frame) == 40_000


def test_lines_whose_keys_differ_take_no_square_of_memory(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"k{k}": {k}}}\n' for k in range(3000)))
    with pytest.raises(InputError, match="takes more than 10 MB of memory"):
        read(path, max_memory="10MB")


# ------------------------------------------------------------------------------- the command


@pytest.mark.parametrize("name", MADE)
def test_from_the_answer_to_its_use(name, tmp_path, capsys):
    many = {"other": words().head(3), "credit": words()}
    path = MADE[name](tmp_path / name) if "json" in name else BASES[name](tmp_path / name, **many)
    source = path if "json" in name else f"{path}::credit"
    saved, code, out = (tmp_path / each for each in ("s.json", "code.py", "reduced.csv"))
    done = call(capsys, "rank", source, "-t", "grade", *ORDER, "-m", "rankcorrelation", "--cv", 2,
                "-n", 2, "--save", saved, "--code", code)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    held = json.loads(saved.read_text())
    assert held["reading"]["format"] == name.split(".")[1].replace("ndjson", "jsonl")
    score = held["scores"]["selected"]["mean"]
    assert printed_score(code.read_text()) == pytest.approx(score, abs=1e-6)
    done = call(capsys, "select", saved, path, "-o", out)  # the same table, without its name
    assert (done.code, done.err) == (0, "")
    assert pd.read_csv(out).columns.tolist() == ["income", "debt"]
    assert len(pd.read_csv(out)) == 90
    done = call(capsys, "select", saved, source, "-o", path.with_name("link.csv"), "--keep", "home")
    assert done.code == 0
    link = tmp_path / "link.parquet"
    link.symlink_to(path)
    done = call(capsys, "select", saved, source, "-o", link, "--force")
    done.check_refused("the data file itself")


def test_a_table_is_named_only_where_there_are_several(credit, capsys, tmp_path):
    call(capsys, "profile", f"{credit}::x", "-t", "grade").check_refused("Leave out '::x'")
    odd = tmp_path / "a::b.csv"
    odd.write_bytes(credit.read_bytes())
    assert len(read(odd).frame) == 90
