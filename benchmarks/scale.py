"""Beyond one process: two Dask workers against one, their memory, and sampled queries.

``python -m benchmarks.scale`` prints the tables and (``--write``) keeps them in
docs/benchmarks/scale.md.  Workers are processes of this machine with one thread each; the numbers
of workers take turns, and the best round counts.
"""

from __future__ import annotations

import argparse
from time import perf_counter, time

import numpy as np
from distributed import Client, LocalCluster

from benchmarks.common import environment, note, publish
from benchmarks.relieff import K, make_data
from echelon import ReliefF
from echelon.engines import DaskEngine, NumbaEngine

BLOCK_ROWS = NumbaEngine.rows_per_block
ENCODED = 2
"""Bytes per value in the copy the local engine searches in (4 for Euclidean or missing data)."""

DASK = 64 * 2**20
"""What messages and the heap take."""

QUERIES = (100, 300, 1000, 3000, 10000)
SEEDS = 10


def memory_now(dask_worker) -> int:
    """Memory of a worker at the moment."""
    return dask_worker.monitor.proc.memory_info().rss


def memory_most(since: float, dask_worker) -> int:
    """The most it used since, looked at twice a second."""
    seen = dask_worker.monitor.quantities
    return max(used for used, at in zip(seen["memory"], seen["time"], strict=True) if at > since)


def formula(m: int, p: int, itemsize: int = 4, threads: int = 1, rows: int = BLOCK_ROWS) -> int:
    """Bytes a worker needs at most beyond what it has imported.

    All blocks, of which any may just be arriving; per thread a task, and the neighbours of one
    group of queries in ``fan_in`` blocks; some room for Dask itself.
    """
    task = 2 * rows * p * (itemsize + ENCODED)
    found = 2 * DaskEngine.fan_in * rows * K * 16
    return 2 * m * p * itemsize + threads * (task + found) + DASK


def run(
    n_workers: int, X: np.ndarray, y: np.ndarray, queries: int | None = None
) -> tuple[float, list[int]]:
    """Seconds of a fit on so many workers, and how much memory each took beyond a small fit."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        engine = DaskEngine(client, block_rows=BLOCK_ROWS)
        ReliefF(n_neighbors=K, engine=engine).fit(X[:2000], y[:2000])
        before = client.run(memory_now)
        start, since = perf_counter(), time()
        ReliefF(n_neighbors=K, engine=engine, sample_size=queries, random_state=0).fit(X, y)
        seconds = perf_counter() - start
        after = client.run(memory_most, since)
    return seconds, [after[worker] - before[worker] for worker in before]


def workers(m: int, p: int, rounds: int) -> str:
    """One worker, two workers, and the local engine on one thread, taking turns."""
    X, y = make_data(m, p, None)
    times: dict[str, list[float]] = {"local engine, 1 thread": [], "1 worker": [], "2 workers": []}
    memory: dict[str, int] = {}
    local = ReliefF(n_neighbors=K, n_jobs=1)
    local.fit(X[:2000], y[:2000])
    for turn in range(rounds):
        start = perf_counter()
        local.fit(X, y)
        times["local engine, 1 thread"].append(perf_counter() - start)
        for n in (1, 2):
            name = f"{n} worker{'s'[: n - 1]}"
            seconds, used = run(n, X, y)
            times[name].append(seconds)
            memory[name] = max(memory.get(name, 0), *used)
        note(f"round {turn + 1}: {times}")
    one = min(times["1 worker"])
    lines = [
        f"| {m:,} x {p}, float32 | seconds | times 1 worker | memory per worker, MB "
        "| formula, MB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, seconds in times.items():
        used = f"{memory[name] / 1e6:.0f} | {formula(m, p) / 1e6:.0f}" if name in memory else "|"
        best = min(seconds)
        lines.append(f"| {name} | {best:.1f} | {one / best:.2f} | {used} |")
    ratios = [a / b for a, b in zip(times["1 worker"], times["2 workers"], strict=True)]
    by_round = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    lines += ["", f"Two workers against one, round by round: {by_round} times."]
    return "\n".join(lines)


def memory(sizes: list[tuple[int, int]]) -> str:
    """Memory of two workers for sizes at which blocks weigh most, with 2,000 queries."""
    lines = ["| float32 | memory per worker, MB | formula, MB |", "| --- | ---: | ---: |"]
    for m, p in sizes:
        _, used = run(2, *make_data(m, p, None), queries=2000)
        lines.append(f"| {m:,} x {p} | {max(used) / 1e6:.0f} | {formula(m, p) / 1e6:.0f} |")
        note(lines[-1])
    return "\n".join(lines)


def sampling(m: int, p: int) -> str:
    """How far the weights of T sampled queries lie from the exact ones."""
    X, y = make_data(m, p, None)
    exact = ReliefF(n_neighbors=K).fit(X, y).scores_
    lines = [
        f"| queries of {m:,} | error of a weight (RMS) | times sqrt(T) | of the largest weight "
        "| share of the time |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for T in QUERIES:
        note(f"sampling {T}")
        errors = [
            ReliefF(n_neighbors=K, sample_size=T, random_state=seed).fit(X, y).scores_ - exact
            for seed in range(SEEDS)
        ]
        error = float(np.sqrt(np.mean(np.square(errors))))
        lines.append(
            f"| {T:,} | {error:.2e} | {error * np.sqrt(T / (1 - T / m)):.4f} "
            f"| {error / exact.max():.1%} | {T / m:.1%} |"
        )
    return "\n".join(lines)


def page(m: int, p: int, rounds: int) -> str:
    """The page kept in docs."""
    return f"""# Several workers, and sampled queries

ReliefF, k = {K}, two classes; made by `python -m benchmarks.scale --write` with
{environment("dask", "distributed")}.

Workers are processes of this machine with one thread each, blocks of {BLOCK_ROWS:,} rows; the best
of {rounds} rounds.  Memory is the most a worker used beyond what it had after a fit on 2,000 rows,
looked at twice a second; the formula is [explained here](../scale.md): all blocks, and what the
tasks of a thread take.

{workers(m, p, rounds)}

{memory([(200_000, 100), (400_000, 100)])}

Exact weights against those of T sampled queries (`sample_size=T`), 20 features, {SEEDS} samples
each.  The error falls with the square root of T (the third column, corrected for drawing without
replacement, is constant), whatever the number of rows.

{sampling(20000, 20)}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/scale.md")
    arguments = parser.parse_args()
    publish("scale", lambda: page(arguments.rows, arguments.features, arguments.rounds), arguments)


if __name__ == "__main__":
    main()
