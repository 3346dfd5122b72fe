"""The demo, and that the pages show what the command prints on its data."""

import re
import runpy
from pathlib import Path

import pytest

from cli_cases import call, run

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
    assert found == {"diabetes.csv", "report.html"}


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
    assert "mild < low < medium < high < severe" in done.out
    assert "patient" in done.out.split("Set aside, like an identifier:")[1]
    assert (folder / "echelon-demo" / "report.html").stat().st_size < 3_000_000


@pytest.mark.slow
def test_the_example_gives_its_answer(demo, capsys):
    runpy.run_path(str(ROOT / "examples" / "ordered_grades.py"), run_name="__main__")
    example = capsys.readouterr().out
    kept = re.search(r"^Keep: (.*)$", demo[1].out, re.MULTILINE)[1].replace(" and ", ", ")
    shown = re.search(r"^Keep \d+: (.*)$", example, re.MULTILINE)[1]
    assert sorted(shown.split(", ")) == sorted(kept.split(", "))


def words(text):
    """Text without numbers, lines of tables and white space, which depend on versions."""
    return re.sub(r"[-\d.,\s─]+", " ", text).split()


def shown_commands():
    for page in (ROOT / "README.md", ROOT / "docs" / "cli.md"):
        blocks = re.findall(r"```console\n\$ echelon (.*)\n([\s\S]*?)```", page.read_text())
        yield from (pytest.param(*block, id=f"{page.name}: {block[0][:40]}") for block in blocks)


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
