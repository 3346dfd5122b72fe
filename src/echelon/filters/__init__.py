"""Filters: features evaluated by counts, ranks and least squares.

``_base``       what the filters share: any target, columns in order or as labels, bags
``_measures``   what labels tell: symmetric uncertainty, mutual information, inconsistency rate
``_baselines``  CFS: features that go with the classes but not with each other; Consistency: as few
                features as tell the classes apart as well as all
``_information_value``        InformationValue: every feature by itself, as credit scoring counts
``_rank_correlation``         RankCorrelation: every feature by itself, with p-values
``_counted``                  rank correlation from counts of values, and what binning may change
``_rank_mutual_information``  RankMutualInformation: what the order of a feature tells
``_mrmr``              MRMR: features that go with the target but not with each other
``_forward_linear``    ForwardLinear: features that add to each other in a linear model
``_forward_additive``  ForwardAdditive: additive nonlinear effects
``_forest``            ForestImportance: what extremely random trees split by
``_loops``             compiled loops: over labels, over ranks, and of boosting
"""

from echelon.filters._baselines import CFS, Consistency
from echelon.filters._counted import Counts as Counts
from echelon.filters._counted import counted_association as counted_association
from echelon.filters._forest import ExtraTrees as ExtraTrees
from echelon.filters._forest import ForestImportance
from echelon.filters._forward_additive import ForwardAdditive
from echelon.filters._forward_linear import ForwardLinear
from echelon.filters._information_value import InformationValue
from echelon.filters._measures import inconsistency_rate, symmetric_uncertainty
from echelon.filters._mrmr import MRMR
from echelon.filters._rank_correlation import Association as Association
from echelon.filters._rank_correlation import RankCorrelation
from echelon.filters._rank_correlation import associations_with as associations_with
from echelon.filters._rank_mutual_information import RankMutualInformation

__all__ = [
    "CFS",
    "MRMR",
    "Consistency",
    "ForestImportance",
    "ForwardAdditive",
    "ForwardLinear",
    "InformationValue",
    "RankCorrelation",
    "RankMutualInformation",
    "inconsistency_rate",
    "symmetric_uncertainty",
]
