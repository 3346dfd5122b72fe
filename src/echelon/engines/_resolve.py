"""From the ``engine`` parameter of an estimator to an engine."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from echelon.compat import StrOptions
from echelon.engines._base import Engine
from echelon.engines._numba import NumbaEngine

ENGINE_CONSTRAINTS: dict[str, list[Any]] = {
    "n_jobs": [Integral, None],
    "engine": [StrOptions({"auto", "numba"}), Engine],
}
"""Parameter constraints of the estimators whose arithmetic runs on an engine."""


def resolve_engine(engine: str | Engine, n_jobs: int | None) -> Engine:
    """The engine of that name, or the engine object itself.

    "auto" is the local engine: data never move elsewhere by themselves.
    """
    if isinstance(engine, Engine):
        return engine
    return NumbaEngine(n_jobs)
