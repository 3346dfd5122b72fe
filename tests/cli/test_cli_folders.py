"""Several files as one table: read whole where they fit, part by part where they do not."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import ORDER, call
from echelon import RankCorrelation
from echelon.cli.files import Drawing, Reading, _folder, read_table
from echelon.large import _draw as drawing

pytest.importorskip("pyarrow")
N = 3000
TINY = ("--max-memory", "20KB")


@pytest.fixture
def table(rng):
    y = rng.choice(3, N, p=[0.6, 0.39, 0.01])
    frame = pd.DataFrame(
        {
            "row": rng.permutation(N),
            "income": rng.normal(size=N) + y,
            "age": rng.integers(18, 90, N).astype(np.int8),
            "answer": np.where(rng.random(N) < 0.1, 99, np.clip(y + rng.integers(-1, 3, N), 0, 4)),
            "size": rng.choice(["small", "middle", "big"], N),
            "shop": rng.choice(["a", "b", "c", None], N),
            "noise": rng.normal(size=N),
            "grade": np.array(["low", "medium", "high"])[y],
        }
    )
    frame.loc[7, "grade"] = None
    return frame


def write(table, folder, how="to_parquet", ending=".parquet", cuts=(1200, 1201)):
    folder.mkdir()
    for k, part in enumerate(np.split(np.arange(N), cuts)):
        getattr(table.iloc[part], how)(folder / f"part-{k}{ending}", index=False)
    return folder


def summary_of(capsys, data, *arguments):
    done = call(capsys, "rank", data, "-t", "grade", *ORDER, "--json", "-q", *arguments)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    for part in (found, found["how"]):
        part.pop("source", None)
        part.pop("date", None)
        part.pop("command", None)
        part.pop("configuration", None)
    return found


@pytest.mark.parametrize(("how", "ending"), [("to_parquet", ".parquet"), ("to_csv", ".csv")])
def test_what_fits_is_the_same_as_one_file(how, ending, table, tmp_path, monkeypatch):
    folder = write(table, tmp_path / "parts", how, ending)
    (folder / "_SUCCESS").write_text("")
    (folder / "README.txt").write_text("Monthly exports; nothing to read here.")
    (folder / ".hidden.csv").write_text("a,b\n")
    one = tmp_path / f"one{ending}"
    getattr(table, how)(one, index=False)
    whole = read_table(str(one), Reading())
    for source in (str(folder), f"{folder}/", str(folder / f"*{ending}")):
        found = read_table(source, Reading(), Drawing("grade"))
        pd.testing.assert_frame_equal(found.frame, whole.frame)
        assert (found.notes, found.drawn) == (whole.notes, None)


def test_answer_of_a_folder_is_that_of_one_file(capsys, table, tmp_path, monkeypatch):
    some = table[["income", "age", "shop", "grade"]].iloc[:600]
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(3):
        some.iloc[200 * k : 200 * k + 200].to_parquet(folder / f"{k}.parquet", index=False)
    some.to_parquet(tmp_path / "one.parquet", index=False)
    one = summary_of(capsys, tmp_path / "one.parquet")
    assert summary_of(capsys, folder) == one
    assert one["sample"] is None
    # Part by part, but with all rows in the sample.
    monkeypatch.setattr(drawing, "ROWS", N)
    read = summary_of(capsys, folder, *TINY)
    assert {name: read[name] for name in ("answer", "features", "methods", "data")} == (
        {name: one[name] for name in ("answer", "features", "methods", "data")}
    )


@pytest.fixture
def streamed(table, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", 400)
    return write(table, tmp_path / "parts")


def test_what_does_not_fit_is_sampled(capsys, table, streamed):
    options = ("--missing", "answer=99", "--ordered", "size=small,middle,big")
    found = summary_of(capsys, streamed, *TINY, *options)
    facts = found["sample"]
    rare = int((table["grade"] == "high").sum())
    assert (facts["rows"], facts["samples"]) == (N - 1, 5)
    assert facts["sampled"] == pytest.approx(400, abs=25)
    assert facts["raised"] == {"high": [min(rare, 25), rare]}
    assert found["data"]["n_samples"] == N - 1
    assert found["data"]["classes"] == {
        name: int((table["grade"] == name).sum()) for name in ("low", "medium", "high")
    }
    assert set(found["set_aside"]) == {"row"}  # whose numbers do not count the rows of the sample
    whole = table[table["grade"].notna()]
    whole = whole.assign(
        answer=whole["answer"].where(whole["answer"] != 99),
        size=pd.Categorical(whole["size"], ["small", "middle", "big"], ordered=True),
    ).drop(columns=["row", "grade"])
    code = pd.Series(["low", "medium", "high"], index=["low", "medium", "high"])
    y = table["grade"].dropna().map({name: k for k, name in enumerate(code)})
    rho = RankCorrelation(measure="spearman", kind="ordinal").fit(whole, y).correlations_
    rows = {row["name"]: row for row in found["features"]}
    for name, expected in zip(whole, rho, strict=True):
        row = rows[name]
        assert row["missing"] == whole[name].isna().sum(), name
        if name != "shop":
            assert row["trend"] == pytest.approx(expected, abs=1e-9), name
    assert found["answer"]["keep"][0] == "income"
    assert rows["income"]["stability"] == 1
    said = " ".join(found["words"]["caveats"])
    assert f"All {N - 1:,} rows were read" in said
    assert "5 disjoint samples" in said
    assert "1 row without grade left out" in said
    assert f"of {N - 1:,} rows, stratified by class" in found["words"]["lines"]["Sample"]


def test_order_of_files_and_limits_do_not_matter(table, streamed):
    small, large = Reading(max_memory="20KB"), Reading(max_memory="100KB")
    found = [read_table(str(streamed), how, Drawing("grade")) for how in (small, large)]
    pd.testing.assert_frame_equal(found[0].frame, found[1].frame)
    other = read_table(str(streamed), small, Drawing("grade", seed=1))
    assert not other.frame["income"].equals(found[0].frame["income"])


def test_printed_answer_states_the_sample(capsys, streamed, tmp_path):
    report, code = tmp_path / "report.html", tmp_path / "code.py"
    done = call(
        capsys, "rank", streamed, "-t", "grade", *ORDER, *TINY, "--report", report, "--code", code,
        "--drop", "row,shop,size,age", "-q",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert f"parts: {N - 1:,} rows, 3 features" in done.out
    assert f"of {N - 1:,} rows, stratified by class" in done.out
    assert "frequency" in done.out
    assert not code.exists()
    assert "a script reads one file" in done.out
    page = report.read_text(encoding="utf-8")
    assert "5 disjoint samples" in page
    assert "stratified by class" in page


def test_other_methods_rank_the_sample(capsys, streamed):
    done = call(
        capsys, "compare", streamed, "-t", "grade", *ORDER, *TINY, "-m", "orelieff,rankcorrelation",
        "--json", "-q", "--drop", "row,shop,size",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["sample"]["rows"] == N - 1
    said = " ".join(found["words"]["caveats"])
    assert f"All {N - 1:,} rows were read" in said
    for command in ("profile", "bounds"):
        done = call(capsys, command, streamed, "-t", "grade", *ORDER, *TINY, "-q")
        assert done.code == 0, done.err
        assert f"{N - 1:,}" in done.out


def test_groups_and_times_are_of_the_sample(capsys, table, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", 400)
    table = table.assign(shop=table["shop"].fillna("d"), day=np.arange(N) % 50)
    table.loc[11, "day"] = np.nan
    folder = write(table, tmp_path / "parts")
    found = summary_of(capsys, folder, *TINY, "--groups", "shop", "--drop", "row,day,size,answer")
    assert found["how"]["groups"] == "shop"
    found = summary_of(capsys, folder, *TINY, "--time", "day", "--drop", "row,shop,size,answer")
    assert found["how"]["time"] == "day"
    assert "1 row without day left out." in " ".join(found["words"]["caveats"])


# --------------------------------------------------------------------------------- what is wrong


def test_folder_without_data(capsys, tmp_path):
    (tmp_path / "readme.md").write_text("nothing")
    refused = call(capsys, "rank", tmp_path, "-t", "grade")
    refused.check_refused("holds no Parquet or CSV file")
    call(capsys, "rank", tmp_path / "*.parquet", "-t", "grade").check_refused("names no Parquet")


@pytest.mark.parametrize("limit", [(), TINY])
def test_files_that_differ(limit, capsys, table, tmp_path):
    folder = write(table, tmp_path / "parts")
    other = folder / "part-1.parquet"
    for changed, said in (
        (table.drop(columns="age"), "part-1.parquet lacks 'age', unlike part-0.parquet"),
        (table.assign(more=1), "part-1.parquet also has 'more'"),
        (table.assign(age="x"), "Column 'age' holds"),
    ):
        changed.to_parquet(other, index=False)
        call(capsys, "rank", folder, "-t", "grade", *limit).check_refused(said)
    other.write_bytes(b"PAR1 damaged")
    call(capsys, "rank", folder, "-t", "grade", *limit).check_refused("cannot be read as Parquet")


def test_texts_that_differ(capsys, table, tmp_path):
    folder = write(table, tmp_path / "parts", "to_csv", ".csv")
    (folder / "part-1.csv").write_text("a,b\n1,2\n")
    refused = call(capsys, "rank", folder, "-t", "grade")
    refused.check_refused("part-1.csv has another line of names than part-0.csv")


def test_texts_must_fit(capsys, table, tmp_path):
    folder = write(table, tmp_path / "parts", "to_csv", ".csv")
    call(capsys, "rank", folder, "-t", "grade", *TINY).check_refused("takes more than 20 KB")


@pytest.mark.parametrize("limit", [(), TINY])
def test_column_that_is_not_there(limit, capsys, streamed):
    refused = call(capsys, "rank", streamed, "-t", "grad", *limit)
    refused.check_refused("parts has no column 'grad' (--target)", "Did you mean 'grade'?")
    refused = call(capsys, "rank", streamed, "-t", "grade", "--groups", "shops", *limit)
    refused.check_refused("parts has no column 'shops' (--groups)")


def test_weights_need_all_rows(capsys, streamed):
    refused = call(capsys, "rank", streamed, "-t", "grade", *ORDER, *TINY, "--weights", "age")
    refused.check_refused("samples are drawn without weights")


def test_infinity_is_found_in_all_rows(capsys, table, tmp_path):
    table.loc[2000, "noise"] = np.inf
    folder = write(table, tmp_path / "parts")
    refused = call(capsys, "rank", folder, "-t", "grade", *ORDER, *TINY)
    refused.check_refused("parts: Column 'noise' holds infinity in 1 of the rows")


def test_select_needs_all_rows(table, tmp_path):
    folder = write(table, tmp_path / "parts")
    with pytest.raises(_folder.InputError, match="takes more than 20 KB"):
        read_table(str(folder), Reading(max_memory="20KB"))


def test_folders_named_by_values(table, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "ROWS", N)
    table.drop(columns=["row", "size"]).to_parquet(
        tmp_path / "parts", partition_cols=["shop"], index=False
    )
    found = read_table(str(tmp_path / "parts"), Reading(), Drawing("grade"))
    assert {*found.frame["shop"].dropna().astype(str)} >= {"a", "b", "c"}
    assert len(found.frame) == N
    drawn = read_table(str(tmp_path / "parts"), Reading(max_memory="20KB"), Drawing("grade")).drawn
    shops = found.frame["shop"][found.frame["grade"].notna()]
    assert drawn.frame["shop"].tolist() == shops.tolist()


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # which Dask still uses
def test_workers_of_a_cluster_read_the_files(table, streamed):
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.dataframe")
    how, drawing_here = Reading(max_memory="20KB"), Drawing("grade")
    here = read_table(str(streamed), how, drawing_here)
    with distributed.Client(processes=False, dashboard_address=":0", n_workers=1):
        there = read_table(str(streamed), how, drawing_here._replace(on_cluster=True))
    assert there.frame["income"].tolist() == here.frame["income"].tolist()
    assert there.frame["shop"].isna().tolist() == here.frame["shop"].isna().tolist()
    for name, counts in here.drawn.known.tables.items():
        np.testing.assert_array_equal(there.drawn.known.tables[name], counts)
