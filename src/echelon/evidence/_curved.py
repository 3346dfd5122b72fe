"""Columns and their squares: relations that rise and fall, where they predict better than lines.

Whether the squares of the columns are used is decided for every regression by its leave-one-out
error, since with few rows they cost more than they bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from echelon.evidence._conditional import (
    NOMINAL,
    ColumnModel,
    Conditionals,
    Encoded,
    Feature,
)


@dataclass(frozen=True, eq=False)
class Curved:
    """A table, or some of its rows, with the squares of its columns.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_columns + n_squares)
        Columns as ``encode`` makes them, and squares of those of continuous and ordered features.
    features : list of Feature
        What the columns belong to.
    squared : ndarray of int
        The columns of which there are squares.
    """

    matrix: np.ndarray
    features: list[Feature]
    squared: np.ndarray

    @classmethod
    def of(cls, encoded: Encoded) -> Curved:
        """The table as a whole; the squares of features with two values say nothing."""
        bends = [f.columns for f in encoded.features if f.kind != NOMINAL and len(f.levels) != 2]
        squared = np.concatenate([np.empty(0, int), *bends])
        matrix = np.hstack([encoded.matrix, _squares(encoded.matrix[:, squared])])
        return cls(matrix, encoded.features, squared)

    @property
    def plain(self) -> np.ndarray:
        """The columns without squares."""
        return self.matrix[:, : self.matrix.shape[1] - len(self.squared)]

    def rows(self, rows: np.ndarray) -> Curved:
        """Some of the rows."""
        return replace(self, matrix=self.matrix[rows])

    def tables(self) -> list[np.ndarray]:
        """What regressions may be fitted on: columns and, if there are many rows, squares too."""
        n, q = self.matrix.shape
        return [self.plain, self.matrix] if len(self.squared) and q < n else [self.plain]

    def own(self, features: Sequence[int]) -> np.ndarray:
        """The columns of some features, and their squares."""
        own = np.concatenate([self.features[f].block for f in features])
        squares = self.plain.shape[1] + np.flatnonzero(np.isin(self.squared, own))
        return np.concatenate([own, squares])

    def best_model(
        self, models: Sequence[Conditionals], feature: int, hidden: Sequence[int]
    ) -> ColumnModel:
        """The model of a feature with the smallest error on rows left out, some features hidden."""
        own, found = self.own(hidden), []
        for each in models:
            n = each.train.shape[1]
            model = each.model(self.features[feature], np.setdiff1d(np.arange(n), own))
            found.append(replace(model, ridge=model.ridge.beside(self.matrix.shape[1] - n)))
        return min(found, key=lambda model: float(np.sum(model.errors**2)))

    def drawn(self, chain: Sequence[ColumnModel], random_state: Any) -> Curved:
        """The table with new values of features, drawn one after the other."""
        matrix = self.matrix.copy()
        n = self.plain.shape[1]
        for model in chain:
            own = model.feature.columns
            matrix[:, own] = model.draw(matrix, random_state)
            squares = np.flatnonzero(np.isin(self.squared, own))
            matrix[:, n + squares] = _squares(matrix[:, self.squared[squares]])
        return replace(self, matrix=matrix)


def _squares(columns: np.ndarray) -> np.ndarray:
    """Of columns with variance 1: with mean 0 and, of a normal one, variance 1."""
    return (columns**2 - 1) / np.sqrt(2)
