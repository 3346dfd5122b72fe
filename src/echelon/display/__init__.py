"""Plots of what was found: every display has ``.plot()`` and ``.frame()``.

``_scores``        ``ScoresDisplay``: scores of the features, and which were kept;
                   ``NullDisplay``: scores beside what chance reaches;
                   ``BoundsDisplay``: bounds of the weights of every feature
``_curve``         ``FeatureCurveDisplay``: score against the number of features;
                   ``EliminationDisplay``: divergence and accuracy against features removed
``_agreement``     ``AgreementDisplay``: how far several methods agree;
                   ``StabilityDisplay``: how often every feature is selected
``_distribution``  ``DistributionDisplay``: the best features, class by class;
                   ``IntervalDisplay``: prototypes of interval features, and the spread of the data
``_ordeval``       ``OrdEvalDisplay``: what every value of ordered features does to the outcome
``_evidence``      ``WeightsOfEvidenceDisplay``: the bins of features, for two classes
``style``          what all of them share: base classes, checks, colours, axes and labels
"""

from echelon.display._agreement import AgreementDisplay, StabilityDisplay
from echelon.display._curve import EliminationDisplay, FeatureCurveDisplay
from echelon.display._distribution import DistributionDisplay, IntervalDisplay
from echelon.display._evidence import WeightsOfEvidenceDisplay
from echelon.display._ordeval import OrdEvalDisplay
from echelon.display._scores import BoundsDisplay, NullDisplay, ScoresDisplay

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
    "WeightsOfEvidenceDisplay",
]
