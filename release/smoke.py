"""Use the installed package as a stranger would: run where there is the wheel, and no repository.

Every public estimator is found by itself and fitted, the command is called as a program, and a
report is written.  With the argument "bare" no extra is installed: estimators are fitted all the
same, and the command says what it needs.  ``estimator_cases``, by which the tests make estimators,
lies beside this file.
"""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

import echelon
from echelon.datasets import load_grades
from echelon.report import summarize
from estimator_cases import ESTIMATORS, made

COMMAND = Path(sys.executable).with_name("echelon")


def fit_everything() -> int:
    """Fit every estimator to two classes, which all of them take."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    X[:, 0] += y
    for estimator in ESTIMATORS:
        fitted = made(estimator).fit(X, y)
        assert fitted.n_features_in_ == 4, estimator
    return len(ESTIMATORS)


def check_bare() -> None:
    """The command names the extra it needs, in one line."""
    done = subprocess.run([COMMAND, "--version"], check=False, capture_output=True, text=True)
    assert done.returncode == 2, done
    assert 'pip install "echelon[cli]"' in done.stderr, done
    assert done.stderr.count("\n") == 1, done


def said(*args: str) -> str:
    """What the command prints."""
    return subprocess.run([COMMAND, *args], check=True, capture_output=True, text=True).stdout


def write_report(path: Path) -> None:
    """A report on data that come along."""
    X, y = load_grades()
    report = summarize(X, y, echelon.OReliefF(), n_resamples=2, cv=2, random_state=0)
    path.write_text(report.to_html(), encoding="utf-8")
    assert "</html>" in report.to_html()
    assert report.to_markdown().startswith("#")


if __name__ == "__main__":
    assert Path(echelon.__file__).is_relative_to(sys.prefix), echelon.__file__
    assert version("echelon") == echelon.__version__
    assert not list(Path.cwd().iterdir()), "an empty folder is expected"
    print(f"{fit_everything()} estimators fitted")
    if sys.argv[1:] == ["bare"]:
        check_bare()
        sys.exit()
    assert said("--version") == f"echelon {echelon.__version__}\n"
    assert "Wrote echelon-demo/report.html" in said("demo", "--quiet")
    write_report(Path("report.html"))
    print("demo and report written")
