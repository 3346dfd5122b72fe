"""Which features should rise or fall with ordered classes: the parameter ``monotonic_cst``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.data import Data
from echelon.kernels.monotone import pairs_by_feature

_CELLS = 1 << 21
"""Values sorted at a time."""


def directions(monotonic_cst: Any, columns: Data, codes: np.ndarray) -> np.ndarray:
    """1, -1 or 0 for features that rise, fall or need do neither with the class.

    None: all numeric features rise.  "auto": the sign of Kendall's tau with the class.
    """
    n_features = len(columns.nominal)
    if monotonic_cst is None:
        return np.where(columns.nominal, 0, 1)
    if isinstance(monotonic_cst, str):
        signs = np.zeros(n_features, dtype=int)
        numeric = np.flatnonzero(~columns.nominal)
        agree, oppose = pairs_by_column(columns.values, numeric, codes, columns.weights).T
        equal = columns.weights is not None and abs(agree - oppose) <= 1e-12 * (agree + oppose)
        signs[numeric] = np.where(equal, 0, np.sign(agree - oppose))
        return signs
    if isinstance(monotonic_cst, dict | pd.Series):
        wanted = np.zeros(n_features, dtype=object)
        for name, value in monotonic_cst.items():
            wanted[columns.position(name, "monotonic_cst")] = value
    else:
        wanted = np.asarray(monotonic_cst)
    return _checked(wanted, columns.nominal)


def _checked(wanted: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    if wanted.shape != nominal.shape:
        raise ValueError(
            f"`monotonic_cst` must have one entry per feature, shape ({len(nominal)},), got shape "
            f"{wanted.shape}."
        )
    if not all(value in (-1, 0, 1) for value in wanted.tolist()):
        raise ValueError(f"`monotonic_cst` must hold 1, -1 and 0 only, got {wanted.tolist()}.")
    if (wanted[nominal] != 0).any():
        raise ValueError(
            "`monotonic_cst` must be 0 for nominal features, which have no order; feature "
            f"{np.flatnonzero(nominal & (wanted != 0))[0]} is nominal. Make it an ordered "
            "categorical if it has one."
        )
    return wanted.astype(int)


def pairs_by_column(
    values: Any, features: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Pairs of samples whose values and classes are in the same order, and in opposite ones.

    Of some columns of a table, which may lie on a cluster; shape (n_features, 2).
    """
    counts = np.ones(len(codes), np.int64) if weights is None else weights
    pairs = np.empty((len(features), 2), counts.dtype)
    size = max(1, _CELLS // len(codes))
    for start in range(0, len(features), size):
        rows = np.stack([values[:, f] for f in features[start : start + size]])
        order = np.argsort(rows, axis=1)  # missing values last
        found = pairs[start : start + size]
        pairs_by_feature(rows, order, codes, counts, int(codes.max()) + 1, found)
    return pairs


def pairs_in_order(column: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Pairs in the same order, and in opposite ones, of one column."""
    return pairs_by_column(column[:, None], np.zeros(1, int), codes)[0]
