"""Is any feature related to the target?  A permutation test of all features together.

Five folds of some fifty rows can hardly tell a gain from chance, even where a feature clearly rises
with the target.  So every feature is also tested by itself.  The largest correlation of ranks, over
all features, is compared with the largest ones after permuting the target (the step that Westfall
and Young, "Resampling-based multiple testing", 1993, call maxT): exact for columns of any kind,
however sparse, many or correlated.

Along time rows are not exchangeable: two series that are as slow as each other seem to be related.
So features and target become what is new in every row, the residuals of a regression on the row
before and on time (Box and Jenkins, "Time series analysis", 1970, call it prewhitening), and what
is permuted is the time between them: the target is shifted round, which leaves its order as it is.
A common trend, and what the target's own past tells, are no evidence here; the folds may see them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
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
ROUNDING = 1e-12
"""Residuals of standardised columns below this are 0."""
AT_A_TIME = 1 << 22
"""Permuted values, and correlations, that are held at a time."""


def p_value(
    table: pd.DataFrame, target: Target, random_state: Any, order: np.ndarray | None = None
) -> float:
    """Of the hypothesis that no feature is related to the target.

    Parameters
    ----------
    table : DataFrame of shape (n_samples, n_features)
        Features.
    target : Target
        What they may be related to.
    random_state : int, RandomState instance or None
        Permutes.
    order : ndarray of shape (n_samples,), default=None
        The rows along time.  None: rows are independent.
    """
    columns, outcomes = _standard_columns(table), _outcomes(target)
    if order is not None:
        columns, outcomes = (_standardised(news(each[order])) for each in (columns, outcomes))
    draw = check_random_state(random_state)
    draws = _permutations(len(outcomes), draw) if order is None else _shifts(len(outcomes), draw)
    observed = _largest(columns, outcomes, np.arange(len(outcomes))[None])[0] - 1e-9
    size = max(1, AT_A_TIME // (outcomes.shape[1] * max(columns.shape)))
    as_large = n_drawn = 0
    while orders := list(islice(draws, size)):
        as_large += int((_largest(columns, outcomes, np.array(orders)) >= observed).sum())
        n_drawn += len(orders)
    return (1 + as_large) / (1 + n_drawn)


def _permutations(n: int, draw: np.random.RandomState) -> Iterator[np.ndarray]:
    """Orders of the rows, at random."""
    return (draw.permutation(n) for _ in range(PERMUTATIONS))


def _shifts(n: int, draw: np.random.RandomState) -> Iterator[np.ndarray]:
    """The rows shifted round by every number of places, or by some of them at random."""
    places = draw.permutation(np.arange(1, n))[:PERMUTATIONS]
    return (np.roll(np.arange(n), place) for place in places.tolist())


def news(values: np.ndarray) -> np.ndarray:
    """What neither the row before nor a straight line along time tells, column by column.

    Examples
    --------
    >>> from echelon.study._related import news
    >>> news(np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])).round(9).tolist()
    [[0.0], [0.0], [0.0], [0.0]]
    """
    past, present = values[:-1], values[1:]
    line = np.column_stack([np.ones(len(past)), np.linspace(-1.0, 1.0, len(past))])
    line = np.linalg.qr(line)[0]
    past, present = (each - line @ (line.T @ each) for each in (past, present))
    squares = (past**2).sum(axis=0)
    moves = squares > ROUNDING * len(past)
    slopes = np.where(moves, (past * present).sum(axis=0) / np.where(moves, squares, 1.0), 0.0)
    left = present - slopes * past
    return np.where(np.abs(left) < ROUNDING, 0.0, left)


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
