"""Filters: features evaluated by counts, ranks and least squares.

``_base``       what the filters share: any target, ordered and nominal columns, bags
``_measures``   of nominal columns: symmetric uncertainty, mutual information, inconsistency rate
``_baselines``  CFS and Consistency, to compare with
``_information_value``        InformationValue: as in credit scoring, corrected for chance
``_rank_correlation``         RankCorrelation: every feature by itself, with p-values
``_counted``                  rank correlation from counts of values, and what binning may change
``_rank_mutual_information``  RankMutualInformation: information in the order of a feature
``_mrmr``              MRMR: features associated with the target but not with each other
``_forward_linear``    ForwardLinear: additive linear effects
``_forward_additive``  ForwardAdditive: additive nonlinear effects
``_forest``            ForestImportance: importance in extremely randomised trees
``_loops``             compiled loops over categories and ranks, and of boosting
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
