"""Data whose answer is known.

``make_relevance``         strongly relevant, interchangeable and irrelevant features of a model
``make_rank_order``        orders of features: informative, extraneous and redundant ones
``make_concordant_ranks``  orders of features that agree within a class
"""

from echelon.datasets._rankorder import make_concordant_ranks, make_rank_order
from echelon.datasets._relevance import make_relevance

__all__ = ["make_concordant_ranks", "make_rank_order", "make_relevance"]
