"""The data at a glance, and what in them calls for care."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.intervals._read import holds_intervals
from echelon.report._plain import counted, listed, number
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


def caveats_of(data: dict[str, Any]) -> list[str]:
    """Sentences about what was found in the data."""
    found = []
    n, p = data["n_samples"], data["n_features"]
    if data["missing"]:
        share = 100 * data["missing"] / (n * p)
        found.append(
            f"{counted(data['missing'], 'value')} ({number(share, 2)} %) in "
            f"{counted(data['columns_with_missing'], 'column')} are missing."
        )
    if data["constant"]:
        found.append(f"The same value everywhere, hence of no use: {listed(data['constant'])}.")
    for names in data["duplicated"][:3]:
        found.append(f"Equal columns: {listed(names)}; a method may take one for the other.")
    if p > n:
        found.append(
            f"There are more features ({p:,}) than samples ({n:,}): many features look good by "
            "chance, and other samples may lead to others."
        )
    return found


def class_caveats(data: dict[str, Any], n_folds: int) -> list[str]:
    """What small classes and few samples do to the scores."""
    found = []
    rare = {c: k for c, k in data["classes"].items() if k < n_folds}
    if data["kind"] != "regression" and rare:
        named = listed(f"{c!r} ({k})" for c, k in rare.items())
        found.append(f"Classes with fewer samples than folds are missing from some folds: {named}.")
    if data["n_samples"] / n_folds < 10:
        found.append(
            f"A test fold holds about {counted(data['n_samples'] // n_folds, 'sample')}: scores "
            "are rough."
        )
    return found


def _nominal(X: pd.DataFrame) -> np.ndarray:
    return read_columns(X, "from_dtype", allow_nan=True, min_samples=1).nominal


def _constant(X: pd.DataFrame) -> np.ndarray:
    """Mask of the columns with one value or none."""
    return (X.nunique() <= 1).to_numpy()


def _duplicated(X: pd.DataFrame) -> list[list[Any]]:
    """Groups of columns that are equal and not constant."""
    found: dict[Any, list[Any]] = {}
    for name, constant in zip(X.columns, _constant(X), strict=True):
        if not constant:
            codes = pd.factorize(X[name])[0] if X[name].dtype.kind not in "iuf" else X[name]
            found.setdefault((X[name].dtype.kind, np.asarray(codes).tobytes()), []).append(name)
    return [names for names in found.values() if len(names) > 1][:MOST_NAMED]
