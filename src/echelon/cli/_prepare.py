"""From a file to features, a target and methods that fit, with every step reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from echelon._core.words import listed
from echelon.cli._errors import InputError, nearest
from echelon.cli._options import Common, names
from echelon.cli._target import check_methods, question_about, target_of
from echelon.cli.files import Reading, Table, read_table
from echelon.methods import CLASSES, METHODS, ORDERED, Method
from echelon.profile import Profile, is_nominal, is_number, profile
from echelon.targets import Target


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
    """What had to be assumed, and what the user may want to know."""


def prepare(common: Common, wanted: Sequence[str], *, only_look: bool = False) -> Task:
    """Read the data of a command, and choose methods that fit.

    Parameters
    ----------
    common : Common
        The options.
    wanted : sequence of str
        Names of methods; "auto" is the one the profile recommends.
    only_look : bool, default=False
        Nothing is ranked: compare pairs of rows, and note a question instead of asking it.
    """
    chosen = [find_method(name) for name in wanted]
    order = names(common.class_order) or None
    if order and common.unordered:
        raise InputError("--class-order and --unordered contradict each other. Pass one of them.")
    reading = Reading(common.delimiter, tuple(names(common.missing)), common.sheet)
    table = read_table(common.data, reading)
    X, y, notes = _split(table, common)
    target, asked = _target(y, order, common, chosen, only_look)
    found = profile(X, target, monotone=only_look, random_state=common.seed)
    methods = [METHODS[found.method] if method is None else method for method in chosen]
    check_methods(methods, target)
    set_aside = _useless(found, names(common.keep))
    X = X.drop(columns=list(set_aside))
    if X.shape[1] == 0:
        raise InputError(
            f"{table.source} has no column to rank: {listed(set_aside)} "
            f"{'is' if len(set_aside) == 1 else 'are'} constant or like an identifier. "
            "Name columns to use all the same with --keep."
        )
    X, made = _with_intervals(X, common, methods, found)
    notes = [*table.notes, *notes, *asked, *made, *_needs(X, methods)]
    return Task(X, target, methods, found, table.source, set_aside, notes)


def find_method(name: str) -> Method | None:
    """The method of that name; None for "auto"."""
    if name.lower() == "auto":
        return None
    if name.lower() not in METHODS:
        raise InputError(f"There is no method {name!r}. {nearest(name, ['auto', *METHODS])}")
    return METHODS[name.lower()]


# ---------------------------------------------------------------- columns and rows


def _split(table: Table, common: Common) -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Features and target, without what was dropped and rows that have no target; and notes."""
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
    notes = []
    if not known.all():
        n = int((~known).sum())
        notes.append(f"{n} row{'s' * (n > 1)} without {common.target} left out.")
        frame = frame[known].reset_index(drop=True)
    X = frame.drop(columns=[common.target, *drop])
    if X.shape[1] == 0:
        raise InputError(f"{source} has no column beside {common.target!r}.")
    return _features(X, names(common.categorical), table), frame[common.target], notes


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


# ------------------------------------------------------------- the target and the methods


def _target(
    y: pd.Series,
    order: list[str] | None,
    common: Common,
    methods: Sequence[Method | None],
    only_look: bool,
) -> tuple[Target, list[str]]:
    """The target, and a note where its order is not known but does not have to be."""
    target = target_of(y, order, unordered=common.unordered)
    question = question_about(target, methods, unordered=common.unordered)
    if question is not None:
        if only_look:
            return target, [question]
        raise InputError(question)
    if _need_order(methods) and target.kind == CLASSES:
        target = target.as_ordered()
    if target.kind == CLASSES and len(target.counts) > 2 and not common.unordered:
        return target, [
            f"{common.target} was taken as classes without an order; if they have one, say it with "
            "--class-order, lowest first."
        ]
    return target, []


def _need_order(methods: Sequence[Method | None]) -> bool:
    return any(method is not None and method.targets == (ORDERED,) for method in methods)


def _with_intervals(
    X: pd.DataFrame, common: Common, methods: list[Method], found: Profile
) -> tuple[pd.DataFrame, list[str]]:
    """Pairs of bounds as intervals: where asked for, or where the method is for intervals."""
    intended = all(method.estimator == "IntervalRelief" for method in methods)
    if common.intervals is None and not (intended and found.interval_pattern):
        return X, []
    if common.intervals is not None:
        pattern, features, notes = _given_pattern(common.intervals, methods), None, []
    else:
        pattern, features = found.interval_pattern, found.intervals  # type: ignore[assignment]
        notes = [
            f"Columns named {pattern[0]} and {pattern[1]} were taken as intervals; with another "
            "--method they are columns of their own."
        ]
    from echelon import as_intervals

    made = as_intervals(X, *pattern, features=features)
    bounds = {side.format(feature) for feature in made.columns for side in pattern}
    rest = X[[name for name in X.columns if name not in bounds]]
    return pd.concat([made, rest], axis=1), notes


def _given_pattern(text: str, methods: list[Method]) -> tuple[str, str]:
    other = next((m.name for m in methods if m.estimator != "IntervalRelief"), None)
    if other is not None:
        raise InputError(f"{other} takes no intervals. Use --method intervalrelief with them.")
    pattern = names(text)
    if len(pattern) != 2:
        raise InputError(f'--intervals must be two patterns, as "{{}}_min,{{}}_max", got {text!r}.')
    return pattern[0], pattern[1]


def _needs(X: pd.DataFrame, methods: list[Method]) -> list[str]:
    """What has to be done to labels and gaps, within the folds, for methods that need it."""
    labels = [name for name, column in X.items() if is_nominal(column)]
    gappy = [name for name, column in X.items() if column.isna().any()]
    said = []
    for method in methods:
        if method.numbers_only and labels:
            if len(labels) == X.shape[1] and method.estimator != "RelevanceBounds":
                raise InputError(f"{method.name} needs numbers, and no column holds any.")
            said.append(
                f"{method.estimator} needs numbers: {listed(labels)} split into 0/1 columns."
            )
        if not method.takes_gaps and gappy:
            said.append(
                f"{method.estimator} takes no missing values: those of {listed(gappy)} were filled "
                "with the median (labels: with a label of their own)."
            )
    return said
