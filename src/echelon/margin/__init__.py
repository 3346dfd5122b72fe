"""Margin-based selectors: Relief and its relatives.

Every Relief-type method is one sum over signed pairs of samples,

    s_f = sum_i sum_j coef_ij diff_f(x_i, x_j),

and differs from the others only in which pairs count and with what coefficient.  Read in this
order:

``rules``         the methods: each a list of *terms* (whose neighbours, how many, with what sign)
``_neighbors``    the neighbours of a term, also of weighted samples, and how they share places
``_sums``         the sum, computed for any rule on any engine: over lists of pairs or, where
                  neighbours are told by distance alone, without one
``_pairs``        the pairs behind it, kept as one graph, and sums over their weights
``_moments``      exact moments of a score under permutation: formulas, and sums over differences
``_permutation``  the moments of all columns, under permutation of a column or of the classes
``_evidence``     z-scores and p-values, from the moments of a score
``_base``         the estimators shared by all; a new method adds a rule and a small class
``_relief``       Relief, ReliefF, RReliefF
``_surf``         SURF, MultiSURF and their starred variants: all samples within a limit
``_swrf``         SWRF, MultiSWRF and their starred variants: the same, weighted by distance
``_orelieff``     OReliefF
``_npdr``         NPDR: regression over pairs of neighbours, with covariates
``_iterative``    IRelief: soft neighbours, until the weights settle; IterativeRelief: a selector
                  asked again without the worst features, or in random parts
``_simba``        Simba, OSimba: the margin of the nearest neighbours, climbed by gradient steps
``_ordeval``      OrdEval: no score, but what every value of a feature does among neighbours
``_loops``        compiled loops of these methods

``ReliefSelector``, ``Term`` and ``rules`` are public: ``docs/extending.md`` adds a method.
"""

from echelon.margin import rules
from echelon.margin._base import MarginSelector, ReliefSelector
from echelon.margin._iterative import IRelief, IterativeRelief
from echelon.margin._npdr import NPDR
from echelon.margin._ordeval import OrdEval
from echelon.margin._orelieff import OReliefF
from echelon.margin._relief import Relief, ReliefF, RReliefF
from echelon.margin._simba import OSimba, Simba
from echelon.margin._sums import margin_weights
from echelon.margin._surf import SURF, MultiSURF, MultiSURFStar, SURFStar
from echelon.margin._swrf import SWRF, MultiSWRF, MultiSWRFStar, SWRFStar
from echelon.margin.rules import Band, Term

__all__ = [
    "NPDR",
    "SURF",
    "SWRF",
    "Band",
    "IRelief",
    "IterativeRelief",
    "MarginSelector",
    "MultiSURF",
    "MultiSURFStar",
    "MultiSWRF",
    "MultiSWRFStar",
    "OReliefF",
    "OSimba",
    "OrdEval",
    "RReliefF",
    "Relief",
    "ReliefF",
    "ReliefSelector",
    "SURFStar",
    "SWRFStar",
    "Simba",
    "Term",
    "margin_weights",
    "rules",
]
