"""From data and selectors to one dict that holds everything a report shows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from typing import Any

import pandas as pd
from sklearn.utils import check_consistent_length

import echelon
from echelon._core.by_class import drawn_classes
from echelon._core.words import plain
from echelon.evaluation import FeatureCurve
from echelon.profile import caveats_of, class_caveats, glance
from echelon.report._report import Report
from echelon.study import (
    Baseline,
    Study,
    agreement_of,
    all_curves,
    answer,
    best_guess,
    choose,
    default_estimator,
    describe_model,
    feature_rows,
    make_folds,
    method_part,
    read_outcome,
    read_scoring,
    result_caveats,
    same_message,
    sort_by_rank,
)
from echelon.validation import as_frame


def summarize(
    X: Any,
    y: Any,
    selectors: Any,
    *,
    estimator: Any = None,
    n_features: Any = "auto",
    cv: Any = 5,
    scoring: Any = None,
    n_resamples: int = 20,
    random_state: Any = 0,
    profile: Any = None,
    source: str | None = None,
    command: str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Which features to keep, how many, and how far to trust it, as a report.

    Every method ranks the features within the folds of one cross-validation; the curves of an
    estimator's score against the number of features say how many to keep.  The ranking of all rows
    says which.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Target: ordered classes (integers, or an ordered categorical), classes, or numbers.
    selectors : selector, or dict of str to selector
        Methods to use, unfitted, by the name to show.
    estimator : estimator, default=None
        Model the features are judged by.  None: logistic regression, one question per threshold
        for ordered classes, or ridge regression; numbers imputed and standardised, labels one-hot.
    n_features : int or "auto", default="auto"
        How many to keep.  "auto": the smallest size within one standard error of the best.
    cv : int or splitter, default=5
        Folds.
    scoring : str or callable, default=None
        None: mean error in classes for ordered classes, balanced accuracy for others, R² for
        numbers.
    n_resamples : int, default=20
        Samples of half of the rows on which the stability of the choice is measured; 0: not at
        all.
    random_state : int, RandomState instance or None, default=0
        Draws folds and samples, and seeds every ``random_state`` that was left open.
    profile : Profile, default=None
        What ``echelon.report.profile`` found in the data.
    source, command : str, default=None
        Where the data come from and how the report was made, shown as they are.
    n_jobs : int, default=None
        Folds and samples computed at a time.  Results do not depend on it.
    verbose : int, default=0
        Show progress bars.

    Returns
    -------
    report : Report
        With ``summary()``, ``to_html()``, ``to_markdown()`` and ``to_json()``.

    Notes
    -----
    The choice of a method and a size is a maximum over noisy means.  The score reported as "held
    out" takes for every fold the method and size chosen on the other folds.  If it is not better,
    fold by fold, than the best constant guess by two standard errors, the answer is to keep none.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from echelon import ReliefF
    >>> from echelon.report import summarize
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = summarize(X, y, ReliefF(), n_resamples=5)
    >>> report.summary()["answer"]["sentence"]
    'Keep these 5 of 13; more gain nothing within one standard error.'
    """
    named = _read_selectors(selectors)
    table, wanted = _read_table(X, n_features)
    target = read_outcome(y, named, getattr(profile, "kind", None))
    check_consistent_length(table, target.y)
    model = default_estimator(target.kind) if estimator is None else estimator
    metric = read_scoring(scoring, model, target.kind)
    options = {"n_jobs": n_jobs, "random_state": random_state, "verbose": verbose}
    with _said_in_caveats():
        folds = make_folds(cv, target, len(table), random_state)
        study = Study(table, target, model, metric, folds, wanted, n_resamples, options)
        curves = all_curves(named, study)
        guess = best_guess(study)
        parts = [method_part(name, named[name], curves[name], study) for name in named]
    methods, troubles = zip(*parts, strict=True)
    summary = _found(study, curves, methods, guess)
    data = glance(table, target)
    shown = [str(target.classes.labels[c]) for c in drawn_classes(target.classes)]
    summary |= {
        "title": f"Which features go with {target.name}?",
        "source": source,
        "data": data | {"shown_classes": shown},
        "profile": None if profile is None else profile.as_dict(),
        "methods": methods,
        "caveats": [
            *(caveats_of(data) if profile is None else profile.caveats),
            *class_caveats(data, len(folds)),
            *(trouble for trouble in troubles if trouble),
            *result_caveats(summary, methods, default_model=estimator is None),
        ],
        "how": {"method": summary["answer"]["method"]}
        | _how(study, methods, estimator)
        | {"command": command},
    }
    return Report(plain(summary))


@contextmanager
def _said_in_caveats() -> Iterator[None]:
    """Without the warnings about folds that lack some of the classes: a caveat says it, once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true", UserWarning)
        yield


def _found(
    study: Study,
    curves: Mapping[str, FeatureCurve],
    methods: Sequence[dict[str, Any]],
    guess: Baseline,
) -> dict[str, Any]:
    """The answer, all features, and what they have in common."""
    choice = choose(curves, study.wanted)
    chosen = next(method for method in methods if method["name"] == choice.method)
    order = sort_by_rank(chosen["ranking"])
    names = study.X.columns[order].tolist()
    verdict = answer(curves, choice, study.wanted, names, guess, study.scoring)
    groups, substitutes = same_message(study.X, order, verdict["n_features"])
    shared = (methods, chosen, verdict["keep"], groups, substitutes)
    rows = feature_rows(study.X, study.target, *shared)
    return {
        "answer": verdict,
        "features": rows,
        "groups": groups,
        "agreement": agreement_of(methods, choice.size),
    }


def _how(study: Study, methods: Sequence[dict[str, Any]], estimator: Any) -> dict[str, Any]:
    """What it takes to get the same again."""
    seed = study.options["random_state"]
    return {
        "parameters": {method["name"]: method["params"] for method in methods},
        "estimator": describe_model(estimator, study.target.kind),
        "scoring": study.scoring.name,
        "larger_is_better": study.scoring.sign > 0,
        "folds": len(study.folds),
        "n_resamples": study.n_resamples,
        "seed": seed if isinstance(seed, Integral) else None,
        "versions": _versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _read_selectors(selectors: Any) -> dict[str, Any]:
    """Selectors by name; one alone is named after its class."""
    named = selectors if isinstance(selectors, Mapping) else {type(selectors).__name__: selectors}
    if not named or not all(hasattr(selector, "fit") for selector in named.values()):
        raise TypeError(
            f"`selectors` must be a selector or a dict of them by name, got {selectors!r}. Pass "
            'for example {"ReliefF": ReliefF()}.'
        )
    return {str(name): selector for name, selector in named.items()}


def _read_table(X: Any, n_features: Any) -> tuple[pd.DataFrame, int | None]:
    """The samples with names that are text, and the number of features wanted, None for auto."""
    table = as_frame(X)
    table = table.set_axis([str(name) for name in table.columns], axis=1).reset_index(drop=True)
    as_frame(table)  # names that became equal
    if isinstance(n_features, str) and n_features == "auto":
        return table, None
    whole = isinstance(n_features, Integral) and not isinstance(n_features, bool)
    if not whole or not 1 <= n_features <= table.shape[1]:
        raise ValueError(
            f"`n_features` must be 'auto' or a whole number from 1 to the number of features, "
            f"{table.shape[1]}, got {n_features!r}."
        )
    return table, int(n_features)


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    python = ".".join(map(str, sys.version_info[:3]))
    installed = {package: version(package) for package in packages}
    return {"echelon": echelon.__version__, "python": python} | installed
