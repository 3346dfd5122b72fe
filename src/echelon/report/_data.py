"""The data at a glance: sizes, kinds, classes, gaps and repetitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.intervals._read import holds_intervals
from echelon.report._target import Target
from echelon.validation import read_columns

MOST_NAMED = 20


def glance(X: pd.DataFrame, target: Target) -> dict[str, Any]:
    """Sizes, kinds, classes and gaps of the data."""
    missing = X.isna().to_numpy().sum(axis=0)
    intervals = holds_intervals(X)
    nominal = np.zeros(X.shape[1], bool) if intervals else _nominal(X)
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
        "intervals": intervals,
        "constant": X.columns[_constant(X)].tolist(),
        "duplicated": _duplicated(X),
    }


def _nominal(X: pd.DataFrame) -> np.ndarray:
    return read_columns(X, "from_dtype", allow_nan=True, min_samples=1).nominal


def _constant(X: pd.DataFrame) -> np.ndarray:
    """Mask of the columns with one value or none."""
    return np.array([X.iloc[:, j].nunique() <= 1 for j in range(X.shape[1])])  # noqa: PD101


def _duplicated(X: pd.DataFrame) -> list[list[Any]]:
    """Groups of columns that are equal and not constant."""
    found: dict[Any, list[Any]] = {}
    for name, constant in zip(X.columns, _constant(X), strict=True):
        if not constant:
            codes = pd.factorize(X[name])[0] if X[name].dtype.kind not in "iuf" else X[name]
            found.setdefault((X[name].dtype.kind, np.asarray(codes).tobytes()), []).append(name)
    return [names for names in found.values() if len(names) > 1][:MOST_NAMED]
