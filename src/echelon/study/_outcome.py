"""What the selectors of a report take the target for, and the classes it is shown in.

How a column of a file is read, which knows no selectors, is in ``_reading``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.by_class import Classes, read_groups
from echelon.validation import as_column, read_labels

MANY_CLASSES = 20
"""More integers than this are likely quantities."""


class Outcome(NamedTuple):
    """The target, and the classes its samples are shown in."""

    y: Any
    name: str
    kind: str
    """"ordinal", "classification" or "regression"."""
    classes: Classes
    """Classes of the samples; quarters of a numeric target."""


def read_outcome(y: Any, selectors: Mapping[str, Any], kind: str | None = None) -> Outcome:
    """Read y as what the selectors take it for.

    Integers are ordered classes if a selector is for those; labels are if the order is known.
    """
    y = as_column(y)
    order = _first_given(selectors, "class_order")
    kind = kind or _kind(y, selectors, order)
    if kind == "regression":
        values = np.asarray(read_labels(y), dtype=float)
        return Outcome(values, _name(y), kind, read_groups(values, kind))
    if kind == "ordinal" and order is not None:
        y = pd.Series(pd.Categorical(read_labels(y), list(order), ordered=True), name=_name(y))
    return Outcome(y, _name(y), kind, read_groups(y, kind))


def _kind(y: Any, selectors: Mapping[str, Any], order: Any) -> str:
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordinal" if dtype.ordered or order is not None else "classification"
    problem = _first_given(selectors, "problem")
    if problem in ("ordinal", "classification", "regression"):
        return problem
    labels = read_labels(y)
    n_classes = len(pd.unique(pd.Series(labels)))
    if order is None and labels.dtype.kind not in "iuf":
        return "classification"
    if labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        return "regression"
    ordered = order is not None or any("class_order" in _params(s) for s in selectors.values())
    if order is None and n_classes > MANY_CLASSES and problem == "auto":
        return "regression"
    return "ordinal" if ordered and n_classes > 2 else "classification"


def _first_given(selectors: Mapping[str, Any], parameter: str) -> Any:
    """The first value of a parameter that is not None."""
    values = (_params(selector).get(parameter) for selector in selectors.values())
    return next((value for value in values if value is not None), None)


def _params(selector: Any) -> dict[str, Any]:
    return selector.get_params(deep=False) if hasattr(selector, "get_params") else {}


def _name(y: Any) -> str:
    name = getattr(y, "name", None)
    return "target" if name is None else str(name)
