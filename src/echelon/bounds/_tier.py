"""Whether compiled steps pay: they take half a minute to make, and are a few times faster."""

from __future__ import annotations

from echelon.kernels.interior_point import advance

UNCOMPILED_STEPS = 40_000
"""Steps by array operations, half a minute of them, after which compiling pays."""

_taken = [0]


def count_step() -> None:
    """Note that a step was taken by array operations."""
    _taken[0] += 1


def compiled_pays() -> bool:
    """Whether to take compiled steps: they are at hand, or many were taken without them."""
    return _taken[0] > UNCOMPILED_STEPS or advance.at_hand
