"""Neighborhoods: balls of a radius around every sample, and what they say about the classes.

``_measures``  dependency, approximations, margin, decision errors, soft margin
``_chosen``    the features chosen so far, their distances, and what finds the best one to add
``_balls``     ``NeighborhoodSoftMargin``, ``NeighborhoodRoughSet``: forward selection by balls
``_ordered_soft_margin``  ``OrderedSoftMargin``: forward selection by nearest neighbours
``_single_loops``  nearest neighbours along one column, by sorting
``_loops``     the compiled loops of both
"""

from echelon.neighborhood._balls import NeighborhoodRoughSet, NeighborhoodSoftMargin
from echelon.neighborhood._measures import (
    boundary,
    decision_errors,
    dependency,
    lower_approximation,
    neighborhood_margin,
    soft_margin,
    upper_approximation,
)
from echelon.neighborhood._ordered_soft_margin import OrderedSoftMargin

__all__ = [
    "NeighborhoodRoughSet",
    "NeighborhoodSoftMargin",
    "OrderedSoftMargin",
    "boundary",
    "decision_errors",
    "dependency",
    "lower_approximation",
    "neighborhood_margin",
    "soft_margin",
    "upper_approximation",
]
