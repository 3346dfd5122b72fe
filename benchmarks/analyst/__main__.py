"""Run what is not kept yet, and make the page of what there is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.analyst.data import TABLES
from benchmarks.analyst.measure import OUTER_FOLDS, run_command, run_fold, run_timing
from benchmarks.analyst.page import make_page
from benchmarks.common import data_folder, note, publish


def kept(file: Path, compute: Callable[[], Any]) -> Any:
    """A cell: read if it is there, computed and written if not."""
    if not file.exists():
        found = compute()
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
        note(f"{file.stem}: {json.dumps(found)[:200]}")
    return json.loads(file.read_text(encoding="utf-8"))


def run(folder: Path, cells: Path, names: list[str], *, only_kept: bool) -> dict[str, Any]:
    """All cells of some tables."""
    cells.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in names:
        files = [cells / f"{name} {part}.json" for part in ("command", *range(OUTER_FOLDS))]
        if only_kept and not all(file.exists() for file in files):
            continue
        table = TABLES[name](folder)
        command = kept(files[0], lambda name=name, table=table: run_command(name, table))
        folds = [kept(file, lambda table=table, k=k: run_fold(table, k))
                 for k, file in enumerate(files[1:])]  # fmt: skip
        found[name] = {"command": command, "folds": folds}
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of data sets")
    parser.add_argument("--cells", type=Path, default=Path("analyst-cells"), help="results kept")
    parser.add_argument("--sets", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--only-kept", action="store_true", help="run nothing, show what is kept")
    chosen = parser.parse_args()
    if chosen.data is None:
        raise SystemExit("Pass --data FOLDER or set ECHELON_DATA to the folder of the data sets.")
    publish(
        "analyst",
        lambda: make_page(
            run(chosen.data, chosen.cells, chosen.sets, only_kept=chosen.only_kept),
            kept(chosen.cells / "timing.json", run_timing),
            list(TABLES),
        ),
        chosen,
    )
