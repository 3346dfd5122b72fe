"""Compiling ahead: every method once, on data small enough not to matter."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from echelon.cli._errors import InputError
from echelon.engines import NumbaEngine
from echelon.kernels import compiling
from echelon.methods import CONTINUOUS, METHODS, ORDERED, Method


def warm_up(names: list[str], quiet: bool) -> None:
    """Compile what these methods need, all methods by default, and say how long it took."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InputError(f"There is no method {unknown[0]!r}. See 'echelon methods'.")
    for name in names or METHODS:
        start = perf_counter()
        fit_all_kinds(METHODS[name])
        if not quiet:
            print(f"{name:24} {perf_counter() - start:6.1f} s", file=sys.stderr, flush=True)


def fit_all_kinds(method: Method) -> None:
    """Fit a method to every kind of data that has loops of its own, compiled at once."""
    with compiling(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that say nothing
        for X, y in _tables(method):
            selector = method.make(engine="numba", random_state=0, n_jobs=1).fit(X, y)
            if {"engine", "n_neighbors"} <= set(selector.get_params()):
                selector.set_params(engine=NumbaEngine(1, search="leaves")).fit(X, y)


def _tables(method: Method) -> Iterator[tuple[Any, np.ndarray]]:
    """Classes, and numbers where they may be the target; complete, and with gaps if taken."""
    rng = np.random.default_rng(0)
    grades = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + grades[:, None]
    if method.name == "intervalrelief":
        X = np.sort(X.reshape(60, 2, 2))
    targets: list[np.ndarray] = [grades] if ORDERED in method.targets else [grades % 2]
    if CONTINUOUS in method.targets:
        targets.append(rng.normal(size=60))
    for y in targets:
        yield X, y
        if method.takes_gaps:
            gaps = X.copy()
            gaps[::7, 1] = np.nan
            yield gaps, y
