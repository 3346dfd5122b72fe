"""ReliefF on a CUDA device: equal to the local engine, and what share of the chip it reaches.

Run it on a machine with a GPU: ``python -m benchmarks.gpu`` (``--write`` keeps the page in
docs/benchmarks/gpu.md, ``--quick`` leaves out the large sizes).  Times are whole fits of data in
the host's memory, transfer included, after a first fit has compiled the kernels.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import subprocess
from collections import defaultdict
from functools import partial
from time import perf_counter

import numpy as np
import torch
import triton

from benchmarks.common import note, publish
from benchmarks.relieff import K, make_data
from echelon import IntervalRelief, MultiSURF, OReliefF, ReliefF, RReliefF
from echelon.engines import TorchEngine
from echelon.engines.torch import _encoding as sums
from echelon.engines.torch import _gpu as gpu

SIZES = [(m, p) for m in (10**4, 10**5, 10**6) for p in (10, 100, 1000)]

LARGE = [
    (10, "manhattan", 4),
    (100, "manhattan", 7),
    (1000, "manhattan", 50),
    (100, "euclidean", None),
]
"""Features, metric and the seconds a fit of a million rows should take at most."""

FEW = 1 << 15
"""Queries from which the time of all is told, where all would take too long."""

LANES_PER_PROCESSOR, INSTRUCTIONS = 128, 2
"""Instructions a clock in single precision; per absolute difference: subtract, add its size."""


class Timed(TorchEngine):
    """The engine in one thread, and the seconds spent in each primitive."""

    def __init__(self) -> None:
        super().__init__("cuda", n_jobs=1)
        self.seconds: dict[str, float] = defaultdict(float)

    def __deepcopy__(self, memo):
        return self  # an estimator would count on a copy


def _timed(name: str):
    def method(self, *args, **kwargs):
        start = perf_counter()
        result = getattr(TorchEngine, name)(self, *args, **kwargs)
        torch.cuda.synchronize()
        self.seconds[name] += perf_counter() - start
        return result

    return method


for _name in ("prepare", "nearest", "accumulate"):
    setattr(Timed, _name, _timed(_name))


def chip_limit() -> float:
    """Absolute differences a second if every instruction belonged to one of them."""
    query = ["nvidia-smi", "--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits"]
    clock = float(subprocess.run(query, capture_output=True, text=True).stdout.split()[0]) * 1e6
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    return processors * LANES_PER_PROCESSOR * clock / INSTRUCTIONS


def equality() -> str:
    """Largest difference of weights between this engine and the local one, by method and data."""
    X, y = make_data(20000, 100, None)
    gaps = np.random.default_rng(1).random(X.shape) < 0.05
    levels = make_data(20000, 100, 5)[0]
    nominal = np.arange(100) % 4 == 3
    cases = {
        "ReliefF, float32": (ReliefF(n_neighbors=K), X),
        "ReliefF, float64": (ReliefF(n_neighbors=K), X.astype(float)),
        "ReliefF, five levels": (ReliefF(n_neighbors=K), levels),
        "ReliefF, 5 % missing": (ReliefF(n_neighbors=K), np.where(gaps, np.float32(np.nan), X)),
        "ReliefF, a quarter nominal": (ReliefF(categorical_features=nominal), levels),
        "ReliefF, Euclidean": (ReliefF(metric="euclidean"), X),
        "OReliefF, 8 features": (OReliefF(threshold=0.0), X[:, :8]),
        "RReliefF on class codes": (RReliefF(kind="ordinal"), X),
        "MultiSURF": (MultiSURF(), X),
        "IntervalRelief, 50 intervals": (
            IntervalRelief(margin="nearest"),
            np.sort(X.reshape(-1, 50, 2), axis=2),
        ),
    }
    lines = ["| 20,000 x 100 | largest weight | largest difference |", "| --- | ---: | ---: |"]
    for name, (selector, data) in cases.items():
        note(f"equality: {name}")
        here = selector.set_params(engine="numba").fit(data, y).scores_
        there = selector.set_params(engine="torch").fit(data, y).scores_
        lines.append(f"| {name} | {here.max():.4f} | {np.abs(here - there).max():.1e} |")
    return "\n".join(lines)


def little_memory() -> str:
    """Fits with less and less of the device's memory: the same weights, more slowly."""
    X, y = make_data(200_000, 500, None)
    selector = ReliefF(n_neighbors=K, engine="torch").fit(X[:5000], y[:5000])
    whole = torch.cuda.get_device_properties(0).total_memory
    lines = [
        f"| memory it may use, GB (X has {X.nbytes / 1e9:.1f}) | seconds | largest difference |",
        "| ---: | ---: | ---: |",
    ]
    weights = None
    for share in (whole, 2e9, 1e9, 5e8):
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(share / whole)
        start = perf_counter()
        found = selector.fit(X, y).scores_
        seconds = perf_counter() - start
        weights = found if weights is None else weights
        difference = np.abs(found - weights).max()
        lines.append(f"| {share / 1e9:.4g} | {seconds:.1f} | {difference:.1e} |")
        note(lines[-1])
    torch.cuda.set_per_process_memory_fraction(1.0)
    return "\n".join(lines)


