"""Nearest neighbours by leaves against all pairs, and against scikit-learn's trees.

``python -m benchmarks.search`` prints the tables and (``--write``) keeps them in
docs/benchmarks/search.md.  A search is timed on some tasks of 256 queries spread over all rows, as
a fit has them, and what all tasks would take is computed; times are of the processor, so that other
work on the machine does not count.  ``--keep-trees`` takes the columns of the trees, which take
longest and have nothing to do with echelon, from the page as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np

from benchmarks.common import PAGES, data_folder, environment, note, publish
from echelon.engines import Classes, NumbaEngine, Samples, Search
from echelon.engines.numba.leaves import paying_plan

K = 10
ROWS = (20_000, 100_000, 1_000_000)
FEATURES = (5, 10, 20, 50, 100)
TASKS = 8
"""Tasks timed of a search at least; their mean counts for all."""

SMALL = 800_000
"""Of fewer rows than a task's share of these, more tasks are timed."""

MOST_VALUES = 20_000_000
"""Larger tables are left out."""


def uniform(m: int, p: int) -> Samples:
    """Two classes, uniform columns."""
    return as_samples(np.random.default_rng(0).random((m, p), dtype=np.float32))


def likert(m: int, p: int, shared: float) -> Samples:
    """Answers from 1 to 5 that share so much of their variance with four factors."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(m, 4))[:, np.arange(p) % 4]
    noise = rng.normal(size=(m, p))
    answers = np.sqrt(shared) * factors + np.sqrt(1 - shared) * noise
    return as_samples(np.clip(np.rint(answers * 1.2 + 3), 1, 5).astype(np.float32))


def adult() -> Samples | None:
    """The census table: six numeric and eight nominal columns; None without the data."""
    folder = data_folder()
    if folder is None:
        return None
    import pandas as pd

    from echelon._core.samples import arrange
    from echelon.data import read_columns

    table = pd.read_csv(folder / "B_ordinal_relieff" / "adult.csv.gz")
    columns = read_columns(table.drop(columns=["part", "target"]), "from_dtype", allow_nan=True)
    return arrange(columns, table["target"].to_numpy(int))


def as_samples(X: np.ndarray) -> Samples:
    """Rows in [0, 1], two classes."""
    from echelon._core.samples import arrange
    from echelon.data import Data

    classes = np.random.default_rng(1).integers(0, 2, len(X))
    return arrange(Data(X, np.zeros(X.shape[1], bool), None), classes)


def search_seconds(way: str, samples: Samples) -> float:
    """Seconds of the searches for hits and misses, with the order they need."""
    engine = NumbaEngine(1, search=way)
    everyone = np.arange(len(samples.classes))
    start = process_time()
    ordered, queries = engine.compact(samples, everyone, "manhattan", K)
    space = engine.prepare(ordered, "manhattan")
    once = process_time() - start
    tasks = engine.tasks(space, queries)
    n_classes = len(samples.class_sizes)
    searches = [Search(Classes.same(n_classes), K), Search(Classes.others(n_classes), K)]
    n_tasks = min(max(TASKS, SMALL // len(everyone)), len(tasks))
    some = [tasks[t] for t in np.linspace(0, len(tasks) - 1, n_tasks).astype(int)]
    for search in searches:
        engine.nearest(space, some[0][:8], search)  # compiled, or read from disk
    start = process_time()
    for task in some:
        for search in searches:
            engine.nearest(space, task, search)
    per_query = (process_time() - start) / sum(map(len, some))
    return once + per_query * len(everyone)


def look(samples: Samples) -> tuple[bool, float]:
    """Whether leaves are chosen, and the seconds it takes to see, best of three."""
    times = []
    for _ in range(3):
        start = process_time()
        plan = paying_plan(samples, len(samples.classes), "manhattan", K)
        times.append(process_time() - start)
    return plan is not None, min(times)


def tree_seconds(make: Callable[..., object], samples: Samples, most: int = 64) -> float:
    """The same by a tree of scikit-learn per class."""
    start = process_time()
    ends = np.cumsum(samples.class_sizes)
    parts = np.split(samples.values, ends[:-1])
    trees = [make(part, leaf_size=40, metric="manhattan") for part in parts]
    once = process_time() - start
    queries = samples.values[:: -(-len(samples.values) // most)]
    start = process_time()
    for tree in trees:
        tree.query(queries, k=K + 1)
    return once + (process_time() - start) / len(queries) * len(samples.values)


def kept_trees() -> dict[str, list[str]]:
    """The columns of the trees on the page, by data."""
    lines = (PAGES / "search.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if line[:2] == "| "]
    return {line[1]: line[-3:-1] for line in cells}


def row(name: str, samples: Samples, kept: dict[str, list[str]], *, trees: bool) -> str:
    """One line of the table."""
    from sklearn.neighbors import BallTree, KDTree

    pairs, leaves = (search_seconds(way, samples) for way in ("pairs", "leaves"))
    ordered, seconds = look(samples)
    other = kept.get(name, ["", ""])
    if trees and name not in kept:
        other = [f"{tree_seconds(make, samples):.1f}" for make in (KDTree, BallTree)]
    chosen = "leaves" if ordered else "pairs"
    line = (
        f"| {name} | {pairs:.1f} | {leaves:.1f} | {pairs / leaves:.1f} | {chosen} "
        f"| {seconds:.3f} | {' | '.join(other)} |"
    )
    note(line)
    return line


def report(kept: dict[str, list[str]]) -> str:
    """All lines."""
    lines = [
        "| data | all pairs, s | by leaves, s | ratio | `auto` takes | to see that, s "
        "| KDTree, s | BallTree, s |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for p in FEATURES:
        sizes = [m for m in ROWS if m * p <= MOST_VALUES]
        lines += [row(f"uniform, {m:,} x {p}", uniform(m, p), kept, trees=True) for m in sizes]
    for shared in (0.0, 0.5, 0.9):
        name = f"Likert, 200,000 x 20, {shared:.0%} shared"
        lines.append(row(name, likert(200_000, 20, shared), kept, trees=True))
    repeated = likert(200_000, 20, 0.5)
    drawn = np.random.default_rng(2).integers(0, 5000, len(repeated.values))
    repeated = repeated._replace(values=repeated.values[drawn])
    lines.append(row("Likert, 200,000 x 20, 5,000 different rows", repeated, kept, trees=True))
    table = adult()
    if table is not None:
        lines.append(row(f"adult, {len(table.classes):,} x 14, mixed", table, kept, trees=False))
    return "\n".join(lines)


def page(tables: str) -> str:
    """The page kept in docs."""
    return f"""# Fewer pairs

The {K} nearest hits and misses of every row, exactly, Manhattan metric, two classes; made by
`python -m benchmarks.search --write` with
{environment("scikit-learn")}.

Seconds of one processor, with the order of rows or the tree that a search needs, computed from
{TASKS} or more tasks of 256 queries (trees: 64 queries) spread over all rows; the machine was
shared with other work, which slows everything that waits for memory.  *By leaves* finds the same
neighbours as *all pairs*.  `auto` is what `NumbaEngine` does unless told otherwise; it looks at a
few rows to decide.  Trees were timed once, before the rest: they do not depend on echelon.

{tables}
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/search.md")
    parser.add_argument("--keep-trees", action="store_true", help="columns of trees as they are")
    arguments = parser.parse_args()
    kept = kept_trees() if arguments.keep_trees else {}
    publish("search", lambda: page(report(kept)), arguments)


if __name__ == "__main__":
    main()
