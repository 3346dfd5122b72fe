"""One feature, class by class: quantiles of numbers, shares of labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon.intervals._read import holds_intervals, read_intervals
from echelon.validation import read_classes, read_columns, read_labels, read_ordered_classes

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_LABELS = 5
"""Labels of a nominal feature that are told apart; the rest are "other"."""
QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")


class Classes(NamedTuple):
    """The classes the samples are divided into."""

    labels: list[Any]
    codes: np.ndarray
    ordered: bool


class ByClass(NamedTuple):
    """One feature in every class."""

    present: np.ndarray
    """Samples of every class in which it is not missing."""
    quantiles: np.ndarray | None
    """Of a numeric feature: shape (n_classes, 5), NaN where nothing is present."""
    labels: list[str] | None
    """Of a nominal feature: its most frequent labels, and "other" if there are more."""
    shares: np.ndarray | None
    """Of a nominal feature: shape (n_classes, n_labels), the share of every label in a class."""


def read_groups(y: Any, kind: str | None = None, class_order: Any = None) -> Classes:
    """The classes of y, or quarters of its values.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target.
    kind : {"ordinal", "classification", "regression"}, default=None
        What y is; None: integers and ordered labels are ordinal, fractions a regression.
    class_order : sequence, default=None
        Classes from lowest to highest.
    """
    kind = kind or ("ordinal" if class_order is not None else _guess(y))
    if kind == "regression":
        return _quarters(np.asarray(y, dtype=float))
    if kind == "ordinal":
        labels, codes = read_ordered_classes(y, class_order)
    else:
        labels, codes = read_classes(y)
    return Classes(labels.tolist(), codes, kind == "ordinal")


def _guess(y: Any) -> str:
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordinal" if dtype.ordered else "classification"
    if str(dtype).startswith("Enum"):
        return "ordinal"
    labels = read_labels(y)
    if labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        return "regression"
    return "ordinal" if labels.dtype.kind in "iuf" else "classification"


def _quarters(values: np.ndarray) -> Classes:
    """Quarters of the samples by their value; fewer where values repeat."""
    cuts = np.unique(np.quantile(values, [0.25, 0.5, 0.75]))
    codes = np.searchsorted(cuts, values, side="left")
    used, codes = np.unique(codes, return_inverse=True)
    if len(used) == len(QUARTERS):
        return Classes(list(QUARTERS), codes, True)
    return Classes([f"part {c + 1} of {len(used)}" for c in range(len(used))], codes, True)


def describe(column: Any, classes: Classes) -> ByClass:
    """One column of a frame in every class; an interval counts as its middle."""
    frame = pd.DataFrame({"column": column})
    if holds_intervals(frame):
        values = read_intervals(frame, allow_nan=True).values.mean(axis=2)[:, 0]
        return _numbers(values, classes)
    columns = read_columns(frame, "from_dtype", allow_nan=True, min_samples=1)
    if columns.nominal[0]:
        return _labels(frame["column"], classes)
    return _numbers(columns.values[:, 0].astype(float), classes)


def _numbers(values: np.ndarray, classes: Classes) -> ByClass:
    quantiles = np.full((len(classes.labels), len(QUANTILES)), np.nan)
    present = np.zeros(len(classes.labels), dtype=int)
    for c in range(len(classes.labels)):
        there = values[(classes.codes == c) & ~np.isnan(values)]
        present[c] = len(there)
        if len(there):
            quantiles[c] = np.quantile(there, QUANTILES)
    return ByClass(present, quantiles, None, None)


def _labels(column: pd.Series, classes: Classes) -> ByClass:
    counts = column.value_counts()
    names = counts[counts > 0].index[:MOST_LABELS].tolist()
    codes = pd.Index(names).get_indexer(pd.Index(column.astype(object)))
    n_labels = len(names) + bool((counts > 0).sum() > len(names))
    # Missing is neither a label nor "other".
    codes = np.where(column.isna(), -1, np.where(codes < 0, len(names), codes))
    counted = np.zeros((len(classes.labels), max(n_labels, 1)))
    there = codes >= 0
    np.add.at(counted, (classes.codes[there], codes[there]), 1)
    present = counted.sum(axis=1)
    shares = counted / np.maximum(present, 1)[:, None]
    shown = [str(name) for name in names] + ["other"] * (n_labels - len(names))
    return ByClass(present.astype(int), None, shown, shares[:, :n_labels])
