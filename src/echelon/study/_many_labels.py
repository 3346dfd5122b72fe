"""Columns of many labels as numbers: the mean outcome of every label, on other rows.

One column of 0 and 1 per label would be hundreds; codes in any order say nothing; and a mean over
rows that include the row itself tells the outcome of that row.  So every row is given the mean over
the other parts of the rows, and new rows the mean over all, both drawn towards the overall mean
where rows are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.methods import CLASSES
from echelon.profile import is_nominal
from echelon.targets import read_target
from echelon.data import of_plain_numbers

MANY = 20
"""A column with more labels is encoded by outcomes."""
N_PARTS = 5
"""Parts of the rows; a row's own part has no say in its number."""
SHRINKAGE = 10.0
"""Rows with the overall mean that are added to every label."""


def many_labels(table: pd.DataFrame, most: int = MANY) -> list[int]:
    """Places of the columns that hold more labels than that."""
    if of_plain_numbers(table):
        return []
    return [
        place
        for place, (_, column) in enumerate(table.items())
        if is_nominal(column) and column.nunique() > most
    ]


def outcomes_of(y: Any) -> np.ndarray:
    """The target as numbers whose means make sense: codes, values, or one column per class."""
    target = read_target(y)
    if target.kind == CLASSES and len(target.counts) > 2:
        return (target.codes[:, None] == np.arange(len(target.counts))).astype(float)  # type: ignore[index]
    numbers = target.codes if target.codes is not None else target.numbers
    return np.asarray(numbers, dtype=float)[:, None]


class LabelMeans:
    """Mean outcomes of the labels of one column.

    Parameters
    ----------
    column : Series of shape (n_samples,)
        Labels; missing ones are a label of their own.
    outcomes : ndarray of shape (n_samples, n_outcomes)
        What is averaged.
    """

    def __init__(self, column: pd.Series, outcomes: np.ndarray):
        self.codes, self.labels = pd.factorize(_as_text(column))
        self.outcomes = outcomes
        self.overall = outcomes.mean(axis=0)

    def of(self, column: pd.Series) -> np.ndarray:
        """The numbers of new rows; labels never seen have the overall mean."""
        means = np.vstack([self._means(np.ones(len(self.codes), dtype=bool)), self.overall])
        return means[self.labels.get_indexer(_as_text(column))]

    def own(self) -> np.ndarray:
        """The numbers of the rows themselves, each from the other parts of the rows."""
        place = pd.Series(self.codes).groupby(self.codes).cumcount().to_numpy() % N_PARTS
        numbers = np.empty(self.outcomes.shape)
        for part in range(N_PARTS):
            numbers[place == part] = self._means(place != part)[self.codes[place == part]]
        return numbers

    def _means(self, rows: np.ndarray) -> np.ndarray:
        """(sum + c overall) / (n + c) of every label over some rows, c the shrinkage."""
        shape = (len(self.labels), self.outcomes.shape[1])
        sums, counts = np.zeros(shape), np.zeros((len(self.labels), 1))
        np.add.at(sums, self.codes[rows], self.outcomes[rows])
        np.add.at(counts, self.codes[rows], 1)
        overall = self.outcomes[rows].mean(axis=0) if rows.any() else self.overall
        return (sums + SHRINKAGE * overall) / (counts + SHRINKAGE)


def with_means(table: pd.DataFrame, y: Any) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of many labels as numbers, and the column of the table that each comes from."""
    places = set(many_labels(table))
    if not places:
        return table, np.arange(table.shape[1])
    outcomes = outcomes_of(y)
    columns: dict[str, Any] = {}
    owners = []
    for place, (name, column) in enumerate(table.items()):
        parts = {str(name): column}
        if place in places:
            numbers = LabelMeans(column, outcomes).own().T
            parts = {f"{name} ({part})": each for part, each in enumerate(numbers)}
        columns |= parts
        owners += [place] * len(parts)
    return pd.DataFrame(columns, index=table.index), np.array(owners)


def _as_text(column: pd.Series) -> pd.Index:
    """Labels as texts, whatever they are kept as, so that those of two tables can be compared."""
    return pd.Index(column.astype(object).where(column.notna(), "(missing)").map(str))
