"""One feature, class by class: quantiles of numbers, shares of labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon.data import INTERVAL, kind_of, read_columns
from echelon.methods import ORDERED
from echelon.targets import Target

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_LABELS = 5
"""Labels of a nominal feature that are told apart; the rest are "other"."""
QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")

MOST_CLASSES = 12
"""Classes drawn; of more ordered ones some in between are left out, of others the rare ones."""


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
    """Of a nominal feature: its most frequent labels, and "other" if there are more; of a numeric
    one with two values: these."""
    shares: np.ndarray | None
    """Of these labels: shape (n_classes, n_labels), the share of every label in a class."""


def classes_of(target: Target) -> Classes:
    """The classes of a target, or quarters of its values."""
    if target.labels is None or target.codes is None:
        return _quarters(target.numbers)
    return Classes(target.labels.tolist(), target.codes, target.kind == ORDERED)


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
    name = getattr(column, "name", None) or "column"
    frame = pd.DataFrame({name: column})
    if kind_of(frame[name]) == INTERVAL:
        return _numbers(np.asarray(pd.array(column, dtype="interval").mid, dtype=float), classes)
    columns = read_columns(frame, min_samples=1)
    if columns.nominal[0]:
        return _labels(frame[name], classes)
    values = columns.values[:, 0].astype(float)
    if not pd.api.types.is_numeric_dtype(frame[name].dtype):
        return _numbers(values, classes)
    return _with_shares(values, _numbers(values, classes), classes)


def _with_shares(values: np.ndarray, found: ByClass, classes: Classes) -> ByClass:
    """Numbers with two values have shares, too: quantiles of them say nearly nothing."""
    known = np.unique(values[~np.isnan(values)])
    if len(known) != 2:
        return found
    upper = np.bincount(classes.codes[values == known[1]], minlength=len(classes.labels))
    share = upper / np.maximum(found.present, 1)
    labels = [f"{value:g}" for value in known]
    return found._replace(labels=labels, shares=np.column_stack([1 - share, share]))


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


def drawn_classes(classes: Classes) -> list[int]:
    """The classes that are drawn: all, or those along the order, or the most frequent."""
    n_classes = len(classes.labels)
    if n_classes <= MOST_CLASSES:
        return list(range(n_classes))
    if classes.ordered:
        return np.unique(np.linspace(0, n_classes - 1, MOST_CLASSES).round().astype(int)).tolist()
    counts = np.bincount(classes.codes, minlength=n_classes)
    return sorted(np.argsort(-counts, kind="stable")[:MOST_CLASSES].tolist())


def scaled(quantiles: np.ndarray) -> np.ndarray:
    """Quantiles between 0, the smallest of all classes, and 1; a constant in the middle."""
    there = quantiles[~np.isnan(quantiles)]
    if len(there) == 0:
        return quantiles
    low, high = there.min(), there.max()
    return (quantiles - low) / (high - low) if high > low else quantiles * 0 + 0.5
