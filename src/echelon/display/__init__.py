"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``_agreement``     ``AgreementDisplay``: how far several methods agree
``_bounds``        ``BoundsDisplay``: bounds of the weights of every feature
``_distribution``  ``DistributionDisplay``: the best features, class by class
``_elimination``   ``EliminationDisplay``: divergence and accuracy against features removed
``_curve``         ``FeatureCurveDisplay``: score against the number of features
``_interval``      ``IntervalDisplay``: prototypes of interval features, and the spread of the data
``_null``          ``NullDisplay``: scores beside what chance reaches
``_ordeval``       ``OrdEvalDisplay``: what every value of ordered features does to the outcome
``_scores``        ``ScoresDisplay``: scores of the features, and which were kept
``_stability``     ``StabilityDisplay``: how often every feature is selected
``_parts``         what displays are made of, checked
``style``          colours, axes and labels of all of them
"""

from echelon.display._agreement import AgreementDisplay
from echelon.display._bounds import BoundsDisplay
from echelon.display._curve import FeatureCurveDisplay
from echelon.display._distribution import DistributionDisplay
from echelon.display._elimination import EliminationDisplay
from echelon.display._interval import IntervalDisplay
from echelon.display._null import NullDisplay
from echelon.display._ordeval import OrdEvalDisplay
from echelon.display._scores import ScoresDisplay
from echelon.display._stability import StabilityDisplay

__all__ = [
    "AgreementDisplay",
    "BoundsDisplay",
    "DistributionDisplay",
    "EliminationDisplay",
    "FeatureCurveDisplay",
    "IntervalDisplay",
    "NullDisplay",
    "OrdEvalDisplay",
    "ScoresDisplay",
    "StabilityDisplay",
]
