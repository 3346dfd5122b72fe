"""From a table to features and a target the chosen methods can take, with every step reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.words import listed
from echelon.cli._errors import InputError, nearest
from echelon.cli._options import Common, names
from echelon.cli.files import Reading, Table, read_table
from echelon.methods import CLASSES, CONTINUOUS, METHODS, ORDERED, Method
from echelon.profile import Profile, guess_order, is_nominal, is_number, profile
from echelon.targets import Target, read_target

MOST_LABELS = 20
"""Labels of a column that become columns of their own, where a method needs numbers."""


class Task(NamedTuple):
    """Features and target, ready to use, and what was done to them."""

    X: pd.DataFrame
    target: Target
    methods: list[Method]
    profile: Profile
    source: str
    set_aside: dict[str, str]
    """Columns left out, and why."""
    notes: list[str]


def prepare(common: Common, wanted: Sequence[str], *, monotone: bool = False) -> Task:
    """Read the data of a command, and make them fit the methods asked for.

    Parameters
    ----------
    common : Common
        The options.
    wanted : sequence of str
        Names of methods; "auto" is the one the profile recommends.
    monotone : bool, default=False
        Whether the profile compares pairs of rows.
    """
    chosen = [find_method(name) for name in wanted]
    order = names(common.class_order) or None
    if order and common.unordered:
        raise InputError("--class-order and --unordered contradict each other. Pass one of them.")
    reading = Reading(common.delimiter, tuple(names(common.missing)), common.sheet)
    table = read_table(common.data, reading)
    X, y = _split(table, common)
    target = _read_target(y, order, common, chosen)
    if target.kind == CLASSES and len(target.classes or {}) > 2 and not common.unordered:
        table.notes.append(
            f"{common.target} was taken as classes without an order; if they have one, say it with "
            "--class-order, lowest first."
        )
    found = profile(X, target, monotone=monotone, random_state=common.seed)
    methods = [METHODS[found.method] if method is None else method for method in chosen]
    _check_targets(methods, target, common.target)
    set_aside = _useless(found, names(common.keep))
    X = X.drop(columns=list(set_aside))
    if X.shape[1] == 0:
        raise InputError(
            f"{table.source} has no column to rank: {listed(set_aside)} "
            f"{'is' if len(set_aside) == 1 else 'are'} constant or like an identifier. "
            "Name columns to use all the same with --keep."
        )
    X = _with_intervals(X, common, methods, found, table.notes)
    X = _for_methods(X, methods, table.notes, set_aside)
    return Task(X, target, methods, found, table.source, set_aside, table.notes)


def find_method(name: str) -> Method | None:
    """The method of that name; None for "auto"."""
    if name.lower() == "auto":
        return None
    if name.lower() not in METHODS:
        raise InputError(f"There is no method {name!r}. {nearest(name, ['auto', *METHODS])}")
    return METHODS[name.lower()]


# ---------------------------------------------------------------- columns and rows


def _split(table: Table, common: Common) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target, without what was dropped and rows that have no target."""
    frame, source = table.frame, table.source
    _check_known([common.target], frame, source, "--target")
    drop = names(common.drop)
    _check_known(drop, frame, source, "--drop")
    _check_known(names(common.keep), frame, source, "--keep")
    if common.target in drop:
        raise InputError(f"--drop names the target, {common.target!r}. Leave it in.")
    known = frame[common.target].notna().to_numpy()
    if not known.any():
        raise InputError(f"Column {common.target!r} of {source} is empty.")
    if not known.all():
        n = int((~known).sum())
        table.notes.append(f"{n} row{'s' * (n > 1)} without {common.target} left out.")
        frame = frame[known].reset_index(drop=True)
    X = frame.drop(columns=[common.target, *drop])
    if X.shape[1] == 0:
        raise InputError(f"{source} has no column beside {common.target!r}.")
    return _features(X, names(common.categorical), table), frame[common.target]


def _check_known(wanted: list[str], frame: pd.DataFrame, source: str, option: str) -> None:
    for name in wanted:
        if name not in frame.columns:
            raise InputError(
                f"{source} has no column {name!r} ({option}). {nearest(name, frame.columns)}"
            )


def _features(X: pd.DataFrame, categorical: list[str], table: Table) -> pd.DataFrame:
    """Dates as days, codes as labels, nothing infinite."""
    source, lists_labels = table.source, table.lists_labels
    _check_known(categorical, X, source, "--categorical")
    columns = {}
    for name, column in X.items():
        if name in categorical:
            column = column.astype(object).where(column.notna(), None).map(str, na_action="ignore")
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            column = (column - column.min()).dt.total_seconds() / 86_400
        elif pd.api.types.is_timedelta64_dtype(column.dtype):
            column = column.dt.total_seconds() / 86_400
        elif lists_labels and _is_ordered(column):
            column = column.astype(object)
        elif is_number(column):
            _check_finite(column, name, source)
        columns[name] = column
    return pd.DataFrame(columns, index=X.index)