def bare_rates() -> str:
    """The kernel alone, no pair within the limit, by what it sums."""
    lines = ["| kernel alone | T differences/s | share of limit |", "| --- | ---: | ---: |"]
    n, m, p = 1 << 14, 1 << 18, 128
    rows = torch.arange(m, device="cuda", dtype=torch.int32)
    low, limits = torch.zeros(m, device="cuda"), torch.full((n,), -1e30, device="cuda")
    found, counts = torch.empty((n, 1), dtype=torch.int32, device="cuda"), rows[:n].clone()
    for name, kind in (
        ("floats", sums.MANHATTAN),
        ("bytes", sums.BYTES),
        ("products (tensor cores)", sums.PRODUCTS),
    ):
        width = p // 4 if kind == sums.BYTES else p
        tiles = [
            torch.rand((count // sums.TILE, width, sums.TILE), device="cuda") for count in (n, m)
        ]
        if kind == sums.BYTES:
            tiles = [tile.view(torch.int32) for tile in tiles]
        arguments = *tiles, low, rows, rows, width, 0, width, width, 0.0, 0.0, limits, found, counts
        options = {"kind": kind, "missing": False, "relation": 0, "dense": False}
        run = partial(gpu.launch, n // sums.TILE, m // sums.TILE, *arguments, 1, low, **options)
        seconds = median_seconds(run)
        rate = n * m * p / seconds
        lines.append(f"| {name} | {rate / 1e12:.1f} | {rate / chip_limit():.0%} |")
        note(lines[-1])
    return "\n".join(lines)


def median_seconds(function, repeats: int = 5) -> float:
    """Median time of a call on the device."""
    function()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in "ab")
        start.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return float(np.median(times))


def fit_seconds(m: int, p: int, cap: float, **params) -> dict[str, float]:
    """Seconds of a fit and of its search; if that takes longer than ``cap``, told from a part.

    The search is proportional to the queries, so a fit on a few of them tells what all would take.
    """
    X, y = make_data(m, p, None)
    _one_fit(X[:4000], y[:4000], None, **params)
    found, part = _one_fit(X, y, min(m, FEW), **params), min(m, FEW) / m
    if part < 1 and found["search"] / part <= cap:
        found, part = _one_fit(X, y, None, **params), 1.0
    search = found["search"] / part
    return {"fit": found["fit"] - found["search"] + search, "search": search, "part": part}


def _one_fit(X, y, queries: int | None, **params) -> dict[str, float]:
    engine = Timed()
    selector = ReliefF(n_neighbors=K, engine=engine, sample_size=queries, random_state=0, **params)
    start = perf_counter()
    selector.fit(X, y)
    total = perf_counter() - start
    note(f"{X.shape} {queries}: {total:.2f} s {dict(engine.seconds)}")
    return {"fit": total, "search": engine.seconds["nearest"] + engine.seconds["accumulate"]}


def table(sizes: list[tuple[int, int]], cap: float) -> str:
    """Seconds, rate and share of the limit for every size."""
    lines = [
        "| rows | features | seconds | of these search | T differences/s | share of limit "
        "| queries run |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for m, p in sizes:
        found = fit_seconds(m, p, cap)
        rate = m * m * p / found["search"]
        lines.append(
            f"| {m:,} | {p} | {found['fit']:.2f} | {found['search']:.2f} | {rate / 1e12:.2f} "
            f"| {rate / chip_limit():.0%} | {found['part']:.0%} |"
        )
    return "\n".join(lines)


def large_fits() -> str:
    """A million rows, all threads of the host, as a user runs it; then the p-values are read."""
    lines = [
        f"| ReliefF, k = {K}, two classes, float32 | seconds | goal | p-values, when first read |",
        "| --- | ---: | ---: | ---: |",
    ]
    for p, metric, goal in LARGE:
        X, y = make_data(10**6, p, None)
        selector = ReliefF(n_neighbors=K, metric=metric, engine="torch")
        _ = selector.fit(X[:5000], y[:5000]).p_values_
        start = perf_counter()
        selector.fit(X, y)
        fitted = perf_counter()
        _ = selector.p_values_
        read = perf_counter() - fitted
        name = f"1,000,000 x {p:,}{', Euclidean' if metric == 'euclidean' else ''}"
        lines.append(f"| {name} | {fitted - start:.1f} | {goal or ''} | {read:.1f} |")
        note(lines[-1])
    return "\n".join(lines)


def band_fits() -> str:
    """MultiSURF, which goes through all pairs three times, as a user runs it."""
    lines = ["| MultiSURF, 100 features, two classes, float32 | seconds |", "| --- | ---: |"]
    for m in (10**4, 10**5):
        X, y = make_data(m, 100, None)
        MultiSURF(engine="torch").fit(X[:2000], y[:2000])
        start = perf_counter()
        MultiSURF(engine="torch").fit(X, y)
        lines.append(f"| {m:,} rows | {perf_counter() - start:.1f} |")
        note(lines[-1])
    return "\n".join(lines)


def page(sizes: list[tuple[int, int]], cap: float) -> str:
    """The page kept in docs."""
    return f"""# ReliefF on a GPU

Exact ReliefF, k = {K}, two classes, float32, on one {torch.cuda.get_device_name()}; made by
`python -m benchmarks.gpu --write` with Python {platform.python_version()}, PyTorch
{torch.__version__}, Triton {triton.__version__}.  Times are whole fits of an array in the host's
memory: reading, scaling, transfer, search, sums.  z-scores and p-values come when they are first
read; until then a selector holds a scaled copy of the data.  With all threads of a host of
{os.cpu_count()} cores:

{large_fits()}

{band_fits()}

The weights are those of the local engine:

{equality()}

The limit is what the chip could do if every instruction belonged to a difference in single
precision (subtract, add its absolute value): {chip_limit() / 1e12:.1f} T absolute differences a
second.  The search goes beyond it where bytes do: one instruction takes four differences of numbers
rounded to 255ths, and only pairs that can be among the nearest are measured exactly.

{bare_rates()}

One thread of the host; "queries run" below 100 %: the search of all queries would take longer than
{cap:g} seconds and is extrapolated from {FEW:,} of them, to which it is proportional.

{table(sizes, cap)}

With less memory, samples are streamed to the device and blocks are halved; 200,000 x 500:

{little_memory()}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 100,000 x 100 only")
    parser.add_argument("--cap", type=float, default=60, help="longest search run as a whole, s")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/gpu.md")
    arguments = parser.parse_args()
    sizes = [(m, p) for m, p in SIZES if m * p <= 10**7] if arguments.quick else SIZES
    publish("gpu", lambda: page(sizes, arguments.cap), arguments)


if __name__ == "__main__":
    main()
