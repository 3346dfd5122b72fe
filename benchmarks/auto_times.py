"""AutoSelector's times by rows and columns, beside other rules that choose a set on their own.

Every figure comes from a process of its own, which first fits a small table, so that imports and
compiled code are there.  Seconds are those of the processor, all threads together; the peak of the
memory is that of the whole process.  A fit that takes longer than the limit is ended, and so are
larger tables of the same row of sizes left out.

    python -m benchmarks.auto_times --keep auto_times.json --write
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import environment, note, publish, slopes
from benchmarks.kept.rules import AUTO, RULES

GOALS = {
    (1_000, 50): 8,
    (20_000, 14): 15,
    (72, 7_129): 15,
    (100, 20_000): 30,
    (4_000, 500): 60,
}
"""Rows and columns, and the seconds AutoSelector may take."""
LADDERS = {
    "rows": [(500, 50), (1_000, 50), (2_000, 50)],
    "columns": [(500, 25), (500, 50), (500, 100), (500, 200), (500, 400)],
}
"""Sizes along which the growth is measured."""
METHODS = (AUTO, "boruta", "rfecv", "abess")
INFORMATIVE = (1.0, -1.0, 0.7, -0.7, 0.5, 0.4)
"""Weights of the first columns in the target; all others are noise."""
LIMIT = 120
OF_OTHERS = 20
"""Seconds of the processor after which a fit is ended: of AutoSelector, and of the others."""

SHORTEST = 0.05
"""Seconds below which the clock is too coarse for a growth."""

CODE = """
import json, os, resource, sys, warnings
rows, columns, limit = (int(each) for each in sys.argv[2:])
import numpy as np
from benchmarks import auto_times
warnings.simplefilter("ignore")
select = auto_times.rule(sys.argv[1])
select(*auto_times.table(150, 6))
X, y = auto_times.table(rows, columns)
before = sum(os.times()[:4])
end = int(before) + limit + 1
resource.setrlimit(resource.RLIMIT_CPU, (end, end + 5))
found = [int(f) for f in select(X, y)]
print(json.dumps({"seconds": sum(os.times()[:4]) - before, "selected": found}))
"""


def table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Four ordered classes of a linear sum of the first columns, one product, and noise."""
    rng = np.random.default_rng([rows, columns])
    X = rng.normal(size=(rows, columns))
    weights = np.array(INFORMATIVE)
    score = X[:, : len(weights)] @ weights + 0.5 * X[:, 0] * X[:, 1] + rng.normal(size=rows)
    return X, np.digitize(score, [-1.2, 0.0, 1.2])


def rule(name: str) -> Any:
    """What selects columns of a table for a target of ordered classes."""
    if name != AUTO:
        return lambda X, y: RULES[name].select(X, y, "ordinal", 0)
    import echelon

    return lambda X, y: np.flatnonzero(echelon.AutoSelector(random_state=0).fit(X, y).support_)


