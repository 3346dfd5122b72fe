"""Exact moments of Relief scores if a feature had nothing to do with its neighbours.

A score is S = sum_ij a_ij diff(x_i, x_j).  Given the neighbours, the weights a_ij do not depend on
the feature; so the moments of S over all n! permutations of the feature's values are sums over the
weights times sums over the differences (Mantel 1967), and no permutation has to be run.  Notation:
M = (a_ij + a_ji) / 2 has row sums r, D = |x_i - x_j| (0/1 for nominal features) row sums R; b_i is
the weight of x_i in signed differences; n(m) = n (n - 1) ... (n - m + 1).

**Mean and variance.**  Everything is centred first (M and D by the mean of their n(2) entries),
which leaves the variance as it is and costs no digits: with a1 = sum M^2, a2 = sum r^2,
d1 = sum D^2, d2 = sum R^2,

    E S   = sum M sum D / n(2)
    Var U = 2 a1 d1 / n(2) + 4 (a2 - a1)(d2 - d1) / n(3) + 4 (a1 - 2 a2)(d1 - 2 d2) / n(4)
    Var V = sum b^2 sum x^2 / (n - 1)
    Cov   = 2 sum(r b) sum(R x) / ((n - 1)(n - 2))

for the unsigned part U, the signed part V and S = U + V; E V = 0.

**The third moment** says how heavy the upper tail is.  Wide neighbourhoods make S much like a
quadratic form: skewed to the right, so that the normal has too little in its upper tail.  Three
pairs of samples meet in one of eight patterns; every pattern adds (how often it comes) x (its sum
over M) x (its sum over D) / n(m), m being the samples in it (Siemiatycki 1978, for Mantel's
statistic; Mielke 1984).  With A symmetric, 0 on its diagonal and centred, row sums r and row sums
of squares q, the sums of all patterns follow from

    c = sum A^3,   sum q r,   t = sum over distinct i, j, k of A_ij A_jk A_ki,   sum r^3,   r A r.

Of weights, only t is not to be had in one pass over the pairs; ``_pairs`` has it.  How much of the
third moment is that of a quadratic form says how far the tail reaches beyond that of a gamma
distribution.  With a_i = r_i / (n - 2), A_ij = a_i + a_j + W_ij, and the rows of W add up to 0: the
a's make a sum over samples, W the form, whose third moment is about 8 t_W(M) t_W(D) / n(3).

**Sums over D** take the time to sort a column.  Several columns of numbers, as the rows of one
array, are summed at once: for short ones, calls take the time.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import perm
from typing import Any, NamedTuple

import numpy as np


class SecondSums(NamedTuple):
    """Sums over a symmetric matrix: of its entries and, centred, of their squares and of r^2.

    ``signed``, ``mixed``: sum b^2 and sum r b of weights, or sum x^2 and sum R x of differences.
    Numbers, or arrays with one for each of several matrices.
    """

    total: Any
    squares: Any
    rows: Any
    signed: Any = 0.0
    mixed: Any = 0.0

    @classmethod
    def of(cls, rows: np.ndarray, squares: float, signed: np.ndarray | None = None) -> SecondSums:
        """From the row sums of a matrix, the sum of its squares, and b."""
        n = len(rows)
        if n < 2:
            return NO_SECONDS
        total = float(rows.sum())
        r = rows - total / n
        found = cls(total, squares - total**2 / (n * (n - 1)), float(r @ r))
        if signed is None:
            return found
        return found._replace(signed=float(signed @ signed), mixed=float(r @ signed))


class ThirdSums(NamedTuple):
    """Sums of third order over a centred matrix: c, sum q r, t, sum r^3, r A r.

    Numbers, or arrays with one for each of several matrices.
    """

    cubes: Any
    squares: Any
    triangles: Any
    rows: Any
    form: Any


NO_SECONDS = SecondSums(0.0, 0.0, 0.0)
NO_THIRDS = ThirdSums(0.0, 0.0, 0.0, 0.0, 0.0)


def mean_and_variance(n: int, weights: SecondSums, column: SecondSums) -> tuple[Any, Any]:
    """Mean and variance of the score over all permutations of the column, or columns."""
    a0, a1, a2, bb, rb = weights
    d0, d1, d2, xx, rx = column
    if n < 2:
        return 0.0, 0.0
    pairs = n * (n - 1)
    variance = 2 * a1 * d1 / pairs + bb * xx / (n - 1)
    if n > 2:
        variance += 4 * (a2 - a1) * (d2 - d1) / (pairs * (n - 2))
        variance += 2 * 2 * rb * rx / ((n - 1) * (n - 2))
    if n > 3:
        variance += 4 * (a1 - 2 * a2) * (d1 - 2 * d2) / (pairs * (n - 2) * (n - 3))
    return a0 * d0 / pairs, np.maximum(variance, 0.0)


def is_in_tail(score: Any, mean: Any, variance: Any) -> Any:
    """Whether skewness says anything about a score: not up to one deviation above the mean.

    There the first term of the Edgeworth series, skewness (z^2 - 1), changes its sign, so that the
    p-values of both sides meet; below, those of the normal law are the larger ones.
    """
    return (score > mean) & ((score - mean) ** 2 > variance)


def third_moment(n: int, a: ThirdSums, b: ThirdSums) -> tuple[Any, Any]:
    """The third central moment of S over all permutations, and the form's part of it."""
    patterns = zip(_patterns(a), _patterns(b), COUNTS, SAMPLES, strict=True)
    total = sum(
        of_a * of_b * count / float(perm(n, m)) for of_a, of_b, count, m in patterns if m <= n
    )
    if n < 3:
        return total, 0.0
    in_form = [s.triangles - beside_form(n, s.squares, s.rows, s.form) for s in (a, b)]
    return total, 8 * in_form[0] * in_form[1] / perm(n, 3)


