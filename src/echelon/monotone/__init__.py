"""Monotone classification: a better value must not give a worse class.

``_tree``             ``OrdinalTree``: a tree that splits by the order of the classes
``_grown``            a tree as arrays: grown, pruned by cross-validation, and written as text
``_tree_loops``       the compiled loops of trees
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
