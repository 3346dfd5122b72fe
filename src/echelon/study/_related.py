"""Is any feature related to the target?  A permutation test of all features together.

Five folds of some fifty rows can hardly tell a gain from chance, even where a feature clearly rises
with the target.  So every feature is also tested by itself.  The largest correlation of ranks, over
all features, is compared with the largest ones after permuting the target (the step that Westfall
and Young, "Resampling-based multiple testing", 1993, call maxT): exact for columns of any kind,
however sparse, many or correlated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from echelon.data import read_columns
from echelon.methods import CLASSES
from echelon.study._rankers import filled, with_labels_split
from echelon.targets import Target

PERMUTATIONS = 399
AT_A_TIME = 1 << 22
"""Permuted values, and correlations, that are held at a time."""


def p_value(table: pd.DataFrame, target: Target, random_state: Any) -> float:
    """Of the hypothesis that no feature is related to the target, if rows are independent.

    Parameters
    ----------
    table : DataFrame of shape (n_samples, n_features)
        Features.
    target : Target
        What they may be related to.
    random_state : int, RandomState instance or None
        Permutes.
    """
    columns, outcomes = _standard_columns(table), _outcomes(target)
    draw = check_random_state(random_state)
    observed = _largest(columns, outcomes, np.arange(len(outcomes))[None])[0] - 1e-9
    size = max(1, AT_A_TIME // (outcomes.shape[1] * max(columns.shape)))
    as_large = 0
    for first in range(0, PERMUTATIONS, size):
        part = range(first, min(first + size, PERMUTATIONS))
        orders = np.array([draw.permutation(len(outcomes)) for _ in part])
        as_large += int((_largest(columns, outcomes, orders) >= observed).sum())
    return (1 + as_large) / (1 + PERMUTATIONS)


def _standard_columns(table: pd.DataFrame) -> np.ndarray:
    """Ranks of numbers, and 0/1 for each of the labels, standardised."""
    numbers = with_labels_split(filled(table))[0]
    return _standardised(read_columns(numbers, allow_nan=False).values)


def _outcomes(target: Target) -> np.ndarray:
    """Ranks of codes or numbers, or 0/1 for each of the classes, standardised."""
    if target.kind == CLASSES:
        codes = np.asarray(target.codes)
        return _standardised((codes[:, None] == np.arange(codes.max() + 1)).astype(float))
    numbers = target.numbers if target.codes is None else target.codes
    return _standardised(np.asarray(numbers, dtype=float)[:, None])


def _standardised(values: np.ndarray) -> np.ndarray:
    """Ranks with mean 0 and length 1; 0 in constant columns."""
    ranks = rankdata(values, axis=0)
    ranks -= ranks.mean(axis=0)
    length = np.linalg.norm(ranks, axis=0)
    return ranks / np.where(length > 0, length, 1.0)


def _largest(columns: np.ndarray, outcomes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The largest correlation of any column with any outcome, for every order of the rows."""
    permuted = outcomes[orders].transpose(1, 0, 2).reshape(len(columns), -1)
    found = np.abs(columns.T @ permuted).max(axis=0)
    return found.reshape(len(orders), -1).max(axis=1)
