"""First use: what every estimator costs in a new process, with and without compiled code on disk.

Every figure comes from a process of its own.  "Cold" means an empty cache of compiled code, as in
a new container; "warm" a cache that a process before has filled.  Times are those of the processor,
all threads together, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common import environment, note, publish

ROWS, FEATURES = 500, 10
TABLE = 1000, 50
SOURCE = Path(__file__).parent.parent / "src"
COMMAND = "echelon rank"

MADE = {
    "ConsensusSelector": "ConsensusSelector([echelon.ReliefF(), echelon.CFS()])",
    "CurveSelector": "CurveSelector(echelon.ReliefF(), KNeighborsClassifier(1))",
    "OrdinalDecomposition": "OrdinalDecomposition(KNeighborsClassifier())",
}
"""Estimators that cannot do without another one."""

DATA = f"""
import json
from time import process_time
import numpy as np
rng = np.random.default_rng(0)
y = rng.integers(0, 3, {ROWS})
X = rng.normal(size=({ROWS}, {FEATURES}))
X[:, 0] += y
X[:, 1] -= y
def seconds(fit):
    start = process_time()
    fit()
    return process_time() - start
"""

FIT = """
import echelon
from sklearn.neighbors import KNeighborsClassifier
echelon.{name}
if "Interval" in "{name}":
    X = np.sort(X.reshape(len(X), -1, 2))
first, *later = (seconds(lambda: echelon.{made}.fit(X, y)) for _ in range(4))
print(json.dumps([first, min(later)]))
"""

PEERS = {
    "fast-select": "from fast_select import ReliefF",
    "skrebate": "from skrebate import ReliefF",
}

PEER = """
make = lambda: ReliefF(n_features_to_select={features} // 2, n_neighbors=10)
first, *later = (seconds(lambda: make().fit(X, y)) for _ in range(4))
print(json.dumps([first, min(later)]))
"""

IMPORTS = {
    "nothing": "pass",
    "`import pandas`": "import pandas",
    "`import sklearn.base, sklearn.feature_selection`": (
        "import sklearn.base, sklearn.feature_selection"
    ),
    "`import numba`": "import numba",
    "`import echelon`": "import echelon",
    "`import echelon; echelon.ReliefF`": "import echelon; echelon.ReliefF",
    "`import echelon; echelon.AutoSelector`": "import echelon; echelon.AutoSelector",
}


def run(
    source: Path, cache: str, code: list[str], python: str = sys.executable
) -> tuple[str, float]:
    """What a new process prints, and its seconds."""
    environ = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": cache}
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run([python, *code], env=environ, capture_output=True, text=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, used


def fits(source: Path, name: str) -> dict[str, float]:
    """One estimator: with an empty cache, and with the one this filled."""
    code = DATA + FIT.format(name=name, made=MADE.get(name, f"{name}()"))
    with tempfile.TemporaryDirectory() as cache:
        (cold, _), (warm, again) = (json.loads(run(source, cache, ["-c", code])[0]) for _ in "ab")
    note(f"{name:24} cold {cold:6.2f}  warm {warm:6.2f}  again {again:7.3f}")
    return {"cold": cold, "warm": warm, "again": again}


def command(source: Path) -> dict[str, float]:
    """``echelon rank`` on a file, the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        file = _write_table(Path(folder))
        code = ["-m", "echelon", "rank", str(file), "-t", "grade", "--quiet"]
        cold, warm = (run(source, f"{folder}/cache", code)[1] for _ in "ab")
    note(f"{COMMAND:24} cold {cold:6.2f}  warm {warm:6.2f}")
    return {"cold": cold, "warm": warm}


def _write_table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=TABLE), columns=[f"x{f}" for f in range(TABLE[1])])
    frame["grade"] = np.digitize(frame["x0"] - frame["x1"] + rng.normal(size=TABLE[0]), [-1, 1])
    frame.to_csv(folder / "grades.csv", index=False)
    return folder / "grades.csv"


def imports(source: Path) -> dict[str, float]:
    """Seconds of a new process that only imports, the best of three."""
    return {
        name: min(run(source, tempfile.gettempdir(), ["-c", line])[1] for _ in range(3))
        for name, line in IMPORTS.items()
    }


def peers(python: str) -> dict[str, dict[str, float]]:
    """ReliefF of other packages, where they are installed."""
    found = {}
    for name, line in PEERS.items():
        code = DATA + line + PEER.format(features=FEATURES)
        try:
            with tempfile.TemporaryDirectory() as cache:
                both = [json.loads(run(SOURCE, cache, ["-c", code], python)[0]) for _ in "ab"]
        except subprocess.CalledProcessError:
            note(f"{name} is not installed here, or does not run")
            continue
        found[name] = {"cold": both[0][0], "warm": both[1][0], "again": both[1][1]}
    return found


