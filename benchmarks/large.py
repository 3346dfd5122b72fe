"""A table larger than the memory that may be used: answer, processor time and peak memory.

Parquet files are generated part by part, `echelon rank` runs on the folder in a new process, and
the folder goes.  The rank correlations are compared with those of some columns read whole, one by
one.

    python -m benchmarks.large --write
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from pyarrow.dataset import dataset

from benchmarks.common import environment, note, publish
from echelon import RankCorrelation
from echelon.filters import counted_association
from echelon.large import Files, draw
from echelon.targets import read_target

ROWS, FILE_ROWS = 50_000_000, 2_000_000
COMPARED = ("x1", "x4", "skewed", "level", "city")
"""Columns whose rank correlations are computed again, in memory."""


def part(number: int, n_rows: int) -> pd.DataFrame:
    """The rows of one file: 20 features of all kinds, and a grade from 1 to 5."""
    rng = np.random.default_rng(number)
    hidden = rng.normal(size=n_rows)
    cuts = np.array([-4.264891, -0.7, 0.2, 1.1])  # one row in 100,000 is below the first
    found: dict[str, object] = {"row": np.arange(number * FILE_ROWS, number * FILE_ROWS + n_rows)}
    for k in range(1, 9):  # weaker and weaker
        found[f"x{k}"] = hidden / 2**k + rng.normal(size=n_rows)
    for k in range(1, 5):
        found[f"noise{k}"] = rng.normal(size=n_rows).astype(np.float32)
    found["skewed"] = np.where(rng.random(n_rows) < 0.4, 0.0, rng.lognormal(hidden / 4))
    found["gaps"] = np.where(rng.random(n_rows) < 0.2, np.nan, hidden / 3 + rng.normal(size=n_rows))
    found["level"] = np.clip(np.rint(hidden / 2 + rng.normal(size=n_rows)), -3, 3).astype(np.int8)
    found["age"] = rng.integers(18, 90, n_rows).astype(np.int16)
    found["copy"] = found["x1"] * np.float64(2.0)
    names = np.array([f"city {k:02d}" for k in range(15)])
    city = np.clip(7.5 + hidden + rng.normal(size=n_rows) * 3, 0, 14).astype(int)
    found["city"] = pd.Categorical.from_codes((city * 7) % 15, names)
    colour = rng.integers(-1, 4, n_rows)
    found["colour"] = pd.Categorical.from_codes(colour, ["red", "green", "blue", "grey"])
    found["grade"] = (1 + np.searchsorted(cuts, hidden)).astype(np.int8)
    return pd.DataFrame(found)


def write(folder: Path, n_rows: int) -> float:
    """Write the files that are not there yet; their bytes on disk."""
    starts = range(0, n_rows, FILE_ROWS)
    for number, start in enumerate(starts):
        file = folder / f"part-{number:03d}.parquet"
        if file.exists():
            continue
        part(number, min(FILE_ROWS, n_rows - start)).to_parquet(file, row_group_size=500_000)
        note(f"{file.name} of {len(starts)}")
    return sum(file.stat().st_size for file in folder.iterdir())


class Run(NamedTuple):
    """What a run of the command printed and took."""

    printed: str
    seconds: float
    peak: float


COMMAND = """
import resource, sys
from echelon.cli import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, file=sys.stderr)
"""


def ranked(folder: Path, limit: str) -> Run:
    """The command in a new process."""
    command = [sys.executable, "-c", COMMAND, "rank", f"{folder}/", "--target", "grade"]
    command += ["--max-memory", limit, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, seconds, peak = map(float, done.stderr.splitlines()[-1].split())
    if code:
        raise RuntimeError(done.stderr)
    return Run(done.stdout, seconds, peak)


def with_first(folder: Path, n_files: int, place: Path) -> Path:
    """A folder with links to the first files."""
    some = place / f"first-{n_files}"
    some.mkdir(exist_ok=True)
    for file in sorted(folder.iterdir())[:n_files]:
        (some / file.name).symlink_to(file.resolve())
    return some


def compared(folder: Path) -> list[tuple[str, float, float, float]]:
    """Strength by counts and in memory, and the bound on their difference, of some columns."""
    drawn = draw(Files(dataset(folder, format="parquet")), "grade")
    frame = pd.concat([pd.read_parquet(file) for file in sorted(folder.iterdir())])
    y = read_target(frame["grade"], "ordinal")
    sample = drawn.sample(drawn.frame.drop(columns="grade"),
                          read_target(drawn.frame["grade"], "ordinal"))  # fmt: skip
    found = []
    for name in COMPARED:
        counted = counted_association(sample.counts[name], True)
        whole = RankCorrelation(kind="ordinal").fit(frame[[name]], y).scores_[0]
        found.append((name, counted.strength, float(whole), counted.error))
    return found


def page(n_rows: int, limit: str, place: str | None) -> str:
    """Runs on a part of the files and on all, and the page about them."""
    with TemporaryDirectory() as temporary:
        folder = Path(place or temporary) / "grades"
        folder.mkdir(exist_ok=True)
        size = write(folder, n_rows)
        n_files = len(list(folder.iterdir()))
        runs = []
        temporary = Path(temporary)
        for part_of in sorted({max(1, n_files // 5), n_files}):
            rows = min(part_of * FILE_ROWS, n_rows)
            runs.append((rows, ranked(with_first(folder, part_of, temporary), limit)))
            note(f"{rows:,}: {runs[-1][1].seconds:.0f} s, {runs[-1][1].peak / 1e9:.2f} GB")
        differences = compared(with_first(folder, 1, temporary))
    said = runs[-1][1].printed.replace(f"first-{n_files}", "grades")
    values = n_rows * 20 * 8
    lines = [
        "# Larger than memory",
        "",
        f"`echelon rank` on a folder of Parquet that does not fit into the memory it may use, by "
        f"`python -m benchmarks.large --write`.  {n_rows:,} rows, 20 columns and a grade from 1 "
        f"to 5, in {n_files} files of {size / 1e9:.1f} GB together ({values / 1e9:.0f} GB as "
        "numbers of 8 bytes); class 1 has one row in 100,000.  "
        f"{environment('pandas', 'pyarrow')}.",
        "",
        f"    $ echelon rank grades/ --target grade --max-memory {limit} --quiet",
        "",
        "Processor seconds and largest resident memory (`ru_maxrss`) of the process, imports and "
        "models included:",
        "",
        "| rows | processor, s | peak memory, GB |",
        "| ---: | ---: | ---: |",
        *(f"| {rows:,} | {run.seconds:.0f} | {run.peak / 1e9:.2f} |" for rows, run in runs),
        "",
        "## What binning changes",
        "",
        f"Strength of the association with the grade (Kendall's tau-b; of labels what corresponds "
        f"to it) in the first {min(FILE_ROWS, n_rows):,} rows: by counts, part by part, and as "
        "`RankCorrelation` finds it in memory; and the bound that is stated.",
        "",
        "| column | by counts | in memory | difference | bound |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {a:.7f} | {b:.7f} | {abs(a - b):.1e} | {bound:.1e} |"
            for name, a, b, bound in differences
        ),
        "",
        "## The answer",
        "",
        "```text",
        *(line.rstrip() for line in said.strip().splitlines()),
        "```",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--limit", default="1GB", help="for --max-memory")
    parser.add_argument("--folder", help="where files are, or are written and stay")
    parser.add_argument("--write", action="store_true", help="write the page")
    arguments = parser.parse_args()
    publish("large", lambda: page(arguments.rows, arguments.limit, arguments.folder), arguments)
