"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``accumulate``  places shared at ties, differences summed over the pairs found
``order``       the k-th smallest of some values
``_jit``        the one decorator behind every compiled loop;  ``_compiler``  Numba behind it
"""

from echelon.kernels._jit import kernel

__all__ = ["kernel"]
