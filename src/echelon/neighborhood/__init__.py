"""Neighborhoods: balls of a radius around every sample, and what they say about the classes.

``_relation``    the balls: nearest samples of other classes, samples within a radius
``_measures``    dependency, approximations, margin, decision errors, soft margin
``_base``        the search that both of these share
``_chosen``      the features chosen so far and their distances
``_answers``     what the nearest neighbours of every sample answer, and how far they err
``_array_answers``  the same by array operations, for small work
``_ordered_soft_margin``  forward selection by these errors
``_soft_margin`` forward selection by soft margin;  ``_rough_set``  by dependency
"""

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
from echelon.neighborhood._rough_set import NeighborhoodRoughSet
from echelon.neighborhood._soft_margin import NeighborhoodSoftMargin

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
