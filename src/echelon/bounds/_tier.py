"""Whether compiled steps pay: they take half a minute to make, and are a few times faster."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from threading import RLock

from echelon.kernels.interior_point import advance

UNCOMPILED_STEPS = 40_000
"""Steps by array operations, half a minute of them, after which compiling pays."""

_taken = [0]
_turn = RLock()


def count_step() -> None:
    """Note that a step was taken by array operations."""
    _taken[0] += 1


def compiled_pays() -> bool:
    """Whether to take compiled steps: they are at hand, or many were taken without them."""
    return _taken[0] > UNCOMPILED_STEPS or advance.at_hand


def in_turn() -> AbstractContextManager:
    """What threads enter to take steps: nothing if they are compiled, else one after the other.

    Array operations as small as these would fight for Python's lock: two threads took twice as
    long as one.
    """
    return nullcontext() if compiled_pays() else _turn


def _new_turn() -> None:
    """For a forked process, in which a thread that has the turn does not exist."""
    global _turn
    _turn = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_turn)
