"""Samples of whatever kind: some of the rows, weights, seeds; and laid out for an engine.

A weight is a count: 2 is a row that is there twice, 0 one that is not there, and 1 for all is no
weights at all; weights between are what lies between.

For an engine, numeric columns are scaled to [0, 1] by their range, so that the ``diff`` of Relief
is the absolute difference of scaled values; a constant column is 0 everywhere and never differs.
Nominal columns hold codes, and differ by 0 or 1.  (Equations 2 and 3 of Hu, Pan, Song, Yu 2012.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from echelon._core.compat import safe_indexing
from echelon.data import Data, as_table, check_shape, is_dask
from echelon.engines import Samples
from echelon.targets import Target, read_labels, read_target


def read_data(X: Any, y: Any, groups: Any = None) -> tuple[Any, Any]:
    """X and y in a form whose rows can be taken; frames, intervals and categories stay so."""
    X = read_rows(X)
    if isinstance(y, pd.Categorical):
        y = pd.Series(y)
    y = y if hasattr(y, "shape") or isinstance(y, Target) else np.asarray(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "O":
        y = read_labels(y)
    check_consistent_length(X, y, groups)
    return X, y


def read_rows(X: Any) -> Any:
    """X with a shape: samples by features."""
    X = as_table(X)
    X = X if hasattr(X, "shape") else np.asarray(X)
    check_shape(X)
    return X


def take_rows(data: Any, rows: np.ndarray) -> Any:
    """Some samples."""
    return data.take(rows) if isinstance(data, Data | Target) else safe_indexing(data, rows)


def take_columns(X: Any, columns: np.ndarray) -> Any:
    """Some features, which may be intervals, in the order of X: what a model is fitted to."""
    columns = np.sort(columns)
    X = X.frame if isinstance(X, Data) else X
    return X[:, columns] if len(X.shape) > 2 else safe_indexing(X, columns, axis=1)


def feature_names(X: Any) -> np.ndarray:
    """Names of the features, or their numbers."""
    names = X.names if isinstance(X, Data) else getattr(X, "columns", None)
    return np.arange(X.shape[1]) if names is None else np.asarray(names, dtype=object)


def draw_seeds(random_state: Any, n_seeds: int) -> list[int | None]:
    """One seed per job, drawn before the jobs start; none if nothing was asked for."""
    if random_state is None:
        return [None] * n_seeds
    return random_state.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()


def seeded(estimator: Any, seed: int | None) -> Any:
    """A copy in which every ``random_state`` that was left open is this seed."""
    if not hasattr(estimator, "get_params"):  # scikit-learn would copy a list of none
        raise TypeError(
            f"A selector or model must be an estimator as scikit-learn's, got {estimator!r}."
        )
    copy = clone(estimator)
    if seed is None:
        return copy
    params = copy.get_params(deep=True)
    left_open = [
        name
        for name, value in params.items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return copy.set_params(**dict.fromkeys(left_open, seed))


def strata(y: Any) -> list[np.ndarray]:
    """Rows of every class; all rows if y is no classes."""
    codes = read_target(y).codes
    if codes is None:
        return [np.arange(len(y))]
    return [np.flatnonzero(codes == code) for code in np.unique(codes)]


def members(groups: Any) -> Sequence[np.ndarray]:
    """Rows of every group."""
    codes = pd.factorize(np.asarray(groups))[0]
    return [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]


def draw_rows(y: Any, groups: Any, share: float, random: Any) -> np.ndarray:
    """Rows drawn without replacement: a share of every class, or of the groups."""

    def some(of: Any, n: int) -> np.ndarray:
        return random.permutation(of)[: math.ceil(share * n)]

    if groups is None:
        parts = [some(rows, len(rows)) for rows in strata(y)]
    else:
        every = members(groups)
        parts = [every[group] for group in some(len(every), len(every))]
    return np.sort(np.concatenate(parts))


def weighted_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray | None]:
    """The rows that are there at all, and their weights; None if each is there once.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "b", "b"])
    >>> X, y, weights = weighted_rows(X, y, [2, 0, 1])
    >>> X.tolist(), y.tolist(), weights.tolist()
    ([[1.0], [3.0]], ['a', 'b'], [2.0, 1.0])
    """
    if sample_weight is None:
        return X, y, None
    weights = read_weights(sample_weight)
    check_consistent_length(X, y, weights)
    there = np.flatnonzero(weights)
    if len(there) < len(weights):
        X, y = _some_rows(X, y, there)
        weights = weights[there]
    return X, y, None if (weights == 1).all() else weights


def read_weights(sample_weight: Any) -> np.ndarray:
    """Weights as numbers of at least 0, at least one of them more."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"`sample_weight` must hold numbers, one per sample, but {error}. Convert it first."
        ) from error
    if weights.ndim != 1:
        raise ValueError(
            f"`sample_weight` must have one number per sample, got shape {weights.shape}. Pass a "
            "list, an array or a column."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(
            f"`sample_weight` must hold finite numbers of at least 0, got {weights[wrong][0]} for "
            f"sample {int(np.flatnonzero(wrong)[0])}. Drop such samples, or give them a weight."
        )
    if not weights.any():
        raise ValueError(
            "`sample_weight` must hold at least one non-zero number, got zero weights throughout. "
            "Give some samples a weight."
        )
    return weights


def _some_rows(X: Any, y: Any, rows: np.ndarray) -> tuple[Any, Any]:
    if is_dask(X):
        raise ValueError(
            "`sample_weight` is 0 for some rows of a Dask collection, whose rows stay where they "
            "are. Filter the collection first."
        )
    X, y = read_data(X, y)
    return take_rows(X, rows), take_rows(y, rows)


def fit_weighted(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """The estimator, fitted with weights if there are any; refused where it takes none."""
    if not getattr(estimator, "_reads_data", False):
        X = X.frame if isinstance(X, Data) else X
        y = y.y if isinstance(y, Target) else y
    if sample_weight is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"`sample_weight` was given, but {type(estimator).__name__} takes no weights. Leave "
            "them out, or use a method that does."
        )
    return estimator.fit(X, y, sample_weight=sample_weight)


def row_counts(weights: np.ndarray | None, n_samples: int) -> np.ndarray:
    """How many rows every row stands for."""
    return np.ones(n_samples) if weights is None else weights


def own_copies(weights: np.ndarray) -> np.ndarray:
    """The other copies of every row: one less than its weight, none if that is below 1."""
    return np.maximum(weights - 1.0, 0.0)


def weighted_mid_ranks(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The middle of the places that the copies of equal values take; NaN for missing ones.

    Examples
    --------
    >>> weighted_mid_ranks(np.array([5.0, 7.0, 5.0]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.5, 3.5, 1.5]
    """
    weights = np.ones(len(values)) if weights is None else weights
    ranks = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    _, groups = np.unique(values[present], return_inverse=True)
    sizes = np.bincount(groups, weights[present])
    ranks[present] = (np.cumsum(sizes) - sizes / 2 + 0.5)[groups]
    return ranks


# ------------------------------------------------------------------------- laid out for an engine


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


_CELLS_LAID_OUT = 1 << 16
"""Values scaled at a time."""
