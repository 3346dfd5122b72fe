"""What every column of a file holds and is: the target, a feature, or known of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from echelon._core.words import counted
from echelon.cli._options import Common, Judging, halves, missing_texts, names
from echelon.cli._terminal import InputError, nearest
from echelon.cli.files import Table
from echelon.methods import CLASSES
from echelon.profile import guess_order, is_nominal, is_number
from echelon.study import Rows

if TYPE_CHECKING:
    from echelon.cli._prepare import Task

ROLES = ("groups", "time", "weights")
"""Options that name a column which is no feature."""


def split_columns(
    table: Table, common: Common
) -> tuple[pd.DataFrame, pd.Series, Rows, list[str], dict[str, str]]:
    """Columns by what they are, without what was dropped and rows that lack what is needed.

    Returns features, target, what is known of the rows, what was done to get there, and what
    columns of dates count from.
    """
    roles = {role: name for role in ROLES if (name := getattr(common, role)) is not None}
    _check_options(table, common, roles)
    frame, notes = _complete(table, common.target, roles)
    X = frame.drop(columns=[common.target, *names(common.drop), *roles.values()])
    if X.shape[1] == 0:
        raise InputError(f"{table.source} has no column beside {common.target!r}.")
    categorical = names(common.categorical)
    _check_known(categorical, X, table.source, "--categorical")
    orders = _read_orders(common.ordered or [], X, table.source)
    X, dates = _features(X, categorical, orders, table)
    if common.weights is not None:
        _check_weights(frame[common.weights], table.source)
    rows = Rows(**{role: frame[name] for role, name in roles.items()})
    y = frame[common.target]
    return X, _listed_classes(y) if table.lists_labels else y, rows, notes, dates


def _listed_classes(y: pd.Series) -> pd.Series:
    """Classes that a file merely lists: an order only if it is the one that they look like."""
    if not getattr(y.dtype, "ordered", False):
        return y
    labels = [label for label in y.cat.categories if (y == label).any()]
    return y if guess_order(labels) == labels else y.astype(object)


def _check_options(table: Table, common: Common, roles: dict[str, str]) -> None:
    frame, source = table.frame, table.source
    drop, keep = names(common.drop), names(common.keep)
    _check_known([common.target], frame, source, "--target", table.hint)
    _check_known(drop, frame, source, "--drop")
    _check_known(keep, frame, source, "--keep")
    _check_known(list(missing_texts(common.missing)[1]), frame, source, "--missing")
    _check_known(names(common.not_missing), frame, source, "--not-missing")
    if common.target in drop:
        raise InputError(f"--drop names the target, {common.target!r}. Leave it in.")
    taken = [("--target", common.target)]
    for role, name in roles.items():
        _check_known([name], frame, source, f"--{role}")
        for option, other in [*taken, *(("--keep", kept) for kept in keep)]:
            if name == other:
                raise InputError(f"{option} and --{role} name the same column, {name!r}.")
        taken.append((f"--{role}", name))
    both = [name for name in keep if name in drop]
    if both:
        raise InputError(f"--keep and --drop both name {both[0]!r}. Pass it to one of them.")
    if common.target in keep:
        raise InputError(f"--keep names the target, {common.target!r}, which is no feature.")
    time = None if common.time is None else frame[common.time]
    if time is not None and is_nominal(time) and not _are_dates(time):
        raise InputError(
            f"--time must name a column of dates or numbers, and {common.time!r} of {source} holds "
            "labels."
        )


def _check_known(
    wanted: list[str], frame: pd.DataFrame, source: str, option: str, hint: str = ""
) -> None:
    for name in wanted:
        if name not in frame.columns:
            raise InputError(
                f"{source} has no column {name!r} ({option}). {nearest(name, frame.columns)}{hint}"
            )


def _check_weights(column: pd.Series, source: str) -> None:
    name = column.name
    if not is_number(column):
        raise InputError(f"--weights must name a column of numbers, and {name!r} holds labels.")
    values = column.to_numpy(dtype=float)
    wrong = values[~(np.isfinite(values) & (values >= 0))]
    if len(wrong) or not values.any():
        what = f"{wrong[0]:g}" if len(wrong) else "0 only"
        raise InputError(
            f"--weights must name finite numbers of at least 0, and {name!r} of {source} holds "
            f"{what}."
        )


def _complete(table: Table, target: str, roles: dict[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Rows that have a target, a group, a time; and how many do not."""
    frame, notes = table.frame, []
    if not frame[target].notna().any():
        raise InputError(f"Column {target!r} of {table.source} is empty.")
    for name in (target, *roles.values()):
        known = frame[name].notna().to_numpy()
        if not known.all():
            notes.append(f"{counted(int((~known).sum()), 'row')} without {name} left out.")
            frame = frame[known].reset_index(drop=True)
    if not len(frame):
        raise InputError(f"No row of {table.source} has all of {', '.join(roles.values())}.")
    return frame, notes


# --------------------------------------------------------------------------- features


