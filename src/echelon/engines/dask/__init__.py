"""The engine for a cluster: blocks of rows on Dask workers, each searched by a local engine.

``_engine``     the primitives
``_blocks``     what a worker does: searches and sums between two blocks of rows
``_cluster``    waiting for a cluster: data that survive their worker, errors that say what happened
``_rowblocks``  Dask arrays and DataFrames, read block by block
"""

from echelon.engines.dask._engine import DaskEngine

__all__ = ["DaskEngine"]
