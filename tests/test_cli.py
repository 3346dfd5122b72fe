"""The command as a user meets it: answers, questions, exit codes, files."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import echelon
from cli_cases import COMMAND, call, grades
from echelon.base import BaseSelector
from echelon.cli import _work, main
from echelon.cli._options import Common, complete_methods
from echelon.cli._prepare import prepare
from echelon.files import write_whole
from echelon.methods import METHODS

ORDER = ("--class-order", "low,medium,high")


@pytest.fixture
def credit(tmp_path):
    """A CSV file whose grades are words."""
    frame = grades()
    frame["grade"] = np.array(["low", "medium", "high"])[frame["grade"]]
    path = tmp_path / "credit.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def houses(tmp_path):
    """A CSV file with a price, gaps and labels."""
    rng = np.random.default_rng(0)
    size, rooms = rng.normal(100, 20, 60), rng.integers(1, 6, 60)
    frame = pd.DataFrame({"size": size, "rooms": rooms, "noise": rng.normal(size=60)})
    frame["kind"] = np.where(rooms > 3, "house", "flat")
    frame["price"] = 3 * size + 20 * rooms + rng.normal(0, 5, 60)
    frame.loc[:3, "size"] = np.nan
    path = tmp_path / "houses.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    assert main(["demo", "--folder", str(folder / "echelon-demo"), "--quiet"]) == 0
    return folder


# ----------------------------------------------------------------------- the table of methods


def test_every_selector_is_in_the_table_and_says_what_it_takes():
    selectors = {
        name for name in echelon.__all__
        if isinstance(each := getattr(echelon, name), type) and issubclass(each, BaseSelector)
    }  # fmt: skip
    assert {method.estimator for method in METHODS.values()} == selectors
    for name, method in METHODS.items():
        assert name == method.estimator.lower()
        selector = method.make(random_state=3)
        assert selector.__sklearn_tags__().input_tags.allow_nan == method.takes_gaps
        assert selector.get_params().get("random_state", 3) == 3
        if "threshold" in selector.get_params():
            assert selector.threshold == "shuffle"


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_the_kinds_of_columns_the_table_says(name):
    method = METHODS[name]
    frame = grades(60)
    y = frame["grade"]
    if method.numbers_only:
        with pytest.raises(TypeError):
            method.make().fit(frame[["income", "home"]], y)
        frame["home"] = (frame["home"] == "own").astype(float)
    quick = {"C": 0.2, "false_positive_rate": 0.5}
    selector = method.make(random_state=0, **(quick if name == "relevancebounds" else {}))
    selector.fit(frame[["income", "noise", "home"]], y)
    assert name == "rankorderselector" or selector.order_[0] == 0


def test_methods_are_listed(capsys):
    done = call(capsys, "methods")
    assert done.code == 0
    for name, method in METHODS.items():
        assert re.search(rf"^ +{name} .*{re.escape(method.paper)}", done.out, re.MULTILINE)
    assert set(json.loads(call(capsys, "methods", "--json").out)) == set(METHODS)


def test_names_of_methods_are_completed_after_commas():
    assert [name for name, _ in complete_methods("orel")] == ["orelieff"]
    assert ("cfs,relief", METHODS["relief"].data) in complete_methods("cfs,reli")


# -------------------------------------------------------------------------------- answers


def test_rank_prints_the_answer_and_what_it_did(credit, capsys):
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER)
    assert (done.code, done.err) == (0, "")
    assert "credit.csv: 90 rows, 4 features; grade: low < medium < high" in done.out
    assert re.search(r"^ +1 +income .* rises 0.\d\d +yes", done.out, re.MULTILINE)
    assert re.search(r"^ +\d +debt .* falls 0.\d\d", done.out, re.MULTILINE)
    assert "OReliefF, which uses their order, fits." in done.out
    assert "Keep this 1 of 4; more gain nothing within one standard error." in done.out
    assert "Set aside, constant: country." in done.out
    assert "Set aside, like an identifier: customer." in done.out
    assert "\x1b" not in done.out


def test_auto_is_the_method_with_the_settings_the_docs_promise(credit, houses, capsys):
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--json")
    params = json.loads(done.out)["how"]["parameters"]["OReliefF"]
    assert params["contradictions"] == "penalize"
    assert params["monotonic_cst"] == "auto"
    assert params["threshold"] == "shuffle"
    assert json.loads(call(capsys, "profile", houses, "-t", "price", "--json").out)["method"] == (
        "relevancebounds"
    )
    done = call(capsys, "profile", credit, "-t", "home", "--json")
    assert json.loads(done.out)["method"] == "relieff"


def test_the_answer_does_not_depend_on_a_report(credit, tmp_path, capsys):
    page = tmp_path / "report.html"
    plain = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--json")
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--json", "--report", page)
    one, other = (json.loads(each.out) for each in (plain, done))
    assert one["answer"] == other["answer"]
    assert other["methods"][0]["stability"]["index"] > 0
    assert "income" in page.read_text()
    assert other["how"]["command"].startswith("echelon rank ")


def test_compare_shows_curves_ranks_and_agreement(credit, tmp_path, capsys):
    table = tmp_path / "ranks.tsv"
    done = call(capsys, "compare", credit, "-t", "grade", *ORDER, "-m", "orelieff,cfs,relieff",
                "--estimator", "knn", "--cv", 3, "-o", table)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "Judged by mean error in classes, 3 folds" in done.out
    assert "Agreement of the rankings (1 = the same): OReliefF and CFS" in done.out
    ranks = pd.read_csv(table, sep="\t")
    assert {"rank_orelieff", "rank_cfs", "rank_relieff"} <= set(ranks.columns)
    assert ranks["feature"][0] == "income"


def test_bounds_of_numbers_with_gaps_and_labels(houses, tmp_path, capsys):
    picture = tmp_path / "bounds.svg"
    done = call(capsys, "bounds", houses, "-t", "price", "--plot", picture)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^ +size +0\.\d+ +0\.\d+ +strong", done.out, re.MULTILINE)
    assert "kind split into 0/1 columns" in done.out
    assert "those of size were filled with the median" in done.out
    assert f"Wrote {picture}" in done.out
    assert "<svg" in picture.read_text()
    rows = json.loads(call(capsys, "bounds", houses, "-t", "price", "--json").out)["features"]
    assert {row["feature"] for row in rows} == {"size", "rooms", "noise", "kind=house"}


def test_pairs_of_columns_are_intervals(tmp_path, capsys):
    rng = np.random.default_rng(0)
    season = np.repeat(["summer", "winter"], 30)
    low = np.where(season == "summer", 15, -5) + rng.integers(-4, 5, 60)
    frame = pd.DataFrame({"temp_lo": low, "temp_hi": low + 8, "season": season})
    frame["wind_lo"] = rng.integers(0, 5, 60)
    frame["wind_hi"] = frame["wind_lo"] + rng.integers(1, 9, 60)
    path = tmp_path / "days.csv"
    frame.to_csv(path, index=False)
    done = call(capsys, "rank", path, "-t", "season", "--json")
    found = json.loads(done.out)
    assert found["answer"]["keep"] == ["temp"]
    assert found["how"]["method"] == "IntervalRelief"
    pattern = ("--intervals", "{}_lo,{}_hi")
    same = json.loads(call(capsys, "rank", path, "-t", "season", *pattern, "--json").out)
    assert same["answer"] == found["answer"]
    call(capsys, "rank", path, "-t", "season", *pattern, "-m", "relieff").check_refused(
        "relieff takes no intervals"
    )
    call(capsys, "rank", path, "-t", "season", "--intervals", "{}_lo").check_refused("two patterns")
    points = json.loads(call(capsys, "rank", path, "-t", "season", "-m", "relieff", "--json").out)
    assert points["data"]["n_features"] == 4


def test_options_for_columns(credit, capsys):
    options = ("--drop", "debt,noise", "--keep", "customer", "--categorical", "income", "--json")
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, *options)
    found = json.loads(done.out)
    assert {feature["name"] for feature in found["features"]} == {"customer", "income", "home"}
    assert found["profile"]["nominal"] == ["income", "home"]


def test_of_many_rows_some_are_looked_up(credit, capsys, monkeypatch):
    monkeypatch.setattr(_work, "MANY_ROWS", 80)
    monkeypatch.setattr(_work, "SAMPLED_ROWS", 50)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--json")
    found = json.loads(done.out)
    assert found["how"]["parameters"]["OReliefF"]["sample_size"] == 50
    assert "neighbours of 50 rows, drawn at random, among all 90" in " ".join(found["caveats"])
    assert found["features"][0]["name"] == "income"


def test_the_same_seed_gives_the_same_answer(credit, capsys):
    outputs = [
        call(capsys, "rank", credit, "-t", "grade", *ORDER, "-m", "simba", "-n", 2, "--seed", seed)
        for seed in (1, 1)
    ]
    assert outputs[0] == outputs[1]


# ------------------------------------------------------------------------------ questions


def test_an_order_that_is_not_known_is_asked_for(credit, capsys):
    done = call(capsys, "rank", credit, "-t", "grade")
    done.check_refused(
        "Is low < medium < high the order of 'grade'?",
        "--class-order low,medium,high",
        "--unordered",
    )
    unordered = call(capsys, "profile", credit, "-t", "grade", "--unordered", "--json")
    assert json.loads(unordered.out)["method"] == "relieff"
    call(capsys, "rank", credit, "-t", "home", "-m", "orelieff").check_refused(
        "What is the order of 'home'? Pass --class-order own,rent"
    )


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        (["-t", "grad", *ORDER], ["no column 'grad'", "Did you mean 'grade'?"]),
        (["-t", "grade", "--class-order", "low,high"], ["it lacks 'medium'"]),
        (["-t", "grade", "--class-order", "low,low,medium,high"], ["got 'low' again"]),
        (["-t", "grade", *ORDER, "--unordered"], ["contradict"]),
        (["-t", "grade", *ORDER, "-m", "relief-f"], ["Did you mean 'relieff'?"]),
        (["-t", "grade", *ORDER, "-n", "0"], ["from 1 to 4"]),
        (["-t", "grade", *ORDER, "-n", "many"], ["from 1 to 4"]),
        (["-t", "grade", *ORDER, "--drop", "grade"], ["names the target"]),
        (["-t", "grade", *ORDER, "--drop", "x"], ["no column 'x' (--drop)"]),
        (["-t", "grade", *ORDER, "--categorical", "homes"], ["mean 'home'?"]),
        (["-t", "grade", *ORDER, "--estimator", "forrest"], ["mean 'forest'?"]),
        (["-t", "income", "-m", "relieff"], ["different numbers, and relieff is for classes"]),
        (["-t", "income", "--estimator", "bayes"], ["for classes"]),
        (["-t", "grade", *ORDER, "--delimiter", "::"], ["one character"]),
        (["-t", "grade", *ORDER, "--report", "x.pdf"], ["--report must end in .html"]),
        (["-t", "grade", *ORDER, "--seed", "-1"], ["--seed"]),
        (["-t", "grade", "--nonsense"], ["--nonsense", "echelon rank --help"]),
        ([], ["--target"]),
    ],
)
def test_wrong_options_are_refused_in_one_line(options, fragments, credit, capsys):
    call(capsys, "rank", credit, *options).check_refused(*fragments)


def test_compare_needs_two_methods(credit, capsys):
    call(capsys, "compare", credit, "-t", "grade", *ORDER, "-m", "cfs").check_refused("two or more")


def test_debug_shows_where(credit):
    with pytest.raises(ValueError, match="no column"):
        main(["rank", str(credit), "-t", "x", "--debug"])


def test_a_mistake_of_ours_is_not_blamed_on_the_input(credit, capsys, monkeypatch):
    def broken(*args, **options):
        raise KeyError("internals")

    monkeypatch.setattr(_work, "summarize", broken)
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER)
    assert done.code == 1
    assert done.err.startswith("echelon: KeyError: 'internals' (a mistake of echelon")


def test_memory_that_does_not_suffice(credit, capsys, monkeypatch):
    def large(*args, **options):
        raise MemoryError

    monkeypatch.setattr(_work, "summarize", large)
    call(capsys, "rank", credit, "-t", "grade", *ORDER).check_refused("not enough memory")


# ---------------------------------------------------------------------------------- files


def test_nothing_is_overwritten_without_force(credit, tmp_path, capsys):
    out = tmp_path / "ranking.json"
    arguments = ("rank", credit, "-t", "grade", *ORDER, "-n", 1, "-o", out)
    out.write_text("mine")
    call(capsys, *arguments).check_refused("exists already", "--force")
    assert out.read_text() == "mine"
    assert call(capsys, *arguments, "--force").code == 0
    assert json.loads(out.read_text())[0]["feature"] == "income"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["credit.csv", "ranking.json"]


def test_outputs_are_checked_before_the_work(credit, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_work, "prepare", lambda *_: pytest.fail("the data were read"))
    for name, fragment in (
        ("no/such/folder.csv", "no folder"),
        (".", "must end in"),
        ("credit.csv", "exists already"),
    ):
        path = tmp_path / name
        call(capsys, "rank", credit, "-t", "grade", "-o", path).check_refused(fragment)
    both = ("--report", tmp_path / "x.json", "-o", tmp_path / "x.json")
    call(capsys, "rank", credit, "-t", "grade", *both).check_refused("same file")
    own = ("-o", credit, "--force")
    call(capsys, "rank", credit, "-t", "grade", *own).check_refused("the data file itself")


def test_files_are_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "page.html"

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "half")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert write_whole(path, "whole").read_text() == "whole"
    with pytest.raises(FileExistsError):
        write_whole(path, "again")
    link = tmp_path / "link.html"
    link.symlink_to(path)
    write_whole(link, "through the link", overwrite=True)
    assert link.is_symlink()
    assert path.read_text() == "through the link"


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    monkeypatch.setattr(os, "fsync", lambda _: path.write_text("someone else's"))
    with pytest.raises(FileExistsError):
        write_whole(path, "mine")
    assert path.read_text() == "someone else's"
    assert list(tmp_path.iterdir()) == [path]


def test_devices_are_written_to(capsys, credit):
    assert write_whole("/dev/null", "x") == Path("/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_reports_by_their_ending(ending, credit, tmp_path, capsys):
    path = tmp_path / f"report.{ending}"
    done = call(capsys, "rank", credit, "-t", "grade", *ORDER, "--report", path)
    assert f"Wrote {path}" in done.out
    begins = {"html": "<!doctype html>", "md": "#", "json": "{"}[ending]
    assert path.read_text().startswith(begins)


# ---------------------------------------------------------------- processes and terminals

SLOW = ("--method", "neighborhoodsoftmargin")


def test_an_interrupt_ends_with_130_and_no_file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20_000, 60))).rename(columns=str)
    frame["y"] = rng.integers(0, 3, len(frame))
    path = tmp_path / "long.csv"
    frame.to_csv(path, index=False)
    out = tmp_path / "out.csv"
    job = subprocess.Popen(
        [COMMAND, "rank", path, "-t", "y", *SLOW, "-o", out], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(6)
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=120)
    assert (job.returncode, err) == (130, "echelon: interrupted\n")
    assert [p.name for p in tmp_path.iterdir()] == ["long.csv"]


def test_help_is_light():
    heavy = "{'numba', 'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib'} & set(sys.modules)"
    calls = "main(['rank', '--help']); main(['methods'])"
    code = f"import sys; from echelon.cli import main; {calls}; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("set()")
    for text in ("--class-order", "--force", "Examples", "echelon rank credit.csv"):
        assert text in done.stdout


def test_every_command_has_the_same_options(capsys):
    shared = None
    for command in ("rank", "compare", "profile", "bounds"):
        options = set(re.findall(r"--[a-z-]+", call(capsys, command, "--help").out))
        own = {"--method", "--methods", "--n-features", "--estimator", "--cv"}
        shared = shared or options - own
        assert options - own == shared


def test_completion_and_the_module(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "echelon"], capture_output=True, text=True,
        env={**os.environ, "_ECHELON_COMPLETE": "complete_bash", "COMP_CWORD": "3",
             "COMP_WORDS": "echelon rank --method orel"}, check=False,
    )  # fmt: skip
    assert "orelieff" in done.stdout


def test_a_reader_that_stops_is_no_error():
    done = subprocess.run(f"'{COMMAND}' methods | head -1", shell=True, capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stderr == ""


def test_the_demo_runs_again_and_names_its_report(demo_folder, capsys, monkeypatch):
    monkeypatch.chdir(demo_folder)
    done = call(capsys, "demo")
    assert (done.code, done.err) == (0, "")
    assert done.out.rstrip().endswith("Wrote echelon-demo/report.html")
    assert "mild < low < medium < high < severe" in done.out
    assert "patient" in done.out.split("Set aside, like an identifier:")[1]
    assert (demo_folder / "echelon-demo" / "report.html").stat().st_size < 3_000_000


def test_narrow_terminals_cut_nothing_that_matters(credit, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    for command in (["methods"], ["rank", credit, "-t", "grade", *ORDER]):
        done = call(capsys, *command)
        plain = re.sub(r"\x1b\[[\d;]*m", "", done.out)
        assert max(map(len, plain.splitlines())) <= 60
        assert not re.search(r"\x1b\[[\d;]*3\d", done.out)  # bold may stay, colours not
    assert "income" in done.out


# --------------------------------------------------------------------------------- profile


def test_profile_in_words(credit, capsys):
    done = call(capsys, "profile", credit, "-t", "grade", *ORDER)
    assert (done.code, done.err) == (0, "")
    for text in (
        "grade: 3 classes with an order",
        "low (27) < medium (32) < high (31)",
        "comparable pairs of rows break the order",
        "income alone tells the class of every row: is it known before the outcome is?",
        "(orelieff: Hu, Pan, Song, Yu 2012)",
    ):
        assert text in done.out
    call(capsys, "profile", credit, "-t", "grade", "--plot", "x.png").check_refused("no plot")


def test_what_needs_numbers_gets_numbers(houses):
    task = prepare(Common(str(houses), "price"), ["auto"])
    assert task.X["kind=house"].tolist() == (task.X["rooms"] > 3).astype(float).tolist()
    assert not task.X.isna().any(axis=None)
    assert len(task.notes) == 2


# ------------------------------------------------------------------------------------ pages

ROOT = Path(__file__).parent.parent


def words(text):
    """Text without numbers, lines of tables and white space, which depend on versions."""
    return re.sub(r"[-\d.,\s─]+", " ", text).split()


def shown_commands():
    for page in (ROOT / "README.md", ROOT / "docs" / "cli.md"):
        blocks = re.findall(r"```console\n\$ echelon (.*)\n([\s\S]*?)```", page.read_text())
        yield from (pytest.param(*block, id=f"{page.name}: {block[0][:40]}") for block in blocks)


@pytest.mark.parametrize(("command", "shown"), list(shown_commands()))
def test_pages_show_what_the_command_prints(command, shown, demo_folder, capsys, monkeypatch):
    monkeypatch.chdir(demo_folder)
    done = call(capsys, *command.split())
    assert words(done.out + done.err) == words(shown)
