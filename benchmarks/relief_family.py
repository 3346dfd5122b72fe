"""RReliefF, SURF, SURF*, MultiSURF and MultiSURF* against fast-select, skrebate and Orange.

Prints the tables and (``--write``) keeps them in docs/benchmarks/relief_family.md.  Every
measurement is a process of its own; packages take turns, and the best of several rounds counts.
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
CAP = 40
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


def work(package: str, method: str, case: str, repeats: int) -> float:
    """Best warm fit in this process."""
    fit = fitter(package, method)
    numbers = method == "RReliefF"
    fit(*make_data(300, 10, numbers=numbers))
    X, y = make_data(*CASES[case], numbers=numbers)
    return best_of(repeats, lambda: fit(X, y))


def run(package: str, method: str, case: str, repeats: int) -> float | None:
    """The same in a fresh process; None if it takes longer than ``CAP`` seconds, or fails."""
    env = dict(os.environ, NUMBA_NUM_THREADS=str(THREADS), OMP_NUM_THREADS=str(THREADS))
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.relief_family", "--worker"]
    command += [package, method, case, str(repeats)]
    note(f"{case}: {method} of {package}")
    try:
        done = subprocess.run(command, env=env, capture_output=True, timeout=CAP, check=True)
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        note(f"  failed: {error.stderr.decode().strip().splitlines()[-1:]}")
        return float("nan")
    return json.loads(done.stdout.splitlines()[-1])


def compare(rounds: int) -> list[str]:
    """Rows of the table."""
    rows = []
    for case in CASES:
        for method, peers in PEERS.items():
            best: dict[str, float | None] = {}
            for turn in range(rounds):
                for package in ("echelon", *peers):
                    if turn and package in SLOW:
                        continue
                    found = run(package, method, case, 1 if package in SLOW else 5)
                    kept = best.get(package)
                    best[package] = found if kept is None else min(kept, found or np.inf)
            ours = best["echelon"]
            rows += [
                f"| {case} | {method} | {package} | {_cells(best[package], ours)} |"
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

        rows, features = (2500, 5000, 10000, 20000), (50, 100, 200, 400)
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

How to read it: echelon and fast-select take turns, the best of all rounds counts; the others, far
slower, run once and are stopped after {CAP} seconds.  echelon's times include z-scores and
p-values, which the others do not have.  fast-select sums in single precision; echelon sums float32
input in single precision over 64 features and 8 x 256 pairs, and in double precision beyond.

| data | method | package | seconds | times echelon |
| --- | --- | --- | ---: | ---: |
{chr(10).join(rows)}

Growth:

{grown}
"""


def main() -> None:
    """Run the benchmark, or one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=4, metavar=("PACKAGE", "METHOD", "CASE", "REPEATS"))
    parser.add_argument("--rounds", type=int, default=3, help="turns per package and case")
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks/relief_family.md"
    )
    arguments = parser.parse_args()
    if arguments.worker:
        package, method, case, repeats = arguments.worker
        print(json.dumps(work(package, method, case, int(repeats))))
        return
    publish("relief_family", lambda: page(compare(arguments.rounds), growth()), arguments)


if __name__ == "__main__":
    main()