def beside_form(n: int, squares: Any, rows: Any, form: Any) -> Any:
    """The triangles in which a takes part: t - t_W, from the other sums; n > 2."""
    a3, form, squares = rows / (n - 2) ** 3, form / (n - 2) ** 2, squares / (n - 2)
    two_w = squares - 2 * form - n * a3
    return 3 * (n - 4) * (form + 2 * a3) - 6 * two_w + (16 - 6 * n) * a3


COUNTS = (4, 24, 8, 8, 24, 6, 12, 1)
"""In how many ways three ordered pairs meet in a pattern."""

SAMPLES = (2, 3, 3, 4, 4, 4, 5, 6)
"""Of how many samples it consists."""


def _patterns(sums: ThirdSums) -> tuple[Any, ...]:
    """The sums over all patterns.

    One pair three times; twice, and one that meets it; triangle; star; path; one twice, and another
    elsewhere; two that meet, and another elsewhere; three that do not meet.
    """
    c, qr, t, r3, form = sums
    met = (
        c,
        qr - c,
        t,
        r3 - 3 * qr + 2 * c,
        form - 2 * qr + c - t,
        2 * c - 4 * qr,
        10 * qr - 2 * r3 - 4 * form - 4 * c + 2 * t,
    )
    # All entries add up to 0, and so do all patterns.
    return *met, -sum(count * s for count, s in zip(COUNTS, met, strict=False))


def centred(
    n: int, rows: np.ndarray, squares: np.ndarray, cubes: Any, form: Any, triangles: Any
) -> ThirdSums:
    """The sums of third order, from a matrix that is not centred.

    ``rows``, ``squares``: row sums of the matrix and of its squares; ``cubes``, ``triangles``: sums
    as above; ``form``: r A r, with the centred r and this matrix.  Of several matrices, too.
    """
    total, squared, pairs = rows.sum(axis=-1), squares.sum(axis=-1), n * (n - 1)
    mean = total / pairs
    r = rows - (total / n)[..., None]
    rr = np.vecdot(r, r)
    wedges = np.vecdot(rows, rows) - squared
    return ThirdSums(
        cubes - 3 * mean * squared + 3 * mean**2 * total - pairs * mean**3,
        np.vecdot(squares, r) - 2 * mean * rr,
        triangles - 3 * mean * wedges + (n - 2) * (3 * mean**2 * total - pairs * mean**3),
        np.vecdot(r, r * r),
        form + mean * rr,
    )


# --------------------------------------------------------------------------- sums over differences


def differences(values: np.ndarray, *, nominal: bool) -> NumericDifferences | NominalDifferences:
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
        """R less its mean."""
        return self.rows - self.rows.mean(axis=-1, keepdims=True)

    def total(self) -> Any:
        """All of them added up: a value is the larger of two as often as others are below it."""
        return 2.0 * np.vecdot(self.x, 2.0 * np.arange(self.n) - (self.n - 1))

    def seconds(self) -> SecondSums:
        """Sums of first and second order."""
        n, x = self.n, self.x
        if n < 2:
            return NO_SECONDS
        d0, xx, r = self.total(), np.vecdot(x, x), self.centred_rows
        d1 = 2.0 * n * xx - d0**2 / (n * (n - 1))
        return SecondSums(d0, d1, np.vecdot(r, r), xx, np.vecdot(r, x))

    def thirds(self) -> ThirdSums:
        """Sums of third order."""
        n, x, down = self.n, self.x, self.down
        if n < 2:
            return NO_THIRDS
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

    def seconds(self) -> SecondSums:
        """Sums of first and second order."""
        n, sizes = self.n, self.sizes
        if n < 2:
            return NO_SECONDS
        same, d0 = float(sizes @ sizes), self.total()
        d2 = float(sizes @ sizes**2) - same**2 / n
        return SecondSums(d0, d0 - d0**2 / (n * (n - 1)), d2)

    def thirds(self) -> ThirdSums:
        """Sums of third order."""
        n, sizes = self.n, self.sizes
        if n < 2:
            return NO_THIRDS
        rows = np.repeat(n - sizes, sizes.astype(int))
        weighted = sizes * (n - sizes - rows.mean())
        triangles = n**3 - 3 * n * float(sizes @ sizes) + 2 * float(sizes @ sizes**2)
        return centred(n, rows, rows, rows.sum(), -float(weighted @ weighted), triangles)


def class_sums(classes: np.ndarray, distances: np.ndarray) -> tuple[SecondSums, ThirdSums]:
    """Sums over the distances of the classes of all pairs of samples, of both orders."""
    n = len(classes)
    if n < 2:
        return NO_SECONDS, NO_THIRDS
    sizes = np.bincount(classes, minlength=len(distances))
    rows, squares = distances @ sizes, distances**2 @ sizes
    weighted = sizes * (rows - float(sizes @ rows) / n)
    steps = distances * sizes
    by_sample = np.repeat(rows, sizes)
    thirds = centred(
        n,
        by_sample,
        np.repeat(squares, sizes),
        float(sizes @ distances**3 @ sizes),
        float(weighted @ distances @ weighted),
        float(np.trace(steps @ steps @ steps)),
    )
    return SecondSums.of(by_sample, float(sizes @ squares)), thirds
