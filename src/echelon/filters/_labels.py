"""Every column as labels 0, 1, ...: intervals of numeric columns, nominal columns as they are.

A missing value is a label of its own, whatever the kind of column.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from echelon._core.compat import Interval, StrOptions
from echelon._core.rows import row_counts
from echelon.data import Data
from echelon.filters._base import Block, sorted_blocks
from echelon.filters._label_loops import mdl_codes

CUT_CONSTRAINTS: dict[str, list[Any]] = {
    "discretize": [StrOptions({"mdl", "quantile"})],
    "n_bins": [Interval(Integral, 2, None, closed="left")],
}
"""Constraints of the parameters that say how numeric features are cut."""

_CUT_BITS = 20
"""Cuts whose entropy (in bits, times samples) agrees to this many binary digits are equal."""


class Labels(NamedTuple):
    """Labels of every feature, shape (n_features, n_samples), and how many each has."""

    codes: np.ndarray
    n_labels: np.ndarray


def label_columns(columns: Data, classes: np.ndarray, method: str, n_bins: int) -> Labels:
    """Labels of all columns.

    Parameters
    ----------
    columns : Data
        Features, as read.
    classes : ndarray of int, shape (n_samples,)
        Class codes, which "mdl" uses.
    method : {"mdl", "quantile"}
        The cuts of Fayyad and Irani, or bins of equal frequency.
    n_bins : int
        Number of bins of "quantile", at most.
    """
    if columns.weights is not None and method == "mdl":
        raise ValueError(
            '`discretize` must be "quantile" with `sample_weight`, got "mdl", whose cuts rest on '
            "counts of samples. Use bins of equal frequency."
        )
    n_samples, n_features = columns.values.shape
    labels = Labels(np.empty((n_features, n_samples), np.int32), np.empty(n_features, np.int64))
    for f in np.flatnonzero(columns.nominal):
        labels.codes[f], labels.n_labels[f] = _nominal_labels(columns.values[:, f])
    for block in sorted_blocks(columns, np.flatnonzero(~columns.nominal)):
        if method == "quantile":
            found = _equal_bins(block, columns.weights, n_bins)
        else:
            found = _cuts(block, classes)
        labels.codes[block.features], labels.n_labels[block.features] = found
    return labels


def some_missing(values: np.ndarray) -> np.ndarray:
    """Mask of the columns in which values are missing and others are not: two labels at least."""
    missing = np.isnan(values)
    return missing.any(axis=0) & ~missing.all(axis=0)


def _nominal_labels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes as they are; missing values get the next one."""
    missing = np.isnan(values)
    n_codes = 0 if missing.all() else int(values[~missing].max()) + 1
    return np.where(missing, n_codes, values).astype(np.int32), n_codes + bool(missing.any())


def _equal_bins(block: Block, weights: np.ndarray | None, n_bins: int) -> Labels:
    """Bins of equal mass: the bin of a value is that of the middle of its copies' places."""
    counts = row_counts(weights, block.rows.shape[1])
    total = (~np.isnan(block.rows) * counts).sum(axis=1, keepdims=True)
    values, middle = block.ascending(weights)
    bins = np.floor(n_bins * middle / np.where(total > 0, total, 1.0))
    bins[np.isnan(values)] = np.inf
    numbers = np.zeros(bins.shape, np.int32)
    np.cumsum(bins[:, 1:] > bins[:, :-1], axis=1, out=numbers[:, 1:])
    return Labels(block.in_rows(numbers), numbers[:, -1] + 1)


def _cuts(block: Block, classes: np.ndarray) -> Labels:
    """Intervals by the criterion of Fayyad and Irani."""
    found = Labels(np.empty(block.rows.shape, np.int32), np.empty(len(block.rows), np.int64))
    table, bits = log_table(len(classes))
    shift = max(0, bits - _CUT_BITS)
    n_classes = int(classes.max()) + 1
    mdl_codes(block.rows, block.order, classes, n_classes, table, 2.0**bits, shift, *found)
    return found


# ------------------------------------------------------------------------------------ logarithms


def log_table(n: int) -> tuple[np.ndarray, int]:
    """C log2(c) of the counts 0, ..., n as integers, multiples of 1 / 2**bits, and these bits.

    Sums of integers are exact: entropies of the same counts in another order are equal, and copies
    of a feature tie.
    """
    counts, bits = np.arange(n + 1, dtype=np.float64), log_bits(n)
    products = counts * np.log2(np.maximum(counts, 1))
    return np.rint(np.ldexp(products, bits)).astype(np.int64), bits


def log_bits(n: float) -> int:
    """Bits after the point that leave room for n log2(n) before it, in a float."""
    return 52 - int(np.ceil(np.log2(max(n * np.log2(max(n, 1)), 1))))