def estimators(source: Path) -> list[str]:
    """Public names that are estimators."""
    code = (
        "import echelon; from sklearn.base import BaseEstimator\n"
        "kinds = {n: getattr(echelon, n) for n in echelon.__all__}\n"
        "kinds = {n: kind for n, kind in kinds.items() if isinstance(kind, type)}\n"
        "print(*(n for n, kind in kinds.items() if issubclass(kind, BaseEstimator)))"
    )
    return run(source, tempfile.gettempdir(), ["-c", code])[0].split()


def measure(source: Path, only: list[str], kept: Path | None) -> dict[str, Any]:
    """All figures of one version of the package; those in the file are not measured again."""
    found = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    for name in only or [*estimators(source), COMMAND, "imports"]:
        if name in found:
            continue
        special = {COMMAND: command, "imports": imports}
        found[name] = special[name](source) if name in special else fits(source, name)
        if kept is not None:
            kept.write_text(json.dumps(found, indent=1))
    return found


def table(now: dict[str, Any], before: dict[str, Any], others: dict[str, Any]) -> str:
    """A line per estimator, the dearest before first."""
    lines = []
    names = [name for name in now if name != "imports"]
    for name in sorted(names, key=lambda name: -before.get(name, now[name])["cold"]):
        label = f"`{COMMAND}`, {TABLE[0]:,} x {TABLE[1]}" if name == COMMAND else name
        columns = [
            _cell(figures.get(name, {}), column)
            for column in ("cold", "warm", "again")
            for figures in (before, now)
        ]
        lines.append(f"| {label} | {' | '.join(columns)} |")
    for name, figures in others.items():
        columns = [_cell(figures, column) for column in ("cold", "warm", "again")]
        lines.append(f"| ReliefF of {name} | | {' | | '.join(columns)} |")
    return "\n".join(lines)


def _cell(figures: dict[str, float], column: str) -> str:
    if column not in figures:
        return ""
    return f"{figures[column]:.3f}" if figures[column] < 0.1 else f"{figures[column]:.2f}"


def page(now: dict[str, Any], before: dict[str, Any], others: dict[str, Any]) -> str:
    """The page kept in docs."""
    new, old = now.get("imports", {}), before.get("imports", {})
    rows = (f"| {name} | {_cell(old, name)} | {_cell(new, name)} |" for name in IMPORTS)
    newline = "\n"
    return f"""# First use

What a new process costs, on {ROWS} rows, {FEATURES} columns and three classes, default parameters;
made by `python -m benchmarks.first_use --write --before FOLDER --peers PYTHON`, where the folder is
`src` of version 0.2.0 and the Python one that has the other packages, with
{environment("scikit-learn", "scipy")}.

Seconds of the processor, all threads together, so that other work on the machine does not count.
*Cold*: the first `fit` with an empty cache of compiled code, as in a new container or a CI job.
*Warm*: the first `fit` of a process that finds the cache of another.  *Again*: the best of three
more in the same process.  Of `echelon rank` the whole process is counted, imports included.  An
empty cell was not there then, or not measured.  *Cold* and *warm* contain the import of numba
(0.5 s) where a loop is compiled.  In 0.2.0 small loops were run by Python until they had had a
second's worth of steps; now the size of the input decides alone, so that the numbers of a fit never
depend on what was compiled before.

| | cold, before | now | warm, before | now | again, before | now |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
{table(now, before, others)}

Seconds of a process that only imports; `echelon.ReliefF` needs what scikit-learn needs, no more.
`sklearn.base` itself imports pandas and `scipy.stats`, which is most of it:

| | before | now |
| --- | ---: | ---: |
{newline.join(rows)}

How it works is told in [the page on large data](../scale.md#first-use): small work is done by array
operations, other loops are compiled at their first call, and `echelon warm-up` compiles all of
them ahead.
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/first_use.md")
    parser.add_argument("--before", type=Path, help="folder `src` of an earlier version")
    parser.add_argument("--keep", type=Path, help="folder for figures, to go on after a stop")
    parser.add_argument("--peers", default=sys.executable, help="Python that has other packages")
    parser.add_argument("only", nargs="*", help="estimators; all by default")
    arguments = parser.parse_args()
    kept = {name: arguments.keep and arguments.keep / f"{name}.json" for name in ("before", "now")}
    now = measure(SOURCE, arguments.only, kept["now"])
    before = {}
    if arguments.before:
        before = measure(arguments.before, arguments.only, kept["before"])
    if not arguments.only:
        publish("first_use", lambda: page(now, before, peers(arguments.peers)), arguments)


if __name__ == "__main__":
    main()
