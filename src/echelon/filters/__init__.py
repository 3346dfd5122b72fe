"""Filters: features judged by counts, ranks and least squares.

``_discretize``   numeric columns as intervals, missing values as a category of their own
``_measures``     symmetric uncertainty, inconsistency rate
``_base``         the estimator shared by both
``_cfs``          CFS: features that go with the classes but not with each other
``_consistency``  Consistency: as few features as tell the classes apart as well as all

``_outcome``           any target: ordered classes, classes without an order, numbers
``_association``       rank statistics of every feature, and their p-values
``_rank_correlation``  RankCorrelation: every feature by itself
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
from echelon.filters._measures import inconsistency_rate, symmetric_uncertainty
from echelon.filters._rank_correlation import RankCorrelation

__all__ = [
    "CFS",
    "Consistency",
    "ForestImportance",
    "ForwardAdditive",
    "ForwardLinear",
    "RankCorrelation",
    "inconsistency_rate",
    "symmetric_uncertainty",
]
