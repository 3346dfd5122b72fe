"""RReliefF, SURF, SURF*, MultiSURF and MultiSURF* against fast-select, skrebate and Orange.

Prints the tables and (``--write``) keeps them in docs/benchmarks/relief_family.md.  echelon and
fast-select take turns in one process; the others, far slower, run once, each in its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

import numpy as np

from benchmarks.common import best_of, environment, note, publish, slopes

THREADS = 2
CAP = 30
"""Seconds after which a run is stopped and counted as slower than that."""

CASES = {"2000 x 100": (2000, 100), "5000 x 100": (5000, 100)}
PEERS = {
    "ReliefF": ("fast-select", "skrebate"),
    "SURF": ("fast-select", "skrebate"),
    "SURFStar": ("fast-select", "skrebate"),
    "MultiSURF": ("fast-select", "skrebate"),
    "MultiSURFStar": ("fast-select", "skrebate"),
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
        return selector(n_features_to_select=10, n_jobs=THREADS, **k).fit
    if package == "sklearn-relief":
        from sklearn_relief import RReliefF

        return lambda X, y: RReliefF(n_iterations=len(X), n_features=10, n_jobs=THREADS).fit(X, y)
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


def turns(packages: list[str], method: str, case: str, rounds: int) -> dict[str, float | None]:
    """Best warm fit of packages that take turns in this process."""
    X, y = make_data(*CASES[case], numbers=method == "RReliefF")
    fits = {package: ready(package, method) for package in packages}
    times: dict[str, list[float]] = {package: [] for package in packages}
    for _ in range(rounds):
        for package, fit in fits.items():
            times[package].append(best_of(1, lambda fit=fit: fit(X, y)))
    return {package: min(found) for package, found in times.items()}


def apart(package: str, method: str, case: str) -> float | None:
    """One fit in a process of its own; None if that takes longer than ``CAP`` seconds."""
    env = dict(os.environ, NUMBA_NUM_THREADS=str(THREADS), OMP_NUM_THREADS=str(THREADS))
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.relief_family", "--worker"]
    try:
        done = subprocess.run(
            [*command, package, method, case], env=env, capture_output=True, timeout=CAP, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        note(f"  failed: {error.stderr.decode().strip().splitlines()[-1:]}")
        return float("nan")
    return json.loads(done.stdout.splitlines()[-1])


def compare(rounds: int) -> list[str]:
    """Rows of the table."""
    rows = []
    too_slow: set[tuple[str, str]] = set()
    for case in CASES:
        for method, peers in PEERS.items():
            note(f"{case}: {method}")
            fast = ["echelon", *(package for package in peers if package not in SLOW)]
            found = turns(fast, method, case, rounds)
            for package in (package for package in peers if package in SLOW):
                # What took too long on fewer rows is not tried on more.
                skip = (package, method) in too_slow
                found[package] = None if skip else apart(package, method, case)
                if found[package] is None:
                    too_slow.add((package, method))
            ours = found["echelon"]
            rows += [
                f"| {case} | {method} | {package} | {_cells(found[package], ours)} |"
                for package in ("echelon", *peers)
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
            return best_of(3, lambda: fit(X, y))

        rows, features = (2500, 5000, 10000), (100, 200, 400)
        by_rows, by_features = [seconds(m, 100) for m in rows], [seconds(5000, p) for p in features]
        sentences.append(
            f"{method}: time ~ rows^{slopes(rows, by_rows)} ({by_rows[0]:.2f} s at {rows[0]} x "
            f"100, {by_rows[-1]:.2f} s at {rows[-1]} x 100) and ~ features^"
            f"{slopes(features, by_features)} at 5000 rows."
        )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def page(rows: list[str], grown: str) -> str:
    """The page kept in docs."""
    made = environment("fast-select", "Orange3", "skrebate", "sklearn-relief")
    return f"""# The Relief family: speed

Exact scores of all samples, {THREADS} threads, float32 input, two classes (RReliefF: numbers), best
of several runs; made by `python -m benchmarks.relief_family --write` with {made}.

How to read it: echelon and fast-select take turns in one process, after a first fit in which code
is compiled, and the best of all rounds counts; the others, far slower, run once and are stopped
after {CAP} seconds (those stopped at 2000 rows are not tried at 5000).  echelon's times include
z-scores and p-values, which the others do not have.  fast-select sums in single precision; echelon
sums float32 input in single precision over 64 features and 8 x 256 pairs, and in double precision
beyond.

| data | method | package | seconds | times echelon |
| --- | --- | --- | ---: | ---: |
{chr(10).join(rows)}

Growth:

{grown}
"""


def main() -> None:
    """Run the benchmark, or one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=3, metavar=("PACKAGE", "METHOD", "CASE"))
    parser.add_argument("--rounds", type=int, default=10, help="turns per package and case")
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks/relief_family.md"
    )
    arguments = parser.parse_args()
    if arguments.worker:
        package, method, case = arguments.worker
        print(json.dumps(turns([package], method, case, 1)[package]))
        return
    publish("relief_family", lambda: page(compare(arguments.rounds), growth()), arguments)


if __name__ == "__main__":
    main()
