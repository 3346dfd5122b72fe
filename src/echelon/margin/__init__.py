"""Margin-based selectors: Relief and its relatives.

Every Relief-type method is one sum over signed pairs of samples,

    s_f = sum_i sum_j coef_ij diff_f(x_i, x_j),

and differs from the others only in which pairs count and with what coefficient.  Read in this
order:

``rules``     the methods: each a list of *terms* (whose neighbours, how many, with what sign)
``_weights``  the sum, computed for any rule on any engine
``_mass``     neighbours of weighted samples, as if every row were there so many times
``_pairs``    the pairs behind it, kept as one graph
``_moments``  mean and variance of a score under permutation, from that graph
``_differences``  the sums over a column that this takes
``_label_moments``  the same under permutation of the classes
``_third_moments``, ``_triangles``  how skewed a score is, for the tails behind p-values
``_evidence`` z-scores and p-values
``_on_demand`` the same, found when they are first read
``_base``     the estimators shared by all; a new method adds a rule and a small class
``_bands``    neighbours by distance alone, and their sums without a list of pairs
``_order``    what selectors for ordered classes share
``_outcome``  what selectors for any target share
``_relief``   Relief, ReliefF
``_rrelieff`` RReliefF
``_surf``     SURF, SURFStar;  ``_multisurf``  MultiSURF, MultiSURFStar: a limit for every sample
``_orelieff`` OReliefF
``_npdr``     NPDR: regression over pairs of neighbours (``_pair_regression``), and tests with
              outcomes less what covariates explain (``_residuals``)
``_irelief``  IRelief: soft neighbours, until the weights settle
``_iterative``  IterativeRelief: a selector asked again without the worst, or in random parts
``_simba``    Simba, OSimba: the same margin, climbed by gradient steps
``_ordeval``  OrdEval: no score, but what every value of a feature does among the same neighbours

``ReliefSelector``, ``Term`` and ``rules`` are public: ``docs/extending.md`` adds a method.
"""

from echelon.margin import rules
from echelon.margin._base import MarginSelector, ReliefSelector
from echelon.margin._irelief import IRelief
from echelon.margin._iterative import IterativeRelief
from echelon.margin._multisurf import MultiSURF, MultiSURFStar
from echelon.margin._npdr import NPDR
from echelon.margin._ordeval import OrdEval
from echelon.margin._orelieff import OReliefF
from echelon.margin._relief import Relief, ReliefF
from echelon.margin._rrelieff import RReliefF
from echelon.margin._simba import OSimba, Simba
from echelon.margin._surf import SURF, SURFStar
from echelon.margin._weights import margin_weights
from echelon.margin.rules import Band, Term

__all__ = [
    "NPDR",
    "SURF",
    "Band",
    "IRelief",
    "IterativeRelief",
    "MarginSelector",
    "MultiSURF",
    "MultiSURFStar",
    "OReliefF",
    "OSimba",
    "OrdEval",
    "RReliefF",
    "Relief",
    "ReliefF",
    "ReliefSelector",
    "SURFStar",
    "Simba",
    "Term",
    "margin_weights",
    "rules",
]
