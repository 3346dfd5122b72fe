"""Compiled loops shared by the engines and families; those of one engine live with it.

``pairs``       the exact distance and order of two rows
``monotone``    pairs of samples in order or against it
``accumulate``  places shared at ties, differences summed over the pairs found
``_compiler``   Numba behind the one decorator of every compiled loop, ``kernel``

Kernels release the GIL, so they run in ordinary threads (:func:`echelon._core.jobs.in_threads`):
no global thread pool to configure, restore or fork.  A loop is compiled when it is first called
with arguments of these types, whatever their size, and its machine code is kept on disk.  Numba is
imported then, since importing it takes half a second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

__all__ = ["kernel"]


class Kernel:
    """A loop, compiled when it is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *args: Any) -> Any:
        return self.dispatcher(*args)

    def __reduce__(self) -> str:
        return self.__qualname__

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the loop."""
        from echelon.kernels._compiler import compiled

        return compiled(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees the loop within another one."""
        return self.dispatcher._numba_type_


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop: SIMD sums, no GIL, machine code kept on disk."""
    return Kernel(function)
