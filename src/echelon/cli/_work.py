"""What the commands compute: a study of one or several methods, or relevance bounds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from echelon._core.progress import every_job_a_step
from echelon._core.words import counted, is_number, listed
from echelon.cli._errors import InputError
from echelon.cli._estimators import make_estimator
from echelon.cli._options import Common, Judging, names
from echelon.cli._prepare import Task, prepare
from echelon.cli._progress import working
from echelon.methods import CLASSES, METHODS, Method
from echelon.profile import associations, check_rank_order, is_nominal
from echelon.report import Report, summarize
from echelon.study import (
    Prepared,
    bounds_contradictions,
    fewer_folds,
    filled,
    with_labels_split,
)

N_RESAMPLES = 20
"""Samples on which the stability of a choice is measured, for a report."""

MANY_ROWS, SAMPLED_ROWS = 10_000, 3_000
"""Beyond so many rows neighbours are looked up for so many only: time is quadratic otherwise."""

MOST_CHECKED, CHECK_FOLDS = 1_000_000, 5
"""Values up to which the order of columns within a row is tried out, and in how many folds."""


class Studied(NamedTuple):
    """The data as they were used, and what was found."""

    task: Task
    report: Report
    notes: list[str]
    """What was done to the data, and warnings met on the way."""


def study(common: Common, methods: list[str], judging: Judging) -> Studied:
    """Rank by every method, find out how many features to keep, and choose."""
    with working(f"Reading {common.data}", common) as say:
        return _studied(common, methods, judging, say)


def _studied(common: Common, methods: list[str], judging: Judging, say: Any) -> Studied:
    task = prepare(common, methods)
    settings = {
        "estimator": make_estimator(
            judging.estimator, task.target.kind, common.seed, weighted=common.weights is not None
        ),
        "n_features": read_n_features(judging.n_features, task.X.shape[1]),
        "tolerance": read_tolerance(judging),
        "keep": [name for name in names(common.keep) if name in task.X.columns],
        "cv": _n_folds(task, judging.cv),
        "n_resamples": N_RESAMPLES if common.report else 0,
    }
    by = listed(method.estimator for method in task.methods)
    say(f"Ranking {counted(task.X.shape[1], 'feature')} by {by}")
    return _summarized(task, common, settings)


def _summarized(task: Task, common: Common, settings: dict[str, Any]) -> Studied:
    made = {method.estimator: make_selector(method, task, common) for method in task.methods}
    said = [note for _, notes in made.values() for note in notes]
    notes = remarks(task, said)
    with warnings_of_ours() as caught:
        report = summarize(
            task.X,
            task.target,
            {name: selector for name, (selector, _) in made.items()},
            groups=task.rows.groups,
            time=task.rows.time,
            sample_weight=task.rows.weights,
            random_state=common.seed,
            profile=replace(task.profile, caveats=[*notes, *task.profile.caveats]),
            source=task.source,
            command=common.command_line(),
            n_jobs=common.jobs,
            **settings,
        )
    return Studied(task, report, [*notes, *caught])


class Bounded(NamedTuple):
    """The data as they were used, and the bounds of all weights."""

    task: Task
    selector: Any
    columns: list[str]
    groups: list[list[str]]
    association: list[float]
    """How closely the two least alike of every group go together."""
    notes: list[str]


def bounds(common: Common) -> Bounded:
    """Relevance bounds of all features, and the groups that can stand in for each other."""
    with working(f"Reading {common.data}", common) as say:
        return _bounded(common, say)


def _bounded(common: Common, say: Any) -> Bounded:
    task = prepare(common, ["relevancebounds"])
    _n_folds(task, 5)  # the one rule of how few rows are too few
    method = METHODS["relevancebounds"]
    selector = method.make(random_state=common.seed, problem=task.target.kind, n_jobs=common.jobs)
    table, _ = with_labels_split(filled(task.X))
    say(f"Bounding {counted(table.shape[1], 'feature')}")
    with every_job_a_step(), warnings_of_ours() as caught:
        selector.fit(table, task.target.y)
        groups = selector.feature_groups()
    association = [float(associations(table[group]).min()) for group in groups]
    notes = [*_bounds_doubts(selector, caught), *remarks(task), *caught]
    return Bounded(task, selector, list(table.columns), groups, association, notes)


def _bounds_doubts(selector: Any, notes: list[str]) -> list[str]:
    """What in the bounds does not fit together, as notes."""
    lower = selector.intervals_[..., 0].reshape(-1, selector.n_features_in_).max(axis=0)
    names = selector.feature_names_in_
    found = bounds_contradictions(selector.relevance_, lower, names, notes)
    return [f"Two statements do not fit together: {said}" for said in found]


def bounds_report(found: Bounded, common: Common) -> Report:
    """A report that keeps the relevant features."""
    relevant = {name.partition("=")[0] for name, kept in
                zip(found.columns, found.selector.support_, strict=True) if kept}  # fmt: skip
    settings = {
        "n_features": min(len(relevant), found.task.X.shape[1]) or "auto",
        "cv": _n_folds(found.task, 5),
        "n_resamples": N_RESAMPLES,
    }
    with working("Judging the relevant features", common):
        return _summarized(found.task, common, settings).report


def make_selector(method: Method, task: Task, common: Common) -> tuple[Any, list[str]]:
    """A selector for the data at hand, and notes; the order of classes comes with the target."""
    kind = task.target.kind
    selector = method.make(random_state=common.seed, kind=kind, problem=kind)
    notes = []
    if common.scheduler is not None:
        notes += _use_cluster(selector, method, common)
    if len(task.X) > MANY_ROWS and "sample_size" in selector.get_params():
        selector.set_params(sample_size=SAMPLED_ROWS)
        notes.append(
            f"{method.estimator} looked up the neighbours of {SAMPLED_ROWS:,} rows, drawn at "
            f"random, among all {len(task.X):,}."
        )
    split = method.numbers_only and any(is_nominal(column) for _, column in task.X.items())
    fill = not method.takes_gaps and bool(task.X.isna().any(axis=None))
    if split or fill:
        selector = Prepared(selector, split_labels=split, fill_gaps=fill)
    return selector, notes


def _use_cluster(selector: Any, method: Method, common: Common) -> list[str]:
    """Let the selector search on the cluster, or note that it cannot."""
    if "engine" not in selector.get_params():
        return [f"{method.estimator} has no part that runs on a cluster; it ran here."]
    if common.jobs not in (None, 1):
        raise InputError("--jobs and --scheduler exclude each other: the cluster runs in parallel.")
    try:
        from echelon.engines import DaskEngine
    except ImportError as error:
        raise InputError(f"--scheduler: {error}") from error
    selector.set_params(engine=DaskEngine(common.scheduler))
    return []


def remarks(task: Task, notes: Sequence[str] = ()) -> list[str]:
    """What was done to the data, in sentences."""
    reasons: dict[str, list[str]] = {}
    for name, why in task.set_aside.items():
        reasons.setdefault(why, []).append(name)
    aside = [f"Set aside, {why}: {listed(them)}." for why, them in reasons.items()]
    return [*aside, *task.notes, *notes]


def rank_order_notes(task: Task) -> list[str]:
    """What the order of the columns within a row is worth, where they look like one scale."""
    facts = task.profile
    fine = facts.common_scale and facts.kind == CLASSES and not facts.missing
    if not fine or task.X.size > MOST_CHECKED or min(facts.classes.values()) < CHECK_FOLDS:
        return []
    with warnings_of_ours():
        found = check_rank_order(task.X, task.target, cv=CHECK_FOLDS)
    return [f"{found.sentence}{' Try --method rankorderselector.' if found.fits else ''}"]


def read_n_features(text: str, n_features: int) -> int | str:
    """``--n-features``: a number, or "auto"."""
    if text.lower() == "auto":
        return "auto"
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= n_features:
        raise InputError(
            f"--n-features must be auto or a number from 1 to {n_features}, the features there "
            f"are, got {text!r}."
        )
    return number


def read_tolerance(judging: Judging) -> str | None:
    """``--tolerance``: a loss, or a share as 2%."""
    text = judging.tolerance
    if text is None:
        return None
    if judging.n_features.lower() != "auto":
        raise InputError(
            "--n-features and --tolerance both say how many to keep. Pass one of them."
        )
    share = text.strip().removesuffix("%").strip()
    if not is_number(share) or not 0 <= float(share) < float("inf"):
        raise InputError(
            f"--tolerance must be a loss in units of the score, or a share of the gain over "
            f"guessing such as 2%, got {text!r}."
        )
    return text


def _n_folds(task: Task, cv: int) -> int:
    """As many folds as asked for, fewer where rows are few."""
    try:
        return fewer_folds(cv, task.target, task.rows.groups)
    except ValueError as error:
        raise InputError(f"{task.source}: {error}") from error


@contextmanager
def warnings_of_ours() -> Iterator[list[str]]:
    """Warnings of ours as notes, once they are over; those of others not at all."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    for warning in caught:
        text = " ".join(str(warning.message).split())
        if warning.category is UserWarning and "echelon" in warning.filename and text not in notes:
            notes.append(text)
