"""What displays are made of, checked when they are made, so that nothing is left to a plot."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from reprlib import repr as briefly
from typing import Any

import numpy as np


def names(values: Any) -> np.ndarray:
    """Names as a list of them."""
    found = np.asarray(values)
    if found.ndim != 1:
        raise ValueError(f"`names` must be a list of names, got {briefly(values)}.")
    return found


def one_per_name(names: Sequence | np.ndarray, **parts: Any) -> None:
    """Refuse parts that are not one entry per name."""
    for part, values in parts.items():
        if values is not None and len(values) != len(names):
            raise ValueError(
                f"`{part}` must have one entry per name, got {len(values)} for {len(names)} names."
            )


def numbers(part: str, values: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Numbers of a shape, in which None stands for any length."""
    try:
        found = np.asarray(values)
        if found.dtype.kind == "c":
            raise TypeError("complex ones cannot be drawn")
        found = found.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"`{part}` must be numbers, got {briefly(values)} ({error}).") from error
    fits = [n is None or n == m for n, m in zip(shape, found.shape, strict=False)]
    if found.ndim != len(shape) or not all(fits):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"`{part}` must have the shape ({wanted}), got {found.shape}.")
    return found


def whole(part: str, value: Any, least: int) -> int:
    """A whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{part}` must be a whole number from {least}, got {briefly(value)}.")
    return int(value)


def with_parts(part: str, value: Any, maker: str, parts: Sequence[str]) -> list[Any]:
    """The parts of what some function returned."""
    lacking = [each for each in parts if not hasattr(value, each)]
    if lacking:
        raise TypeError(f"`{part}` must be what {maker} returned, got {briefly(value)}.")
    return [getattr(value, each) for each in parts]
