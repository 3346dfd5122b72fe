"""``python -m benchmarks.error_rates --write``: nominal and observed error rates.

About 45 minutes on one core, two thirds of them for AutoSelector.  Finished data sets are kept: a
stopped run goes on.  After a change to what is measured, delete the folder of cells.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import partial
from pathlib import Path

from benchmarks.common import publish
from benchmarks.error_rates.cells import Cells
from benchmarks.error_rates.page import make_page

CELLS = Path(__file__).parent / "cells"
QUICK = 0.02


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.error_rates", description=__doc__)
    parser.add_argument("--cells", type=Path, default=CELLS, help="folder of finished data sets")
    parser.add_argument("--quick", action="store_true", help="very few data sets: does it run?")
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    given = parser.parse_args(arguments)
    if given.quick and given.write:
        parser.error("--quick measures too little to --write.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = Cells(given.cells, share=QUICK if given.quick else 1.0)
        publish("error_rates", partial(make_page, cells), given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished data sets are kept; the same command goes on from there.")
