"""How well classes are told apart by what backward elimination leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import check_is_fitted

from echelon.rankorder._classifier import RankOrderClassifier
from echelon.rankorder._orders import read_again


def elimination_accuracy(
    estimator: Any, X: Any, y: Any, *, classifier: Any = None, cv: Any = 5, last: int = 80
) -> np.ndarray:
    """Accuracy of a classifier with all features, and after every removal.

    Parameters
    ----------
    estimator : RankOrderSelector
        Fitted.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples, whose values are comparable within a row; NaN is unknown.  If they are those of
        the fit, the features have seen the test folds, and the accuracy is too high.
    y : array-like of shape (n_samples,)
        Classes.
    classifier : classifier, default=None
        What is cross-validated; None: ``RankOrderClassifier()``.
    cv : int or splitter, default=5
        Folds of the cross-validation.
    last : int, default=80
        Measure the accuracy of sets of at most so many features, and of at least two, with a
        known value in every sample.

    Returns
    -------
    accuracy : ndarray of shape (n_removed + 1,)
        Mean over the folds; NaN where it was not measured.

    See Also
    --------
    echelon.display.EliminationDisplay : The same as a plot.

    Examples
    --------
    >>> from echelon import RankOrderSelector
    >>> from echelon.datasets import make_rank_order
    >>> from echelon.rankorder import elimination_accuracy
    >>> X, y = make_rank_order(3, 10, 5, 0, random_state=1)
    >>> selector = RankOrderSelector().fit(X, y)
    >>> elimination_accuracy(selector, X, y, last=4).round(2)
    array([ nan,  nan,  nan,  nan, 0.97, 1.  , 0.67,  nan])
    """
    check_is_fitted(estimator, "path_")
    values, removed = read_again(estimator, X), estimator.path_.feature
    model = RankOrderClassifier() if classifier is None else classifier
    accuracy = np.full(len(removed) + 1, np.nan)
    for step in range(len(accuracy)):
        left = np.delete(values, removed[:step], axis=1)
        if 2 <= left.shape[1] <= last and not np.isnan(left).all(axis=1).any():
            accuracy[step] = cross_val_score(clone(model), left, y, cv=cv).mean()
    return accuracy
