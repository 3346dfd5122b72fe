"""One table after the other: ranked inside its folds, judged by three models, kept as cells.

A cell is what one method did in one fold.  The cells of a method on one version of a set with one
seed are a file, so that runs with other methods can go on at the same time, and what is to be
measured again is deleted by hand: ``rm -r CELLS/METHOD``.
"""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.common import note
from benchmarks.ordered.data import Table, load, table
from benchmarks.ordered.judges import JUDGES, Judge
from benchmarks.ordered.orders import Ranking
from benchmarks.ordered.rankers import Ranker
from echelon.methods import CONTINUOUS, ORDERED
from papers.cells import Cells

SIZES = (1, 2, 3, 5, 8, 12, 18, 27, 40)
MOST_SECONDS = 60.0
FORMAT = "ordered 1"
"""Cells are good across versions of the library: its old methods do not change."""


class Unit(NamedTuple):
    """One version of a set with one seed: the columns, the noise and the folds are the same."""

    name: str
    noise: bool
    seed: int

    @property
    def file(self) -> str:
        """Name of the files that hold its cells."""
        return f"{self.name}{'+noise' if self.noise else ''}-{self.seed}.json"


def units(names: Iterable[str], n_seeds: int) -> list[Unit]:
    """All seeds of a set come after the first ones of the others: early tables show every set."""
    return [
        Unit(name, noise, seed)
        for seed in range(n_seeds)
        for name in names
        for noise in (False, True)
    ]


class TookTooLong(BaseException):
    """A ranking used up its processor time; not an Exception, which methods might catch."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what takes longer, in processor time, since the machine may be busy with others."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, should a callback swallow it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Fold:
    """The training and test samples of one fold, and the errors of all subsets judged there."""

    def __init__(
        self, data: Table, train: np.ndarray, test: np.ndarray, judge: Judge | None = None
    ):
        self.X, self.y, self.real = data.X[train], data.y[train], data.real
        self.truth, self.top = data.y[test], data.y.max()
        self._judge, self._codes = judge or JUDGES[data.kind], data.kind == ORDERED
        scaler = StandardScaler().fit(self.X)
        self._seen = scaler.transform(self.X)
        self._unseen = scaler.transform(data.X[test])
        self._known: dict[tuple[int, ...], list[float]] = {}

    def errors(self, features: Sequence[int]) -> list[float]:
        """The loss of every model with these features."""
        key = tuple(sorted(features))
        if key not in self._known:
            answers = [self._answers(model, list(key)) for model in self._judge.models()]
            self._known[key] = [self._judge.loss(self.truth, each) for each in answers]
        return self._known[key]

    def _answers(self, model: Any, features: list[int]) -> np.ndarray:
        """What a model predicts; without features the best guess."""
        if not features:
            return np.full(len(self.truth), self._judge.guess(self.y))
        found = model.fit(self._seen[:, features], self.y).predict(self._unseen[:, features])
        return np.clip(np.rint(found), 0, self.top) if self._codes else found

    def remember(self, cell: dict[str, Any]) -> None:
        """Take over errors from a cell of another method."""
        for size, errors in cell.get("errors", {}).items():
            self._known[tuple(sorted(cell["order"][: int(size)]))] = errors
        if cell.get("kept") is not None:
            self._known[tuple(sorted(cell["kept"]))] = cell["kept errors"]

    def judge(self, found: Ranking, seconds: float) -> dict[str, Any]:
        """The cell of a ranking."""
        cell: dict[str, Any] = {"order": found.order, "seconds": seconds, "kept": found.kept}
        sizes = [size for size in SIZES if size <= len(found.order)]
        cell["errors"] = {str(size): self.errors(found.order[:size]) for size in sizes}
        if found.order and not self.real.all():
            cell["area"] = roc_auc_score(self.real[found.order], -np.arange(len(found.order)))
        if found.kept is not None:
            cell["kept errors"] = self.errors(found.kept)
            cell["kept real"] = int(self.real[found.kept].sum())
        return cell


def n_folds(y: np.ndarray) -> int:
    """Five folds, three where the smallest class has one or two samples; numbers: five."""
    return 5 if y.dtype.kind == "f" or np.bincount(y).min() >= 3 else 3


def folds(data: Table, seed: int) -> list[Fold]:
    """The folds of a table; they depend on the classes and the seed only."""
    make = KFold if data.kind == CONTINUOUS else StratifiedKFold
    splitter = make(n_folds(data.y), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may be smaller than the number of folds
        return [Fold(data, *parts) for parts in splitter.split(data.X, data.y)]


@cache
def _warm(ranker: Ranker) -> None:
    """Compile before the clock runs."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    ranker.rank(rng.normal(size=(36, 4)) + y[:, None], y, 0)


