"""Any target, for filters that take ordered classes, classes without an order, and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from echelon._core.any_target import TargetReader
from echelon.methods import CLASSES
from echelon.targets import Target
from echelon.validation import Columns, read_columns


class AnyTargetMixin(TargetReader):
    """Reads y as what it is, or as ``kind`` says; missing values in X are taken."""

    _allow_nan = True

    categorical_features: Any

    def _read(self, X: Any, y: Any) -> tuple[Columns, Any]:
        """Features, and the target in place of class codes."""
        return self._read_columns(X), self._read_target(y)

    def _read_columns(self, X: Any) -> Columns:
        return read_columns(X, self.categorical_features, allow_nan=True)

    def _shuffled(self, codes: Target, random_state: Any) -> Target:
        """The target with its samples in another order."""
        rows = random_state.permutation(len(codes))
        moved = None if codes.codes is None else codes.codes[rows]
        values = None if codes.values is None else codes.values[rows]
        return replace(codes, codes=moved, values=values)


def has_order(target: Target) -> bool:
    """Whether larger means more: ordered classes, numbers, and any two classes."""
    return target.kind != CLASSES or len(target.labels) == 2  # type: ignore[arg-type]


def outputs(target: Target) -> np.ndarray:
    """What a model of least squares predicts, shape (n_samples, n_outputs), each of mean 0.

    One column of codes or values; the indicators of more than two classes without an order.
    """
    # Errors count as shares of the total: a unit must not make squares overflow.
    values = target.numbers[:, None] / np.abs(target.numbers).max()
    if not has_order(target):
        labels = np.arange(len(target.labels))  # type: ignore[arg-type]
        values = (target.numbers[:, None] == labels).astype(float)
    return values - values.mean(axis=0)


def check_order(target: Target, measure: str) -> None:
    """Refuse three or more classes without an order."""
    if not has_order(target):
        raise ValueError(
            f"`y` holds labels without a known order, but {measure} needs one. Give it from lowest "
            'to highest, for example class_order=["low", "medium", "high"].'
        )
