"""RReliefF, and SURF, SWRF and their kin, against fast-select, skrebate and Orange.

Prints the tables and (``--write``) keeps them in docs/benchmarks/relief_family.md.  echelon and
fast-select take turns in one process; the others, far slower, run once, each in its own, and with
``--slow FILE`` not again if that file has their seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from time import process_time, sleep

import numpy as np

from benchmarks.common import environment, note, publish, slopes

THREADS = 2
CAP = 300
"""Seconds after which a slow package is stopped and counted as slower than that."""

PAUSE = 0.1
"""Seconds between turns: threads that wait for more work after a fit are not to count as another's.
"""

LIMITS = """\
2000 x 100 has 2 x 10^8 terms |a - b| if every pair is visited once.  At two 512-bit operations a
cycle and 3 GHz, distances take at least 2 ms in 16-bit steps and 8 ms in single precision
(MultiSURF, for the deviations), and weighted differences 4 ms; the loops take 3, 9 and 6 ms.
ReliefF visits every pair from both sides: 5 ms.  The rest of a fit is spread out, and no part of
it is large: limits, masses and candidates of pairs some 10 ms, and 8 ms for reading, checking,
scaling and laying out the data and handing out tasks, which is why small data miss most.  At
5000 x 100 these loops take a quarter (ReliefF) to less than half of the time."""
"""What the machine allows, measured loop by loop."""

CASES = {"2000 x 100": (2000, 100), "5000 x 100": (5000, 100)}
PEERS = {
    "ReliefF": ("fast-select", "skrebate"),
    "SURF": ("fast-select", "skrebate"),
    "SURFStar": ("fast-select", "skrebate"),
    "MultiSURF": ("fast-select", "skrebate"),
    "MultiSURFStar": ("fast-select", "skrebate"),
    "SWRF": ("skrebate",),
    "SWRFStar": ("skrebate",),
    "MultiSWRF": ("skrebate",),
    "MultiSWRFStar": ("skrebate",),
    "RReliefF": ("Orange3", "sklearn-relief"),
}
SLOW = ("skrebate", "Orange3", "sklearn-relief")


def make_data(m: int, p: int, *, numbers: bool) -> tuple[np.ndarray, np.ndarray]:
    """Uniform features, single precision, two of them relevant; two classes, or numbers."""
    rng = np.random.default_rng(0)
    X = rng.random((m, p), dtype=np.float32)
    if numbers:
        return X, X[:, 0] * X[:, 1] + 0.1 * rng.random(m)
    y = rng.integers(0, 2, m)
    X[:, :2] += 0.3 * y[:, None].astype(np.float32)
    return X, y


def fitter(package: str, method: str):
    """A function that fits that package's method, exact, on ``THREADS`` threads."""
    if package == "echelon":
        import echelon

        return getattr(echelon, method)(n_jobs=THREADS).fit
    if package == "fast-select":
        import fast_select

        star = {"use_star": True} if method.endswith("Star") else {}
        selector = getattr(fast_select, method.removesuffix("Star"))
        return selector(n_features_to_select=10, backend="cpu", n_jobs=THREADS, **star).fit
    if package == "skrebate":
        import skrebate

        k = {"n_neighbors": 10} if method == "ReliefF" else {}
        selector = getattr(skrebate, method.replace("Star", "star"))
        return selector(n_features_to_select=10, n_jobs=1, **k).fit
    if package == "sklearn-relief":
        from sklearn_relief import RReliefF

        return lambda X, y: RReliefF(n_iterations=len(X), n_features=10, n_jobs=1).fit(X, y)
    from Orange.data import ContinuousVariable, Domain, Table
    from Orange.preprocess.score import RReliefF as Orange

    def fit(X, y):
        names = [ContinuousVariable(f"f{j}") for j in range(X.shape[1])]
        table = Table.from_numpy(Domain(names, ContinuousVariable("y")), X, y)
        return Orange(n_iterations=len(X), k_nearest=10)(table)

    return fit


def ready(package: str, method: str):
    """The same, after a first fit, in which code is compiled."""
    fit = fitter(package, method)
    fit(*make_data(300, 10, numbers=method == "RReliefF"))
    return fit


def cpu_seconds(function) -> float:
    """Processor time of a call, all threads together: other work on the machine hardly matters."""
    start = process_time()
    function()
    return process_time() - start


def turns(packages: list[str], method: str, case: str, rounds: int) -> dict[str, float | None]:
    """Best warm fit of packages that take turns in this process."""
    X, y = make_data(*CASES[case], numbers=method == "RReliefF")
    fits = {package: ready(package, method) for package in packages}
    times: dict[str, list[float]] = {package: [] for package in packages}
    for _ in range(rounds):
        for package, fit in fits.items():
            sleep(PAUSE)
            times[package].append(cpu_seconds(lambda fit=fit: fit(X, y)))
    return {package: min(found) for package, found in times.items()}


