"""Rank correlation from counts: how often every value of a feature meets every value of the target.

A table of counts holds all that ranks need, whatever the number of rows, so the result is that of
the rows themselves.  Where values were binned, those of one bin count as ties.  By how much that
can change the result follows from the table: every pair of rows in one bin may agree, oppose or be
tied, and the ranks in a bin of t rows are (t^3 - t) / 12 from their middle, as a sum of squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon.data import Data
from echelon.filters._rank_correlation import Association, Associations


class Counts(NamedTuple):
    """How many rows have every value of a feature together with every value of the target.

    Attributes
    ----------
    cells : ndarray of shape (n_values, n_codes)
        Counts; values and codes in their order, if they have one.
    nominal : bool
        Whether the values have no order.
    single_values : ndarray of shape (n_values,)
        Mask of the rows of the table that are one value; the others are bins of several.
    single_codes : ndarray of shape (n_codes,)
        The same for the target.
    """

    cells: np.ndarray
    nominal: bool
    single_values: np.ndarray
    single_codes: np.ndarray

    @property
    def exact(self) -> bool:
        """Whether nothing was binned."""
        return bool(self.single_values.all() and self.single_codes.all())


class CountedAssociation(NamedTuple):
    """Signed correlation (NaN without a sign), strength, p-value, and a bound on the error."""

    correlation: float
    strength: float
    p_value: float
    error: float
    """By so much at most the strength differs from that of the rows themselves."""


def counted_association(
    counts: Counts, ordered: bool, measure: str = "kendall"
) -> CountedAssociation:
    """Association of a feature with the target, as ``RankCorrelation`` finds it for the rows.

    Parameters
    ----------
    counts : Counts
        The table.
    ordered : bool
        Whether the codes of the target have an order.
    measure : {"kendall", "spearman"}, default="kendall"
        Scale of the strength.

    Returns
    -------
    association : CountedAssociation
        What was found.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.filters import Counts, counted_association
    >>> cells = np.array([[30, 10], [20, 20], [10, 30]])
    >>> found = counted_association(Counts(cells, False, np.ones(3, bool), np.ones(2, bool)), True)
    >>> round(found.correlation, 3), found.error
    (0.385, 0.0)
    """
    values, codes = np.nonzero(counts.cells)
    weights = counts.cells[values, codes].astype(float)
    if not len(weights):
        return CountedAssociation(0.0, 0.0, 1.0, 0.0)
    data = Data(values[:, None].astype(float), np.array([counts.nominal]), None, weights)
    found = Associations(data, measure, frequencies=True).of(codes, ordered)
    correlation, strength, p_value = (float(each[0]) for each in found)
    return CountedAssociation(
        correlation, strength, p_value, _error(counts, ordered, measure, found)
    )


def _error(counts: Counts, ordered: bool, measure: str, found: Association) -> float:
    if counts.exact:
        return 0.0
    if not ordered or counts.nominal:
        strength = counted_association(_with_all_single(counts), ordered, "spearman").strength
        return _ratio_bound(counts, strength)
    bound = _pairs_bound if measure == "kendall" else _ranks_bound
    return bound(counts, float(found.correlations[0]))


def _with_all_single(counts: Counts) -> Counts:
    single = (np.ones(n, dtype=bool) for n in counts.cells.shape)
    return Counts(counts.cells, counts.nominal, *single)


def _pairs(sizes: np.ndarray) -> np.ndarray:
    sizes = sizes.astype(float)
    return sizes * (sizes - 1) / 2


def _pairs_bound(counts: Counts, tau: float) -> float:
    """How far tau-b of the rows can be from tau-b of the bins."""
    cells, rows, columns = counts.cells, counts.single_values, counts.single_codes
    by_value, by_code, within = (
        _pairs(each) for each in (cells.sum(axis=1), cells.sum(axis=0), cells)
    )
    every = float(_pairs(np.array(cells.sum())))
    unknown = by_value[~rows].sum() - within[~rows][:, columns].sum()
    unknown += by_code[~columns].sum() - within[rows][:, ~columns].sum()
    unknown -= within[~rows][:, ~columns].sum()  # counted on both sides
    least = np.sqrt((every - by_value.sum()) * (every - by_code.sum()))
    most = np.sqrt((every - by_value[rows].sum()) * (every - by_code[columns].sum()))
    if least == 0:
        return 1.0
    score = tau * least
    ends = np.array([score - unknown, score + unknown])
    # Where the sum is positive, a larger denominator makes less of it.
    low, high = ends / np.where(ends * [1, -1] > 0, most, least)
    return float(min(max(min(high, 1.0) - tau, tau - max(low, -1.0)), 2.0))


def _ranks_bound(counts: Counts, rho: float) -> float:
    """How far a correlation of ranks can be from that of the bins.

    Ranks are those of the bins and a part within them, at a right angle to each other: with t the
    tangent of the angle between, a projection changes by no more than t, and the length of the
    whole by no more than a share of t^2 / 2.
    """
    moved = 0.0
    for tangent in _tangents(counts):
        moved += tangent + tangent**2 / 2 * (abs(rho) + moved)
    return min(moved, 2.0)


def _ratio_bound(counts: Counts, strength: float) -> float:
    """Bound of a correlation ratio, less what groups gain by chance.

    The projection of the ranks on the groups changes by no more than t, its square by no more than
    2 t times itself and t^2; what is taken off the square is the same.
    """
    tangent = sum(_tangents(counts))
    n = counts.cells.sum()
    n_groups = counts.cells.shape[0 if counts.nominal else 1]
    squared = strength**2 + n_groups / max(n - 1, 1)  # with what they gain by chance
    change = 2 * tangent * np.sqrt(squared) + 2 * tangent**2
    low, high = np.sqrt(max(strength**2 - change, 0)), np.sqrt(strength**2 + change)
    return float(min(max(strength - low, high - strength), 1.0))


def _tangents(counts: Counts) -> list[float]:
    """Length of the part of the ranks within bins, in units of that between them."""
    found = []
    sides = (
        (counts.cells.sum(axis=1), counts.single_values),
        (
            counts.cells.sum(axis=0),
            counts.single_codes,
        ),
    )
    for sizes, single in sides:
        sizes = sizes.astype(float)
        n = sizes.sum()
        within = float((sizes[~single] ** 3 - sizes[~single]).sum() / 12)
        between = float((n**3 - (sizes**3).sum()) / 12)
        found.append(float(np.sqrt(within / between)) if between > 0 else 1.0)
    return found
