"""The third moment of a score under permutation, which says how heavy its upper tail is.

``_moments`` gives mean and variance of S = sum_ij A_ij B_pi(i)pi(j) over all permutations pi.  Wide
neighbourhoods make S much like a quadratic form: skewed to the right, so that the normal has too
little in its upper tail.  The third moment is known exactly, too.  Three pairs of samples meet in
one of eight patterns; every pattern adds (how often it comes) x (its sum over A) x (its sum over B)
/ n(m), m being the samples in it, n(m) = n (n - 1) ... (n - m + 1) (Siemiatycki 1978, for Mantel's
statistic; Mielke 1984).  With A symmetric, 0 on its diagonal and centred (the other entries have
mean 0), row sums r and row sums of squares q, the sums of all patterns follow from

    c = sum A^3,   sum q r,   t = sum over distinct i, j, k of A_ij A_jk A_ki,   sum r^3,   r A r.

Only t is not to be had in one pass over the pairs; ``_triangles`` has it.

How much of the third moment is that of a quadratic form says how far the tail reaches beyond that
of a gamma distribution.  With a_i = r_i / (n - 2), A_ij = a_i + a_j + W_ij, and the rows of W add
up to 0: the a's make a sum over samples, W the form, whose third moment is about
8 t_W(A) t_W(B) / n(3).
"""

from __future__ import annotations

from math import perm
from typing import Any, NamedTuple

import numpy as np


class ThirdSums(NamedTuple):
    """Sums of third order over a centred matrix: c, sum q r, t, sum r^3, r A r.

    Numbers, or arrays with one for each of several matrices.
    """

    cubes: Any
    squares: Any
    triangles: Any
    rows: Any
    form: Any


NOTHING = ThirdSums(0.0, 0.0, 0.0, 0.0, 0.0)


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
    """The sums, from a matrix that is not centred.

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


def class_thirds(classes: np.ndarray, apart: np.ndarray) -> ThirdSums:
    """The sums over the distances of the classes of all pairs of samples."""
    n = len(classes)
    if n < 2:
        return NOTHING
    sizes = np.bincount(classes, minlength=len(apart))
    rows, squares = apart @ sizes, apart**2 @ sizes
    weighted = sizes * (rows - float(sizes @ rows) / n)
    steps = apart * sizes
    return centred(
        n,
        np.repeat(rows, sizes),
        np.repeat(squares, sizes),
        float(sizes @ apart**3 @ sizes),
        float(weighted @ apart @ weighted),
        float(np.trace(steps @ steps @ steps)),
    )
