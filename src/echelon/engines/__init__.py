"""Where the arithmetic runs.

An engine offers a few primitives (nearest neighbours per group of classes, differences summed
over pairs, a parallel map); methods are written in terms of them and do not know which engine
they run on.  ``resolve_engine`` turns the ``engine`` parameter of an estimator into one.
"""

from echelon.engines._base import Classes, Engine, Found, Samples, Search
from echelon.engines._numba import TIE_TOLERANCE, NumbaEngine
from echelon.engines._resolve import ENGINE_CONSTRAINTS, resolve_engine
from echelon.kernels.pairs import ABOVE, ANY, BELOW

__all__ = [
    "ABOVE",
    "ANY",
    "BELOW",
    "ENGINE_CONSTRAINTS",
    "TIE_TOLERANCE",
    "Classes",
    "Engine",
    "Found",
    "NumbaEngine",
    "Samples",
    "Search",
    "resolve_engine",
]
