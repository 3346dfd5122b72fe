"""From the ``engine`` parameter of an estimator to an engine."""

from __future__ import annotations

from importlib import import_module
from numbers import Integral
from typing import Any

from echelon._core.compat import StrOptions
from echelon.engines._base import Engine
from echelon.engines.numba._engine import NumbaEngine

_OPTIONAL = {"torch": ("torch", "TorchEngine"), "dask": ("distributed", "DaskEngine")}
"""Engines by name: the package each needs, and its class."""

ENGINE_CONSTRAINTS: dict[str, list[Any]] = {
    "n_jobs": [Integral, None],
    "engine": [StrOptions({"auto", "numba", *_OPTIONAL}), Engine],
}
"""Parameter constraints of the estimators whose arithmetic runs on an engine."""


def resolve_engine(engine: str | Engine, n_jobs: int | None) -> Engine:
    """The engine of that name, or the engine object itself.

    "auto" is the local engine: data never move elsewhere by themselves.
    """
    if isinstance(engine, Engine):
        return engine
    if engine in _OPTIONAL:
        return engine_class(engine)(n_jobs=n_jobs)
    return NumbaEngine(n_jobs)


def engine_class(name: str) -> Any:
    """The class of an engine that needs a package beyond the usual ones."""
    package, attribute = _OPTIONAL[name]
    try:
        import_module(package)
    except ImportError as error:
        raise ImportError(
            f"The {name} engine needs the package {package}, which is not installed. Install it "
            f'with: pip install "echelon[{name}]"'
        ) from error
    return getattr(import_module(f"echelon.engines.{name}"), attribute)
