"""Evidence for features: which are needed beside all others, with error rates.

``_conditional_evidence``  ConditionalEvidence: needed, replaceable, or no evidence
``_conditional``  models of one column given the others: expected values, residuals, new draws
``_curved``       columns and their squares, where these predict better
``_outcome``      what a target is to the tests: its columns, a model of them, residuals
``_tests``        the two conditional tests of features, or groups of them, on held-out rows
``_related``      features that go together: clusters, and which carry the information of one
``_knockoffs``    KnockoffSelector: a false discovery rate for features needed beside all others
``_sequential``   knockoffs of a table of mixed columns, drawn one feature after the other
``_stability``    StabilitySelector: any ranking, with an expected number of false positives
"""

from echelon.evidence._conditional_evidence import ConditionalEvidence
from echelon.evidence._knockoffs import KnockoffSelector
from echelon.evidence._related import Cluster
from echelon.evidence._stability import StabilitySelector

__all__ = ["Cluster", "ConditionalEvidence", "KnockoffSelector", "StabilitySelector"]
