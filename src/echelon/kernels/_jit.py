"""The one decorator behind every compiled loop.

Kernels release the GIL, so engines run them in ordinary threads: no global
thread pool to configure, restore or fork.  Machine code is cached on disk; where
no folder is writable (a read-only container) it is compiled once per process, with a hint.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from echelon.kernels._keeping import say_where_to_keep

# Sums may be re-associated into SIMD lanes; NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop: SIMD sums, no GIL, machine code kept on disk."""
    options = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba: no writable folder for its cache
        say_where_to_keep()
        return njit(**options)(function)
