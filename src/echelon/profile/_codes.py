"""Numbers that may stand for missing values: 99 among answers from 1 to 5, -999 among weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.data import is_number, of_plain_numbers
from echelon.targets import Target

CODES = np.array(
    [-99999, -9999, -999, -888, -777, -99, -98, -97, -88, -77, -66, -9, -8, -7, 66, 77, 88, 97, 98,
     99, 666, 777, 888, 997, 998, 999, 9997, 9998, 9999, 99999],
    dtype=float,
)  # fmt: skip
"""Numbers that are commonly used as codes."""

LEAST_REPEATS = 2
"""A code occurs at least so often."""

ISOLATED = 2.0
"""A code is farther from other values than so many times the largest gap between those; at 1, one
in fifty columns of a few whole numbers would be suspected."""


def columns_with_codes(X: pd.DataFrame) -> dict[Any, list[float]]:
    """Codes of every column that seems to hold some (see ``missing_codes``)."""
    if of_plain_numbers(X) and len(X):  # thousands of columns one by one would take seconds
        values = X.to_numpy(dtype=float)
        ends = np.isin(np.fmin.reduce(values), CODES) | np.isin(np.fmax.reduce(values), CODES)
        X = X.loc[:, ends]
    found = {
        name: missing_codes(column.to_numpy(dtype=float, na_value=np.nan))
        for name, column in X.items()
        if is_number(column) and not pd.api.types.is_bool_dtype(column.dtype)
    }
    return {name: codes for name, codes in found.items() if codes}


def codes_of_target(target: Target) -> dict[Any, list[float]]:
    """Codes among numbers of the target, by its name; classes that are texts have none."""
    values = target.values
    if target.labels is not None and target.labels.dtype.kind in "iuf":
        values = target.labels[target.class_codes]
    codes = [] if values is None else missing_codes(np.asarray(values, dtype=float))
    return {target.name or "y": codes} if codes else {}


def missing_codes(values: np.ndarray) -> list[float]:
    """Repeated values that look like codes for missing values, lowest first.

    They are among ``CODES``, lie below or above all other values, and are separated from them by
    a gap far larger than any gap between those; or they are the only negative values.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Numbers; NaN where they are missing already.
    """
    levels, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(levels) < 3:
        return []
    may_be = np.isin(levels, CODES) & (counts >= LEAST_REPEATS)
    inner = np.flatnonzero(~may_be)
    if len(inner) < 2:
        return []
    first, last = int(inner[0]), int(inner[-1])
    while True:  # give back what is not isolated, the innermost first
        gap = ISOLATED * float(np.diff(levels[first : last + 1]).max())
        if first and not _isolated(levels, first, gap):
            first -= 1
        elif last + 1 < len(levels) and levels[last + 1] - levels[last] <= gap:
            last += 1
        else:
            break
    core = levels[first : last + 1]
    if np.mean(core % 10 == 9) >= 0.5:  # prices such as 199 and 499
        last = len(levels) - 1
    return [*levels[:first].tolist(), *levels[last + 1 :].tolist()]


def _isolated(levels: np.ndarray, first: int, gap: float) -> bool:
    """Whether the level below ``first`` is far from it, or no other number below 0 is a value."""
    below, lowest = levels[first - 1], levels[first]
    return bool(lowest - below > gap or (below <= -99 and lowest >= 0))
