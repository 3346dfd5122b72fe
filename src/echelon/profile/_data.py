"""The data at a glance: sizes, kinds, classes, gaps and repetitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.intervals import holds_intervals
from echelon.profile._alike import as_values

MOST_NAMED = 20


def glance(X: pd.DataFrame, target: Any) -> dict[str, Any]:
    """Sizes, kinds, classes and gaps of the data."""
    values, nominal = as_values(X)
    missing = np.isnan(values).sum(axis=0)
    constant = _constant(values)
    counts = np.bincount(target.classes.codes, minlength=len(target.classes.labels))
    return {
        "n_samples": len(X),
        "n_features": X.shape[1],
        "target": target.name,
        "kind": target.kind,
        "ordered": target.classes.ordered,
        "classes": dict(zip(map(str, target.classes.labels), counts.tolist(), strict=True)),
        "missing": int(missing.sum()),
        "columns_with_missing": int((missing > 0).sum()),
        "nominal": int(nominal.sum()),
        "intervals": holds_intervals(X),
        "constant": X.columns[constant].tolist(),
        "duplicated": _duplicated(X.columns, values, nominal, constant),
    }


def _constant(values: np.ndarray) -> np.ndarray:
    """Mask of the columns with one value or none."""
    there = ~np.isnan(values)
    low = np.where(there, values, np.inf).min(axis=0)
    return ~(low < np.where(there, values, -np.inf).max(axis=0))


def _duplicated(
    names: pd.Index, values: np.ndarray, nominal: np.ndarray, constant: np.ndarray
) -> list[list[Any]]:
    """Groups of columns that are equal and not constant, some at most."""
    found: dict[Any, list[Any]] = {}
    columns = np.ascontiguousarray(values.T) + 0.0  # no minus zero
    for f in np.flatnonzero(~constant).tolist():
        found.setdefault((nominal[f], columns[f].tobytes()), []).append(names[f])
    return [group for group in found.values() if len(group) > 1][:MOST_NAMED]
