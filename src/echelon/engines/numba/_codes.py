"""How values are written down in the leaves.

For the Manhattan metric, and numeric columns without gaps, as whole numbers, ``steps`` to the unit:
of 8 bits where that is exact, as for answers from 1 to 5, and else of 16.  All else is float32.
Steps are even, since a nominal mismatch adds half a unit to sums that count twice.  Nominal codes
begin at 1; among whole numbers, 0 is missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon.engines._samples import Samples

MOST_CODES = 2**24 - 1
"""Fewer nominal codes than this are the same in float32."""

FEWEST_STEPS = 256
"""To the unit, in 16 bits: with fewer, rounding would let too many candidates through."""

_EXACT = 1e-4
"""Steps that a value may lie off a whole number, as it was rounded before."""

_LOOKED_AT = 200
"""Rows that show, mostly, that values are no whole numbers of steps."""


class Codes(NamedTuple):
    """A way to write values down."""

    dtype: type[np.generic]
    steps: float
    """Per unit of distance."""
    slack: float
    """More than a distance in steps, or a bound of one, can be off by."""
    never: float
    """No distance reaches it."""
    lanes: int
    """Rows per leaf: fewer make tighter boxes, but more of them."""
    n_numeric: int
    falling: np.ndarray
    """Numeric columns with values in [-1, 0]."""

    @property
    def whole(self) -> bool:
        """Whether codes are whole numbers."""
        return self.dtype is not np.float32

    def encode(self, values: np.ndarray) -> np.ndarray:
        """Values, columns last, as codes."""
        coded = values.astype(np.float64)
        numeric, nominal = coded[..., : self.n_numeric], coded[..., self.n_numeric :]
        nominal += 1
        if self.whole:
            numeric[...] = np.rint((numeric + self.falling) * self.steps)
            nominal[np.isnan(nominal)] = 0
        return coded.astype(self.dtype)


def choose_codes(samples: Samples, *, squared: bool) -> Codes:
    """The shortest codes that are good enough."""
    p, n = samples.values.shape[1], samples.n_numeric
    numeric, nominal = samples.values[:, :n], samples.values[:, n:]
    falling = np.fmin.reduce(numeric, axis=0, initial=0) < 0
    most = np.fmax.reduce(nominal, axis=None, initial=0) + 1
    whole = not squared and not (samples.missing and np.isnan(numeric).any())
    steps = _exact_steps(numeric, 254 // p) if whole and most < 256 else None
    if steps is not None:
        return Codes(np.uint8, float(steps), 0.5, 255.0, 256, n, falling)
    steps = 65_534 // p // 2 * 2
    if whole and steps >= FEWEST_STEPS and most < 65_536:
        # Two values off by half a step each, and a sum that counts twice by another half.
        return Codes(np.uint16, float(steps), n + 2.0, 65_535.0, 256, n, falling)
    # Two values and p sums, each off by 2**-24 of at most p, and as much again; axes once more.
    return Codes(np.float32, 1.0, p * (p + 8) * 2.0**-22, 3e38, 64, n, falling)


def _exact_steps(numeric: np.ndarray, most: int) -> int | None:
    """Steps to the unit, even and at most so many, that make all values whole; None if none do.

    Twice as many as needed are better: sums of rows are even then, and halves of them exact.
    """
    some = numeric[:: -(-len(numeric) // _LOOKED_AT)]
    for steps in range(1, most + 1):
        if _whole(some, steps) and _whole(numeric, steps):
            return next((s for s in (2 * steps, steps) if s <= most and s % 2 == 0), None)
    return None


def _whole(numeric: np.ndarray, steps: int) -> bool:
    coded = numeric * numeric.dtype.type(steps)
    return bool(np.abs(coded - np.rint(coded)).max(initial=0) < _EXACT)
