"""Several targets of one file: read once, each studied as one is, and one report of all."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase

import pandas as pd

from echelon._core.words import listed
from echelon.cli._columns import ROLES
from echelon.cli._options import Common, Judging, Using, as_list, names, options_used
from echelon.cli._outputs import check_outputs, ranking_frame, save_config, write_outputs
from echelon.cli._prepare import reading_of
from echelon.cli._rank import Studied, studied, study
from echelon.cli._show import show_targets
from echelon.cli._terminal import InputError, nearest, show_json, working
from echelon.cli._use import reasons_aside
from echelon.cli.files import Table, read_table
from echelon.report import Reports


def rank_targets(
    common: Common, judging: Judging, method: str, using: Using, as_features: bool
) -> None:
    """Rank for every column that ``--target`` names; the file, which tells them, is read once."""
    check_outputs(common, using)
    with working(f"Reading {common.data}", common.quiet):
        table = read_table(common.data, reading_of(common))
    targets = targets_of(common, table)
    if len(targets) == 1:
        study(replace(common, target=targets[0]), judging, [method], using, table)
        return
    check(common, using, targets)
    options = options_used(common, judging, method=method, targets_as_features=as_features)
    reports, found = study_targets(common, judging, [method], table, targets, as_features)
    frames = {
        name: ranking_frame(each.report.summary(), reasons_aside(each.task))
        for name, each in found.items()
    }
    written = write_outputs(common, as_table(frames), lambda: reports)
    written += save_config(common, using, options)
    if common.json:
        show_json(reports.summary())
    elif common.output != "-":
        show_targets(reports, found, common.top, written, with_reasons=using.reasons)


def targets_of(common: Common, table: Table) -> list[str]:
    """The columns that ``--target`` names: one of exactly this name, or those listed or matched."""
    known = list(table.frame.columns)
    if common.target in known:
        return [common.target]
    roles = {getattr(common, role): role for role in ROLES}
    taken = {*roles, *names(common.drop)}
    found: list[str] = []
    for name in names(common.target):
        matched = [name] if name in known else []
        if not matched and any(mark in name for mark in "*?["):
            matched = [each for each in known if fnmatchcase(each, name) and each not in taken]
        if not matched:
            raise InputError(
                f"{table.source} has no column {name!r} (--target). {nearest(name, known)}"
            )
        if name in roles:
            raise InputError(f"--target and --{roles[name]} name the same column, {name!r}.")
        found += matched
    return list(dict.fromkeys(found))


def study_targets(
    common: Common,
    judging: Judging,
    methods: list[str],
    table: Table,
    targets: Sequence[str],
    as_features: bool,
) -> tuple[Reports, dict[str, Studied]]:
    """A study of every target; the others are no features, unless asked for."""
    orders = _orders(common.class_order, targets, table)
    found: dict[str, Studied] = {}
    for target in targets:
        keep = {target, *names(common.keep)}
        others = [] if as_features else [each for each in targets if each not in keep]
        own = replace(
            common,
            target=target,
            class_order=orders.get(target),
            drop=as_list([*names(common.drop), *others]) or None,
            keep=_left(common.keep, [target]),
            categorical=_left(common.categorical, [target, *others]),
            ordered=[
                f"{left}={order}"
                for named, _, order in (text.partition("=") for text in common.ordered or [])
                if (left := _left(named, [target, *others]))
            ],
        )
        with _asking(target, targets, table):
            found[target] = studied(own, judging, methods, table)
    notes = [_about_others(targets, as_features)]
    return Reports({name: each.report for name, each in found.items()}, notes), found


def _left(listed_: str | None, gone: Sequence[str]) -> str | None:
    """The names in an option that are features of this target."""
    return as_list([name for name in names(listed_) if name not in gone]) or None


def _about_others(targets: Sequence[str], as_features: bool) -> str:
    if as_features:
        return f"The other targets are used as features of each: {listed(targets)}."
    return (
        f"Other targets are not used as features: {listed(targets)}. --targets-as-features "
        "uses them."
    )


# ------------------------------------------------------------------------- orders of classes


def _orders(given: str | None, targets: Sequence[str], table: Table) -> dict[str, str]:
    """``--class-order``: of every target, or ``q1,q2:low,high;q3:no,yes``."""
    if not given:
        return {}
    parts = [_named(part, targets) for part in re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', given)]
    if all(named for named, _ in parts):
        return {name: order for named, order in parts for name in named}
    labels = set(names(given))
    fitting = [name for name in targets if _classes(table, name) <= labels]
    if not fitting:
        raise InputError(
            f"--class-order must name every class of a target, or the targets as "
            f'"{targets[0]}:low,high;{targets[1]}:no,yes", got {given!r}.'
        )
    return dict.fromkeys(fitting, given)


def _named(part: str, targets: Sequence[str]) -> tuple[list[str], str]:
    """The targets before the colon, and the order behind it; no targets where none stand there."""
    for place in (found.start() for found in re.finditer(":", part)):
        named = names(part[:place])
        if named and all(name in targets for name in named):
            return named, part[place + 1 :]
    return [], part


def _classes(table: Table, name: str) -> set[str]:
    return {str(each).strip() for each in table.frame[name].dropna().unique().tolist()}


@contextmanager
def _asking(target: str, targets: Sequence[str], table: Table) -> Iterator[None]:
    """An order that is asked for names the targets that it is of, unless it is of all."""
    try:
        yield
    except InputError as error:
        alike = [name for name in targets if _classes(table, name) == _classes(table, target)]
        if len(alike) == len(targets):
            raise
        option = f"--class-order {shlex.quote(f'{as_list(alike)}:')}"
        said = re.sub(r"--class-order (?=[^\s,])", option, str(error))
        raise InputError(said) from error


# ------------------------------------------------------------------------------------ outputs


def check(common: Common, using: Using, targets: Sequence[str]) -> None:
    """Refuse what is of one target only."""
    asked = {**vars(common), **vars(using)}
    for option in ("save", "code", "plot"):
        if asked[option]:
            raise InputError(
                f"--{option} is of one target, and --target names {len(targets)}: "
                f"{listed(targets, 5)}. Pass one of them."
            )


def as_table(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables of all targets, below each other, with the target in the first column."""
    whole = [frame.assign(target=name) for name, frame in frames.items()]
    joined = pd.concat(whole, ignore_index=True)
    return joined[["target", *(name for name in joined if name != "target")]]
