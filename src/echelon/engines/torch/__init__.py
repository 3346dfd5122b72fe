"""The engine for a GPU: tiles of pairs in reduced precision, then exact distances of a few.

``_engine``    the primitives
``_tiles``     samples on a device: exact values, and tiles of encoded rows to search in
``_encoding``  rows as a device sums them: 32-bit numbers, and how far a sum may be off
``_exact``     exact differences and distances of pairs of rows;  ``_bands``  sums within bands
``_sums``      sums of all pairs by plain array operations
``_gpu``       the same by Triton kernels;  ``_gpu_bands``  distances of all pairs and their sums
"""

from echelon.engines.torch._engine import TorchEngine

__all__ = ["TorchEngine"]
