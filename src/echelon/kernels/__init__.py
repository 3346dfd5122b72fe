"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``accumulate``  places shared at ties, differences summed over the pairs found
``prototypes``  intervals against a few prototypes, one pass over the rows each
``precedence``  how often one feature comes before another within a sample
``projection``  orders within samples under removal of features, compared by hashes
``centers``     centers of classes of such orders after one more removal
``_jit``        the one decorator behind every compiled loop;  ``_notice``  says when it compiles
``_keeping``    machine code on disk, done without where there is no room
"""

from echelon.kernels._jit import compiling, kernel

__all__ = ["compiling", "kernel"]
