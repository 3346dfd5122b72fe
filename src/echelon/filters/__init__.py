"""Filters: features judged by counts, ranks and least squares.

``_discretize``   numeric columns as intervals, missing values as a category of their own
``_logs``         logarithms of counts as integers
``_measures``     symmetric uncertainty, mutual information, inconsistency rate
``_base``         the estimator shared by CFS and Consistency
``_cfs``          CFS: features that go with the classes but not with each other
``_consistency``  Consistency: as few features as tell the classes apart as well as all
``_evidence``     weights of evidence of bins, and what chance adds to them
``_information_value``  InformationValue: every feature by itself, as credit scoring counts

``_outcome``           any target: ordered classes, classes without an order, numbers
``_association``       rank statistics of every feature, and their p-values
``_rank_correlation``  RankCorrelation: every feature by itself
``_rank_information``  information that one order holds on another
``_rank_mutual_information``  RankMutualInformation: every feature by itself
``_relations``         all these measures, with the target and between features
``_mrmr``              MRMR: features that go with the target but not with each other
``_bags``              searches repeated over bootstrap samples
``_pursuit``           forward selection in a linear model
``_forward_linear``    ForwardLinear: features that add to each other in a linear model
``_forest``            ForestImportance: what extremely random trees split by
``_additive``          boosting on bins
``_forward_additive``  ForwardAdditive: features that add to each other along any curves
"""

from echelon.filters._cfs import CFS
from echelon.filters._consistency import Consistency
from echelon.filters._forest import ForestImportance
from echelon.filters._forward_additive import ForwardAdditive
from echelon.filters._forward_linear import ForwardLinear
from echelon.filters._information_value import InformationValue
from echelon.filters._measures import inconsistency_rate, symmetric_uncertainty
from echelon.filters._mrmr import MRMR
from echelon.filters._rank_correlation import RankCorrelation
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
