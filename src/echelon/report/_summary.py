"""From data and selectors to one dict that holds everything a report shows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_consistent_length

import echelon
from echelon.display import AgreementDisplay
from echelon.display._distribution import drawn_classes
from echelon.evaluation import FeatureCurve, selection_stability
from echelon.evaluation._data import seeded
from echelon.evaluation._ranking import fit_ranking, ranks_of
from echelon.report._answer import answer
from echelon.report._curves import Choice, all_curves, best_guess, choose, make_folds
from echelon.report._data import caveats_of, class_caveats, glance
from echelon.report._features import feature_rows, same_message, sort_by_rank
from echelon.report._models import Scoring, default_estimator, read_scoring
from echelon.report._plain import listed, number, plain
from echelon.report._report import Report
from echelon.report._target import Target, read_target
from echelon.validation import as_frame

UNSTABLE = 0.6
"""Below this stability a caveat is due."""


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
    'Keep these 6 of 13; more gain nothing within one standard error.'
    """
    named = _read_selectors(selectors)
    table, wanted = _read_table(X, n_features)
    target = read_target(y, named, getattr(profile, "kind", None))
    check_consistent_length(table, target.y)
    model = default_estimator(target.kind) if estimator is None else estimator
    metric = read_scoring(scoring, model, target.kind)
    # Folds without some of the classes are said in a caveat, once.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true", UserWarning)
        folds = make_folds(cv, target, len(table), random_state)
        options = {"n_jobs": n_jobs, "random_state": random_state, "verbose": verbose}
        curves = all_curves(named, model, table, target, folds, wanted, metric, **options)
        guess = best_guess(target, table, folds, metric)
    choice = choose(curves, wanted)
    parts = [
        _method(name, selector, table, target, curves[name], wanted, metric, n_resamples, options)
        for name, selector in named.items()
    ]
    methods, troubles = [part for part, _ in parts], [trouble for _, trouble in parts if trouble]
    chosen = next(method for method in methods if method["name"] == choice.method)
    order = sort_by_rank(chosen["ranking"])
    names = table.columns[order].tolist()
    verdict = answer(curves, choice, wanted, names, guess, metric)
    groups, substitutes = same_message(table, order, verdict["n_features"], 0)
    data = glance(table, target)
    shown = drawn_classes(target.classes)
    summary = {
        "title": f"Which features go with {target.name}?",
        "source": source,
        "data": data | {"shown_classes": [str(target.classes.labels[c]) for c in shown]},
        "profile": None if profile is None else profile.as_dict(),
        "answer": verdict,
        "methods": methods,
        "features": feature_rows(
            table, target, methods, chosen, verdict["keep"], groups, substitutes
        ),
        "groups": groups,
        "agreement": _agreement(methods, choice),
        "caveats": [
            *(caveats_of(data) if profile is None else profile.caveats),
            *class_caveats(data, len(folds)),
            *troubles,
            *_result_caveats(chosen, methods, groups, verdict, estimator is None),
        ],
        "how": {
            "method": choice.method,
            "parameters": {method["name"]: method["params"] for method in methods},
            "estimator": _one_line(model),
            "scoring": metric.name,
            "larger_is_better": metric.sign > 0,
            "folds": len(folds),
            "n_resamples": n_resamples,
            "seed": random_state if isinstance(random_state, Integral) else None,
            "versions": _versions(),
            "command": command,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    }
    return Report(plain(summary))


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


def _method(
    name: str,
    selector: Any,
    X: pd.DataFrame,
    target: Target,
    curve: FeatureCurve,
    wanted: int | None,
    metric: Scoring,
    n_resamples: int,
    options: dict[str, Any],
) -> tuple[dict[str, Any], str | None]:
    """What one method says, and a caveat if its stability could not be measured."""
    seed = options["random_state"] if isinstance(options["random_state"], Integral) else None
    fitted, order = fit_ranking(seeded(selector, seed), X, target.y, curve.sizes.tolist())
    size = wanted or curve.one_se_size
    stability, trouble = _stability(name, selector, X, target, size, n_resamples, options)
    method = {
        "name": name,
        "label": type(selector).__name__,
        "params": clone(selector).get_params(deep=False),
        "scores": getattr(fitted, "scores_", None),
        "relevance": getattr(fitted, "relevance_", None),
        "order": X.columns[order].tolist(),
        "ranking": ranks_of(fitted),
        "curve": {
            "n_features": curve.sizes,
            "mean": metric.sign * curve.mean_scores,
            "std": curve.std_scores,
            "standard_error": curve.std_scores / np.sqrt(curve.scores.shape[1]),
            "folds": metric.sign * curve.scores,
        },
        "keep": X.columns[order[:size]].tolist(),
        "n_features": size,
        "one_se_size": curve.one_se_size,
        "best_size": curve.best_size,
        "stability": stability,
    }
    return method, trouble


def _stability(
    name: str,
    selector: Any,
    X: pd.DataFrame,
    target: Target,
    size: int,
    n_resamples: int,
    options: dict[str, Any],
) -> tuple[dict[str, Any] | None, str | None]:
    """How often every feature is among the best ``size``; None if all are kept or not asked for."""
    if not n_resamples or size == X.shape[1]:
        return None, None
    try:
        result = selection_stability(
            _keeping(selector, size), X, target.y, n_resamples, **options
        )
    except (TypeError, ValueError) as error:
        return None, f"The stability of {name} could not be measured: {error}"
    low, high = result.confidence_interval
    return {
        "index": result.stability,
        "low": low,
        "high": high,
        "size": size,
        "frequency": result.frequency,
    }, None


def _keeping(selector: Any, size: int) -> Any:
    """A copy that keeps so many features, where it can be told to."""
    params = clone(selector).get_params(deep=False)
    changes: dict[str, Any] = {}
    for parameter, value in (("n_features_to_select", size), ("threshold", None), ("k", size)):
        if parameter in params:
            changes[parameter] = value
    return clone(selector).set_params(**changes)


def _agreement(methods: list[dict[str, Any]], choice: Choice) -> dict[str, Any] | None:
    """Rank correlations and overlaps of all pairs of methods; None for one method."""
    if len(methods) < 2:
        return None
    rankings = {method["name"]: method["ranking"] for method in methods}
    display = AgreementDisplay.from_rankings(rankings, n_best=choice.size)
    return {
        "methods": display.methods,
        "rank_correlation": display.correlation,
        "overlap": display.overlap,
        "n_best": display.n_best,
    }


def _result_caveats(
    chosen: dict[str, Any],
    methods: list[dict[str, Any]],
    groups: list[list[str]],
    verdict: dict[str, Any],
    default_model: bool,
) -> list[str]:
    """What in the result calls for care."""
    found = []
    stability = chosen["stability"]
    if stability and stability["index"] < UNSTABLE:
        found.append(
            f"The choice is not stable ({number(stability['index'], 2)}, where 1 is always the "
            "same and 0 is chance): half of the samples would often lead to other features."
        )
    for group in groups:
        found.append(f"{listed(group)} say nearly the same; one of them may do.")
    if len(methods) > 1:
        found.append(
            f"{chosen['name']} was chosen among {len(methods)} methods by their curves; the "
            "held-out score allows for that, the curve does not."
        )
    if default_model:
        found.append(
            "Features were judged by a linear model; to another one, features that act only "
            "together or along a curve may be worth more."
        )
    return found


def _one_line(model: Any) -> str:
    return " ".join(repr(clone(model)).split())


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    python = ".".join(map(str, sys.version_info[:3]))
    installed = {package: version(package) for package in packages}
    return {"echelon": echelon.__version__, "python": python} | installed
