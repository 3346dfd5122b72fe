"""Selection where only the order of the features within a sample counts.

``rank_order``, ``boolean_order``, ``BooleanOrder``   samples as ranks, or as the order of all pairs
``spearman_distance``, ``kendall_distance``           how far two orders are apart
``tau_concordance``, ``class_centers``                how alike orders are, and what they center on
``spoiler_counts``, ``subset_divergence``             what a feature, or a set of them, is worth
``RankOrderSelector``                                 backward elimination by four criteria
``RankOrderClassifier``                               classes from orders
"""

from echelon.rankorder._classifier import RankOrderClassifier
from echelon.rankorder._counts import spoiler_counts
from echelon.rankorder._elimination import RankOrderSelector
from echelon.rankorder._pairs import BooleanOrder, boolean_order
from echelon.rankorder._projection import subset_divergence
from echelon.rankorder._space import (
    class_centers,
    kendall_distance,
    rank_order,
    spearman_distance,
    tau_concordance,
)

__all__ = [
    "BooleanOrder",
    "RankOrderClassifier",
    "RankOrderSelector",
    "boolean_order",
    "class_centers",
    "kendall_distance",
    "rank_order",
    "spearman_distance",
    "spoiler_counts",
    "subset_divergence",
    "tau_concordance",
]
