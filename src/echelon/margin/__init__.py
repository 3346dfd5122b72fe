"""Margin-based selectors: Relief and its relatives.

Every Relief-type method is one sum over signed pairs of samples,

    s_f = sum_i sum_j coef_ij diff_f(x_i, x_j),

and differs from the others only in which pairs count and with what coefficient.  Read in this
order:

``_rules``    the methods: each a list of *terms* (whose neighbours, how many, with what sign)
``_weights``  the sum, computed for any rule on any engine
``_base``     the estimator shared by all; a new method adds a rule and a small class
``_relief``   Relief, ReliefF, OReliefF
``_simba``    Simba, OSimba: the same margin, climbed by gradient steps
``_interval`` IntervalRelief: intervals in place of values, ``_prototypes`` in place of neighbours
"""

from echelon.margin._interval import IntervalRelief
from echelon.margin._relief import OReliefF, Relief, ReliefF
from echelon.margin._simba import OSimba, Simba

__all__ = ["IntervalRelief", "OReliefF", "OSimba", "Relief", "ReliefF", "Simba"]
