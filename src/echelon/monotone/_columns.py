"""Columns of the table a model was fitted to, and how they are read in any other one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from echelon.data import ORDERED, Data, kind_of, read_columns


class Columns:
    """What the columns hold: nominal ones keep the codes of their categories.

    Parameters
    ----------
    X : DataFrame, ndarray or Data of shape (n_samples, n_features)
        The table of ``fit``.
    categorical_features : "from_dtype", None, mask, indices or names
        Which columns are nominal.

    Attributes
    ----------
    nominal : ndarray of shape (n_features,)
        Mask of the nominal columns.
    names : ndarray of shape (n_features,) or None
        Names of the columns, where the table has some.
    levels : dict of int to Index
        Categories of nominal columns, sorted, and of ordered ones, by column.
    """

    def __init__(self, X: Any, categorical_features: Any) -> None:
        data = read_columns(X, categorical_features)
        self.nominal, self.names = data.nominal, data.names
        self.levels: dict[int, pd.Index] = {}
        table = X.frame if isinstance(X, Data) else X
        if not isinstance(table, pd.DataFrame) and not self.nominal.any():
            return
        for j, column in enumerate(_columns_of(table)):
            if self.nominal[j]:
                self.levels[j] = _categories(column)
            elif kind_of(column) == ORDERED:
                self.levels[j] = column.cat.categories

    def read(self, X: Any, min_samples: int = 1) -> np.ndarray:
        """Numbers and codes; NaN where missing, or where a category is not known."""
        if self.levels:
            table = pd.DataFrame(X.frame if isinstance(X, Data) else X).copy(deep=False)
            for j, levels in self.levels.items():
                codes = levels.get_indexer(pd.Index(table.iloc[:, j].astype(object)))
                table.isetitem(j, np.where(codes < 0, np.nan, codes.astype(float)))
            X = table
        values = read_columns(X, None, min_samples=min_samples).values
        return np.ascontiguousarray(values, dtype=np.float64)


def _columns_of(table: Any) -> list[pd.Series]:
    frame = pd.DataFrame(table)
    return [frame.iloc[:, j] for j in range(frame.shape[1])]


def _categories(column: pd.Series) -> pd.Index:
    """The categories that there are, in their own order where they have one."""
    found = column.astype(object).dropna().unique().tolist()
    try:
        found.sort()
    except TypeError:  # labels of several kinds
        found.sort(key=str)
    return pd.Index(found, dtype=object)
