"""ReliefF on a CUDA device: equal to the local engine, and what share of the chip it reaches.

Run it on a machine with a GPU: ``python -m benchmarks.gpu`` (``--write`` keeps the page in
docs/benchmarks/gpu.md, ``--quick`` leaves out the large sizes).  Times are whole fits of data in
the host's memory, transfer included, after a first fit has compiled the kernels.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import defaultdict
from time import perf_counter

import numpy as np
import torch

from benchmarks.common import environment, note, publish
from benchmarks.relieff import K, make_data
from echelon import OReliefF, ReliefF
from echelon.engines import TorchEngine, _tiles
from echelon.engines._encoding import Floats
from echelon.kernels import gpu, sums

SIZES = [(m, p) for m in (10**4, 10**5, 10**6) for p in (10, 100, 1000)]
LANES_PER_PROCESSOR = 128
INSTRUCTIONS = 2
"""Per absolute difference in single precision: subtract, add the absolute value."""


class Timed(TorchEngine):
    """The engine, and the seconds spent in each primitive (in all threads)."""

    def __init__(self) -> None:
        super().__init__("cuda", n_jobs=1)
        self.seconds: dict[str, float] = defaultdict(float)

    def __deepcopy__(self, memo):
        return self


def _timed(name: str):
    def method(self, *args, **kwargs):
        start = perf_counter()
        result = getattr(TorchEngine, name)(self, *args, **kwargs)
        torch.cuda.synchronize()
        self.seconds[name] += perf_counter() - start
        return result

    return method


for _name in ("prepare", "nearest", "share", "accumulate"):
    setattr(Timed, _name, _timed(_name))


def chip_limit() -> float:
    """Absolute differences a second if every instruction were one of them."""
    query = ["nvidia-smi", "--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits"]
    clock = float(subprocess.run(query, capture_output=True, text=True).stdout.split()[0]) * 1e6
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    return processors * LANES_PER_PROCESSOR * clock / INSTRUCTIONS


def equality() -> str:
    """Largest difference of weights between this engine and the local one, by method and data."""
    lines = ["| 20000 x 100 | largest difference of weights |", "| --- | ---: |"]
    X, y = make_data(20000, 100, None)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.nan, X).astype(np.float32)
    levels = make_data(20000, 100, 5)[0]
    nominal = np.arange(100) % 4 == 3
    cases = {
        "ReliefF": (ReliefF(n_neighbors=K), X),
        "ReliefF, float64": (ReliefF(n_neighbors=K), X.astype(float)),
        "ReliefF, five levels": (ReliefF(n_neighbors=K), levels),
        "ReliefF, 5 % missing": (ReliefF(n_neighbors=K), holes),
        "ReliefF, a quarter nominal": (ReliefF(categorical_features=nominal), levels),
        "ReliefF, Euclidean": (ReliefF(metric="euclidean"), X),
        "OReliefF, 8 features": (OReliefF(random_state=0), X[:, :8]),
    }
    for name, (selector, data) in cases.items():
        note(f"equality: {name}")
        here = selector.set_params(engine="numba").fit(data, y).scores_
        there = selector.set_params(engine="torch").fit(data, y).scores_
        lines.append(f"| {name} | {np.abs(here - there).max():.1e} |")
    return "\n".join(lines)


def fit_seconds(m: int, p: int, cap: float, **params) -> dict[str, float]:
    """Seconds of a fit and of its parts; if it would take longer than ``cap``, from a part of it.

    The search is proportional to the targets, so a fit on a few of them tells what all would take.
    """
    X, y = make_data(m, p, None)
    ReliefF(n_neighbors=K, engine=Timed(), **params).fit(X[:4000], y[:4000])
    few = min(m, 1 << 15)
    found = _one_fit(X, y, few, **params)
    scale = m / few
    if few < m and found["search"] * scale <= cap:
        found, scale = _one_fit(X, y, None, **params), 1.0
    found["search"] *= scale
    found["fit"] = found["rest"] + found["search"]
    found["part"] = 1 / scale
    return found


def _one_fit(X, y, targets, **params) -> dict[str, float]:
    engine = Timed()
    start = perf_counter()
    ReliefF(
        n_neighbors=K, engine=engine, sample_size=targets, random_state=0, **params
    ).fit(X, y)
    total = perf_counter() - start
    note(f"{X.shape} {targets}: {total:.2f} s {dict(engine.seconds)}")
    before = engine.seconds["prepare"]
    reading = total - before - _elapsed(engine)
    return {"search": _elapsed(engine), "rest": before + reading}


def _elapsed(engine: Timed) -> float:
    return engine.seconds["nearest"] + engine.seconds["accumulate"]


def table(sizes: list[tuple[int, int]], cap: float) -> str:
    """Seconds, rate and share of the limit for every size."""
    limit = chip_limit()
    lines = [
        "| rows | features | seconds | of these search | T differences/s | share of limit | part run |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for m, p in sizes:
        found = fit_seconds(m, p, cap)
        rate = m * m * p / found["search"]
        lines.append(
            f"| {m:,} | {p} | {found['fit']:.2f} | {found['search']:.2f} | {rate / 1e12:.2f} "
            f"| {rate / limit:.0%} | {found['part']:.0%} |"
        )
    return f"Limit: {limit / 1e12:.1f} T absolute differences a second.\n\n" + "\n".join(lines)


def bare_rates() -> str:
    """The kernel alone, no pair within the limit, by what it sums."""
    lines = ["| kernel | T differences/s |", "| --- | ---: |"]
    n, m, p = 1 << 14, 1 << 18, 128
    rows = torch.arange(m, device="cuda", dtype=torch.int32)
    low, limits = torch.zeros(m, device="cuda"), torch.full((n,), -1e30, device="cuda")
    for name, kind in (("floats", sums.MANHATTAN), ("bytes", sums.BYTES),
                       ("products", sums.PRODUCTS)):  # fmt: skip
        width = p // 4 if kind == sums.BYTES else p
        x, y = (torch.rand((count // sums.TILE, width, sums.TILE), device="cuda")
                for count in (n, m))  # fmt: skip
        if kind == sums.BYTES:
            x, y = x.view(torch.int32), y.view(torch.int32)
        found, counts = torch.empty((n, 1), dtype=torch.int32, device="cuda"), rows[:n].clone()
        seconds = median_seconds(
            lambda: gpu.launch(
                n // sums.TILE, m // sums.TILE, x, y, low, rows, rows, width, 0, width, width,
                0.0, 0.0, limits, found, counts, 1, low, kind=kind, missing=False, relation=0,
                dense=False,
            )  # fmt: skip
        )
        lines.append(f"| {name} | {n * m * p / seconds / 1e12:.1f} |")
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


def quick() -> str:
    """What a first look needs."""
    from torch.profiler import ProfilerActivity, profile

    parts = [bare_rates()]
    for warps, registers in ((8, None), (8, 96), (4, None)):
        gpu.WARPS, gpu.REGISTERS = warps, registers
        parts.append(f"{warps} warps, {registers} registers\n\n" + bare_rates())
    gpu.WARPS, gpu.REGISTERS = 8, 128

    X, y = make_data(10**6, 100, None)
    engine = TorchEngine("cuda")
    ReliefF(n_neighbors=K, engine=engine).fit(X[:5000], y[:5000])
    for metric in ("manhattan", "euclidean"):
        few = ReliefF(n_neighbors=K, engine=TorchEngine("cuda", n_jobs=1), metric=metric,
                      sample_size=1 << 16, random_state=0)  # fmt: skip
        few.fit(X, y)
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiled:
            start = perf_counter()
            few.fit(X, y)
            total = perf_counter() - start
        found = profiled.key_averages().table(sort_by="cuda_time_total", row_limit=22,
                                              max_name_column_width=60)  # fmt: skip
        parts.append(f"{metric}, 65536 targets: {total:.2f} s\n{found}")
        start = perf_counter()
        ReliefF(n_neighbors=K, engine=engine, metric=metric).fit(X, y)
        parts.append(f"{metric}, whole fit, all threads: {perf_counter() - start:.2f} s")
        note(parts[-1])
    whole = _tiles._encoding_for
    _tiles._encoding_for = lambda space, relation: Floats(space.samples, space.metric)
    start = perf_counter()
    ReliefF(n_neighbors=K, engine=engine).fit(X, y)
    parts.append(f"floats, whole fit, all threads: {perf_counter() - start:.2f} s")
    _tiles._encoding_for = whole
    parts.append(equality())
    parts.append(table([(10**4, 100), (10**5, 100), (10**5, 1000)], 60))
    return "\n\n".join(parts)


def page(cap: float) -> str:
    """The page kept in docs."""
    return f"{equality()}\n\n{table(SIZES, cap)}\n"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="kernel shapes and a few sizes")
    parser.add_argument("--cap", type=float, default=60, help="longest search run as a whole, s")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/gpu.md")
    arguments = parser.parse_args()
    if arguments.quick:
        print(quick())
        return
    publish("gpu", lambda: page(arguments.cap), arguments)


if __name__ == "__main__":
    main()
