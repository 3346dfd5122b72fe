"""Features on a common scale, and the samples an engine works on.

Numeric columns are scaled to [0, 1] by their range, so that the ``diff`` of Relief is the absolute
difference of scaled values; a constant column is 0 everywhere and never differs.  Nominal columns
hold codes, and differ by 0 or 1.  (Equations 2 and 3 of Hu, Pan, Song, Yu 2012.)

Which of them should rise or fall with ordered classes is the parameter ``monotonic_cst``
(``directions``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.data import Data
from echelon.engines import Samples
from echelon.kernels.monotone import pairs_by_feature


def unit_scale(
    values: np.ndarray,
    numeric: np.ndarray,
    ranges: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Numeric columns scaled to [0, 1] by their range, the others as they are.

    NaN stays NaN, a constant column becomes 0.  ``ranges`` holds the smallest and largest values
    where these are but some of the rows.
    """
    low, high = ranges or (np.fmin.reduce(values), np.fmax.reduce(values))
    with np.errstate(over="ignore", invalid="ignore"):
        huge = np.isinf(high - low) & numeric
    if huge.any():  # the range of finite numbers; that of their halves is finite
        halves = [np.where(huge, 0.5 * part, part) for part in (values, low, high)]
        return unit_scale(halves[0], numeric, (halves[1], halves[2]))
    span = high - low
    span[~(span > 0) | ~numeric] = 1
    scaled = values - np.where(numeric, low, 0).astype(values.dtype)
    scaled /= span
    return scaled


def columns_that_vary(values: np.ndarray) -> np.ndarray:
    """Mask of the columns with at least two values; missing ones are none."""
    with np.errstate(invalid="ignore"):
        return np.fmin.reduce(values) < np.fmax.reduce(values)


ROUNDING = 1e-13
"""Scores below this are 0: a nominal feature that never repeats is not better than nothing."""


def without_rounding(scores: np.ndarray) -> np.ndarray:
    """Scores with 0 in place of what only rounding left."""
    return np.where(np.abs(scores) < ROUNDING, 0.0, scores)


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
        values = _by_rows(columns.values, rows, *how)
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


