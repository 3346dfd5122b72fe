"""Sums over the differences of all pairs of values of a column, in the time it takes to sort it.

``_moments`` and ``_third_moments`` say what they are for.  D = |x_i - x_j| for numbers, 0 or 1 for
codes; R are its row sums.  A column is sorted once for the sums of both orders.  Several columns
of numbers, as the rows of one array, are summed at once: for short ones, calls take the time.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from echelon.margin._third_moments import NOTHING, ThirdSums, centred


class ColumnSums(NamedTuple):
    """Sums over the differences of a column: sum D, and centred d1, d2, sum x^2, sum R x.

    Numbers, or arrays with one for each of several columns.
    """

    d0: Any
    d1: Any
    d2: Any
    xx: Any
    rx: Any


NO_SUMS = ColumnSums(0.0, 0.0, 0.0, 0.0, 0.0)


class Differences(Protocol):
    """The differences of all pairs of values."""

    def total(self) -> Any:
        """All of them added up, the first of the sums below."""

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""

    def thirds(self) -> ThirdSums:
        """Sums of third order."""

    def some(self, which: np.ndarray) -> Differences:
        """Those of some of the columns, by a mask."""


def differences(values: np.ndarray, *, nominal: bool) -> Differences:
    """The differences of a column, none of whose values are missing; of several, if numbers."""
    return NominalDifferences(values) if nominal else NumericDifferences(values)


class NumericDifferences:
    """Of numbers: one column, or several as the rows of an array."""

    def __init__(self, values: np.ndarray) -> None:
        self.n = values.shape[-1]
        self.x = np.sort(values).astype(np.float64)
        if self.n:
            self.x -= self.x.mean(axis=-1, keepdims=True)

    def some(self, which: np.ndarray) -> NumericDifferences:
        """Those of some of the columns, by a mask."""
        part = copy(self)
        for name, sorted_values in vars(self).items():
            if name != "n":
                setattr(part, name, sorted_values[which])
        return part

    @cached_property
    def down(self) -> np.ndarray:
        """By value, how far all lower ones lie below it, added up."""
        down = np.arange(1.0, self.n + 1) * self.x
        down -= np.cumsum(self.x, axis=-1)
        return down

    @cached_property
    def rows(self) -> np.ndarray:
        """R; deviations from the mean add up to 0, so that those above are ``down - n x``."""
        return 2.0 * self.down - self.n * self.x

    @cached_property
    def centred_rows(self) -> np.ndarray:
        """The same less their mean."""
        return self.rows - self.rows.mean(axis=-1, keepdims=True)

    def total(self) -> Any:
        """All of them added up: a value is the larger of two as often as others are below it."""
        return 2.0 * np.vecdot(self.x, 2.0 * np.arange(self.n) - (self.n - 1))

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""
        n, x = self.n, self.x
        if n < 2:
            return NO_SUMS
        d0, xx, r = self.total(), np.vecdot(x, x), self.centred_rows
        d1 = 2.0 * n * xx - d0**2 / (n * (n - 1))
        return ColumnSums(d0, d1, np.vecdot(r, r), xx, np.vecdot(r, x))

    def thirds(self) -> ThirdSums:
        """Sums of third order."""
        n, x, down = self.n, self.x, self.down
        if n < 2:
            return NOTHING
        xx = x * x
        squares = n * xx + xx.sum(axis=-1, keepdims=True)
        # By value, the squares of its differences from all lower ones, and from all higher ones.
        down2 = x * (2.0 * down - np.arange(float(n)) * x) + np.cumsum(xx, axis=-1) - xx
        up, up2 = down - n * x, squares - down2
        # i < j < k: (x_j - x_i)(x_k - x_j)(x_k - x_i), six times; the cube of a difference from i
        # to j is (x_j - x_i)^2 x_j less the same times x_i.
        triangles = 6.0 * (np.vecdot(down, up2) + np.vecdot(down2, up))
        cubes = 2.0 * (np.vecdot(down2, x) - np.vecdot(up2, x))
        # sum over j <= i of r_i r_j (x_i - x_j), twice; all r add up to 0.
        r = self.centred_rows
        form = 2.0 * np.vecdot(r * x, 2.0 * np.cumsum(r, axis=-1) - r)
        return centred(n, self.rows, squares, cubes, form, triangles)


class NominalDifferences:
    """Of codes, which differ by 0 or 1 and have no sign."""

    def __init__(self, codes: np.ndarray) -> None:
        self.n = codes.size
        self.sizes = np.unique(codes, return_counts=True)[1].astype(np.float64)

    def some(self, _which: np.ndarray) -> NominalDifferences:
        """There is but one column."""
        return self

    def total(self) -> float:
        """All of them added up."""
        return self.n**2 - float(self.sizes @ self.sizes)

    def sums(self) -> ColumnSums:
        """Sums of first and second order."""
        n, sizes = self.n, self.sizes
        if n < 2:
            return NO_SUMS
        same, d0 = float(sizes @ sizes), self.total()
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
