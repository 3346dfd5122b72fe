"""The one decorator behind every compiled loop.

Kernels release the GIL, so engines run them in ordinary threads: no global
thread pool to configure, restore or fork.  Machine code is cached on disk; where
no folder is writable (a read-only container) it is compiled once per process, with a hint.

Compiling takes seconds, so it is put off: Numba is imported by the first loop that needs it, and a
loop over whole numbers, whose result does not depend on how it is run, may be run by Python itself
until it has had so many steps that compiling pays.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from math import inf
from pathlib import Path
from threading import local
from time import monotonic
from typing import Any, overload

from echelon.kernels._keeping import Keeper, say_where_to_keep

# Sums may be re-associated into SIMD lanes; NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}

UNCOMPILED_STEPS = 500_000
"""Steps of a microsecond or so that are taken without a loop before it is compiled."""

WORTH_A_LOOK = 20_000
"""After so many steps without, it is worth looking on disk for compiled code."""

SECONDS_BETWEEN_LOOKS = 0.1
"""A look takes a quarter of a millisecond in a full folder, and some ask a thousand times."""

_impatient = [False]

_running = local()
"""Whether this thread runs a loop by Python, and so the loops that it calls."""


class Kernel:
    """A loop, compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], steps: Callable[..., int] | None) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._steps = steps
        self._steps_taken = 0
        self._called = False
        self._on_disk, self._looked_at = False, -inf

    def __call__(self, *args: Any) -> Any:
        if not self._called:
            if getattr(_running, "python", False):
                return self.py_func(*args)
            if self._steps is not None and not self.pays(self._steps(*args)):
                return self._by_python(args)
            self._called = True
        return self.dispatcher(*args)

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def at_hand(self) -> bool:
        """Whether there is machine code, in memory or on disk, for some arguments at least."""
        if self._called or _impatient[0]:
            return True
        now = monotonic()
        if now > self._looked_at + SECONDS_BETWEEN_LOOKS:
            self._on_disk, self._looked_at = self._is_on_disk(), now
        return self._on_disk

    def _is_on_disk(self) -> bool:
        source = Path(self.py_func.__code__.co_filename)
        name = f"{source.stem}.{self.__name__}-*.py{sys.version_info[0]}{sys.version_info[1]}*.nbi"
        files = (file for folder in self._folders(source) for file in folder.glob(name))
        newest = max((file.stat().st_mtime for file in files), default=0.0)
        return newest > source.stat().st_mtime

    def _folders(self, source: Path) -> list[Path]:
        """Where Numba keeps machine code; it is asked, and so imported, only if that is unclear."""
        if set_to := os.environ.get("NUMBA_CACHE_DIR"):
            return list(Path(set_to).glob("*"))
        if os.access(source.parent, os.W_OK):
            return [source.parent / "__pycache__"]
        folder = self.dispatcher.stats.cache_path
        return [] if folder is None else [Path(folder)]

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the loop."""
        from echelon.kernels._notice import njit

        options = {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy"}
        try:
            made = njit(cache=True, **options)(self.py_func)
        except RuntimeError:  # numba: no writable folder for its cache
            say_where_to_keep()
            return njit(**options)(self.py_func)
        made._cache = Keeper(made._cache)
        return made

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees the loop within another one."""
        return self.dispatcher._numba_type_

    def pays(self, steps: float) -> bool:
        """Whether to call it, or take so many steps without: a second in all, about, is enough."""
        if self._called or _impatient[0]:
            return True
        self._steps_taken += int(steps)
        if self._steps_taken >= UNCOMPILED_STEPS:
            return True
        return self._steps_taken > WORTH_A_LOOK and self.at_hand

    def _by_python(self, args: tuple) -> Any:
        import numpy as np

        _running.python = True
        try:
            with np.errstate(all="ignore"):  # as machine code does: numbers that wrap are meant to
                return self.py_func(*args)
        finally:
            _running.python = False


@contextmanager
def compiling() -> Iterator[None]:
    """Compile every loop that is called, whether it pays or not."""
    before, _impatient[0] = _impatient[0], True
    try:
        yield
    finally:
        _impatient[0] = before


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
