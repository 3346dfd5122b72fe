"""``python -m benchmarks.targets --sets FOLDER``: measure, and the page."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from benchmarks.common import environment, publish
from benchmarks.ordered.page import Figures, by_set_table, main_table, skipped
from benchmarks.ordered.results import read
from benchmarks.ordered.study import SIZES, Study, run
from benchmarks.targets.data import SETS, find
from benchmarks.targets.rankers import RANKERS, REFERENCE
from echelon.methods import CLASSES, CONTINUOUS

CELLS = Path(__file__).parent / "cells"


def _label(kind: str, method: str) -> str:
    return RANKERS[kind][method].label


def part(folder: Path, kind: str) -> dict[str, str]:
    """The tables of one kind of target."""
    frame, labels = read(folder / kind), partial(_label, kind)
    figures = Figures.of(frame, REFERENCE)
    return {
        "all": main_table(figures, labels),
        "plain": by_set_table(figures, noise=False, labels=labels),
        "noisy": by_set_table(figures, noise=True, labels=labels),
        "skipped": skipped(frame, labels),
    }


def make_page(folder: Path) -> str:
    """The page, from all cells there are."""
    parts = {f"{kind}_{key}": text for kind in SETS for key, text in part(folder, kind).items()}
    return PAGE.format(
        sizes=", ".join(map(str, SIZES)),
        n_numbers=len(SETS[CONTINUOUS]),
        n_classes=len(SETS[CLASSES]),
        environment=environment("scikit-learn", "scipy"),
        **parts,
    )


PAGE = """# The default ranking for numbers, and for classes without an order

`AutoSelector` ranks features for every kind of target; [ordered classes](ordered.md) are what its
parts were chosen on.  Here the same default is measured on {n_numbers} sets with numbers and
{n_classes} with three or more classes without an order.  They were chosen before any ranking was
run on them with these targets, and nothing was tuned to them (some of the sets with numbers, cut
into grades, are among the fresh ones of the other page).

As there: at most 500 rows, five folds, one seed, rankings made in the training folds.  Errors are
averages along the best {sizes} features, of a linear model (ridge, logistic), 9 nearest
neighbours and 30 extremely randomised trees: absolute errors of numbers, the share of wrong
classes.  They are divided by those of the F test (`SelectKBest`), so below 1 is better than that.
"With noise": 30 or more columns more, real ones with their values permuted.  In brackets 95 %
intervals over data sets.

What came out: of numbers its ranking is first with columns of noise and level with stepwise
selection without; of classes it is first, but cannot be told from the F test or a forest as it is,
on so few sets.  Nothing was changed after this was seen.

## Numbers

{regression_all}

As it is, the smallest error of a set in bold:

{regression_plain}

With noise:

{regression_noisy}

Skipped: {regression_skipped}

## Classes without an order

{classification_all}

As it is:

{classification_plain}

With noise:

{classification_noisy}

Skipped: {classification_skipped}

{environment}.  `python -m benchmarks.targets.data --to FOLDER` writes the sets, `python -m
benchmarks.targets --sets FOLDER --write` measures again; finished cells are kept.
"""


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing and print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.targets", description=__doc__)
    add = parser.add_argument
    add("--sets", type=Path, help="folder of the data sets; without it only the page")
    add("--seeds", type=int, default=1, help="how many repetitions: seeds 0, 1, ...")
    add("--jobs", type=int, default=1, help="processes")
    add("--cells", type=Path, default=CELLS, help="folder of finished cells")
    add("--write", action="store_true", help="write the page in docs")
    given = parser.parse_args(arguments)
    for kind in SETS if given.sets else ():
        files = find(given.sets, kind)
        run(Study(RANKERS[kind], given.cells / kind, kind), files, given.seeds, given.jobs)
    publish("targets", partial(make_page, given.cells), given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are kept; the same command goes on from there.")
