"""The same answer in odd places: one core, no home, plain C, odd paths, -O, warnings as errors.

`make test-places` runs whole rooms of tests in such places; these are the ones that take seconds.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import echelon

# Warnings of other packages at import are theirs to mend; from there on any warning ends the run.
PROGRAM = """
import json, sys, warnings
from pathlib import Path
import matplotlib.pyplot, numpy as np, pandas as pd, sklearn.ensemble
warnings.simplefilter("error")
import echelon
from echelon import ForwardLinear, OReliefF, RankCorrelation
from echelon.report import summarize
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(60, 4)), columns=["größe", "b c", "d", "e"])
y = pd.Series(np.digitize(X["d"], [-0.5, 0.5]), name="note")
fitted = [each.fit(X, y) for each in (OReliefF(), RankCorrelation(), ForwardLinear(random_state=0))]
report = summarize(X, y, fitted[0], n_resamples=2, cv=2, random_state=0)
page = Path("größe seite.html" if sys.getfilesystemencoding() == "utf-8" else "page.html")
page.write_text(report.to_html(), encoding="utf-8")
assert page.read_text(encoding="utf-8").rstrip().endswith("</html>"), "this must hold without -O"
print(json.dumps([[round(score, 9) for score in each.scores_.tolist()] for each in fitted]))
print(json.dumps(report.summary()["answer"]["keep"]))
"""

PLACES = {
    "one core": {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "no home": {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""},
    "plain C": {
        "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "",
    },
    "optimised": {"PYTHONOPTIMIZE": "1"},
}  # fmt: skip


def answer(folder, **env):
    """What the program prints in a place."""
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What the program prints here."""
    threads = {"NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}  # another place: "one core"
    scores, keep = map(json.loads, answer(tmp_path_factory.mktemp("here"), **threads).splitlines())
    assert len(scores) == 3
    assert "d" in keep
    return json.dumps(scores) + "\n" + json.dumps(keep) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_the_answer_does_not_depend_on_the_place(tmp_path, usual, place):
    assert answer(tmp_path, **PLACES[place]) == usual


@pytest.fixture
def odd_copy(tmp_path):
    """The package, without what was compiled, in a folder with blanks and letters beyond ASCII."""
    folder = tmp_path / "mein Ordner ßé 日本"
    source = Path(echelon.__file__).parent
    shutil.copytree(source, folder / "echelon", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.slow
def test_the_answer_does_not_depend_on_the_path(odd_copy, usual):
    assert answer(odd_copy, PYTHONPATH=str(odd_copy)) == usual


KERNEL = """
import numpy as np
from echelon.kernels import accumulate
print(accumulate.__file__)
counts, distances = np.array([2]), np.array([0.0, 1.0])
accumulate.within_kth(counts, distances, 1, 1e-9)
"""


@pytest.mark.slow
def test_compiled_code_is_kept_in_an_odd_path(odd_copy):
    env = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", KERNEL],
        env={**env, "PYTHONPATH": str(odd_copy)}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(odd_copy) in done.stdout.decode()
    assert list(odd_copy.glob("echelon/kernels/__pycache__/accumulate.within_kth*.nbc"))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["no home", "plain C", "optimised"])
def test_the_command_in_odd_places(tmp_path, place):
    """A terminal that cannot show a letter gets a "?", and files have all of it."""
    rows = "".join(f"{i * i % 17},{i % 5},{i % 3}\n" for i in range(40))
    (tmp_path / "data.csv").write_text("größe,b c,note\n" + rows, encoding="utf-8")
    command = [sys.executable, "-m", "echelon", "rank", "data.csv", "-t", "note", "--unordered"]
    done = subprocess.run(
        [*command, "-m", "relieff", "-o", "out.csv"],
        cwd=tmp_path, env={**os.environ, **PLACES[place]}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "größe" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    shown = b"gr??e" if place == "plain C" else "größe".encode()
    assert shown in done.stdout
