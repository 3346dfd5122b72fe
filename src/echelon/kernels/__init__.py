"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``accumulate``  places shared at ties, differences summed over the pairs found
``_jit``        the one decorator behind every compiled loop;  ``_notice``  says when it compiles
``_keeping``    machine code on disk, done without where there is no room
"""

from echelon.kernels._jit import compiling, kernel

__all__ = ["compiling", "kernel"]
