"""``python -m benchmarks.evidence --write``: error rates and power of ``ConditionalEvidence``.

More than an hour on one core.  Finished data sets are kept: a stopped run goes on; ``--share 0``
writes what there is (two of each at least).  After a change to what is measured, delete the folder
of cells.  ``ECHELON_DATA`` names the folder of the real tables; other packages are measured where
they are installed.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from benchmarks.common import publish
from benchmarks.error_rates.cells import Cells
from benchmarks.evidence.page import make_page

CELLS = Path(__file__).parent / "cells"


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence", description=__doc__)
    parser.add_argument("--cells", type=Path, default=CELLS, help="folder of finished data sets")
    add = parser.add_argument
    add("--share", type=float, default=1.0, help="of the data sets; those that are there all count")
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    given = parser.parse_args(arguments)
    cells = Cells(given.cells, share=given.share)
    publish("evidence", partial(make_page, cells), given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished data sets are kept; the same command goes on from there.")
