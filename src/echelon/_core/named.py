"""Columns said by mask, index or name: the nominal ones, and those that must be selected."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np


def position_of(name: Any, names: np.ndarray | None, parameter: str) -> int:
    """Index of the column of that name, or one sentence on why there is none."""
    if names is None:
        raise ValueError(
            f"`{parameter}` names the column {name!r}, but X has no column names. "
            "Pass a DataFrame, or give one entry per column."
        )
    listed = names.tolist()
    if name not in listed:
        raise ValueError(f"`{parameter}` names the column {name!r}, which X does not have.")
    return listed.index(name)


def nominal_mask(wanted: Any, n_features: int, names: np.ndarray | None) -> np.ndarray:
    """A mask of the nominal columns, none if None."""
    if wanted is None:
        return np.zeros(n_features, bool)
    return feature_mask(wanted, n_features, names, "categorical_features", repeated=True)


def feature_mask(
    wanted: Any,
    n_features: int,
    names: np.ndarray | None,
    parameter: str,
    *,
    repeated: bool = False,
) -> np.ndarray:
    """A mask from a mask, column indices or column names, each once unless ``repeated``."""
    mask = np.zeros(n_features, bool)
    entries: Sequence[Any] = wanted.tolist() if hasattr(wanted, "tolist") else list(wanted)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != n_features:
            raise ValueError(
                f"`{parameter}` must have one entry per column, got {len(entries)} "
                f"for {n_features} columns."
            )
        return np.array(entries, dtype=bool)
    for entry in entries:
        column = _column_of(entry, n_features, names, parameter)
        if mask[column] and not repeated:
            raise ValueError(f"`{parameter}` has column {entry!r} twice. Name it once.")
        mask[column] = True
    return mask


def _column_of(entry: Any, n_features: int, names: np.ndarray | None, parameter: str) -> int:
    """The column that a name or an index stands for."""
    named = names is not None and entry in names.tolist()
    if named or not isinstance(entry, Integral):
        return position_of(entry, names, parameter)
    if not 0 <= int(entry) < n_features:
        raise ValueError(
            f"`{parameter}` must hold column indices from 0 to {n_features - 1}, got {entry}."
        )
    return int(entry)
