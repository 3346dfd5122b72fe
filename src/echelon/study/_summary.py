"""From data and selectors to the summary that holds everything a report shows."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length

import echelon
from echelon._core.by_class import classes_of, drawn_classes
from echelon._core.progress import expect
from echelon._core.words import plain
from echelon.profile import Facts, Profile, find_facts, profile
from echelon.study._answer import answer
from echelon.study._caveats import (
    data_caveats,
    instability,
    label_caveats,
    other_halves,
    result_caveats,
)
from echelon.study._coherence import contradictions
from echelon.study._features import feature_rows, same_message, sort_by_rank
from echelon.study._folds import Rows, make_splits, read_row_weights
from echelon.study._judge import Judged, judge, said_in_caveats
from echelon.study._methods import agreement_of, method_part
from echelon.study._models import Study, default_estimator, describe_model, read_scoring
from echelon.study._questions import questions
from echelon.study._ranker import as_ranker
from echelon.study._rule import read_rule
from echelon.study.types import Data, MethodPart, Summary
from echelon.targets import Target, read_target
from echelon.data import as_frame


class Settings(NamedTuple):
    """How features are judged; see ``echelon.report.summarize``.

    Examples
    --------
    >>> from echelon.study import Settings
    >>> Settings(cv=10, random_state=1).n_resamples
    20
    """

    estimator: Any = None
    n_features: Any = "auto"
    cv: Any = 5
    scoring: Any = None
    n_resamples: int = 20
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: int = 0
    tolerance: Any = None
    keep: Sequence[str] = ()
    rows: Rows = Rows()


def make_summary(
    X: Any,
    target: Target,
    selectors: Mapping[str, Any],
    settings: Settings,
    *,
    found: Profile | None = None,
    source: str | None = None,
    command: str | None = None,
) -> Summary:
    """Judge the selectors over the same folds, choose, and describe what was found.

    Examples
    --------
    >>> from echelon import RankCorrelation
    >>> from echelon.datasets import load_grades
    >>> from echelon.study import Settings, make_summary
    >>> from echelon.targets import read_target
    >>> X, grade = load_grades()
    >>> settings = Settings(cv=3, n_resamples=4)
    >>> summary = make_summary(X, read_target(grade), {"tau": RankCorrelation()}, settings)
    >>> summary["answer"]["keep"][:2]
    ['s5', 'bmi']
    """
    if found is not None and not isinstance(found, Profile):
        raise TypeError(
            f"`profile` must be what echelon.profile.profile returned, or None, got {found!r}."
        )
    study = set_up(X, target, settings)
    facts = find_facts(study.X, target)
    expect(n_steps(study, len(selectors)))
    rankers = {name: as_ranker(each, study, facts.constant) for name, each in selectors.items()}
    judged = judge(rankers, study)
    with said_in_caveats():
        parts = [
            method_part(name, selectors[name], rankers[name], judged, study) for name in selectors
        ]
    methods, troubles = zip(*parts, strict=True)
    found = profile(study.X, target, monotone=False) if found is None else found
    summary = _found(study, judged, methods, found.giveaways)
    if not study.splits.groups:
        summary["answer"]["warnings"] = [*found.warnings, *summary["answer"]["warnings"]]
    how = _how(study, methods, settings.estimator, command)
    summary |= {
        "title": f"Which features go with {target.name or 'the target'}?",
        "source": source,
        "data": _glance(facts, target),
        "profile": found.as_dict(),
        "methods": methods,
        "caveats": [
            *found.caveats,
            *data_caveats(facts, len(study.splits.folds)),
            *label_caveats(study.X),
            *(trouble for trouble in troubles if trouble),
            *result_caveats(
                summary, methods, study.splits, default_model=settings.estimator is None
            ),
        ],
        "how": {"method": summary["answer"]["method"], **how},
    }
    return _coherent(cast(Summary, plain(summary)))


def _coherent(summary: Summary) -> Summary:
    """The summary; what does not fit together in it is said before everything else."""
    found = [f"Two statements do not fit together: {said}" for said in contradictions(summary)]
    summary["caveats"] = [*found, *summary["caveats"]]
    return summary


def n_steps(study: Study, n_methods: int) -> int:
    """Fits of rankings to folds, all rows and resamples, and of models to all features."""
    n_folds = len(study.splits.folds)
    return n_methods * (n_folds + 1 + study.n_resamples) + 2 * n_folds


def set_up(X: Any, target: Target, settings: Settings) -> Study:
    """What all methods are judged by, checked."""
    table = _read_table(X)
    rule = read_rule(settings.n_features, settings.tolerance, settings.keep, table.columns.tolist())
    check_consistent_length(table, target.y)
    _check_n_resamples(settings.n_resamples)
    default = settings.estimator is None
    model = default_estimator(target.kind) if default else settings.estimator
    metric = read_scoring(settings.scoring, model, target.kind)
    options = {key: getattr(settings, key) for key in ("n_jobs", "random_state", "verbose")}
    with said_in_caveats():
        splits = make_splits(settings.cv, target, settings.rows, settings.random_state)
    weights = read_row_weights(settings.rows.weights, target)
    return Study(table, target, model, metric, splits, rule, settings.n_resamples, options, weights)


def _check_n_resamples(n_resamples: Any) -> None:
    if not isinstance(n_resamples, Integral) or isinstance(n_resamples, bool) or n_resamples < 0:
        raise ValueError(
            f"`n_resamples` must be 0 or more whole samples, got {n_resamples!r}. Pass 20, or 0 "
            "for no stability."
        )


def _found(
    study: Study, judged: Judged, methods: Sequence[MethodPart], suspect: Sequence[Any]
) -> dict[str, Any]:
    """The answer, all features, and what they have in common."""
    choice = judged.choice
    chosen = next(method for method in methods if method["name"] == choice.method)
    order = sort_by_rank(chosen["ranking"])
    names = study.X.columns[order].tolist()
    verdict = answer(judged, study.rule, names, study.scoring)
    alike = same_message(study.X, order, verdict["n_features"], [str(name) for name in suspect])
    shared = (methods, chosen, verdict["keep"], alike.groups, alike.substitutes)
    rows = feature_rows(study.X, study.target, *shared)
    verdict["warnings"] = (
        [*instability(chosen), *other_halves(rows, study.n_resamples)] if verdict["keep"] else []
    )
    return {
        "answer": verdict,
        "features": rows,
        "groups": alike.groups,
        "alike": alike.pairs,
        "questions": questions(study, judged, verdict["keep"], names)
        if study.n_resamples
        else None,
        "agreement": agreement_of(methods, choice.size),
    }


def _glance(facts: Facts, target: Target) -> Data:
    """The facts a page shows."""
    classes = classes_of(target)
    labels = [str(label) for label in classes.labels]
    counts = np.bincount(classes.codes, minlength=len(labels)).tolist()
    return Data(
        n_samples=facts.n_samples,
        n_features=facts.n_features,
        target=target.name or "target",
        kind=target.kind,
        ordered=classes.ordered,
        classes=dict(zip(labels, counts, strict=True)),
        shown_classes=[labels[c] for c in drawn_classes(classes)],
        missing=sum(facts.missing.values()),
        columns_with_missing=len(facts.missing),
        nominal=len(facts.nominal),
        intervals=bool(facts.intervals) and facts.interval_pattern is None,
        constant=facts.constant,
        duplicated=facts.duplicated[:20],
    )


def _how(
    study: Study, methods: Sequence[MethodPart], estimator: Any, command: str | None
) -> dict[str, Any]:
    """What it takes to get the same again."""
    seed = study.options["random_state"]
    return {
        "parameters": {method["name"]: method["params"] for method in methods},
        "estimator": describe_model(estimator, study.target.kind),
        "scoring": study.scoring.name,
        "larger_is_better": study.scoring.sign > 0,
        "folds": len(study.splits.folds),
        "splits": study.splits.words,
        "groups": study.splits.groups,
        "time": study.splits.time,
        "weights": study.splits.weights,
        "n_resamples": study.n_resamples,
        "seed": seed if isinstance(seed, Integral) else None,
        "versions": _versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
    }


def _read_table(X: Any) -> pd.DataFrame:
    """The samples with names that are text; numbers kept as objects are numbers."""
    table = as_frame(X).infer_objects()
    table = table.set_axis([str(name) for name in table.columns], axis=1).reset_index(drop=True)
    as_frame(table)  # names that became equal
    return table


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    python = ".".join(map(str, sys.version_info[:3]))
    installed = {package: version(package) for package in packages}
    return {"echelon": echelon.__version__, "python": python} | installed


def read_for(
    y: Any, selectors: Mapping[str, Any], kind: str = "auto", class_order: Any = None
) -> Target:
    """The target, where selectors may have been told what it is or how its classes are ordered.

    Examples
    --------
    >>> from echelon import OReliefF
    >>> from echelon.study import read_for
    >>> selector = OReliefF(class_order=["low", "high"])
    >>> read_for(["high", "low", "low"], {"margins": selector}).labels.tolist()
    ['low', 'high']
    """
    if class_order is None:
        class_order = _first_given(selectors, "class_order")
    problem = _first_given(selectors, "problem")
    if kind == "auto" and class_order is None and problem is not None:
        kind = problem
    return read_target(y, kind, class_order)


def _first_given(selectors: Mapping[str, Any], parameter: str) -> Any:
    """The first value of a parameter that is not None."""
    for selector in selectors.values():
        params = selector.get_params(deep=False) if hasattr(selector, "get_params") else {}
        if params.get(parameter) is not None:
            return params[parameter]
    return None