def _read_orders(given: list[str], X: pd.DataFrame, source: str) -> dict[str, list[str]]:
    """``--ordered``: the labels of columns, lowest first."""
    orders = {}
    for text in given:
        named, equals, labels = halves(text)
        order = names(labels)
        if not equals or not order:
            raise InputError(f'--ordered must be as "column=low,medium,high", got {text!r}.')
        _check_known(names(named), X, source, "--ordered")
        for name in names(named):
            repeated, lacking = faults(order, {str(each) for each in X[name].dropna().unique()})
            if repeated:
                raise InputError(f"--ordered names {repeated[0]!r} of {name!r} twice.")
            if not is_nominal(X[name]):
                raise InputError(
                    f"Column {name!r} of {source} has an order already; --ordered is for labels."
                )
            if lacking:
                raise InputError(
                    f"--ordered must name every label of {name!r}; it lacks {quoted(lacking)}."
                )
            orders[name] = order
    return orders


def faults(order: list[str], labels: set[str]) -> tuple[list[str], list[str]]:
    """What an order names twice, and which labels it lacks."""
    return [label for label in order if order.count(label) > 1], sorted(labels - set(order))


def quoted(labels: Iterable[str]) -> str:
    """The first few labels."""
    return ", ".join([repr(label) for label in labels][:5])


def _features(
    X: pd.DataFrame, categorical: list[str], orders: dict[str, list[str]], table: Table
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Dates as days, codes as labels, declared orders, nothing infinite; and what dates became."""
    columns: dict[Any, pd.Series] = {}
    dates: dict[str, str] = {}
    changed = False
    for name, given in X.items():
        column = given
        if name in orders:
            labels = column.map(str, na_action="ignore")
            column = pd.Series(pd.Categorical(labels, orders[name], ordered=True), X.index)
        elif name in categorical:
            labels = column.astype(object).where(column.notna(), None)
            column = labels.map(str, na_action="ignore").astype("category")
        elif _are_dates(column):
            if column.notna().any():
                dates[str(name)] = f"{name} counts days since {column.min():%Y-%m-%d}."
            column = (column - column.min()).dt.total_seconds() / 86_400
        elif pd.api.types.is_timedelta64_dtype(column.dtype):
            column = column.dt.total_seconds() / 86_400
        elif table.lists_labels and getattr(column.dtype, "ordered", False):
            column = column.astype(object)
        elif is_number(column):
            _check_finite(column, table.source)
        columns[name] = column
        changed |= column is not given
    return pd.DataFrame(columns, index=X.index) if changed else X, dates


def _are_dates(column: pd.Series) -> bool:
    return pd.api.types.is_datetime64_any_dtype(column.dtype)


def _check_finite(column: pd.Series, source: str) -> None:
    infinite = np.flatnonzero(np.isinf(column.to_numpy(dtype=float, na_value=np.nan)))
    if len(infinite):
        raise InputError(
            f"Column {column.name!r} of {source} holds infinity, first in row {infinite[0] + 1} of "
            "the data. Correct it, leave it empty, or --drop the column."
        )


# ---------------------------------------------------------------------------- shown as they are


def stated_directions(judging: Judging, task: Task) -> dict[str, int] | None:
    """1 or -1 by name of the column; None if nothing was stated."""
    rises, falls = names(judging.rises), names(judging.falls)
    if not rises and not falls:
        return None
    both = [name for name in rises if name in falls]
    if both:
        raise InputError(f"--rises and --falls both name {both[0]!r}. Pass it to one of them.")
    if judging.estimator != "auto":
        raise InputError(
            "--rises and --falls choose models that respect them, and --estimator another one. "
            "Leave out --estimator."
        )
    if task.target.kind == CLASSES and len(task.target.counts) > 2:
        raise InputError(
            f"--rises and --falls need an order: {task.target.name!r} has "
            f"{len(task.target.counts)} classes without one. Give it with --class-order."
        )
    for option, wanted in (("--rises", rises), ("--falls", falls)):
        for name in wanted:
            _check_has_direction(name, option, task)
    return dict.fromkeys(rises, 1) | dict.fromkeys(falls, -1)


def stated_groups(judging: Judging, task: Task) -> dict[str, list[str]] | None:
    """The columns of every ``--together`` that are features; None if nothing was stated."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for text in judging.together or []:
        for name in names(text):
            if name not in task.X.columns and name not in task.set_aside:
                raise InputError(
                    f"{task.source} has no feature {name!r} (--together). "
                    f"{nearest(name, task.X.columns)}"
                )
            if name in seen:
                raise InputError(f"--together names {name!r} twice. Leave it in one group, once.")
            seen.add(name)
        found[text] = [name for name in names(text) if name in task.X.columns]
    return found or None


def _check_has_direction(name: str, option: str, task: Task) -> None:
    """Refuse columns that are not there, were excluded, or have no order."""
    if name in task.set_aside:
        raise InputError(
            f"{option} names {name!r}, which is excluded: {task.set_aside[name]}. Leave it out"
            + ("." if task.set_aside[name] == "constant" else ", or --keep the column.")
        )
    if name not in task.X.columns:
        raise InputError(
            f"{task.source} has no feature {name!r} ({option}). {nearest(name, task.X.columns)}"
        )
    if is_nominal(task.X[name]):
        raise InputError(
            f"{option} names {name!r}, whose categories have no order. Give one, lowest first, "
            f'with --ordered "{name}=LOW,...,HIGH".'
        )
