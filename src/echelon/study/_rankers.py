"""Any selector as a ranking of any data set: what it needs is done within its fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from echelon._core.choices import Choice, shared_ranks
from echelon._core.samples import fit_weighted
from echelon._core.words import strongest
from echelon.base import ranking_copies, ranks_of, scores_of
from echelon.data import Data, as_frame, is_nominal, of_plain_numbers
from echelon.study._models import frequent_labels, with_means

if TYPE_CHECKING:
    pass

MOST_LABELS = 20
"""The most frequent labels of a column that become columns of their own."""


class Arranged(BaseEstimator):
    """A selector's ranking with some features before, some behind all others, and some together.

    Among themselves they stay in the selector's own order.  A group of features has one rank, that
    of its best feature, and is first or last only as a whole.

    Parameters
    ----------
    selector : selector
        What ranks.
    first, last : sequences of str
        Columns that come first, and last.  What is in both comes first.
    feature_groups : ndarray of shape (n_features,), default=None
        Number of the group of every column; None: each on its own.
    n_best : int, default=30
        How far to rank, where ranking further costs more.
    """

    _reads_data = True

    def __init__(
        self,
        selector: Any,
        first: Sequence[str] = (),
        last: Sequence[str] = (),
        *,
        feature_groups: np.ndarray | None = None,
        n_best: int = 30,
    ):
        self.selector = selector
        self.first = first
        self.last = last
        self.feature_groups = feature_groups
        self.n_best = n_best

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Arranged:
        """Rank the columns of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of rows that every sample represents: 2 for a repeated row, 0 for a row to
            ignore.  None: 1.  Divide survey weights by their mean.

        Returns
        -------
        self : object
            The fitted selector.
        """
        names = (X.frame if isinstance(X, Data) else as_frame(X)).columns
        first = names.isin(self.first)
        last = names.isin(self.last) & ~first
        self.n_features_in_ = len(names)
        n_best = min(max(self.n_best, int(first.sum())), self.n_features_in_)
        copy = next(iter(ranking_copies(clone(self.selector), n_best)))
        self.selector_ = fit_weighted(copy, X, y, sample_weight)
        own = ranks_of(self.selector_)
        order = np.lexsort((own, last))
        # What a search never reached shares the last rank, and stays behind.
        reached = (own < own.max()) | (np.count_nonzero(own == own.max()) == 1)
        ranked = reached | first
        if not ranked.all():
            ranked &= ~last
        given = self.feature_groups
        choice = Choice(np.arange(len(names)) if given is None else given, first)
        self.order_, self.ranking_ = choice.ranked(order[ranked[order]])
        for name in ("scores_", "relevance_", "intervals_"):
            if hasattr(self.selector_, name):
                setattr(self, name, getattr(self.selector_, name))
        if hasattr(self.selector_, "votes_"):
            self.votes_ = np.where(last, 0, self.selector_.votes_) + first
        return self


class OfGroups(BaseEstimator):
    """A ranking of features as one of their groups, each as good as its best feature.

    Parameters
    ----------
    selector : selector
        What ranks the features.
    groups : ndarray of shape (n_features,)
        Number of the group of every feature.
    """

    _reads_data = True

    def __init__(self, selector: Any, groups: np.ndarray):
        self.selector = selector
        self.groups = groups

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OfGroups:
        """Rank the groups of the columns of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            What every sample counts for.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self.selector_ = fit_weighted(clone(self.selector), X, y, sample_weight)
        ranks = ranks_of(self.selector_)
        self.ranking_ = np.full(self.groups.max() + 1, len(ranks))
        np.minimum.at(self.ranking_, self.groups, ranks)
        if hasattr(self.selector_, "votes_"):
            self.votes_ = np.zeros(len(self.ranking_), dtype=int)
            np.maximum.at(self.votes_, self.groups, self.selector_.votes_)
        return self


