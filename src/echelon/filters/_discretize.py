"""Every column as labels 0, 1, ...: intervals of numeric ones, nominal ones as they are.

A missing value is a label of its own, whatever the kind of column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon._core.sample_weights import weighted_mid_ranks
from echelon.filters._logs import log_table
from echelon.kernels.discretize import mdl_codes, quantile_codes
from echelon.validation import Columns

_CUT_BITS = 20
"""Cuts whose entropy (in bits, times samples) agrees to this many binary digits are equal."""


class Labels(NamedTuple):
    """Labels of every feature, shape (n_features, n_samples), and how many each has."""

    codes: np.ndarray
    n_labels: np.ndarray


def label_columns(columns: Columns, classes: np.ndarray, method: str, n_bins: int) -> Labels:
    """Labels of all columns.

    Parameters
    ----------
    columns : Columns
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
    codes = np.empty((n_features, n_samples), np.int32)
    n_codes = np.empty(n_features, np.int64)
    for f in np.flatnonzero(columns.nominal):
        codes[f], n_codes[f] = _nominal_labels(columns.values[:, f])
    numeric = np.flatnonzero(~columns.nominal)
    if columns.weights is not None:
        for f in numeric:
            codes[f], n_codes[f] = _bins_by_mass(columns.values[:, f], columns.weights, n_bins)
    elif len(numeric):
        codes[numeric], n_codes[numeric] = _intervals(
            np.ascontiguousarray(columns.values[:, numeric].T), classes, method, n_bins
        )
    return Labels(codes, n_codes)


def some_missing(values: np.ndarray) -> np.ndarray:
    """Mask of the columns in which values are missing and others are not: two labels at least."""
    missing = np.isnan(values)
    return missing.any(axis=0) & ~missing.all(axis=0)


def _nominal_labels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes as they are; missing values get the next one."""
    missing = np.isnan(values)
    n_codes = 0 if missing.all() else int(values[~missing].max()) + 1
    return np.where(missing, n_codes, values).astype(np.int32), n_codes + bool(missing.any())


def _bins_by_mass(values: np.ndarray, weights: np.ndarray, n_bins: int) -> tuple[np.ndarray, int]:
    """Bins of equal mass: the bin of a value is that of the middle of its copies' places."""
    missing = np.isnan(values)
    total = weights[~missing].sum()
    middle = weighted_mid_ranks(values, weights)[~missing] - 0.5
    bins, inverse = np.unique(np.floor(n_bins * middle / (total or 1.0)), return_inverse=True)
    codes = np.full(len(values), len(bins), np.int32)
    codes[~missing] = inverse
    return codes, len(bins) + bool(missing.any())


def _intervals(
    values: np.ndarray, classes: np.ndarray, method: str, n_bins: int
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals of numeric features (as rows), and how many there are of each."""
    order = np.argsort(values, axis=1, kind="stable")  # missing values last
    codes = np.empty(values.shape, np.int32)
    n_codes = np.empty(len(values), np.int64)
    if method == "quantile":
        # More bins than twice the samples separate nothing further.
        quantile_codes(values, order, min(int(n_bins), 2 * len(classes)), codes, n_codes)
        return codes, n_codes
    table, bits = log_table(len(classes))
    shift = max(0, bits - _CUT_BITS)
    n_classes = int(classes.max()) + 1
    mdl_codes(values, order, classes, n_classes, table, 2.0**bits, shift, codes, n_codes)
    return codes, n_codes
