"""The claim that the order costs nothing: processor time against the number of samples."""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

import numpy as np

from echelon import OReliefF, OSimba, ReliefF, Simba
from papers.cells import Task
from papers.pages import Claim, table

N_FEATURES = 14
LARGEST = 2.2
METHODS = {
    "ReliefF": ReliefF,
    "O-ReliefF": partial(OReliefF, rule="paper", monotonic_cst=None),
    "Simba": Simba,
    "O-Simba": OSimba,
}


def tasks(*, quick: bool) -> dict[str, Task]:
    """One cell per method and number of samples."""
    sizes = (100, 200) if quick else (2000, 4000, 8000)
    return {f"cost/{m}/{size}": partial(seconds, m, size) for m in METHODS for size in sizes}


def seconds(method: str, n_samples: int) -> float:
    """Smallest of three processor times, on one thread."""
    rng = np.random.default_rng(0)
    X, y = rng.random((n_samples, N_FEATURES)), np.arange(n_samples) % 3
    selector = METHODS[method](1, n_jobs=1, random_state=0)
    selector.fit(X[:50], y[:50])  # compiled before the clock starts
    times = []
    for _ in range(3):
        start = process_time()
        selector.fit(X, y)
        times.append(process_time() - start)
    return min(times)


def _of(found: dict[str, Any], method: str) -> dict[int, float]:
    prefix = f"cost/{method}/"
    return {int(key.removeprefix(prefix)): s for key, s in found.items() if key.startswith(prefix)}


def exponent(found: dict[str, Any], method: str) -> float:
    """Growth of time with the number of samples, on logarithmic scales."""
    times = _of(found, method)
    logs = np.log(np.maximum(list(times.values()), 1e-9))
    return float(np.polyfit(np.log(list(times)), logs, 1)[0])


def claims(found: dict[str, Any]) -> list[Claim]:
    """The cost grows with the square of the samples, as without order."""
    growth = {method: exponent(found, method) for method in METHODS}
    holds = max(growth["O-ReliefF"], growth["O-Simba"]) <= LARGEST
    text = (
        "Section 3: O-ReliefF and O-Simba cost O(m²l), the same as Relief (exponent of m at most "
        f"{LARGEST})"
    )
    return [Claim.judged(text, "2", ", ".join(f"{m} {g:.2f}" for m, g in growth.items()), holds)]


def section(found: dict[str, Any]) -> str:
    """The times."""
    sizes = list(_of(found, "ReliefF"))
    head = ("method", *(f"m = {size}" for size in sizes), "exponent")
    rows = [
        (m, *(f"{s:.3f}" for s in _of(found, m).values()), f"{exponent(found, m):.2f}")
        for m in METHODS
    ]
    return BODY.format(n_features=N_FEATURES, times=table(head, rows))


BODY = """
## Section 3: cost

Processor seconds on one thread for m samples of {n_features} uniform features and three classes,
smallest of three runs, every sample visited once.

{times}
"""
