"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``BoundsDisplay``       bounds of the weights of every feature
``EliminationDisplay``  divergence and accuracy against features removed
``IntervalDisplay``     prototypes of interval features, and the spread of the data
"""

from echelon.display._bounds import BoundsDisplay
from echelon.display._elimination import EliminationDisplay
from echelon.display._interval import IntervalDisplay

__all__ = ["BoundsDisplay", "EliminationDisplay", "IntervalDisplay"]
