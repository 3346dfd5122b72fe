"""First use: what every estimator costs in a new process, with and without compiled code on disk.

Each figure comes from a process of its own.  "Cold" means an empty cache of compiled code, as in
a new container; "warm" a cache that an earlier process filled.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.common import note

ROWS, FEATURES = 500, 10
SOURCE = Path(__file__).parent.parent / "src"

MADE = {
    "ConsensusSelector": "ConsensusSelector([echelon.ReliefF(), echelon.CFS()])",
    "CurveSelector": "CurveSelector(echelon.ReliefF(), KNeighborsClassifier(1))",
    "OrdinalDecomposition": "OrdinalDecomposition(KNeighborsClassifier())",
}
"""Estimators that cannot do without another one."""

CHILD = """
import json, sys
from time import perf_counter, process_time
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
start = perf_counter()
import echelon
echelon.{name}
imported = perf_counter()
rng = np.random.default_rng(0)
y = rng.integers(0, 3, {rows})
X = rng.normal(size=({rows}, {features}))
X[:, 0] += y
X[:, 1] -= y
if "Interval" in "{name}":
    X = np.sort(X.reshape({rows}, {features} // 2, 2))
times, used = [], []
for _ in range(3):
    begin, busy = perf_counter(), process_time()
    echelon.{made}.fit(X, y)
    times.append(perf_counter() - begin)
    used.append(process_time() - busy)
compiled = {{}}
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("echelon"):
        for value in list(vars(module).values()):
            value = getattr(value, "__dict__", {{}}).get("dispatcher", value)
            if hasattr(value, "overloads") and value.stats.cache_misses:
                name = value.py_func.__module__ + "." + value.py_func.__name__
                compiled[name] = sum(
                    made.metadata.get("timers", {{}}).get("compiler_lock", 0.0)
                    for made in value.overloads.values() if made.metadata)
print(json.dumps({{"import": imported - start, "first": times[0], "again": min(times[1:]),
                   "cpu": used[0], "cpu_again": min(used[1:]),
                   "compiled": compiled}}))
"""

COMMAND = "echelon rank"


def run(source: Path, cache: str, code: list[str]) -> tuple[str, float]:
    """What a new process prints, and its seconds from start to end."""
    environ = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": cache}
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, *code], env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout, perf_counter() - start


def fits(source: Path, name: str) -> dict[str, Any]:
    """One estimator: with an empty cache, then with the cache this filled."""
    made = MADE.get(name, f"{name}()")
    code = CHILD.format(name=name, made=made, rows=ROWS, features=FEATURES)
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (json.loads(run(source, cache, ["-c", code])[0]) for _ in range(2))
    functions = sorted(cold["compiled"].items(), key=lambda item: -item[1])
    note(f"{name:24} cold {cold['first']:6.2f} ({cold['cpu']:.2f})  warm {warm['first']:6.2f}  again "
         f"{warm['again']:6.3f}  import {warm['import']:.2f}  compiled {len(functions)}: "
         + ", ".join(f"{f.removeprefix('echelon.')} {s:.1f}" for f, s in functions[:6]))  # fmt: skip
    return {"cold": cold["first"], "warm": warm["first"], "again": warm["again"],
            "cpu": cold["cpu"], "cpu_again": warm["cpu_again"],
            "import": warm["import"], "compiled": functions}  # fmt: skip


def command(source: Path) -> dict[str, Any]:
    """``echelon rank`` on a file, the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        file = _write_table(Path(folder))
        code = ["-m", "echelon", "rank", str(file), "-t", "grade", "--quiet"]
        cache = f"{folder}/cache"
        cold, warm = (run(source, cache, code)[1] for _ in range(2))
    note(f"{COMMAND:24} cold {cold:6.2f}  warm {warm:6.2f}")
    return {"cold": cold, "warm": warm}


def _write_table(folder: Path) -> Path:
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(1000, 50)), columns=[f"x{f}" for f in range(50)])
    frame["grade"] = np.digitize(frame["x0"] - frame["x1"] + rng.normal(size=1000), [-1, 1])
    frame.to_csv(folder / "grades.csv", index=False)
    return folder / "grades.csv"


def imports(source: Path) -> dict[str, float]:
    """Seconds of imports in a new process, the best of five."""
    lines = {
        "python": "pass",
        "import echelon": "import echelon",
        "echelon.ReliefF": "import echelon; echelon.ReliefF",
        "echelon.AutoSelector": "import echelon; echelon.AutoSelector",
        "sklearn.neighbors (for comparison)": "import sklearn.neighbors",
    }
    return {
        name: min(run(source, tempfile.gettempdir(), ["-c", line])[1] for _ in range(5))
        for name, line in lines.items()
    }


def peers(rows: int, features: int) -> dict[str, tuple[float, float]]:
    """First and later fit of other packages' ReliefF, where they are installed."""
    made = {
        "fast-select": "from fast_select import ReliefF; make = lambda: ReliefF(n_neighbors=10)",
        "skrebate": "from skrebate import ReliefF; make = lambda: ReliefF(n_neighbors=10)",
    }
    code = (
        "\nimport json\nfrom time import perf_counter\nimport numpy as np\n"
        f"X = np.random.default_rng(0).normal(size=({rows}, {features}))\n"
        "y = (X[:, 0] > 0).astype(int)\ntimes = []\n"
        "for _ in range(3):\n    begin = perf_counter(); make().fit(X, y)\n"
        "    times.append(perf_counter() - begin)\nprint(json.dumps([times[0], min(times[1:])]))"
    )
    found = {}
    for name, line in made.items():
        with tempfile.TemporaryDirectory() as cache:
            try:
                found[name] = tuple(json.loads(run(SOURCE, cache, ["-c", line + code])[0]))
            except subprocess.CalledProcessError:
                note(f"{name} does not run here")
    return found


def estimators(source: Path) -> list[str]:
    """Public names that are estimators."""
    code = ("import echelon, sklearn.base as b; print(*[n for n in echelon.__all__ if "
            "isinstance(getattr(echelon, n), type) and issubclass(getattr(echelon, n), "
            "b.BaseEstimator)])")  # fmt: skip
    return run(source, tempfile.gettempdir(), ["-c", code])[0].split()


def measure(source: Path, only: list[str]) -> dict[str, Any]:
    """All figures of one version of the package."""
    names = only or [*estimators(source), COMMAND]
    figures: dict[str, Any] = {
        name: command(source) if name == COMMAND else fits(source, name) for name in names
    }
    return {"fits": figures, "imports": {} if only else imports(source)}


def page(now: dict[str, Any], before: dict[str, Any], others: dict) -> str:
    """The page kept in docs."""
    raise NotImplementedError


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/first_use.md")
    parser.add_argument("--source", type=Path, default=SOURCE, help="folder `src` to measure")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("only", nargs="*", help="estimators; all by default")
    arguments = parser.parse_args()
    found = measure(arguments.source, arguments.only)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
