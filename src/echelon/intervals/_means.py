"""One scale for all intervals, and the mean intervals of groups of rows.

The rows are scaled as they are read: nothing as large as the data is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from echelon._core.differences import unit_scale
from echelon.intervals._read import blocks_of_rows
from echelon.kernels.prototypes import add_bounds


class Scale(NamedTuple):
    """Bounds (n, p, 2) and what puts them on one scale: ``(values - low) * inverse``."""

    values: np.ndarray
    low: np.ndarray
    inverse: np.ndarray
    ranges: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, ranges: np.ndarray) -> Scale:
        """From the lower to the upper end of the range of every feature: 0 to 1."""
        low, high = np.nan_to_num(ranges.T)
        with np.errstate(over="ignore", divide="ignore"):
            inverse = np.where(high > low, 1 / (high - low), 0).astype(values.dtype)
        limit = np.sqrt(np.finfo(values.dtype).max)
        awkward = (high > low) & ~((inverse > 1 / limit) & (inverse < limit))
        if awkward.any():
            # Too wide to add up or too narrow to divide by: first brought to size 1.
            _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
            shift = np.where(awkward, -exponent - 1, 0)
            sized = np.ldexp(ranges, shift[:, None])
            return cls.of(np.ldexp(values, shift[:, None]), sized)._replace(ranges=ranges)
        return cls(values, low, inverse, ranges)

    @classmethod
    def none(cls, values: np.ndarray) -> Scale:
        """Values as they are."""
        n_features = values.shape[1]
        low, one = np.zeros(n_features, values.dtype), np.ones(n_features, values.dtype)
        return cls(values, low, one, np.column_stack([low, one]))

    def scaled(self) -> np.ndarray:
        """The bounds on that scale."""
        return (self.values - self.low[:, None]) * self.inverse[:, None]

    def restored(self, bounds: np.ndarray) -> np.ndarray:
        """Scaled bounds in the units of the data."""
        low, high = self.ranges.T[:, :, None]
        return low * (1 - bounds) + high * bounds


def scaled(values: np.ndarray) -> np.ndarray:
    """Bounds (n, p, 2) in [0, 1] by the smallest lower and the largest upper bound."""
    n, p, _ = values.shape
    # One row of lower and one of upper bounds each, so that both share a range.
    bounds = unit_scale(values.transpose(0, 2, 1).reshape(2 * n, p), np.ones(p, bool))
    return np.ascontiguousarray(bounds.reshape(n, 2, p).transpose(0, 2, 1))


def mean_intervals(
    scale: Scale, groups: np.ndarray, n_groups: int, *, missing: bool = False, run: Callable = map
) -> np.ndarray:
    """Mean bounds of every group, scaled, of shape (n_groups, n_features, 2); NaN if unknown.

    Parameters
    ----------
    scale : Scale
        The rows.
    groups : ndarray of shape (n_samples,)
        Group of every row.
    n_groups : int
        Number of groups.
    missing : bool
        Whether intervals may be missing; means are over those that are there.
    run : function
        Applies a function to blocks of rows; the ``map`` of an engine, to do so in threads.
    """
    p = len(scale.low)
    lowest = np.repeat(scale.low, 2)

    def task(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        sums, counts = np.zeros((n_groups, 2 * p)), np.zeros((n_groups, p), np.int64)
        add_bounds(scale.values[rows], groups[rows], lowest, missing, sums, counts)
        return sums, counts

    sums, counts = added(run(task, blocks_of_rows(len(groups))))
    counts = counts if missing else counts[:, :1]
    with np.errstate(invalid="ignore"):
        means = sums.reshape(n_groups, p, 2) / counts[:, :, None]
    return means * scale.inverse[:, None]


def added(parts: Iterable[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Sums of each member, in order, one part at a time."""
    parts = iter(parts)
    total = next(parts)
    for part in parts:
        for whole, piece in zip(total, part, strict=True):
            whole += piece
    return total
