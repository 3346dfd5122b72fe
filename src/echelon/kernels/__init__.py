"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``order``       order statistics;  ``ranks``  what rank statistics are made of
``masses``      the same of weighted samples
``steps``       pairs of neighbours by how a feature and the class step between them
``accumulate``  places shared at ties, differences summed over the pairs found
``candidates``  distances when one more feature joins the chosen ones, and votes within balls
``answers``     what nearest neighbours answer when one more feature joins
``prototypes``  intervals against a few prototypes, one pass over the rows each
``moments``     sums over pairs for the variance of a contrast under permutation
``ascent``      Simba's gradient steps;  ``boosting``  rounds of an additive model on bins
``soft``        neighbours by probability, for I-Relief
``interior_point``  a step towards relevance bounds;  ``certificates``  what it proves
``discretize``  numeric columns as intervals
``counts``      labels counted within groups of samples
``precedence``  how often one feature comes before another within a sample
``projection``  orders within samples under removal of features, compared by hashes
``centers``     centers of classes of such orders after one more removal
``_jit``        the one decorator behind every compiled loop;  ``_compiler``  Numba behind it
"""

from echelon.kernels._jit import compiling, kernel

__all__ = ["compiling", "kernel"]
