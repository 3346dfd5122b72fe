"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``BoundsDisplay``       bounds of the weights of every feature
``EliminationDisplay``  divergence and accuracy against features removed
"""

from echelon.display._bounds import BoundsDisplay
from echelon.display._elimination import EliminationDisplay

__all__ = ["BoundsDisplay", "EliminationDisplay"]
