"""The local engine: compiled kernels in threads.

``_engine``   the primitives, and samples laid out for them: rounded values, error bounds
``_tiles``    sums over features for a tile of query rows against a block of reference rows
``_nearest``  the k nearest references of every query row, exactly, without a distance matrix
``_bands``    sums over all pairs, and over those within bands of distance, without listing pairs
``leaves``    the k nearest references, passing over most pairs
"""

from echelon.engines.numba._engine import NumbaEngine

__all__ = ["NumbaEngine"]
