"""What the page asks for is what the command does: the same answers, sentences and files."""

import json
import os
import signal

import pandas as pd
import pytest

from app_cases import ORDERED, QUICK, Visitor, processes, server, until
from cli_cases import ORDER, call, grades
from echelon.cli.app import _jobs


@pytest.fixture(scope="module")
def inside():
    with server() as address:
        yield Visitor(address).enter()


def as_command(kind, options):
    """The options of the page, written by hand."""
    known = {"method": "rankcorrelation", "cv": 3, "estimator": "bayes"}
    more = [text for key in known if key in options for text in (f"--{key}", known[key])]
    return ["-t", "grade", *ORDER, *(more if kind == "run" else [])]


def test_columns_as_they_were_read(inside, houses, capsys):
    job = inside.over(inside.begin("columns", inside.give(houses)))
    found = inside.job(job["id"])["result"]
    assert found == json.loads(call(capsys, "profile", houses, "--json").out)
    kinds = {each["name"]: (each["kind"], each["missing"]) for each in found["columns"]}
    assert kinds["size"] == ("number", 4)
    assert kinds["kind"] == ("nominal", 0)


def test_a_check_says_what_profile_says(inside, credit, capsys):
    job = inside.over(inside.begin("check", inside.give(credit), **QUICK))
    told = json.loads(call(capsys, "profile", credit, *as_command("check", QUICK), "--json").out)
    assert inside.job(job["id"])["result"] == told
    assert told["set_aside"] == {"customer": "looks like an ID", "country": "constant"}


def test_what_the_command_warns_of_is_a_doubt(inside, tmp_path):
    frame = grades().assign(age=[-99, *range(20, 64), -99, *range(20, 64)])
    frame.to_csv(tmp_path / "aged.csv", index=False)
    file = inside.give(tmp_path / "aged.csv")
    for codes, n_doubts in (([], 1), (["age=-99"], 0)):
        check = inside.over(inside.begin("check", file, target="grade", missing=codes))
        doubts = inside.job(check["id"])["result"]["doubts"]
        assert [each.startswith("-99 in age repeats") for each in doubts] == [True] * n_doubts


def test_what_the_command_would_ask_is_a_question(inside, credit, capsys):
    file = inside.give(credit)
    asked = call(capsys, "rank", credit, "-t", "grade").err.removeprefix("echelon: ").strip()
    assert asked.startswith("Is low < medium < high the order of 'grade'?")
    check = inside.over(inside.begin("check", file, target="grade"))
    assert inside.job(check["id"])["result"]["questions"] == [asked]
    run = inside.over(inside.begin("run", file, target="grade"))
    assert (run["state"], run["error"], run["files"]) == ("failed", asked, [])
    told = inside.over(inside.begin("check", file, target="grade", unordered=True))
    assert inside.job(told["id"])["result"]["questions"] == []


@pytest.mark.slow
def test_what_weights_mean_is_asked(inside, credit, tmp_path):
    frame = pd.read_csv(credit).assign(count=[1, 2, 3] * 30)
    frame.to_csv(tmp_path / "counted.csv", index=False)
    file = inside.give(tmp_path / "counted.csv")
    check = inside.over(inside.begin("check", file, **ORDERED, weights="count"))
    [question] = inside.job(check["id"])["result"]["questions"]
    assert question.startswith("Does 'count' say how often every row was seen?")
    told = inside.over(
        inside.begin("check", file, **ORDERED, weights="count", weights_are="survey")
    )
    assert inside.job(told["id"])["result"]["questions"] == []


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.csv", b""), ("bad.xlsx", b"PK\x03\x04 damaged"), ("rows.csv", b"a,b\n1,2\n3\n")],
)
def test_a_wrong_file_is_refused_in_the_words_of_the_command(
    inside, name, content, tmp_path, capsys
):
    path = tmp_path / name
    path.write_bytes(content)
    job = inside.over(inside.begin("columns", inside.give(path)))
    told = call(capsys, "profile", path)
    told.check_refused(name)
    assert (job["state"], job["error"]) == ("failed", told.err.strip().removeprefix("echelon: "))


