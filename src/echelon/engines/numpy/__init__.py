"""The engine of small work: array operations only, nothing to compile."""

from echelon.engines.numpy._engine import NumpyEngine

__all__ = ["NumpyEngine"]
