"""How long dominance-based rough sets and the least relabelling take, and how that grows.

python -m benchmarks.dominance --write
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import environment, note, publish, slopes
from echelon import DominanceRoughSet
from echelon.monotone import relabel_monotone

ROWS = (1_250, 2_500, 5_000, 10_000)
N_FEATURES = 20
N_RELABELLED = 10
"""Features of the relabelling, few enough to leave contradictions."""


class Found(NamedTuple):
    """Processor seconds with some number of rows, and what came out."""

    fit: float
    reducts: float
    plain: float
    relabel: float
    n_steps: int
    core: int
    n_reducts: int
    contradicted: int
    changed: int


def sample(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty features of ten levels, and four classes of equal size that rise with five of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (n, N_FEATURES)).astype(float)
    score = X[:, :5].sum(axis=1) + rng.normal(0, 2, n)
    return X, np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75]))


def plain_quality(X: np.ndarray, y: np.ndarray) -> float:
    """The quality of all features, every sample compared with all others by NumPy."""
    clean = np.ones(len(y), bool)
    for i in range(len(y)):
        lower = y < y[i]
        against = np.flatnonzero(lower)[(X[lower] >= X[i]).all(axis=1)]
        clean[against] = False
        clean[i] &= len(against) == 0
    return float(clean.mean())


def clocked(function: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of all threads, and what a call gave."""
    start = process_time()
    found = function()
    return process_time() - start, found


def measure(n: int) -> Found:
    """All figures for one number of rows."""
    note(f"{n:,} rows")
    X, y = sample(n)
    fit, selector = clocked(lambda: DominanceRoughSet(monotonic_cst=None).fit(X, y))
    reducts, found = clocked(selector.reducts)
    plain, quality = clocked(lambda: plain_quality(X, y))
    if not np.isclose(quality, selector.quality_):
        raise AssertionError(f"The quality is {selector.quality_}, and {quality} by pairs.")
    relabel, mended = clocked(lambda: relabel_monotone(X[:, :N_RELABELLED], y))
    return Found(
        fit,
        reducts,
        plain,
        relabel,
        len(selector.path_),
        len(selector.core_),
        found.n_found,
        int(mended.contradicted.sum()),
        mended.n_changed,
    )


def make_page(results: list[Found]) -> str:
    """The page of what was measured."""
    rows = [
        f"| {n:,} | {r.fit:.2f} | {r.n_steps} | {r.core} | {r.reducts:.2f} | {r.n_reducts:,} | "
        f"{r.plain:.2f} | {r.relabel:.2f} | {r.contradicted:,} | {r.changed:,} |"
        for n, r in zip(ROWS, results, strict=True)
    ]
    growth = [
        slopes(ROWS, [getattr(r, name) for r in results]) for name in ("fit", "plain", "relabel")
    ]
    return f"""# Dominance-based rough sets: time

Made by `python -m benchmarks.dominance --write` with {environment("scikit-learn")}.

{N_FEATURES} features of ten levels, four classes that rise with five of them, and noise.  *Fit* is
`DominanceRoughSet.fit`: approximations, quality, core and the greedy path of so many steps.
*Reducts* are all of them, exact.  *By pairs*: the quality of all features, and nothing else, by
NumPy, one sample against all others; it is the same number.  *Relabelling* is `relabel_monotone`
with the first {N_RELABELLED} features.  Processor seconds, summed over the threads.

| rows | fit | steps | core | reducts | how many | by pairs | relabelling | contradicted | changed |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{chr(10).join(rows)}

Exponent of the rows: fit {growth[0]}, by pairs {growth[1]}, relabelling {growth[2]}.
"""


def main() -> None:
    """Measure, and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dominance", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    given = parser.parse_args()
    X, y = sample(200)
    DominanceRoughSet(monotonic_cst=None).fit(X, y).reducts()  # compiled before the clock starts
    publish("dominance", lambda: make_page([measure(n) for n in ROWS]), given)


if __name__ == "__main__":
    main()
