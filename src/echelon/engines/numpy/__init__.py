"""The engine of small work: array operations only, nothing to compile.

``_engine``     the primitives
``_distances``  distances of some rows to others, and which of them are in order
``_places``     places shared at ties
"""

from echelon.engines.numpy._engine import NumpyEngine

__all__ = ["NumpyEngine"]
