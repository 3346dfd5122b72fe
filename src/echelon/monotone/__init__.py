"""Monotone classification: a better value must not give a worse class.

``_tree``             ``OrdinalTree``: a tree that splits by the order of the classes
``_grown``            a grown tree as arrays: growing, pruning, reading, and writing it as text
``_tree_loops``       the compiled loops of trees;  ``_split_loops``  the best split of a node;
                      ``_prune_loops``  weakest links and held-out losses
``_pruning``          the price of a leaf, by cross-validation
``_columns``          columns of the table a model was fitted to, and of later ones
``_rough_sets``       ``DominanceRoughSet``: what the data say beyond contradictions, and reducts
``_dominance``        who dominates whom, by all features or along a growing set
``_reducts``          smallest sets of features that leave no more contradictions than all do
``_relabelling``      ``relabel_monotone``: the least change of classes without contradictions
``_dominance_loops``  the compiled loops of dominance
"""

from echelon.monotone._reducts import Reducts
from echelon.monotone._relabelling import Relabelling, relabel_monotone
from echelon.monotone._rough_sets import DominanceRoughSet
from echelon.monotone._tree import OrdinalTree

__all__ = ["DominanceRoughSet", "OrdinalTree", "Reducts", "Relabelling", "relabel_monotone"]
