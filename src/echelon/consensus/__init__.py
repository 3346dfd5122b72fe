"""Several rankings as one: what complementary methods agree on.

``_fusion``    places of features in several rankings, and their fusion
``_selector``  ``ConsensusSelector``: any selectors, ours or scikit-learn's, fused
``_default``   ``default_ranker``: what takes part by default, by kind of target and size of data
"""

from echelon.consensus._default import default_ranker
from echelon.consensus._selector import ConsensusSelector

__all__ = ["ConsensusSelector", "default_ranker"]
