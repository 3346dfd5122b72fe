"""IntervalRelief: prototypes against nearest neighbours, and against the memory of the machine.

The bandwidth is measured in the same run, by adding up the very same array on as many threads.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from benchmarks.common import best_of, environment, note, publish, slopes
from echelon import IntervalRelief
from echelon.engines import NumbaEngine
from echelon.intervals import read_intervals
from echelon.intervals._intervals import Scale, mean_intervals
from echelon.intervals._relief import prototype_weights

THREADS = 2
FEATURES, CLASSES = 50, 5
DISTANCES = ("l1", "l2", "linf")


def make_data(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform intervals; one feature in ten shifts with the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n_rows)
    X = rng.random((n_rows, FEATURES, 2))
    X[:, :, 1] += X[:, :, 0]
    X[:, ::10] += 0.3 * y[:, None, None]
    return X, y


@numba.njit(nogil=True, fastmath=True)
def _added_up(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


def bandwidth(values: np.ndarray) -> float:
    """Bytes per second at which the threads can read the array."""
    parts = np.array_split(values.ravel(), THREADS)
    _added_up(parts[0][:8])
    with ThreadPoolExecutor(THREADS) as pool:
        return values.nbytes / best_of(7, lambda: list(pool.map(_added_up, parts)))


def fit(X: np.ndarray, y: np.ndarray, margin: str, distance: str) -> IntervalRelief:
    """One fit on the threads of this benchmark."""
    return IntervalRelief(margin=margin, distance=distance, n_jobs=THREADS).fit(X, y)


def seconds(X: np.ndarray, y: np.ndarray, margin: str, distance: str, repeats: int) -> float:
    """Seconds of a fit."""
    note(f"{len(X)} rows, {margin}, {distance}")
    return best_of(repeats, lambda: fit(X, y, margin, distance))


def side_by_side(sizes: list[int]) -> tuple[list[str], dict[tuple[str, str], list[float]]]:
    """Rows of the first table, and times per margin and distance."""
    times: dict[tuple[str, str], list[float]] = {}
    rows = []
    for n_rows in sizes:
        X, y = make_data(n_rows)
        for distance in DISTANCES:
            for margin in ("prototype", "componentwise", "nearest"):
                repeats = 2 if margin == "nearest" else 5
                times.setdefault((margin, distance), []).append(
                    seconds(X, y, margin, distance, repeats)
                )
            proto, parts, near = (times[m, distance][-1] for m in
                                  ("prototype", "componentwise", "nearest"))  # fmt: skip
            rows.append(
                f"| {n_rows:,} | {distance} | {proto:.4f} | {parts:.4f} | {near:.3f} "
                f"| {near / proto:.0f} |"
            )
    return rows, times


def growth(sizes: list[int], large: int, times: dict) -> list[str]:
    """Growth exponents of both margins."""
    steps = [large // 16, large // 4, large]
    lines = []
    for distance in DISTANCES:
        linear = [seconds(*make_data(n), "prototype", distance, 3) for n in steps]
        lines.append(
            f"| {distance} | {slopes(steps, linear)} | {slopes(sizes, times['nearest', distance])} "
            f"| {linear[-1]:.2f} |"
        )
    return lines


def throughput(large: int) -> tuple[float, list[str]]:
    """Bandwidth, and the share of it that the prototype path reaches."""
    X, y = make_data(large)
    limit = bandwidth(X)
    run = NumbaEngine(THREADS)
    intervals = read_intervals(X, allow_nan=True, run=run.map)
    scale = Scale.of(intervals.values, intervals.ranges)
    rows = []
    for distance in DISTANCES:

        def means():
            return mean_intervals(scale, y, CLASSES, run=run.map)

        def margins(centers, distance=distance):
            return prototype_weights(
                scale, y, centers, run, distance=distance, componentwise=False, missing=False
            )

        centers = means()
        margins(centers)
        both = best_of(5, lambda margins=margins: margins(means()))
        only = best_of(5, lambda margins=margins, centers=centers: margins(centers))
        whole = best_of(3, lambda distance=distance: fit(X, y, "prototype", distance))
        limit = max(limit, bandwidth(X))
        rows.append((distance, both, only, whole))
    share = X.nbytes / limit
    lines = [
        f"| {d} | {b:.3f} | {2 * share / b:.0%} | {share / b:.0%} | {o:.3f} | {share / o:.0%} "
        f"| {w:.3f} | {share / w:.0%} |"
        for d, b, o, w in rows
    ]
    return limit, lines


def page(sizes: list[int], large: int) -> str:
    """The page kept in docs."""
    fit(*make_data(500), "nearest", "l1")  # compiled
    for distance in DISTANCES:
        for margin in ("prototype", "componentwise", "nearest"):
            fit(*make_data(500), margin, distance)
    compared, times = side_by_side(sizes)
    limit, shares = throughput(large)
    newline = "\n"
    return f"""# Interval selection: speed

{FEATURES} intervals, {CLASSES} classes, double precision, {THREADS} threads; made by
`make bench BENCH=interval` with {environment("scikit-learn")}.

Seconds of a whole `fit`, best of several:

| rows | distance | prototype | componentwise | nearest | nearest / prototype |
| ---: | --- | ---: | ---: | ---: | ---: |
{newline.join(compared)}

Exponents of growth with the rows (prototypes from {large // 16:,} to {large:,}, nearest neighbours
over {", ".join(f"{n:,}" for n in sizes)}), and seconds of a `fit` at {large:,} rows:

| distance | prototype | nearest | prototype, {large:,} rows, s |
| --- | --- | --- | ---: |
{newline.join(growth(sizes, large, times))}

Throughput at {large:,} rows.  Reading the array, {large * FEATURES * 16 / 1e6:,.0f} MB, on the
same threads takes place at {limit / 1e9:.1f} GB/s, the best of this run.  The prototype path
passes over it twice, for the prototypes and for the margins: "bytes read" counts both, "input"
counts it once.  A `fit` also checks the bounds, which is a third pass, and sorts out the classes.

| distance | path, s | bytes read | input | margins only, s | input | whole fit, s | input |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{newline.join(shares)}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/interval.md")
    parser.add_argument("--small", action="store_true", help="a tenth of the sizes, to try it out")
    arguments = parser.parse_args()
    sizes, large = ([500, 1000, 2000], 100_000) if arguments.small else (
        [2_000, 6_000, 20_000], 1_000_000)  # fmt: skip
    publish("interval", lambda: page(sizes, large), arguments)


if __name__ == "__main__":
    main()
