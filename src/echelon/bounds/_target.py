"""What y is: ordered classes, classes without an order, or values."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import type_of_target

from echelon.bounds._program import standardised
from echelon.validation import read_classes, read_labels, read_ordered_classes

MANY_CLASSES = 20
"""More integers than this are likely quantities."""

_NUMBERS = ("floating", "mixed-integer-float", "decimal")


class Target(NamedTuple):
    """The target as codes of classes or as standardised values."""

    kind: str
    """"ordinal", "classification" or "regression"."""
    labels: np.ndarray | None
    values: np.ndarray
    original: np.ndarray | None = None
    """The values of a regression before they were standardised."""

    def one_vs_rest(self) -> list[np.ndarray]:
        """Targets with an order: itself, or every class of several against the rest."""
        if self.kind != "classification" or len(self.labels) == 2:  # type: ignore[arg-type]
            return [self.values]
        return [(self.values == c).astype(np.int64) for c in range(len(self.labels))]  # type: ignore[arg-type]


def read_target(y: Any, problem: str, class_order: Sequence | None) -> Target:
    """Read y as what ``problem`` says it is."""
    if problem == "auto":
        problem = _guess(y, class_order)
    if problem == "ordinal":
        return Target(problem, *read_ordered_classes(y, class_order))
    if problem == "classification":
        return Target(problem, *read_classes(y))
    original = _read_values(y)
    return Target(problem, None, standardised(original[:, None])[0][:, 0], original)


def _guess(y: Any, class_order: Sequence | None) -> str:
    """Two classes are classification, other integers or ordered labels ordinal, else regression."""
    dtype = getattr(y, "dtype", None)
    has_order = isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)
    if class_order is not None or has_order or str(dtype).startswith("Enum"):
        return "ordinal"
    labels = read_labels(y)
    if labels.dtype.kind == "O" and pd.api.types.infer_dtype(labels) in _NUMBERS:
        labels = labels.astype(np.float64)
    kind = type_of_target(labels, input_name="y")
    if kind == "continuous":
        return "regression"
    if len(pd.unique(pd.Series(labels))) <= 2:
        return "classification"
    if labels.dtype.kind in "iuf":
        _warn_of_many(len(np.unique(labels)))
        return "ordinal"
    shown = ", ".join(map(repr, pd.unique(pd.Series(labels))[:5].tolist()))
    raise ValueError(
        f"`y` holds labels without a known order ({shown}). Give it from lowest to highest, for "
        'example class_order=["low", "medium", "high"], or say problem="classification" to bound '
        "every class against the rest."
    )


def _warn_of_many(n_classes: int) -> None:
    if n_classes > MANY_CLASSES:
        warnings.warn(
            f"`y` holds {n_classes} different integers, which are taken for ordered classes. Say "
            'problem="regression" if they are quantities, or problem="ordinal" if not.',
            UserWarning,
            stacklevel=2,
        )


def _read_values(y: Any) -> np.ndarray:
    """Finite numbers, not all the same."""
    y = column_or_1d(y, warn=True)
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if y.max(initial=-np.inf) == y.min(initial=np.inf):
        raise ValueError(f"`y` is constant ({y[0]:g}). Pass a target that varies.")
    return y