@pytest.mark.parametrize(
    "options",
    [{"class_order": ["low", "high"]}, {"keep": ["income"], "drop": ["income"]}, {"cv": 1}],
)
def test_a_wrong_choice_is_refused_in_the_words_of_the_command(inside, options, credit, capsys):
    asked = {**QUICK, **options}
    run = inside.over(inside.begin("run", inside.give(credit), **asked))
    given = [
        f"--{key.replace('_', '-')}={','.join(value) if isinstance(value, list) else value}"
        for key, value in asked.items()
    ]
    told = call(capsys, "rank", credit, *given)
    assert told.code == 2
    assert (run["state"], run["error"]) == ("failed", told.err.strip().removeprefix("echelon: "))


def test_a_run_writes_what_the_command_writes(inside, credit, tmp_path, capsys):
    run = inside.over(inside.begin("run", inside.give(credit), **QUICK))
    assert (run["state"], run["error"], run["said"]) == ("done", "", [])
    assert run["files"] == ["report", "ranking", "selection", "code", "reduced"]
    ranking, selection, report = (tmp_path / name for name in ("r.csv", "s.json", "r.html"))
    call(
        capsys,
        "rank",
        credit,
        *as_command("run", QUICK),
        "-o",
        ranking,
        "--save",
        selection,
        "--report",
        report,
    )
    held = {what: inside.ask("GET", f"jobs/{run['id']}/files/{what}").body for what in run["files"]}
    assert held["ranking"] == ranking.read_bytes()
    ours, theirs = json.loads(held["selection"]), json.loads(selection.read_bytes())
    assert {**ours, "created": ""} == {**theirs, "created": ""}
    assert "answer" in run
    assert run["answer"].encode() in report.read_bytes()
    assert run["answer"].encode() in held["report"]
    reduced = held["reduced"].decode().splitlines()[0].split(",")
    chosen = [each["name"] for each in theirs["columns"] if each["selected"]]
    assert reduced == [*chosen, "grade"]
    compile(held["code"], "code", "exec")
    assert b"echelon rank credit.csv" in held["report"]
    assert b"/tmp/" not in held["report"]


