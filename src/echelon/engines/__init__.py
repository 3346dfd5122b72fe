"""Backends that do the computing.

An engine searches neighbours: it offers a few primitives (nearest neighbours per group of classes,
differences summed over pairs); methods are written in terms of them and do not know which engine
they run on.  ``resolve_engine`` turns the ``engine`` parameter of an estimator into one.

``_base``     what an engine must be able to do: what it is given, asked for, and finds
``_numpy``    array operations: nothing to compile, for small work
``numba``     compiled kernels in threads, the engine of every larger work unless told otherwise
``torch``     a GPU: tiles of samples in reduced precision, then exact distances
``dask``      a cluster: blocks of rows, each searched by a local engine
"""

import math
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

from echelon._core.compat import StrOptions
from echelon._core.extras import require
from echelon.engines._base import (
    TIE_TOLERANCE,
    Bands,
    BandSums,
    Classes,
    Engine,
    Found,
    Samples,
    Search,
)
from echelon.engines._base import Space as Space
from echelon.engines._numpy import NumpyEngine
from echelon.engines.numba import NumbaEngine
from echelon.kernels.pairs import ABOVE, ANY, BELOW

if TYPE_CHECKING:
    from echelon.engines.dask import DaskEngine
    from echelon.engines.torch import TorchEngine

__all__ = [
    "ABOVE",
    "ANY",
    "BELOW",
    "ENGINE_CONSTRAINTS",
    "TIE_TOLERANCE",
    "BandSums",
    "Bands",
    "Classes",
    "DaskEngine",
    "Engine",
    "Found",
    "NumbaEngine",
    "NumpyEngine",
    "Samples",
    "Search",
    "TorchEngine",
    "resolve_engine",
]

_OPTIONAL = {"torch": ("torch", "TorchEngine"), "dask": ("distributed", "DaskEngine")}
"""Engines by name: the package each needs, and its class."""

ENGINE_CONSTRAINTS: dict[str, list[Any]] = {
    "n_jobs": [Integral, None],
    "engine": [StrOptions({"auto", "numpy", "numba", *_OPTIONAL}), Engine],
}
"""Parameter constraints of the estimators whose arithmetic runs on an engine."""

SMALL = 5e7
"""Terms (queries times samples times features) up to which array operations are good enough.

ReliefF on 1,000 x 50 takes 20 ms then, and 10 ms by compiled loops, which take ten seconds to
compile."""


def resolve_engine(engine: str | Engine, n_jobs: int | None, work: float = math.inf) -> Engine:
    """The engine of that name, or the engine object itself.

    "auto" is a local engine: data never move elsewhere by themselves.  Small work, in terms, goes
    to the one that compiles nothing.  Which of the two it is depends on the size of the work alone,
    so that a fit gives the same numbers whenever it is repeated; they differ by rounding.

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
        return _class_of(engine)(n_jobs=n_jobs)
    if engine == "numpy" or (engine == "auto" and work <= SMALL):
        return NumpyEngine(n_jobs)
    return NumbaEngine(n_jobs)


def _class_of(name: str) -> Any:
    """The class of an engine that needs a package beyond the usual ones."""
    package, attribute = _OPTIONAL[name]
    require(f"The {name} engine needs", name, package)
    return getattr(import_module(f"echelon.engines.{name}"), attribute)


def __getattr__(name: str) -> Any:
    if name in ("DaskEngine", "TorchEngine"):
        return _class_of(name.removesuffix("Engine").lower())
    raise AttributeError(f"module 'echelon.engines' has no attribute {name!r}")
