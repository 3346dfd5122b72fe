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


def bare_rates(tiles, kinds) -> str:
    """The kernel alone, no pair within the limit, for several shapes of tiles."""
    p, n, m = 128, 1 << 14, 1 << 18
    lines = ["| kind | targets | lanes | unroll | depth | warps | T differences/s |", "|" + " --- |" * 7]
    for kind in kinds:
        for targets, lanes, unroll, depth, warps in tiles:
            width = p // 4 if kind == sums.BYTES else p
            dtype = torch.int32 if kind == sums.BYTES else torch.float32
            x, y = (
                torch.randint(0, 2**31 - 1, (count // size, width, size), device="cuda",
                              dtype=torch.int32)
                if dtype == torch.int32
                else torch.rand((count // size, width, size), device="cuda")
                for count, size in ((n, targets), (m, lanes))
            )  # fmt: skip
            rows = torch.arange(m, device="cuda", dtype=torch.int32)
            low = torch.zeros(m, device="cuda")
            limits = torch.full((n,), -1e30, device="cuda")
            out = torch.empty((2, 64), dtype=torch.int32, device="cuda")
            count = torch.zeros(1, dtype=torch.int64, device="cuda")

            def run():
                gpu.bounds[(n // targets, m // lanes)](
                    x, y, low, rows, rows, width, 0, width, width, 0.0, 0.0, limits, out[0],
                    out[1], count, 64, low, 0, KIND=kind, MISSING=False, RELATION=0, DENSE=False,
                    TARGETS=targets, LANES=lanes, UNROLL=unroll, DEPTH=depth, num_warps=warps,
                )  # fmt: skip

            try:
                run()
                torch.cuda.synchronize()
                start, end = (torch.cuda.Event(enable_timing=True) for _ in "ab")
                times = []
                for _ in range(5):
                    start.record()
                    run()
                    end.record()
                    torch.cuda.synchronize()
                    times.append(start.elapsed_time(end) / 1e3)
                rate = f"{n * m * p / float(np.median(times)) / 1e12:.2f}"
            except Exception as error:
                rate = str(error).splitlines()[0][:60]
            lines.append(f"| {kind} | {targets} | {lanes} | {unroll} | {depth} | {warps} | {rate} |")
            note(lines[-1])
    return "\n".join(lines)


def quick() -> str:
    """What a first look needs."""
    parts = []
    floats = [(64, 128, 4, 16, 4), (32, 128, 4, 16, 4), (64, 128, 8, 16, 4), (64, 256, 4, 16, 8),
              (32, 256, 4, 16, 8), (32, 256, 4, 16, 4), (128, 64, 4, 16, 4), (64, 64, 4, 16, 4),
              (128, 128, 4, 16, 4), (64, 128, 2, 16, 4), (32, 128, 8, 16, 4)]  # fmt: skip
    parts.append(bare_rates(floats, [sums.MANHATTAN, sums.BYTES]))
    products = [(64, 128, 4, 16, 4), (64, 128, 4, 32, 4), (128, 128, 4, 32, 8), (128, 128, 4, 16, 8),
                (128, 128, 4, 32, 4), (64, 256, 4, 32, 8)]  # fmt: skip
    parts.append(bare_rates(products, [sums.PRODUCTS]))
    parts.append(equality())
    parts.append(table([(10**4, 100), (10**5, 100), (10**6, 100)], 60))
    whole = _tiles._encoding_for
    _tiles._encoding_for = lambda space, relation: Floats(space.samples, space.metric)
    parts.append("floats only\n\n" + table([(10**5, 100), (10**6, 100)], 60))
    _tiles._encoding_for = whole
    euclidean = fit_seconds(10**6, 100, 60, metric="euclidean")
    X, y = make_data(10**6, 100, None)
    start = perf_counter()
    ReliefF(n_neighbors=K, engine="torch").fit(X, y)
    parts.append(f"whole fit, all threads: {perf_counter() - start:.2f} s")
    parts.append(f"Euclidean 1,000,000 x 100: {euclidean}")
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