def apart(package: str, method: str, case: str) -> float | None:
    """One fit in a process of its own; None if that takes longer than ``CAP`` seconds."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.relief_family", "--worker"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (CAP, CAP))  # noqa: E731
    done = subprocess.run(
        [*command, package, method, case], capture_output=True, check=False, preexec_fn=limit
    )
    if done.returncode < 0:
        return None
    if done.returncode > 0:
        note(f"  failed: {done.stderr.decode().strip().splitlines()[-1:]}")
        return float("nan")
    return json.loads(done.stdout.splitlines()[-1])


def slow_seconds(known: Path | None, cases: list[str]) -> dict[str, float | None]:
    """Seconds of slow packages, those in a file from there; it is brought up to date."""
    seconds = json.loads(known.read_text()) if known and known.exists() else {}
    for case in cases:
        for method, peers in PEERS.items():
            for package in peers:
                key = f"{case} {method} {package}"
                if package in SLOW and key not in seconds:
                    note(key)
                    # What took too long on fewer rows is not tried on more.
                    before = seconds.get(f"2000 x 100 {method} {package}", 0.0)
                    seconds[key] = None if before is None else apart(package, method, case)
                    if known:
                        known.write_text(json.dumps(seconds, indent=1))
    return seconds


def compare(rounds: int, slow: dict[str, float | None]) -> list[str]:
    """Rows of the table."""
    rows = []
    for case in CASES:
        for method, peers in PEERS.items():
            note(f"{case}: {method}")
            fast = ["echelon", *(package for package in peers if package not in SLOW)]
            found = turns(fast, method, case, rounds)
            for package in (package for package in peers if package in SLOW):
                key = f"{case} {method} {package}"
                found |= {package: slow[key]} if key in slow else {}
            ours = found["echelon"]
            rows += [
                f"| {case} | {method} | {package} | {_cells(seconds, ours)} |"
                for package, seconds in found.items()
            ]
    return rows


def _cells(seconds: float | None, ours: float | None) -> str:
    if seconds is None:
        return f"> {CAP} | > {CAP / ours:.0f}" if ours else f"> {CAP} | "
    if np.isnan(seconds) or not ours:
        return "failed | "
    return f"{seconds:.3f} | {seconds / ours:.1f}"


def growth() -> str:
    """Exponents of time in rows and in features, of MultiSURF and RReliefF."""
    sentences = []
    for method in ("MultiSURF", "RReliefF"):
        fit = fitter("echelon", method)

        def seconds(m: int, p: int, fit=fit, numbers=method == "RReliefF") -> float:
            X, y = make_data(m, p, numbers=numbers)
            return min(cpu_seconds(lambda: fit(X, y)) for _ in range(3))

        rows, features = (2500, 5000, 10000), (100, 200, 400)
        by_rows, by_features = [seconds(m, 100) for m in rows], [seconds(5000, p) for p in features]
        sentences.append(
            f"{method}: time ~ rows^{slopes(rows, by_rows)} ({by_rows[0]:.2f} s at {rows[0]} x "
            f"100, {by_rows[-1]:.2f} s at {rows[-1]} x 100) and ~ features^"
            f"{slopes(features, by_features)} at 5000 rows."
        )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def missed(rows: list[str]) -> str:
    """Which ratios lie below those aimed at, in words."""
    aims = {"fast-select": 5.0, "skrebate": 100.0}
    below = []
    for row in rows:
        case, method, package, _, ratio = (cell.strip() for cell in row.strip("|").split("|"))
        if ratio and package in aims and float(ratio.lstrip("> ")) < aims[package]:
            below.append(f"{method} against {package} at {case} ({ratio})")
    return "; ".join(below) or "none"


def page(rows: list[str], grown: str) -> str:
    """The page kept in docs."""
    made = environment("fast-select", "Orange3", "skrebate", "sklearn-relief")
    return f"""# The Relief family: speed

Exact scores of all samples, float32 input, two classes (RReliefF: numbers); made by
`python -m benchmarks.relief_family --write` with {made}.

How to read it: seconds are processor time, all threads together, which other work on the machine
changes less than the time of day.  echelon and fast-select, {THREADS} threads each, take turns in
one process, after a first fit in which code is compiled, and the best of all rounds counts.
Between turns lies a tenth of a second: threads of fast-select wait for more work for some
milliseconds of processor time, which would count as echelon's.  The others, far slower, run once,
in one thread, and are stopped after {CAP} seconds (those stopped at 2000 rows are not tried at
5000; where a row lacks, it was not run).  z-scores and p-values, which the others do not have, are
found when they are read ([what they cost](evidence_cost.md)).  fast-select sums in single
precision; echelon sums float32 input in single precision over 64 features and 8 x 256 pairs, and in
double precision beyond.

| data | method | package | seconds | times echelon |
| --- | --- | --- | ---: | ---: |
{chr(10).join(rows)}

Aimed at: 5 times fast-select, 100 times skrebate.  Missed: {missed(rows)}.

Why: {LIMITS}

Growth:

{grown}
"""


def main() -> None:
    """Run the benchmark, or one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=3, metavar=("PACKAGE", "METHOD", "CASE"))
    parser.add_argument("--rounds", type=int, default=10, help="turns per package and case")
    parser.add_argument("--slow", type=Path, help="file that keeps the seconds of slow packages")
    parser.add_argument("--slow-only", action="store_true", help="measure those, and stop")
    parser.add_argument(
        "--slow-cases", nargs="*", choices=CASES, default=list(CASES), help="data they are run on"
    )
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks/relief_family.md"
    )
    arguments = parser.parse_args()
    if arguments.worker:
        package, method, case = arguments.worker
        print(json.dumps(turns([package], method, case, 1)[package]))
        return
    slow = slow_seconds(arguments.slow, arguments.slow_cases)
    if not arguments.slow_only:
        rounds = arguments.rounds
        publish("relief_family", lambda: page(compare(rounds, slow), growth()), arguments)


if __name__ == "__main__":
    main()
