"""Exact neighbours beside approximate ones: pynndescent, what it takes and what it finds.

``python -m benchmarks.approximate`` prints the table and (``--write``) keeps it in
docs/benchmarks/approximate.md.  Both are asked for the same, the nearest hits and misses of every
row, on one processor; times are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.common import environment, note, publish
from benchmarks.search import K, likert, look, search_seconds, uniform
from echelon.engines import Samples

LOOKED_AT = 300
"""Rows whose true neighbours are found by brute force."""

TABLES = {
    "uniform, 20,000 x 10": lambda: uniform(20_000, 10),
    "uniform, 20,000 x 100": lambda: uniform(20_000, 100),
    "uniform, 100,000 x 5": lambda: uniform(100_000, 5),
    "uniform, 100,000 x 10": lambda: uniform(100_000, 10),
    "uniform, 100,000 x 20": lambda: uniform(100_000, 20),
    "uniform, 100,000 x 100": lambda: uniform(100_000, 100),
    "Likert, 200,000 x 20, 50% shared": lambda: likert(200_000, 20, 0.5),
}


def approximate(samples: Samples) -> tuple[float, list[np.ndarray]]:
    """Seconds, and for each class the distances of all rows to their nearest ones in it."""
    halves = np.split(samples.values, np.cumsum(samples.class_sizes)[:-1])
    start = process_time()
    found = []
    for half in halves:
        index = make_index(half)
        hits = index.neighbor_graph[1][:, 1:]  # the first is the row itself
        near = [hits if other is half else index.query(other, k=K)[1] for other in halves]
        found.append(np.vstack(near))
    return process_time() - start, found


def make_index(rows: np.ndarray) -> Any:
    """What pynndescent builds with its own settings, ready for queries."""
    from pynndescent import NNDescent

    index = NNDescent(rows, metric="manhattan", n_neighbors=K + 1, n_jobs=1, random_state=0)
    index.prepare()
    return index


def share_found(samples: Samples, found: list[np.ndarray]) -> float:
    """Of the neighbours found for some rows, the share that is as near as the true ones."""
    rows = np.linspace(0, len(samples.values) - 1, LOOKED_AT).astype(int)
    ends = np.cumsum(samples.class_sizes)
    shares = []
    for of, half in enumerate(np.split(samples.values, ends[:-1])):
        true = cdist(samples.values[rows], half, "cityblock")
        own = np.flatnonzero(samples.classes[rows] == of)
        true[own, rows[own] - (ends[of] - samples.class_sizes[of])] = np.inf
        limits = np.partition(true, K - 1, axis=1)[:, K - 1]
        shares.append(found[of][rows] <= limits[:, None] * (1 + 1e-5))
    return float(np.mean(shares))


def line(name: str, samples: Samples) -> str:
    """One line of the table."""
    way = "leaves" if look(samples)[0] else "pairs"
    exact = search_seconds(way, samples)
    # The first may compile something.
    seconds, found = min((approximate(samples) for _ in range(2)), key=lambda run: run[0])
    text = f"| {name} | {exact:.1f} | {seconds:.1f} | {share_found(samples, found):.1%} |"
    note(text)
    return text


def page() -> str:
    """The page kept in docs."""
    lines = "\n".join(line(name, make()) for name, make in TABLES.items())
    return f"""# Exact or approximate

The {K} nearest hits and misses of every row, Manhattan metric, two classes: exactly, as `ReliefF`
finds them unless told otherwise, and by pynndescent with its own settings, an index per class with
as many neighbours as are asked for (with more it finds more, and takes longer).  Made by
`python -m benchmarks.approximate --write` with
{environment("pynndescent")}.

Seconds of one processor; those of the exact search are computed from some of its tasks, as on
[the page of fewer pairs](search.md).  *Found* is the share of the true neighbours of {LOOKED_AT}
rows that pynndescent finds.

| data | exact, s | approximate, s | found |
| --- | ---: | ---: | ---: |
{lines}
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    publish("approximate", page, parser.parse_args())
