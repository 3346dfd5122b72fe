"""ReliefF against fast-select, skrebate and Orange, and against the machine's own limit.

``make bench`` prints the tables and (``--write``) keeps them in docs/benchmarks/relieff.md.  Every
measurement is a process of its own (``benchmarks.relieff --worker``), so that first calls,
memory and caches are what they are; packages take turns, and the best of several rounds counts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.common import best_of, environment, note, publish, slopes

THREADS = 2
K = 10
CAP = 60
"""Seconds after which a run is stopped and counted as slower than that."""

CASES = {
    "1000 x 50": (1000, 50, None),
    "5000 x 100": (5000, 100, None),
    "20000 x 100": (20000, 100, None),
    "2000 x 2000": (2000, 2000, None),
    "20000 x 100, Likert": (20000, 100, 5),
}
PACKAGES = ("echelon", "fast-select", "Orange3", "skrebate")
SEARCHES = {
    "20000 x 10": (20_000, 10, None),
    "100000 x 5": (100_000, 5, None),
    "100000 x 10": (100_000, 10, None),
    "100000 x 20": (100_000, 20, None),
    "100000 x 20, Likert": (100_000, 20, 5),
    "20000 x 100": (20_000, 100, None),
}
SQUARE = "all pairs"
"""echelon without its search by leaves."""


def make_data(m: int, p: int, levels: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, uniform or with a few levels, single precision; two relevant features."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, m)
    X = rng.random((m, p), dtype=np.float32)
    X[:, :2] += 0.3 * y[:, None].astype(np.float32)
    if levels is not None:
        X = np.minimum((X * levels).astype(int), levels - 1).astype(np.float32)
    return X, y


def fitter(package: str):
    """A function that fits that package's ReliefF, exact, on ``THREADS`` threads."""
    if package in ("echelon", SQUARE):
        from echelon import ReliefF
        from echelon.engines import NumbaEngine

        engine = NumbaEngine(THREADS, search="pairs") if package == SQUARE else "auto"
        return lambda X, y: ReliefF(n_neighbors=K, n_jobs=THREADS, engine=engine).fit(X, y)
    if package == "fast-select":
        from fast_select import ReliefF as FastSelect

        return lambda X, y: FastSelect(n_neighbors=K, n_jobs=THREADS).fit(X, y)
    if package == "skrebate":
        from skrebate import ReliefF as Rebate

        return lambda X, y: Rebate(n_neighbors=K, n_jobs=THREADS).fit(X, y)
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess.score import ReliefF as Orange

    def fit(X, y):
        names = [ContinuousVariable(f"f{j}") for j in range(X.shape[1])]
        domain = Domain(names, DiscreteVariable("y", values=("0", "1")))
        table = Table.from_numpy(domain, X, y)
        return Orange(n_iterations=len(X), k_nearest=K)(table)

    return fit


