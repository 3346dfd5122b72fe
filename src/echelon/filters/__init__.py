"""Classic filters to compare with: they judge sets of discretised features by counting.

``_discretize``   numeric columns as intervals, missing values as a category of their own
``_measures``     symmetric uncertainty, inconsistency rate
``_base``         the estimator shared by both
``_cfs``          CFS: features that go with the classes but not with each other
``_consistency``  Consistency: as few features as tell the classes apart as well as all
"""

from echelon.filters._cfs import CFS
from echelon.filters._consistency import Consistency
from echelon.filters._measures import inconsistency_rate, symmetric_uncertainty

__all__ = ["CFS", "Consistency", "inconsistency_rate", "symmetric_uncertainty"]
