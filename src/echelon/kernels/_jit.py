"""The one decorator behind every compiled loop.

Kernels release the GIL, so engines run them in ordinary threads: no global
thread pool to configure, restore or fork.  Machine code is cached on disk; where
no folder is writable (a read-only container) it is compiled once per process.

Compiling takes seconds, so it is put off: Numba is imported by the first loop that needs it, and a
loop over whole numbers, whose result does not depend on how it is run, may be run by Python itself
until it has had so many steps that compiling pays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from pathlib import Path
from threading import local
from typing import Any, overload

# Sums may be re-associated into SIMD lanes; NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}

UNCOMPILED_STEPS = 200_000
"""Steps a loop is run by Python, half a second or less, before it is compiled."""

_running = local()
"""Whether this thread runs a loop by Python, and so the loops that it calls."""


class Kernel:
    """A loop, compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], steps: Callable[..., int] | None) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._steps = steps
        self._steps_left = 0 if steps is None else UNCOMPILED_STEPS
        self._called = False

    def __call__(self, *args: Any) -> Any:
        if not self._called:
            if getattr(_running, "python", False):
                return self.py_func(*args)
            if self._worth_waiting(args):
                return self._by_python(args)
            self._called = True
        return self.dispatcher(*args)

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def at_hand(self) -> bool:
        """Whether there is machine code, in memory or on disk, for some arguments at least."""
        if self._called:
            return True
        folder, source = self.dispatcher.stats.cache_path, Path(self.py_func.__code__.co_filename)
        if folder is None:
            return False
        name = f"{source.stem}.{self.__name__}-*.py{sys.version_info[0]}{sys.version_info[1]}*.nbi"
        written = [file.stat().st_mtime for file in Path(folder).glob(name)]
        return bool(written) and max(written) > source.stat().st_mtime

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the loop."""
        from echelon.kernels._notice import njit

        options = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}
        try:
            return njit(cache=True, **options)(self.py_func)
        except RuntimeError:  # numba: no writable folder for its cache
            return njit(**options)(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees the loop within another one."""
        return self.dispatcher._numba_type_

    def _worth_waiting(self, args: tuple) -> bool:
        """Whether compiling would take longer than running it by Python, as far as one can tell."""
        if self._steps is not None:
            self._steps_left -= int(self._steps(*args))
        return self._steps_left > 0

    def _by_python(self, args: tuple) -> Any:
        import numpy as np

        _running.python = True
        try:
            with np.errstate(all="ignore"):  # as machine code does: numbers that wrap are meant to
                return self.py_func(*args)
        finally:
            _running.python = False


@overload
def kernel(function: Callable[..., Any]) -> Any: ...
@overload
def kernel(*, steps: Callable[..., int]) -> Callable[[Callable[..., Any]], Any]: ...


def kernel(
    function: Callable[..., Any] | None = None, *, steps: Callable[..., int] | None = None
) -> Any:
    """Compile a loop: SIMD sums, no GIL, machine code kept on disk.

    With ``steps``, the number of turns of its inner loops as a function of its arguments, Python
    runs it at first.  Only for loops over whole numbers: sums of others differ in their last digits
    between the two.
    """
    if function is None:
        return lambda function: Kernel(function, steps)
    return Kernel(function, steps)