def ranked(ranker: Ranker, fold: Fold, seed: int, limit: float) -> dict[str, Any]:
    """The cell of a ranking in a fold, or why there is none."""
    start = process_time()
    try:
        with limited(limit):
            found = ranker.rank(fold.X, fold.y, seed)
    except TookTooLong:
        return {"skipped": f"more than {limit:g} s"}
    except Exception as error:  # a peer that fails on one set must not end the run
        return {"skipped": f"{type(error).__name__}: {error}"}
    if found.order and sorted(found.order) != list(range(fold.X.shape[1])):
        return {"skipped": "its order does not hold every feature once"}
    return fold.judge(found, process_time() - start)


class Store:
    """The cells of one unit: one small file for a method."""

    def __init__(self, folder: Path, unit: Unit):
        self.folder, self.unit = folder, unit

    def of(self, method: str) -> Cells:
        """Cells of a method, by number of the fold."""
        return Cells(self.folder / method / self.unit.file, made=FORMAT)

    def methods(self) -> list[str]:
        """Methods that have cells here."""
        return [file.parent.name for file in self.folder.glob(f"*/{self.unit.file}")]

    def gave_up(self, method: str) -> dict[str, Any] | None:
        """A cell that says that the method takes too long on this set, here or with less noise."""
        name, noise, seed = self.unit
        for wide in {False, noise}:
            for before in range(seed + 1):
                cells = Store(self.folder, Unit(name, wide, before)).of(method).values
                for cell in cells.values():
                    if cell.get("skipped", "").startswith("more than"):
                        return cell
        return None


class Study(NamedTuple):
    """Rankings by name, the folder of their cells, and what the targets are."""

    rankers: Mapping[str, Ranker]
    folder: Path
    kind: str = ORDERED


def run_unit(study: Study, file: Path, unit: Unit, limit: float = MOST_SECONDS) -> float:
    """Fill the cells of one unit; seconds it took."""
    start, store = monotonic(), Store(study.folder, unit)
    data = table(file, noise=unit.noise, seed=unit.seed, kind=study.kind)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # peers warn of constant columns and small classes
        for number, fold in enumerate(folds(data, unit.seed)):
            _run_fold(fold, str(number), store, study.rankers, limit)
    return monotonic() - start


def _run_fold(
    fold: Fold, number: str, store: Store, rankers: Mapping[str, Ranker], limit: float
) -> None:
    """The missing cells of one fold; each is kept as soon as it is there."""
    for other in store.methods():
        fold.remember(store.of(other).values.get(number, {}))
    for method, ranker in rankers.items():
        cells = store.of(method)
        if number in cells.values:
            continue
        cell = store.gave_up(method)
        if cell is None:
            _warm(ranker)
            cell = ranked(ranker, fold, store.unit.seed, limit)
        cells.values[number] = cell
        cells.write()


def run(study: Study, files: Mapping[str, Path], n_seeds: int, n_jobs: int) -> None:
    """Fill all cells that are missing, and say how long it will take."""
    left = work_left(study, files, units(files, n_seeds))
    progress = Progress(left)
    jobs = (delayed(_timed)(study, files[unit.name], unit) for unit in left)
    for unit, seconds in Parallel(n_jobs, return_as="generator_unordered")(jobs):
        progress.finished(unit, seconds)


def _timed(study: Study, file: Path, unit: Unit) -> tuple[Unit, float]:
    return unit, run_unit(study, file, unit)


def work_left(study: Study, files: Mapping[str, Path], wanted: Sequence[Unit]) -> dict[Unit, float]:
    """Units with missing cells, small sets of a seed first, and about how much work each is."""
    labels = {name: load(file, study.kind)[1] for name, file in files.items()}
    left = {}
    for unit in sorted(wanted, key=lambda unit: (unit.seed, len(labels[unit.name]))):
        y, store = labels[unit.name], Store(study.folder, unit)
        cells = sum(n_folds(y) - len(store.of(method).values) for method in study.rankers)
        if cells:
            left[unit] = cells * (300.0 + len(y))  # the models' share that does not grow with rows
    return left


def forget_skipped(folder: Path, methods: Iterable[str], made: str = FORMAT) -> None:
    """Make room to try again what took too long or failed."""
    for file in (file for method in methods for file in (folder / method).glob("*.json")):
        cells = Cells(file, made=made)
        kept = {number: cell for number, cell in cells.values.items() if "skipped" not in cell}
        if len(kept) < len(cells.values):
            cells.values = kept
            cells.write()


class Progress:
    """A line for every finished unit (whatever has a file), with the time left."""

    def __init__(self, left: Mapping[Any, float]):
        self.left, self.total = dict(left), sum(left.values())
        self.n_units, self.start = len(left), monotonic()

    def finished(self, unit: Any, seconds: float) -> None:
        """Say so."""
        del self.left[unit]
        rest = sum(self.left.values())
        remaining = (monotonic() - self.start) * rest / (self.total - rest)
        done = self.n_units - len(self.left)
        note(
            f"{done} of {self.n_units}: {unit.file.removesuffix('.json')} in {seconds:.0f} s, "
            f"about {remaining / 60:.0f} min left"
        )
