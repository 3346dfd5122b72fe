"""Rules run inside outer folds; what they select is evaluated by four models, and kept as cells.

A cell is what one rule did in one fold.  The cells of a rule on one version of a set are a file, so
that runs with other rules can go on at the same time, and what is to be measured again is deleted
by hand: ``rm -r "CELLS/400 rows/RULE"``.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.kept.data import LEAST_ROWS, ORIGINAL, Source, rows_of, table
from benchmarks.kept.rules import Rule
from benchmarks.ordered.data import Table
from benchmarks.ordered.judges import JUDGES, Judge
from benchmarks.ordered.study import Fold, Progress, TookTooLong, limited
from echelon.methods import CLASSES, CONTINUOUS
from papers.cells import Cells

N_FOLDS = 3
SEED = 0
MOST_SECONDS = 120.0
FORMAT = "kept 1"
SETS = "sets"
"""The folder, beside those of the rules, that says how large the sets are."""

TREES = {"n_estimators": 100, "min_samples_leaf": 2, "random_state": 0}
BOOSTING = {
    "max_iter": 60,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 5,
    "learning_rate": 0.1,
    "random_state": 0,
}
MODELS = ("linear", "9 neighbours", "extra trees", "boosting")


def referee(kind: str) -> Judge:
    """The four models of a kind of target, with the loss and the baseline of all benchmarks."""

    def models() -> tuple[Any, ...]:
        linear, neighbours, _ = JUDGES[kind].models()
        if kind == CLASSES:
            trees, boosting = ExtraTreesClassifier, HistGradientBoostingClassifier
        else:
            trees, boosting = ExtraTreesRegressor, HistGradientBoostingRegressor
        return linear, neighbours, trees(**TREES), boosting(**BOOSTING)

    return JUDGES[kind]._replace(models=models)


class Unit(NamedTuple):
    """One version of a set."""

    source: Source
    version: str

    @property
    def file(self) -> str:
        """Name of the files that hold its cells."""
        return f"{self.source.group}-{self.source.name}+{self.version}.json"


class Study(NamedTuple):
    """Rules by name, the most rows of a set, and the folder of the cells."""

    rules: Mapping[str, Rule]
    rows: int
    cells: Path

    @property
    def folder(self) -> Path:
        """Cells with another number of rows are others."""
        return self.cells / f"{self.rows} rows"

    def of(self, rule: str, unit: Unit) -> Cells:
        """Cells of a rule, by number of the fold."""
        return Cells(self.folder / rule / unit.file, made=FORMAT)

    def rules_for(self, kind: str) -> dict[str, Rule]:
        """The rules for a kind of target."""
        return {name: rule for name, rule in self.rules.items() if kind in rule.kinds}

    def gave_up(self, rule: str, unit: Unit) -> dict[str, Any] | None:
        """A cell that says that the rule takes too long here, or without the noise."""
        for version in {unit.version, ORIGINAL}:
            for cell in self.of(rule, unit._replace(version=version)).values.values():
                if cell.get("skipped", "").startswith("more than"):
                    return cell
        return None


class Part:
    """One fold: columns that vary in the training rows, and what the rules may see of them."""

    def __init__(self, data: Table, train: np.ndarray, test: np.ndarray):
        X = data.X[train]
        self.columns = np.flatnonzero(X.max(axis=0) > X.min(axis=0))
        self.real, self.kind = data.real, data.kind
        varying = data._replace(X=data.X[:, self.columns], real=data.real[self.columns])
        self.fold = Fold(varying, train, test, referee(data.kind))
        y = self.fold.y  # a small class may be missing: codes without gaps
        self.target = y if data.kind == CONTINUOUS else np.unique(y, return_inverse=True)[1]

    def select(self, rule: Rule, limit: float) -> dict[str, Any]:
        """The cell of a rule, or why there is none."""
        start = process_time()
        try:
            with limited(limit):
                found = rule.select(self.fold.X, self.target, self.kind, SEED)
        except TookTooLong:
            return {"skipped": f"more than {limit:g} s"}
        except Exception as error:  # a rule that fails on one set must not end the run
            return {"skipped": f"{type(error).__name__}: {error}".split("\n")[0]}
        return self.cell(sorted({int(i) for i in found}), process_time() - start)

    def cell(self, found: list[int], seconds: float) -> dict[str, Any]:
        """What was selected, in columns of the table, and the errors of the models with it."""
        kept = self.columns[found]
        return {
            "kept": kept.tolist(),
            "real": int(self.real[kept].sum()),
            "errors": self.fold.errors(found),
            "seconds": seconds,
        }


def parts(data: Table) -> Iterator[Part]:
    """The outer folds; they depend on the target only."""
    make = KFold if data.kind == CONTINUOUS else StratifiedKFold
    splitter = make(N_FOLDS, shuffle=True, random_state=SEED)
    for train, test in splitter.split(data.X, data.y):
        yield Part(data, train, test)


def _warm(name: str, rule: Rule, kind: str) -> None:
    """Import and compile before the clock runs, once in a process."""
    if (name, kind) not in WARM:
        WARM.add((name, kind))
        y = np.repeat([0, 1, 2], 12)
        X = np.random.default_rng(0).normal(size=(36, 4)) + y[:, None]
        with suppress(Exception):
            rule.select(X, y.astype(float) if kind == CONTINUOUS else y, kind, SEED)


WARM: set[tuple[str, str]] = set()


def run_unit(study: Study, unit: Unit, limit: float) -> float:
    """Fill the missing cells of one unit, each written at once; seconds it took."""
    start = monotonic()
    rules = study.rules_for(unit.source.kind)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # rules warn of small classes and of steps without an end
        for number, part in enumerate(parts(table(unit.source, unit.version, rows=study.rows))):
            for name, rule in rules.items():
                cells = study.of(name, unit)
                if str(number) not in cells.values:
                    cell = study.gave_up(name, unit)
                    if cell is None:
                        _warm(name, rule, unit.source.kind)
                        cell = part.select(rule, limit)
                    cells.values[str(number)] = cell
                    cells.write()
    return monotonic() - start


def run(
    study: Study,
    found: Sequence[Source],
    versions: Sequence[str],
    n_jobs: int = 1,
    limit: float = MOST_SECONDS,
) -> None:
    """Fill all missing cells, and say how long it will take."""
    large = [source for source in found if _large_enough(study, source)]
    units = [Unit(source, version) for version in versions for source in large]
    work = {unit: float(_n_missing(study, unit)) for unit in units}
    left = {unit: cells for unit, cells in work.items() if cells}
    progress = Progress(left)
    jobs = (delayed(_timed)(study, unit, limit) for unit in left)
    for unit, seconds in Parallel(n_jobs, return_as="generator_unordered")(jobs):
        progress.finished(unit, seconds)


def _timed(study: Study, unit: Unit, limit: float) -> tuple[Unit, float]:
    return unit, run_unit(study, unit, limit)


def _n_missing(study: Study, unit: Unit) -> int:
    rules = study.rules_for(unit.source.kind)
    return sum(N_FOLDS - len(study.of(name, unit).values) for name in rules)


def _large_enough(study: Study, source: Source) -> bool:
    """Whether a set has enough rows; its size is written down for the page."""
    name = f"{source.group}-{source.name}"
    cells = Cells(study.folder / SETS / f"{name}.json", made=FORMAT)
    if not cells.values:
        X, y = rows_of(source, study.rows)
        cells.values = {"rows": len(y), "features": X.shape[1]}
        cells.write()
    return cells.values["rows"] >= LEAST_ROWS


def read_sets(folder: Path) -> pd.DataFrame:
    """Rows and features of every set."""
    rows = []
    for file in sorted((folder / SETS).glob("*.json")):
        group, _, name = file.stem.partition("-")
        rows.append({"group": group, "data": name, **json.loads(file.read_text())["cells"]})
    return pd.DataFrame(rows, columns=["group", "data", "rows", "features"])


def read(folder: Path) -> pd.DataFrame:
    """One row for every cell of the units that have all folds."""
    files = [file for file in sorted(folder.glob("*/*.json")) if file.parent.name != SETS]
    rows = [row for file in files for row in _rows(file)]
    columns = ["method", "group", "data", "version", "fold", "skipped"]
    return pd.DataFrame(rows, columns=[*columns, *MODELS, "kept", "n_kept", "n_real", "seconds"])


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    unit, _, version = file.stem.rpartition("+")
    group, _, name = unit.partition("-")
    cells = json.loads(file.read_text())["cells"]
    keys = {"method": file.parent.name, "group": group, "data": name, "version": version}
    for fold, cell in cells.items() if len(cells) == N_FOLDS else ():
        row = {**keys, "fold": int(fold)}
        if "skipped" in cell:
            yield {**row, "skipped": cell["skipped"]}
            continue
        found = {"kept": cell["kept"], "n_kept": len(cell["kept"]), "n_real": cell["real"]}
        errors = dict(zip(MODELS, cell["errors"], strict=True))
        yield {**row, **found, **errors, "seconds": cell["seconds"]}