def measure(name: str, size: tuple[int, int], limit: int) -> dict[str, Any]:
    """One method on one table: seconds, megabytes and what was selected; or the limit."""
    code = [sys.executable, "-c", CODE, name, *map(str, (*size, limit))]
    with tempfile.TemporaryFile("w+") as said:
        with subprocess.Popen(code, stdout=subprocess.PIPE, stderr=said, text=True) as started:
            printed = started.stdout.read()  # type: ignore[union-attr]
            _, status, used = os.wait4(started.pid, 0)  # what this process used, and no other
            started.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        last = said.read().strip().splitlines()[-1:]
    if started.returncode == 0:
        return json.loads(printed) | {"megabytes": used.ru_maxrss // 1024}
    if started.returncode == -signal.SIGXCPU:
        return {"limit": limit}
    return {"failed": "".join(last) or f"ended with {started.returncode}"}


def sizes() -> list[tuple[int, int]]:
    """All sizes, each once."""
    return list(dict.fromkeys([*GOALS, *(size for each in LADDERS.values() for size in each)]))


def key(name: str, size: tuple[int, int]) -> str:
    """What a cell is called in the file."""
    return f"{name} {size[0]}x{size[1]}"


def too_long_before(cells: dict[str, Any], name: str, size: tuple[int, int]) -> bool:
    """Whether a table with no more rows and no more columns already took too long."""
    tried = [each for each in sizes() if each[0] <= size[0] and each[1] <= size[1]]
    return any("limit" in cells.get(key(name, each), {}) for each in tried)


def fill(cells: dict[str, Any], methods: list[str], file: Path | None) -> None:
    """Measure what is missing, small tables first; every cell is written at once."""
    for name in methods:
        limit = LIMIT if name == AUTO else OF_OTHERS
        for size in sorted(sizes(), key=lambda size: size[0] * size[1]):
            if key(name, size) in cells:
                continue
            skip = too_long_before(cells, name, size)
            cells[key(name, size)] = {"limit": limit} if skip else measure(name, size, limit)
            note(f"{key(name, size)}: {cells[key(name, size)]}")
            if file is not None:
                file.write_text(json.dumps(cells, indent=1), encoding="utf-8")


def cell(found: dict[str, Any] | None) -> str:
    """Seconds, memory, and how many columns were selected, and how many of them are not noise."""
    if not found:
        return ""
    if "limit" in found:
        return f"> {found['limit']} s"
    if "failed" in found:
        return "failed"
    real = sum(f < len(INFORMATIVE) for f in found["selected"])
    taken = f"{len(found['selected'])} ({real})"
    return f"{found['seconds']:.1f} s, {found['megabytes']:,} MB, {taken}"


def growth(cells: dict[str, Any], name: str, ladder: str) -> str:
    """The exponent along one ladder, over the sizes that were finished."""
    place = 0 if ladder == "rows" else 1
    done = [size for size in LADDERS[ladder] if "seconds" in cells.get(key(name, size), {})]
    seconds = [cells[key(name, size)]["seconds"] for size in done]
    if len(done) < 3 or min(seconds) < SHORTEST:
        return ""
    return slopes([size[place] for size in done], seconds)


def against_goals(cells: dict[str, Any]) -> str:
    """Which goals were met, and which were missed."""
    taken = {size: cells.get(key(AUTO, size), {}).get("seconds", LIMIT) for size in GOALS}
    said = {
        what: ", ".join(f"{size[0]:,} x {size[1]:,}" for size in GOALS if met(size)) or "none"
        for what, met in {
            "met": lambda size: taken[size] <= GOALS[size],
            "missed": lambda size: taken[size] > GOALS[size],
        }.items()
    }
    return f"Goals met: {said['met']}.  Missed: {said['missed']}."


def page(cells: dict[str, Any]) -> str:
    """The page kept in docs."""
    head = " | ".join(RULES[name].label for name in METHODS)
    line = "| --- | --- | " + " | ".join("---" for _ in METHODS) + " |"
    lines = []
    for size in sorted(sizes(), key=lambda size: size[0] * size[1]):
        goal = f"{GOALS[size]} s" if size in GOALS else ""
        shown = " | ".join(cell(cells.get(key(name, size))) for name in METHODS)
        lines.append(f"| {size[0]:,} x {size[1]:,} | {goal} | {shown} |")
    missing = sum(key(name, size) not in cells for name in METHODS for size in sizes())
    unfinished = f"\n\n**Unfinished: {missing} fits are missing.**" if missing else ""
    newline, exponents = "\n", []
    for name in METHODS:
        along = " | ".join(growth(cells, name, ladder) for ladder in LADDERS)
        exponents.append(f"| {RULES[name].label} | {along} |")
    return f"""# Times of AutoSelector{unfinished}

Seconds of the processor, all threads together, the peak of the memory of the whole process, and how
many columns are selected (in brackets: how many of the {len(INFORMATIVE)} that the target was made
of), by `python -m benchmarks.auto_times --write` with
{environment("scikit-learn", "pandas")}.

The target has four ordered classes: a linear sum of {len(INFORMATIVE)} columns, a product of two of
them, and noise.  All other columns are noise.  Every figure comes from one fit in a process of its
own, which has fitted a small table before.  AutoSelector ranks the columns in 5 folds, evaluates
sets of them by a linear model and a forest, and tests the answer; Boruta runs 50 rounds of 100
trees; RFECV eliminates a fifth of the columns at a time by 50 trees in 5 folds; abess searches
linear models.  All are called as in [selected sets](kept.md), AutoSelector with its defaults.  A
fit of another rule is ended after {OF_OTHERS} s, and larger tables are then left out.  "Goal" is
what AutoSelector should take at most.  An empty cell was not measured; `--keep FILE` goes on.
Other work on the machine, which shares its caches, makes the seconds larger.

| rows x columns | goal | {head} |
{line}
{newline.join(lines)}

{against_goals(cells)}

## Growth

The seconds grow with rows, at 50 columns, and with columns, at 500 rows, to the power of (empty:
too few sizes, or too short to tell):

| rule | rows | columns |
| --- | --- | --- |
{newline.join(exponents)}

What bounds the growth with columns: of more than 200 columns, the search by neighbours and the
forest of the ranking are fitted to the 200 that the other rankings agree on, inside every fold; and
every split of the forest that evaluates sets of columns chooses among at most 200 of them
([details](../auto.md)).
"""


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and perhaps keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--write", action="store_true", help="write docs/benchmarks/auto_times.md")
    add("--keep", type=Path, help="file for figures, to go on after a stop")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    given = parser.parse_args(arguments)
    there = given.keep is not None and given.keep.exists()
    cells = json.loads(given.keep.read_text(encoding="utf-8")) if there else {}
    for name in (name for name in given.methods if not RULES[name].is_there()):
        note(f"{name} is skipped: the package {RULES[name].package} is not installed")
    fill(cells, [name for name in given.methods if RULES[name].is_there()], given.keep)
    publish("auto_times", lambda: page(cells), given)


if __name__ == "__main__":
    main()
