"""From a file to features, a target and methods that fit, with every step reported."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
from sklearn.utils.validation import has_fit_parameter

from echelon._core.words import about_missing_codes, counted, ended, listed
from echelon.cli._columns import faults, quoted, split_columns
from echelon.cli._options import Common, as_list, missing_texts, names
from echelon.cli._terminal import InputError, nearest
from echelon.cli.files import Drawing, Reading, Table, is_code, numbers_of, read_table
from echelon.large import Drawn, Sample
from echelon.methods import (
    ALIASES,
    CLASSES,
    COMPARED,
    CONTINUOUS,
    METHODS,
    ORDERED,
    PEERS,
    Method,
    method_named,
)
from echelon.profile import Profile, guess_order, is_nominal, is_number, profile
from echelon.study import FREQUENCIES, SURVEY, Rows, are_ambiguous, repeated_rows
from echelon.targets import FEW, Target, read_target

MOST_ORDERS = 3
"""More orders that columns may have are not spelled out one by one."""


class Task(NamedTuple):
    """Features and target, ready to use, and what was done to them."""

    X: pd.DataFrame
    target: Target
    rows: Rows
    """What is known of the rows beside."""
    methods: list[Method]
    profile: Profile
    source: str
    set_aside: dict[str, str]
    """Columns left out, and why."""
    notes: list[str]
    """What had to be assumed, and what the user may want to know."""
    doubts: list[str]
    """Notes that are shown before the answer: what may well have been read wrong."""
    table: Table | None = None
    """The table as it was read."""
    sample: Sample | None = None
    """Where the table does not fit into memory: samples, of which the first is ``X``, and what is
    known of all rows."""
    questions: tuple[str, ...] = ()
    """Notes that ask what must be known before anything is ranked."""


def prepare(
    common: Common, wanted: Sequence[str], table: Table | None = None, *, only_look: bool = False
) -> Task:
    """Read the data of a command, and choose methods that fit.

    Parameters
    ----------
    common : Common
        The options.
    wanted : sequence of str
        Names of methods; "auto" is the one the profile recommends.  None at all: some that fit
        the target, to compare.
    table : Table, default=None
        The file, where it has been read.
    only_look : bool, default=False
        Nothing is ranked: compare pairs of rows, and note a question instead of asking it.
    """
    chosen = [_method(name) for name in wanted]
    order = names(common.class_order) or None
    if order and common.unordered:
        raise InputError("--class-order and --unordered contradict each other. Pass one of them.")
    table = table or read_table(common.data, reading_of(common), _drawing(common))
    X, y, rows, notes, dates = split_columns(table, common)
    X, y, rows, counted_by, questions = _counted(X, y, rows, common, only_look)
    target, assumed, asked = _target(y, order, common, chosen, only_look)
    found = profile(X, target, monotone=only_look, random_state=common.seed)
    known = names(common.not_missing)
    if table.drawn is not None:
        identifiers = dict.fromkeys([*found.identifiers, *table.drawn.identifiers])
        found = replace(found, identifiers=[name for name in identifiers if name in X])
    codes = {name: each for name, each in found.missing_codes.items() if name not in known}
    found = replace(found, missing_codes=codes)
    chosen = chosen or [method_named(name) for name in COMPARED[target.kind]]
    methods = [METHODS[found.method] if method is None else method for method in chosen]
    for method in methods:
        _check_method(method, target, weighted=rows.weights is not None)
    set_aside = _useless(found, names(common.keep), common.groups is not None)
    X = X.drop(columns=list(set_aside)) if set_aside else X  # which would copy all
    if X.shape[1] == 0:
        raise InputError(
            f"{table.source} has no column to rank: {listed(set_aside)} "
            f"{'is' if len(set_aside) == 1 else 'are'} constant, an ID or free text. "
            "Name columns to use nevertheless with --keep."
        )
    X, made = _with_intervals(X, common, methods, found)
    notes += [*counted_by, *(said for name, said in dates.items() if name not in set_aside)]
    questions = [*questions, *asked]
    doubts = [ended(said) for said in [*table.doubts, *about_missing_codes(found, command=True)]]
    notes = [*doubts, *table.notes, *notes, *questions, *assumed, *_look_ordered(X), *made]
    notes += _needs(X, methods)
    task = Task(
        X, target, rows, methods, found, table.source, set_aside, notes, doubts, table,
        questions=tuple(questions),
    )  # fmt: skip
    return task if table.drawn is None else _sampled(task, table.drawn)


def _drawing(common: Common) -> Drawing:
    """How to draw rows of files that do not fit into memory."""
    roles = {f"--{role}": name for role in ("groups", "time") if (name := getattr(common, role))}
    on_cluster = common.scheduler is not None
    return Drawing(common.target, roles, common.weights, common.seed, on_cluster)


def _sampled(task: Task, drawn: Drawn) -> Task:
    """The task on the first of the samples, with what is known of all rows."""
    sample = drawn.sample(task.X, task.target)
    left_out = [
        f"{counted(n, 'row')} without {name} left out."
        for name, n in drawn.known.lacking.items()
        if n
    ]
    main = drawn.part == 0
    rows = Rows(
        *(each if each is None else each[main].reset_index(drop=True) for each in task.rows)
    )
    return task._replace(
        X=sample.frame,
        target=sample.target,
        rows=rows,
        profile=sample.described(task.profile),
        notes=[*left_out, *task.notes],
        sample=sample,
    )


def reading_of(common: Common) -> Reading:
    """How to read the file, as the options say."""
    decimal, thousands = common.decimal, common.thousands
    if decimal not in (None, ",", "."):
        raise InputError(f"--decimal must be , or . but got {decimal!r}.")
    thousands = " " if thousands == "space" else thousands
    if thousands not in (None, ",", ".", "'", " "):
        raise InputError(f"--thousands must be , or . or ' or space, but got {thousands!r}.")
    if decimal is not None and decimal == thousands:
        raise InputError(f"--decimal and --thousands are both {decimal!r}. Pass one of them.")
    everywhere, single = missing_texts(common.missing)
    empty = next((name for name, texts in single.items() if not texts), None)
    if empty is not None:
        raise InputError(f'--missing must be as "{empty}=77,88", got {empty + "="!r}.')
    return Reading(
        delimiter=common.delimiter,
        missing=tuple(everywhere),
        sheet=common.sheet,
        max_memory=common.max_memory,
        decimal=decimal,
        thousands=thousands,
        missing_in=single,
    )


def _method(name: str) -> Method | None:
    """The method of that name; None for "auto"."""
    if name.lower() == "auto":
        return None
    found = method_named(name)
    if found is None:
        known = ["auto", *METHODS, *PEERS, *ALIASES]
        raise InputError(f"There is no method {name!r}. {nearest(name, known)}")
    return found


def _useless(found: Profile, keep: list[str], grouped: bool) -> dict[str, str]:
    """Columns that are not ranked, and why."""
    reasons = dict.fromkeys(found.constant, "constant")
    reasons |= dict.fromkeys(found.identifiers, "looks like an ID")
    reasons |= dict.fromkeys(found.texts, "free text rather than categories")
    if not grouped:
        reasons |= dict.fromkeys(found.repeated, "looks like a subject ID with repeated rows")
    return {name: why for name, why in reasons.items() if name not in keep or why == "constant"}


def _counted(
    X: pd.DataFrame, y: pd.Series, rows: Rows, common: Common, only_look: bool
) -> tuple[pd.DataFrame, pd.Series, Rows, list[str], list[str]]:
    """Features, target and rows; those of a table of frequencies as often as they were seen.

    The lists hold a note of what was done, and the question where it is not known.
    """
    name, meant = common.weights, common.weights_are
    if meant is not None and name is None:
        raise InputError("--weights-are says what --weights holds. Pass --weights as well.")
    if meant not in (None, SURVEY, FREQUENCIES):
        raise InputError(f"--weights-are must be {SURVEY} or {FREQUENCIES}, got {meant!r}.")
    if meant is None and are_ambiguous(rows.weights):
        question = (
            f"Does {name!r} say how often every row was seen? Then pass --weights-are "
            f"{FREQUENCIES}; if rows count more or less, as in a survey, --weights-are {SURVEY}."
        )
        if not only_look:
            raise InputError(question)
        return X, y, rows, [], [question]
    if meant != FREQUENCIES:
        return X, y, rows, [], []
    try:
        repeated = repeated_rows(X, y, rows)
    except ValueError as error:
        said = str(error).replace("`sample_weight`", f"Column {name!r}")
        raise InputError(said.replace("weights_are='survey'", "--weights-are survey")) from error
    said = (
        f"{counted(len(X), 'row')} of the file stand for {len(repeated[0]):,}, counted by {name}."
    )
    return *repeated, [said], []


# ------------------------------------------------------------- the target and the methods


def _check_method(method: Method, target: Target, *, weighted: bool) -> None:
    """Refuse a method that is not for this kind of target, or takes no weights of rows."""
    if target.kind not in method.targets:
        if target.kind != CONTINUOUS:
            raise InputError(
                f"{method.name} is for ordered classes, and {target.name!r} has no order."
            )
        n_values = len(set(target.numbers.tolist()))
        raise InputError(
            f"{target.name!r} holds {n_values} different numbers, and {method.name} is for "
            "classes. Use relevancebounds or orderedsoftmargin, or make classes of them first."
        )
    if weighted and not has_fit_parameter(method.make(), "sample_weight"):
        raise InputError(f"{method.name} takes no weights of rows. Leave out --weights, or it.")


def _target(
    y: pd.Series,
    order: list[str] | None,
    common: Common,
    methods: Sequence[Method | None],
    only_look: bool,
) -> tuple[Target, list[str], list[str]]:
    """The target, a note where its order does not have to be known, and a question where it has."""
    target = target_of(y, order, unordered=common.unordered)
    question = doubt_about(target) or question_about(target, methods, unordered=common.unordered)
    if question is not None:
        if only_look:
            return target, [], [question]
        raise InputError(question)
    if need_order(methods) and target.kind == CLASSES:
        target = target.as_ordered()
    if target.kind == CLASSES and len(target.counts) > 2 and not common.unordered:
        said = (
            f"{common.target} was read as classes without an order; if they have one, pass "
            "--class-order, lowest first."
        )
        return target, [said], []
    return target, [], []


def target_of(y: pd.Series, order: list[str] | None, *, unordered: bool) -> Target:
    """The target in a column of a file."""
    y = _whole(y)
    if order is not None:
        order = _as_in_column(order, y)
        _check_class_order(y, order)
    try:
        return read_target(y, CLASSES if unordered else "auto", order)
    except (TypeError, ValueError) as error:
        said = str(error).replace("Input y", "`y`").replace("`y`", f"column {y.name!r}")
        raise InputError(said[:1].upper() + said[1:]) from error


def _whole(y: pd.Series) -> pd.Series:
    """Whole numbers as integers: missing values, now left out, had made them fractions."""
    whole = y.dtype.kind == "f" and bool((y % 1 == 0).all()) and float(y.abs().max()) < 2**53
    return y.astype("int64") if whole else y


def _as_in_column(order: list[str], y: pd.Series) -> list[str]:
    """Classes that are numbers as they are in the column: 1 for 1.0, 12 for 12 cm."""
    if not is_number(y):
        return order
    classes = {float(label): str(label) for label in y.unique().tolist()}
    return [
        next((classes[value] for value in numbers_of(label) if value in classes), label)
        for label in order
    ]


def _check_class_order(y: pd.Series, order: list[str]) -> None:
    classes = {str(label).strip() for label in y.unique().tolist()}
    repeated, lacking = faults(order, classes)
    if repeated:
        raise InputError(f"The order must name every class once, got {repeated[0]!r} again.")
    if lacking:
        extra = [label for label in order if label not in classes]
        hint = f" ({quoted(extra)} does not occur.)" if extra else ""
        raise InputError(
            f"The order must name every class of column {y.name!r}; it lacks {quoted(lacking)}."
            f"{hint} Write classes as in the file, lowest first, separated by commas."
        )


def doubt_about(target: Target) -> str | None:
    """Doubt that the target is categorical; None if there is none."""
    n_labels = len(target.counts)
    if target.kind != CLASSES or n_labels <= max(FEW, len(target) // 4):
        return None
    return (
        f"Column {target.name!r} has {n_labels} different categories in {len(target)} rows, too "
        "many for classes. Is it the right column?"
    )


def need_order(methods: Sequence[Method | None]) -> bool:
    """Whether a method is for ordered classes only."""
    return any(method is not None and method.targets == (ORDERED,) for method in methods)


def question_about(
    target: Target, methods: Sequence[Method | None], *, unordered: bool = False
) -> str | None:
    """What must be known before an order is relied on; None if it is known or does not matter."""
    name, labels = target.name, list(target.counts)
    if not unordered and len(labels) > 2 and target.order_from in ("assumed", ""):
        guess = labels if target.kind == ORDERED else guess_order(labels)
        if guess is not None:
            return (
                f"Is {' < '.join(map(str, guess))} the order of {name!r}? Then pass --class-order "
                f"{as_option(guess)}, lowest first; if the classes have no order, pass --unordered."
            )
    are_numbers = all(isinstance(label, int | float) for label in labels)
    if need_order(methods) and target.kind == CLASSES and not are_numbers:
        return (
            f"What is the order of {name!r}? Pass --class-order {as_option(labels)} with the "
            "lowest class first, or choose a method for classes without an order."
        )
    return None


def as_option(labels: Sequence[Any]) -> str:
    """Labels as an option takes them, up to thirty."""
    texts = [f'"{label}"' if "," in str(label) else str(label) for label in labels[:30]]
    joined = ",".join(texts) + (",..." if len(labels) > 30 else "")
    return f"'{joined}'" if any(c in joined for c in " \"<>&|;$()'*?") else joined


# ------------------------------------------------------------------------ the features


def _with_intervals(
    X: pd.DataFrame, common: Common, methods: list[Method], found: Profile
) -> tuple[pd.DataFrame, list[str]]:
    """Pairs of bounds as intervals: where asked for, or where the method is for intervals."""
    intended = all(method.estimator == "IntervalRelief" for method in methods)
    features, notes = None, []
    if common.intervals is not None:
        pattern = _given_pattern(common.intervals, methods)
    elif intended and found.interval_pattern:
        pattern, features = found.interval_pattern, found.intervals
        notes = [
            f"Columns named {pattern[0]} and {pattern[1]} were read as intervals; with another "
            "--method they are separate columns."
        ]
    else:
        return X, []
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
    """What methods need done to categories and missing values, within the folds."""
    labels = [name for name, column in X.items() if is_nominal(column)]
    gappy = [name for name, column in X.items() if column.isna().any()]
    numbers = [method for method in methods if method.numbers_only and labels]
    whole = [method.estimator for method in methods if not method.takes_gaps and gappy]
    for method in numbers:
        can = method.estimator == "RelevanceBounds" or method in PEERS.values()
        if len(labels) == X.shape[1] and not can:
            raise InputError(f"{method.name} needs numbers, and no column holds any.")
    said = []
    if numbers:
        who = listed(method.estimator for method in numbers)
        verb = "needs" if len(numbers) == 1 else "need"
        said.append(f"{who} {verb} numbers: {listed(labels)} split into 0/1 columns.")
    if whole:
        said.append(
            f"{listed(whole)} {'takes' if len(whole) == 1 else 'take'} no missing values: those of "
            f"{listed(gappy)} were imputed by the median (categories: by a category of their own)."
        )
    return said


def _look_ordered(X: pd.DataFrame) -> list[str]:
    """Labels that may have an order, asked about; those with the same labels together."""
    alike: dict[tuple, list[str]] = {}
    for name, column in X.items():
        labels = column.dropna().unique().tolist() if is_nominal(column) else []
        codes = any(isinstance(label, str) and label and is_code(label) for label in labels)
        guess = guess_order(labels) if 2 < len(labels) <= FEW and not codes else None
        if guess is not None:
            alike.setdefault(tuple(map(str, guess)), []).append(str(name))
    groups = list(alike.items())
    if len(groups) > MOST_ORDERS:
        first, named = groups[0]
        together = listed(name for _, names in groups for name in names)
        return [
            f"{together} look ordered and are treated as unordered: pass --ordered for each that "
            f"is ordered, as in {_as_ordered(first, named[:1])}."
        ]
    return [
        f"{listed(named)} {'looks' if len(named) == 1 else 'look'} ordered and "
        f"{'is' if len(named) == 1 else 'are'} treated as unordered: if {' < '.join(labels)}, pass "
        f"{_as_ordered(labels, named)}."
        for labels, named in groups
    ]


def _as_ordered(order: tuple, named: list[str]) -> str:
    """The option that states the order of some columns."""
    return f"--ordered {shlex.quote(as_list(named) + '=' + as_option(order).strip(chr(39)))}"
