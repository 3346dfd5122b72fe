"""``python -m benchmarks.ordered --data FOLDER``: rankings for ordered classes, side by side.

Finished cells are kept: a stopped run goes on, and new methods are added to the old ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from benchmarks.common import publish
from benchmarks.ordered import growth
from benchmarks.ordered.data import NAMES, find, find_fresh
from benchmarks.ordered.page import make_page
from benchmarks.ordered.rankers import AUTO, RANKERS
from benchmarks.ordered.study import Study, forget_skipped, run

CELLS = Path(__file__).parent / "cells"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.ordered", description=__doc__)
    add = made.add_argument
    add("--data", default=os.environ.get("ECHELON_DATA"), help="folder; default: ECHELON_DATA")
    add("--seeds", type=int, default=1, help="how many repetitions: seeds 0, 1, ...")
    add("--jobs", type=int, default=1, help="processes")
    add("--sets", nargs="+", choices=NAMES, default=NAMES, metavar="SET", help="default: all 24")
    add("--fresh", type=Path, help="folder of the sets that had no part in the design; run too")
    add("--methods", nargs="+", choices=RANKERS, default=list(RANKERS), metavar="METHOD")
    add("--cells", type=Path, default=CELLS, help="folder of finished cells")
    add("--retry", action="store_true", help="try skipped cells of these methods again")
    add("--growth", action="store_true", help="measure the time of AutoSelector against size too")
    add("--page", action="store_true", help="measure nothing: only the page of what is there")
    add("--write", action="store_true", help="write the page in docs")
    return made


def measure(given: argparse.Namespace) -> None:
    """Fill the missing cells."""
    if given.retry:
        forget_skipped(given.cells, given.methods)
    files = find(given.data, given.sets) | find_fresh(given.fresh)
    study = Study({name: RANKERS[name] for name in given.methods}, given.cells)
    run(study, files, given.seeds, given.jobs)
    if given.growth and AUTO in RANKERS:
        growth.measure(given.cells)


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    given = parser().parse_args(arguments)
    if not given.page:
        measure(given)
    publish("ordered", partial(make_page, given.cells), given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are kept; the same command goes on from there.")
