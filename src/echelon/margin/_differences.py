"""Sums over the differences of all pairs of values of a column, in the time it takes to sort it.

``_moments`` and ``_third_moments`` say what they are for.  D = |x_i - x_j| for numbers, 0 or 1 for
codes; R are its row sums.  A column is sorted once for the sums of both orders.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from echelon.margin._third_moments import NOTHING, ThirdSums, centred


class ColumnSums(NamedTuple):
    """Sums over the differences of a column: sum D, and centred d1, d2, sum x^2, sum R x."""

    d0: float
    d1: float
    d2: float
    xx: float
    rx: float


NO_SUMS = ColumnSums(0.0, 0.0, 0.0, 0.0, 0.0)


class Differences(Protocol):
    """The differences of all pairs of values."""

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""

    def thirds(self) -> ThirdSums:
        """Sums of third order."""


def differences(values: np.ndarray, *, nominal: bool) -> Differences:
    """The differences of a column, none of whose values are missing."""
    return NominalDifferences(values) if nominal else NumericDifferences(values)


class NumericDifferences:
    """Of numbers."""

    def __init__(self, values: np.ndarray) -> None:
        self.n = len(values)
        x = np.sort(values).astype(np.float64)
        self.x = x - x.mean() if self.n else x

    @cached_property
    def down(self) -> np.ndarray:
        """By value, how far all lower ones lie below it, added up."""
        below = np.cumsum(self.x)
        below -= self.x
        return np.arange(float(self.n)) * self.x - below

    @cached_property
    def rows(self) -> np.ndarray:
        """R; deviations from the mean add up to 0, so that those above are ``down - n x``."""
        return 2.0 * self.down - self.n * self.x

    @cached_property
    def centred_rows(self) -> np.ndarray:
        """The same less their mean."""
        return self.rows - self.rows.mean()

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""
        n, x = self.n, self.x
        if n < 2:
            return NO_SUMS
        d0, xx, r = float(self.rows.sum()), float(x @ x), self.centred_rows
        d1 = 2.0 * n * xx - d0**2 / (n * (n - 1))
        return ColumnSums(d0, d1, float(r @ r), xx, float(r @ x))

    def thirds(self) -> ThirdSums:
        """Sums of third order."""
        n, x, down = self.n, self.x, self.down
        if n < 2:
            return NOTHING
        xx = x * x
        squares = n * xx + xx.sum()
        # By value, the squares of its differences from all lower ones, and from all higher ones.
        down2 = x * (2.0 * down - np.arange(float(n)) * x) + np.cumsum(xx) - xx
        up, up2 = down - n * x, squares - down2
        # i < j < k: (x_j - x_i)(x_k - x_j)(x_k - x_i), six times; the cube of a difference from i
        # to j is (x_j - x_i)^2 x_j less the same times x_i.
        triangles = 6.0 * float(down @ up2 + down2 @ up)
        cubes = 2.0 * float(down2 @ x - up2 @ x)
        # sum over j <= i of r_i r_j (x_i - x_j), twice; all r add up to 0.
        r = self.centred_rows
        form = 2.0 * float((r * x) @ (2.0 * np.cumsum(r) - r))
        return centred(n, self.rows, squares, cubes, form, triangles)


class NominalDifferences:
    """Of codes, which differ by 0 or 1 and have no sign."""

    def __init__(self, codes: np.ndarray) -> None:
        self.n = len(codes)
        self.sizes = np.unique(codes, return_counts=True)[1].astype(np.float64)

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""
        n, sizes = self.n, self.sizes
        if n < 2:
            return NO_SUMS
        same = float(sizes @ sizes)
        d0 = n * float(sizes.sum()) - same
        d2 = float(sizes @ sizes**2) - same**2 / n
        return ColumnSums(d0, d0 - d0**2 / (n * (n - 1)), d2, 0.0, 0.0)

    def thirds(self) -> ThirdSums:
        """Sums of third order."""
        n, sizes = self.n, self.sizes
        if n < 2:
            return NOTHING
        rows = np.repeat(n - sizes, sizes.astype(int))
        weighted = sizes * (n - sizes - rows.mean())
        triangles = n**3 - 3 * n * float(sizes @ sizes) + 2 * float(sizes @ sizes**2)
        return centred(n, rows, rows, rows.sum(), -float(weighted @ weighted), triangles)
