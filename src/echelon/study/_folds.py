"""How the rows are split: by chance, in whole groups, or along time; for folds and resamples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length

from echelon._core.folds import forward_folds, make_splitter, time_blocks
from echelon._core.rows import read_data, read_weights, take_rows
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
