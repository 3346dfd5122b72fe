"""Measures of association, as a search asks for them: with the target, and between features.

Both are of one scale, so that what a feature says of the target can be set against what it says of
another feature.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from echelon.filters._association import associations, blocks_of, codes_of, sorted_block
from echelon.filters._discretize import Labels, label_columns
from echelon.filters._measures import Uncertainties
from echelon.filters._outcome import has_order
from echelon.filters._rank_information import rank_informations
from echelon.targets import Target
from echelon.validation import Columns


class Relations(ABC):
    """One measure on one table."""

    @abstractmethod
    def with_target(self) -> np.ndarray:
        """Association of every feature with the target."""

    @abstractmethod
    def between(self, features: np.ndarray, feature: int) -> np.ndarray:
        """Association of some features with one of them; never below 0."""


class Correlations(Relations):
    """Strength of rank correlation, whatever the kinds of the two variables."""

    def __init__(self, columns: Columns, target: Target, measure: str):
        self._columns, self._target, self._measure = columns, target, measure

    def with_target(self) -> np.ndarray:
        codes = codes_of(self._target.numbers)
        return self._with(self._columns, codes, has_order(self._target))

    def between(self, features: np.ndarray, feature: int) -> np.ndarray:
        codes = codes_of(self._columns.values[:, feature])
        some = self._columns.some(features)
        return self._with(some, codes, not self._columns.nominal[feature])

    def _with(self, columns: Columns, codes: np.ndarray, ordered: bool) -> np.ndarray:
        blocks = (sorted_block(columns, part) for part in blocks_of(columns))
        return associations(columns, codes, ordered, self._measure, blocks).strengths


class Information(Relations):
    """Mutual information in bits, or symmetric uncertainty, of discretised columns."""

    def __init__(
        self,
        labels: Labels,
        target: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        symmetric: bool,
    ):
        self._labels, self._target, self._symmetric = labels, target, symmetric
        self._weights = weights

    def with_target(self) -> np.ndarray:
        return self._with(self._labels, self._target)

    def between(self, features: np.ndarray, feature: int) -> np.ndarray:
        codes, n_labels = self._labels
        return self._with(Labels(codes[features], n_labels[features]), codes[feature])

    def _with(self, labels: Labels, codes: np.ndarray) -> np.ndarray:
        found = Uncertainties(labels, self._weights)
        return found.of(codes) if self._symmetric else found.information(codes)


class OrderInformation(Relations):
    """Rank mutual information of numeric columns, 0 where it is negative."""

    def __init__(self, columns: Columns, target: Target, directions: np.ndarray):
        self._columns, self._target, self._directions = columns, target, directions

    def with_target(self) -> np.ndarray:
        everything = np.arange(len(self._directions))
        return self._with(everything, codes_of(self._target.numbers), 1)

    def between(self, features: np.ndarray, feature: int) -> np.ndarray:
        codes = codes_of(self._columns.values[:, feature])
        return self._with(features, codes, int(self._directions[feature]))

    def _with(self, features: np.ndarray, codes: np.ndarray, direction: int) -> np.ndarray:
        some = self._columns.some(features)
        found = rank_informations(some, self._directions[features], codes, direction)
        return np.maximum(found, 0)


def target_labels(target: Target, n_bins: int, weights: np.ndarray | None) -> np.ndarray:
    """Class codes; numbers in bins of equal frequency."""
    if target.codes is not None:
        return target.codes
    column = Columns(target.numbers[:, None], np.zeros(1, bool), None, weights)
    return label_columns(column, np.zeros(len(target), int), "quantile", n_bins).codes[0]
