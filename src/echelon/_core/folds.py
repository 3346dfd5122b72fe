"""Folds of a cross-validation: shuffled, stratified by class, whole groups."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from echelon._core.rows import take_rows


def make_splitter(cv: Any, y: Any, classes: bool, grouped: bool, random_state: Any) -> Any:
    """What splits samples: shuffled folds for a number, or what was given.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        Folds.  None: 5.
    y : array-like of shape (n_samples,)
        Target.
    classes, grouped : bool
        Whether folds are stratified by the classes of y, and whether they keep groups whole.
    random_state : int, RandomState instance or None
        Shuffles.
    """
    if cv is not None and not isinstance(cv, Integral):
        return check_cv(cv, y, classifier=classes)
    if isinstance(cv, bool) or (cv is not None and cv < 2):
        raise ValueError(f"`cv` must be at least 2 folds or a splitter, got {cv!r}.")
    kinds = {
        (True, False): StratifiedKFold,
        (True, True): StratifiedGroupKFold,
        (False, False): KFold,
        (False, True): GroupKFold,
    }
    n_splits = 5 if cv is None else int(cv)
    return kinds[classes, grouped](n_splits, shuffle=True, random_state=random_state)


def fold_scores(model: Any, X: Any, y: Any, folds: list[tuple], scorer: Any) -> np.ndarray:
    """Scores on the test rows of every fold of a model fitted to the training rows."""
    scores = []
    for train, test in folds:
        fitted = clone(model).fit(take_rows(X, train), take_rows(y, train))
        scores.append(float(scorer(fitted, take_rows(X, test), take_rows(y, test))))
    return np.array(scores)
