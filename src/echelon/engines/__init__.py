"""Where the arithmetic runs.

An engine offers a few primitives (nearest neighbours per group of classes, differences summed
over pairs, a parallel map); methods are written in terms of them and do not know which engine
they run on.  ``resolve_engine`` turns the ``engine`` parameter of an estimator into one.

``_samples``  the samples that it is given, and groups of their classes
``_search``   what it is asked to find, and what it finds
``_base``     what an engine must be able to do
``_resolve``  from the ``engine`` parameter of an estimator to an engine
``numpy``     array operations: nothing to compile, for small work
``numba``     compiled kernels in threads, the engine of every larger work unless told otherwise
``torch``     a GPU: tiles of samples in reduced precision, then exact distances
``dask``      a cluster: blocks of rows, each searched by a local engine
"""

from typing import TYPE_CHECKING, Any

from echelon.engines._base import Engine
from echelon.engines._resolve import ENGINE_CONSTRAINTS, engine_class, resolve_engine
from echelon.engines._samples import Classes, Samples
from echelon.engines._search import TIE_TOLERANCE, Bands, BandSums, Found, Search
from echelon.engines.numba import NumbaEngine
from echelon.engines.numpy import NumpyEngine
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


def __getattr__(name: str) -> Any:
    if name in ("DaskEngine", "TorchEngine"):
        return engine_class(name.removesuffix("Engine").lower())
    raise AttributeError(f"module 'echelon.engines' has no attribute {name!r}")
