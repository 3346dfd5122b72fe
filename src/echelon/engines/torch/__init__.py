"""The engine for a GPU: tiles of pairs in reduced precision, then exact distances of a few.

``_engine``    the primitives
``_tiles``     samples on a device: exact values, and tiles of encoded rows to search in
``_encoding``  rows as a device sums them: 32-bit numbers, and how far a sum may be off
``_exact``     exact differences and distances: of pairs found, and of all pairs within bands
``_gpu``       Triton kernels
"""

from echelon.engines.torch._engine import TorchEngine

__all__ = ["TorchEngine"]
