"""The one decorator behind every compiled loop.

Kernels release the GIL, so they run in ordinary threads (:func:`echelon._core.jobs.in_threads`):
no global thread pool to configure, restore or fork.  A loop is compiled when it is first called
with arguments of these types, whatever their size, and its machine code is kept on disk.  Numba is
imported then, since importing it takes half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from typing import Any, overload


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

    # What follows is temporary: `pays`, `at_hand`, `compiling` and `steps` go once the last
    # selectors that choose between arrays and loops do so by a size of their own.

    def pays(self, steps: float) -> bool:
        """Whether so many steps of array operations take longer than half a second."""
        return _impatient[0] or steps >= 500_000

    @property
    def at_hand(self) -> bool:
        """Whether to compile in any case."""
        return _impatient[0]


_impatient = [False]


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
    """Compile a loop: SIMD sums, no GIL, machine code kept on disk."""
    return Kernel if function is None else Kernel(function)
