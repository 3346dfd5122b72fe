"""The search by leaves: nearest neighbours without a look at most pairs (docs/search.md).

``_layout``        axes, codes and leaves: samples in small boxes
``_order``         rows in an order in which near ones stand together, and whether it pays
``_bound_loops``   how far queries lie from leaves: bounds by their boxes, sums of codes
``_search_loops``  the k nearest references, passing over leaves that are too far away
"""

from echelon.engines.numba.leaves._layout import Leaves, lay_out
from echelon.engines.numba.leaves._order import best_plan, can_order, compact_order, paying_plan
from echelon.engines.numba.leaves._search_loops import nearest_by_leaves

__all__ = [
    "Leaves",
    "best_plan",
    "can_order",
    "compact_order",
    "lay_out",
    "nearest_by_leaves",
    "paying_plan",
]