class Prepared(BaseEstimator):
    """A selector behind what it needs: categories as 0/1 columns, missing values filled.

    Both are learnt from the rows of the fit, so nothing of a test fold is seen.  The columns of
    the table are ranked as they are: a categorical column counts as the best of its categories.
    Columns of many labels become the mean outcome of each category, on other rows
    (``_many_labels``).

    Parameters
    ----------
    selector : selector
        What ranks the numbers.
    split_labels : bool, default=True
        Labels become one column each.
    fill_gaps : bool, default=True
        Missing values become the median, or a label of their own.
    n_best : int, default=30
        How far to rank, where ranking further costs more.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon import RelevanceBounds
    >>> from echelon.study import Prepared
    >>> X = pd.DataFrame({"a": [1.0, None, 3.0, 4.0] * 10, "b": ["u", "v", "u", "w"] * 10})
    >>> selector = Prepared(RelevanceBounds(random_state=0)).fit(X, [0, 0, 1, 1] * 10)
    >>> selector.scores_.shape  # of the columns as they are
    (2,)
    """

    def __init__(
        self,
        selector: Any,
        *,
        split_labels: bool = True,
        fill_gaps: bool = True,
        n_best: int = 30,
    ):
        self.selector = selector
        self.split_labels = split_labels
        self.fill_gaps = fill_gaps
        self.n_best = n_best

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Prepared:
        """Rank the columns of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of rows that every sample represents: 2 for a repeated row, 0 for a row to
            ignore.  None: 1.  Divide survey weights by their mean.

        Returns
        -------
        self : object
            The fitted selector.
        """
        table = filled(as_frame(X)) if self.fill_gaps else as_frame(X)
        table, owners = with_means(table, y)
        if self.split_labels:
            table, parts = with_labels_split(table)
            owners = owners[parts]
        n_best = min(self.n_best, table.shape[1])
        copy = next(iter(ranking_copies(clone(self.selector), n_best)))
        self.selector_ = fit_weighted(copy, table, y, sample_weight)
        ranks = np.full(owners.max() + 1, np.inf)
        np.minimum.at(ranks, owners, ranks_of(self.selector_))
        self.order_ = np.argsort(ranks, kind="stable")
        self.ranking_ = shared_ranks(self.order_, len(ranks))
        self.n_features_in_ = len(ranks)
        self._describe(owners)
        return self

    def _describe(self, owners: np.ndarray) -> None:
        """Scores, votes and relevance of the columns, where the selector has some."""
        scores = scores_of(self.selector_)
        if scores is not None:
            self.scores_ = np.full(self.n_features_in_, -np.inf)
            np.maximum.at(self.scores_, owners, scores)
        if hasattr(self.selector_, "votes_"):
            self.votes_ = np.zeros(self.n_features_in_, dtype=int)
            np.maximum.at(self.votes_, owners, self.selector_.votes_)
        if hasattr(self.selector_, "relevance_"):
            labels = self.selector_.relevance_
            each = [strongest(labels[owners == f].tolist()) for f in range(self.n_features_in_)]
            self.relevance_ = np.array(each)


def with_labels_split(
    table: pd.DataFrame, *, reference: bool = False
) -> tuple[pd.DataFrame, np.ndarray]:
    """Categorical columns as 0/1 columns, and the column of the table that each comes from.

    With ``reference``, the most frequent label of every column gets none: the others tell it, and
    in a linear model the columns of one feature cannot replace each other.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.study import with_labels_split
    >>> table, source = with_labels_split(pd.DataFrame({"a": [1, 2, 3], "b": ["u", "v", "w"]}))
    >>> table.shape, source.tolist()
    ((3, 4), [0, 1, 1, 1])
    """
    if of_plain_numbers(table):
        return table.set_axis(table.columns.map(str), axis=1), np.arange(table.shape[1])
    columns: dict[str, pd.Series] = {}
    owners = []
    for place, (name, column) in enumerate(table.items()):
        nominal = is_nominal(column)
        parts = _split(str(name), column, reference) if nominal else {str(name): column}
        columns |= parts
        owners += [place] * len(parts)
    return pd.DataFrame(columns, index=table.index), np.array(owners)


def _split(name: str, column: pd.Series, reference: bool) -> dict[str, pd.Series]:
    frequent = frequent_labels(column, MOST_LABELS)
    labels = sorted(frequent, key=str)
    shown = labels[1:] if len(labels) == 2 and column.notna().all() else labels
    if reference and 2 < len(labels) == column.nunique(dropna=False):
        shown = [label for label in labels if label != frequent[0]]
    return {f"{name}={label}": (column == label).astype(float) for label in shown or labels}


def filled(table: pd.DataFrame) -> pd.DataFrame:
    """Missing values as the median, or as a label of their own.

    Examples
    --------
    >>> import pandas as pd
    >>> from echelon.study import filled
    >>> filled(pd.DataFrame({"a": [1.0, None, 3.0]}))["a"].tolist()
    [1.0, 2.0, 3.0]
    """
    gappy = table.columns[table.isna().any()]
    table = table.copy(deep=False)
    for name in gappy:
        table[name] = _filled(table[name])
    return table


def _filled(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        codes = column.cat.codes.to_numpy()
        return column.fillna(column.cat.categories[int(np.median(codes[codes >= 0]))])
    if is_nominal(column):
        return column.astype(object).fillna("(missing)")
    return column.fillna(column.median() if column.notna().any() else 0.0)
