"""A selector's ranking, with features that are kept in any case first, and useless ones last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from echelon._core.sample_weights import fit_weighted
from echelon._core.search import shared_ranks
from echelon.rankings import ranking_copies, ranks_of
from echelon.data import as_frame


class Arranged(BaseEstimator):
    """A selector's ranking with some features before, some behind all others.

    Among themselves they stay in the selector's own order.

    Parameters
    ----------
    selector : selector
        What ranks.
    first, last : sequences of str
        Columns that come first, and last.  What is in both comes first.
    n_best : int, default=30
        How far to rank, where ranking further costs more.
    """

    def __init__(
        self,
        selector: Any,
        first: Sequence[str] = (),
        last: Sequence[str] = (),
        *,
        n_best: int = 30,
    ):
        self.selector = selector
        self.first = first
        self.last = last
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
            How many rows every sample stands for: 2 is a row that is there twice, 0 one that is
            not there.  None: each for itself.  Divide survey weights by their mean.

        Returns
        -------
        self : object
            The fitted selector.
        """
        table = as_frame(X)
        first = table.columns.isin(self.first)
        last = table.columns.isin(self.last) & ~first
        self.n_features_in_ = table.shape[1]
        n_best = min(max(self.n_best, int(first.sum())), self.n_features_in_)
        copy = next(iter(ranking_copies(clone(self.selector), n_best)))
        self.selector_ = fit_weighted(copy, table, y, sample_weight)
        own = ranks_of(self.selector_)
        order = np.lexsort((own, last, ~first))
        # What a search never reached shares the last rank, and stays behind.
        reached = (own < own.max()) | (np.count_nonzero(own == own.max()) == 1)
        self.order_ = order[(reached | first)[order]]
        self.ranking_ = shared_ranks(self.order_, self.n_features_in_)
        for name in ("scores_", "relevance_", "intervals_"):
            if hasattr(self.selector_, name):
                setattr(self, name, getattr(self.selector_, name))
        return self
