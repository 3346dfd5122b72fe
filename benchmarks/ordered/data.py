"""The 24 sets with ordered classes, their two halves, and 27 fresh ones; all as numbers.

No data set is part of this project: they are read from a folder with one CSV file each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.ordered.fresh import SETS
from echelon.methods import CONTINUOUS, ORDERED
from papers.data import NO_FEATURES

FOLDERS = {
    "A_ordinal_orca": "automobile bondrate contact-lenses eucalyptus newthyroid pasture "
    "squash-stored squash-unstored tae winequality-red",
    "B_ordinal_relieff": "adult australian bankruptcyrisk cpu german_numeric24 housing "
    "japan_credit_crx wdbc",
    "F_ordinal_surveys": "swd esl lev era student_math soup",
}
HOMES = {name: folder for folder, names in FOLDERS.items() for name in names.split()}
"""Name of a set -> the folder that holds it."""

NAMES = tuple(sorted(HOMES))
FRESH = tuple(sorted(SETS))
"""Sets that had no part in the design."""

# `vendor` names the maker of a computer; the others are what the target was cut from, or no
# features at all.
DROPPED = ["vendor", *NO_FEATURES]

MOST_ROWS = 1600
LEAST_NOISE = 30


def _halves() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Drawn once and for all, so that nobody can choose where a method looks good."""
    order = np.random.default_rng(2026).permutation(len(NAMES))
    half = len(NAMES) // 2
    return tuple(NAMES[i] for i in order[:half]), tuple(NAMES[i] for i in order[half:])


TUNING, HELD_OUT = _halves()


class Table(NamedTuple):
    """Numbers, class codes 0, 1, ... (or numbers), which columns are real, and what y is."""

    X: np.ndarray
    y: np.ndarray
    real: np.ndarray
    kind: str = ORDERED


def find(folder: Path | str | None, names: Sequence[str]) -> dict[str, Path]:
    """The file of every set; what is missing is said in one sentence."""
    if folder is None:
        raise SystemExit("Pass --data FOLDER or set ECHELON_DATA to the folder of the data sets.")
    files = {name: _file(Path(folder), name) for name in names}
    missing = [f"{HOMES[name]}/{name}.csv" for name, file in files.items() if not file.exists()]
    if missing:
        raise SystemExit(
            f"`--data` must hold {', '.join(missing)}, {folder} does not; name a folder that "
            "does, or choose others with --sets."
        )
    return files


def find_fresh(folder: Path | None, names: Sequence[str] | None = None) -> dict[str, Path]:
    """The files of the sets that had no part in the design, or of some; none without a folder."""
    wanted = FRESH if names is None else names
    files = {} if folder is None else {name: folder / f"{name}.csv" for name in wanted}
    missing = [file.name for file in files.values() if not file.exists()]
    if missing:
        raise SystemExit(
            f"`--fresh` must hold {', '.join(missing)}, {folder} does not; write them with python "
            f"-m benchmarks.ordered.fresh --to {folder}"
        )
    return files


def _file(folder: Path, name: str) -> Path:
    plain = folder / HOMES[name] / f"{name}.csv"
    packed = plain.with_name(plain.name + ".gz")
    return packed if packed.exists() else plain


def load(file: Path, kind: str = ORDERED) -> tuple[np.ndarray, np.ndarray]:
    """Features as numbers (labels one column each, gaps the median); class codes, or numbers."""
    frame = pd.read_csv(file)
    if len(frame) > MOST_ROWS:
        frame = frame.iloc[np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]]
    y = frame.pop("target")
    y = y.astype(float) if kind == CONTINUOUS else y.rank(method="dense").astype(int) - 1
    X = pd.get_dummies(frame.drop(columns=DROPPED, errors="ignore")).astype(float)
    X = X.fillna(X.median())
    return X.loc[:, X.max() > X.min()].to_numpy(), y.to_numpy()


def with_noise(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same columns once or several times more, each with its values permuted on its own."""
    return np.hstack([X] + [rng.permuted(X, axis=0) for _ in range(n_copies(X))])


def n_copies(X: np.ndarray) -> int:
    """How often noise takes every column, for enough of it."""
    return int(np.ceil(LEAST_NOISE / X.shape[1]))


def table(file: Path, *, noise: bool, seed: int, kind: str = ORDERED) -> Table:
    """One version of a set, its columns shuffled: ties in index order favour no real column."""
    X, y = load(file, kind)
    rng = np.random.default_rng([seed, noise])
    wide = with_noise(X, rng) if noise else X
    order = rng.permutation(wide.shape[1])
    return Table(wide[:, order], y, order < X.shape[1], kind)