def _by_rows(
    values: np.ndarray,
    rows: np.ndarray,
    numeric: np.ndarray,
    falling: np.ndarray,
    order: np.ndarray,
) -> np.ndarray:
    """Rows laid out in another order, few at a time, so that they stay in the cache."""
    ranges = np.fmin.reduce(values), np.fmax.reduce(values)
    laid_out = np.empty_like(values, order="C")
    size = max(1, _CELLS_LAID_OUT // values.shape[1])
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        laid_out[part] = _laid_out(values[rows[part]], numeric, falling, order, ranges)
    return laid_out


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


def weighted_columns(samples: Samples, weights: np.ndarray, metric: str) -> Samples:
    """Samples whose distances weigh every feature's difference, or its square if Euclidean.

    Features of weight 0 are left out; a nominal one becomes a numeric column for every category,
    of which two differ where the values do.

    Parameters
    ----------
    samples : Samples
        The data, complete.
    weights : ndarray of shape (n_features,)
        Of the features, from 0 to 1, in their original order; at least one above 0.
    metric : {"manhattan", "euclidean"}
        Distance between samples.
    """
    by_column = weights[samples.columns]
    factors = np.sqrt(by_column) if metric == "euclidean" else by_column
    half = np.sqrt(0.5) if metric == "euclidean" else 0.5
    n, used = samples.n_numeric, np.flatnonzero(by_column > 0)
    parts = [samples.values[:, used[used < n]] * factors[used[used < n]]]
    for f in used[used >= n].tolist():
        column = samples.values[:, f]
        parts.append((column[:, None] == np.unique(column)) * (half * factors[f]))
    values = np.hstack(parts).astype(samples.values.dtype)
    return samples._replace(
        values=values,
        columns=np.arange(values.shape[1]),
        n_ordered=int((used < samples.n_ordered).sum()),
        n_numeric=values.shape[1],
    )


MOST_DIFFERENT = 0.7
"""Share of rows that differ up to which it pays to take equal ones together."""

_PROBE = 256
"""Rows that tell which column has most values."""


def equal_rows_once(samples: Samples) -> Samples | None:
    """Rows that are equal in all features and the outcome, once and weighted by their number.

    Sums over weighted samples are those of repeated rows.  None if few rows are equal, or have
    weights already, or lie on a cluster.
    """
    values, n = samples.values, len(samples.classes)
    if samples.weights is not None or not isinstance(values, np.ndarray):
        return None
    some = np.sort(values[:: -(-n // _PROBE)], axis=0)
    widest = int(np.argmax((some[1:] != some[:-1]).sum(axis=0)))
    if len(np.unique(values[:, widest])) > MOST_DIFFERENT * n:
        return None
    known = [values, samples.classes[:, None]]
    if samples.outcome is not None:
        known.append(samples.outcome[:, None])
    as_bytes = np.hstack([np.ascontiguousarray(part).view(np.uint8) for part in known])
    whole = as_bytes.view(np.dtype((np.void, as_bytes.shape[1])))[:, 0]
    _, first, counts = np.unique(whole, return_index=True, return_counts=True)
    if len(first) > MOST_DIFFERENT * n:
        return None
    order = np.argsort(first)
    kept = samples.reordered(first[order])
    return kept._replace(weights=counts[order].astype(float))


_CELLS = 1 << 21
"""Values sorted at a time."""

_CELLS_LAID_OUT = 1 << 16
"""Values scaled at a time."""


def directions(monotonic_cst: Any, columns: Data, codes: np.ndarray) -> np.ndarray:
    """1, -1 or 0 for features that rise, fall or need do neither with the class.

    None: all numeric features rise.  "auto": the sign of Kendall's tau with the class.
    """
    n_features = len(columns.nominal)
    if monotonic_cst is None:
        return np.where(columns.nominal, 0, 1)
    if isinstance(monotonic_cst, str):
        signs = np.zeros(n_features, dtype=int)
        numeric = np.flatnonzero(~columns.nominal)
        agree, oppose = pairs_by_column(columns.values, numeric, codes, columns.weights).T
        equal = columns.weights is not None and abs(agree - oppose) <= 1e-12 * (agree + oppose)
        signs[numeric] = np.where(equal, 0, np.sign(agree - oppose))
        return signs
    if isinstance(monotonic_cst, dict | pd.Series):
        wanted = np.zeros(n_features, dtype=object)
        for name, value in monotonic_cst.items():
            wanted[columns.position(name, "monotonic_cst")] = value
    else:
        wanted = np.asarray(monotonic_cst)
    return _checked(wanted, columns.nominal)


def _checked(wanted: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    if wanted.shape != nominal.shape:
        raise ValueError(
            f"`monotonic_cst` must have one entry per feature, shape ({len(nominal)},), got shape "
            f"{wanted.shape}."
        )
    if not all(value in (-1, 0, 1) for value in wanted.tolist()):
        raise ValueError(f"`monotonic_cst` must hold 1, -1 and 0 only, got {wanted.tolist()}.")
    if (wanted[nominal] != 0).any():
        raise ValueError(
            "`monotonic_cst` must be 0 for nominal features, which have no order; feature "
            f"{np.flatnonzero(nominal & (wanted != 0))[0]} is nominal. Make it an ordered "
            "categorical if it has one."
        )
    return wanted.astype(int)


def pairs_by_column(
    values: Any, features: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Pairs of samples whose values and classes are in the same order, and in opposite ones.

    Of some columns of a table, which may lie on a cluster; shape (n_features, 2).
    """
    counts = np.ones(len(codes), np.int64) if weights is None else weights
    pairs = np.empty((len(features), 2), counts.dtype)
    size = max(1, _CELLS // len(codes))
    for start in range(0, len(features), size):
        rows = np.stack([values[:, f] for f in features[start : start + size]])
        order = np.argsort(rows, axis=1)  # missing values last
        found = pairs[start : start + size]
        pairs_by_feature(rows, order, codes, counts, int(codes.max()) + 1, found)
    return pairs


def pairs_in_order(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Pairs in the same order, and in opposite ones, of one column."""
    return pairs_by_column(column[:, None], np.zeros(1, int), codes)[0]