def _is_ordered(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def _check_finite(column: pd.Series, name: Any, source: str) -> None:
    infinite = np.flatnonzero(np.isinf(column.to_numpy(dtype=float, na_value=np.nan)))
    if len(infinite):
        raise InputError(
            f"Column {name!r} of {source} holds infinity, first in row {infinite[0] + 1} of the "
            "data. Correct it, leave it empty, or --drop the column."
        )


def _useless(found: Profile, keep: list[str]) -> dict[str, str]:
    reasons = dict.fromkeys(found.constant, "constant")
    reasons |= dict.fromkeys(found.identifiers, "like an identifier")
    return {name: why for name, why in reasons.items() if name not in keep or why == "constant"}


# ------------------------------------------------------------------------- target


def _read_target(
    y: pd.Series, order: list[str] | None, common: Common, chosen: list[Method | None]
) -> Target:
    target = read_target(y, class_order=order, ordered=False if common.unordered else None)
    if target.kind != CLASSES:
        return target
    needs_order = any(method is not None and method.targets == (ORDERED,) for method in chosen)
    labels = list(target.classes or {})
    if needs_order and all(isinstance(label, int | float) for label in labels):
        return target._replace(kind=ORDERED, source="numbers")
    guess = guess_order(labels) if len(labels) > 2 else None
    if guess is not None and not common.unordered:
        raise InputError(
            f"Is {' < '.join(map(str, guess))} the order of {common.target!r}? Then pass "
            f"--class-order {_listed(guess)}, lowest first; if the classes have no order, pass "
            "--unordered."
        )
    if needs_order:
        raise InputError(
            f"What is the order of {common.target!r}? Pass --class-order {_listed(labels)} with "
            "the lowest class first, or choose a method for classes without an order."
        )
    return target


def _listed(labels: Sequence[Any], most: int = 30) -> str:
    """Labels as an option takes them."""
    texts = [f'"{label}"' if "," in str(label) else str(label) for label in labels[:most]]
    joined = ",".join(texts) + (",..." if len(labels) > most else "")
    return f"'{joined}'" if any(c in joined for c in " \"<>&|;$()'*?") else joined


def _check_targets(methods: list[Method], target: Target, name: str) -> None:
    for method in methods:
        if target.kind in method.targets:
            continue
        if target.kind == CONTINUOUS:
            raise InputError(
                f"{name!r} holds {target.y.nunique()} different numbers, and {method.name} is for "
                "classes. Use relevancebounds, or make classes of the numbers first."
            )
        raise InputError(f"{method.name} is for ordered classes, and {name!r} has no order.")


# ----------------------------------------------------------------- what methods take


def _with_intervals(
    X: pd.DataFrame, common: Common, methods: list[Method], found: Profile, notes: list[str]
) -> pd.DataFrame:
    """Pairs of bounds as intervals: where asked for, or where the method is for intervals."""
    intended = all(method.estimator == "IntervalRelief" for method in methods)
    if common.intervals is not None:
        if not intended:
            other = next(m.name for m in methods if m.estimator != "IntervalRelief")
            raise InputError(f"{other} takes no intervals. Use --method intervalrelief with them.")
        pattern = tuple(names(common.intervals))
        if len(pattern) != 2:
            raise InputError(
                f'--intervals must be two patterns, as "{{}}_min,{{}}_max", got '
                f"{common.intervals!r}."
            )
    elif intended and found.interval_pattern:
        pattern = found.interval_pattern
        notes.append(
            f"Columns named {pattern[0]} and {pattern[1]} were taken as intervals; with another "
            "--method they are columns of their own."
        )
    else:
        return X
    from echelon import as_intervals

    features = None if common.intervals else found.intervals
    made = as_intervals(X, *pattern, features=features)
    bounds = {side.format(feature) for feature in made.columns for side in pattern}
    rest = X[[name for name in X.columns if name not in bounds]]
    return pd.concat([made, rest], axis=1)


def _for_methods(
    X: pd.DataFrame, methods: list[Method], notes: list[str], set_aside: dict[str, str]
) -> pd.DataFrame:
    """Labels as numbers and gaps filled, if one of the methods needs it."""
    numbers = next((m for m in methods if m.numbers_only), None)
    complete = next((m for m in methods if not m.takes_gaps), None)
    if numbers is not None:
        X = _labels_as_numbers(X, numbers, notes, set_aside)
    if complete is not None:
        X = _filled(X, complete, notes)
    return X


def _labels_as_numbers(
    X: pd.DataFrame, method: Method, notes: list[str], set_aside: dict[str, str]
) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    split = []
    for name, column in X.items():
        if not is_nominal(column):
            columns[str(name)] = column
        elif column.nunique() > MOST_LABELS:
            set_aside[str(name)] = (
                f"{column.nunique()} labels, and {method.estimator} needs numbers"
            )
        else:
            split.append(name)
            labels = sorted(column.dropna().unique(), key=str)
            for label in labels[1:] if len(labels) == 2 else labels:
                columns[f"{name}={label}"] = (column == label).astype(float)
    if split:
        notes.append(f"{method.estimator} needs numbers: {listed(split)} split into 0/1 columns.")
    if not columns:
        raise InputError(f"{method.name} needs numbers, and no column holds any.")
    return pd.DataFrame(columns, index=X.index)


def _filled(X: pd.DataFrame, method: Method, notes: list[str]) -> pd.DataFrame:
    """Gaps as the median, or as a label of their own."""
    gappy = [name for name, column in X.items() if column.isna().any()]
    if not gappy:
        return X
    notes.append(
        f"{method.estimator} takes no missing values: those of {listed(gappy)} were filled with "
        "the median (labels: with a label of their own)."
    )
    columns = {name: _filled_column(X[name]) if name in gappy else X[name] for name in X.columns}
    return pd.DataFrame(columns, index=X.index)


def _filled_column(column: pd.Series) -> pd.Series:
    if _is_ordered(column):
        codes = column.cat.codes.to_numpy()
        middle = column.cat.categories[int(np.median(codes[codes >= 0]))]
        return column.fillna(middle)
    if is_nominal(column):
        return column.astype(object).fillna("(missing)")
    return column.fillna(column.median())
