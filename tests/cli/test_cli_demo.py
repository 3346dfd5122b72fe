"""The demo, and that the pages show what the command prints on its data."""

import re
import runpy
from ast import literal_eval
from html import unescape
from pathlib import Path

import pytest

from cli_cases import call, run
from use_session import write_later

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Where `echelon demo` ran as a user runs it (as ``make demo`` does), and what it printed."""
    folder = tmp_path_factory.mktemp("pages")
    return folder, run("demo", "--quiet", cwd=folder)


def test_the_demo_writes_its_data_and_a_report(demo):
    folder, done = demo
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "Wrote echelon-demo/report.html"
    found = {path.name for path in (folder / "echelon-demo").iterdir()}
    assert found == {"wine.csv", "diabetes.csv", "report.html"}


@pytest.mark.slow
def test_it_runs_again_and_names_its_report(demo, capsys, monkeypatch):
    """In another process and from another folder: with the same answer."""
    folder, before = demo
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    done = call(capsys, "demo", "--folder", "../echelon-demo")
    assert (done.code, done.err) == (0, "")
    assert done.out.rstrip().endswith("Wrote ../echelon-demo/report.html")
    assert done.out.replace("../echelon-demo", "echelon-demo") == before.out
    assert "quality: 3 < 4 < 5 < 6 < 7 < 8" in done.out
    assert (folder / "echelon-demo" / "report.html").stat().st_size < 3_000_000


@pytest.mark.slow
def test_the_example_gives_its_answer(demo, capsys):
    runpy.run_path(str(ROOT / "examples" / "ordered_grades.py"), run_name="__main__")
    example = capsys.readouterr().out
    kept = re.search(r"^Selected  +(.*)$", demo[1].out, re.MULTILINE)[1].replace(" and ", ", ")
    shown = re.search(r"^Selected \d+: (.*)$", example, re.MULTILINE)[1]
    assert sorted(shown.split(", ")) == sorted(kept.split(", "))


@pytest.mark.slow
def test_readme_start_page_and_report_give_the_answer_of_the_demo(demo):
    """The examples of the pages are run by doctest; here they are compared with each other."""
    folder, done = demo
    selected = re.search(r"^Selected  +(.*)$", done.out, re.MULTILINE)[1].replace(" and ", ", ")
    for page in ("README.md", "docs/start.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "load_wine_quality()" in text, page
        shown = re.search(r"get_feature_names_out\(\)\.tolist\(\)\n(\[.*\])", text)[1]
        assert sorted(literal_eval(shown)) == sorted(selected.split(", ")), page
    shown = re.search(r"^([\d.]+) classes off .* baseline ([\d.]+)$", readme(), re.MULTILINE)
    score, baseline = (
        re.search(rf"^{label}  +([\d.]+) ", done.out, re.MULTILINE)[1]
        for label in ("Score", "Baseline")
    )
    assert shown.groups() == (f"{float(score):.2f}", f"{float(baseline):.2f}")
    report = (folder / "echelon-demo" / "report.html").read_text(encoding="utf-8")
    for label in ("Score", "Baseline", "All features", "Stability"):
        line = re.search(rf"^{label}  +(.*)$", done.out, re.MULTILINE)[1]
        assert line in unescape(report), label
    assert re.search(r"^Selected \d+ of \d+ features.*$", done.out, re.MULTILINE)[0] in report


def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def words(text):
    """Text without numbers, lines of tables and white space, which depend on versions."""
    return re.sub(r"[-\d.,\s─]+", " ", text).split()


def shown_commands():
    for page in (ROOT / "README.md", ROOT / "docs" / "cli.md"):
        blocks = re.findall(r"```console\n\$ echelon (.*)\n([\s\S]*?)```", page.read_text())
        yield from (pytest.param(*block, id=f"{page.name}: {block[0][:40]}") for block in blocks)


@pytest.mark.slow
def test_the_session_from_the_answer_to_its_use(demo, capsys, monkeypatch):
    """One command after the other: each works with files that an earlier one wrote."""
    monkeypatch.chdir(demo[0])
    write_later(demo[0])
    page = (ROOT / "docs" / "use.md").read_text(encoding="utf-8")
    session = re.findall(r"```console\n\$ echelon (.*)\n([\s\S]*?)```", page)
    assert len(session) == 4
    for command, shown in session:
        done = call(capsys, *command.split())
        assert words(done.out + done.err) == words(shown), command


@pytest.fixture(scope="module")
def printed():
    """By command what it printed: one that several pages show runs once."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), list(shown_commands()))
def test_pages_show_what_the_command_prints(command, shown, demo, printed, capsys, monkeypatch):
    monkeypatch.chdir(demo[0])
    if command not in printed:
        printed[command] = call(capsys, *command.split())
    done = printed[command]
    assert words(done.out + done.err) == words(shown)
