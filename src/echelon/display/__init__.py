"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``BoundsDisplay``  bounds of the weights of every feature
"""

from echelon.display._bounds import BoundsDisplay

__all__ = ["BoundsDisplay"]
