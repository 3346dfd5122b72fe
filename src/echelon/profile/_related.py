"""How closely columns go together: features that are redundant, and those that hold the answer.

A column that alone predicts the target almost perfectly may hold the answer itself.  It tells
classes if one interval of its values per class, or one class per category, puts all but
``MOST_WRONG`` of the rows of the average class right; it tells numbers if its ranks or its values
correlate with them by ``MOST_CORRELATED``.  Missing values count as the lowest value, since what is
known of some rows only may tell them apart.  A column that could do so by chance, among as many
columns and so few rows, is not named.
"""

from __future__ import annotations

from math import atanh, lgamma, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import norm, rankdata
from sklearn.tree import DecisionTreeClassifier

from echelon.data import ORDERED, is_number, kind_of, numbers_of, of_plain_numbers, read_columns
from echelon.intervals import holds_intervals, read_intervals
from echelon.targets import Target

ALIKE = 0.8
"""Features with an association of at least this are redundant."""

MOST_ROWS = 5000
"""Associations are measured on at most so many rows."""

MOST_WRONG = 0.03
"""Mean share of the rows of a class that may be wrong: a copy of the target with a few mistakes, of
which chance makes twice as many as expected."""

MOST_CORRELATED = 0.95
"""Rank or linear correlation with numbers from which on a column may hold them."""

NEARLY = 0.7
"""Share of the variance of ranks between classes, relative to that of classes that are apart, from
which on a column is looked at closely."""

SCREENED_ROWS = 300
"""Rows from which it is known which columns are looked at closely."""

BY_CHANCE = 1e-3
"""A column is named if chance makes one of all columns so good less often."""


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


# ------------------------------------------------------------- columns that hold the answer


def giveaways(X: pd.DataFrame, target: Target) -> list[Any]:
    """Columns that alone predict the target almost perfectly.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Samples.
    target : Target
        The target.
    """
    codes, outcome = target.codes, target.numbers if target.codes is None else target.codes
    if X.shape[1] == 0 or _by_chance(target, X.shape[1]):
        return []
    numbers = _numeric(X)
    names = [name for name in X if name in numbers.columns] if len(numbers.columns) else []
    near = set(np.asarray(names, dtype=object)[_near(numbers, outcome, codes)]) if names else set()
    found = []
    for name, column in X.items():
        if name in near:
            told = _tells(_filled(numbers[name].to_numpy(float)), outcome, codes)
        elif name in numbers.columns or isinstance(column.dtype, pd.IntervalDtype):
            continue
        else:
            told = _category_tells(column, outcome, codes)
        if told:
            found.append(name)
    return found


def _by_chance(target: Target, n_features: int) -> bool:
    """Whether chance may let one of so many columns tell the target."""
    n = len(target)
    if target.codes is None:
        return n < 5 or 2 * n_features * norm.sf(atanh(MOST_CORRELATED) * sqrt(n - 3)) > BY_CHANCE
    counts = np.bincount(target.codes)
    arrangements = lgamma(n + 1) - sum(lgamma(count + 1) for count in counts)
    orders = lgamma((counts > 0).sum() + 1)
    return log(n_features) + orders - arrangements > log(BY_CHANCE)


def _numeric(X: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers and of ordered categories, as numbers."""
    if of_plain_numbers(X):
        return X
    numbers = {
        name: numbers_of(column, name)
        for name, column in X.items()
        if is_number(column) or kind_of(column) == ORDERED
    }
    return pd.DataFrame(numbers, index=X.index)


def _near(numbers: pd.DataFrame, outcome: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """A mask of the columns that are worth a close look, from some of the rows."""
    rows = _some_rows(outcome, codes)
    ranks = rankdata(_filled(numbers.iloc[rows].to_numpy(dtype=float)), axis=0)
    ranks -= ranks.mean(axis=0)
    total = np.maximum((ranks**2).sum(axis=0), 1e-12)
    if codes is None:
        other = rankdata(outcome[rows]) - (len(rows) + 1) / 2
        share = (other @ ranks) ** 2 / (total * max((other**2).sum(), 1e-12))
        linear = _linear(_filled(numbers.iloc[rows].to_numpy(dtype=float)), outcome[rows])
        return np.maximum(share, linear**2) >= NEARLY
    classes = np.eye(codes.max() + 1)[codes[rows]]
    counts = classes.sum(axis=0)
    between = ((classes.T @ ranks) ** 2 / np.maximum(counts, 1)[:, None]).sum(axis=0)
    apart = 1 - ((counts / len(rows)) ** 3).sum()  # of the ranks of classes that do not overlap
    return between / total >= NEARLY * apart


def _some_rows(outcome: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """All rows, or some of every class, always the same."""
    order = np.random.default_rng(0).permutation(len(outcome))
    if codes is None or len(order) <= SCREENED_ROWS:
        return order[:SCREENED_ROWS]
    each = max(SCREENED_ROWS // (int(codes.max()) + 1), 5)
    groups = [order[codes[order] == code][:each] for code in np.unique(codes)]
    return np.concatenate(groups)


def _filled(values: np.ndarray) -> np.ndarray:
    """Missing values as lower than all others."""
    if not np.isnan(values).any():
        return values
    lowest = np.fmin.reduce(values, axis=0)
    spread = np.fmax.reduce(values, axis=0) - lowest
    below = np.nan_to_num(lowest - np.where(spread > 0, spread, 1) / 10)
    return np.where(np.isnan(values), below, values)


def _linear(values: np.ndarray, outcome: np.ndarray) -> np.ndarray:
    """Linear correlation of every column with the outcome; 0 for constants."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = values - values.mean(axis=0)
        values /= np.abs(values).max(axis=0)
        outcome = outcome - outcome.mean()
        outcome = outcome / np.abs(outcome).max()
        size = np.sqrt((values**2).sum(axis=0) * (outcome**2).sum())
        return np.nan_to_num(outcome @ values / size)


def _tells(values: np.ndarray, outcome: np.ndarray, codes: np.ndarray | None) -> bool:
    """Whether numbers tell the target."""
    if codes is None:
        ranks = rankdata(values)[:, None]
        both = (_linear(ranks, rankdata(outcome)), _linear(values[:, None], outcome))
        return max(abs(float(each[0])) for each in both) >= MOST_CORRELATED
    n_classes = len(np.unique(codes))
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(n_classes, 2), class_weight="balanced", random_state=0
    )
    told = tree.fit(values[:, None], codes).predict(values[:, None])
    return _wrong(told, codes) <= MOST_WRONG


def _category_tells(column: pd.Series, outcome: np.ndarray, codes: np.ndarray | None) -> bool:
    """Whether categories, fewer than one for five rows, tell the target."""
    labels = pd.factorize(column, use_na_sentinel=False)[0]
    if labels.max() + 1 > len(labels) / 5:
        return False
    if codes is None:
        ratio = max(correlation_ratio(labels.astype(float), each)
                    for each in (outcome.astype(float), rankdata(outcome)))  # fmt: skip
        return ratio >= MOST_CORRELATED
    counts = np.zeros((labels.max() + 1, codes.max() + 1))
    np.add.at(counts, (labels, codes), 1)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    return _wrong(shares.argmax(axis=1)[labels], codes) <= MOST_WRONG


def _wrong(told: np.ndarray, codes: np.ndarray) -> float:
    """Share of the rows of a class that are told wrong, on average over the classes."""
    return float(np.mean([(told[codes == code] != code).mean() for code in np.unique(codes)]))
