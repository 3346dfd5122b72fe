"""Which features are redundant: how closely they go together, and groups of those that do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from echelon.data import read_columns
from echelon.intervals import holds_intervals, read_intervals

ALIKE = 0.8
"""Features with an association of at least this are redundant."""
MOST_ROWS = 5000
"""Associations are measured on at most so many rows."""


def associations(X: pd.DataFrame, random_state: Any = 0) -> np.ndarray:
    """How closely every two columns go together, from 0 to 1.

    Between numbers the absolute rank correlation; between
    categorical features Cramer's V, between categorical and continuous ones the correlation ratio
    of the ranks, both corrected for chance.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Samples; intervals count as their middle.  Missing values are left out pair by pair, after
        the values were ranked.
    random_state : int, RandomState instance or None, default=0
        Seed of every random choice: rows are drawn, if there are many.

    Returns
    -------
    association : ndarray of shape (n_features, n_features)
        Symmetric, 1 on the diagonal.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.profile import associations
    >>> X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 4, 9, 16], "c": [2, 4, 1, 3]})
    >>> associations(X).round(2).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if len(X) > MOST_ROWS:
        X = X.sample(MOST_ROWS, random_state=random_state)
    values, nominal = as_values(X)
    ranks = pd.DataFrame(values).rank()
    association = ranks.corr(min_periods=3).abs().fillna(0).to_numpy(copy=True)
    for f in np.flatnonzero(nominal):
        for g in range(len(nominal)):
            measure = _between_labels if nominal[g] else correlation_ratio
            other = values[:, g] if nominal[g] else ranks.iloc[:, g].to_numpy()
            association[f, g] = association[g, f] = measure(values[:, f], other)
    np.fill_diagonal(association, 1.0)
    return association


def groups_of(association: np.ndarray) -> list[list[int]]:
    """Features of which every two are redundant (complete linkage), only groups of two or more.

    Examples
    --------
    >>> import numpy as np
    >>> from echelon.profile import groups_of
    >>> groups_of(np.array([[1.0, 0.99, 0.1], [0.99, 1.0, 0.2], [0.1, 0.2, 1.0]]))
    [[0, 1]]
    """
    if len(association) < 2:
        return []
    distances = squareform(1 - np.clip(association, 0, 1), checks=False)
    # A pair exactly at the limit belongs together, whatever rounding did to it.
    members = fcluster(linkage(distances, "complete"), 1 - ALIKE + 1e-9, "distance")
    found = [np.flatnonzero(members == group).tolist() for group in np.unique(members)]
    return sorted(group for group in found if len(group) > 1)


def as_values(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Columns as numbers, with codes of labels and middles of intervals, and which are labels."""
    if holds_intervals(X):
        values = read_intervals(X, allow_nan=True).values.mean(axis=2)
        return values, np.zeros(values.shape[1], dtype=bool)
    columns = read_columns(X, min_samples=1)
    return columns.values.astype(float), columns.nominal


def correlation_ratio(labels: np.ndarray, numbers: np.ndarray) -> float:
    """How much of the variance of the numbers lies between the labels, corrected for chance."""
    there = ~(np.isnan(labels) | np.isnan(numbers))
    codes, numbers = np.unique(labels[there], return_inverse=True)[1], numbers[there]
    n, k = len(codes), codes.max(initial=-1) + 1
    total = ((numbers - numbers.mean()) ** 2).sum() if n else 0.0
    if n <= k or k < 2 or total == 0:
        return 0.0
    means = np.bincount(codes, numbers) / np.bincount(codes)
    within = ((numbers - means[codes]) ** 2).sum()
    return float(np.sqrt(max(0.0, 1 - within / total * (n - 1) / (n - k))))


def _between_labels(first: np.ndarray, second: np.ndarray) -> float:
    """Cramer's V, corrected for chance after Bergsma (2013)."""
    there = ~(np.isnan(first) | np.isnan(second))
    a, b = (np.unique(codes[there], return_inverse=True)[1] for codes in (first, second))
    n, r, c = len(a), a.max(initial=-1) + 1, b.max(initial=-1) + 1
    if n < 2 or min(r, c) < 2:
        return 0.0
    counts = np.zeros((r, c))
    np.add.at(counts, (a, b), 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    phi = max(0.0, ((counts - expected) ** 2 / expected).sum() / n - (r - 1) * (c - 1) / (n - 1))
    rows, columns = (k - (k - 1) ** 2 / (n - 1) for k in (r, c))
    smaller = min(rows, columns) - 1
    return float(np.sqrt(min(1.0, phi / smaller))) if smaller > 0 else 0.0
