"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``BoundsDisplay``    bounds of the weights of every feature
``IntervalDisplay``  prototypes of interval features, and the spread of the data
"""

from echelon.display._bounds import BoundsDisplay
from echelon.display._interval import IntervalDisplay

__all__ = ["BoundsDisplay", "IntervalDisplay"]