def work(package: str, case: str, repeats: int) -> dict[str, Any]:
    """Measure in this process: first fit, best warm fit, memory beyond the input, scores."""
    fit = fitter(package)
    shape = (CASES | SEARCHES)[case]
    X, y = make_data(*shape)
    start = perf_counter()
    small = make_data(100, 5, shape[2])
    fit(*small)
    first = perf_counter() - start
    start = perf_counter()
    fit(*small)
    first -= perf_counter() - start
    before = _peak_mb()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        fitted = fit(X, y)
        times.append(perf_counter() - start)
        if times[-1] > CAP / 6:
            break
    scores = getattr(fitted, "scores_", np.empty(0)).tolist()
    return {"first": first, "warm": min(times), "memory": _peak_mb() - before, "scores": scores}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(package: str, case: str, repeats: int = 3, cache: str | None = None) -> dict | None:
    """The same in a fresh process; None if it takes longer than ``CAP`` seconds."""
    env = dict(os.environ, NUMBA_NUM_THREADS=str(THREADS), OMP_NUM_THREADS=str(THREADS))
    if cache is not None:
        env["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.relieff", "--worker"]
    command += [package, case, str(repeats)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, timeout=CAP, check=True)
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        note(f"{package} failed on {case}: {error.stderr.decode().strip().splitlines()[-1:]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compare(rounds: int) -> dict[str, dict[str, dict | None]]:
    """Best warm time and memory of every package in every case, taking turns."""
    results: dict[str, dict[str, dict | None]] = {}
    for case in CASES:
        results[case] = {}
        for turn in range(rounds):
            for package in PACKAGES:
                if turn and package in ("Orange3", "skrebate"):
                    continue  # their ratios are far from needing a second opinion
                fast = package in ("echelon", "fast-select")
                note(f"{case}: {package}")
                found = run(package, case, repeats=3 if fast else 1)
                kept = results[case].get(package)
                if kept is None or (found and found["warm"] < kept["warm"]):
                    results[case][package] = found
    return results


def searches(rounds: int) -> list[str]:
    """Whole fits with fewer pairs beside fits with all of them: time, memory, difference."""
    lines = []
    for case in SEARCHES:
        note(f"fewer pairs: {case}")
        turns = [[run(package, case) for package in (SQUARE, "echelon")] for _ in range(rounds)]
        best = [min(found, key=lambda each: each["warm"]) for found in zip(*turns, strict=True)]
        square, ours = best
        apart = np.abs(np.subtract(square["scores"], ours["scores"])).max()
        lines.append(
            f"| {case} | {square['warm']:.3f} | {ours['warm']:.3f} "
            f"| {square['warm'] / ours['warm']:.1f} | {square['memory']:.0f} "
            f"| {ours['memory']:.0f} | {apart:.0e} |"
        )
    return lines


def first_calls() -> list[tuple[str, float, float]]:
    """First fit less a warm fit, with an empty and with a filled disk cache."""
    rows = []
    for package in ("echelon", "fast-select"):
        with tempfile.TemporaryDirectory() as cache:
            note(f"first call: {package}")
            cold = run(package, "1000 x 50", 1, cache)
            warm = run(package, "1000 x 50", 1, cache)
        rows.append((package, cold["first"], warm["first"]))
    return rows


def growth() -> str:
    """Exponents of time in rows and in features."""
    from echelon import ReliefF

    def seconds(m: int, p: int) -> float:
        X, y = make_data(m, p, None)
        return best_of(3, lambda: ReliefF(n_neighbors=K, n_jobs=THREADS).fit(X, y))

    rows, features = (2500, 5000, 10000, 20000, 40000), (50, 100, 200, 400, 800)
    by_rows = [seconds(m, 100) for m in rows]
    by_features = [seconds(5000, p) for p in features]
    lines = [f"{m} x 100: {t:.3f} s" for m, t in zip(rows, by_rows, strict=True)]
    lines += [f"5000 x {p}: {t:.3f} s" for p, t in zip(features, by_features, strict=True)]
    return (
        f"Growth: time ~ rows^{slopes(rows, by_rows)} and ~ features^"
        f"{slopes(features, by_features)}: {'; '.join(lines)}."
    )


def report(rounds: int) -> str:
    """All tables, as Markdown."""
    from benchmarks.limit import absolute_difference_rate, maximum_rate

    limit, own_limit = absolute_difference_rate(THREADS), maximum_rate(THREADS)
    # Three short fits would not be worth compiling; kept code is what a second process finds.
    subprocess.run([sys.executable, "-m", "echelon", "warm-up"], check=True, capture_output=True)
    results = compare(rounds)
    limit = max(limit, absolute_difference_rate(THREADS))
    own_limit = max(own_limit, maximum_rate(THREADS))
    lines = [
        "| data (float32, two classes) | package | seconds | G terms/s | share of limit "
        "| times echelon | memory beyond input, MB |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case, by_package in results.items():
        m, p, _ = CASES[case]
        ours = by_package["echelon"]["warm"]
        for package in PACKAGES:
            found = by_package[package]
            if found is None:
                lines.append(f"| {case} | {package} | > {CAP} | | | > {CAP / ours:.0f} | |")
                continue
            rate = m * m * p / found["warm"]
            lines.append(
                f"| {case} | {package} | {found['warm']:.3f} | {rate / 1e9:.1f} "
                f"| {rate / limit:.0%} | {found['warm'] / ours:.1f} | {found['memory']:.0f} |"
            )
    first = [f"| {package} | {cold:.1f} | {warm:.2f} |" for package, cold, warm in first_calls()]
    return "\n".join(
        [
            f"Limit, |a - b| summed in float32 from the first-level cache: {limit / 1e9:.0f} G "
            f"terms a second; echelon's bare loop (see `engines/numba/_tiles.py`): "
            f"{own_limit / 1e9:.0f} G.  A share above 100 % means fewer operations per "
            "term than the textbook needs.",
            "",
            *lines,
            "",
            "Seconds the first fit of a process takes more than the second:",
            "",
            "| package | empty disk cache | filled disk cache |",
            "| --- | ---: | ---: |",
            *first,
            "",
            "Fewer pairs, whole fits; what a search by leaves can save is on [a page of its "
            "own](search.md):",
            "",
            "| data | all pairs, s | as it is, s | ratio | memory of all pairs, MB | as it is, MB "
            "| scores differ by at most |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *searches(rounds),
            "",
            growth(),
        ]
    )


def page(tables: str) -> str:
    """The page kept in docs."""
    return f"""# ReliefF: speed and memory

Exact ReliefF, k = {K}, {THREADS} threads, best of several runs; made by `make bench` with
{environment("fast-select", "Orange3", "skrebate")}.

How to read it: echelon and fast-select take turns, three rounds of up to three fits each, the best
counts; Orange and skrebate, far slower, run once.  Fits of echelon find compiled code on disk;
z-scores and p-values, which the others do not have, come when they are read
([what they cost](evidence_cost.md)).  On Likert data the rows are **not** the same work:
fast-select and skrebate treat columns of up to ten distinct values as nominal (their defaults),
echelon as numbers.

{tables}
"""


def main() -> None:
    """Run the benchmark, or one measurement of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=3, metavar=("PACKAGE", "CASE", "REPEATS"))
    parser.add_argument("--rounds", type=int, default=3, help="turns per package and case")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/relieff.md")
    arguments = parser.parse_args()
    if arguments.worker:
        package, case, repeats = arguments.worker
        print(json.dumps(work(package, case, int(repeats))))
        return
    publish("relieff", lambda: page(report(arguments.rounds)), arguments)


if __name__ == "__main__":
    main()
