"""Selection where only the order of the features within a sample counts.

``_orders``       samples as orders of their features: reading them, and their codes
``_space``        ``rank_order``, ``spearman_distance``, ``kendall_distance``, ``tau_concordance``,
                  ``class_centers``: ranks, how far they are apart, what they center on
``_pairs``        ``boolean_order``, ``BooleanOrder``: samples as the order of all pairs
``_counts``       ``spoiler_counts``: how often a feature is out of order within the classes
``_projection``   ``subset_divergence``: what a set of features is worth; orders under removals
``_criteria``     what goes first: the four criteria;  ``_blankets``  Markov blankets for the last
``_elimination``  ``RankOrderSelector``: backward elimination by these
``_accuracy``     ``elimination_accuracy``: how well classes are told apart on the way
``_classifier``   ``RankOrderClassifier``: classes from orders;  ``_kernel``  the Kendall kernel
"""

from echelon.rankorder._accuracy import elimination_accuracy
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
    "elimination_accuracy",
    "kendall_distance",
    "rank_order",
    "spearman_distance",
    "spoiler_counts",
    "subset_divergence",
    "tau_concordance",
]
