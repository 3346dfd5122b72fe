"""From the ``engine`` parameter of an estimator to an engine."""

from __future__ import annotations

import math
from importlib import import_module
from numbers import Integral
from typing import Any

from echelon._core.compat import StrOptions
from echelon._core.extras import require
from echelon.engines._base import Engine
from echelon.engines.numba._engine import NumbaEngine
from echelon.engines.numpy._engine import NumpyEngine

_OPTIONAL = {"torch": ("torch", "TorchEngine"), "dask": ("distributed", "DaskEngine")}
"""Engines by name: the package each needs, and its class."""

ENGINE_CONSTRAINTS: dict[str, list[Any]] = {
    "n_jobs": [Integral, None],
    "engine": [StrOptions({"auto", "numpy", "numba", *_OPTIONAL}), Engine],
}
"""Parameter constraints of the estimators whose arithmetic runs on an engine."""

SMALL, LARGE = 4e6, 4e9
"""Terms (queries times samples times features) up to which array operations are as fast as compiled
loops, and from which on they take longer than compiling them."""


def resolve_engine(engine: str | Engine, n_jobs: int | None, work: float = math.inf) -> Engine:
    """The engine of that name, or the engine object itself.

    "auto" is a local engine: data never move elsewhere by themselves.  Small work, in terms, goes
    to the one that compiles nothing, and so does work of medium size while there is no compiled
    code; results are the same but for rounding.

    Examples
    --------
    >>> from echelon.engines import resolve_engine
    >>> type(resolve_engine("auto", n_jobs=None, work=1_000)).__name__  # nothing to compile
    'NumpyEngine'
    >>> type(resolve_engine("auto", n_jobs=None)).__name__
    'NumbaEngine'
    """
    if isinstance(engine, Engine):
        return engine
    if engine in _OPTIONAL:
        return engine_class(engine)(n_jobs=n_jobs)
    if engine == "numpy" or (engine == "auto" and not _compiled_pays(work)):
        return NumpyEngine(n_jobs)
    return NumbaEngine(n_jobs)


def _compiled_pays(work: float) -> bool:
    return work > SMALL and (work > LARGE or NumbaEngine.at_hand())


def engine_class(name: str) -> Any:
    """The class of an engine that needs a package beyond the usual ones."""
    package, attribute = _OPTIONAL[name]
    require(f"The {name} engine needs", name, package)
    return getattr(import_module(f"echelon.engines.{name}"), attribute)
