"""Four groups of data sets, each set in four versions: original, and with three kinds of noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from benchmarks.ordered.data import (
    FRESH,
    NAMES,
    Table,
    find,
    find_fresh,
    load,
    n_copies,
    with_noise,
)
from benchmarks.ordered.linear import standardised
from benchmarks.targets import data as targets
from echelon.methods import CLASSES, CONTINUOUS, ORDERED

GROUPS = {"tuning": ORDERED, "fresh": ORDERED, "numbers": CONTINUOUS, "classes": CLASSES}
"""Name of a group -> what its targets are."""

ORIGINAL, PERMUTED, CORRUPTED, PRODUCTS = "original", "permuted", "corrupted", "products"
LEAST_ROWS = 60
"""Smaller sets are left out: a third of their rows is too few to measure an error with."""

DEVIATION = 2.0
"""Of the Gaussian noise in a corrupted copy of a standardised column: a correlation of 0.45."""


class Source(NamedTuple):
    """A data set: its group, its name and its file."""

    group: str
    name: str
    file: Path

    @property
    def kind(self) -> str:
        """What its target is."""
        return GROUPS[self.group]


def names() -> dict[str, Sequence[str]]:
    """The sets of every group; four names are in two groups, with different targets."""
    of_targets = {kind: tuple(targets.SETS[kind]) for kind in (CONTINUOUS, CLASSES)}
    return {
        "tuning": NAMES,
        "fresh": FRESH,
        "numbers": of_targets[CONTINUOUS],
        "classes": of_targets[CLASSES],
    }


def sources(
    data: Path | str | None,
    fresh: Path | None,
    target: Path | None,
    wanted: Sequence[str] | None = None,
) -> list[Source]:
    """The sets in the folders that were given, all or those wanted."""
    if data is None and fresh is None and target is None:
        raise SystemExit("Pass --data, --fresh or --targets: the folders of the data sets.")
    chosen = {
        group: [name for name in known if wanted is None or name in wanted]
        for group, known in names().items()
    }
    files = {
        "tuning": {} if data is None else find(data, chosen["tuning"]),
        "fresh": find_fresh(fresh, chosen["fresh"]),
    }
    for group in ("numbers", "classes"):
        kind, option = GROUPS[group], "--targets"
        there = target is not None
        files[group] = targets.find(target, kind, chosen[group], option) if there else {}
    missing = sorted(set(wanted or ()).difference(*files.values()))
    if missing:
        raise SystemExit(f"Pass the folder that holds {', '.join(missing)}; see --help.")
    return [Source(group, *item) for group, found in files.items() for item in found.items()]


def rows_of(source: Source, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and target of at most so many rows, drawn at random; no constant columns."""
    X, y = load(source.file, source.kind)
    if len(y) > most:
        drawn = _generator(0, source.name).permutation(len(y))[:most]
        X, y = X[drawn], y[drawn]
    return X[:, X.max(axis=0) > X.min(axis=0)], y


def table(source: Source, version: str, *, rows: int, seed: int = 0) -> Table:
    """One version of a set, its columns shuffled: ties in index order favour no real column."""
    X, y = rows_of(source, rows)
    rng = _generator(seed, f"{source.name}+{version}")
    wide = VERSIONS[version](X, rng)
    order = rng.permutation(wide.shape[1])
    return Table(wide[:, order], y, order < X.shape[1], source.kind)


def _generator(seed: int, name: str) -> np.random.Generator:
    """The same numbers for the same name, in every process."""
    return np.random.default_rng([seed, crc32(name.encode())])


def _original(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X


def with_corrupted(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many columns more as `with_noise` adds: the real ones, standardised, plus noise."""
    copies = np.tile(standardised(X), n_copies(X))
    return np.hstack([X, copies + rng.normal(scale=DEVIATION, size=copies.shape)])


def with_products(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many columns more: products of two different real columns, standardised, at random."""
    A, n_noise = standardised(X), n_copies(X) * X.shape[1]
    pairs = [rng.choice(A.shape[1], 2, replace=False) for _ in range(n_noise)]
    return np.hstack([X, np.column_stack([A[:, i] * A[:, j] for i, j in pairs])])


VERSIONS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    ORIGINAL: _original,
    PERMUTED: with_noise,
    CORRUPTED: with_corrupted,
    PRODUCTS: with_products,
}
"""Name of a version -> how its columns are made of the real ones, which come first."""
