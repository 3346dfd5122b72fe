"""Neighborhoods: balls of a radius around every sample, and what they say about the classes.

``_relation``  the balls: nearest samples of other classes, samples within a radius
``_measures``  dependency, approximations, margin, decision errors, soft margin
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

__all__ = [
    "boundary",
    "decision_errors",
    "dependency",
    "lower_approximation",
    "neighborhood_margin",
    "soft_margin",
    "upper_approximation",
]
