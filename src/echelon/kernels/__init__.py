"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``accumulate``  places shared at ties, differences summed over the pairs found
"""

from echelon.kernels._jit import kernel

__all__ = ["kernel"]
