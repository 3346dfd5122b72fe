"""Without the packages of the extras: estimators work, and what needs them says so."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from echelon._core.extras import MissingExtraError, require

ROOT = Path(__file__).parents[2]

BARE = """
import sys, warnings
for name in ("click", "jinja2", "markupsafe", "matplotlib", "rich", "typer"):
    sys.modules[name] = None
warnings.simplefilter("error")
from echelon._core.extras import MissingExtraError

def said(call):
    try:
        call()
    except MissingExtraError as error:
        return str(error)
"""

DATA = """
from echelon.datasets import load_grades
X, y = load_grades()
X, y = X.iloc[::6, :3], y.iloc[::6]
"""


def run(code, *arguments):
    """A process in which these packages cannot be imported."""
    command = [sys.executable, "-c", BARE + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_estimators_need_no_extra():
    code = """
from echelon import AutoSelector, ReliefF
print(ReliefF(2, verbose=1).fit(X, y).support_.sum())
print(AutoSelector(cv=2, random_state=0).fit(X, y).n_features_in_)
import echelon.consensus, echelon.display, echelon.evaluation, echelon.profile, echelon.report
"""
    done = run(DATA + code)
    assert (done.returncode, done.stdout.split()) == (0, ["2", "3"]), done
    assert "100%" in done.stderr


def test_reports_and_displays_name_their_extra():
    code = """
from echelon import ReliefF
from echelon.display import BoundsDisplay, ScoresDisplay
from echelon.report import summarize
report = summarize(X, y, ReliefF(), n_resamples=0, cv=2)
assert report.to_json().startswith("{")
display = ScoresDisplay(["a", "b"], [1.0, 2.0], [True, False])
assert len(display.frame()) == 2
for call in (report.to_html, report.to_markdown, report._repr_html_, display.plot):
    print(said(call))
"""
    done = run(DATA + code)
    assert done.returncode == 0, done.stderr
    *pages, plot = done.stdout.splitlines()
    assert len(pages) == 3
    assert all('jinja2: pip install "echelon[report]"' in page for page in pages)
    assert plot == 'Plots need matplotlib: pip install "echelon[plot]"'


@pytest.mark.parametrize("arguments", [["--version"], ["rank", "x.csv", "-t", "y"], []])
def test_the_command_names_its_extra_and_ends_with_2(arguments):
    done = run("from echelon.cli import main; sys.exit(main())", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'echelon: The command needs typer and rich: pip install "echelon[cli]"\n'
    )


@pytest.mark.parametrize(
    ("option", "package", "extra"),
    [
        ("--plot=x.png", "matplotlib", "plot"),
        ("--report=x.html", "jinja2", "report"),
        ("--report=x.md", "jinja2", "report"),
    ],
)
def test_options_name_their_extra_before_the_data_are_read(
    option, package, extra, tmp_path, capsys, monkeypatch
):
    from cli_cases import call

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    done = call(capsys, "rank", tmp_path / "nosuch.csv", "-t", "y", option)
    done.check_refused(f'{package}: pip install "echelon[{extra}]"')


@pytest.mark.parametrize(
    ("ending", "package"),
    [("parquet", "pyarrow"), ("xlsx", "openpyxl"), ("sav", "pyreadstat"), ("duckdb", "duckdb")],
)
def test_formats_name_their_extra(ending, package, tmp_path, capsys, monkeypatch):
    from cli_cases import call

    path = tmp_path / f"x.{ending}"
    begin = {"parquet": b"PAR1", "sav": b"$FL2@(#)", "duckdb": bytes(8) + b"DUCK" + bytes(8)}
    path.write_bytes(begin.get(ending, b"something"))
    monkeypatch.setitem(sys.modules, package, None)
    done = call(capsys, "rank", path, "-t", "y")
    done.check_refused(f'{package}: pip install "echelon[io]"')


def test_what_is_installed_is_not_asked_for():
    require("Tests need", "all", "numpy", "pandas")
    with pytest.raises(MissingExtraError, match=r'Tests need numpy and nosuch: .*echelon\[all\]"'):
        require("Tests need", "all", "numpy", "nosuch")


def test_the_extra_that_is_named_installs_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    sources = [path for path in (ROOT / "src").rglob("*.py") if path.name != "extras.py"]
    text = "\n".join(path.read_text() for path in sources)
    named = re.findall(r'require\(\s*f?"[^"]*", "(\w+)", "(\w+)"', text)
    assert {extra for extra, _ in named} == {"app", "cli", "dask", "io", "plot", "report"}
    for extra, package in named:
        assert any(each.startswith(package) for each in extras[extra])
        assert extra in extras["all"][0]