@pytest.mark.slow
def test_every_choice_reaches_the_command(inside, houses):
    """A kind, an order, codes of missing values; a column for every use."""
    frame = pd.read_csv(houses).assign(
        id=range(60),
        state=["new", "old", "used"] * 20,
        visit=[k // 3 for k in range(60)],
        day=range(60),
    )
    frame.to_csv(houses, index=False)
    check = inside.over(
        inside.begin(
            "check",
            inside.give(houses),
            target="price",
            categorical=["rooms"],
            drop=["noise"],
            ordered=[{"columns": ["state"], "values": ["old", "used", "new"]}],
            keep=["id"],
            groups="visit",
            time="day",
            missing=["house", "size=-99"],
        )
    )
    assert check["error"] == ""
    found = inside.job(check["id"])["result"]
    assert found["n_features"] == 5  # size, rooms, kind, id, state
    assert set(found["nominal"]) == {"rooms"}
    assert found["constant"] == ["kind"]


HOSTILE = [
    "<script>alert(1)</script>",
    '"quoted"',
    "=cmd()",
    "a,b",
    "a=b",
    "'; DROP",
    "${x}",
    "--report",
    "x\ty",
    "\u202eevil",
    "&amp;",
    "income",
]


@pytest.mark.slow
def test_hostile_names_are_names(inside, tmp_path):
    """Chosen for every role that names a column in a list."""
    from cli_cases import grades

    frame = grades().drop(columns=["customer", "country"])
    for place, name in enumerate(HOSTILE[:-1]):
        frame[name] = frame["noise"].shift(place, fill_value=0.1) + place
    frame["<b>home</b>=x,y"] = ["never", "rarely", "often"] * 30
    frame["grade"] = frame["grade"].map({0: "=low", 1: "<i>mid", 2: 'hi,"gh'})
    path = tmp_path / "hostile.csv"
    frame.to_csv(path, index=False)
    file = inside.give(path, "<img src=x>.csv")
    names = [
        each["name"]
        for each in inside.job(inside.over(inside.begin("columns", file))["id"])["result"][
            "columns"
        ]
    ]
    odd = [name for name in names if name not in ("income", "debt", "noise", "home", "grade")]
    assert len(odd) == len(HOSTILE)
    ordered = [{"columns": ["<b>home</b>=x,y"], "values": ["never", "rarely", "often"]}]
    run = inside.over(
        inside.begin(
            "run",
            file,
            **{**QUICK, "class_order": ["=low", "<i>mid", 'hi,"gh']},
            drop=odd[3:-1],
            keep=odd[:3],
            ordered=ordered,
            categorical=[],
        )
    )
    assert (run["state"], run["error"]) == ("done", "")
    report = inside.ask("GET", f"jobs/{run['id']}/report").body
    assert b"<script>alert" not in report
    assert b"<i>mid" not in report
    reduced = inside.ask("GET", f"jobs/{run['id']}/files/reduced").body.decode()
    assert "'=cmd()" in reduced.splitlines()[0]
    assert "'=low" in reduced
    code = inside.ask("GET", f"jobs/{run['id']}/files/code").body
    compile(code, "code", "exec")


def test_bundled_data(inside):
    asked = {}
    for name in ("diabetes", "progression", "cultivars", "wine"):
        file = inside.ask("POST", "files", {"bundled": name}).json
        job = inside.over(inside.begin("check", file["id"], target=file["target"]))
        found = inside.job(job["id"])["result"]
        asked[name] = found["kind"], len(found["questions"])
    assert asked == {
        "diabetes": ("classification", 1),
        "progression": ("regression", 0),
        "cultivars": ("classification", 0),
        "wine": ("ordinal", 0),
    }
    assert inside.ask("POST", "files", {"bundled": "x"}).status == 400


# ------------------------------------------------------------------- processes, cancelled


LONG = {"target": "y", "unordered": True, "method": "neighborhoodsoftmargin"}


def at_work(inside, job):
    """Waits until a run has said what it does."""
    return until(lambda: (now := inside.job(job))["doing"].startswith("Ranking") and now)


@pytest.mark.slow
def test_cancelling_ends_the_process_and_nothing_else(inside, long_table):
    file = inside.give(long_table)
    first, second = (inside.begin("run", file, **LONG) for _ in range(2))
    at_work(inside, first)
    at_work(inside, second)
    assert processes(first)
    assert inside.ask("DELETE", f"jobs/{first}").status == 204
    until(lambda: not processes(first), 10)
    assert inside.job(first)["state"] == "cancelled"
    assert inside.job(first)["files"] == []
    assert inside.job(second)["state"] == "running"
    assert processes(second)
    inside.ask("DELETE", f"jobs/{second}")
    until(lambda: not processes(second), 10)
    assert inside.ask("DELETE", f"jobs/{first}").status == 204  # now it is forgotten
    assert inside.ask("GET", f"jobs/{first}").status == 404


@pytest.mark.slow
def test_a_run_that_crashes_takes_nothing_with_it(inside, long_table):
    job = inside.begin("run", inside.give(long_table), **LONG)
    at_work(inside, job)
    [process] = processes(job)
    os.kill(process, signal.SIGKILL)
    ended = inside.over(job)
    assert (ended["state"], ended["error"]) == ("failed", _jobs.LOST)
    assert inside.ask("GET", "state").status == 200


@pytest.mark.slow
def test_runs_beyond_some_wait(inside, long_table):
    file = inside.give(long_table)
    runs = [inside.begin("run", file, **LONG) for _ in range(_jobs.MOST_RUNS + 1)]
    states = [inside.job(run)["state"] for run in runs]
    until(lambda: [inside.job(run)["state"] for run in runs].count("running") == _jobs.MOST_RUNS)
    [waits] = [run for run in runs if inside.job(run)["state"] == "waiting"]
    assert "failed" not in states
    quick = inside.over(
        inside.begin("columns", inside.ask("POST", "files", {"bundled": "wine"}).json["id"])
    )
    assert quick["state"] == "done"  # looking at another file does not wait
    for run in [waits, *(run for run in runs if run != waits)]:
        inside.ask("DELETE", f"jobs/{run}")
        assert inside.job(run)["state"] == "cancelled"


def test_a_file_that_is_removed_stays_with_its_run(inside, credit):
    file = inside.give(credit)
    run = inside.begin("run", file, **QUICK)
    assert inside.ask("DELETE", f"files/{file}").status == 204
    assert inside.over(run)["state"] == "done"
    assert inside.ask("POST", "jobs", {"kind": "run", "file": file}).status == 404
