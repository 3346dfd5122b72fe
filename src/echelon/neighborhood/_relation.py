"""Which samples lie in the ball around which.

Distances are Euclidean over features scaled to [0, 1]; nominal features differ by 0 or 1.  Where
values are missing, the squared distance over the features two samples share is scaled up to all
features.  No distance matrix is held: every question goes to the engine's exact search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length

from echelon._core.samples import arrange
from echelon.engines import Classes, Engine, Found, Samples, Search, resolve_engine
from echelon.targets import read_classes
from echelon.validation import Columns, as_table, read_columns

SLACK = 1e-12
"""A ball is closed, and rounding must not open it: a distance up to radius + SLACK is inside."""


def in_double(columns: Columns) -> Columns:
    """Columns in double precision: in single, rounding would open the closed ball."""
    return columns._replace(values=columns.values.astype(np.float64, copy=False))


class Relation(NamedTuple):
    """Samples (rows sorted by class) ready for questions about their neighborhoods."""

    labels: np.ndarray
    samples: Samples
    engine: Engine
    space: Any

    def nearest(self, classes: Classes) -> np.ndarray:
        """Distance of every sample to the nearest of the classes; inf if there is none."""
        nearest = np.full(len(self.samples.classes), np.inf)
        for queries, found in self._pieces(Search(classes, 1)):
            with_any = found.counts > 0
            if with_any.any():
                first = np.concatenate([[0], np.cumsum(found.counts)[:-1]])[with_any]
                nearest[queries[with_any]] = np.sqrt(np.minimum.reduceat(found.distances, first))
        return nearest

    def within(self, radius: float) -> Iterator[tuple[np.ndarray, Found]]:
        """Samples and all others in their balls, piece by piece."""
        n = len(self.labels)
        return self._pieces(Search(Classes(np.zeros(n, int), np.full(n, n), True), radius=radius))

    def in_rows(self, values: np.ndarray) -> np.ndarray:
        """Values of the samples in the order of the rows of X."""
        restored = np.empty_like(values)
        restored[self.samples.rows] = values
        return restored

    def _pieces(self, search: Search) -> Iterator[tuple[np.ndarray, Found]]:
        queries = np.arange(len(self.samples.classes))
        while len(queries):
            found = self.engine.nearest(self.space, queries, search)
            yield queries[: len(found.counts)], found
            queries = queries[len(found.counts) :]


def relate(X: Any, y: Any, categorical_features: Any) -> Relation:
    """Read samples and unordered classes."""
    X = as_table(X)
    columns = read_columns(X, categorical_features, allow_nan=True)
    labels, codes = read_classes(y)
    check_consistent_length(columns.values, codes)
    samples = arrange(in_double(columns), codes)
    engine = resolve_engine("auto", None, len(samples.values) * samples.values.size)
    return Relation(labels, samples, engine, engine.prepare(samples, "euclidean"))
