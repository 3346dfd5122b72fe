"""From columns and classes to the samples an engine works on."""

from __future__ import annotations

import numpy as np

from echelon._core.differences import unit_scale
from echelon.data import Data
from echelon.engines import Samples


def arrange(
    columns: Data,
    classes: np.ndarray,
    directions: np.ndarray | None = None,
    outcome: np.ndarray | None = None,
) -> Samples:
    """Scale, turn falling columns round, sort rows by class and columns by kind.

    Parameters
    ----------
    columns : Data
        Features as read.
    classes : ndarray of shape (n_samples,)
        Class codes 0, 1, ...
    directions : ndarray of shape (n_features,), default=None
        1 rising, -1 falling, 0 without order; None for all 0.
    outcome : ndarray of shape (n_samples,), default=None
        A number of every sample, from 0 to 1, where there are no classes.
    """
    if directions is None:
        directions = np.zeros(len(columns.nominal), dtype=int)
    kind = np.where(columns.nominal, 2, np.where(directions == 0, 1, 0))
    order = np.argsort(kind, kind="stable")
    rows = np.argsort(classes, kind="stable")
    how = ~columns.nominal, directions < 0, order
    if isinstance(columns.values, np.ndarray):
        values = _laid_out(columns.values, *how)[rows]
        missing = bool(np.isnan(values.sum()))  # scaled values are finite or missing
    else:  # blocks of rows on a cluster, where an engine sorts them
        *ranges, missing = columns.values.ranges
        values = columns.values.then(_laid_out, [(*how, tuple(ranges))] * len(columns.values.sizes))
    return Samples(
        values=values,
        classes=classes[rows],
        rows=rows,
        columns=order,
        n_ordered=int((kind == 0).sum()),
        n_numeric=int((kind < 2).sum()),
        missing=missing,
        outcome=None if outcome is None else outcome[rows],
        weights=None if columns.weights is None else columns.weights[rows],
    )


def _laid_out(
    values: np.ndarray,
    numeric: np.ndarray,
    falling: np.ndarray,
    order: np.ndarray,
    ranges: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Columns scaled, turned round where they fall, and sorted by kind."""
    scaled = unit_scale(values, numeric, ranges)
    scaled[:, falling] *= -1  # not 1 - x, which would round small values away
    return scaled[:, order] if (np.diff(order) < 0).any() else scaled
