"""The local engine: compiled kernels in threads.

``_engine``   the primitives
``_packing``  samples laid out for the search: rounded values, blocks of lanes, error bounds
``_nearest``  the k nearest references of every query row, exactly, without a distance matrix
``_axes``     columns, and sums of columns that go together, along which rows are told apart
``_codes``    how values are written down in leaves: in 8 or 16 bits, or as they are
``_compact``  rows in an order in which near ones stand together, and whether it pays
``_leaves``   samples laid out in that order: small boxes, and the codes of rows in them
``_boxes``    how far queries lie outside the boxes
``_leaf_sums``  distances of queries to the rows of a leaf, and limits from a look ahead
``_visits``   the k nearest references, passing over boxes that are too far away
``_distances``  sums of the distances of every row to all others
``_bands``    sums over all pairs within bands of distance, without listing pairs
``_tiles``    sums over features for a tile of query rows against a block of reference rows
"""

from echelon.engines.numba._engine import NumbaEngine

__all__ = ["NumbaEngine"]
