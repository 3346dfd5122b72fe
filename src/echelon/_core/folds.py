"""Folds of a cross-validation: shuffled, stratified by class, whole groups."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)


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
