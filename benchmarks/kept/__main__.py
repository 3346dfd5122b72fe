"""``python -m benchmarks.kept --data FOLDER --fresh FOLDER --targets FOLDER``: rules side by side.

Finished cells are kept: a stopped run goes on, and new rules are added to the old ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from benchmarks.common import note, publish
from benchmarks.kept.data import VERSIONS, names, sources
from benchmarks.kept.page import make_page, page_of
from benchmarks.kept.rules import RULES
from benchmarks.kept.study import FORMAT, Study, run
from benchmarks.ordered.study import forget_skipped

CELLS = Path(__file__).parent / "cells"
ROWS = 400


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.kept", description=__doc__)
    add, known = made.add_argument, sorted({name for group in names().values() for name in group})
    add("--data", default=os.environ.get("ECHELON_DATA"), help="folder; default: ECHELON_DATA")
    add("--fresh", type=Path, help="folder of the sets that had no part in the design")
    add("--targets", type=Path, help="folder of the sets with numbers and with nominal classes")
    add("--rules", nargs="+", choices=RULES, default=list(RULES), metavar="RULE")
    add("--sets", nargs="+", choices=known, metavar="SET", help="default: all in the folders")
    add("--versions", nargs="+", choices=VERSIONS, default=list(VERSIONS), metavar="VERSION")
    add("--rows", type=int, default=ROWS, help="at most so many rows of a set, drawn at random")
    add("--jobs", type=int, default=1, help="processes")
    add("--cells", type=Path, default=CELLS, help="folder of finished cells")
    add("--retry", action="store_true", help="try skipped cells of these rules again")
    add("--page", action="store_true", help="measure nothing: only the page of what is there")
    add("--write", action="store_true", help="write the page in docs")
    return made


def measure(given: argparse.Namespace) -> None:
    """Fill the missing cells."""
    rules = {name: RULES[name] for name in given.rules if RULES[name].is_there()}
    for name in (name for name in given.rules if name not in rules):
        note(f"{name} is skipped: the package {RULES[name].package} is not installed")
    study = Study(rules, given.rows, given.cells)
    if given.retry:
        forget_skipped(study.folder, rules, FORMAT)
    found = sources(given.data, given.fresh, given.targets, given.sets)
    run(study, found, given.versions, given.jobs)


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    given = parser().parse_args(arguments)
    if not given.page:
        measure(given)
    made = partial(make_page, given.cells, given.rows, given.versions)
    publish(page_of(given.versions), made, given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are kept; the same command goes on from there.")
