"""Commands that need no table of the user's to be ranked: select, demo and warm-up."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from echelon._core.files import write_whole
from echelon._core.words import visible
from echelon.cli import _use
from echelon.cli._options import Common, Judging, Using
from echelon.cli._rank import study
from echelon.cli._terminal import InputError
from echelon.engines import NumbaEngine
from echelon.methods import CONTINUOUS, METHODS, ORDERED, Method


def select(selection: str, data: str, output: str, **asked: Any) -> None:
    """Write the selected columns of a file."""
    for line in _use.apply(_use.Applied(selection, data, output, **asked)):
        print(visible(line))


def demo(folder: str, quiet: bool) -> None:
    """Write bundled data as CSV files, rank the columns of one, and write a report beside it.

    Parameters
    ----------
    folder : str
        Where to write; files of an earlier demo are replaced.
    quiet : bool
        No progress.
    """
    from echelon.cli._bundled import BUNDLED

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name in ("wine", "diabetes"):
        write_whole(place / f"{name}.csv", BUNDLED[name].make().to_csv(index=False), overwrite=True)
    data, target = place / "wine.csv", BUNDLED["wine"].target
    report = str(place / "report.html")
    print(f"$ echelon rank {data} --target {target} --report {report}\n", flush=True)
    common = Common(str(data), target, report=report, force=True, quiet=quiet)
    study(common, Judging(), ["auto"], Using())


# ---------------------------------------------------------------------- compiling ahead


def warm_up(names: list[str], quiet: bool) -> None:
    """Compile what these methods need, all methods by default, and say how long it took."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}. See 'echelon methods'.")
    for name in names or METHODS:
        start = perf_counter()
        _fit_all_kinds(METHODS[name])
        if not quiet:
            print(f"{name:24} {perf_counter() - start:6.1f} s", file=sys.stderr, flush=True)


def _fit_all_kinds(method: Method) -> None:
    """Fit a method to every kind of data that has loops of its own, compiled at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that say nothing
        for X, y in _tables(method):
            selector = method.make(engine="numba", random_state=0, n_jobs=1).fit(X, y)
            if {"engine", "n_neighbors"} <= set(selector.get_params()):
                selector.set_params(engine=NumbaEngine(1, search="leaves")).fit(X, y)


LARGE_TABLES = {"forwardadditive": (2100, 100), "orderedsoftmargin": (700, 10)}
"""Sizes from which methods take compiled loops, where they do not at once."""


def _tables(method: Method) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """A target of every kind; complete data, and data with missing values if accepted."""
    rng = np.random.default_rng(0)
    n_samples, n_features = LARGE_TABLES.get(method.name, (60, 4))
    grades = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features)) + grades[:, None]
    if method.name == "intervalrelief":
        X = np.sort(X.reshape(n_samples, 2, 2))
    targets: list[np.ndarray] = [grades] if ORDERED in method.targets else [grades % 2]
    if CONTINUOUS in method.targets:
        targets.append(rng.normal(size=n_samples))
    for y in targets:
        yield X, y
        if method.takes_gaps:
            gaps = X.copy()
            gaps[::7, 1] = np.nan
            yield gaps, y
