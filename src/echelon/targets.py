"""What a column is as a target: ordered classes, classes without an order, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon.methods import CLASSES, CONTINUOUS, ORDERED

MAX_LEVELS = 20
"""Beyond so many different numbers a target is a quantity, not classes."""


class Target(NamedTuple):
    """A target, and how it was read."""

    y: pd.Series
    """Ready for the methods: integers, ordered categories, labels or floats."""
    kind: str
    classes: dict[Any, int] | None
    """Label -> number of rows, lowest first where there is an order."""
    source: str
    """Where the order is from: "given", "declared", "numbers", or "" without one."""


def read_target(
    y: Any, *, class_order: Sequence | None = None, ordered: bool | None = None
) -> Target:
    """Read a target.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target, nothing missing.
    class_order : sequence, default=None
        Classes from lowest to highest; may be written as text.
    ordered : bool, default=None
        False: classes without an order, also if they are numbers.  None: as it looks.

    Returns
    -------
    target : Target
        What it is.
    """
    y = y if isinstance(y, pd.Series) else pd.Series(y)
    if pd.api.types.is_datetime64_any_dtype(y.dtype):
        raise TypeError(f"{_named(y)} holds dates. Choose another column, or make classes of them.")
    y = _unpacked(y)
    if class_order is not None:
        return _in_order(y, class_order)
    if isinstance(y.dtype, pd.CategoricalDtype) and y.dtype.ordered and ordered is not False:
        return _classes(y.cat.remove_unused_categories(), ORDERED, "declared")
    if ordered is not False and pd.api.types.is_numeric_dtype(y.dtype) and y.dtype != bool:
        return _numbers(y)
    return _labels(y)


def _unpacked(y: pd.Series) -> pd.Series:
    """Whole numbers as integers, however they are held; nullable types as plain ones."""
    if pd.api.types.is_bool_dtype(y.dtype) and not isinstance(y.dtype, pd.CategoricalDtype):
        return y.astype(bool)
    if pd.api.types.is_numeric_dtype(y.dtype):
        values = y.to_numpy(dtype=float)
        if not np.isfinite(values).all():
            raise ValueError(f"{_named(y)} holds infinity. Correct or drop these rows.")
        whole = bool((values == np.round(values)).all()) and np.abs(values).max(initial=0) < 2**53
        return pd.Series(values.astype(np.int64) if whole else values, y.index, name=y.name)
    return y


def _numbers(y: pd.Series) -> Target:
    values = np.unique(y.to_numpy())
    if len(values) > min(MAX_LEVELS, max(2, len(y) // 3)):
        return Target(y.astype(float), CONTINUOUS, None, "")
    if len(values) < 3:
        return _labels(y)
    if y.dtype.kind == "f":  # half grades, say
        y = pd.Series(pd.Categorical(y, values, ordered=True), y.index, name=y.name)
    return _classes(y, ORDERED, "numbers")


def _labels(y: pd.Series) -> Target:
    n_labels = y.nunique()
    if n_labels > max(MAX_LEVELS, len(y) // 4):
        raise ValueError(
            f"{_named(y)} holds {n_labels} different labels in {len(y)} rows, which are no "
            "classes. Is it the right column?"
        )
    if isinstance(y.dtype, pd.CategoricalDtype):
        y = y.astype(y.dtype.categories.dtype)
    return _classes(y, CLASSES, "")


def _in_order(y: pd.Series, class_order: Sequence) -> Target:
    """Classes in the order given; labels are recognised by how they are written."""
    written = {str(label).strip(): label for label in y.unique().tolist()}
    wanted = [str(label).strip() for label in class_order]
    repeated = [label for label in wanted if wanted.count(label) > 1]
    if repeated:
        raise ValueError(f"The order must name every class once, got {repeated[0]!r} again.")
    lacking = [label for label in written if label not in wanted]
    if lacking:
        extra = [label for label in wanted if label not in written]
        hint = f" ({', '.join(map(repr, extra[:5]))} does not occur.)" if extra else ""
        raise ValueError(
            f"The order must name every class of {_named(y, 'the target')}; it lacks "
            f"{', '.join(map(repr, lacking[:5]))}.{hint} Write classes as in the file, lowest "
            "first, separated by commas."
        )
    order = [written[label] for label in wanted if label in written]
    ordered = pd.Categorical(y.astype(object), order, ordered=True)
    return _classes(pd.Series(ordered, y.index, name=y.name), ORDERED, "given")


def _classes(y: pd.Series, kind: str, source: str) -> Target:
    counts = y.value_counts(sort=False).sort_index()
    if len(counts) < 2:
        raise ValueError(
            f"{_named(y)} has one class only ({counts.index[0]!r}). Two or more are needed."
        )
    return Target(y, kind, {_plain(k): int(n) for k, n in counts.items()}, source)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _named(y: pd.Series, otherwise: str = "The target") -> str:
    return otherwise if y.name is None else f"Column {y.name!r}"
