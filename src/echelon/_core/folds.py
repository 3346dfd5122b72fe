"""Folds of a cross-validation, held-out scores, and the baseline a model must beat."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils.validation import has_fit_parameter

from echelon._core.rows import take_rows
from echelon.targets import Target


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


def forward_folds(time: Any, n_folds: int, groups: Any = None) -> list[tuple]:
    """Folds that learn from the past and are evaluated by what comes next.

    The rows are cut along time into one block more than folds; fold k learns from the first k + 1
    blocks and is evaluated by the next one.  Rows of the same time are in the same block.

    Parameters
    ----------
    time : array-like of shape (n_samples,)
        When: numbers or dates, in any order of the rows.
    n_folds : int
        How many; fewer where there are not so many different times.
    groups : array-like of shape (n_samples,), default=None
        Rows of groups that are evaluated are not learnt from.
    """
    blocks = time_blocks(time, n_folds + 1)
    if blocks.max() < 1:
        raise ValueError("`time` must hold at least two different times, got one.")
    folds = []
    for block in range(1, blocks.max() + 1):
        train, test = np.flatnonzero(blocks < block), np.flatnonzero(blocks == block)
        if groups is not None:
            judged = pd.unique(np.asarray(groups)[test])
            train = train[~np.isin(np.asarray(groups)[train], judged)]
        folds.append((train, test))
    return folds


def time_blocks(time: Any, n_blocks: int) -> np.ndarray:
    """The block of every row, 0 the earliest; blocks of about as many rows, same times together."""
    values = pd.Series(np.asarray(time))
    if values.isna().any():
        raise ValueError("`time` must not hold missing values. Leave those rows out.")
    # Twice the place of the middle row of the same time, from 0: whole, so that nothing is rounded.
    middles = np.rint(2 * values.rank(method="average").to_numpy() - 1).astype(int)
    return np.unique(middles * n_blocks // (2 * len(values)), return_inverse=True)[1]


def fold_scores(
    model: Any, X: Any, y: Any, folds: Iterable[tuple], scorer: Any, weights: Any = None
) -> np.ndarray:
    """Scores on the test rows of every fold of a model fitted to the training rows.

    Weights go to the score and, if it takes any, to the model.
    """
    scores = []
    y = y.y if isinstance(y, Target) else y  # all classes, whatever a fold lacks
    takes = weights is not None and has_fit_parameter(model, "sample_weight")
    for train, test in folds:
        to_model = {"sample_weight": weights[train]} if takes else {}
        to_score = {} if weights is None else {"sample_weight": weights[test]}
        fitted = clone(model).fit(take_rows(X, train), take_rows(y, train), **to_model)
        scores.append(float(scorer(fitted, take_rows(X, test), take_rows(y, test), **to_score)))
    return np.array(scores)


class Guess(NamedTuple):
    """What is guessed, in words, and what it scores in every fold."""

    name: str
    scores: np.ndarray


def best_guess(
    target: Target, X: Any, y: Any, folds: list[tuple], scorer: Any, weights: Any = None
) -> Guess:
    """The constant prediction with the best mean score over the folds; models are given y."""
    tried = []
    models = guesses(target)
    for name, model in models.items():
        try:
            tried.append(Guess(name, fold_scores(model, X, y, folds, scorer, weights)))
        except ValueError:  # a fold does not know the median class: groups, or the past, lack it
            if name == [*models][-1]:
                raise
    return max(tried, key=lambda guess: guess.scores.mean())


def guesses(target: Target) -> dict[str, Any]:
    """Models that look at no feature, by what they guess."""
    if target.kind == "regression":
        return {"the mean": DummyRegressor(), "the median": DummyRegressor(strategy="median")}
    labels, codes = target.labels.tolist(), target.codes  # type: ignore[union-attr]
    frequent = labels[int(np.bincount(codes).argmax())]  # type: ignore[arg-type]
    models = {f"{frequent!r}, the most frequent class": DummyClassifier(strategy="prior")}
    if target.kind == "ordinal":
        median = labels[int(np.median(codes))]  # type: ignore[arg-type]
        constant = DummyClassifier(strategy="constant", constant=[median])
        models = {f"{median!r}, the median class": constant} | models
    return models
