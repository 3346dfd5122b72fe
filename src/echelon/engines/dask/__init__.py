"""The engine for a cluster: blocks of rows on Dask workers, each searched by a local engine.

``_engine``     the primitives
``_blocks``     what a worker does: searches and sums between two blocks of rows
``_cluster``    data on a cluster: waiting for it, data that survive their worker, collections
"""

from echelon.engines.dask._engine import DaskEngine

__all__ = ["DaskEngine"]
