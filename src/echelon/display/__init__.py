"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``AgreementDisplay``     how far several methods agree
``BoundsDisplay``        bounds of the weights of every feature
``DistributionDisplay``  the best features, class by class
``EliminationDisplay``   divergence and accuracy against features removed
``FeatureCurveDisplay``  score against the number of features
``IntervalDisplay``      prototypes of interval features, and the spread of the data
``ScoresDisplay``        scores of the features, and which were kept
``StabilityDisplay``     how often every feature is selected
"""

from echelon.display._agreement import AgreementDisplay
from echelon.display._bounds import BoundsDisplay
from echelon.display._curve import FeatureCurveDisplay
from echelon.display._distribution import DistributionDisplay
from echelon.display._elimination import EliminationDisplay
from echelon.display._interval import IntervalDisplay
from echelon.display._scores import ScoresDisplay
from echelon.display._stability import StabilityDisplay

__all__ = [
    "AgreementDisplay",
    "BoundsDisplay",
    "DistributionDisplay",
    "EliminationDisplay",
    "FeatureCurveDisplay",
    "IntervalDisplay",
    "ScoresDisplay",
    "StabilityDisplay",
]
