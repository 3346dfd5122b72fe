"""Which features should rise or fall with ordered classes: the parameter ``monotonic_cst``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.data import Data
from echelon.kernels.masses import pair_masses
from echelon.kernels.monotone import count_pairs


def directions(monotonic_cst: Any, columns: Data, codes: np.ndarray) -> np.ndarray:
    """1, -1 or 0 for features that rise, fall or need do neither with the class.

    None: all numeric features rise.  "auto": the sign of Kendall's tau with the class.
    """
    n_features = len(columns.nominal)
    if monotonic_cst is None:
        return np.where(columns.nominal, 0, 1)
    if isinstance(monotonic_cst, str):
        return np.array(
            [
                0 if nominal else _sign_of_tau(columns.values[:, f], codes, columns.weights)
                for f, nominal in enumerate(columns.nominal)
            ]
        )
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


def _sign_of_tau(column: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> int:
    agree, oppose = pairs_in_order(column, codes, weights)
    equal = weights is not None and abs(agree - oppose) <= 1e-12 * (agree + oppose)
    return 0 if equal else int(np.sign(agree - oppose))


def pairs_in_order(
    column: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> tuple[float, float]:
    """Pairs of samples whose values and classes are in the same order, and in opposite ones."""
    present = np.flatnonzero(~np.isnan(column))
    order = present[np.argsort(column[present], kind="stable")]
    n_classes = int(codes.max()) + 1
    if weights is None:
        return count_pairs(column[order], codes[order], n_classes)
    return pair_masses(column[order], codes[order], weights[order], n_classes)
