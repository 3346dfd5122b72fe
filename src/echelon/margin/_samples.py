"""Samples as the margin family sees them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from echelon.validation import Columns


class Samples(NamedTuple):
    """Scaled samples, rows sorted by class and columns by kind.

    Columns come in three runs: ordered numeric (larger is better), other numeric, nominal codes.
    """

    values: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    """Original index of every row; increasing within a class."""
    columns: np.ndarray
    """Original index of every column."""
    n_ordered: int
    n_numeric: int
    missing: bool

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of samples per class."""
        return np.bincount(self.classes)

    def per_feature(self, scores: np.ndarray) -> np.ndarray:
        """Scores in the original order of columns."""
        restored = np.empty_like(scores)
        restored[self.columns] = scores
        return restored


def arrange(scaled: Columns, classes: np.ndarray, directions: np.ndarray | None = None) -> Samples:
    """Sort rows by class and columns by kind; turn falling columns round.

    Parameters
    ----------
    scaled : Columns
        Numeric columns in [0, 1].
    classes : ndarray of shape (n_samples,)
        Class codes 0, 1, ...
    directions : ndarray of shape (n_features,), default=None
        1 rising, -1 falling, 0 without order; None for all 0.
    """
    if directions is None:
        directions = np.zeros(len(scaled.nominal), dtype=int)
    kind = np.where(scaled.nominal, 2, np.where(directions == 0, 1, 0))
    columns = np.argsort(kind, kind="stable")
    rows = np.argsort(classes, kind="stable")
    values = scaled.values[rows]
    if (np.diff(columns) < 0).any():
        values = values[:, columns]
    falling = directions[columns] < 0
    values[:, falling] = 1 - values[:, falling]
    return Samples(
        values=np.ascontiguousarray(values),
        classes=classes[rows],
        rows=rows,
        columns=columns,
        n_ordered=int((kind == 0).sum()),
        n_numeric=int((kind < 2).sum()),
        missing=bool(np.isnan(values.sum())),  # scaled values are finite or missing
    )
