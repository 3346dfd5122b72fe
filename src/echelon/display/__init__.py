"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``BoundsDisplay``        bounds of the weights of every feature
``EliminationDisplay``   divergence and accuracy against features removed
``FeatureCurveDisplay``  score against the number of features
``IntervalDisplay``      prototypes of interval features, and the spread of the data
``StabilityDisplay``     how often every feature is selected
"""

from echelon.display._bounds import BoundsDisplay
from echelon.display._curve import FeatureCurveDisplay
from echelon.display._elimination import EliminationDisplay
from echelon.display._interval import IntervalDisplay
from echelon.display._stability import StabilityDisplay

__all__ = [
    "BoundsDisplay",
    "EliminationDisplay",
    "FeatureCurveDisplay",
    "IntervalDisplay",
    "StabilityDisplay",
]
