"""How the time of AutoSelector grows with samples and features."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.common import note
from benchmarks.ordered.rankers import AUTO, RANKERS
from benchmarks.ordered.study import FORMAT, TookTooLong, limited
from papers.cells import Cells
from papers.pages import table

SAMPLES = (250, 500, 1000, 2000, 4000)
FEATURES = (20, 100, 500)
MOST_SECONDS = 600.0


def make(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal features, five classes of equal size cut from the sum of five of them and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    latent = X[:, :5].sum(axis=1) + rng.normal(scale=2, size=n)
    return X, np.searchsorted(np.quantile(latent, [0.2, 0.4, 0.6, 0.8]), latent)


def seconds_of(n: int, p: int) -> float | None:
    """Processor time of one fit; None if it takes too long."""
    X, y = make(n, p)
    start = process_time()
    try:
        with limited(MOST_SECONDS):
            RANKERS[AUTO].rank(X, y, 0)
    except TookTooLong:
        return None
    return process_time() - start


def measure(folder: Path) -> None:
    """Fill what is missing."""
    cells = Cells(folder / "growth.json", made=FORMAT)
    seconds_of(60, 5)  # compiles
    for n, p in ((n, p) for n in SAMPLES for p in FEATURES if f"{n} {p}" not in cells.values):
        cells.values[f"{n} {p}"] = seconds_of(n, p)
        cells.write()
        note(f"AutoSelector, {n} samples, {p} features: {cells.values[f'{n} {p}']} s")


def growth_table(folder: Path) -> str | None:
    """Seconds of one fit, and the exponents of growth in samples; None if never measured."""
    found = Cells(folder / "growth.json", made=FORMAT).values
    if not found:
        return None
    rows = [
        (p, *(_words(found.get(f"{n} {p}")) for n in SAMPLES), _slope(found, p)) for p in FEATURES
    ]
    return table(("features", *(f"n = {n}" for n in SAMPLES), "exponent in n"), rows)


def _words(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"


def _slope(found: dict[str, float | None], p: int) -> str:
    known = [(n, found[f"{n} {p}"]) for n in SAMPLES if found.get(f"{n} {p}")]
    if len(known) < 2:
        return "-"
    sizes, times = np.log(np.array(known, float)).T
    return f"{np.polyfit(sizes, times, 1)[0]:.2f}"
