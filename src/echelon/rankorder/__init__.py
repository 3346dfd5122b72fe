"""Selection where only the order of the features within a sample counts.

``_orders``       ``rank_order``, ``spearman_distance``, ``kendall_distance``, ``tau_concordance``,
                  ``class_centers``, ``spoiler_counts``: samples as orders of their features
``_pairs``        ``boolean_order``, ``BooleanOrder``: samples as the order of all pairs
``_criteria``     ``subset_divergence``: what a set of features is worth; what goes first
``_elimination``  ``RankOrderSelector``: backward elimination;  ``elimination_accuracy``: how well
                  classes are told apart on the way
``_classifier``   ``RankOrderClassifier``: classes from orders
``_loops``, ``_centers_loops``  compiled loops
"""

from echelon.rankorder._classifier import RankOrderClassifier
from echelon.rankorder._criteria import subset_divergence
from echelon.rankorder._elimination import RankOrderSelector, elimination_accuracy
from echelon.rankorder._orders import (
    class_centers,
    kendall_distance,
    rank_order,
    spearman_distance,
    spoiler_counts,
    tau_concordance,
)
from echelon.rankorder._pairs import BooleanOrder, boolean_order

__all__ = [
    "BooleanOrder",
    "RankOrderClassifier",
    "RankOrderSelector",
    "boolean_order",
    "class_centers",
    "elimination_accuracy",
    "kendall_distance",
    "rank_order",
    "spearman_distance",
    "spoiler_counts",
    "subset_divergence",
    "tau_concordance",
]
