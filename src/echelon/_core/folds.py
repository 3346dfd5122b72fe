"""How rows are split, by chance, in whole groups or along time; held-out scores, and the baseline.

What is known of the rows (``Rows``) says which folds are fair (``make_splits``), and what a row
weighs.
"""

from __future__ import annotations

import warnings
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
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from echelon._core.samples import read_data, read_weights, take_rows
from echelon._core.words import counted
from echelon.targets import Target

FEWEST_SAMPLES = 10
"""Fewer cannot be split into samples to learn from and samples to evaluate by."""

FEWEST_GROUPS = 4
"""Fewer groups cannot be split so that both parts hold several."""

TIME_BLOCKS = 20
"""Stretches of time that are drawn whole where stability is measured."""

SURVEY, FREQUENCIES = "survey", "frequencies"
"""What weights can be: what a row counts for beside the others, or how often it was seen."""

MOST_REPEATED = 10_000_000
"""Rows that a table of frequencies may stand for."""


class Rows(NamedTuple):
    """What is known of the rows beside features and target; None where nothing is."""

    groups: Any = None
    """Rows of one group are never parted."""
    time: Any = None
    """Rows are evaluated by later ones."""
    weights: Any = None
    """What rows weigh."""


class Splits(NamedTuple):
    """The folds, and what must not be parted where rows are drawn."""

    folds: list[tuple]
    blocks: Any
    """Rows drawn together: groups, or stretches of time; None: every row by itself."""
    fewest: int
    """Rows of the smallest part that anything is ever fitted to."""
    independent: bool
    """Whether nothing is known of the rows that would make some depend on others."""
    along: np.ndarray | None
    """The rows along time, where nothing else is known of them; None otherwise."""
    groups: str | None
    time: str | None
    weights: str | None


def make_splits(cv: Any, target: Target, rows: Rows, random_state: Any) -> Splits:
    """Folds for all methods: shuffled and stratified by class for a number; whole groups; forward.

    Parameters
    ----------
    cv : int, splitter or iterable
        Folds.
    target : Target
        Stratifies folds by its classes.
    rows : Rows
        What must stay together, or goes by time.
    random_state : int, RandomState instance or None
        Shuffles.
    """
    groups = _read_groups(rows.groups, target)
    named = {name: _name_of(getattr(rows, name), name) for name in Rows._fields}
    if rows.time is not None:
        folds, blocks = _along_time(cv, target, rows.time, groups)
    else:
        classes = target.codes is not None
        y = target.codes if classes else target.values
        splitter = make_splitter(cv, y, classes, groups is not None, random_state)
        folds, blocks = list(splitter.split(np.zeros((len(target), 1)), y, groups)), groups
    folds = [(train, test) for train, test in folds if len(test)]
    _check_classes(folds, target)
    fewest = min(_half(blocks, len(target)), *(len(train) for train, _ in folds))
    plain = rows.groups is None and _weigh_the_same(rows.weights) and isinstance(cv, Integral)
    along = _order_of(rows.time) if plain and rows.time is not None else None
    independent = plain and rows.time is None
    return Splits(folds, blocks, fewest, independent, along, *named.values())


def _order_of(time: Any) -> np.ndarray:
    """The rows along time; those of one time as they stand."""
    return np.argsort(pd.factorize(np.asarray(time), sort=True)[0], kind="stable")


def repeated_rows(X: Any, y: Any, rows: Rows) -> tuple[Any, Any, Rows]:
    """A table of frequencies as the rows it stands for: every row as often as it was seen.

    The copies are rows of their own, also in folds: they are as many independent observations.

    Examples
    --------
    >>> from echelon.study import Rows, repeated_rows
    >>> X, y, rows = repeated_rows(np.array([[1], [2]]), np.array(["a", "b"]), Rows(weights=[2, 1]))
    >>> X.tolist(), y.tolist(), rows.weights
    ([[1], [1], [2]], ['a', 'a', 'b'], None)
    """
    if not isinstance(rows, Rows):
        raise TypeError(
            f"`rows` must be a Rows, got {type(rows).__name__}. Pass Rows(weights=...)."
        )
    weights = read_weights(rows.weights)
    X, y = read_data(X, y)
    known = [each if each is None else _sequence(each) for each in rows[:2]]
    check_consistent_length(X, weights, *known)
    if (weights % 1 != 0).any():
        raise ValueError(
            "`sample_weight` must hold whole numbers where weights are frequencies, got "
            f"{weights[weights % 1 != 0][0]:g}. Use weights_are='survey' for other weights."
        )
    if weights.sum() > MOST_REPEATED:
        raise ValueError(
            f"`sample_weight` adds up to {weights.sum():,.0f} rows, and at most {MOST_REPEATED:,} "
            "can be used one by one. Use weights_are='survey'."
        )
    places = np.repeat(np.arange(len(weights)), weights.astype(int))
    repeated = (each if each is None else take_rows(each, places) for each in known)
    return take_rows(X, places), take_rows(y, places), Rows(*repeated)


def _sequence(values: Any) -> Any:
    """What rows can be taken of, with its name."""
    return values if isinstance(values, pd.Series) else np.asarray(values)


def are_ambiguous(weights: Any) -> bool:
    """Whether weights may be frequencies: whole numbers, more than one of them, and above 1."""
    if weights is None:
        return False
    values = read_weights(weights)
    return bool((values % 1 == 0).all() and values.max() > 1 and np.ptp(values) > 0)


