"""The engine of small work: array operations only, nothing to compile.

``_engine``   all of it
"""

from echelon.engines.numpy._engine import NumpyEngine

__all__ = ["NumpyEngine"]
