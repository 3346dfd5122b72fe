"""What the commands compute: a study of one or several methods, or relevance bounds."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from echelon._core.jobs import every_job_a_step
from echelon._core.words import LABELS, WEAK, counted, ended, is_number, listed
from echelon.cli._columns import described
from echelon.cli._options import ARGUMENTS, Common, Judging, names
from echelon.cli._prepare import Task, prepare, reading_of
from echelon.cli._terminal import InputError, nearest, working
from echelon.cli.files import Table, read_table
from echelon.display import BoundsDisplay
from echelon.methods import CLASSES, CONTINUOUS, METHODS, ORDERED, Method
from echelon.profile import associations, check_rank_order, is_nominal
from echelon.report import Report, summarize
from echelon.study import (
    SURVEY,
    Prepared,
    default_estimator,
    encoded,
    fewer_folds,
    filled,
    forest,
    with_labels_split,
)

ESTIMATORS = ("auto", "linear", "forest", "knn", "tree", "bayes", "svm")
"""Models that can evaluate features: the better of the next two; logistic or ridge regression; 100
extremely randomised trees; 15 nearest neighbours; one tree; naive Bayes, for classes only; Gaussian
kernels."""

N_RESAMPLES = 20
"""Samples on which the stability of a choice is measured, for a report."""

MANY_ROWS, SAMPLED_ROWS = 10_000, 3_000
"""Beyond so many rows neighbours are looked up for so many only: time is quadratic otherwise."""

MOST_CHECKED, CHECK_FOLDS = 1_000_000, 5
"""Values up to which the order of columns within a row is tried out, and in how many folds."""


RAN_HERE = "{} has no part that runs on a cluster; it ran here."


class Studied(NamedTuple):
    """The data as they were used, and what was found."""

    task: Task
    report: Report
    notes: list[str]
    """What was done to the data, and warnings met on the way."""
    settings: dict[str, Any]
    """How the features were evaluated."""


def study(
    common: Common, judging: Judging, methods: list[str], table: Table | None = None
) -> Studied:
    """Rank by every method, find out how many features to select, and choose.

    ``table`` is the file, where it has been read.
    """
    with working(f"Reading {common.data}", common.quiet) as say:
        engine = _cluster(common)
        task = prepare(common, methods, table)
        groups = stated_groups(judging, task)
        n_groups = task.X.shape[1] - sum(max(len(each) - 1, 0) for each in (groups or {}).values())
        settings = {
            "estimator": _estimator(judging.estimator, task, common),
            "n_features": _n_features(judging.n_features, n_groups),
            "tolerance": _tolerance(judging),
            "keep": [name for name in names(common.keep) if name in task.X.columns],
            "feature_groups": groups,
            "cv": _n_folds(task, judging.cv),
            "n_resamples": N_RESAMPLES if common.report else 0,
            "monotonic_cst": stated_directions(judging, task),
            "evidence": judging.evidence,
        }
        by = listed(method.estimator for method in task.methods)
        say(f"Ranking {counted(task.X.shape[1], 'feature')} by {by}")
        return _summarized(task, common, settings, engine)


def _summarized(task: Task, common: Common, settings: dict[str, Any], engine: Any) -> Studied:
    made = {method.estimator: _selector(method, task, common, engine) for method in task.methods}
    notes = _remarks(task, [note for _, notes in made.values() for note in notes])
    shown: dict[str, Any] = {
        "profile": task.profile,
        "notes": notes,
        "source": task.source,
        "command": shlex.join(["echelon", *ARGUMENTS]),
    }
    selectors = {name: selector for name, (selector, _) in made.items()}
    with warnings_of_ours() as caught:
        if [*selectors] == ["AutoSelector"]:
            report = _by_default(selectors["AutoSelector"], task, common, settings, shown)
        else:
            report = summarize(
                task.X if task.sample is None else task.sample,
                task.target,
                selectors,
                groups=task.rows.groups,
                time=task.rows.time,
                sample_weight=task.rows.weights,
                weights_are=None if task.rows.weights is None else SURVEY,
                random_state=common.seed,
                n_jobs=common.jobs,
                **shown,
                **settings,
            )
    return Studied(task, report, [*notes, *caught], settings)


def _by_default(
    selector: Any, task: Task, common: Common, settings: dict[str, Any], shown: dict[str, Any]
) -> Report:
    """The fitted ``AutoSelector``, described."""
    n_features = settings["n_features"]
    selector.set_params(
        estimator=settings.get("estimator"),
        n_features_to_select=None if n_features == "auto" else n_features,
        tolerance=settings.get("tolerance"),
        must_keep=settings.get("keep") or None,
        feature_groups=settings.get("feature_groups"),
        monotonic_cst=settings.get("monotonic_cst"),
        weights_are=None if task.rows.weights is None else SURVEY,
        cv=settings["cv"],
        n_jobs=common.jobs,
    )
    X = task.X if task.sample is None else task.sample
    selector.fit(X, task.target, *task.rows)
    evidence = settings.get("evidence", False)
    return selector.report(n_resamples=settings["n_resamples"], evidence=evidence, **shown)


class Bounded(NamedTuple):
    """The data as they were used, and the bounds of all weights."""

    task: Task
    display: BoundsDisplay
    """One row for every column; of labels that of its most relevant label."""
    groups: list[list[str]]
    """Columns that can replace each other."""
    association: list[float]
    """How closely the two least alike of every group go together."""
    notes: list[str]


def bounds(common: Common) -> Bounded:
    """Relevance bounds of all features, and the groups that can replace each other."""
    with working(f"Reading {common.data}", common.quiet) as say:
        notes = [] if _cluster(common) is None else [RAN_HERE.format("RelevanceBounds")]
        task = prepare(common, ["relevancebounds"])
        _n_folds(task, 5)  # the one rule of how few rows are too few
        selector = METHODS["relevancebounds"].make(
            random_state=common.seed, problem=task.target.kind, n_jobs=common.jobs
        )
        whole = filled(task.X)
        table, owners = with_labels_split(whole, reference=True)
        say(f"Bounding {counted(table.shape[1], 'feature')}")
        with every_job_a_step(), warnings_of_ours() as caught:
            selector.fit(table, task.target.y)
            names = dict(zip(table.columns, whole.columns[owners].map(str), strict=True))
            groups = _of_columns(selector.feature_groups(), names)
        display = _by_column(BoundsDisplay.from_estimator(selector), names)
        whole = whole.set_axis(whole.columns.map(str), axis=1)
        association = [float(associations(whole[group]).min()) for group in groups]
    return Bounded(task, display, groups, association, [*_remarks(task, notes), *caught])


def _of_columns(groups: list[list[str]], names: dict[str, str]) -> list[list[str]]:
    """Groups of encoded columns as groups of columns: a column does not replace itself."""
    found = [list(dict.fromkeys(names[part] for part in group)) for group in groups]
    return [group for group in map(list, dict.fromkeys(map(tuple, found))) if len(group) > 1]


def _by_column(display: BoundsDisplay, names: dict[str, str]) -> BoundsDisplay:
    """Bounds of columns: of labels those of the label that is most relevant."""
    upper = display.intervals[:, 1]
    above = upper / np.where(display.threshold > 0, display.threshold, 1.0)
    places = np.array([LABELS.index(kind) for kind in display.relevance])
    order = np.lexsort([-above, -places])
    columns = np.array([names[str(name)] for name in display.names])
    first = [order[columns[order] == column][0] for column in dict.fromkeys(columns.tolist())]
    shown = display.intervals[first], display.relevance[first], display.threshold[first]
    return BoundsDisplay(columns[first], *shown)


def bounds_report(found: Bounded, common: Common) -> Report:
    """A report that keeps the relevant features."""
    places = [LABELS.index(kind) for kind in found.display.relevance]
    settings = {
        "n_features": sum(place >= WEAK for place in places) or "auto",
        "cv": _n_folds(found.task, 5),
        "n_resamples": N_RESAMPLES,
    }
    with working("Evaluating the relevant features", common.quiet):
        return _summarized(found.task, common, settings, _cluster(common)).report


def columns(common: Common) -> dict[str, Any]:
    """The columns of a file, with no target yet."""
    with working(f"Reading {common.data}", common.quiet):
        return described(read_table(common.data, reading_of(common)))


def look(common: Common) -> Task:
    """The data and their profile, with nothing ranked."""
    with working(f"Looking at {common.data}", common.quiet):
        task = prepare(common, ["auto"], only_look=True)
        return task._replace(notes=[*task.notes, *_rank_order_notes(task)])


def _rank_order_notes(task: Task) -> list[str]:
    """What the order of the columns within a row is worth, where they look like one scale."""
    facts = task.profile
    fine = facts.common_scale and facts.kind == CLASSES and not facts.missing
    if not fine or task.X.size > MOST_CHECKED or min(facts.classes.values()) < CHECK_FOLDS:
        return []
    with warnings_of_ours():
        found = check_rank_order(task.X, task.target, cv=CHECK_FOLDS)
    return [f"{found.sentence}{' Try --method rankorderselector.' if found.fits else ''}"]


def _remarks(task: Task, notes: Sequence[str] = ()) -> list[str]:
    """What was done to the data, in sentences."""
    reasons: dict[str, list[str]] = {}
    for name, why in task.set_aside.items():
        reasons.setdefault(why, []).append(name)
    aside = [f"Excluded ({why}): {listed(them)}." for why, them in reasons.items()]
    return [*map(ended, [*aside, *task.notes, *notes])]


# -------------------------------------------------------------------------- selectors


def _selector(method: Method, task: Task, common: Common, engine: Any) -> tuple[Any, list[str]]:
    """A selector for the data at hand, and notes; the order of classes comes with the target."""
    kind = task.target.kind
    selector = method.make(random_state=common.seed, kind=kind, problem=kind)
    notes = []
    if engine is not None and "engine" in selector.get_params():
        selector.set_params(engine=engine)
    elif engine is not None:
        notes.append(RAN_HERE.format(method.estimator))
    if len(task.X) > MANY_ROWS and "sample_size" in selector.get_params():
        selector.set_params(sample_size=SAMPLED_ROWS)
        notes.append(
            f"{method.estimator} used the neighbours of {SAMPLED_ROWS:,} rows, drawn at random, "
            f"among all {len(task.X):,}."
        )
    split = method.numbers_only and any(is_nominal(column) for _, column in task.X.items())
    fill = not method.takes_gaps and bool(task.X.isna().any(axis=None))
    if split or fill:
        selector = Prepared(selector, split_labels=split, fill_gaps=fill)
    return selector, notes


def _cluster(common: Common) -> Any:
    """The engine that searches on a Dask cluster, which answers; None without ``--scheduler``."""
    if common.scheduler is None:
        return None
    if common.jobs not in (None, 1):
        raise InputError("--jobs and --scheduler exclude each other: the cluster runs in parallel.")
    from echelon.engines import DaskEngine

    engine = DaskEngine(common.scheduler)
    engine.connect()
    return engine


# ------------------------------------------------------------------- how they are judged


def _estimator(name: str, task: Task, common: Common) -> Any:
    """``--estimator``: the model of that name; None for the default of reports."""
    kind = task.target.kind
    if name not in ESTIMATORS:
        raise InputError(f"There is no estimator {name!r}. {nearest(name, ESTIMATORS)}")
    if name == "auto":
        return None
    if name == "linear":
        return default_estimator(kind)
    if name == "forest":
        return forest(kind, common.seed)
    if name == "bayes" and kind == CONTINUOUS:
        raise InputError("The estimator bayes is for classes, and the target holds numbers.")
    if name == "knn" and task.rows.weights is not None:
        raise InputError("The estimator knn takes no weights of rows. Leave out --weights, or it.")
    from echelon.evaluation import OrdinalDecomposition

    model = _model(name, kind == CONTINUOUS, common.seed)
    return encoded(OrdinalDecomposition(model) if kind == ORDERED else model)


def _model(name: str, numbers: bool, seed: int) -> Any:
    from sklearn import naive_bayes, neighbors, svm, tree

    kind = "Regressor" if numbers else "Classifier"
    if name == "knn":
        return getattr(neighbors, f"KNeighbors{kind}")(15)
    if name == "tree":
        return getattr(tree, f"DecisionTree{kind}")(min_samples_leaf=5, random_state=seed)
    if name == "bayes":
        return naive_bayes.GaussianNB()
    return svm.SVR() if numbers else svm.SVC(random_state=seed)


def _n_features(text: str, n_features: int) -> int | str:
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
            f"are (a group of --together is one), got {text!r}."
        )
    return number


def _tolerance(judging: Judging) -> str | None:
    """``--tolerance``: a loss, or a share as 2%."""
    text = judging.tolerance
    if text is None:
        return None
    if judging.n_features.lower() != "auto":
        raise InputError(
            "--n-features and --tolerance both set the number of features. Pass one of them."
        )
    share = text.strip().removesuffix("%").strip()
    if not is_number(share) or not 0 <= float(share) < float("inf"):
        raise InputError(
            f"--tolerance must be a loss in units of the score, or a share of the improvement "
            f"over the baseline such as 2%, got {text!r}."
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


# ------------------------------------------------------------------------ what is known of features


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