def read_rows_as(X: Any, y: Any, rows: Rows, weights_are: str | None) -> tuple[Any, Any, Rows]:
    """Samples, target and rows, where weights are frequencies as the rows they stand for."""
    if weights_are not in (None, SURVEY, FREQUENCIES):
        raise ValueError(
            f"`weights_are` must be {SURVEY!r}, {FREQUENCIES!r} or None, got {weights_are!r}."
        )
    if rows.weights is None:
        return X, y, rows
    if weights_are == FREQUENCIES:
        return repeated_rows(X, y, rows)
    if weights_are is None and are_ambiguous(rows.weights):
        warnings.warn(
            "`sample_weight` holds whole numbers, and was taken for survey weights. Use "
            "weights_are='frequencies' if every row was seen so many times, as in a contingency "
            "table, or 'survey' to say that it was not.",
            UserWarning,
            stacklevel=3,
        )
    return X, y, rows


def _weigh_the_same(weights: Any) -> bool:
    """Whether no row counts more than another: then weights say nothing of the rows."""
    return weights is None or bool(np.ptp(read_weights(weights)) == 0)


def _half(blocks: np.ndarray | None, n_samples: int) -> int:
    """Rows of half of the samples, or of half of the blocks if these are the smallest."""
    if blocks is None:
        return (n_samples + 1) // 2
    sizes = np.sort(np.bincount(blocks))
    return int(sizes[: (len(sizes) + 1) // 2].sum())


def _along_time(cv: Any, target: Target, time: Any, groups: Any) -> tuple[list[tuple], Any]:
    check_consistent_length(target.y, time)
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        raise ValueError(
            f"`cv` must be a number of folds where `time` is given, got {cv!r}. Pass folds of your "
            "own without `time`."
        )
    blocks = time_blocks(time, TIME_BLOCKS) if groups is None else groups
    return forward_folds(time, int(cv), groups), blocks


def _read_groups(groups: Any, target: Target) -> np.ndarray | None:
    """Codes of the groups."""
    if groups is None:
        return None
    check_consistent_length(target.y, groups)
    codes = pd.factorize(np.asarray(groups))[0]
    if (codes < 0).any():
        raise ValueError("`groups` must not hold missing values. Leave those rows out.")
    return codes


def _name_of(values: Any, otherwise: str) -> str | None:
    if values is None:
        return None
    name = getattr(values, "name", None)
    return otherwise if name is None else str(name)


def read_row_weights(weights: Any, target: Target) -> np.ndarray | None:
    """What every row weighs, 1 on average; None where all weigh the same, which decides nothing."""
    if weights is None:
        return None
    check_consistent_length(target.y, weights)
    values = read_weights(weights)
    return None if _weigh_the_same(values) else values / values.mean()


def _check_classes(folds: Iterable[tuple], target: Target) -> None:
    """Refuse folds that have nothing to learn from."""
    for number, (train, _) in enumerate(folds, 1):
        if not len(train):
            raise ValueError(
                f"Fold {number} has no rows to learn from: all of them are of groups that it is "
                "evaluated on. Leave out `groups` or `time`."
            )
        if target.codes is not None and len(np.unique(target.codes[train])) < 2:
            label = target.labels.tolist()[target.codes[train[0]]]  # type: ignore[union-attr]
            raise ValueError(
                f"Fold {number} would learn from one class only, {label!r}. Make fewer folds, or "
                "split the rows otherwise."
            )


def fewer_folds(cv: Any, target: Target, groups: Any = None) -> Any:
    """A number of folds, fewer where samples, groups or classes are few; a splitter as it is.

    Examples
    --------
    >>> from echelon.study import fewer_folds
    >>> from echelon.targets import read_target
    >>> fewer_folds(10, read_target(["a"] * 5 + ["b"] * 6))
    6
    """
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        return 5 if cv is None else cv
    n_samples = len(target)
    if n_samples < FEWEST_SAMPLES:
        raise ValueError(
            f"There are {n_samples} samples, too few to evaluate features. Pass at least "
            f"{FEWEST_SAMPLES}."
        )
    codes = np.arange(n_samples) if groups is None else _read_groups(groups, target)
    if groups is not None and codes.max() + 1 < FEWEST_GROUPS:  # type: ignore[union-attr]
        raise ValueError(
            f"There are {counted(int(codes.max()) + 1, 'group')}, "  # type: ignore[union-attr]
            f"too few to evaluate features. Pass at least {FEWEST_GROUPS}."
        )
    return min(int(cv), _most_folds(codes, target, groups is not None))


def _most_folds(codes: Any, target: Target, grouped: bool) -> int:
    """As many as the largest class has samples, or groups."""
    if target.codes is None:
        return len(np.unique(codes))
    pairs = np.unique(np.stack([target.codes, codes]), axis=1)
    counts = sorted(np.bincount(pairs[0]).tolist())
    if counts[-2] < 2:
        raise ValueError(
            f"There are {len(target)} samples, and fewer than two classes of them "
            f"{'are in two or more groups' if grouped else 'have two or more'}: too few to "
            "evaluate features."
        )
    return counts[-1]


# ------------------------------------------------------------------ splitters, scores, baseline


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
