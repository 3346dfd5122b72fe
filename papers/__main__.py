"""``python -m papers NAME --data FOLDER``: the experiments of a paper again.

Finished parts are kept, so that a stopped run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from papers.cells import Cells
from papers.data import Data
from papers.pages import FOLDER, IMAGES, index

NAMES = ("large_margin", "soft_margin", "relevance_bounds", "interval", "rank_order")
COMMAND = "python -m papers "
QUICK = "  **Made-up data and few repetitions: the figures and verdicts mean nothing.**"
RESULTS = Path(__file__).parent / "results"


def run(
    name: str, data: Data, *, quick: bool, results: Path, jobs: int = 2, fresh: bool = False
) -> str:
    """Compute what is not there yet and return the page of a paper."""
    paper = import_module(f"papers.{name}")
    cells = Cells(results / f"{name}{'-quick' if quick else ''}.json", fresh=fresh)
    found = cells.run(paper.tasks(data, quick=quick), jobs)
    page = paper.page(found)
    page.draw(results if quick else IMAGES)
    return page.text(f"{COMMAND}{name} --quick", QUICK) if quick else page.text(COMMAND + name)


def main(arguments: list[str] | None = None) -> None:
    """Run one paper or all."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("name", choices=[*NAMES, "all"], help="the paper")
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("ECHELON_DATA"),
        help="folder of the papers' data; default: the variable ECHELON_DATA",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small made-up data, a minute: shows that it runs"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--fresh", action="store_true", help="forget finished parts")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of finished parts")
    given = parser.parse_args(arguments)
    data = Data.stand_ins() if given.quick else Data.folder(given.data)
    for name in NAMES if given.name == "all" else [given.name]:
        text = run(
            name,
            data,
            quick=given.quick,
            results=given.results,
            jobs=given.jobs,
            fresh=given.fresh,
        )
        if given.quick:
            print(text)
        else:
            (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
            print(f"written: {FOLDER / name}.md", file=sys.stderr)
    if not given.quick and all((FOLDER / f"{name}.md").exists() for name in NAMES):
        (FOLDER / "README.md").write_text(index(FOLDER, NAMES), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished parts are kept; the same command goes on from there.")
