"""The commands ``rank`` and ``compare``: options to settings, the study, and what becomes of it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from echelon._core.words import counted, ended, is_number, listed
from echelon.cli import _outputs, _use
from echelon.cli._columns import stated_directions, stated_groups
from echelon.cli._options import ARGUMENTS, Common, Judging, Using, names, options_used, outputs
from echelon.cli._prepare import Task, prepare
from echelon.cli._show import show_comparison, show_ranking
from echelon.cli._terminal import InputError, nearest, show_json, working
from echelon.cli.files import Table
from echelon.methods import CONTINUOUS, ORDERED, Method
from echelon.profile import is_nominal
from echelon.report import Report, summarize
from echelon.study import (
    SURVEY,
    Prepared,
    default_estimator,
    encoded,
    fewer_folds,
    forest,
)

ESTIMATORS = ("auto", "linear", "forest", "knn", "tree", "bayes", "svm")
"""Models that can evaluate features: the better of the next two; logistic or ridge regression; 100
extremely randomised trees; 15 nearest neighbours; one tree; naive Bayes, for classes only; Gaussian
kernels."""

N_RESAMPLES = 20
"""Samples on which the stability of a choice is measured, for a report."""

MANY_ROWS, SAMPLED_ROWS = 10_000, 3_000
"""Beyond so many rows neighbours are looked up for so many only: time is quadratic otherwise."""

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
    common: Common,
    judging: Judging,
    methods: list[str],
    using: Using,
    table: Table | None = None,
) -> None:
    """Rank by one method, or by several over the same folds; show the answer and write it."""
    files = outputs(common, using)
    if files:
        _outputs.check_outputs(common, using)
    found = studied(common, judging, methods, table)
    options = options_used(common, judging, **_named(methods))
    summary = found.report.summary()
    summary["how"]["configuration"] = options
    found = found._replace(report=Report(summary))
    if using.reasons:
        aside = [f"{name}: {why}." for name, why in _use.reasons_aside(found.task).items()]
        found = found._replace(notes=[*aside, *found.notes])
    written, failed = list[str](), None
    if files:
        found, written, failed = _written(found, common, judging, using, options)
    if common.json:
        for feature in summary["features"]:
            feature.pop("distribution", None)  # which only pictures need
        show_json({**summary, "set_aside": found.task.set_aside})
    elif common.output != "-":
        show = show_comparison if len(summary["methods"]) > 1 else show_ranking
        show(found, common.top, written, with_reasons=using.reasons)
    if failed is not None:
        raise failed


def _written(
    found: Studied, common: Common, judging: Judging, using: Using, options: dict[str, Any]
) -> tuple[Studied, list[str], OSError | None]:
    """Write what was asked for; where that fails, why, since the answer is shown all the same."""
    summary, written = found.report.summary(), list[str]()
    several = len(summary["methods"]) > 1
    picture = _outputs.comparison_picture if several else _outputs.ranking_picture
    try:
        table = _outputs.ranking_frame(summary, _use.reasons_aside(found.task))
        written += _outputs.write_outputs(
            common, table, lambda: found.report, lambda: picture(summary)
        )
        used, untold = _use.write_use(found, common, judging, using)
        found, written = found._replace(notes=[*found.notes, *untold]), [*written, *used]
        written += _outputs.save_config(common, using, options)
    except OSError as error:  # the disk is full, say
        return found, written, error
    return found, written, None


def compare(common: Common, judging: Judging, methods: list[str], using: Using) -> None:
    """Rank by several methods, none of them twice."""
    methods = list(dict.fromkeys(name.lower() for name in methods))
    if len(methods) == 1:
        raise InputError(
            f"--methods must name two or more methods, got {','.join(methods)!r}. See 'echelon "
            "methods'."
        )
    study(common, judging, methods, using)


def _named(methods: list[str]) -> dict[str, str]:
    """The methods as an option: of rank if there is one, of compare if there are several."""
    return {"method" if len(methods) == 1 else "methods": ",".join(methods)}


# ------------------------------------------------------------------------------ what is computed


def studied(
    common: Common, judging: Judging, methods: list[str], table: Table | None = None
) -> Studied:
    """Rank by every method, find out how many features to select, and choose.

    ``table`` is the file, where it has been read.
    """
    with working(f"Reading {common.data}", common.quiet) as say:
        engine = cluster_of(common)
        task = prepare(common, methods, table)
        groups = stated_groups(judging, task)
        n_groups = task.X.shape[1] - sum(max(len(each) - 1, 0) for each in (groups or {}).values())
        settings = {
            "estimator": _estimator(judging.estimator, task, common),
            "n_features": _n_features(judging.n_features, n_groups),
            "tolerance": _tolerance(judging),
            "keep": [name for name in names(common.keep) if name in task.X.columns],
            "feature_groups": groups,
            "cv": n_folds(task, judging.cv),
            "n_resamples": N_RESAMPLES if common.report else 0,
            "monotonic_cst": stated_directions(judging, task),
            "evidence": judging.evidence,
        }
        by = listed(method.estimator for method in task.methods)
        say(f"Ranking {counted(task.X.shape[1], 'feature')} by {by}")
        return summarized(task, common, settings, engine)


def summarized(task: Task, common: Common, settings: dict[str, Any], engine: Any) -> Studied:
    made = {method.estimator: _selector(method, task, common, engine) for method in task.methods}
    notes = remarks(task, [note for _, notes in made.values() for note in notes])
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


def remarks(task: Task, notes: Sequence[str] = ()) -> list[str]:
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


def cluster_of(common: Common) -> Any:
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


def n_folds(task: Task, cv: int) -> int:
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
